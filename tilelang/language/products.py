"""Matrix products of tiles: ``C += A @ B``.

``A`` is M by K, ``B`` K by N and ``C`` M by N in their last two dimensions, after the transposes; leading dimensions
are 1. Shapes and types are checked by the rules ``gemm-shape-mismatch`` and ``gemm-dtype-mismatch``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.ir.expr import Expr, const_int
from tilelang.ir.stmt import Gemm
from tilelang.ir.unknown import Unknown
from tilelang.language.context import describe, in_launch, invalid, is_unknown, merged, opaque_effect
from tilelang.language.policy import GemmWarpPolicy
from tilelang.language.regions import expect_region

if TYPE_CHECKING:
    from tilelang.ir.stmt import Attrs
    from tilelang.language.values import Annotations, BufferLike, Value

_SQUARE = GemmWarpPolicy.Square


def gemm(
    A: BufferLike,
    B: BufferLike,
    C: BufferLike,
    transpose_A: bool = False,
    transpose_B: bool = False,
    policy: GemmWarpPolicy = _SQUARE,
    clear_accum: bool = False,
    mbar: Any = None,
    annotations: Annotations = None,
) -> None:
    """``C += op(A) @ op(B)`` with the matrix instructions of the target, and wait for the result.

    Scopes: ``A`` and ``B`` in shared memory or fragments, ``C`` a fragment (tensor memory on sm_100). ``transpose_A``:
    ``A`` is stored K by M; ``transpose_B``: ``B`` is stored N by K. ``policy``: how the warps divide ``C``.
    ``clear_accum``: start from 0 instead of the value of ``C``; may be a condition. ``mbar``: the barrier that a
    ``tcgen05`` product arrives at.
    """
    _gemm("T.gemm", "gemm", A, B, C, transpose_A, transpose_B, policy, clear_accum, merged(annotations, mbar=mbar))


def wgmma_gemm(
    A: BufferLike,
    B: BufferLike,
    C: BufferLike,
    transpose_A: bool = False,
    transpose_B: bool = False,
    policy: GemmWarpPolicy = _SQUARE,
    clear_accum: bool = False,
    annotations: Annotations = None,
) -> None:
    """Like :func:`gemm` with ``wgmma`` (sm_90), without waiting: ``T.wait_wgmma`` waits."""
    _gemm("T.wgmma_gemm", "wgmma_gemm", A, B, C, transpose_A, transpose_B, policy, clear_accum, merged(annotations))


def wgmma_mma(
    A: BufferLike,
    B: BufferLike,
    C: BufferLike,
    transpose_A: bool = False,
    transpose_B: bool = False,
    policy: GemmWarpPolicy = _SQUARE,
    clear_accum: bool = False,
    annotations: Annotations = None,
) -> None:
    """Another name of :func:`wgmma_gemm`."""
    _gemm("T.wgmma_mma", "wgmma_gemm", A, B, C, transpose_A, transpose_B, policy, clear_accum, merged(annotations))


def tcgen05_gemm(
    A: BufferLike,
    B: BufferLike,
    C: BufferLike,
    transpose_A: bool = False,
    transpose_B: bool = False,
    policy: GemmWarpPolicy = _SQUARE,
    clear_accum: bool = False,
    *,
    mbar: Any,
    use_2cta: bool = False,
    annotations: Annotations = None,
) -> None:
    """Like :func:`gemm` with ``tcgen05.mma`` (sm_100), without waiting: the product arrives at ``mbar``."""
    attrs = merged(annotations, mbar=mbar, use_2cta=use_2cta)
    _gemm("T.tcgen05_gemm", "tcgen05_gemm", A, B, C, transpose_A, transpose_B, policy, clear_accum, attrs)


def tcgen05_mma(
    A: BufferLike,
    B: BufferLike,
    C: BufferLike,
    transpose_A: bool = False,
    transpose_B: bool = False,
    policy: GemmWarpPolicy = _SQUARE,
    clear_accum: bool = False,
    *,
    mbar: Any,
    use_2cta: bool = False,
    annotations: Annotations = None,
) -> None:
    """Another name of :func:`tcgen05_gemm`."""
    attrs = merged(annotations, mbar=mbar, use_2cta=use_2cta)
    _gemm("T.tcgen05_mma", "tcgen05_gemm", A, B, C, transpose_A, transpose_B, policy, clear_accum, attrs)


def gemm_sp(
    A_sparse: BufferLike,
    E: BufferLike,
    B: BufferLike,
    C: BufferLike,
    transpose_A: bool = False,
    transpose_E: bool = False,
    transpose_B: bool = False,
    policy: GemmWarpPolicy = _SQUARE,
    clear_accum: bool = False,
    wg_wait: int = 0,
    annotations: Annotations = None,
) -> None:
    """Like :func:`gemm` for an ``A`` with two zeros in every four elements, kept as the others and their places ``E``.

    ``wg_wait``: products that may still run afterwards (sm_90): 0, or -1 for no wait.
    """
    if isinstance(wg_wait, int) and wg_wait not in (0, -1):  # pyright: ignore[reportUnnecessaryIsInstance]
        invalid("T.gemm_sp", "wg_wait", "0 or -1", str(wg_wait))
    attrs = merged(annotations, wg_wait=wg_wait or None)
    _sparse(
        "T.gemm_sp", "gemm_sp", A_sparse, E, B, C, transpose_A, transpose_E, transpose_B, policy, clear_accum, attrs
    )


def wgmma_gemm_sp(
    A_sparse: BufferLike,
    E: BufferLike,
    B: BufferLike,
    C: BufferLike,
    transpose_A: bool = False,
    transpose_E: bool = False,
    transpose_B: bool = False,
    policy: GemmWarpPolicy = _SQUARE,
    clear_accum: bool = False,
    annotations: Annotations = None,
) -> None:
    """Like :func:`gemm_sp` with ``wgmma`` (sm_90), without waiting."""
    attrs = merged(annotations)
    name = "wgmma_gemm_sp"
    _sparse(f"T.{name}", name, A_sparse, E, B, C, transpose_A, transpose_E, transpose_B, policy, clear_accum, attrs)


def tcgen05_gemm_sp(
    A_sparse: BufferLike,
    E: BufferLike,
    B: BufferLike,
    C: BufferLike,
    transpose_A: bool = False,
    transpose_E: bool = False,
    transpose_B: bool = False,
    policy: GemmWarpPolicy = _SQUARE,
    clear_accum: bool = False,
    annotations: Annotations = None,
) -> None:
    """Like :func:`gemm_sp` with ``tcgen05.mma`` (sm_100), without waiting."""
    attrs = merged(annotations)
    name = "tcgen05_gemm_sp"
    _sparse(f"T.{name}", name, A_sparse, E, B, C, transpose_A, transpose_E, transpose_B, policy, clear_accum, attrs)


def gemm_blockscaled(
    A: BufferLike,
    B: BufferLike,
    C: BufferLike,
    SFA: BufferLike,
    SFB: BufferLike,
    transpose_A: bool = False,
    transpose_B: bool = False,
    policy: GemmWarpPolicy = _SQUARE,
    clear_accum: bool = False,
    *,
    k_start: Value,
    sf_a_granularity_k: int,
    sf_b_granularity_k: int,
    mbar: Any = None,
    use_2cta: bool = False,
    sf_layout: str | None = None,
    annotations: Annotations = None,
) -> None:
    """``C += (A * SFA) @ (B * SFB)`` with one scale for a run of elements along K (sm_100, sm_120), and wait.

    ``k_start``: where this tile begins along K. ``sf_a_granularity_k``, ``sf_b_granularity_k``: elements for each
    scale. ``sf_layout``: ``rowmajor`` or ``blockscaled_chunk_kmajor`` (sm_120).
    """
    _check_layout("T.gemm_blockscaled", sf_layout)
    attrs = merged(annotations, mbar=mbar, use_2cta=use_2cta, sf_layout=sf_layout)
    attrs += _scales(SFA, SFB, k_start, sf_a_granularity_k, sf_b_granularity_k)
    name = "gemm_blockscaled"
    _gemm(f"T.{name}", name, A, B, C, transpose_A, transpose_B, policy, clear_accum, attrs)


def mma_gemm_blockscaled(
    A: BufferLike,
    B: BufferLike,
    C: BufferLike,
    SFA: BufferLike,
    SFB: BufferLike,
    transpose_A: bool = False,
    transpose_B: bool = False,
    policy: GemmWarpPolicy = _SQUARE,
    clear_accum: bool = False,
    *,
    k_start: Value,
    sf_a_granularity_k: int,
    sf_b_granularity_k: int,
    sf_layout: str | None = None,
) -> None:
    """Like :func:`gemm_blockscaled` with the warp-level instructions of sm_120."""
    _check_layout("T.mma_gemm_blockscaled", sf_layout)
    attrs = merged(None, sf_layout=sf_layout)
    attrs += _scales(SFA, SFB, k_start, sf_a_granularity_k, sf_b_granularity_k)
    name = "mma_gemm_blockscaled"
    _gemm(f"T.{name}", name, A, B, C, transpose_A, transpose_B, policy, clear_accum, attrs)


def tcgen05_gemm_blockscaled(
    A: BufferLike,
    B: BufferLike,
    C: BufferLike,
    SFA_tmem: BufferLike,
    SFB_tmem: BufferLike,
    transpose_A: bool = False,
    transpose_B: bool = False,
    clear_accum: bool = False,
    wg_wait: int = 0,
    mbar: Any = None,
    *,
    k_start: Value,
    sf_a_granularity_k: int,
    sf_b_granularity_k: int,
    use_2cta: bool = False,
) -> None:
    """Like :func:`gemm_blockscaled` with ``tcgen05.mma`` (sm_100), without waiting: it arrives at ``mbar``."""
    _tcgen05_blockscaled("T.tcgen05_gemm_blockscaled", wg_wait, mbar)
    attrs = merged(None, mbar=mbar, use_2cta=use_2cta, wg_wait=wg_wait or None)
    attrs += _scales(SFA_tmem, SFB_tmem, k_start, sf_a_granularity_k, sf_b_granularity_k)
    name = "tcgen05_gemm_blockscaled"
    _gemm(f"T.{name}", name, A, B, C, transpose_A, transpose_B, _SQUARE, clear_accum, attrs)


def tcgen05_mma_blockscaled(
    A: BufferLike,
    B: BufferLike,
    C: BufferLike,
    SFA_tmem: BufferLike,
    SFB_tmem: BufferLike,
    transpose_A: bool = False,
    transpose_B: bool = False,
    clear_accum: bool = False,
    wg_wait: int = 0,
    mbar: Any = None,
    *,
    k_start: Value,
    sf_a_granularity_k: int,
    sf_b_granularity_k: int,
    use_2cta: bool = False,
) -> None:
    """Another name of :func:`tcgen05_gemm_blockscaled`."""
    _tcgen05_blockscaled("T.tcgen05_mma_blockscaled", wg_wait, mbar)
    attrs = merged(None, mbar=mbar, use_2cta=use_2cta, wg_wait=wg_wait or None)
    attrs += _scales(SFA_tmem, SFB_tmem, k_start, sf_a_granularity_k, sf_b_granularity_k)
    name = "tcgen05_gemm_blockscaled"
    _gemm(f"T.{name}", name, A, B, C, transpose_A, transpose_B, _SQUARE, clear_accum, attrs)


def _scales(sfa: object, sfb: object, k_start: object, granularity_a: object, granularity_b: object) -> Attrs:
    return (
        ("scales", (sfa, sfb)),
        ("k_start", k_start),
        ("sf_a_granularity_k", granularity_a),
        ("sf_b_granularity_k", granularity_b),
    )


def _check_layout(function: str, layout: object) -> None:
    if isinstance(layout, str) and layout not in ("rowmajor", "blockscaled_chunk_kmajor"):
        invalid(function, "sf_layout", "'rowmajor' or 'blockscaled_chunk_kmajor'", describe(layout))


def _tcgen05_blockscaled(function: str, wg_wait: object, mbar: object) -> None:
    if mbar is None:
        invalid(function, "mbar", "a barrier", "None")
    if isinstance(wg_wait, int) and wg_wait not in (0, -1):
        invalid(function, "wg_wait", "0 or -1", str(wg_wait))


def _sparse(
    function: str,
    op: str,
    a: object,
    e: object,
    b: object,
    c: object,
    trans_a: object,
    trans_e: object,
    trans_b: object,
    policy: object,
    clear_accum: object,
    attrs: Attrs,
) -> None:
    attrs += (("metadata", e), ("transpose_E", trans_e))
    _gemm(function, op, a, b, c, trans_a, trans_b, policy, clear_accum, attrs, names=("A_sparse", "B", "C"))


def _gemm(
    function: str,
    op: str,
    a: object,
    b: object,
    c: object,
    trans_a: object,
    trans_b: object,
    policy: object,
    clear_accum: object,
    attrs: Attrs,
    *,
    names: tuple[str, str, str] = ("A", "B", "C"),
) -> None:
    builder = in_launch(function)
    left, right = expect_region(function, names[0], a), expect_region(function, names[1], b)
    out = expect_region(function, names[2], c)
    transposed = _flag(function, "transpose_A", trans_a), _flag(function, "transpose_B", trans_b)
    partition = policy_name(function, policy)
    if left is None or right is None or out is None or transposed[0] is None or transposed[1] is None:
        for region in (left, right):
            if region is not None:
                opaque_effect(op, region, mode="read")
        if out is not None:
            opaque_effect(op, out, mode="update")
        return
    if builder is not None:
        builder.emit(
            Gemm(
                left,
                right,
                out,
                transposed[0],
                transposed[1],
                partition,
                clear_accum,
                op,
                span=builder.site.span,
                attrs=attrs,
            )
        )


def _flag(function: str, argument: str, value: object) -> bool | None:
    """A flag that must be known while compiling; ``None`` if it could not be followed."""
    number = const_int(value)
    if number is not None:
        return bool(number)
    if value is None:
        return False
    if isinstance(value, Expr) and not is_unknown(value):
        invalid(function, argument, "True or False while compiling", describe(value))
    return None


def policy_name(function: str, policy: object) -> str:
    """The name of a warp policy given as a member or a number; ``?`` if it could not be followed."""
    if isinstance(policy, GemmWarpPolicy):
        return policy.name
    number = const_int(policy)
    if number is not None and number in (0, 1, 2):
        return GemmWarpPolicy(number).name
    if not isinstance(policy, Unknown) and not is_unknown(policy):
        invalid(function, "policy", "a T.GemmWarpPolicy", describe(policy))
    return "?"

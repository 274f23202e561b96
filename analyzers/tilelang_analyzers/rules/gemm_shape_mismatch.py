"""The operands of a `T.gemm` disagree in M, N or K.

## What it does
Compares the shapes of the three operands of `T.gemm(A, B, C)` after `transpose_A` and `transpose_B`: the rows of A and
C (M), the columns of B and C (N), and the inner dimensions of A and B (K). It also reports operands with fewer than
two dimensions, and leading dimensions that are not 1.

## Why is this bad?
No instruction multiplies such tiles, so the kernel does not compile. The usual cause is a tile that is stored
transposed without `transpose_B=True`, or an accumulator with its two sizes swapped.

## Example
```python
a = T.alloc_shared((128, 32), "float16")
w = T.alloc_shared((64, 32), "float16")  # stored (N, K)
acc = T.alloc_fragment((128, 64), "float32")
T.gemm(a, w, acc)
```

## Use instead
```python
T.gemm(a, w, acc, transpose_B=True)
```

## Fix safety
The fix adds `transpose_A=True` or `transpose_B=True` if that alone makes all three operands agree. It is unsafe, since
the tile may have been given the wrong shape instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.diagnostics import Fix, Note
from tilelang.ir.arith import prove_equal, prove_ne
from tilelang.ir.stmt import Gemm
from tilelang_analyzers.rule import define
from tilelang_analyzers.rules import _dims as dims
from tilelang_analyzers.rules._edits import add_argument
from tilelang_analyzers.rules._text import declarations, has_problem, shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilelang.ir.buffer import Dim, Region
    from tilelang_analyzers.rule import InstanceContext

    Shapes = tuple[Sequence[Dim], Sequence[Dim], Sequence[Dim]]

RULE = define(__name__, __doc__, group="shape", fixable=True)

_DENSE = ("gemm", "wgmma_gemm", "tcgen05_gemm", "mma_gemm_blockscaled")
"""Operations whose operands have their plain shapes. Sparse ones pack K, and other block-scaled ones M."""


@RULE.check_instance
def check(ctx: InstanceContext) -> None:
    for stmt in ctx.walk():
        if isinstance(stmt, Gemm) and stmt.op in _DENSE and not has_problem(ctx, stmt.span):
            _check_gemm(ctx, stmt)


def _check_gemm(ctx: InstanceContext, gemm: Gemm) -> None:
    shapes: list[Sequence[Dim]] = []
    for side, region in zip("ABC", (gemm.a, gemm.b, gemm.c), strict=True):
        extents = _extents(region)
        if extents is None:
            return
        trouble = _not_a_matrix(ctx, extents)
        if trouble:
            message = f"T.{gemm.op}: {side} must be a matrix, but `{region.buffer.name}` {trouble}"
            ctx.report(gemm.span, message, notes=declarations(ctx, [region.buffer]))
            return
        shapes.append(extents[-2:])
    a, b, c = shapes
    gaps = _disagreements(gemm, (a, b, c), gemm.trans_a, gemm.trans_b)
    if not gaps:
        return
    text = ", ".join(f"{dim} is {ctx.text(x)} in {one} but {ctx.text(y)} in {two}" for dim, one, x, two, y in gaps)
    notes = list(declarations(ctx, [gemm.a.buffer, gemm.b.buffer, gemm.c.buffer]))
    flips, fix = _transposition(ctx, gemm, (a, b, c))
    if flips:
        notes.append(Note(f"with {flips} the shapes agree"))
    operands = ", ".join(f"{side} {shape(ctx, dims)}" for side, dims in zip("ABC", shapes, strict=True))
    data = {dim: [ctx.text(x), ctx.text(y)] for dim, _, x, _, y in gaps}
    ctx.report(gemm.span, f"T.{gemm.op}: {text} ({operands})", notes=notes, fix=fix, data=data)


def _extents(region: Region) -> tuple[Dim, ...] | None:
    """An element counts as a box of one element, as everywhere outside copies."""
    if dims.is_start(region) and dims.has_known_rank(region.buffer) and not dims.has_wrong_rank(region):
        return (1,) * region.buffer.rank
    return dims.written(region)


def _not_a_matrix(ctx: InstanceContext, extents: Sequence[Dim]) -> str:
    if len(extents) < 2:
        return f"has the shape {shape(ctx, extents)}"
    if any(prove_ne(extent, 1) for extent in extents[:-2]):
        return f"has the shape {shape(ctx, extents)}, whose leading dimensions are not 1"
    return ""


def _disagreements(gemm: Gemm, shapes: Shapes, trans_a: bool, trans_b: bool) -> list[tuple[str, str, Dim, str, Dim]]:
    """Every dimension in which two operands certainly differ, as (dimension, side, extent, other side, extent)."""
    a, b, c = shapes
    m_a, k_a = reversed(a) if trans_a else a
    k_b, n_b = reversed(b) if trans_b else b
    m_c, n_c = c
    found: list[tuple[str, str, Dim, str, Dim]] = []
    if prove_ne(m_a, m_c):
        found.append(("M", "A", m_a, "C", m_c))
    if prove_ne(k_a, k_b):
        found.append(("K", "A", k_a, "B", k_b))
    # With two CTAs a gemm, each holds one half of the columns of B.
    if gemm.attr("use_2cta"):
        whole, half = dims.constants([n_c]), dims.constants([n_b])
        if whole is not None and half is not None and half[0] * 2 != whole[0]:
            found.append(("N", "half of B", n_b, "C", n_c))
    elif prove_ne(n_b, n_c):
        found.append(("N", "B", n_b, "C", n_c))
    return found


def _transposition(ctx: InstanceContext, gemm: Gemm, shapes: Shapes) -> tuple[str, Fix | None]:
    """The change of one transposition that makes the shapes agree, and its fix."""
    for name, trans_a, trans_b in (
        ("transpose_B", gemm.trans_a, not gemm.trans_b),
        ("transpose_A", not gemm.trans_a, gemm.trans_b),
    ):
        if not _agree(shapes, trans_a, trans_b):
            continue
        was = gemm.trans_b if name == "transpose_B" else gemm.trans_a
        change = f"{name}={not was}"
        if was or name in ctx.snippet(gemm.span):
            return change, None
        edit = add_argument(ctx, gemm.span, change)
        return change, Fix(f"Add `{change}`", (edit,)) if edit else None
    return "", None


def _agree(shapes: Shapes, trans_a: bool, trans_b: bool) -> bool:
    a, b, c = shapes
    m_a, k_a = reversed(a) if trans_a else a
    k_b, n_b = reversed(b) if trans_b else b
    return prove_equal(m_a, c[0]) and prove_equal(n_b, c[1]) and prove_equal(k_a, k_b)

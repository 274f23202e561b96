"""Copies between memories.

An operand is a whole buffer, a box (``A[0:64, k * 32:(k + 1) * 32]``), or an element that marks where a box of the size
of the other operand starts (``A[by * 64, k * 32]``). Unequal extents are reported by the rule ``copy-shape-mismatch``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from tilelang.ir.expr import Load, const_int
from tilelang.ir.stmt import Copy, Store
from tilelang.language.arith import as_type
from tilelang.language.context import describe, in_launch, invalid, is_unknown, merged, opaque_effect
from tilelang.language.regions import expect_region, resolve_pair

if TYPE_CHECKING:
    from tilelang.ir.stmt import Attrs
    from tilelang.language.values import Annotations, BufferLike, Value

EvictionPolicy = Literal["evict_normal", "evict_first", "evict_last"]

_EVICTION = ("evict_normal", "evict_first", "evict_last")
_INSTRUCTIONS = ("tma", "cp_async", "sync")


def copy(
    src: BufferLike,
    dst: BufferLike,
    *,
    coalesced_width: int | None = None,
    disable_tma: bool = False,
    eviction_policy: EvictionPolicy | None = None,
    prefer_instruction: str | None = None,
    annotations: Annotations = None,
    loop_layout: Any = None,
) -> None:
    """Copy ``src`` to ``dst``, converting the elements if the types differ. All threads of the block take part.

    ``coalesced_width``: elements that one thread moves at a time. ``disable_tma``: do not use the tensor memory
    accelerator. ``eviction_policy``: evict_normal, evict_first or evict_last. ``prefer_instruction``: tma, cp_async or
    sync. ``loop_layout``: a ``T.Fragment`` that says which thread moves which element. Two elements make a store.
    """
    function = "T.copy"
    _check_eviction(function, eviction_policy)
    attrs = merged(
        annotations,
        coalesced_width=coalesced_width,
        disable_tma=disable_tma,
        eviction_policy=eviction_policy,
        prefer_instruction=prefer_instruction,
        loop_layout=loop_layout,
    )
    named = dict(attrs)
    wanted = named.get("prefer_instruction")
    if isinstance(wanted, str):
        if wanted not in _INSTRUCTIONS:
            invalid(function, "prefer_instruction", "'tma', 'cp_async' or 'sync'", describe(wanted))
        elif wanted == "tma" and named.get("disable_tma") is True:
            invalid(function, "prefer_instruction", "'cp_async' or 'sync' with disable_tma=True", "'tma'")
    _check_width(function, coalesced_width)
    _copy(function, "copy", src, dst, attrs)


def async_copy(
    src: BufferLike,
    dst: BufferLike,
    *,
    coalesced_width: int | None = None,
    annotations: Annotations = None,
    loop_layout: Any = None,
) -> None:
    """Start a copy from global to shared memory with ``cp.async`` and commit it as one group.

    Nothing waits for it: ``T.ptx_wait_group`` and ``T.sync_threads`` do.
    """
    _check_width("T.async_copy", coalesced_width)
    attrs = merged(annotations, coalesced_width=coalesced_width, loop_layout=loop_layout)
    _copy("T.async_copy", "async_copy", src, dst, attrs)


def tma_copy(
    src: BufferLike,
    dst: BufferLike,
    *,
    barrier: Any = None,
    cluster_mask: int | None = None,
    leader_scope_threads: int | None = None,
    eviction_policy: EvictionPolicy | None = None,
    annotations: Annotations = None,
) -> None:
    """Start a copy by the tensor memory accelerator (sm_90 and later).

    A load arrives at ``barrier``, which it needs; a store is waited for with ``T.tma_store_wait``. ``cluster_mask``:
    bits of the blocks in the cluster that receive a load. ``leader_scope_threads``: a multiple of 32.
    """
    function = "T.tma_copy"
    _check_eviction(function, eviction_policy)
    _check_mask(function, cluster_mask)
    threads = const_int(leader_scope_threads)
    if threads is not None and (threads <= 0 or threads % 32):
        invalid(function, "leader_scope_threads", "a positive multiple of 32", str(threads))
    attrs = merged(
        annotations,
        barrier=barrier,
        cluster_mask=cluster_mask,
        leader_scope_threads=leader_scope_threads,
        eviction_policy=eviction_policy,
    )
    _copy(function, "tma_copy", src, dst, attrs)


def copy_cluster(
    src: BufferLike,
    dst: BufferLike,
    *,
    dst_block: Value | None = None,
    cluster_mask: int | None = None,
    remote_barrier: Any = None,
    eviction_policy: EvictionPolicy | None = None,
    coalesced_width: int | None = None,
    annotations: Annotations = None,
    loop_layout: Any = None,
) -> None:
    """Copy to several blocks of a cluster, or to the shared memory of one of them (sm_90 and later).

    ``cluster_mask``: bits of the receiving blocks. ``dst_block``: the rank of the one receiving block;
    ``remote_barrier`` is arrived at there.
    """
    function = "T.copy_cluster"
    _check_eviction(function, eviction_policy)
    _check_width(function, coalesced_width)
    attrs = merged(
        annotations,
        dst_block=dst_block,
        cluster_mask=cluster_mask,
        remote_barrier=remote_barrier,
        eviction_policy=eviction_policy,
        coalesced_width=coalesced_width,
        loop_layout=loop_layout,
    )
    _copy(function, "copy_cluster", src, dst, attrs)


def transpose(src: BufferLike, dst: BufferLike, annotations: Annotations = None) -> None:
    """Copy ``src`` to ``dst`` with its last two dimensions swapped."""
    _two("T.transpose", "transpose", src, dst, merged(annotations))


def im2col(
    img: BufferLike,
    col: BufferLike,
    nhw_step: Value,
    c_step: Value,
    kernel: int,
    stride: int,
    dilation: int,
    pad: int,
    eviction_policy: EvictionPolicy | None = None,
    annotations: Annotations = None,
) -> None:
    """Gather the windows of a convolution: ``img`` is an NHWC tensor, ``col`` a tile of output pixels by channels.

    ``nhw_step`` and ``c_step`` number the tile; ``kernel``, ``stride``, ``dilation`` and ``pad`` are square.
    """
    _im2col("T.im2col", img, col, nhw_step, c_step, (kernel, stride, dilation, pad), eviction_policy, annotations)


def c2d_im2col(
    img: BufferLike,
    col: BufferLike,
    nhw_step: Value,
    c_step: Value,
    kernel: int,
    stride: int,
    dilation: int,
    pad: int,
    eviction_policy: EvictionPolicy | None = None,
    annotations: Annotations = None,
) -> None:
    """An older name of :func:`im2col`."""
    _im2col("T.c2d_im2col", img, col, nhw_step, c_step, (kernel, stride, dilation, pad), eviction_policy, annotations)


def _im2col(
    function: str,
    img: object,
    col: object,
    nhw_step: object,
    c_step: object,
    window: tuple[object, ...],
    eviction_policy: object,
    annotations: object,
) -> None:
    _check_eviction(function, eviction_policy)
    kernel, stride, dilation, pad = window
    attrs = merged(annotations, eviction_policy=eviction_policy)
    attrs += (("nhw_step", nhw_step), ("c_step", c_step), ("kernel", kernel))
    attrs += (("stride", stride), ("dilation", dilation), ("pad", pad))
    _two(function, "im2col", img, col, attrs, names=("img", "col"))


def _copy(function: str, op: str, src: object, dst: object, attrs: Attrs) -> None:
    if isinstance(src, Load) and isinstance(dst, Load) and not attrs:
        builder = in_launch(function)
        if builder is not None:
            value = as_type(src, dst.dtype, builder.site.span)
            builder.emit(Store(dst.buffer, dst.indices, value, span=builder.site.span))
        return
    _two(function, op, src, dst, attrs, resolve=True)


def _two(
    function: str,
    op: str,
    src: object,
    dst: object,
    attrs: Attrs,
    *,
    names: tuple[str, str] = ("src", "dst"),
    resolve: bool = False,
) -> None:
    builder = in_launch(function)
    source, target = expect_region(function, names[0], src), expect_region(function, names[1], dst)
    if source is None or target is None:
        if source is not None:
            opaque_effect(op, source, mode="read")
        elif target is not None:
            opaque_effect(op, target, mode="write")
        else:
            opaque_effect(op)
        return
    if resolve:
        source, target = resolve_pair(source, target)
    if builder is not None:
        builder.emit(Copy(source, target, op, span=builder.site.span, attrs=attrs))


def _check_eviction(function: str, policy: object) -> None:
    if policy is not None and not is_unknown(policy) and policy not in _EVICTION:
        invalid(function, "eviction_policy", "'evict_normal', 'evict_first' or 'evict_last'", describe(policy))


def _check_width(function: str, width: object) -> None:
    number = const_int(width)
    if isinstance(width, (float, str)) or (number is not None and number <= 0):
        invalid(function, "coalesced_width", "a positive integer", describe(width))


def _check_mask(function: str, mask: object) -> None:
    number = const_int(mask)
    if isinstance(mask, (float, str)) or (number is not None and number <= 0):
        invalid(function, "cluster_mask", "a positive integer", describe(mask))

"""Layouts that the source gives by hand: ``T.annotate_layout`` and ``loop_layout=``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tilelang.ir.arith import try_const
from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.dtype import DType
from tilelang.ir.expr import Load, const_int
from tilelang.ir.layout import fractal, metadata, swizzles, tensor_memory
from tilelang.ir.layout.digits import Sum, bitwise, of
from tilelang.ir.layout.fragment import REP, Fragment, fully_replicated, unused_digits
from tilelang.ir.layout.layout import Layout, linear_layout
from tilelang.language import layouts as given
from tilelang.passes.layouts.indices import Indexing, is_plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def annotated_layout(value: object, buffer: Buffer | None = None) -> Layout | Fragment | None:
    """The layout that a value stands for; ``None`` if it cannot be followed."""
    if isinstance(value, (Layout, Fragment)):
        return value
    if isinstance(value, given.Layout):
        return _layout(value)
    if isinstance(value, given.Fragment):
        return _fragment(value)
    if isinstance(value, given.NamedLayout):
        return _named(value)
    return None


def _layout(value: given.Layout) -> Layout | None:
    shape, index = _extents(value.shape), value.index
    if shape is None or index is None:
        return None
    outputs = _sums(index, shape, 1)
    return None if outputs is None else Layout(shape, outputs)


def _fragment(value: given.Fragment) -> Fragment | None:
    shape, copies = _extents(value.shape), const_int(value.copies)
    if shape is None or copies is None or value.thread is None:
        return None
    thread = _sums(value.thread, shape, copies)
    if thread is None or len(thread) != 1:
        return None
    index = (unused_digits(shape, thread),) if value.index is None else _sums(value.index, shape, copies)
    if index is None or any(one.key == REP for output in index for one in output.inputs()):
        return None
    return Fragment(shape, thread[0], index, copies)


def _extents(shape: object) -> tuple[int, ...] | None:
    if not isinstance(shape, (tuple, list)):
        return None
    numbers = tuple(map(try_const, cast("tuple[object, ...]", shape)))
    return None if None in numbers else cast("tuple[int, ...]", numbers)


def _sums(trace: given.Trace, shape: tuple[int, ...], copies: int) -> tuple[Sum, ...] | None:
    loops = {var: (dim, extent) for dim, (var, extent) in enumerate(zip(trace.inputs, shape, strict=True))}
    if trace.replica is not None:
        loops[trace.replica] = (REP, copies)
    indexing = Indexing(loops, {})
    outputs = tuple(map(indexing.sum_of, trace.outputs))
    return outputs if all(map(is_plain, outputs)) else None


# --- layouts by name ------------------------------------------------------------------------------------------


def _named(value: given.NamedLayout) -> Layout | Fragment | None:
    options: dict[str, Any] = dict(value.options)
    first = value.args[0] if value.args else None
    if isinstance(first, (Region, Load)):
        first = first.buffer
    if isinstance(first, Buffer):
        return _of_buffer(value.name, first, value.args[1:], options)
    if value.name in ("gemm_fragment_8x8", "gemm_fragment_8x8_transposed"):
        row, column = (0, 1) if value.name == "gemm_fragment_8x8" else (1, 0)
        lane = of(row, 8) * 4 + of(column, 8) // 2
        return Fragment((8, 8), lane, (of(column, 8) % 2,))
    base = annotated_layout(first)
    return None if base is None else _derived(value.name, base, value.args[1:], options)


def _of_buffer(
    name: str, buffer: Buffer, args: tuple[object, ...], options: Mapping[str, Any]
) -> Layout | Fragment | None:
    shape = _extents(buffer.shape)
    if shape is None:
        return None
    if name == "linear":
        return linear_layout(shape)
    if name == "fully_replicated":
        threads = const_int(args[0]) if args else None
        return None if threads is None else fully_replicated(shape, threads)
    if name == "cutlass_metadata":
        return _metadata(buffer, shape, args, options)
    if name == "blockscaled_accumulator":
        return _blockscaled(buffer, shape, args)
    maker = _MAKERS.get(name)
    if maker is None or len(shape) < 2:
        return None
    return swizzles.of_buffer(maker(shape[-2], shape[-1], buffer.dtype.bits, options), shape)


def _swizzled(rows: int, columns: int, bits: int, options: Mapping[str, Any]) -> Layout | None:
    make = swizzles.matrix_swizzle if options.get("allow_pad", True) else swizzles.unpadded_swizzle
    return make(rows, columns, bits, bool(options.get("k_major", True)))


def _unpadded(rows: int, columns: int, bits: int, options: Mapping[str, Any]) -> Layout | None:
    side = const_int(options.get("continuity")) or columns
    return swizzles.unpadded_swizzle(rows, columns, bits, bool(options.get("k_major", True)), side)


def _unpadded_narrow(rows: int, columns: int, bits: int, options: Mapping[str, Any]) -> Layout | None:
    """The ``tcgen05`` of sm_100 has no 64-bit types."""
    return None if bits == 64 else _unpadded(rows, columns, bits, options)


def _volta(rows: int, columns: int, bits: int, options: Mapping[str, Any]) -> Layout | None:
    return swizzles.volta_swizzle(rows, columns, bool(options.get("is_a", True)), bool(options.get("k_inner", True)))


def _by_row(rows: int, columns: int, bits: int, options: Mapping[str, Any]) -> Layout | None:
    """16-byte units of a row swizzled by the row number, over at most 128 bytes; rows stay where they are."""
    i, j = of(0, rows), of(1, columns)
    if options.get("is_smooth") or columns * bits % 512:
        return Layout((rows, columns), (i, j))
    unit = swizzles.UNIT_BITS // bits
    width = min(columns * bits // swizzles.UNIT_BITS, swizzles.FULL)
    if swizzles.ROWS % width:
        return None
    swizzled = bitwise("^", j // unit % width, i % swizzles.ROWS // (swizzles.ROWS // width))
    return None if swizzled is None else Layout((rows, columns), (j // unit // width, i, swizzled * unit + j % unit))


def _by_bank(rows: int, columns: int, bits: int, options: Mapping[str, Any]) -> Layout | None:
    group = const_int(options.get("vecSize", 8))
    return None if not group else swizzles.matrix_core_swizzle(rows, columns, bits, group)


def _along_rows(rows: int, columns: int, bits: int, options: Mapping[str, Any]) -> Layout | None:
    return fractal.by_column(rows, columns, bits) if _is_aligned(columns, options) else None


def _along_columns(rows: int, columns: int, bits: int, options: Mapping[str, Any]) -> Layout | None:
    return fractal.by_row(rows, columns, bits) if _is_aligned(rows, options) else None


def _is_aligned(depth: int, options: Mapping[str, Any]) -> bool:
    align = const_int(options.get("k_align", 1))
    return bool(align) and depth % (align or 1) == 0


def _metadata(
    buffer: Buffer, shape: tuple[int, ...], args: tuple[object, ...], options: Mapping[str, Any]
) -> Layout | None:
    operand, arch = DType.parse(args[0]), args[1]
    if operand is None or not isinstance(arch, str) or len(shape) != 2:
        return None
    major = arch.removeprefix("sm_")[:1] if "." in arch else arch.removeprefix("sm_")[:-1]
    if major == "8":
        return metadata.ampere(shape[0], shape[1], buffer.dtype.bits)
    block_k = const_int(options.get("block_k"))
    return metadata.hopper(shape[0], shape[1], operand.bits, block_k) if block_k and major.isdigit() else None


def _blockscaled(buffer: Buffer, shape: tuple[int, ...], args: tuple[object, ...]) -> Layout | None:
    operand = args[0]
    operand = operand.buffer if isinstance(operand, (Region, Load)) else operand
    if not isinstance(operand, Buffer) or operand.dtype.bits > 8 or len(shape) < 2:
        return None
    kind = "bytes" if operand.dtype.is_integer else "narrow"
    atom = tensor_memory.select_atom(shape[-2], shape[-1], kind, stationary=False)
    return None if atom is None else tensor_memory.accumulator(shape, atom, buffer.dtype.bits)


_MAKERS: dict[str, Callable[[int, int, int, Mapping[str, Any]], Layout | None]] = {
    "swizzled": _swizzled,
    "wgmma_swizzled": _unpadded,
    "tcgen05mma_swizzled": _unpadded_narrow,
    "volta_swizzled": _volta,
    "mma_swizzle": _by_row,
    "mfma_swizzle": _by_bank,
    "ascend_nz": lambda rows, columns, bits, _: fractal.by_column(rows, columns, bits),
    "ascend_major_k": _along_rows,
    "ascend_major_mn": _along_columns,
    "ascend_l0c": lambda rows, columns, bits, _: fractal.accumulator(rows, columns),
    "ascend_sf": lambda rows, columns, bits, _: fractal.scales(rows, columns, bits),
    "full_bank_swizzled": lambda rows, columns, bits, _: swizzles.bank_swizzle(rows, columns, bits, swizzles.FULL),
    "half_bank_swizzled": lambda rows, columns, bits, _: swizzles.bank_swizzle(rows, columns, bits, swizzles.HALF),
    "quarter_bank_swizzled": lambda rows, columns, bits, _: swizzles.bank_swizzle(
        rows, columns, bits, swizzles.QUARTER
    ),
}


# --- methods of layouts ---------------------------------------------------------------------------------------


def _derived(
    name: str, base: Layout | Fragment, args: tuple[object, ...], options: Mapping[str, Any]
) -> Layout | Fragment | None:
    def argument(position: int, keyword: str, default: object = None) -> object:
        return args[position] if position < len(args) else options.get(keyword, default)

    if isinstance(base, Fragment):
        if name == "repeat":
            repeats = _extents(argument(0, "repeats"))
            if repeats is None or len(repeats) != len(base.shape):
                return None
            on_threads, last_first = argument(1, "repeat_on_thread", False), argument(2, "lower_dim_first", True)
            return base.repeat(repeats, on_threads=bool(on_threads), last_first=bool(last_first))
        if name == "replicate":
            times = const_int(argument(0, "replicate"))
            return None if times is None else base.replicated(times)
        return base.condensed() if name == "condense_rep_var" else None
    if name == "repeat":
        dim, factor = const_int(argument(0, "dim")), const_int(argument(1, "factor"))
        return None if dim is None or factor is None else base.repeat(dim, factor)
    if name == "expand":
        leading = _extents(argument(0, "leading_shape"))
        return None if leading is None else base.expand(leading)
    if name == "reshape":
        shape = _extents(argument(0, "shape"))
        return None if shape is None else base.reshape(shape)
    return base.inverse() if name == "inverse" else None

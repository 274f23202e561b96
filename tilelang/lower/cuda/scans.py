"""Scans of tiles in shared memory: each warp takes rows in turn, 32 elements at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.arith import try_const
from tilelang.ir.layout.layout import row_major
from tilelang.lower import tir
from tilelang.lower.cuda.copies import box_of
from tilelang.lower.unsupported import Unsupported

if TYPE_CHECKING:
    from tilelang.ir.stmt import Scan
    from tilelang.lower.cuda.kernel import KernelLowering


def lower_scan(kernel: KernelLowering, stmt: Scan) -> list[tir.Stmt]:
    """``T.cumsum`` and ``T.cummax`` along one dimension. Source and destination are row-major (layout inference sees to
    that)."""
    source, target = stmt.src.buffer, stmt.dst.buffer
    if not (source.is_shared and target.is_shared):
        raise Unsupported(f"T.{stmt.op} works on tiles in shared memory and on fragments", stmt.span)
    if stmt.op not in ("cumsum", "cummax"):
        raise Unsupported(f"the scan {stmt.op} is not supported", stmt.span)
    box = box_of(stmt.src)
    dim = stmt.dim % len(box)
    length = box[dim][1]
    rows = 1
    for number, (_, extent) in enumerate(box):
        if number != dim:
            rows *= extent
    first, threads = kernel.active(stmt)
    thread = kernel.thread - first if first else kernel.thread
    offsets: list[tuple[tir.Expr, tuple[int, ...]]] = []
    for region in (stmt.src, stmt.dst):
        shape = [try_const(extent) or 1 for extent in region.buffer.shape]
        strides = row_major(shape)
        starts = [kernel.index(start) for start in region.mins]
        base = tir.const(0)
        for start, stride in zip(starts, strides, strict=True):
            base = base + start * stride
        offsets.append((base, strides))

    def row(index: tir.Expr) -> list[tir.Stmt]:
        pointers: list[tir.Expr] = []
        for region, (base, strides) in zip((stmt.src, stmt.dst), offsets, strict=True):
            rest, place = index, base
            for number in reversed(range(len(box))):
                if number == dim:
                    continue
                extent = box[number][1]
                place = place + tir.tirx.truncmod(rest, tir.const(extent)) * strides[number]
                rest = tir.tirx.truncdiv(rest, tir.const(extent))
            pointers.append(tir.address(kernel.memory.place(region.buffer).array, place))
        reverse = "true" if stmt.reverse is True or try_const(stmt.reverse) == 1 else "false"
        strides = [strides[dim] for _, strides in offsets]
        name = f"tl::scan_row<tl::{'Add' if stmt.op == 'cumsum' else 'Max'}, {reverse}>"
        args = (*pointers, tir.const(length), *map(tir.const, strides), tir.tirx.bitwise_and(thread, tir.const(31)))
        return [tir.run(tir.extern("void", name, *args))]

    warps = max(threads // 32, 1)
    warp = tir.tirx.shift_right(thread, tir.const(5))

    def turn(number: tir.Expr) -> list[tir.Stmt]:
        index = number * warps + warp
        code = row(index)
        return code if rows % warps == 0 else [tir.branch(tir.tirx.LT(index, tir.const(rows)), code)]

    return tir.loop(kernel.fresh("r"), -(-rows // warps), turn)

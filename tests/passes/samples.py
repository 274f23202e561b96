"""Small kernels as tile IR, built by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.dtype import FLOAT32, INT32, DType, dtype
from tilelang.ir.expr import Binary, Operand, Slice, Var
from tilelang.ir.program import Program
from tilelang.ir.stmt import Alloc, Copy, Fill, For, Gemm, Launch, Reduce, Stmt

if TYPE_CHECKING:
    from collections.abc import Sequence

F16 = dtype("float16")


def tensor(name: str, *shape: int, of: DType = F16) -> Buffer:
    return Buffer(name, shape, of)


def shared(name: str, *shape: int, of: DType = F16) -> Buffer:
    return Buffer(name, shape, of, "shared.dyn")


def fragment(name: str, *shape: int, of: DType = FLOAT32) -> Buffer:
    return Buffer(name, shape, of, "local.fragment")


def whole(buffer: Buffer) -> Region:
    return Region(buffer, None, (0,) * buffer.rank, buffer.shape)


def box(buffer: Buffer, *parts: tuple[Operand, int]) -> Region:
    """Start and extent of each dimension."""
    starts = tuple(start for start, _ in parts)
    return Region(buffer, tuple(Slice(start, None) for start in starts), starts, tuple(size for _, size in parts))


def times(a: Operand, b: Operand) -> Binary:
    return Binary(INT32, "*", a, b)


def loop_var(name: str) -> Var:
    return Var(INT32, name, "loop")


def copy(src: Buffer | Region, dst: Buffer | Region) -> Copy:
    return Copy(
        src if isinstance(src, Region) else whole(src),
        dst if isinstance(dst, Region) else whole(dst),
    )


def gemm(a: Buffer, b: Buffer, c: Buffer, **options: object) -> Gemm:
    return Gemm(whole(a), whole(b), whole(c), **options)  # type: ignore[arg-type]  # fields of Gemm


def reduce(src: Buffer, dst: Buffer, dim: int, op: str = "sum") -> Reduce:
    return Reduce(op, whole(src), whole(dst), dim)


def pipelined(var: Var, trips: Operand, num_stages: int, *body: Stmt) -> For:
    return For("pipelined", (var,), (0,), (trips,), body, attrs=(("num_stages", num_stages),))  # type: ignore[arg-type]


def serial(var: Var, trips: int, *body: Stmt) -> For:
    return For("serial", (var,), (0,), (trips,), body)


def program(buffers: Sequence[Buffer], *body: Stmt, threads: int = 128, params: Sequence[Buffer] = ()) -> Program:
    """One launch of 8 x 8 blocks that allocates ``buffers`` and runs ``body``."""
    block_vars = (Var(INT32, "bx", "block"), Var(INT32, "by", "block"))
    thread = Var(INT32, "tx", "thread")
    allocs = tuple(Alloc(buffer) for buffer in buffers)
    return Program("kernel", tuple(params), (Launch((8, 8), (threads,), block_vars, (thread,), (*allocs, *body)),))


def matmul(
    num_stages: int = 3,
    tile: tuple[int, int, int] = (128, 128, 32),
    threads: int = 128,
    trips: int = 32,
    epilogue: bool = True,
) -> Program:
    """``C = A @ B`` with staged tiles and an epilogue through shared memory."""
    m, n, k = tile
    a, b, c = tensor("A", 8 * m, trips * k), tensor("B", trips * k, 8 * n), tensor("C", 8 * m, 8 * n)
    a_shared, b_shared, c_shared = shared("A_shared", m, k), shared("B_shared", k, n), shared("C_shared", m, n)
    c_local = fragment("C_local", m, n)
    ko = loop_var("ko")
    main = pipelined(
        ko,
        trips,
        num_stages,
        copy(box(a, (0, m), (times(ko, k), k)), a_shared),
        copy(box(b, (times(ko, k), k), (0, n)), b_shared),
        gemm(a_shared, b_shared, c_local),
    )
    tail: tuple[Stmt, ...] = (copy(c_local, box(c, (0, m), (0, n))),)
    if epilogue:
        tail = (copy(c_local, c_shared), copy(c_shared, box(c, (0, m), (0, n))))
    buffers = (a_shared, b_shared, c_local, *((c_shared,) if epilogue else ()))
    return program(buffers, Fill(whole(c_local), 0), main, *tail, threads=threads, params=(a, b, c))

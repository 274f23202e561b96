"""Allocations inside a kernel: shared memory, registers, barriers, tensor memory.

Each function returns a :class:`~tilelang.ir.buffer.Buffer`, named after the Python name it is assigned to, and emits
an :class:`~tilelang.ir.stmt.Alloc`. Extents are compile-time constants; the rule ``dynamic-tile-shape`` checks that.
Outside ``with T.Kernel(...)`` an allocation is a ``kernel-outside-context`` problem.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

from tilelang.ir.buffer import Buffer, Dim
from tilelang.ir.builder import current
from tilelang.ir.dtype import DType
from tilelang.ir.dtype import dtype as named
from tilelang.ir.expr import Expr, Operand
from tilelang.ir.stmt import Alloc
from tilelang.ir.unknown import Unknown
from tilelang.language.arith import operand
from tilelang.language.context import describe, here, in_launch, invalid, is_text, is_unknown, target_name
from tilelang.language.convert import check_magnitude, check_range
from tilelang.language.dtypes import to_dtype
from tilelang.language.tensors import buffer, storage_dtype, to_shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tilelang.language.values import DTypeLike, Shape, Tile, Value

ReducerOp = Literal["sum", "max", "min", "bitand", "bitor", "bitxor"]
DescKind = Literal["wgmma", "tcgen05_smem", "tcgen05_instr"]

_REDUCER_OPS = ("sum", "max", "min", "bitand", "bitor", "bitxor")
_UINT64 = named("uint64")
_UINT32 = named("uint32")


def allocate_buffer(
    shape: tuple[Dim, ...],
    dtype: DType,
    scope: str,
    *,
    default_name: str = "buffer",
    init: Operand | None = None,
    attrs: tuple[tuple[str, object], ...] = (),
) -> Any:
    """Make a buffer and emit its allocation."""
    made = Buffer(target_name(default_name), shape, dtype, scope, attrs=attrs, span=here())
    builder = current()
    if builder is not None:
        builder.emit(Alloc(made, init, span=builder.site.span))
    return made


def _scope(function: str, scope: object, default: str) -> str:
    if isinstance(scope, str):
        return scope
    if not is_unknown(scope):
        invalid(function, "scope", "the name of a memory scope", describe(scope))
    return default


def alloc_shared(shape: Shape, dtype: DTypeLike, scope: str = "shared.dyn") -> Tile:
    """A tile in shared memory, visible to all threads of the block.

    ``bool`` tiles lie in static shared memory (scope ``shared``), whatever ``scope`` says. Inside ``T.Pipelined`` loops
    a tile that is filled in one iteration and used in the next is kept ``num_stages`` times.
    """
    in_launch("T.alloc_shared")
    element = to_dtype("T.alloc_shared", dtype)
    where = "shared" if element.is_bool else _scope("T.alloc_shared", scope, "shared.dyn")
    return allocate_buffer(to_shape("T.alloc_shared", shape), element, where, default_name="shared")


def alloc_fragment(shape: Shape, dtype: DTypeLike, scope: str = "local.fragment") -> Tile:
    """A tile in the registers of all threads of the block together; the compiler decides who holds which element."""
    in_launch("T.alloc_fragment")
    where = _scope("T.alloc_fragment", scope, "local.fragment")
    element = to_dtype("T.alloc_fragment", dtype)
    return allocate_buffer(to_shape("T.alloc_fragment", shape), element, where, default_name="fragment")


def alloc_local(shape: Shape, dtype: DTypeLike, scope: str = "local") -> Tile:
    """An array that every thread has for itself."""
    in_launch("T.alloc_local")
    where = _scope("T.alloc_local", scope, "local")
    element = to_dtype("T.alloc_local", dtype)
    return allocate_buffer(to_shape("T.alloc_local", shape), element, where, default_name="local")


def alloc_global(shape: Shape, dtype: DTypeLike, scope: str = "global") -> Tile:
    """A workspace in global memory that lives as long as the call of the kernel."""
    where = _scope("T.alloc_global", scope, "global")
    element = to_dtype("T.alloc_global", dtype)
    return allocate_buffer(to_shape("T.alloc_global", shape), element, where, default_name="workspace")


def alloc_var(dtype: DTypeLike, *args: Any, scope: str = "local.var", init: Value | None = None) -> Tile:
    """A variable of one element that every thread has for itself; assigning to its name stores into it.

    ``T.alloc_var(dtype)``, ``T.alloc_var(dtype, init)``, ``T.alloc_var(dtype, init, scope)`` or
    ``T.alloc_var(dtype, scope)`` with a string. An initial value is given once, and fits the type.
    """
    in_launch("T.alloc_var")
    given: list[object] = [] if init is None else [init]
    where: object = scope
    if len(args) > 2:
        invalid("T.alloc_var", "args", "at most an initial value and a scope", f"{len(args)} values")
    elif len(args) == 2:
        given.append(args[0])
        where = args[1]
    elif args and is_text(args[0]):
        where = args[0]
    elif args:
        given.append(args[0])
    if len(given) > 1:
        invalid("T.alloc_var", "init", "given once", "given twice")
    element = storage_dtype("T.alloc_var", dtype)
    value: Operand | None = None
    if given:
        found = operand(given[0])
        value = None if isinstance(found, Unknown) else found
        check_range("T.alloc_var", "init", given[0], element)
        check_magnitude("T.alloc_var", "init", given[0], element)
    attrs = (("init", given[0]),) if given and value is None else ()
    where = _scope("T.alloc_var", where, "local.var")
    return allocate_buffer((1,), element, where, default_name="var", init=value, attrs=attrs)


def alloc_reducer(shape: Shape, dtype: DTypeLike, op: ReducerOp = "sum", replication: str | None = None) -> Tile:
    """An accumulator for ``T.reducer_update`` in ``T.Parallel`` loops, combined by ``T.finalize_reducer``.

    ``op``: sum, max, min, or bitand, bitor, bitxor on integers. ``replication`` (``all`` or ``none``) selects the older
    reducer, a fragment that is updated in place; it knows sum, max and min only.
    """
    in_launch("T.alloc_reducer")
    element = to_dtype("T.alloc_reducer", dtype)
    if isinstance(op, str) and op not in _REDUCER_OPS:  # pyright: ignore[reportUnnecessaryIsInstance]
        invalid("T.alloc_reducer", "op", "one of sum, max, min, bitand, bitor, bitxor", describe(op))
    bitwise = op in ("bitand", "bitor", "bitxor")
    if bitwise and element.is_known and element.is_float:
        invalid("T.alloc_reducer", "dtype", f"an integer dtype for op={op!r}", describe(element))
    if bitwise and replication is not None and not is_unknown(replication):
        invalid("T.alloc_reducer", "replication", f"left out for op={op!r}", describe(replication))
    elif isinstance(replication, str) and replication not in ("all", "none"):
        invalid("T.alloc_reducer", "replication", "'all' or 'none'", describe(replication))
    attrs: tuple[tuple[str, object], ...] = (("reducer", op),)
    if replication is not None:
        attrs = (*attrs, ("replication", replication))
    where = "local.reducer" if replication is None else "local.fragment"
    return allocate_buffer(to_shape("T.alloc_reducer", shape), element, where, default_name="reducer", attrs=attrs)


def _barriers(function: str, arrive_count: object, scope: str) -> Any:
    in_launch(function)
    counts: tuple[object, ...] = (arrive_count,)
    shape: tuple[Dim, ...] = (1,)
    if isinstance(arrive_count, (tuple, list)):
        counts = tuple(cast("Iterable[object]", arrive_count))
        shape = (len(counts),)
    elif isinstance(arrive_count, Unknown):
        shape = to_shape(function, arrive_count)
    for count in counts:
        if not isinstance(count, (int, Expr)) and not is_unknown(count):
            invalid(function, "arrive_count", "a number of threads, or a list of them", describe(count))
            break
    attrs = (("arrive_counts", counts),)
    return allocate_buffer(shape, _UINT64, scope, default_name="barrier", attrs=attrs)


def alloc_barrier(arrive_count: int | Sequence[int]) -> Tile:
    """Barriers in shared memory, one for each arrive count: how many threads arrive before the barrier opens."""
    return _barriers("T.alloc_barrier", arrive_count, "shared.barrier")


def alloc_cluster_barrier(arrive_count: int | Sequence[int]) -> Tile:
    """Barriers that the blocks of a cluster share, one for each arrive count."""
    return _barriers("T.alloc_cluster_barrier", arrive_count, "shared.cluster_barrier")


def alloc_tmem(shape: Shape, dtype: DTypeLike) -> Tile:
    """A tile in the tensor memory of Blackwell: at least two dimensions, the last two being rows (lanes) and columns.

    Tensor memory has 128 lanes of 512 columns of 32 bits; the rule ``tensor-memory-overflow`` counts them.
    """
    in_launch("T.alloc_tmem")
    extents = to_shape("T.alloc_tmem", shape)
    if len(extents) < 2 and not is_unknown(shape):
        invalid("T.alloc_tmem", "shape", "two or more extents", f"{len(extents)} extent")
    return allocate_buffer(extents, to_dtype("T.alloc_tmem", dtype), "shared.tmem", default_name="tmem")


def alloc_descriptor(kind: DescKind = "wgmma", dtype: DTypeLike = _UINT64) -> Tile:
    """A matrix descriptor for ``wgmma`` or ``tcgen05`` instructions."""
    in_launch("T.alloc_descriptor")
    scope = f"local.descriptor.{kind}"
    return allocate_buffer((1,), to_dtype("T.alloc_descriptor", dtype), scope, default_name="descriptor")


def alloc_wgmma_desc(dtype: DTypeLike = _UINT64) -> Tile:
    """A shared-memory descriptor for ``wgmma``."""
    return alloc_descriptor("wgmma", dtype)


def alloc_tcgen05_smem_desc(dtype: DTypeLike = _UINT64) -> Tile:
    """A shared-memory descriptor for ``tcgen05`` instructions."""
    return alloc_descriptor("tcgen05_smem", dtype)


def alloc_tcgen05_instruction_desc(dtype: DTypeLike = _UINT32) -> Tile:
    """An instruction descriptor for ``tcgen05`` instructions."""
    return alloc_descriptor("tcgen05_instr", dtype)


def alloc_tcgen05_instr_desc(dtype: DTypeLike = _UINT32) -> Tile:
    """A shorter name of :func:`alloc_tcgen05_instruction_desc`."""
    return alloc_tcgen05_instruction_desc(dtype)


def alloc_buffer(
    shape: Shape, dtype: DTypeLike = "float32", scope: str = "global", annotations: dict[str, Any] | None = None
) -> Tile:
    """A buffer in any memory scope, as TVM script declares it."""
    where = _scope("T.alloc_buffer", scope, "global")
    return allocate_buffer(to_shape("T.alloc_buffer", shape), to_dtype("T.alloc_buffer", dtype), where)


def allocate(
    shape: Shape, dtype: DTypeLike = "float32", scope: str = "global", annotations: dict[str, Any] | None = None
) -> Tile:
    """Another name of :func:`alloc_buffer`."""
    return alloc_buffer(shape, dtype, scope, annotations)


def sblock_alloc_buffer(
    shape: Shape,
    dtype: DTypeLike = "float32",
    data: Any = None,
    strides: Shape | None = None,
    elem_offset: Any = None,
    scope: str = "global",
    align: int = -1,
    offset_factor: int = 0,
    buffer_type: str = "default",
    axis_separators: Any = None,
) -> Tile:
    """A buffer that belongs to the enclosing block, as TVM script declares it."""
    return alloc_buffer(shape, dtype, scope)


def decl_buffer(
    shape: Shape,
    dtype: DTypeLike = "float32",
    data: Any = None,
    strides: Shape | None = None,
    elem_offset: Any = None,
    scope: str = "global",
    align: int = 0,
    offset_factor: int = 0,
    buffer_type: str = "",
    axis_separators: Any = None,
) -> Tile:
    """A buffer over the storage of ``data``, or with storage of its own if there is none."""
    if data is None:
        return alloc_buffer(shape, dtype, scope)
    return buffer(shape, dtype, data, strides, scope=scope)

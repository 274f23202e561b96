"""Launching a kernel: the grid, the threads of a block and their indices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tilelang.ir.builder import current
from tilelang.ir.expr import Expr, Var, const_int
from tilelang.ir.unknown import UNKNOWN, Unknown
from tilelang.language.arith import operand
from tilelang.language.context import describe, effect, here, in_launch, invalid, is_unknown, span_of
from tilelang.language.frames import LaunchFrame, ThreadFrame
from tilelang.language.regions import unknown_var

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tilelang.ir.buffer import Dim
    from tilelang.ir.stmt import Attrs
    from tilelang.language.values import Scalar, Value

DEFAULT_THREADS = 128


def Kernel(
    *blocks: Any,
    threads: int | Sequence[int] | None = None,
    prelude: str | None = None,
    cluster_dims: int | Sequence[int] | None = None,
) -> LaunchFrame:
    """Launch a grid of blocks: ``with T.Kernel(T.ceildiv(N, 128), threads=128) as bx``.

    ``blocks``: one to three extents of the grid; the names after ``as`` are the block indices in the same order.
    ``threads``: threads of a block, or up to three extents; 128 if left out. ``prelude``: CUDA source that is placed
    before the kernel. ``cluster_dims``: shape of a thread block cluster (sm_90 and later).
    """
    return _launch("T.Kernel", blocks, threads, prelude, cluster_dims, "Kernel")


def ClusterKernel(
    *blocks: Any,
    cluster_dims: int | Sequence[int],
    threads: int | Sequence[int] | None = None,
    prelude: str | None = None,
) -> LaunchFrame:
    """Like :func:`Kernel`, with a thread block cluster of ``cluster_dims`` blocks (sm_90 and later)."""
    return _launch("T.ClusterKernel", blocks, threads, prelude, cluster_dims, "ClusterKernel")


def CUDASourceCodeKernel(
    *blocks: Any,
    threads: int | Sequence[int] | None = None,
    source_code_or_path: Any,
    entry_name: str = "main_kernel",
    cluster_dims: int | Sequence[int] | None = None,
    prelude: str | None = None,
) -> None:
    """Launch a ``__global__`` function of CUDA source text or of a source file. The body is not analysed."""
    if isinstance(source_code_or_path, str) and not source_code_or_path.strip():
        invalid("T.CUDASourceCodeKernel", "source_code_or_path", "CUDA source or a path", "an empty string")
    if isinstance(entry_name, str) and not entry_name.strip():  # pyright: ignore[reportUnnecessaryIsInstance]
        invalid("T.CUDASourceCodeKernel", "entry_name", "the name of a kernel", "an empty string")
    frame = _launch("T.CUDASourceCodeKernel", blocks, threads, prelude, cluster_dims, "CUDASourceCodeKernel")
    builder = current()
    if builder is not None:
        frame.enter(builder, ())
        effect("cuda_source", entry_name, attrs=(("source", source_code_or_path),), modelled=False)
        frame.exit(builder)


def _launch(
    function: str, blocks: tuple[object, ...], threads: object, prelude: object, cluster_dims: object, launcher: str
) -> LaunchFrame:
    if len(blocks) == 1 and isinstance(blocks[0], (tuple, list)):
        blocks = tuple(cast("Iterable[object]", blocks[0]))
    if len(blocks) > 3:
        invalid(function, "blocks", "at most three extents", f"{len(blocks)} extents")
    attrs: Attrs = (("launcher", launcher),)
    if threads is None:
        attrs += (("default_threads", True),)
    cluster = _cluster(function, cluster_dims)
    if cluster is not None:
        attrs += (("cluster_dims", cluster),)
    if prelude is not None:
        attrs += (("prelude", prelude),)
    grid = tuple(_extent(function, extent, "blocks") for extent in blocks)
    return LaunchFrame(grid, _threads(function, threads), attrs, span=here())


def _extent(function: str, value: object, argument: str) -> Dim:
    if isinstance(value, int):
        return int(value)
    found = operand(value)
    if isinstance(found, Expr):
        number = const_int(found)
        return found if number is None else number
    if not is_unknown(value):
        invalid(function, argument, "integers", describe(value))
    return unknown_var(here())


def _threads(function: str, threads: object) -> tuple[Dim, ...]:
    """Extents of the block, one for each dimension that the source names."""
    if threads is None:
        return (DEFAULT_THREADS,)
    if isinstance(threads, (tuple, list)):
        entries = tuple(cast("Iterable[object]", threads))
        if len(entries) > 3:
            invalid(function, "threads", "at most three extents", f"{len(entries)} extents")
    else:
        entries = (threads,)
    extents: list[Dim] = []
    for entry in entries:
        found = operand(entry)
        if isinstance(found, (float, Unknown)):
            if not is_unknown(entry):
                invalid(function, "threads", "an integer or up to three of them", describe(entry))
            extents.append(unknown_var(here()))
            continue
        number = const_int(found)
        extents.append(found if number is None and isinstance(found, Expr) else int(number or 0))
    builder = current()
    if builder is not None:
        bad = next((extent for extent in extents if isinstance(extent, int) and extent <= 0), None)
        if bad is not None:
            builder.problem("invalid-block-threads", span_of("threads"), threads=tuple(extents), reason="not-positive")
    return tuple(extents)


def _cluster(function: str, cluster_dims: object) -> object:
    """The shape of the cluster as three numbers; ``None`` for no cluster or a cluster of one block."""
    if cluster_dims is None:
        return None
    if isinstance(cluster_dims, (tuple, list)):
        entries = tuple(cast("Iterable[object]", cluster_dims))
        dims = entries + (1,) * (3 - len(entries))
    elif isinstance(cluster_dims, (int, Expr)):
        dims = (cluster_dims, 1, 1)
    else:
        if not isinstance(cluster_dims, Unknown):
            invalid(function, "cluster_dims", "an integer or up to three of them", describe(cluster_dims))
        return UNKNOWN
    return None if dims == (1, 1, 1) else dims


# --- indices of blocks and threads ----------------------------------------------------------------------------------


def _index(function: str, variables: str, dim: object) -> Any:
    builder = in_launch(function)
    if builder is None or builder.launch is None:
        return UNKNOWN
    found: tuple[Var, ...] = getattr(builder.launch, variables)
    number = const_int(dim)
    if number is None:
        if not is_unknown(dim):
            invalid(function, "dim", "0, 1 or 2", describe(dim))
        return UNKNOWN
    if not 0 <= number <= 2:
        invalid(function, "dim", "0, 1 or 2", str(number))
        return UNKNOWN
    return found[number] if number < len(found) else 0


def get_thread_binding(dim: int = 0) -> Scalar:
    """The index of the thread in its block along one dimension: 0 is x, 1 is y, 2 is z. An ``int32``."""
    return _index("T.get_thread_binding", "thread_vars", dim)


def get_thread_bindings() -> Any:
    """The three indices of the thread in its block, x first. Dimensions that the launch does not name are 0."""
    return tuple(_index("T.get_thread_bindings", "thread_vars", dim) for dim in range(3))


def get_block_binding(dim: int = 0) -> Scalar:
    """The index of the block in the grid along one dimension: 0 is x, 1 is y, 2 is z. An ``int32``."""
    return _index("T.get_block_binding", "block_vars", dim)


def get_block_bindings() -> Any:
    """The indices of the block in the grid, x first."""
    builder = in_launch("T.get_block_bindings")
    return UNKNOWN if builder is None or builder.launch is None else builder.launch.block_vars


def get_thread_extent(dim: int = 0) -> int:
    """Threads of the block along one dimension."""
    return _extent_of("T.get_thread_extent", "threads", dim)


def get_thread_extents() -> Any:
    """Threads of the block along x, y and z."""
    return tuple(_extent_of("T.get_thread_extents", "threads", dim) for dim in range(3))


def get_block_extent(dim: int = 0) -> int:
    """Blocks of the grid along one dimension."""
    return _extent_of("T.get_block_extent", "grid", dim)


def get_block_extents() -> Any:
    """Blocks of the grid along x, y and z."""
    return tuple(_extent_of("T.get_block_extents", "grid", dim) for dim in range(3))


def _extent_of(function: str, which: str, dim: object) -> Any:
    builder = in_launch(function)
    number = const_int(dim)
    if builder is None or builder.launch is None or number is None:
        return UNKNOWN
    extents: tuple[object, ...] = getattr(builder.launch, which, ())
    if not extents:
        return UNKNOWN
    return extents[number] if 0 <= number < len(extents) else 1


# --- launches written dimension by dimension ------------------------------------------------------------------------


def thread_binding(
    start: Value, stop: Value | None = None, thread: Any = None, *, annotations: dict[str, Any] | None = None
) -> ThreadFrame:
    """A loop that is one dimension of the launch: ``for tx in T.thread_binding(128, thread="threadIdx.x")``."""
    if thread is None and isinstance(stop, str):
        start, stop, thread = 0, start, stop
    elif stop is None:
        start, stop = 0, start
    return _thread_frame("T.thread_binding", thread, stop)


def launch_thread(thread: Any, extent: Value) -> ThreadFrame:
    """One dimension of the launch: ``with T.launch_thread("blockIdx.x", 16) as bx``."""
    return _thread_frame("T.launch_thread", thread, extent)


def env_thread(thread_tag: str, dtype: str = "int32") -> Any:
    """The name of a launch dimension, for :func:`launch_thread`."""
    return thread_tag


def _thread_frame(function: str, tag: object, extent: object) -> ThreadFrame:
    name = tag if isinstance(tag, str) else "threadIdx.x"
    if isinstance(tag, str) and not tag.startswith(("blockIdx.", "threadIdx.", "vthread")):
        invalid(function, "thread", "blockIdx or threadIdx with .x, .y or .z", describe(tag))
    return ThreadFrame("thread", (0,), (_extent(function, extent, "extent"),), tag=name, span=here())


def thread_return(span: object = None) -> None:
    """Leave the kernel for this thread."""
    effect("thread_return")


KernelLaunchFrame = LaunchFrame

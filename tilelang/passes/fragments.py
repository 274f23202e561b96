"""How fragments are spread over threads, by propagation from gemms and, where none reaches, from plain loops.

This follows the order in which upstream settles layouts: gemms first; then every loop that touches a settled fragment
takes over its map and passes it on; what is left is tried loop by loop, and the attempt with the fewest registers per
thread stays, the first one on a tie. Only whole index variables are followed, so a map may be unknown.
"""

from __future__ import annotations

from math import gcd, prod
from typing import TYPE_CHECKING

from tilelang.ir.arith import try_const
from tilelang.ir.stmt import Copy, For, Gemm, Launch, Reduce, Stmt
from tilelang.ir.visit import children
from tilelang.passes.nests import VECTOR_BITS, nest_of
from tilelang.passes.thread_map import ThreadMap, accumulator_map, operand_map, partition_loop, reshaped

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tilelang.ir.buffer import Buffer
    from tilelang.passes.active_threads import ActiveThreads
    from tilelang.passes.nests import Nest, Touch
    from tilelang.passes.warp_partition import WarpPartition

Maps = dict["Buffer", ThreadMap]


def infer(launch: Launch, active: ActiveThreads, partitions: Mapping[int, WarpPartition]) -> Maps:
    """The map of every fragment that could be settled."""
    nests: list[Nest] = []
    reductions: list[Reduce] = []
    maps: Maps = {}
    for stmt in outer_statements(launch.body):
        if isinstance(stmt, Gemm):
            split = partitions.get(id(stmt))
            if split is not None:
                _from_gemm(stmt, split, active.of(stmt), maps)
        elif isinstance(stmt, Reduce):
            reductions.append(stmt)
        elif isinstance(stmt, Copy) and stmt.src.buffer.scope == "shared.tmem":
            _from_tensor_memory(stmt, maps)
        else:
            nest = nest_of(stmt, active.of(stmt))
            if nest is not None and any(nest.fragments()):
                nests.append(nest)
    _propagate(nests, reductions, maps)
    for members in _components(nests, reductions, maps):
        maps = _best_attempt(members, nests, reductions, maps)
    return maps


def loops_of(nest: Nest, maps: Mapping[Buffer, ThreadMap]) -> ThreadMap | None:
    """Where the iterations of a nest run, once fragments are settled."""
    return _from_settled(nest, maps) or _dealt_out(nest)


def outer_statements(body: Sequence[Stmt]) -> Iterator[Stmt]:
    """Statements in order; parallel loops come whole."""
    for stmt in body:
        yield stmt
        if not (isinstance(stmt, For) and stmt.kind == "parallel"):
            for inner in children(stmt):
                yield from outer_statements(inner)


def _from_gemm(gemm: Gemm, split: WarpPartition, threads: int, maps: Maps) -> None:
    if split.instruction == "scalar":
        for buffer in (gemm.a.buffer, gemm.b.buffer, gemm.c.buffer):
            _deal_out_elements(buffer, threads, maps)
        return
    accumulator, operand = gemm.c.buffer, gemm.a.buffer
    if accumulator.is_fragment and accumulator not in maps:
        found = accumulator_map(split, accumulator.rank)
        if found is not None:
            maps[accumulator] = found
    if operand.is_fragment and operand not in maps and not gemm.trans_a:
        found = operand_map(split, operand.rank, operand.dtype.bits)
        if found is not None:
            maps[operand] = found


def _deal_out_elements(buffer: Buffer, threads: int, maps: Maps) -> None:
    """One element after the other goes to the next thread, in row-major order."""
    shape = [extent for extent in map(try_const, buffer.shape) if extent is not None]
    if buffer.is_fragment and len(shape) == buffer.rank and buffer not in maps:
        found = partition_loop(tuple(shape), 1, threads)
        if found is not None:
            maps[buffer] = found


def _from_tensor_memory(copy: Copy, maps: Maps) -> None:
    fragment = copy.dst.buffer
    rows = try_const(fragment.shape[0]) if fragment.rank == 2 else None
    if fragment.is_fragment and rows is not None and fragment not in maps:
        found = partition_loop((rows,), 1, min(rows, 128))
        if found is not None:
            maps[fragment] = found


# --- propagation ----------------------------------------------------------------------------------------------


def _propagate(nests: Sequence[Nest], reductions: Sequence[Reduce], maps: Maps) -> None:
    """Passes settled maps on until nothing changes."""
    growing = True
    while growing:
        before = len(maps)
        for nest in nests:
            unknown = [touch for touch in nest.fragments() if touch.buffer not in maps]
            if unknown:
                loops = _from_settled(nest, maps)
                if loops is not None:
                    _hand_down(nest, loops, maps)
        for reduction in reductions:
            _reduce(reduction, maps)
        for buffer in _named(nests, reductions):
            if buffer.source is not None:
                _share(buffer, buffer.source, maps)
        growing = len(maps) > before


def _named(nests: Sequence[Nest], reductions: Sequence[Reduce]) -> Iterator[Buffer]:
    for nest in nests:
        yield from (touch.buffer for touch in nest.fragments())
    for each in reductions:
        yield from (end.buffer for end in (each.src, each.dst) if end.buffer.is_fragment)


def _share(view: Buffer, source: Buffer, maps: Maps) -> None:
    """A view and what it views are spread the same way."""
    shapes = [tuple(map(try_const, buffer.shape)) for buffer in (view, source)]
    if view.dtype.total_bits != source.dtype.total_bits or any(None in shape for shape in shapes):
        return
    for here, there, old, new in ((source, view, shapes[1], shapes[0]), (view, source, *shapes)):
        if here in maps and there not in maps:
            found = reshaped(maps[here], old, new)  # type: ignore[arg-type]  # no extent is None
            if found is not None:
                maps[there] = found


def _from_settled(nest: Nest, maps: Mapping[Buffer, ThreadMap]) -> ThreadMap | None:
    """The map of the loops of a nest from a settled fragment in it: one that it writes, else the one with most
    dimensions."""
    best: Touch | None = None
    for touch in nest.fragments():
        if touch.buffer not in maps or not _covers(touch, nest):
            continue
        if best is None or (touch.writes, len(touch.dims)) > (best.writes, len(best.dims)):
            best = touch
    if best is None:
        return None
    return maps[best.buffer].renamed({at: dim for at, dim in enumerate(best.dims) if dim is not None})


def _covers(touch: Touch, nest: Nest) -> bool:
    """Whether a fragment says for every loop of the nest where it runs."""
    dims = {dim for dim in touch.dims if dim is not None}
    return all(dim in dims for dim, extent in enumerate(nest.extents) if extent > 1)


def _hand_down(nest: Nest, loops: ThreadMap, maps: Maps) -> None:
    for touch in nest.fragments():
        if touch.buffer not in maps:
            maps[touch.buffer] = loops.renamed({dim: at for at, dim in enumerate(touch.dims) if dim is not None})


def _reduce(reduction: Reduce, maps: Maps) -> None:
    source, result = reduction.src.buffer, reduction.dst.buffer
    if source in maps and result.is_fragment and result not in maps:
        dim = reduction.dim % max(source.rank, 1)
        if result.rank == source.rank:
            maps[result] = ThreadMap(tuple(digit for digit in maps[source].digits if digit.dim != dim))
        else:
            maps[result] = maps[source].without(dim)


def _components(nests: Sequence[Nest], reductions: Sequence[Reduce], maps: Maps) -> list[frozenset[Buffer]]:
    """Groups of fragments that no gemm settled, joined by the nests and reductions that they share."""
    groups: list[set[Buffer]] = []
    views = [{buffer, buffer.source} for buffer in _named(nests, reductions) if buffer.source is not None]
    links = [*views, *({touch.buffer for touch in nest.fragments()} for nest in nests)]
    links += [{end.buffer for end in (each.src, each.dst) if end.buffer.is_fragment} for each in reductions]
    for link in links:
        touching = [group for group in groups if group & link]
        groups = [group for group in groups if not group & link]
        groups.append(link.union(*touching))
    return [frozenset(group) for group in groups if any(buffer not in maps for buffer in group)]


def _best_attempt(members: frozenset[Buffer], nests: Sequence[Nest], reductions: Sequence[Reduce], maps: Maps) -> Maps:
    """Deals out one nest after the other, whichever goes first costing fewest registers."""
    own = [nest for nest in nests if any(touch.buffer in members for touch in nest.fragments())]
    links = [each for each in reductions if each.src.buffer in members or each.dst.buffer in members]
    best: tuple[int, Maps] | None = None
    for root in own:
        attempt = dict(maps)
        for nest in (root, *own):
            if any(touch.buffer not in attempt for touch in nest.fragments()):
                loops = _dealt_out(nest)
                if loops is not None:
                    _hand_down(nest, loops, attempt)
                    _propagate(own, links, attempt)
        cost = sum(_registers(buffer, attempt) for buffer in members)
        if best is None or cost < best[0]:
            best = cost, attempt
    return maps if best is None else best[1]


def _dealt_out(nest: Nest) -> ThreadMap | None:
    return partition_loop(nest.extents, vector_of(nest), nest.threads)


def vector_of(nest: Nest) -> int:
    """Neighbours that one thread takes together: as many as leave no thread idle."""
    vector = nest.vector or _register_vector(nest)
    if nest.extents:
        vector = gcd(vector, nest.extents[-1])
    while vector > 1 and prod(nest.extents) % (nest.threads * vector):
        vector //= 2
    return vector


def _register_vector(nest: Nest) -> int:
    """Lanes of a loop that touches registers only."""
    widths = [touch.buffer.dtype.total_bits for touch in nest.fragments()]
    return max(VECTOR_BITS // max(max(widths, default=32), 1), 1)


def _registers(buffer: Buffer, maps: Maps) -> int:
    count = buffer.element_count() or 0
    return -(-count // maps[buffer].parts) if buffer in maps else count

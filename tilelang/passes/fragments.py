"""How fragments are spread over threads, by propagation from gemms and, where none reaches, from plain loops.

This follows the order in which upstream settles layouts: gemms first; then every loop that touches a settled fragment
takes over its map and passes it on; what is left is tried loop by loop, and the attempt with the fewest registers per
thread stays, the first one on a tie. Only whole index variables are followed, so a map may be unknown.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING, NamedTuple

from tilelang.ir.arith import affine, try_const
from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.expr import Load, Var
from tilelang.ir.stmt import Atomic, Copy, For, Gemm, Launch, Reduce, Stmt, Store
from tilelang.ir.visit import children, operands, subterms, walk
from tilelang.passes.copy_path import strides_of
from tilelang.passes.thread_map import ThreadMap, accumulator_map, operand_map, partition_loop, reshaped
from tilelang.passes.warp_partition import partition

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tilelang.passes.configs import PassConfigs
    from tilelang.targets import Target

VECTOR_BITS = 128


class Touch(NamedTuple):
    """One access of a loop nest: the loop dimension that runs with each dimension of the buffer, ``None`` for an index
    that is no loop variable (a constant, a sum)."""

    buffer: Buffer
    dims: tuple[int | None, ...]
    writes: bool


class Nest(NamedTuple):
    """A parallel loop nest, written or implied by a copy. A fill adapts to whatever the others settle."""

    extents: tuple[int, ...]
    touches: tuple[Touch, ...]
    vector: int

    def fragments(self) -> Iterator[Touch]:
        return (touch for touch in self.touches if touch.buffer.is_fragment)


Maps = dict[Buffer, ThreadMap]


def infer(launch: Launch, threads: int, target: Target, configs: PassConfigs) -> Maps:
    """The map of every fragment that could be settled."""
    nests: list[Nest] = []
    reductions: list[Reduce] = []
    maps: Maps = {}
    for stmt in _outer_statements(launch.body):
        if isinstance(stmt, Gemm):
            _from_gemm(stmt, threads, target, configs, maps)
        elif isinstance(stmt, Reduce):
            reductions.append(stmt)
        elif isinstance(stmt, Copy) and stmt.src.buffer.scope == "shared.tmem":
            _from_tensor_memory(stmt, maps)
        else:
            nest = _nest_of(stmt)
            if nest is not None and any(nest.fragments()):
                nests.append(nest)
    _propagate(nests, reductions, maps)
    for members in _components(nests, reductions, maps):
        maps = _best_attempt(members, nests, reductions, maps, threads)
    return maps


def _outer_statements(body: Sequence[Stmt]) -> Iterator[Stmt]:
    """Statements in order; parallel loops come whole."""
    for stmt in body:
        yield stmt
        if not (isinstance(stmt, For) and stmt.kind == "parallel"):
            for inner in children(stmt):
                yield from _outer_statements(inner)


def _from_gemm(gemm: Gemm, threads: int, target: Target, configs: PassConfigs, maps: Maps) -> None:
    split = partition(gemm, threads, target, configs)
    if split is None:
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


def _from_tensor_memory(copy: Copy, maps: Maps) -> None:
    fragment = copy.dst.buffer
    rows = try_const(fragment.shape[0]) if fragment.rank == 2 else None
    if fragment.is_fragment and rows is not None and fragment not in maps:
        found = partition_loop((rows,), 1, min(rows, 128))
        if found is not None:
            maps[fragment] = found


# --- loop nests -----------------------------------------------------------------------------------------------


def _nest_of(stmt: Stmt) -> Nest | None:
    if isinstance(stmt, Copy):
        return _implied((stmt.src, stmt.dst), written=stmt.dst)
    if isinstance(stmt, Atomic):
        regions = tuple(part for part in (stmt.dst, stmt.value) if isinstance(part, Region))
        return _implied(regions, written=None) if regions else None
    if isinstance(stmt, For) and stmt.kind == "parallel":
        return _written(stmt)
    return None


def _implied(regions: tuple[Region, ...], written: Region | None) -> Nest | None:
    """The loops of a tile operation: one for each extent above 1, the same for all its boxes."""
    shapes = [_long_extents(region) for region in regions]
    if any(shape is None for shape in shapes) or len(set(shapes)) != 1:
        return None
    touches = [Touch(region.buffer, _long_dims(region), region is written) for region in regions]
    extents = shapes[0] or ()
    vector = gcd(*(_box_vector(region) for region in regions)) or 1
    return Nest(extents, tuple(touches), vector)


def _long_extents(region: Region) -> tuple[int, ...] | None:
    extents = region.extents if region.extents is not None else region.buffer.shape
    numbers = [try_const(extent) for extent in extents]
    if None in numbers:
        return None
    return tuple(number for number in numbers if number is not None and number != 1)


def _long_dims(region: Region) -> tuple[int | None, ...]:
    extents = region.extents if region.extents is not None else region.buffer.shape
    dims: list[int | None] = []
    for extent in extents:
        dims.append(None if try_const(extent) == 1 else sum(dim is not None for dim in dims))
    return tuple(dims)


def _box_vector(region: Region) -> int:
    """Neighbours that one thread moves together: 16 bytes of global or shared memory, 0 for no limit."""
    buffer = region.buffer
    if not (buffer.is_global or buffer.is_shared) or not buffer.shape:
        return 0
    extents = region.extents if region.extents is not None else buffer.shape
    inner = try_const(strides_of(buffer)[-1])
    if inner != 1 or try_const(extents[-1]) == 1:
        return 1
    return max(VECTOR_BITS // max(buffer.dtype.total_bits, 1), 1)


def _written(loop: For) -> Nest | None:
    """A nest of ``T.Parallel`` loops; other loops inside run within one thread."""
    loop_vars: list[Var] = []
    extents: list[int] = []
    body: Sequence[Stmt] = (loop,)
    while len(body) == 1 and isinstance(body[0], For) and body[0].kind == "parallel":
        inner = body[0]
        for var, extent in zip(inner.vars, inner.extents, strict=True):
            number = try_const(extent)
            if number is None:
                return None
            loop_vars.append(var)
            extents.append(number)
        body = inner.body
    places = {var: dim for dim, var in enumerate(loop_vars)}
    touches: list[Touch] = []
    limits: list[int] = []
    for stmt in walk(tuple(body)):
        if isinstance(stmt, Store):
            touches.append(Touch(stmt.buffer, _index_dims(stmt.indices, places), True))
            limits.append(_index_vector(stmt.buffer, stmt.indices, loop_vars))
        for value in operands(stmt):
            for term in subterms(value):
                if isinstance(term, Load):
                    touches.append(Touch(term.buffer, _index_dims(term.indices, places), False))
                    limits.append(_index_vector(term.buffer, term.indices, loop_vars))
    return Nest(tuple(extents), tuple(touches), gcd(*limits) or 0)


def _index_dims(indices: Sequence[object], places: Mapping[Var, int]) -> tuple[int | None, ...]:
    return tuple(places.get(index) if isinstance(index, Var) else None for index in indices)


def _index_vector(buffer: Buffer, indices: Sequence[object], loop_vars: Sequence[Var]) -> int:
    """Like :func:`_box_vector` for an access by index; an access that does not move with the innermost loop is read
    once for all lanes."""
    if not (buffer.is_global or buffer.is_shared) or not loop_vars or not indices:
        return 0
    innermost = loop_vars[-1]
    moving = [innermost in set(_mentioned(index)) for index in indices]
    if not any(moving):
        return 0
    last = affine(indices[-1])
    unit = last.terms.get(frozenset(((innermost, 1),)))
    if any(moving[:-1]) or unit != 1:
        return 1
    return max(VECTOR_BITS // max(buffer.dtype.total_bits, 1), 1)


def _mentioned(index: object) -> Iterator[object]:
    return (term for term in subterms(index) if isinstance(term, Var))


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


def _from_settled(nest: Nest, maps: Maps) -> ThreadMap | None:
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


def _best_attempt(
    members: frozenset[Buffer], nests: Sequence[Nest], reductions: Sequence[Reduce], maps: Maps, threads: int
) -> Maps:
    """Deals out one nest after the other, whichever goes first costing fewest registers."""
    own = [nest for nest in nests if any(touch.buffer in members for touch in nest.fragments())]
    links = [each for each in reductions if each.src.buffer in members or each.dst.buffer in members]
    best: tuple[float, Maps] | None = None
    for root in own:
        attempt = dict(maps)
        for nest in (root, *own):
            if any(touch.buffer not in attempt for touch in nest.fragments()):
                loops = _dealt_out(nest, threads)
                if loops is not None:
                    _hand_down(nest, loops, attempt)
                    _propagate(own, links, attempt)
        cost = sum(_registers(buffer, attempt) for buffer in members)
        if best is None or cost < best[0]:
            best = cost, attempt
    return maps if best is None else best[1]


def _dealt_out(nest: Nest, threads: int) -> ThreadMap | None:
    total = 1
    for extent in nest.extents:
        total *= extent
    vector = nest.vector or _register_vector(nest)
    if nest.extents:
        vector = gcd(vector, nest.extents[-1])
    while vector > 1 and total % (threads * vector):
        vector //= 2
    return partition_loop(nest.extents, vector, threads)


def _register_vector(nest: Nest) -> int:
    """Lanes of a loop that touches registers only."""
    widths = [touch.buffer.dtype.total_bits for touch in nest.fragments()]
    return max(VECTOR_BITS // max(max(widths, default=32), 1), 1)


def _registers(buffer: Buffer, maps: Maps) -> float:
    count = buffer.element_count() or 0
    return count / maps[buffer].parts if buffer in maps else count

"""What one warp does to memory with one access: sectors of global memory, banks of shared memory.

Only accesses whose index names the threads are looked at, since there the lane of each element is known. Shared memory
is taken as it is declared, row-major; buffers with an annotated layout are left out.
Facts: sectors are 32 bytes; shared memory has 32 banks of 4 bytes, and lanes that read one word share it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tilelang.ir.arith import try_const
from tilelang.ir.expr import Var
from tilelang.ir.stmt import Effect, Let, Store
from tilelang.ir.visit import subterms, walk
from tilelang.passes.access.evaluate import Unresolved
from tilelang.passes.access.points import compiled_guards, guard_variables, holds, space_of
from tilelang.passes.access.trace import thread_points

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tilelang.ir.buffer import Buffer
    from tilelang.passes.access.sites import Site, Sites

WARP = 32
SECTOR_BYTES = 32
BANKS = 32
WORD_BYTES = 4


class Traffic(NamedTuple):
    """One access of the first warp of a block. ``lanes``: threads that take part. ``sectors``: 32-byte sectors touched,
    and ``least``: how many the same bytes need; 0 for shared memory. ``conflict``: how many words of one bank the lanes
    want at once, 1 being none; 0 for global memory."""

    site: Site
    lanes: int
    sectors: int
    least: int
    conflict: int


def warp_traffic(sites: Sites) -> Iterator[Traffic]:
    """The traffic of every access that names the threads, in the first block and iteration."""
    names = frozenset(sites.launch.thread_vars)
    found = [site for site in sites.sites if site.nest is None and _is_counted(sites, site, names)]
    threads = thread_points(sites, 1024) if found else None
    annotated = _annotated(sites) if found else frozenset[object]()
    for site in found if threads is not None else ():
        if site.access.buffer.root not in annotated:
            traffic = _traffic(sites, site, (threads or [])[:WARP], names)
            if traffic is not None:
                yield traffic


def _is_counted(sites: Sites, site: Site, names: frozenset[Var]) -> bool:
    buffer = site.access.buffer
    if site.indices is None or not site.certain or not isinstance(site.stmt, (Store, Let)):
        return False
    if not (buffer.is_global or buffer.is_shared) or buffer.source is not None or not buffer.dtype.is_known:
        return False
    return any(term in names for index in site.indices for term in subterms(index) if isinstance(term, Var))


def _annotated(sites: Sites) -> frozenset[object]:
    """Buffers that a layout is given for, and those that tile operations may lay out as they like."""
    found: set[object] = set()
    for stmt in walk(sites.launch.body):
        if isinstance(stmt, Effect) and "layout" in stmt.call.op:
            found.update(term for arg in (*stmt.call.args, *stmt.call.attrs) for term in _buffers(arg))
    for site in sites.sites:
        if site.box is not None and site.access.buffer.is_shared:
            found.add(site.access.buffer.root)
    return frozenset(found)


def _buffers(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        yield from value
    elif isinstance(value, (tuple, list)):
        for part in value:  # type: ignore[reportUnknownVariableType]  # attributes hold any value
            yield from _buffers(part)  # type: ignore[reportUnknownArgumentType]
    else:
        yield value


def _traffic(sites: Sites, site: Site, warp: list[dict[Var, int]], names: frozenset[Var]) -> Traffic | None:
    strides = _strides(site.access.buffer)
    indices = sites.evaluate.all(site.indices or ())
    guards = compiled_guards(sites.evaluate, site.guards)
    if strides is None or indices is None or guards is None:
        return None
    used = guard_variables(guards).union(*(index.variables for index in indices))
    space = space_of(sites.evaluate, site.axes, used - names)
    around = next(space.points({}, 1), None) if space is not None else None
    if around is None:
        return None
    size = max(1, site.access.buffer.dtype.total_bits // 8)
    first: list[int] = []
    for values in warp:
        point = {**around, **values}
        try:
            if holds(guards, point):
                first.append(sum(i.at(point) * step for i, step in zip(indices, strides, strict=True)) * size)
        except Unresolved:
            return None
    if not first:
        return None
    if site.access.buffer.is_global:
        return Traffic(site, len(first), sectors_of(first, size), least_sectors(first, size), 0)
    return Traffic(site, len(first), 0, 0, bank_conflict(first, size))


def _strides(buffer: Buffer) -> list[int] | None:
    """Elements between neighbours in each dimension."""
    if buffer.strides is not None:
        given = [try_const(stride) for stride in buffer.strides]
        return None if None in given else [stride for stride in given if stride is not None]
    strides, step = [1] * len(buffer.shape), 1
    for axis in reversed(range(len(buffer.shape))):
        strides[axis] = step
        extent = try_const(buffer.shape[axis])
        if extent is None and axis:
            return None
        step *= extent or 1
    return strides


def sectors_of(starts: Sequence[int], size: int) -> int:
    """The 32-byte sectors that accesses of ``size`` bytes at these byte offsets touch."""
    return len({at // SECTOR_BYTES for start in starts for at in (start, start + size - 1)})


def least_sectors(starts: Sequence[int], size: int) -> int:
    """The sectors that as many different bytes need if they lie side by side."""
    return max(1, -(-len(set(starts)) * size // SECTOR_BYTES))


def bank_conflict(starts: Sequence[int], size: int) -> int:
    """The most words that one bank has to give for accesses of ``size`` bytes at these byte offsets. Wide accesses are
    served for a part of the warp at a time: half of it for 8 bytes, a quarter for 16."""
    part = max(1, WARP * WORD_BYTES // max(size, WORD_BYTES))
    worst = 1
    for begin in range(0, len(starts), part):
        banks: dict[int, set[int]] = {}
        for start in starts[begin : begin + part]:
            for word in range(start // WORD_BYTES, (start + size - 1) // WORD_BYTES + 1):
                banks.setdefault(word % BANKS, set()).add(word)
        worst = max(worst, *(len(words) for words in banks.values()))
    return worst


def vector_width(starts: Sequence[int], size: int) -> int:
    """The widest vector, in elements, that each lane may access if it goes on where it starts: 16 bytes at most, and
    as far as all starts are aligned."""
    width = 16 // size if size <= 16 else 1
    while width > 1 and any(start % (width * size) for start in starts):
        width //= 2
    return max(1, width)

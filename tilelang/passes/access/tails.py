"""Elements beyond the end of a tensor that enter a reduction.

Copies and element reads bring 0 for what lies beyond the end of a tensor. That is neutral for a sum, but not for a
maximum, a minimum, or a sum of exponentials. Tiles with such a tail are followed through copies, elementwise loops and
products, until something masks them: a condition, ``T.if_then_else``, or a fill.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tilelang.ir.arith import try_const
from tilelang.ir.expr import Call, Load, Select, Var
from tilelang.ir.stmt import Atomic, Copy, Effect, Fill, Gemm, If, Reduce, Scan, Stmt, Store, While
from tilelang.ir.visit import children, loads, subterms, variables
from tilelang.passes.access.bounds import extremes, stays_within

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tilelang.ir.buffer import Buffer, Region
    from tilelang.ir.stmt import Block
    from tilelang.passes.access.bounds import Reach
    from tilelang.passes.access.sites import Site, Sites

EXPONENTIALS = ("exp", "exp2", "exp10")
NOT_NEUTRAL = ("max", "min", "bitand")


class Tail(NamedTuple):
    """Where zeros come from: ``site`` reads up to ``end`` in dimension ``axis`` of a tensor that has ``size`` elements
    there, at ``reach``. ``raised``: the zeros went through an exponential."""

    site: Site
    axis: int
    size: int
    end: int
    reach: Reach
    raised: bool = False


class TailedReduction(NamedTuple):
    """``stmt`` reduces a dimension with a tail that is not neutral for it."""

    stmt: Reduce
    tail: Tail


def tailed_reductions(sites: Sites) -> Iterator[TailedReduction]:
    """Every reduction of a launch that such zeros enter."""
    if any(isinstance(site.stmt, Reduce) and site.stmt.op in (*NOT_NEUTRAL, "sum") for site in sites.sites):
        yield from _Walker(sites).visit(sites.launch.body, guarded=False)


_Tails = dict[int, Tail]
"""Tails of one buffer by dimension."""


class _Walker:
    def __init__(self, sites: Sites) -> None:
        self._sites = sites
        self._by_place: dict[int, Site] = {id(site.access.place): site for site in sites.sites}
        self._tails: dict[Buffer, _Tails] = {}
        self._masked: set[Buffer] = set()
        """Buffers that were filled under a condition: a product that adds to them is masked too."""

    def visit(self, block: Block, *, guarded: bool) -> Iterator[TailedReduction]:
        for stmt in block:
            if isinstance(stmt, Copy):
                self._copy(stmt)
            elif isinstance(stmt, Fill):
                self._forget(stmt.dst.buffer)
            elif isinstance(stmt, Gemm):
                self._product(stmt)
            elif isinstance(stmt, Store):
                self._store(stmt, guarded=guarded)
            elif isinstance(stmt, Reduce):
                yield from self._reduce(stmt)
            elif isinstance(stmt, (Scan, Atomic, Effect)):
                self._opaque(stmt)
            for body in children(stmt):
                yield from self.visit(body, guarded=guarded or isinstance(stmt, (If, While)))

    def _forget(self, buffer: Buffer, *, masked: bool = False) -> None:
        self._tails.pop(buffer.root, None)
        (self._masked.add if masked else self._masked.discard)(buffer.root)

    def _opaque(self, stmt: Stmt) -> None:
        for site in self._sites.sites:
            if site.stmt is stmt and site.access.writes:
                self._forget(site.access.buffer, masked=True)

    def _copy(self, stmt: Copy) -> None:
        source, target = stmt.src, stmt.dst
        if target.buffer.is_global:
            return
        found: _Tails = {}
        pairs = _paired(source, target)
        for axis, into in pairs.items() if stmt.op in ("copy", "async_copy", "tma_copy") else ():
            if source.buffer.is_global:
                tail = self._beyond(source, source.mins[axis], axis, try_const((source.extents or ())[axis]))
            else:
                tail = self._tails.get(source.buffer.root, {}).get(axis)
            if tail is not None:
                found[into] = tail
        self._forget(target.buffer, masked=source.buffer.root in self._masked)
        if found and target.buffer.source is None:
            self._tails[target.buffer] = found

    def _beyond(self, place: object, start: object, axis: int, extent: int | None) -> Tail | None:
        """The tail of an access of a tensor in one dimension."""
        site = self._by_place.get(id(place))
        size = None if site is None else try_const(site.access.buffer.shape[axis])
        if site is None or size is None or extent is None or stays_within(self._sites, start, extent, size):
            return None
        reached = extremes(self._sites, site, start)
        if reached is None or not reached.high.value < size < reached.high.value + extent:
            return None
        return Tail(site, axis, size, reached.high.value + extent, reached.high)

    def _store(self, stmt: Store, *, guarded: bool) -> None:
        buffer = stmt.buffer
        if buffer.is_global or buffer.is_var:
            return
        if guarded or any(isinstance(term, Select) for term in subterms(stmt.value)):
            self._forget(buffer, masked=True)
            return
        axes = {index: axis for axis, index in enumerate(stmt.indices) if isinstance(index, Var)}
        found: _Tails = {}
        raised = {id(load) for call in _exponentials(stmt.value) for load in loads(call)}
        for load in loads(stmt.value):
            for axis, tail in self._tails_of(load).items():
                index = load.indices[axis] if axis < len(load.indices) else None
                moved = [axes[var] for var in variables(index) if isinstance(var, Var) and var in axes]
                for into in moved:
                    found[into] = tail._replace(raised=tail.raised or id(load) in raised)
        self._forget(buffer, masked=buffer.root in self._masked and not found)
        if found and buffer.source is None:
            self._tails[buffer] = found

    def _tails_of(self, load: Load) -> _Tails:
        if not load.buffer.is_global:
            return self._tails.get(load.buffer.root, {})
        found: _Tails = {}
        for axis, index in enumerate(load.indices):
            site = self._by_place.get(id(load))
            size = try_const(load.buffer.shape[axis]) if axis < load.buffer.rank else None
            if site is None or size is None or stays_within(self._sites, index, 1, size):
                continue
            reached = extremes(self._sites, site, index)
            if reached is not None and reached.low.value < size <= reached.high.value:
                found[axis] = Tail(site, axis, size, reached.high.value + 1, reached.high)
        return found

    def _product(self, stmt: Gemm) -> None:
        rows = self._tails.get(stmt.a.buffer.root, {}).get(1 if stmt.trans_a else 0)
        columns = self._tails.get(stmt.b.buffer.root, {}).get(0 if stmt.trans_b else 1)
        result = stmt.c.buffer
        if result.root in self._masked and stmt.clear_accum is not True:
            return
        found = {axis: tail for axis, tail in ((0, rows), (1, columns)) if tail is not None}
        if stmt.clear_accum is True:
            self._forget(result)
        if found and result.source is None and len(result.shape) == 2:
            self._tails[result] = {**self._tails.get(result, {}), **found}

    def _reduce(self, stmt: Reduce) -> Iterator[TailedReduction]:
        rank = len(stmt.src.buffer.shape)
        axis = stmt.dim + rank if stmt.dim < 0 else stmt.dim
        tail = self._tails.get(stmt.src.buffer.root, {}).get(axis)
        if tail is not None and ((stmt.op in NOT_NEUTRAL and not tail.raised) or (stmt.op == "sum" and tail.raised)):
            yield TailedReduction(stmt, tail)
        self._forget(stmt.dst.buffer)


def _exponentials(value: object) -> Iterator[Call]:
    return (term for term in subterms(value) if isinstance(term, Call) and term.op in EXPONENTIALS)


def _paired(source: Region, target: Region) -> Mapping[int, int]:
    """Dimensions of a source box and the dimensions of the target that they go to; those of extent 1 are left out."""
    if source.extents is None or target.extents is None or not (source.is_resolved and target.is_resolved):
        return {}
    one, other = (
        [axis for axis, extent in enumerate(region.extents or ()) if try_const(extent) != 1]
        for region in (source, target)
    )
    return dict(zip(one, other, strict=True)) if len(one) == len(other) else {}

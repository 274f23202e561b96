"""What the memory of a block holds, as far as it comes from tensors.

Two blocks hold the same in a tile if they fill it from the same elements. The *origin* of a buffer at a point is the
first element of every tensor access that feeds it, directly or through other buffers. Different origins mean different
contents for general inputs; equal ones mean nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.expr import Load, Var
from tilelang.ir.stmt import Let
from tilelang.ir.visit import walk
from tilelang.passes.access.evaluate import Unresolved
from tilelang.passes.access.values import Comparison

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from tilelang.ir.buffer import Buffer
    from tilelang.passes.access.evaluate import Point
    from tilelang.passes.access.sites import Site, Sites

MAX_FEEDS = 64
"""Tensor accesses followed for one buffer. More would not make two origins more different."""


class Contents:
    """The origins of the buffers of one launch."""

    def __init__(self, sites: Sites) -> None:
        self._sites = sites
        self._by_stmt: dict[int, list[Site]] = {}
        self._writers: dict[Buffer, list[Site]] = {}
        for site in sites.sites:
            self._by_stmt.setdefault(id(site.stmt), []).append(site)
            if site.access.writes:
                self._writers.setdefault(site.access.buffer.root, []).append(site)
        self._feeds: dict[Buffer, tuple[Site, ...]] = {}

    def origin(self, buffer: Buffer, point: Mapping[Var, int]) -> Hashable:
        """Where the contents of an on-chip buffer come from, at a point."""
        return tuple(self.first_element(site, point) for site in self._feeds_of(buffer.root))

    def _feeds_of(self, root: Buffer) -> tuple[Site, ...]:
        """The accesses of tensors that what is in ``root`` was computed from."""
        if root not in self._feeds:
            found: list[Site] = []
            seen: set[Buffer] = set()
            pending = [root]
            while pending and len(found) < MAX_FEEDS:
                buffer = pending.pop()
                if buffer in seen:
                    continue
                seen.add(buffer)
                for writer in self._writers.get(buffer, ()):
                    for source in self._by_stmt[id(writer.stmt)]:
                        if source.access.buffer.is_global:
                            found += [source] if source.access.mode == "read" else []
                        elif source.access.reads:
                            pending.append(source.access.buffer.root)
            self._feeds[root] = tuple(found[:MAX_FEEDS])
        return self._feeds[root]

    def first_element(self, site: Site, point: Mapping[Var, int]) -> Hashable:
        """The first element of an access at a point, loops that the point says nothing about at their start; the access
        itself if that cannot be computed."""
        box = site.box
        starts = site.indices if site.indices is not None else box.mins if box is not None else None
        compiled = None if starts is None else self._sites.evaluate.all(tuple(starts))
        if compiled is None:
            return id(site.access)
        env: Point = dict(point)
        try:
            for axis in site.axes:
                start = self._sites.evaluate(axis.start) if axis.var not in env else None
                if start is not None and start.variables <= env.keys():
                    env[axis.var] = start.at(env)
            return tuple(start.at(env) for start in compiled)
        except (KeyError, Unresolved):
            return id(site.access)


class BlockComparison(Comparison):
    """Compares values of two blocks: a read of on-chip memory is as different as its origins are."""

    def __init__(self, sites: Sites, contents: Contents) -> None:
        super().__init__(sites.evaluate, ())
        self.contents = contents
        self._bound = {stmt.var: stmt.value for stmt in walk(sites.launch.body) if isinstance(stmt, Let)}

    def _structure(self, value: object, point: Point, depth: int) -> Hashable | None:
        if isinstance(value, Var) and value in self._bound and depth:
            return self._key(self._bound[value], point, depth)
        if isinstance(value, Load) and not value.buffer.is_global:
            # Its place in the tile may be another one in another thread; the origin is what tells blocks apart.
            return ("content", id(value.buffer.root), self.contents.origin(value.buffer, point))
        return super()._structure(value, point, depth)

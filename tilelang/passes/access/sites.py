"""Every use of memory in a launch, with the loops and conditions around it.

A :class:`Site` is one access of one statement: the element or box, the variables that select a point (block, thread,
loops, outermost first), and the conditions under which it happens, those of ``T.if_then_else`` and of ``and``/``or``
included.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tilelang.ir.access import Access, accesses
from tilelang.ir.arith import Interval, launch_ranges, loop_ranges, try_const
from tilelang.ir.buffer import Region
from tilelang.ir.expr import Binary, Call, Cast, Load, Operand, Select, Unary, Var
from tilelang.ir.stmt import Atomic, Effect, For, If, Jump, Let, Scope, Stmt, While
from tilelang.ir.visit import children, is_undecided, operands, subterms, walk
from tilelang.passes.access.evaluate import Evaluator
from tilelang.passes.active_threads import WARP_GROUP, WARP_GROUP_SCOPES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tilelang.ir.span import Span
    from tilelang.ir.stmt import Block, Launch

Kind = str
"""``block``, ``thread`` or the kind of a loop."""

PLAIN_SCOPES = ("attr", "sblock", "block", "allow_reuse")
"""Regions that change nothing about which threads run their body."""


class Axis(NamedTuple):
    """One variable of a point. ``step`` is None where it is not a positive constant."""

    var: Var
    kind: Kind
    start: Operand
    extent: Operand
    step: int | None
    span: Span


class Guard(NamedTuple):
    """A condition that must have the value ``holds``."""

    cond: object
    holds: bool
    span: Span


class Site(NamedTuple):
    """One access. ``number`` orders statements. ``certain``: the statement runs at every point where its guards hold.
    ``nest`` is the outermost ``T.Parallel`` around it. ``groups``: the warp groups that run it; None for all."""

    number: int
    stmt: Stmt
    access: Access
    axes: tuple[Axis, ...]
    guards: tuple[Guard, ...]
    certain: bool
    nest: For | None
    groups: tuple[int, ...] | None

    @property
    def is_atomic(self) -> bool:
        """Whether the access is one indivisible operation on the element."""
        if isinstance(self.stmt, Atomic):
            return self.access.mode == "update"
        call = call_of(self.stmt)
        return call is not None and call.op.startswith("atomic") and self.access.mode != "read"

    @property
    def indices(self) -> tuple[Operand, ...] | None:
        """The element, if the access is to one element with an index for every dimension."""
        place = self.access.place
        if isinstance(place, Load) and len(place.indices) == place.buffer.rank:
            return place.indices
        return None

    @property
    def box(self) -> Region | None:
        """The box, if the access is to a box that is known."""
        place = self.access.place
        return place if isinstance(place, Region) and place.is_resolved else None


class Place(NamedTuple):
    """A barrier or another effect, with what is around it as in :class:`Site`."""

    stmt: Stmt
    call: Call
    axes: tuple[Axis, ...]
    guards: tuple[Guard, ...]
    certain: bool
    groups: tuple[int, ...] | None


class Sites(NamedTuple):
    """The accesses of one launch in source order, and its effects. ``ranges`` bounds every variable."""

    launch: Launch
    sites: tuple[Site, ...]
    effects: tuple[Place, ...]
    ranges: Mapping[Var, Interval]
    evaluate: Evaluator


def sites_of(launch: Launch) -> Sites:
    """Every access of a launch."""
    collector = _Collector(launch)
    collector.visit(launch.body, collector.start)
    return Sites(launch, tuple(collector.found), tuple(collector.effects), collector.ranges, Evaluator(collector.lets))


class _Context(NamedTuple):
    axes: tuple[Axis, ...]
    guards: tuple[Guard, ...] = ()
    certain: bool = True
    nest: For | None = None
    groups: tuple[int, ...] | None = None


class _Collector:
    def __init__(self, launch: Launch) -> None:
        self.found: list[Site] = []
        self.effects: list[Place] = []
        self.ranges: dict[Var, Interval] = launch_ranges(launch)
        self.lets: dict[Var, object] = {}
        self.start = _Context(tuple(launch_axes(launch)))
        self._number = 0

    def visit(self, block: Block, context: _Context) -> None:
        # A loop that may be left early does not reach all of its iterations.
        if context.certain and any(isinstance(stmt, Jump) for stmt in walk(block)):
            context = context._replace(certain=False)
        for stmt in block:
            self._number += 1
            self._statement(stmt, context)

    def _statement(self, stmt: Stmt, context: _Context) -> None:
        if isinstance(stmt, Let) and not any(isinstance(part, (Load, Call)) for part in subterms(stmt.value)):
            self.lets[stmt.var] = stmt.value
        call = call_of(stmt)
        if call is not None:
            self.effects.append(Place(stmt, call, context.axes, context.guards, context.certain, context.groups))
        conditions = _conditions(stmt)
        for access in accesses(stmt):
            guards = context.guards + conditions.get(id(access.place), ())
            self.found.append(
                Site(self._number, stmt, access, context.axes, guards, context.certain, context.nest, context.groups)
            )
        if isinstance(stmt, For):
            self.ranges.update(loop_ranges(stmt, self.ranges))
            nest = context.nest or (stmt if stmt.kind == "parallel" else None)
            axes = (*context.axes, *loop_axes(stmt))
            runs = context.certain and not any(_is_empty(extent) for extent in stmt.extents)
            self.visit(stmt.body, context._replace(axes=axes, nest=nest, certain=runs))
        elif isinstance(stmt, If):
            decided = context if not is_undecided(stmt) else context._replace(certain=False)
            for body, holds in ((stmt.then, True), (stmt.orelse, False)):
                self.visit(body, decided._replace(guards=(*context.guards, Guard(stmt.cond, holds, stmt.span))))
        elif isinstance(stmt, Scope) and stmt.op in WARP_GROUP_SCOPES:
            self.visit(stmt.body, context._replace(groups=warp_groups(stmt)))
        else:
            runs = not isinstance(stmt, While) and (not isinstance(stmt, Scope) or stmt.op in PLAIN_SCOPES)
            for body in children(stmt):
                self.visit(body, context if runs else context._replace(certain=False))


def _is_empty(extent: object) -> bool:
    number = try_const(extent)
    return number is not None and number <= 0


def call_of(stmt: Stmt) -> Call | None:
    """The call that a statement is kept for, or binds the result of."""
    call = stmt.call if isinstance(stmt, Effect) else stmt.value if isinstance(stmt, Let) else None
    return call if isinstance(call, Call) else None


def launch_axes(launch: Launch) -> Iterator[Axis]:
    """The block and thread indices of a launch."""
    for kind, names, extents in (
        ("block", launch.block_vars, launch.grid),
        ("thread", launch.thread_vars, launch.threads),
    ):
        for var, extent in zip(names, extents, strict=False):
            yield Axis(var, kind, 0, extent, 1, launch.span)


def loop_axes(loop: For) -> Iterator[Axis]:
    """The variables of a loop."""
    step = try_const(loop.step)
    for var, start, extent in zip(loop.vars, loop.starts, loop.extents, strict=False):
        yield Axis(var, loop.kind, start, extent, step if step is not None and step > 0 else None, loop.span)


def warp_groups(scope: Scope) -> tuple[int, ...] | None:
    """The warp groups that run a region; None if they are not constants."""
    groups = tuple(try_const(arg) for arg in scope.args)
    known = tuple(group for group in groups if group is not None)
    return known if known and len(known) == len(groups) else None


def group_of(thread: int) -> int:
    """The warp group of a thread."""
    return thread // WARP_GROUP


def _conditions(stmt: Stmt) -> dict[int, tuple[Guard, ...]]:
    """The conditions inside the expressions of a statement, by ``id`` of the loads and boxes that they guard."""
    found: dict[int, tuple[Guard, ...]] = {}
    if isinstance(stmt, (For, While)):
        return found
    for value in operands(stmt):
        if any(isinstance(term, (Select, Call)) or _is_short_circuit(term) for term in subterms(value)):
            _guarded(value, (), found, 0)
    return found


def _is_short_circuit(term: object) -> bool:
    return isinstance(term, Binary) and term.op in ("and", "or")


def _guarded(value: object, guards: tuple[Guard, ...], found: dict[int, tuple[Guard, ...]], depth: int) -> None:
    if depth > 40:
        return
    if isinstance(value, Load):
        found.setdefault(id(value), guards)
        parts: tuple[object, ...] = value.indices
    elif isinstance(value, Select):
        _guarded(value.cond, guards, found, depth + 1)
        _guarded(value.then, (*guards, Guard(value.cond, True, value.span)), found, depth + 1)
        _guarded(value.other, (*guards, Guard(value.cond, False, value.span)), found, depth + 1)
        return
    elif isinstance(value, Binary):
        _guarded(value.a, guards, found, depth + 1)
        more = (*guards, Guard(value.a, value.op == "and", value.span)) if _is_short_circuit(value) else guards
        _guarded(value.b, more, found, depth + 1)
        return
    elif isinstance(value, Call):
        parts = value.args
        if value.op == "address_of" or any(name == "effect" for name, _ in value.attrs):
            # Only the address is taken, or a part of a vector is used: the element itself may not be touched.
            guards = (*guards, Guard(value, True, value.span))
    elif isinstance(value, (Cast, Unary)):
        parts = (value.value,) if isinstance(value, Cast) else (value.a,)
    else:
        parts = ()
    for part in parts:
        _guarded(part, guards, found, depth + 1)

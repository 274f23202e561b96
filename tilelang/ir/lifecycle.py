"""The order of the operations on a reducer: opened, updated in parallel loops, closed, and touched by nothing else.

Facts: upstream's compiler refuses each of these. The older reducers, which have a ``replication`` or are finished in
place, are used like fragments and not meant. What runs under a condition may close what was opened outside: blocks
that skip it do not look at the parts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from tilelang.ir.access import accesses
from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.problem import Problem
from tilelang.ir.stmt import Effect, For, If, Launch, Scope, Stmt, Store, While
from tilelang.ir.visit import children

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.ir.stmt import Block

_OPERATIONS = ("reducer_init", "reducer_update", "finalize_reducer")
_Kind = Literal["reducer_init", "reducer_update", "finalize_reducer", "read", "store"]
_Path = tuple[tuple[Stmt, int], ...]
"""The statements around an operation, outermost first, each with the number of the body that it is in."""


@dataclass(frozen=True, slots=True)
class _Event:
    kind: _Kind
    stmt: Stmt
    path: _Path

    @property
    def loops(self) -> tuple[int, ...]:
        return tuple(id(stmt) for stmt, _ in self.path if isinstance(stmt, (For, While)))


@dataclass(slots=True)
class _Uses:
    events: list[_Event] = field(default_factory=list["_Event"])


def reducer_problems(body: Block) -> tuple[Problem, ...]:
    """What is wrong with the use of reducers in a program that was followed completely."""
    uses: dict[Buffer, _Uses] = {}
    for stmt, path in _walk(body, ()):
        for buffer, kind in _uses_of(stmt):
            uses.setdefault(buffer, _Uses()).events.append(_Event(kind, stmt, path))
    return tuple(problem for buffer, found in uses.items() for problem in _check(buffer, found.events))


def _walk(body: Block, path: _Path) -> Iterator[tuple[Stmt, _Path]]:
    for stmt in body:
        yield stmt, path
        for number, inner in enumerate(children(stmt)):
            known = path if isinstance(stmt, (Launch, Scope)) else (*path, (stmt, number))
            yield from _walk(inner, known)


def _uses_of(stmt: Stmt) -> Iterator[tuple[Buffer, _Kind]]:
    if isinstance(stmt, Effect) and stmt.call.op in _OPERATIONS:
        for place in stmt.call.args[:1]:
            buffer = place if isinstance(place, Buffer) else place.buffer if isinstance(place, Region) else None
            if buffer is not None and buffer.scope == "local.reducer":
                yield buffer, stmt.call.op  # type: ignore[misc]  # one of the operations
        return
    stored = stmt.buffer if isinstance(stmt, Store) else None
    seen: set[Buffer] = set()
    for access in accesses(stmt):
        buffer = access.buffer
        if buffer.scope == "local.reducer" and access.mode != "unknown" and buffer not in seen:
            seen.add(buffer)
            yield buffer, "store" if buffer is stored or access.mode == "write" else "read"


def _check(buffer: Buffer, events: list[_Event]) -> Iterator[Problem]:
    name = buffer.name
    if any(event.kind == "finalize_reducer" and _is_in_place(event.stmt) for event in events):
        return
    opened = [event for event in events if event.kind == "reducer_init"]
    last: _Event | None = None
    closed = True
    for event in events:
        if event.kind in ("read", "store"):
            what = "read of" if event.kind == "read" else "store to"
            yield _problem(
                event,
                "T.alloc_reducer",
                f"illegal {what} reducer `{name}`: only T.reducer_update changes it "
                "and only T.finalize_reducer gives its value",
            )
        elif event.kind == "reducer_init":
            if last is not None and not closed and event.path[: len(last.path)] == last.path:
                yield _problem(event, "T.reducer_init", f"double T.reducer_init of `{name}` without T.finalize_reducer")
            last, closed = event, False
        elif last is None and not any(set(one.loops) & set(event.loops) for one in opened):
            yield _problem(event, f"T.{event.kind}", f"`{name}` is used before T.reducer_init")
            return
        elif event.kind == "reducer_update":
            if not any(isinstance(stmt, For) and stmt.kind == "parallel" for stmt, _ in event.path):
                yield _problem(event, "T.reducer_update", f"`{name}` is updated outside any T.Parallel loop")
        elif last is not None:
            closed = True
            between = event.path[len(last.path) :]
            if event.path[: len(last.path)] != last.path or any(not isinstance(stmt, If) for stmt, _ in between):
                text = f"T.finalize_reducer of `{name}` is not in the scope of its T.reducer_init"
                yield _problem(event, "T.finalize_reducer", text, last)
    if opened and not any(event.kind == "finalize_reducer" for event in events):
        yield _problem(opened[0], "T.reducer_init", f"`{name}` is never finalized with T.finalize_reducer")


def _is_in_place(stmt: Stmt) -> bool:
    """Whether a ``T.finalize_reducer`` leaves its result in the reducer."""
    return isinstance(stmt, Effect) and dict(stmt.call.attrs).get("effect") == "update"


def _problem(event: _Event, function: str, message: str, other: _Event | None = None) -> Problem:
    notes = () if other is None else (("opened here", other.stmt.span),)
    return Problem("invalid-argument", event.stmt.span, {"function": function, "message": message}, notes)

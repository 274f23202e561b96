"""Whether two iterations store the same value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from tilelang.ir.expr import Binary, Call, Cast, Const, Load, Select, Unary, Var
from tilelang.ir.visit import loads
from tilelang.passes.access.evaluate import Unresolved

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.stmt import Store
    from tilelang.passes.access.evaluate import Evaluator, Point

Verdict = Literal["same", "differ", "unsure"]

IDEMPOTENT = ("max", "min", "&", "|", "and", "or")
"""Operations for which a second update with the same operand changes nothing."""

MAX_DEPTH = 40


class Comparison:
    """Compares what a store writes at two points. ``unsettled``: variables and buffers with a value for each iteration
    that is not known; what depends on them is neither the same nor different."""

    def __init__(self, evaluate: Evaluator, unsettled: Collection[object]) -> None:
        self._evaluate = evaluate
        self._unsettled: Collection[object] = unsettled

    def of(self, value: object, one: Point, other: Point) -> Verdict:
        """The values of one expression at two points."""
        return self.of_two(value, value, one, other)

    def of_two(self, first: object, second: object, one: Point, other: Point) -> Verdict:
        """The value of ``first`` at ``one`` and of ``second`` at ``other``."""
        a, b = self._key(first, one, MAX_DEPTH), self._key(second, other, MAX_DEPTH)
        if a is None or b is None:
            return "unsure"
        return "same" if a == b else "differ"

    def of_store(self, store: Store, one: Point, other: Point) -> Verdict:
        """As :meth:`of`, for what a statement stores. If that is computed from the element that it replaces, two
        iterations that run at the same time lose one update, unless both make the same idempotent one."""
        core, buffer = store.value, store.buffer
        while isinstance(core, Cast):
            core = core.value
        if not self.is_update(store, one):
            return self.of(core, one, other)
        if isinstance(core, Load):
            a, b = (self._all((), core.indices, point, MAX_DEPTH) for point in (one, other))
            return "unsure" if a is None or b is None else "same" if a == b else "differ"
        if isinstance(core, Binary) and core.op in IDEMPOTENT:
            rest = core.b if _is_element(core.a, buffer) else core.a if _is_element(core.b, buffer) else None
            if rest is not None and not reads(rest, buffer):
                return self.of(rest, one, other)
        return "differ"

    def of_lockstep(self, store: Store, one: Point, other: Point) -> Verdict:
        """As :meth:`of_store`, where nothing else writes the buffer meanwhile: the same elements then have the same
        value."""
        kept = self._unsettled
        self._unsettled = [each for each in kept if each is not store.buffer.root]
        try:
            return self.of(store.value, one, other)
        finally:
            self._unsettled = kept

    def is_identity(self, store: Store, point: Point) -> bool:
        """Whether a statement stores in an element what it reads from it."""
        value = store.value
        while isinstance(value, Cast):
            value = value.value
        if not isinstance(value, Load) or value.buffer is not store.buffer:
            return False
        return self._all((), value.indices, point, MAX_DEPTH) == self._all((), store.indices, point, MAX_DEPTH)

    def is_update(self, store: Store, point: Point) -> bool:
        """Whether a statement reads the element that it stores."""
        place = self._all((), store.indices, point, MAX_DEPTH)
        return place is not None and any(
            load.buffer.root is store.buffer.root and self._all((), load.indices, point, MAX_DEPTH) == place
            for load in loads(store.value)
        )

    def _key(self, value: object, point: Point, depth: int) -> Hashable | None:
        """What a value is at a point; equal keys are equal values. None if that is not settled."""
        if depth == 0:
            return None
        if isinstance(value, (int, float)):
            return value
        if isinstance(value, Const):
            return value.value
        if isinstance(value, (Var, Binary, Unary, Cast, Select)):
            compiled = self._evaluate(value)
            if compiled is not None and all(var in point for var in compiled.variables):
                try:
                    return compiled.at(point)
                except Unresolved:
                    return None
        return self._structure(value, point, depth - 1)

    def _structure(self, value: object, point: Point, depth: int) -> Hashable | None:
        if isinstance(value, Var):
            return None if value in self._unsettled or value in point else ("name", id(value))
        if isinstance(value, Load):
            if value.buffer.root in self._unsettled or value.buffer.is_local:
                return None
            return self._all(("load", id(value.buffer)), value.indices, point, depth)
        if isinstance(value, Binary):
            return self._all((value.op,), (value.a, value.b), point, depth)
        if isinstance(value, Unary):
            return self._all((value.op,), (value.a,), point, depth)
        if isinstance(value, Cast):
            return self._all(("cast", str(value.dtype)), (value.value,), point, depth)
        if isinstance(value, Select):
            return self._select(value, point, depth)
        if isinstance(value, Call):
            if any(name == "effect" for name, _ in value.attrs):
                return None
            return self._all((value.op,), value.args, point, depth)
        return value if isinstance(value, str) else None

    def _select(self, value: Select, point: Point, depth: int) -> Hashable | None:
        cond = self._key(value.cond, point, depth)
        if isinstance(cond, (int, bool)):
            return self._key(value.then if cond else value.other, point, depth)
        return self._all(("select",), (value.cond, value.then, value.other), point, depth)

    def _all(self, head: tuple[Hashable, ...], parts: tuple[object, ...], point: Point, depth: int) -> Hashable | None:
        keys = [self._key(part, point, depth) for part in parts]
        return None if any(key is None for key in keys) else (*head, *keys)


def reads(value: object, buffer: Buffer) -> bool:
    """Whether an expression reads an element of the buffer."""
    return any(load.buffer.root is buffer.root for load in loads(value))


def _is_element(value: object, buffer: Buffer) -> bool:
    while isinstance(value, Cast):
        value = value.value
    return isinstance(value, Load) and value.buffer is buffer

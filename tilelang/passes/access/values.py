"""Whether two iterations store the same value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from tilelang.ir.expr import Binary, Call, Cast, Const, Expr, Load, Select, Unary, Var
from tilelang.passes.access.evaluate import Unresolved

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable

    from tilelang.ir.buffer import Buffer
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
        self._unsettled = unsettled

    def of(self, value: object, one: Point, other: Point) -> Verdict:
        """The values of one expression at two points."""
        return self.of_two(value, value, one, other)

    def of_two(self, first: object, second: object, one: Point, other: Point) -> Verdict:
        """The value of ``first`` at ``one`` and of ``second`` at ``other``."""
        a, b = self._key(first, one, MAX_DEPTH), self._key(second, other, MAX_DEPTH)
        if a is None or b is None:
            return "unsure"
        return "same" if a == b else "differ"

    def of_update(self, value: object, buffer: Buffer, one: Point, other: Point) -> Verdict:
        """As :meth:`of`, for a value that is computed from the element that it replaces: then two iterations that run
        at the same time lose one update, unless both make the same idempotent one."""
        core = value
        while isinstance(core, Cast):
            core = core.value
        if not reads(core, buffer):
            return self.of(value, one, other)
        if isinstance(core, Load):
            return "same"
        if isinstance(core, Binary) and core.op in IDEMPOTENT:
            rest = core.b if _is_element(core.a, buffer) else core.a if _is_element(core.b, buffer) else None
            if rest is not None and not reads(rest, buffer):
                return self.of(rest, one, other)
        return "differ"

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
    from tilelang.ir.visit import loads

    return any(load.buffer.root is buffer.root for load in loads(value))


def _is_element(value: object, buffer: Buffer) -> bool:
    while isinstance(value, Cast):
        value = value.value
    return isinstance(value, Load) and value.buffer is buffer


def is_constant(value: object) -> bool:
    """Whether a value is a plain number."""
    while isinstance(value, Cast):
        value = value.value
    return (isinstance(value, (int, float, Const)) and not isinstance(value, Expr)) or isinstance(value, Const)

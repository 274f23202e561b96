"""How control leaves a statement or an expression of the evaluated program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tilelang.frontend.heap import Journal
    from tilelang.ir.span import Span


@dataclass(frozen=True, slots=True)
class Return:
    """The statement returned ``value``."""

    value: Any


class Break:
    """The statement left the loop."""


class Continue:
    """The statement went on to the next iteration."""


@dataclass(frozen=True, slots=True)
class Maybe:
    """The statement may have left its block in some of these ways, or the next statement runs.

    ``left`` and ``stayed`` are the effects of the arm that left and of the arm that goes on, neither of them applied;
    both are ``None`` if the heap holds what is true of both arms.
    """

    returned: bool = False
    broke: bool = False
    continued: bool = False
    left: Journal | None = None
    stayed: Journal | None = None


BREAK = Break()
CONTINUE = Continue()
Signal = Return | Break | Continue | Maybe | None


class UserError(Exception):
    """An exception that the program raises. ``name`` is its class's name; ``value`` the instance if there is one."""

    def __init__(self, name: str, message: str, span: Span, value: Any = None) -> None:
        super().__init__(name, message)
        self.name = name
        self.message = message
        self.span = span
        self.value = value


class ArgumentError(UserError):
    """The ``TypeError`` of a call whose arguments do not fit a function of the program.

    ``kind`` is the rule that says so: ``unknown-argument`` or ``invalid-argument``. ``argument`` is the parameter or
    keyword, ``expected`` what is asked of it, ``known`` are the parameters that the call leaves open.
    """

    def __init__(
        self, message: str, span: Span, *, argument: str, expected: str = "", known: tuple[str, ...] = ()
    ) -> None:
        super().__init__("TypeError", message, span)
        self.kind = "invalid-argument" if expected else "unknown-argument"
        self.argument = argument
        self.expected = expected
        self.known = known


class Exhausted(Exception):
    """The step budget of the current entry point is spent."""


class Leave(BaseException):
    """The consumer of a generator asks for no more items: control goes back to it, through the generator's ``finally``
    blocks. ``consumer`` is who asks, ``signal`` how its loop is left, ``error`` what its body raised."""

    def __init__(self, consumer: object, signal: Signal = None, error: UserError | None = None) -> None:
        super().__init__()
        self.consumer = consumer
        self.signal = signal
        self.error = error


class StopPhase(Exception):
    """The first phase of an eager kernel ends at its launch."""

"""How control leaves a statement or an expression of the evaluated program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tilelang.ir.span import Span


@dataclass(frozen=True, slots=True)
class Return:
    """The statement returned ``value``."""

    value: Any


class Break:
    """The statement left the loop."""


class Continue:
    """The statement went on to the next iteration."""


BREAK = Break()
CONTINUE = Continue()
Signal = Return | Break | Continue | None


class UserError(Exception):
    """An exception that the program raises. ``name`` is its class's name; ``value`` the instance if there is one."""

    def __init__(self, name: str, message: str, span: Span, value: Any = None) -> None:
        super().__init__(name, message)
        self.name = name
        self.message = message
        self.span = span
        self.value = value


class Exhausted(Exception):
    """The step budget of the current entry point is spent."""


class StopPhase(Exception):
    """The first phase of an eager kernel ends at its launch."""

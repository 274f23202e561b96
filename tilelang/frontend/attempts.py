"""One entry point at a time: a budget of its own, and exceptions that end it but not the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.frontend.signals import Exhausted, UserError
from tilelang.ir.span import NOWHERE
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilelang.frontend.evaluator import Evaluator


ENTRY_BUDGET = 150_000
"""Steps of one entry point: a runaway test does not starve the others."""


def attempt(ev: Evaluator, run: Callable[[], Any]) -> Any:
    """Run one entry point with its own budget; an exception of the program ends it, not the file."""
    unsure, expected, requires = ev.unsure, ev.expected_failure, list(ev.requires)
    stack, doubt = list(ev.stack), ev.in_doubt
    try:
        with ev.budget(ENTRY_BUDGET):
            return run()
    except UserError as error:
        if error.name not in ("Skipped", "SystemExit"):
            ev.trace(f"stops with {error.name}: {error.message}".rstrip(": "), error.span)
    except Exhausted:
        ev.trace("the step budget of this entry point is spent", stack[-1].span if stack else NOWHERE)
        if ev.steps > ev.limit:
            raise
    finally:
        ev.unsure, ev.expected_failure, ev.requires = unsure, expected, requires
        ev.in_doubt = doubt
        del ev.stack[len(stack) :]
    return UNKNOWN

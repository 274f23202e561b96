"""Giving up an analysis that nobody waits for any more: an editor has a newer text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tilelang.frontend.evaluator import Evaluator

SPENT = 10**15
"""More steps than any budget has."""


class Cancelled(BaseException):
    """The analysis was given up. No ``Exception``: code that copes with any error must not swallow it."""


class Cancellation:
    """The way to stop one analysis from another thread.

    :meth:`cancel` spends the budget of the evaluation that is under way, so that it ends within a few steps. Whoever
    runs the analysis calls :meth:`check` between pieces of work, and keeps no result of a cancelled one.
    """

    __slots__ = ("_cancelled", "_evaluator")

    def __init__(self) -> None:
        self._cancelled = False
        self._evaluator: Evaluator | None = None

    @property
    def cancelled(self) -> bool:
        return self._cancelled

    def cancel(self) -> None:
        """Stop soon. May be called from any thread, and more than once."""
        self._cancelled = True
        running = self._evaluator
        if running is not None:
            running.steps = SPENT

    def watch(self, evaluator: Evaluator | None) -> None:
        """The evaluation to stop, or None once it has ended. Raises :class:`Cancelled`."""
        self._evaluator = evaluator
        self.check()

    def check(self) -> None:
        """Raises :class:`Cancelled` if there is no point in going on."""
        if self._cancelled:
            raise Cancelled

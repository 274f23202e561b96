"""Code that runs only if an earlier statement did not leave its block.

After ``if unknown: return`` the rest of the function runs or not. It is evaluated as a trial on the state that the arm
without ``return`` left; then both outcomes are joined. The same holds for ``break`` and ``continue`` in loops.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tilelang.frontend.heap import Journal
from tilelang.frontend.signals import BREAK, CONTINUE, Break, Maybe, Return, UserError

if TYPE_CHECKING:
    import ast

    from tilelang.frontend.evaluator import Evaluator
    from tilelang.frontend.signals import Signal
    from tilelang.frontend.values import Scope


def settled(ev: Evaluator, signal: Signal) -> Signal:
    """The same signal, with the effects of both arms joined on the heap."""
    if isinstance(signal, Maybe) and signal.left is not None and signal.stayed is not None:
        ev.heap.join(signal.left, signal.stayed)
        return replace(signal, left=None, stayed=None)
    return signal


def after(ev: Evaluator, maybe: Maybe, rest: list[ast.stmt], scope: Scope) -> Signal:
    """Run the statements behind one that may have left."""
    if not rest:
        return maybe
    stayed = maybe.stayed

    def go_on() -> Signal:
        if stayed is not None:
            ev.heap.commit(stayed)
        return settled(ev, ev.exec(rest, scope))

    try:
        with ev.under_unknown_condition():
            outcome, journal = ev.heap.trial(go_on)
    except UserError:
        # As with two arms, one that raises says that the condition took the other way.
        if maybe.left is None:
            raise
        ev.heap.commit(maybe.left)
        return Return(scope.pending.pop()) if maybe.returned else BREAK if maybe.broke else CONTINUE
    ev.heap.join(maybe.left or Journal(), journal)
    return _either_of(replace(maybe, left=None, stayed=None), outcome, scope)


def _either_of(maybe: Maybe, outcome: Signal, scope: Scope) -> Signal:
    """The block was left in one of the ways of ``maybe``, or it ended with ``outcome``."""
    if outcome is None:
        return maybe
    if isinstance(outcome, Return) and not (maybe.broke or maybe.continued):
        return outcome
    return union(maybe, possibly(outcome, scope))


def possibly(signal: Signal, scope: Scope) -> Maybe:
    """A statement that may have left with ``signal``. A value that it may have returned is kept for the end of the
    function."""
    if isinstance(signal, Maybe):
        return signal
    if isinstance(signal, Return):
        scope.pending.append(signal.value)
        return Maybe(returned=True)
    if signal is None:
        return Maybe()
    return Maybe(broke=True) if isinstance(signal, Break) else Maybe(continued=True)


def union(a: Maybe, b: Maybe) -> Maybe:
    """Either of two: their effects are on the heap already."""
    return Maybe(a.returned or b.returned, a.broke or b.broke, a.continued or b.continued)

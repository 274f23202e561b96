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
    left = maybe.left or Journal()
    if outcome is None:
        return replace(maybe, left=left, stayed=journal)
    ev.heap.join(left, journal)
    if isinstance(outcome, Return) and not (maybe.broke or maybe.continued):
        return outcome
    return union(maybe, possibly(outcome, scope))


def then_always(ev: Evaluator, signal: Signal, body: list[ast.stmt], scope: Scope) -> Signal:
    """Run ``finally``: after both arms of a statement that may have left."""
    if isinstance(signal, Maybe) and signal.left is not None and signal.stayed is not None:
        arms: list[Journal] = []
        for arm in (signal.left, signal.stayed):

            def run(arm: Journal = arm) -> Signal:
                ev.heap.commit(arm)
                return settled(ev, ev.exec(body, scope))

            outcome, journal = ev.heap.trial(run)
            arms.append(journal)
            if outcome is not None:
                ev.heap.commit(journal)
                return outcome
        return replace(signal, left=arms[0], stayed=arms[1])
    final = ev.exec(body, scope)
    return final if final is not None else signal


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

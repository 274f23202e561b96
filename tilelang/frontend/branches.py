"""``if`` and ``match``: one arm where the condition is known, both where it is not."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tilelang.frontend import kernel_code
from tilelang.frontend.comparison import truth
from tilelang.frontend.evaluator import Evaluator, statement
from tilelang.frontend.heap import Journal, joined
from tilelang.frontend.leaving import possibly, settled, union
from tilelang.frontend.operators import is_ir
from tilelang.frontend.patterns import matches
from tilelang.frontend.scoping import bind
from tilelang.frontend.signals import Maybe, Return, Signal, UserError
from tilelang.ir.unknown import Unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilelang.frontend.values import Scope

    Arm = Callable[[], Signal]


@statement(ast.If)
def if_stmt(ev: Evaluator, node: ast.If, scope: Scope) -> Signal:
    condition = ev.eval(node.test, scope)
    if is_ir(condition) and (scope.kernel or ev.builder is not None):
        return kernel_code.if_ir(ev, node, condition, scope)
    known = truth(ev, condition)
    if isinstance(known, Unknown):
        if ev.builder is not None:
            return kernel_code.if_unknown(ev, node, scope)
        return either(ev, node.body, node.orelse, scope)
    return ev.exec(node.body if known else node.orelse, scope)


def either(ev: Evaluator, first: list[ast.stmt], second: list[ast.stmt], scope: Scope) -> Signal:
    """Run two alternatives under an unknown condition and go on with what holds for both.

    An alternative that raises is an assertion about the condition: the other one is taken.
    """
    return _either(ev, lambda: ev.exec(first, scope), lambda: ev.exec(second, scope), scope)


def _either(ev: Evaluator, first: Arm, second: Arm, scope: Scope) -> Signal:
    outcomes: list[tuple[Signal, Journal]] = []
    failure: UserError | None = None
    for arm in (first, second):
        with ev.under_unknown_condition():
            try:
                outcomes.append(ev.heap.trial(lambda arm=arm: settled(ev, arm())))
            except UserError as error:
                failure = error
    if not outcomes:
        assert failure is not None
        raise failure
    if len(outcomes) == 1:
        signal, journal = outcomes[0]
        ev.heap.commit(journal)
        return signal
    (left, left_journal), (right, right_journal) = outcomes
    if isinstance(left, Return) and isinstance(right, Return):
        ev.heap.join(left_journal, right_journal)
        return Return(joined(left.value, right.value))
    if left is not None and right is None and not isinstance(left, Maybe):
        return replace(possibly(left, scope), left=left_journal, stayed=right_journal)
    if right is not None and left is None and not isinstance(right, Maybe):
        return replace(possibly(right, scope), left=right_journal, stayed=left_journal)
    ev.heap.join(left_journal, right_journal)
    return left if left is right else union(possibly(left, scope), possibly(right, scope))


@statement(ast.Match)
def match_(ev: Evaluator, node: ast.Match, scope: Scope) -> Signal:
    return _cases(ev, node.cases, ev.eval(node.subject, scope), scope)


def _cases(ev: Evaluator, cases: list[ast.match_case], subject: Any, scope: Scope) -> Signal:
    """Run the first case that matches; where that is not known, both it and the first of the others that does."""
    for position, case in enumerate(cases):
        names: dict[str, Any] = {}
        matched = matches(ev, case.pattern, subject, scope, names)
        if matched is False:
            continue
        rest = cases[position + 1 :]

        def enter(names: dict[str, Any] = names) -> None:
            for name, value in names.items():
                bind(ev.heap, scope, name, value)

        if matched is not True:

            def possibly_this(case: ast.match_case = case, rest: list[ast.match_case] = rest) -> Signal:
                enter()
                if case.guard is not None and truth(ev, ev.eval(case.guard, scope)) is False:
                    return _cases(ev, rest, subject, scope)
                return ev.exec(case.body, scope)

            return _either(ev, possibly_this, lambda rest=rest: _cases(ev, rest, subject, scope), scope)
        enter()
        guard = True if case.guard is None else truth(ev, ev.eval(case.guard, scope))
        if guard is True:
            return ev.exec(case.body, scope)
        if guard is not False:
            return _either(
                ev,
                lambda body=case.body: ev.exec(body, scope),
                lambda rest=rest: _cases(ev, rest, subject, scope),
                scope,
            )
    return None

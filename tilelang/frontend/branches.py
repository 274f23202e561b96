"""``if`` and ``match``: one arm where the condition is known, both where it is not."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tilelang.frontend import kernel_code
from tilelang.frontend.comparison import equal, truth
from tilelang.frontend.evaluator import Evaluator, statement
from tilelang.frontend.heap import Journal, joined
from tilelang.frontend.leaving import possibly, settled, union
from tilelang.frontend.operators import is_ir
from tilelang.frontend.scoping import bind
from tilelang.frontend.signals import Maybe, Return, Signal, UserError
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from tilelang.frontend.values import Scope


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
    outcomes: list[tuple[Signal, Journal]] = []
    failure: UserError | None = None
    for body in (first, second):
        with ev.under_unknown_condition():
            try:
                outcomes.append(ev.heap.trial(lambda body=body: settled(ev, ev.exec(body, scope))))
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
    """``match``: literal and wildcard patterns are decided; anything else makes every case possible."""

    subject = ev.eval(node.subject, scope)
    for position, case in enumerate(node.cases):
        matched = _matches(ev, case.pattern, subject, scope)
        if matched is True and case.guard is None:
            return ev.exec(case.body, scope)
        if matched is not False:
            rest = node.cases[position + 1 :]
            other: list[ast.stmt] = []
            if rest:
                other = [ast.copy_location(ast.Match(node.subject, rest), node)]
            return either(ev, case.body, other, scope)
    return None


def _matches(ev: Evaluator, pattern: ast.pattern, subject: Any, scope: Scope) -> Any:
    if isinstance(pattern, ast.MatchValue):
        return equal(ev, subject, ev.eval(pattern.value, scope))
    if isinstance(pattern, ast.MatchSingleton):
        return subject is pattern.value if not isinstance(subject, Unknown) else UNKNOWN
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is None:
        if pattern.name is not None:
            bind(ev.heap, scope, pattern.name, subject)
        return True
    if isinstance(pattern, ast.MatchOr):
        results = [_matches(ev, part, subject, scope) for part in pattern.patterns]
        if any(result is True for result in results):
            return True
        return False if all(result is False for result in results) else UNKNOWN
    return UNKNOWN

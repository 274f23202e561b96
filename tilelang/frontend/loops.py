"""``for`` and ``while``: step by step where the trip count is known, else by what the body may do."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tilelang.frontend import kernel_code
from tilelang.frontend.comparison import truth
from tilelang.frontend.evaluator import Evaluator, statement
from tilelang.frontend.generators import MORE, drive, following, is_started, iterator
from tilelang.frontend.iteration import iterate
from tilelang.frontend.leaving import possibly, settled, union
from tilelang.frontend.operators import is_ir
from tilelang.frontend.signals import BREAK, CONTINUE, Break, Leave, Maybe, Return, Signal, UserError
from tilelang.frontend.statements import assign
from tilelang.frontend.values import MISSING, Generator
from tilelang.ir.unknown import UNKNOWN, Unknown
from tilelang.language.frames import LoopFrame

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilelang.frontend.values import Scope


LOOP_BUDGET = 40_000
"""Steps after which a Python loop counts as one of unknown length: loops over data, not over configurations."""


@statement(ast.For)
def for_stmt(ev: Evaluator, node: ast.For, scope: Scope) -> Signal:
    value = ev.eval(node.iter, scope)
    if isinstance(value, LoopFrame) and ev.builder is not None:
        return kernel_code.loop(ev, node, value, scope)
    if scope.kernel and isinstance(value, range):
        return kernel_code.range_loop(ev, node, value, scope)
    value = iterator(ev, value)
    if isinstance(value, Generator):
        if not is_started(ev, value):
            return _over_generator(ev, node, value, scope)
        following_item = lambda: following(ev, value)  # noqa: E731 - the loop below takes the items one by one
    else:
        items = iterate(ev, value)
        if items is None:
            return _after_loop(node, _unknown_loop(ev, node, scope), scope)
        pending = iter(items)
        following_item = lambda: next(pending, MISSING)  # noqa: E731

    def advance() -> Any:
        item = following_item()
        if item is MISSING:
            return False
        if item is MORE:
            return UNKNOWN
        assign(ev, node.target, item, scope)
        return True

    return _iterate(ev, node, advance, scope)


def _over_generator(ev: Evaluator, node: ast.For | ast.AsyncFor, generator: Generator, scope: Scope) -> Signal:
    """The body of the loop runs at each ``yield`` of the generator."""
    depth = len(ev.heap.journals)
    left = Maybe()

    def iteration(item: Any) -> Signal:
        assign(ev, node.target, item, scope)
        return settled(ev, ev.exec(node.body, scope))

    def each(item: Any) -> None:
        nonlocal left
        if item is MORE:
            left = union(left, _unknown_loop(ev, node, scope))
            return
        if left.returned or left.broke:  # the loop may be over
            with ev.under_unknown_condition():
                signal, journal = ev.heap.trial(lambda: iteration(item))
            ev.heap.havoc(journal)
            left = union(left, possibly(signal, scope))
            return
        signal = iteration(item)
        if isinstance(signal, (Return, Break)) and len(ev.heap.journals) == depth:
            raise Leave(each, signal)
        left = union(left, possibly(signal, scope))

    try:
        drive(ev, generator, each)
    except Leave as leave:
        if leave.consumer is not each:
            raise
        return leave.signal if isinstance(leave.signal, Return) else _after_loop(node, left, scope)
    if left.returned or left.broke:
        with ev.under_unknown_condition():
            signal, journal = ev.heap.trial(lambda: settled(ev, ev.exec(node.orelse, scope)))
        ev.heap.havoc(journal)
    else:
        signal = settled(ev, ev.exec(node.orelse, scope))
        if isinstance(signal, Return):
            return signal
    return _after_loop(node, union(left, possibly(signal, scope)), scope)


@statement(ast.While)
def while_stmt(ev: Evaluator, node: ast.While, scope: Scope) -> Signal:
    condition = ev.eval(node.test, scope)
    if is_ir(condition) and ev.builder is not None:
        return kernel_code.while_ir(ev, node, condition, scope)
    known = truth(ev, condition)
    if scope.kernel and isinstance(node.test, ast.Constant) and known is True:
        ev.problem(
            "invalid-argument",
            ev.span(node.test, scope),
            function="while",
            argument="condition",
            expected="a run-time condition",
            got="a constant that is always true",
        )
        return None
    first = [known]
    return _iterate(ev, node, lambda: first.pop() if first else truth(ev, ev.eval(node.test, scope)), scope)


def _iterate(
    ev: Evaluator, node: ast.For | ast.While, advance: Callable[[], Any], scope: Scope, *, possible: bool = False
) -> Signal:
    """Run iterations until one leaves. ``advance`` prepares the next one: True, False if there is none, or unknown.
    ``possible``: an iteration may have left already, so each further one runs or not."""
    start = ev.steps
    left = Maybe()
    while True:
        ev.step()
        more = advance()
        if more is False:
            signal = settled(ev, ev.exec(node.orelse, scope))
            break
        if isinstance(more, Unknown) or ev.steps - start > LOOP_BUDGET:
            return _after_loop(node, union(left, _unknown_loop(ev, node, scope)), scope)
        signal = settled(ev, ev.exec(node.body, scope))
        if isinstance(signal, (Return, Break)):
            break
        if isinstance(signal, Maybe) and (signal.returned or signal.broke):
            left = union(left, signal)
            if isinstance(node, ast.While):
                return _after_loop(node, union(left, _unknown_loop(ev, node, scope)), scope)
            if not possible:
                return _after_loop(node, union(left, _possible_rest(ev, node, advance, scope)), scope)
    if isinstance(signal, Return):
        return signal
    return _after_loop(node, left if isinstance(signal, Break) else union(left, possibly(signal, scope)), scope)


def _after_loop(node: ast.For | ast.AsyncFor | ast.While, left: Maybe, scope: Scope) -> Signal:
    """What a loop says to the block around it. A loop without end that nothing breaks was left by ``return``."""
    if not left.returned:
        return None
    if isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and not left.broke:
        return Return(scope.pending[-1])
    return Maybe(returned=True)


def _possible_rest(ev: Evaluator, node: ast.For, advance: Callable[[], Any], scope: Scope) -> Maybe:
    """The iterations behind one that may have left the loop: some number of them runs."""
    with ev.under_unknown_condition():
        signal, journal = ev.heap.trial(lambda: _iterate(ev, node, advance, scope, possible=True))
    ev.heap.havoc(journal)
    return possibly(signal, scope)


def _unknown_loop(ev: Evaluator, node: ast.For | ast.AsyncFor | ast.While, scope: Scope) -> Maybe:
    """Any number of iterations. The result says how one of them may leave the loop."""

    def once() -> Signal:
        if not isinstance(node, ast.While):
            assign(ev, node.target, UNKNOWN, scope)
        return settled(ev, ev.exec(node.body, scope))

    return possibly(any_number(ev, once), scope)


def any_number(ev: Evaluator, once: Callable[[], Any]) -> Any:
    """Run code that runs any number of times: find out what one run writes, forget that, then run it for what it
    records. The result is that of one run, or ``None`` if each one raises."""
    with ev.under_unknown_condition():
        try:
            ev.dry += 1
            _, journal = ev.heap.trial(once)
            ev.heap.havoc(journal)
        except UserError:
            return None
        finally:
            ev.dry -= 1
        try:
            found, journal = ev.heap.trial(once)
        except UserError:
            return None
        ev.heap.havoc(journal)
    return found


@statement(ast.AsyncFor)
def async_for(ev: Evaluator, node: ast.AsyncFor, scope: Scope) -> Signal:
    value = ev.eval(node.iter, scope)
    if isinstance(value, Generator):
        return _over_generator(ev, node, value, scope)
    return _after_loop(node, _unknown_loop(ev, node, scope), scope)


@statement(ast.Break)
def break_stmt(ev: Evaluator, node: ast.Break, scope: Scope) -> Signal:
    return kernel_code.jump(ev, "break", node, scope) if scope.kernel else BREAK


@statement(ast.Continue)
def continue_stmt(ev: Evaluator, node: ast.Continue, scope: Scope) -> Signal:
    return kernel_code.jump(ev, "continue", node, scope) if scope.kernel else CONTINUE

"""Values that are handed to code that is not followed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import DictVal, ListVal, SetVal
from tilelang.frontend.scoping import bind, captured, changed_names, declared
from tilelang.frontend.values import BoundMethod, Function, GeneratedContext, Generator, Object, Scope
from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.dtype import VOID
from tilelang.ir.expr import Call, Load
from tilelang.ir.stmt import Effect
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from tilelang.frontend.evaluator import Evaluator
    from tilelang.ir.span import Span


def forget_captured(ev: Evaluator, args: Any, kwargs: dict[str, Any], span: Span | None = None) -> None:
    """Code that is not followed got functions, objects or buffers: what it may change is unknown from here on."""
    builder = ev.builder
    places = [value for value in (*args, *kwargs.values()) if isinstance(value, (Buffer, Region, Load))]
    if builder is not None and places and span is not None:
        builder.emit(
            Effect(Call(VOID, "unknown", tuple(places), (("effect", "unknown"),), span=span), modelled=False, span=span)
        )
        builder.complete = False
    for given in (*args, *kwargs.values()):
        value = given.receiver if isinstance(given, BoundMethod) else given
        if isinstance(value, GeneratedContext):
            value = value.generator
        if isinstance(value, Generator):
            from tilelang.frontend.generators import give_away

            give_away(ev, value)
        if isinstance(value, Function):
            for name, held in captured(value.node, value.scope).items():
                if isinstance(held, (ListVal, DictVal, SetVal)):
                    _open(ev, held)
                elif isinstance(held, Object):
                    _open_object(ev, held)
                elif name in declared(value.node)[1]:
                    bind(
                        ev.heap,
                        Scope(value.scope.module, {}, value.scope, nonlocals_declared=frozenset((name,))),
                        name,
                        UNKNOWN,
                    )
            _forget_globals(ev, value)
        elif isinstance(value, Object):
            _open_object(ev, value)


def _forget_globals(ev: Evaluator, function: Function) -> None:
    """Variables of the module that a function changes itself."""
    module = function.scope.module
    for name in changed_names(function.node) & module.vars.keys():
        held = module.vars[name]
        if isinstance(held, (ListVal, DictVal, SetVal)):
            _open(ev, held)
        elif isinstance(held, Object):
            _open_object(ev, held)
    for name in declared(function.node)[0]:
        ev.heap.writing(module.vars)
        module.vars[name] = UNKNOWN


def _open(ev: Evaluator, held: ListVal | DictVal | SetVal) -> None:
    ev.heap.writing(held)
    held.open = True


def _open_object(ev: Evaluator, held: Object) -> None:
    for entry in held.attrs.values():
        if isinstance(entry, (ListVal, DictVal, SetVal)):
            _open(ev, entry)

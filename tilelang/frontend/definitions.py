"""``def``, ``class`` and ``import``."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tilelang.frontend.evaluator import Evaluator, statement
from tilelang.frontend.expressions import make_function
from tilelang.frontend.scoping import bind
from tilelang.frontend.values import (
    MISSING,
    Class,
    ClassMethod,
    External,
    Function,
    Mark,
    Model,
    Object,
    Property,
    Scope,
    StaticMethod,
)
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from tilelang.frontend.signals import Signal


@statement(ast.FunctionDef)
def function_def(ev: Evaluator, node: ast.FunctionDef, scope: Scope) -> Signal:
    value: Any = make_function(ev, node, scope, node.name)
    for decorator in reversed(node.decorator_list):
        value = _decorate(ev, decorator, value, scope)
    bind(ev.heap, scope, node.name, value)
    return None


@statement(ast.AsyncFunctionDef)
def async_function_def(ev: Evaluator, node: ast.AsyncFunctionDef, scope: Scope) -> Signal:
    bind(ev.heap, scope, node.name, make_function(ev, node, scope, node.name))
    return None


def _decorate(ev: Evaluator, node: ast.expr, value: Any, scope: Scope) -> Any:
    """Apply one decorator. One that is not modelled is taken to return a function that behaves like the original."""
    from tilelang.frontend.calls import call

    if isinstance(node, ast.Attribute) and node.attr in ("setter", "deleter", "getter"):
        member = ev.eval(node.value, scope)
        if isinstance(member, Property):
            return replace(member, **{node.attr: value}) if node.attr != "deleter" else member
        return value
    decorator = ev.eval(node, scope)
    span = ev.span(node, scope)
    if isinstance(decorator, Mark):
        if isinstance(value, Function):
            value.marks = (*value.marks, decorator)
        return value
    if isinstance(decorator, (External, Unknown)):
        return value
    result = call(ev, decorator, (value,), {}, span)
    if isinstance(decorator, Model) or not isinstance(result, Unknown):
        return value if isinstance(result, Unknown) else result
    return value


@statement(ast.ClassDef)
def class_def(ev: Evaluator, node: ast.ClassDef, scope: Scope) -> Signal:
    bases = tuple(ev.eval(base, scope) for base in node.bases)
    kind = "plain"
    external = False
    for base in bases:
        if isinstance(base, Class):
            kind = base.kind if base.kind != "plain" else kind
        elif isinstance(base, (External, Model)):
            kind = _KINDS.get(base.name.rsplit(".", 1)[-1], kind)
            external = external or base.name.rsplit(".", 1)[-1] not in (*_KINDS, "object", "ABC", "Protocol", "Generic")
        else:
            external = True
    body_scope = Scope(scope.module, {}, scope, scope.function, is_class=True, via=scope.via)
    outer, ev.enum_base = ev.enum_base, _last_name(bases[-1]) if bases else ""
    try:
        ev.exec(node.body, body_scope)
    finally:
        ev.enum_base = outer
    made = Class(node.name, bases, body_scope.vars, kind, external_base=external)
    annotated = [s for s in node.body if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)]
    inherited = [field for base in bases if isinstance(base, Class) for field in base.fields]
    own = [
        (s.target.id, body_scope.vars.get(s.target.id, MISSING)) for s in annotated if isinstance(s.target, ast.Name)
    ]
    made.fields = (*(f for f in inherited if f[0] not in dict(own)), *own)
    for name, member in list(made.vars.items()):
        if isinstance(member, Function):
            member.owner = made
        elif isinstance(member, (StaticMethod, ClassMethod)) and isinstance(member.function, Function):
            member.function.owner = made
        elif isinstance(member, Property):
            for accessor in (member.getter, member.setter):
                if isinstance(accessor, Function):
                    accessor.owner = made
        elif kind == "enum" and not name.startswith("_"):
            made.vars[name] = Object(made, {"name": name, "value": member, "_value_": member})
    result: Any = made
    for decorator in reversed(node.decorator_list):
        result = _decorate_class(ev, decorator, result, scope)
    bind(ev.heap, scope, node.name, result)
    return None


def _last_name(base: Any) -> str:
    return str(getattr(base, "name", "")).rsplit(".", 1)[-1]


_KINDS = {
    "Enum": "enum",
    "IntEnum": "enum",
    "StrEnum": "enum",
    "Flag": "enum",
    "IntFlag": "enum",
    "NamedTuple": "namedtuple",
    "TypedDict": "typeddict",
}


def _decorate_class(ev: Evaluator, node: ast.expr, value: Any, scope: Scope) -> Any:
    from tilelang.frontend.calls import call

    decorator = ev.eval(node, scope)
    if isinstance(decorator, Mark):
        if isinstance(value, Class):
            value.vars["__marks__"] = (*value.vars.get("__marks__", ()), decorator)
        return value
    if isinstance(decorator, (External, Unknown)):
        return value
    result = call(ev, decorator, (value,), {}, ev.span(node, scope))
    return value if isinstance(result, Unknown) else result


@statement(ast.Import)
def import_(ev: Evaluator, node: ast.Import, scope: Scope) -> Signal:
    for alias in node.names:
        if alias.asname is not None:
            bind(ev.heap, scope, alias.asname, ev.modules.resolve(ev, alias.name, scope.module))
        else:
            root = alias.name.split(".", 1)[0]
            ev.modules.resolve(ev, alias.name, scope.module)
            bind(ev.heap, scope, root, ev.modules.resolve(ev, root, scope.module))
    return None


@statement(ast.ImportFrom)
def import_from(ev: Evaluator, node: ast.ImportFrom, scope: Scope) -> Signal:
    source = ev.modules.resolve_from(ev, node.module, node.level, scope.module)
    for alias in node.names:
        if alias.name == "*":
            for name, value in ev.modules.public_names(ev, source):
                bind(ev.heap, scope, name, value)
            continue
        value = ev.modules.member(ev, source, alias.name, ev.span(alias, scope))
        bind(ev.heap, scope, alias.asname or alias.name, UNKNOWN if value is MISSING else value)
    return None

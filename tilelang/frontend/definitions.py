"""``def``, ``class`` and ``import``."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import DictVal
from tilelang.frontend.evaluator import Evaluator, statement
from tilelang.frontend.expressions import make_function
from tilelang.frontend.models.dataclasses import written_fields
from tilelang.frontend.models.system import AUTO
from tilelang.frontend.scoping import bind
from tilelang.frontend.values import (
    MISSING,
    CachedProperty,
    Class,
    ClassMethod,
    ContextFactory,
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
    from tilelang.ir.span import Span


@statement(ast.FunctionDef)
@statement(ast.AsyncFunctionDef)
def function_def(ev: Evaluator, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> Signal:
    value: Any = make_function(ev, node, scope, node.name)
    for decorator in reversed(node.decorator_list):
        value = _decorate(ev, decorator, value, scope)
    bind(ev.heap, scope, node.name, value)
    return None


def _decorate(ev: Evaluator, node: ast.expr, value: Any, scope: Scope) -> Any:
    """Apply one decorator. One that is not modelled is taken to return a function that behaves like the original."""
    from tilelang.frontend.calls import call

    if isinstance(node, ast.Attribute) and node.attr in ("setter", "deleter", "getter"):
        member = ev.eval(node.value, scope)
        if isinstance(member, Property):
            return replace(member, **{node.attr: value})
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
    ev.exec(node.body, body_scope)
    keywords = {word.arg: ev.eval(word.value, scope) for word in node.keywords if word.arg is not None}
    made = Class(node.name, bases, body_scope.vars, kind, external_base=external)
    made = _made_by_metaclass(ev, made, keywords.pop("metaclass", made.meta), keywords, ev.span(node, scope))
    made.written = written_fields(node.body, body_scope.vars)
    made.fields = next((cls.fields for cls in made.mro[1:] if cls.fields), made.written if kind == "namedtuple" else ())
    for name, member in list(made.vars.items()):
        if isinstance(member, Function):
            member.owner = made
        elif isinstance(member, (StaticMethod, ClassMethod)) and isinstance(member.function, Function):
            member.function.owner = made
        elif isinstance(member, Property):
            for accessor in (member.getter, member.setter, member.deleter):
                if isinstance(accessor, Function):
                    accessor.owner = made
        elif isinstance(member, (CachedProperty, ContextFactory)) and isinstance(member.function, Function):
            member.function.owner = made
        elif kind == "enum" and not name.startswith("_"):
            value = automatic_value(made, name) if member == AUTO else member
            made.vars[name] = Object(made, {"name": name, "value": value, "_value_": value})
    _announce(ev, made, keywords, ev.span(node, scope))
    result: Any = made
    for decorator in reversed(node.decorator_list):
        result = _decorate_class(ev, decorator, result, scope)
    bind(ev.heap, scope, node.name, result)
    return None


_METACLASSES = frozenset(("type", "ABCMeta", "EnumMeta", "EnumType"))


def _made_by_metaclass(ev: Evaluator, made: Class, meta: Any, keywords: dict[str, Any], span: Span) -> Class:
    """The class that a metaclass makes of a class body. What one that is not followed makes of it is not known."""
    from tilelang.frontend.calls import call

    if meta is None or (isinstance(meta, (External, Model)) and meta.name.rsplit(".", 1)[-1] in _METACLASSES):
        return made
    if isinstance(meta, Class):
        for member in made.vars.values():
            if isinstance(member, Function):
                member.owner = made
        found: Any = made
        arguments = (made.name, made.bases, DictVal(made.vars))
        maker, prepare = meta.lookup("__new__"), meta.lookup("__init__")
        if isinstance(maker, Function):
            found = call(ev, maker, (meta, *arguments), keywords, span)
        if isinstance(found, Class):
            if found is not made:
                found.fields, found.kind = made.fields, made.kind
                found.external_base = made.external_base
            found.meta = meta
            if isinstance(prepare, Function):
                call(ev, prepare, (found, *arguments), keywords, span)
            return found
    for name, member in made.vars.items():
        made.vars[name] = member if isinstance(member, Function) else UNKNOWN
    made.external_base = True
    return made


def _announce(ev: Evaluator, made: Class, keywords: dict[str, Any], span: Span) -> None:
    """Call ``__init_subclass__`` of the nearest base that has one."""
    from tilelang.frontend.calls import call

    for base in made.mro[1:]:
        hook = base.vars.get("__init_subclass__")
        if hook is not None:
            function = hook.function if isinstance(hook, ClassMethod) else hook
            call(ev, function, (made,), keywords, span)
            return


def automatic_value(cls: Class, name: str) -> Any:
    """The value of an enum member that is written ``auto()``."""
    if cls.lookup("_generate_next_value_") is not MISSING:
        return UNKNOWN
    kinds = {getattr(base, "name", "").rsplit(".", 1)[-1] for each in cls.mro for base in each.bases}
    if "StrEnum" in kinds:
        return name.lower()
    before = [member.attrs.get("value") for member in cls.vars.values() if isinstance(member, Object)]
    if not before:
        return 1
    if not all(isinstance(value, int) for value in before):
        return UNKNOWN
    numbers = [int(value) for value in before if isinstance(value, int)]
    if kinds & {"Flag", "IntFlag"}:
        return 1 << max(numbers).bit_length() if max(numbers) > 0 else 1
    # Python 3.10 goes on from the last value, later ones from the largest.
    return numbers[-1] + 1 if numbers[-1] == max(numbers) else UNKNOWN


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

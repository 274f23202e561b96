"""``dataclasses``: fields, the ``__init__`` that is made of them, and copies."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import DictVal
from tilelang.frontend.models.registry import model
from tilelang.frontend.signals import UserError
from tilelang.frontend.values import MISSING, Class, Field, Function, Model, Object
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from tilelang.frontend.arguments import Args
    from tilelang.frontend.evaluator import Evaluator
    from tilelang.ir.span import Span


class FieldDefault:
    """``dataclasses.field(...)``."""

    __slots__ = ("default", "factory", "init", "keyword")

    def __init__(self, default: Any, factory: Any, init: Any, keyword: Any) -> None:
        self.default, self.factory, self.init, self.keyword = default, factory, init, keyword


def written_fields(body: list[ast.stmt], values: dict[str, Any]) -> tuple[Field, ...]:
    """The fields that the annotations of a class body declare; ``values`` are the names that it binds."""
    found: dict[str, Field] = {}
    keyword = False
    for stmt in body:
        if not isinstance(stmt, ast.AnnAssign) or not isinstance(stmt.target, ast.Name):
            continue
        kind = _annotation(stmt.annotation)
        if kind == "KW_ONLY":
            keyword = True
        elif kind != "ClassVar":
            name = stmt.target.id
            found[name] = Field(name, values.get(name, MISSING), stored=kind != "InitVar", keyword=keyword)
    return tuple(found.values())


def _annotation(node: ast.expr) -> str:
    """The last name of an annotation without its subscript, which is what tells fields apart."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.split("[", 1)[0].rsplit(".", 1)[-1].strip()
    if isinstance(node, ast.Subscript):
        return _annotation(node.value)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


@model("dataclasses.dataclass")
def dataclass_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    if args and isinstance(args[0], Class):
        return _prepared(ev, args[0], kwargs)
    return Model("dataclass", lambda ev, inner, _: dataclass_(ev, inner, kwargs))


def _prepared(ev: Evaluator, cls: Class, options: dict[str, Any]) -> Class:
    cls.kind = "dataclass"
    fields: dict[str, Field] = {}
    for base in reversed(cls.mro[1:]):
        if base.kind == "dataclass":
            fields.update((field.name, field) for field in base.fields)
    for field in cls.written:
        own = field.default.keyword if isinstance(field.default, FieldDefault) else None
        keyword = field.keyword or options.get("kw_only") is True
        fields[field.name] = replace(field, keyword=keyword if own is None else own is True)
        if isinstance(field.default, FieldDefault):  # the class has the default itself, if there is one
            ev.heap.writing(cls.vars)
            cls.vars.pop(field.name, None)
            if field.default.default is not MISSING:
                cls.vars[field.name] = field.default.default
    cls.fields = tuple(fields.values())
    return cls


@model("dataclasses.field")
def field_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return FieldDefault(
        kwargs.get("default", MISSING), kwargs.get("default_factory"), kwargs.get("init", True), kwargs.get("kw_only")
    )


@model("dataclasses.replace", "copy.replace")
def replace_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    if not args or not isinstance(args[0], Object):
        return UNKNOWN
    transient = [field for field in args[0].cls.fields if not field.stored]
    stored = {name: value for name, value in kwargs.items() if all(name != field.name for field in transient)}
    made = Object(args[0].cls, {**args[0].attrs, **stored})
    defaults = {field.name: UNKNOWN if field.default is MISSING else field.default for field in transient}
    _post_init(ev, made, [kwargs.get(name, default) for name, default in defaults.items()], args.span)
    return made


@model("dataclasses.asdict")
def asdict_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    if not args or not isinstance(args[0], Object):
        return UNKNOWN
    return DictVal({field.name: args[0].attrs.get(field.name, UNKNOWN) for field in args[0].cls.fields if field.stored})


@model("dataclasses.astuple")
def astuple_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    if not args or not isinstance(args[0], Object):
        return UNKNOWN
    return tuple(args[0].attrs.get(field.name, UNKNOWN) for field in args[0].cls.fields if field.stored)


def fill_fields(ev: Evaluator, made: Object, args: Args, kwargs: dict[str, Any], span: Span, *, opened: bool) -> None:
    """What the generated ``__init__`` of a dataclass or named tuple does."""
    taken = [field for field in made.cls.fields if not _not_in_init(field.default)]
    positional = [field.name for field in taken if not field.keyword]
    if len(args) > len(positional):
        raise UserError("TypeError", f"{made.cls.name}() takes {len(positional)} arguments, {len(args)} given", span)
    given = dict(zip(positional, args, strict=False))
    names = {field.name for field in taken}
    for name, value in kwargs.items():
        if name not in names and not made.cls.has_external_base():
            raise UserError("TypeError", f"{made.cls.name}() has no field {name}", span)
        given[name] = value
    transient: list[Any] = []
    for field in made.cls.fields:
        value = _initial(ev, made.cls, field, given, span, opened=opened)
        if not field.stored:
            transient.append(value)
        elif value is not MISSING:
            made.attrs[field.name] = value
    _post_init(ev, made, transient, span)


def _initial(ev: Evaluator, cls: Class, field: Field, given: dict[str, Any], span: Span, *, opened: bool) -> Any:
    """What a field starts with: what the call gives, or its default."""
    if field.name in given:
        return given[field.name]
    default = field.default
    if isinstance(default, FieldDefault):
        if default.factory is not None:
            from tilelang.frontend.calls import call

            return call(ev, default.factory, (), {}, span)
        default = default.default
    if default is MISSING and not _not_in_init(field.default):
        if not opened:
            raise UserError("TypeError", f"{cls.name}() misses the field {field.name}", span)
        return UNKNOWN
    return default


def _not_in_init(default: Any) -> bool:
    return isinstance(default, FieldDefault) and default.init is False


def _post_init(ev: Evaluator, made: Object, transient: list[Any], span: Span) -> None:
    hook = made.cls.lookup("__post_init__")
    if isinstance(hook, Function):
        from tilelang.frontend.calls import call

        call(ev, hook, (made, *transient), {}, span)

"""Classes with behaviour from the standard library: dataclasses, enums, named tuples, ``nn.Module``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import DictVal, is_sequence, is_tuple
from tilelang.frontend.models.registry import model
from tilelang.frontend.signals import UserError
from tilelang.frontend.values import MISSING, Class, Function, Model, Object, Tensor
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from tilelang.frontend.arguments import Args
    from tilelang.frontend.evaluator import Evaluator
    from tilelang.ir.span import Span


class FieldDefault:
    """``dataclasses.field(...)``."""

    __slots__ = ("default", "factory", "init")

    def __init__(self, default: Any, factory: Any, init: Any) -> None:
        self.default, self.factory, self.init = default, factory, init


@model("dataclasses.dataclass")
def dataclass_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    if args and isinstance(args[0], Class):
        args[0].kind = "dataclass"
        return args[0]
    return Model("dataclass", dataclass_)


@model("dataclasses.field")
def field_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return FieldDefault(kwargs.get("default", MISSING), kwargs.get("default_factory"), kwargs.get("init", True))


@model("dataclasses.replace", "copy.replace")
def replace_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    if not args or not isinstance(args[0], Object):
        return UNKNOWN
    made = Object(args[0].cls, {**args[0].attrs, **kwargs})
    _post_init(ev, made, args.span)
    return made


@model("dataclasses.asdict")
def asdict_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    if not args or not isinstance(args[0], Object):
        return UNKNOWN
    return DictVal({name: args[0].attrs.get(name, UNKNOWN) for name, _ in args[0].cls.fields})


@model("dataclasses.astuple")
def astuple_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    if not args or not isinstance(args[0], Object):
        return UNKNOWN
    return tuple(args[0].attrs.get(name, UNKNOWN) for name, _ in args[0].cls.fields)


def fill_fields(ev: Evaluator, made: Object, args: Args, kwargs: dict[str, Any], span: Span, *, opened: bool) -> None:
    """What the generated ``__init__`` of a dataclass or named tuple does."""
    fields = [(name, default) for name, default in made.cls.fields if not _not_in_init(default)]
    if len(args) > len(fields):
        raise UserError("TypeError", f"{made.cls.name}() takes {len(fields)} arguments, {len(args)} given", span)
    given = dict(zip([name for name, _ in fields], args, strict=False))
    names = {name for name, _ in fields}
    for name, value in kwargs.items():
        if name not in names and not made.cls.has_external_base():
            raise UserError("TypeError", f"{made.cls.name}() has no field {name}", span)
        given[name] = value
    for name, default in made.cls.fields:
        if name in given:
            made.attrs[name] = given[name]
        elif isinstance(default, FieldDefault):
            made.attrs[name] = _field_value(ev, default, span)
        elif default is not MISSING:
            made.attrs[name] = default
        elif opened:
            made.attrs[name] = UNKNOWN
        else:
            raise UserError("TypeError", f"{made.cls.name}() misses the field {name}", span)
    _post_init(ev, made, span)


def _not_in_init(default: Any) -> bool:
    return isinstance(default, FieldDefault) and default.init is False


def _field_value(ev: Evaluator, default: FieldDefault, span: Span) -> Any:
    if default.factory is not None:
        from tilelang.frontend.calls import call

        return call(ev, default.factory, (), {}, span)
    return UNKNOWN if default.default is MISSING else default.default


def _post_init(ev: Evaluator, made: Object, span: Span) -> None:
    hook = made.cls.lookup("__post_init__")
    if isinstance(hook, Function):
        from tilelang.frontend.calls import call

        call(ev, hook, (made,), {}, span)


@model("collections.namedtuple")
def namedtuple_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    if len(args) < 2 or not isinstance(args[0], str):
        return UNKNOWN
    names = args[1].replace(",", " ").split() if isinstance(args[1], str) else args[1]
    if not is_sequence(names) or not all(isinstance(name, str) for name in names):
        return UNKNOWN
    defaults = kwargs.get("defaults")
    tail = list(defaults) if is_sequence(defaults) else []
    fields: list[tuple[str, Any]] = [(str(name), MISSING) for name in names]
    for offset, value in enumerate(reversed(tail[-len(fields) :])):
        fields[-1 - offset] = (fields[-1 - offset][0], value)
    return Class(args[0], (), {}, "namedtuple", tuple(fields))


def inherited(owner: Object, name: str) -> Any:
    """Attributes that a library base class gives an object."""
    if owner.cls.kind == "namedtuple":
        if name == "_asdict":
            return Model(name, lambda ev, args, kwargs: DictVal(owner.attrs))
        if name == "_replace":
            return Model(name, lambda ev, args, kwargs: Object(owner.cls, {**owner.attrs, **kwargs}))
    if (
        name in ("cuda", "cpu", "to", "eval", "train", "half", "float", "bfloat16", "requires_grad_")
        and owner.cls.external_base
    ):
        return Model(name, lambda ev, args, kwargs: owner)
    if name == "save_for_backward":
        return Model(name, lambda ev, args, kwargs: owner.attrs.__setitem__("saved_tensors", tuple(args)))
    if name in ("mark_non_differentiable", "set_materialize_grads"):
        return Model(name, lambda ev, args, kwargs: None)
    return UNKNOWN


def class_member(ev: Evaluator, owner: Class, name: str) -> Any:
    """Class attributes that a library base class gives: ``apply`` of ``torch.autograd.Function``."""
    if name == "apply" and owner.has_external_base():
        forward = owner.lookup("forward")
        if forward is not MISSING:
            return Model("apply", lambda ev, args, kwargs: _apply(ev, owner, forward, args, kwargs))
    if name == "_fields" and owner.kind == "namedtuple":
        return tuple(field for field, _ in owner.fields)
    return UNKNOWN


def _apply(ev: Evaluator, owner: Class, forward: Any, args: Args, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.calls import call

    context = Object(Class("Context", (), {}, external_base=True), {"saved_tensors": ()})
    result = call(ev, forward, (context, *args), kwargs, args.span)
    backward = owner.lookup("backward")
    results = result if is_tuple(result) else (result,)
    first = results[0] if results else None
    if isinstance(first, Tensor) and backward is not MISSING:
        span = args.span
        # Gradients have the shapes of what forward returned, whatever callers made of it since.
        gradients = [Tensor(r.shape, r.dtype) if isinstance(r, Tensor) else UNKNOWN for r in results]
        first.backward = Model("backward", lambda ev, args, kwargs: call(ev, backward, (context, *gradients), {}, span))
    return result

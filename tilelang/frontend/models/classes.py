"""Classes with behaviour from libraries: named tuples, ``nn.Module``, ``autograd.Function``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import DictVal, is_sequence, is_tuple
from tilelang.frontend.models.registry import model
from tilelang.frontend.values import MISSING, Class, Field, Model, Object, Tensor
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from tilelang.frontend.arguments import Args
    from tilelang.frontend.evaluator import Evaluator


@model("collections.namedtuple")
def namedtuple_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    if len(args) < 2 or not isinstance(args[0], str):
        return UNKNOWN
    names = args[1].replace(",", " ").split() if isinstance(args[1], str) else args[1]
    if not is_sequence(names) or not all(isinstance(name, str) for name in names):
        return UNKNOWN
    defaults = kwargs.get("defaults")
    tail = list(defaults) if is_sequence(defaults) else []
    values = [*[MISSING] * len(names), *tail][-len(names) :]
    fields = [Field(str(name), value) for name, value in zip(names, values, strict=True)]
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
        return tuple(field.name for field in owner.fields)
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

"""``value.name``, read and written."""

from __future__ import annotations

import ast
from enum import Enum
from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import is_container
from tilelang.frontend.evaluator import Evaluator, expression
from tilelang.frontend.heap import joined
from tilelang.frontend.signals import UserError
from tilelang.frontend.values import (
    DEFINITIONS,
    MISSING,
    BoundMethod,
    CachedProperty,
    Class,
    ClassMethod,
    ContextFactory,
    External,
    Function,
    Generator,
    Jit,
    Kernel,
    Macro,
    Model,
    Module,
    Object,
    Partial,
    PrimFunc,
    Property,
    Scope,
    StaticMethod,
    Super,
    Tensor,
)
from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.dtype import DType
from tilelang.ir.expr import Expr
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from tilelang.ir.span import Span


@expression(ast.Attribute)
def attribute(ev: Evaluator, node: ast.Attribute, scope: Scope) -> Any:
    owner = ev.eval(node.value, scope)
    return get(ev, owner, node.attr, ev.span(node, scope))


def get(ev: Evaluator, owner: Any, name: str, span: Span) -> Any:
    """The attribute of a value; unknown if it is not modelled."""
    if isinstance(owner, Unknown):
        return UNKNOWN
    if isinstance(owner, (External, Module)):
        found = ev.modules.member(ev, owner, name, span)
        return UNKNOWN if found is MISSING else found
    if isinstance(owner, Object):
        return _object(ev, owner, name, span)
    if isinstance(owner, Class):
        return _class(ev, owner, name)
    if isinstance(owner, Buffer):
        return _buffer(ev, owner, name)
    if isinstance(owner, DType):
        return _dtype(ev, owner, name)
    if is_container(owner) or isinstance(owner, (str, bytes)):
        from tilelang.frontend.models.methods import method

        return method(owner, name)
    if isinstance(owner, Tensor):
        from tilelang.frontend.models.tensors import attribute as tensor_attribute

        return tensor_attribute(ev, owner, name)
    if isinstance(owner, Function):
        if name in ("__name__", "__qualname__"):
            return owner.name
        if name == "__defaults__":
            return owner.attrs.get(name, owner.defaults or None)
        return owner.attrs.get(name, UNKNOWN)
    if isinstance(owner, (Jit, Kernel, PrimFunc, Macro)):
        from tilelang.frontend.models.jit import member

        return member(ev, owner, name)
    if isinstance(owner, Super):
        return _super(ev, owner, name, span)
    if isinstance(owner, Partial):
        return _partial(owner, name)
    if isinstance(owner, Region):
        return owner.buffer if name == "buffer" else UNKNOWN
    if isinstance(owner, Expr):
        return _expr(owner, name)
    if isinstance(owner, Model):
        return ev.modules.member(ev, External(owner.name), name, span)
    if isinstance(owner, Generator):
        from tilelang.frontend.models.iterators import method_of_generator

        return method_of_generator(owner, name)
    if isinstance(owner, BoundMethod):
        return owner.receiver if name == "__self__" else UNKNOWN
    if isinstance(owner, (int, float)) and name in ("real", "numerator", "bit_length", "is_integer"):
        from tilelang.frontend.models.methods import method

        return method(owner, name)
    return _own(owner, name)


def _partial(owner: Partial, name: str) -> Any:
    if name == "keywords":
        from tilelang.frontend.containers import DictVal

        return DictVal(dict(owner.kwargs))
    return {"func": owner.function, "args": owner.args}.get(name, UNKNOWN)


def _own(owner: Any, name: str) -> Any:
    """Attributes of the core's own classes and enums, which hold plain data."""
    module = owner.__module__ if isinstance(owner, type) else type(owner).__module__
    if not module.startswith("tilelang.") or name.startswith("_"):
        return UNKNOWN
    found = getattr(owner, name, UNKNOWN)
    if isinstance(owner, Enum) and name == "value":
        return owner.value
    return found


def _object(ev: Evaluator, owner: Object, name: str, span: Span) -> Any:
    if owner.cls.hooked:
        hook = owner.cls.lookup("__getattribute__")
        if isinstance(hook, Function):
            from tilelang.frontend.calls import call

            return call(ev, hook, (owner, name), {}, span)
    return stored(ev, owner, name, span)


def stored(ev: Evaluator, owner: Object, name: str, span: Span) -> Any:
    """What ``object.__getattribute__`` finds."""
    if name in owner.attrs:
        return owner.attrs[name]
    if name == "__class__":
        return owner.cls
    if name == "__dict__":
        return owner.attrs
    found = owner.cls.lookup(name)
    if isinstance(found, CachedProperty):
        from tilelang.frontend.calls import call

        value = call(ev, found.function, (owner,), {}, span)
        ev.heap.writing(owner.attrs)
        owner.attrs[name] = value
        return value
    if found is not MISSING:
        return bound(ev, found, owner, owner.cls, span)
    fallback = owner.cls.lookup("__getattr__")
    if isinstance(fallback, Function):
        from tilelang.frontend.calls import call

        return call(ev, fallback, (owner, name), {}, span)
    return _library_member(owner, name)


def _library_member(owner: Object, name: str) -> Any:
    """Attributes that a base class from a package provides."""
    from tilelang.frontend.models.classes import inherited

    return inherited(owner, name)


def bound(ev: Evaluator, member: Any, receiver: Any, cls: Class, span: Span) -> Any:
    """A class attribute as seen through an instance."""
    if isinstance(member, (ContextFactory, Function, Model)) and not isinstance(member, Jit):
        return BoundMethod(member, receiver)
    if isinstance(member, Property):
        from tilelang.frontend.calls import call

        return call(ev, member.getter, (receiver,), {}, span)
    if isinstance(member, StaticMethod):
        return member.function
    if isinstance(member, ClassMethod):
        return BoundMethod(member.function, cls)
    return member


def _class(ev: Evaluator, owner: Class, name: str) -> Any:
    found = owner.lookup(name)
    if found is MISSING:
        if name == "__name__":
            return owner.name
        inherited = owner.meta.lookup(name) if owner.meta is not None else MISSING
        if isinstance(inherited, Function):
            return BoundMethod(inherited, owner)
        if inherited is not MISSING:
            return UNKNOWN
        if name == "__members__" and owner.kind == "enum":
            from tilelang.frontend.containers import DictVal

            return DictVal({k: v for k, v in owner.vars.items() if isinstance(v, Object)})
        from tilelang.frontend.models.classes import class_member

        return class_member(ev, owner, name)
    if isinstance(found, StaticMethod):
        return found.function
    if isinstance(found, ClassMethod):
        return BoundMethod(found.function, owner)
    return found


def _super(ev: Evaluator, owner: Super, name: str, span: Span) -> Any:
    receiver = owner.receiver
    cls = receiver.cls if isinstance(receiver, Object) else receiver if isinstance(receiver, Class) else owner.cls
    order = cls.mro if owner.cls in cls.mro else owner.cls.mro
    for base in order[order.index(owner.cls) + 1 :]:
        if name in base.vars:
            found = base.vars[name]
            return found if name == "__new__" else bound(ev, found, receiver, cls, span)
    from tilelang.frontend.models.objects import of_object

    return of_object(name, receiver)


def _buffer(ev: Evaluator, owner: Buffer, name: str) -> Any:
    if name == "shape":
        return owner.shape
    if name == "dtype":
        return owner.dtype
    if name == "name":
        return owner.name
    if name == "ndim":
        return owner.rank
    if name == "strides":
        return owner.strides if owner.strides is not None else _dense_strides(owner)
    if name == "scope":
        return Model("Buffer.scope", lambda ev, args, kwargs: owner.scope)
    if name == "data":
        from tilelang.ir.dtype import HANDLE
        from tilelang.ir.expr import Call

        return Call(HANDLE, "address_of", (owner,), (("effect", "unknown"),), span=owner.span)
    if name == "access_ptr":
        from tilelang.frontend.dsl import method_of_buffer

        return method_of_buffer(owner)
    return UNKNOWN


def _dense_strides(owner: Buffer) -> Any:
    from tilelang.ir.span import NOWHERE
    from tilelang.language.arith import binary

    strides: list[Any] = []
    step: Any = 1
    for extent in reversed(owner.shape):
        strides.append(step)
        step = binary("*", step, extent, NOWHERE)
    return tuple(reversed(strides))


def _dtype(ev: Evaluator, owner: DType, name: str) -> Any:
    if name in ("bits", "lanes"):
        return getattr(owner, name) if owner.is_known else UNKNOWN
    if name in ("bytes", "itemsize"):
        return (owner.bits + 7) // 8 if owner.is_known else UNKNOWN
    if name == "is_floating_point":
        return owner.is_float
    if name == "as_torch":
        return Model("dtype.as_torch", lambda ev, args, kwargs: owner)
    if name == "type":
        return owner
    if name == "name":
        return str(owner)
    from tilelang.frontend.models.methods import method

    return method(owner, name)


def _expr(owner: Expr, name: str) -> Any:
    if name == "dtype":
        return owner.dtype
    if name == "astype":
        from tilelang.frontend.dsl import astype

        return Model("astype", lambda ev, args, kwargs: astype(ev, owner, args, kwargs))
    return getattr(owner, name, UNKNOWN) if name in ("name", "value", "buffer", "indices") else UNKNOWN


def set_(ev: Evaluator, owner: Any, name: str, value: Any, span: Span) -> None:
    """``owner.name = value``."""
    if isinstance(owner, Object):
        hook = owner.cls.lookup("__setattr__") if owner.cls.hooked else None
        if isinstance(hook, Function):
            from tilelang.frontend.calls import call

            call(ev, hook, (owner, name, value), {}, span)
        else:
            store_attribute(ev, owner, name, value, span)
    elif isinstance(owner, Module) or (isinstance(owner, Class) and owner.kind != "exception"):
        ev.heap.writing(owner.vars)
        owner.vars[name] = value
    elif isinstance(owner, Function):
        ev.heap.writing(owner.attrs)
        owner.attrs[name] = value
    else:
        ev.set_host_attribute(owner, name, value)


def forget_attributes(ev: Evaluator, owner: Any, value: Any) -> None:
    """``setattr`` with a name that is not known: any attribute may have got ``value``."""
    names = owner.vars if isinstance(owner, (Class, Module)) else owner.attrs if isinstance(owner, Object) else {}
    ev.step(len(names) // 16)
    ev.heap.writing(names)
    for name, held in names.items():
        if not isinstance(held, DEFINITIONS):
            names[name] = joined(held, value)


def store_attribute(ev: Evaluator, owner: Object, name: str, value: Any, span: Span) -> None:
    """What ``object.__setattr__`` does."""
    member = owner.cls.lookup(name)
    if isinstance(member, Property):
        if member.setter is None:
            raise UserError("AttributeError", f"property {name} has no setter", span)
        from tilelang.frontend.calls import call

        call(ev, member.setter, (owner, value), {}, span)
        return
    ev.heap.writing(owner.attrs)
    owner.attrs[name] = value


def delete(ev: Evaluator, owner: Any, name: str, span: Span) -> None:
    """``del owner.name``."""
    if isinstance(owner, Object):
        hook = owner.cls.lookup("__delattr__") if owner.cls.hooked else None
        if isinstance(hook, Function):
            from tilelang.frontend.calls import call

            call(ev, hook, (owner, name), {}, span)
        else:
            remove_attribute(ev, owner, name, span)
    elif isinstance(owner, (Module, Class)):
        ev.heap.writing(owner.vars)
        owner.vars.pop(name, None)
    elif isinstance(owner, Function):
        ev.heap.writing(owner.attrs)
        owner.attrs.pop(name, None)


def remove_attribute(ev: Evaluator, owner: Object, name: str, span: Span) -> None:
    """What ``object.__delattr__`` does."""
    member = owner.cls.lookup(name)
    if isinstance(member, Property):
        if member.deleter is None:
            raise UserError("AttributeError", f"property {name} has no deleter", span)
        from tilelang.frontend.calls import call

        call(ev, member.deleter, (owner,), {}, span)
        return
    if name not in owner.attrs and not owner.cls.has_external_base():
        raise UserError("AttributeError", name, span)
    ev.heap.writing(owner.attrs)
    owner.attrs.pop(name, None)

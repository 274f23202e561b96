"""``value[index]``, read and written."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import DictVal, ListVal, is_dict, is_list, is_open, is_sequence, is_shifted, is_slice
from tilelang.frontend.evaluator import Evaluator, expression
from tilelang.frontend.heap import joined
from tilelang.frontend.operators import is_ir
from tilelang.frontend.plain import is_key, is_plain
from tilelang.frontend.signals import UserError
from tilelang.frontend.values import Class, External, Function, Jit, Kernel, Model, Object, Scope, Tensor
from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.expr import Expr, Slice
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilelang.ir.span import Span


@expression(ast.Subscript)
def subscript(ev: Evaluator, node: ast.Subscript, scope: Scope) -> Any:
    container = ev.eval(node.value, scope)
    index = ev.eval(node.slice, scope)
    value = load(ev, container, index, ev.span(node, scope))
    return ev.charge(value) if isinstance(index, slice) else value


def load(ev: Evaluator, container: Any, index: Any, span: Span) -> Any:
    """``container[index]``."""
    if isinstance(container, Buffer):
        return load_buffer(container, index, span)
    if isinstance(container, Unknown):
        return UNKNOWN
    if is_sequence(container) or isinstance(container, (str, range)):
        return _sequence(container, index, span)
    if is_dict(container):
        return _mapping(ev, container, index, span)
    if isinstance(container, Tensor):
        from tilelang.frontend.models.shapes import getitem

        return getitem(container, index)
    if isinstance(container, Object):
        if container.cls.kind == "namedtuple" and isinstance(index, int):
            names = [field.name for field in container.cls.fields]
            return container.attrs.get(names[index], UNKNOWN) if -len(names) <= index < len(names) else UNKNOWN
        found = container.cls.lookup("__getitem__")
        if isinstance(found, Function):
            from tilelang.frontend.calls import call

            return call(ev, found, (container, index), {}, span)
        return UNKNOWN
    if isinstance(container, Class):
        if container.kind == "enum" and isinstance(index, str):
            return container.vars.get(index, UNKNOWN)
        return container
    if isinstance(container, Region):
        return _of_region(container, index, span)
    if isinstance(container, External):
        if container.name == "sys.modules" and isinstance(index, str):
            module = ev.modules.named(index)
            return External(index) if module is None else module
        known = ev.environment.get(index) if container.name == "os.environ" and isinstance(index, str) else None
        return container if known is None else known
    if isinstance(container, (Jit, Kernel)):
        return UNKNOWN
    if isinstance(container, Model):
        return container
    return _language_item(ev, container, index, span)


def load_buffer(buffer: Buffer, index: Any, span: Span) -> Any:
    """An element or a box of a buffer."""
    from tilelang.language.regions import subscript as buffer_subscript

    return buffer_subscript(buffer, index, span)


def _of_region(region: Region, index: Any, span: Span) -> Any:
    """A box of a box: the outer starts are added. Anything but a full-rank index is not followed."""
    from tilelang.language.arith import binary
    from tilelang.language.regions import subscript as buffer_subscript

    inner = buffer_subscript(region.buffer, index, span)
    if isinstance(inner, Region):
        return UNKNOWN
    if len(inner.indices) != region.buffer.rank or len(region.mins) != region.buffer.rank:
        return UNKNOWN
    shifted = tuple(binary("+", start, offset, span) for start, offset in zip(region.mins, inner.indices, strict=True))
    return buffer_subscript(region.buffer, shifted, span)


def _sequence(container: Sequence[Any], index: Any, span: Span) -> Any:
    if isinstance(index, bool) or not (isinstance(index, int) or is_slice(index)):
        return UNKNOWN
    opened = is_open(container)
    if opened and (is_shifted(container) or not (isinstance(index, int) and 0 <= index < len(container))):
        if isinstance(index, slice):
            result = ListVal()
            result.open = True
            return result
        return UNKNOWN
    if not isinstance(index, int) and not is_plain((index.start, index.stop, index.step)):
        return UNKNOWN
    try:
        result: Any = container[index]
    except (IndexError, TypeError, ValueError) as error:
        raise UserError(type(error).__name__, str(error), span) from None
    if isinstance(container, list) and isinstance(index, slice):
        made = ListVal(result)
        made.open = opened
        return made
    return result


def _mapping(ev: Evaluator, container: dict[Any, Any], index: Any, span: Span) -> Any:
    opened = is_open(container)
    if not is_key(index):
        return UNKNOWN
    try:
        if index in container:
            return container[index]
    except TypeError:
        return UNKNOWN
    if isinstance(index, (Unknown, Expr, External)) or opened:
        return UNKNOWN
    factory = getattr(container, "default", None)
    if factory is not None:
        from tilelang.frontend.calls import call

        made = call(ev, factory, (), {}, span)
        ev.heap.writing(container)
        container[index] = made
        return made
    raise UserError("KeyError", repr(index)[:80], span)


def _language_item(ev: Evaluator, container: Any, index: Any, span: Span) -> Any:
    """Subscripts of the language's own objects: ``T.Tensor[(M, K), T.float16]``."""
    getter = getattr(container, "__getitem__", None) or getattr(container, "__class_getitem__", None)
    ours = isinstance(container, type) or type(container).__module__.startswith("tilelang.")
    if getter is None or not ours:
        return UNKNOWN
    from tilelang.frontend.dsl import native

    return native(ev, getter, (index,), {}, span)


def store_item(ev: Evaluator, container: Any, index: Any, value: Any, span: Span) -> None:
    """``container[index] = value``."""
    if isinstance(container, Buffer):
        if ev.builder is not None:
            _store_buffer(ev, container, index, value, span)
        return
    if is_dict(container):
        ev.heap.writing(container)
        if isinstance(index, Unknown) or not is_key(index):
            ev.step(len(container) // 16)
            for key, entry in container.items():
                container[key] = joined(entry, value)  # it may be the key that is written
            if isinstance(container, DictVal):
                container.open = True
            return
        try:
            container[index] = value
        except TypeError as error:
            raise UserError("TypeError", str(error), span) from None
        if isinstance(container, DictVal):
            container.spans.pop(index, None)
            container.key_spans.pop(index, None)
        return
    if is_list(container):
        ev.heap.writing(container)
        if is_shifted(container) or (is_open(container) and isinstance(index, int) and index < 0):
            container[:] = [UNKNOWN] * len(container)
        elif isinstance(index, int) and -len(container) <= index < len(container):
            container[index] = value
        elif isinstance(container, ListVal) and not isinstance(index, int):
            container[:] = [UNKNOWN] * len(container)
            container.open = True
        elif isinstance(index, int) and not is_open(container):
            raise UserError("IndexError", "list assignment index out of range", span)
        return
    if isinstance(container, Object):
        found = container.cls.lookup("__setitem__")
        if isinstance(found, Function):
            from tilelang.frontend.calls import call

            call(ev, found, (container, index, value), {}, span)
        return
    ev.set_host_item(container, index, value)


def _store_buffer(ev: Evaluator, buffer: Buffer, index: Any, value: Any, span: Span) -> None:
    from tilelang.ir.dtype import UNKNOWN_DTYPE, VOID
    from tilelang.ir.expr import Call, Var
    from tilelang.ir.stmt import Effect, Fill, Store
    from tilelang.language.arith import operand
    from tilelang.language.regions import box

    place = load_buffer(buffer, index, span)
    if isinstance(value, Buffer) and not value.is_var:
        ev.incomplete(f"assignment of the buffer {value.name} to an element", span)
        return
    stored = operand(value)
    if isinstance(stored, Unknown):
        if not is_ir(value) and not isinstance(value, Unknown):
            ev.incomplete("a stored value that is not a number", span)
        stored = Var(UNKNOWN_DTYPE, "?", "unknown", span=span)
    builder = ev.builder
    assert builder is not None
    if isinstance(place, Region):
        indices = place.indices or ()
        if isinstance(value, Region) or "parallel" in builder.loops:
            # Several elements of one thread at once, or a box copied by assignment: a store, but no tile operation.
            stored_call = Call(VOID, "slice_store", (place, value), (("effect", "unknown"),), span=span)
            builder.emit(Effect(stored_call, span=span))
            return
        builder.emit(Fill(box(buffer, indices, span), stored, span=span, attrs=(("store", True),)))
        return
    if any(isinstance(entry, Slice) for entry in place.indices):
        return
    builder.emit(Store(buffer, place.indices, stored, span=span))

"""What every language function asks first: is there a builder, is there a launch, and where is the call."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, cast

from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.builder import current
from tilelang.ir.dtype import VOID, DType
from tilelang.ir.expr import Call, Expr, Load, Slice, Var
from tilelang.ir.span import NOWHERE, Span
from tilelang.ir.stmt import Effect
from tilelang.ir.unknown import UNKNOWN, Unknown
from tilelang.ir.visit import subterms

if TYPE_CHECKING:
    from tilelang.ir.builder import Builder
    from tilelang.ir.stmt import Attrs


def here() -> Span:
    """The span of the call that is being evaluated."""
    builder = current()
    return builder.site.span if builder is not None else NOWHERE


def span_of(argument: str) -> Span:
    """The span of one argument of the call that is being evaluated."""
    builder = current()
    return builder.site.arg(argument) if builder is not None else NOWHERE


def target_name(default: str) -> str:
    """The Python name that the result is assigned to."""
    builder = current()
    return (builder.site.target_name if builder is not None else None) or default


def in_launch(function: str) -> Builder | None:
    """The current builder, ``None`` outside a program. Records ``kernel-outside-context`` if no launch is open: for
    allocations, tile operations and indices of the launch, which have no meaning there."""
    builder = current()
    if builder is not None and builder.launch is None:
        builder.problem("kernel-outside-context", function=function)
    return builder


def invalid(function: str, argument: str, expected: str, got: object, *, span: Span | None = None) -> None:
    """Record that an argument is certainly wrong. ``expected`` completes "must be ..."; ``got``: value or text."""
    builder = current()
    if builder is not None:
        builder.problem(
            "invalid-argument",
            span or builder.site.arg(argument),
            function=function,
            argument=argument,
            expected=expected,
            got=got if isinstance(got, str) else describe(got),
        )


def refused(function: str, argument: str, message: str, *, span: Span | None = None) -> None:
    """Like :func:`invalid` with a sentence of its own, which names the argument."""
    builder = current()
    if builder is not None:
        where = span or builder.site.arg(argument)
        builder.problem("invalid-argument", where, function=function, argument=argument, message=message)


_PLAIN = (str, int, float, complex, bytes, tuple, list, dict, set, type(None), Enum, DType)
_OPEN = ("unknown", "param", "dim")
_IR = (Expr, Buffer, Region, Slice)


def is_unknown(value: object) -> bool:
    """Whether nothing may be concluded from ``value``: the evaluator could not follow it, it depends on a parameter
    without a value, or it is of a kind that the language does not know, such as an object imported from elsewhere."""
    if isinstance(value, Expr):
        return any(isinstance(term, Var) and term.kind in _OPEN for term in subterms(value))
    return not isinstance(value, (*_PLAIN, *_IR)) or isinstance(value, Unknown)


def is_text(value: object) -> bool:
    """Whether ``value`` is a plain string; a dtype is none."""
    return isinstance(value, str) and not isinstance(value, DType)


def describe(value: object) -> str:
    """A few words for a message: the value if it is short and plain, else what kind of thing it is."""
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)
    if isinstance(value, DType):
        return str(value)
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, Buffer):
        return f"the buffer {value.name}"
    if isinstance(value, Region):
        return f"a box of {value.buffer.name}"
    if isinstance(value, Load):
        return f"an element of {value.buffer.name}"
    if isinstance(value, Var):
        return f"the variable {value.name}"
    if isinstance(value, Expr):
        return f"a {value.dtype} expression"
    return f"a {type(value).__name__}"


def effect(op: str, *args: object, mode: str | None = None, attrs: Attrs = (), modelled: bool = True) -> None:
    """Emit a call for its effect. ``mode`` says what it does to the buffers in ``args`` (see ``ir.access``)."""
    builder = current()
    if builder is not None:
        span = builder.site.span
        known = attrs if mode is None else (("effect", mode), *attrs)
        builder.emit(Effect(Call(VOID, op, args, known, span=span), modelled, span=span))


def opaque_effect(op: str, *args: object, mode: str = "unknown") -> None:
    """Emit an operation with an operand that could not be followed. The program counts as incomplete from here on."""
    builder = current()
    if builder is not None:
        builder.complete = False
        effect(op, *(arg for arg in args if not isinstance(arg, Unknown)), mode=mode, modelled=False)


def merged(annotations: object, **attrs: object) -> Attrs:
    """Attributes of a statement: the arguments that were given, overridden by the entries of ``annotations``."""
    found = {name: value for name, value in attrs.items() if value is not None and value is not False}
    if isinstance(annotations, dict):
        entries = cast("dict[object, object]", annotations)
        found.update({name: value for name, value in entries.items() if isinstance(name, str)})
    elif annotations is not None:
        found["annotations"] = UNKNOWN
    return tuple(found.items())

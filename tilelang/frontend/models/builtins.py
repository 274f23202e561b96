"""Python's builtins on numbers and text, and the table of all builtins.

Native functions run only on plain, bounded data: the source under analysis may be hostile.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

from tilelang.frontend.comparison import truth
from tilelang.frontend.containers import is_container, is_open, is_sequence, is_tuple
from tilelang.frontend.models.registry import BUILTINS, builtin
from tilelang.frontend.operators import is_large_power, plain_enum
from tilelang.frontend.plain import is_plain, is_small
from tilelang.frontend.signals import UserError
from tilelang.frontend.values import Class, External, Model, Object
from tilelang.ir.dtype import DType
from tilelang.ir.expr import Expr
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilelang.frontend.arguments import Args
    from tilelang.frontend.evaluator import Evaluator
    from tilelang.ir.span import Span


NATIVE: frozenset[Any] = frozenset((abs, bin, chr, divmod, hex, oct, ord, pow, round, complex, hash))
"""Builtins that are called as they are on plain data."""

BUILTINS.update(
    {
        "True": True,
        "False": False,
        "None": None,
        "NotImplemented": UNKNOWN,
        "Ellipsis": ...,
        "__debug__": True,
        "int": int,
        "float": float,
        "bool": bool,
        "str": str,
        "complex": complex,
        "bytes": External("builtins.bytes"),
        "object": External("builtins.object"),
    }
)


def _exception_class(kind: type) -> Class:
    """The class of a builtin exception, with its bases. Kept in the table."""
    known = BUILTINS.get(kind.__name__)
    if not isinstance(known, Class):
        bases = tuple(_exception_class(base) for base in kind.__bases__ if base is not object)
        known = BUILTINS[kind.__name__] = Class(kind.__name__, bases, {}, "exception")
    return known


for _value in vars(builtins).values():
    if isinstance(_value, type) and issubclass(_value, BaseException):
        _exception_class(_value)


def call_native(function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any], span: Span) -> Any:
    """Call a whitelisted builtin if every argument is plain and small."""
    if not is_plain(args) or not is_plain(kwargs):
        return UNKNOWN
    if function is pow and len(args) >= 2 and is_large_power(args[0], args[1]):
        return UNKNOWN
    try:
        return function(*args, **kwargs)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError) as error:
        raise UserError(type(error).__name__, str(error), span) from None


for _function in NATIVE:
    if _function is not complex:
        BUILTINS[_function.__name__] = Model(
            _function.__name__,
            lambda ev, args, kwargs, _f=_function: _ir_or_native(ev, _f, args, kwargs),
        )


def _ir_or_native(ev: Evaluator, function: Any, args: Args, kwargs: dict[str, Any]) -> Any:
    if function is abs and args and isinstance(args[0], Expr):
        from tilelang import language

        return language.abs(args[0])
    return call_native(function, list(args), kwargs, args.span)


MAX_TEXT_PARTS = 2_000
"""Parts of a list or tuple that are written out. Sharing can make a small list endless on paper."""


def to_str(value: Any, *, quoted: bool = False) -> Any:
    """``str(value)`` or ``repr(value)`` for plain values and dtypes, else unknown."""
    return _text(value, [MAX_TEXT_PARTS], quoted=quoted)


def _text(value: Any, left: list[int], *, quoted: bool) -> Any:
    left[0] -= 1
    if left[0] < 0:
        return UNKNOWN
    if isinstance(value, DType):
        text = str.__str__(value)
        return repr(text) if quoted else text
    if isinstance(value, int) and value.bit_length() > 4096:
        return UNKNOWN
    if is_plain(value) and not is_container(value):
        return repr(value) if quoted else str(value)
    if is_sequence(value):
        if is_open(value) or len(value) > 1000 or not is_small(value):
            return UNKNOWN
        parts: list[str] = []
        for item in value:
            part = _text(item, left, quoted=True)
            if isinstance(part, Unknown):
                return UNKNOWN
            parts.append(part)
        inner = ", ".join(parts)
        if isinstance(value, tuple):
            return f"({inner},)" if len(parts) == 1 else f"({inner})"
        return f"[{inner}]"
    return UNKNOWN


def _message(exception: Object) -> Any:
    """``str`` of an exception: its one argument."""
    args = exception.attrs.get("args")
    if not is_tuple(args):
        return UNKNOWN
    return "" if not args else to_str(args[0] if len(args) == 1 else args)


def number(ev: Evaluator, kind: type, args: Args, kwargs: dict[str, Any], span: Span) -> Any:
    """``int(x)``, ``float(x)``, ``bool(x)``, ``str(x)``."""
    if not args:
        return kind()
    value = plain_enum(args[0])
    if kind is str:
        return _message(value) if isinstance(value, Object) and value.cls.kind == "exception" else to_str(value)
    if kind is bool:
        return truth(ev, value)
    if isinstance(value, Expr) and ev.builder is not None:
        from tilelang.language.convert import cast as convert

        return convert(value, "int32" if kind is int else "float32")
    if not is_plain(value) or (isinstance(value, str) and len(value) > 300):
        return UNKNOWN
    try:
        return kind(value, *args[1:], **kwargs) if is_plain(list(args[1:])) else UNKNOWN
    except (TypeError, ValueError, OverflowError) as error:
        raise UserError(type(error).__name__, str(error), span) from None


@builtin("print", "exit", "quit", "breakpoint")
def print_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return None


@builtin("repr", "ascii")
def repr_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return to_str(args[0], quoted=True) if args else UNKNOWN


@builtin("format")
def format_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.expressions import format_value

    return format_value(args[0], args[1] if len(args) > 1 else "") if args else UNKNOWN


@builtin("id", "input", "open", "eval", "compile", "dir", "memoryview")
def opaque(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return UNKNOWN

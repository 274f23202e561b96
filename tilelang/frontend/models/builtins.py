"""Python's builtins on values of the program.

Native functions run only on plain, bounded data: the source under analysis may be hostile.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any, cast

from tilelang.frontend.comparison import compare, equal, truth
from tilelang.frontend.iteration import materialize
from tilelang.frontend.operators import MAX_SEQUENCE, plain_enum
from tilelang.frontend.plain import contains_unknown, is_plain
from tilelang.frontend.signals import UserError
from tilelang.frontend.values import (
    BoundMethod,
    Class,
    ClassMethod,
    DictVal,
    External,
    Function,
    Jit,
    ListVal,
    Macro,
    Model,
    Object,
    Partial,
    PrimFunc,
    Property,
    SetVal,
    StaticMethod,
    Tensor,
)
from tilelang.ir.buffer import Buffer
from tilelang.ir.dtype import DType
from tilelang.ir.expr import Expr, const_int
from tilelang.ir.span import NOWHERE, Span
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilelang.frontend.evaluator import Evaluator

NATIVE: frozenset[Any] = frozenset((abs, bin, chr, divmod, hex, oct, ord, pow, round, complex, hash))
"""Builtins that are called as they are on plain data."""

BUILTINS: dict[str, Any] = {
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


def builtin(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the model of a builtin: ``(evaluator, args, kwargs)``."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            BUILTINS[name] = Model(name, function)
        return function

    return register


for _name in dir(builtins):
    _value = getattr(builtins, _name)
    if isinstance(_value, type) and issubclass(_value, BaseException):
        BUILTINS[_name] = External(f"builtins.{_name}")


def call_native(function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any], span: Span) -> Any:
    """Call a whitelisted builtin if every argument is plain and small."""
    if not is_plain(args) or not is_plain(kwargs):
        return UNKNOWN
    if function is pow and len(args) >= 2 and isinstance(args[0], int) and isinstance(args[1], int):
        if args[0].bit_length() * abs(args[1]) > 4096:
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


def _ir_or_native(ev: Evaluator, function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    if function is abs and args and isinstance(args[0], Expr):
        import tilelang.language as language

        return language.abs(args[0])
    return call_native(function, list(args), kwargs, args.span)


def to_str(value: Any, *, quoted: bool = False) -> Any:
    """``str(value)`` or ``repr(value)`` for plain values and dtypes, else unknown."""
    if isinstance(value, DType):
        text = str.__str__(value)
        return repr(text) if quoted else text
    if isinstance(value, int) and value.bit_length() > 4096:
        return UNKNOWN
    if is_plain(value) and not isinstance(value, (list, dict, set, tuple, frozenset)):
        return repr(value) if quoted else str(value)
    if isinstance(value, (list, tuple)):
        items = cast("list[Any]", value)
        if getattr(items, "open", False) or len(items) > 1000:
            return UNKNOWN
        parts = [to_str(item, quoted=True) for item in items]
        if any(isinstance(part, Unknown) for part in parts):
            return UNKNOWN
        inner = ", ".join(parts)
        if isinstance(value, tuple):
            return f"({inner},)" if len(parts) == 1 else f"({inner})"
        return f"[{inner}]"
    return UNKNOWN


@builtin("range")
def range_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    numbers = [const_int(arg) if not isinstance(arg, Unknown) else None for arg in args]
    if all(number is not None for number in numbers) and 1 <= len(numbers) <= 3:
        try:
            return range(*cast("list[int]", numbers))
        except ValueError as error:
            raise UserError("ValueError", str(error), args.span) from None
    if ev.builder is not None and (args.scope is None or args.scope.kernel):
        from tilelang.frontend import dsl
        from tilelang.language.loops import serial

        return dsl.native(ev, serial, tuple(args), {}, args.span)
    return UNKNOWN


@builtin("len")
def len_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    value = args[0] if args else UNKNOWN
    if isinstance(value, (list, tuple, str, dict, set, frozenset, range, bytes)):
        return UNKNOWN if getattr(cast("Any", value), "open", False) else len(cast("Any", value))
    if isinstance(value, Tensor):
        return value.shape[0] if value.shape else UNKNOWN
    if isinstance(value, Buffer):
        return value.shape[0] if value.shape else UNKNOWN
    if isinstance(value, Object):
        found = value.cls.lookup("__len__")
        if isinstance(found, Function):
            from tilelang.frontend.calls import call

            return call(ev, found, (value,), {}, args.span)
    if isinstance(value, Class) and value.kind == "enum":
        return sum(isinstance(member, Object) for member in value.vars.values())
    return UNKNOWN


def _sequence(ev: Evaluator, args: Any, make: Callable[[Any], Any]) -> Any:
    if not args:
        return make(())
    items = materialize(ev, args[0])
    if items is not None:
        ev.step(len(items) // 8)
        return make(items)
    made = make(())
    if isinstance(made, (ListVal, SetVal)):
        made.open = True
        return made
    return UNKNOWN


@builtin("list")
def list_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    return _sequence(ev, args, ListVal)


@builtin("tuple")
def tuple_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    return _sequence(ev, args, tuple)


@builtin("set", "frozenset")
def set_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    try:
        return _sequence(ev, args, SetVal)
    except TypeError:
        return UNKNOWN


@builtin("dict")
def dict_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    made = DictVal()
    if args:
        source = args[0]
        if isinstance(source, dict):
            made.update(cast("dict[Any, Any]", source))
            made.open = bool(getattr(cast("Any", source), "open", False))
            made.spans.update(getattr(cast("Any", source), "spans", {}))
        else:
            pairs = materialize(ev, source)
            if pairs is None:
                made.open = True
            else:
                for pair in pairs:
                    entry = materialize(ev, pair)
                    if entry is None or len(entry) != 2 or isinstance(entry[0], Unknown):
                        made.open = True
                    else:
                        made[entry[0]] = entry[1]
    made.update(kwargs)
    made.span = args.span
    arguments = getattr(args, "arguments", None)
    if arguments is not None:
        made.spans.update(arguments.kwarg_spans)
        made.open = made.open or arguments.open
    return made


def number(ev: Evaluator, kind: type, args: Any, kwargs: dict[str, Any], span: Span) -> Any:
    """``int(x)``, ``float(x)``, ``bool(x)``, ``str(x)``."""
    if not args:
        return kind()
    value = plain_enum(args[0])
    if kind is str:
        return to_str(value)
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


@builtin("max")
def max_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    return _extreme(ev, args, kwargs, "max")


@builtin("min")
def min_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    return _extreme(ev, args, kwargs, "min")


def _extreme(ev: Evaluator, args: Any, kwargs: dict[str, Any], which: str) -> Any:
    items = materialize(ev, args[0]) if len(args) == 1 else list(args)
    if items is None:
        return UNKNOWN
    if not items:
        return kwargs["default"] if "default" in kwargs else UNKNOWN
    keys = items
    if kwargs.get("key") is not None:
        from tilelang.frontend.calls import call

        keys = [call(ev, kwargs["key"], (item,), {}, args.span) for item in items]
    elif any(isinstance(item, Expr) for item in items) and not contains_unknown(items):
        import tilelang.language as language

        result = items[0]
        for item in items[1:]:
            result = language.max(result, item) if which == "max" else language.min(result, item)
        return result
    if not is_plain(keys):
        return UNKNOWN
    try:
        best = (max if which == "max" else min)(range(len(keys)), key=keys.__getitem__)
    except TypeError as error:
        raise UserError("TypeError", str(error), args.span) from None
    return items[best]


@builtin("sum")
def sum_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.operators import binary

    items = materialize(ev, args[0]) if args else None
    if items is None:
        return UNKNOWN
    import ast

    total: Any = args[1] if len(args) > 1 else kwargs.get("start", 0)
    for item in items:
        ev.step()
        total = binary(ev, ast.Add, total, item, args.span)
    return total


@builtin("any")
def any_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    return _quantified(ev, args, stop=True)


@builtin("all")
def all_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    return _quantified(ev, args, stop=False)


def _quantified(ev: Evaluator, args: Any, *, stop: bool) -> Any:
    value = args[0] if args else UNKNOWN
    opened = bool(getattr(value, "open", False))
    items = list(cast("list[Any]", value)) if isinstance(value, list) else materialize(ev, value)
    if items is None:
        return UNKNOWN
    known = [truth(ev, item) for item in items]
    if any(entry is stop for entry in known):
        return stop
    return UNKNOWN if opened or any(isinstance(entry, Unknown) for entry in known) else not stop


@builtin("enumerate")
def enumerate_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    items = materialize(ev, args[0]) if args else None
    start = args[1] if len(args) > 1 else kwargs.get("start", 0)
    return UNKNOWN if items is None or not isinstance(start, int) else ListVal(enumerate(items, start))


@builtin("zip")
def zip_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    columns = [materialize(ev, arg) for arg in args]
    return UNKNOWN if any(column is None for column in columns) else ListVal(zip(*cast("Any", columns)))


@builtin("map")
def map_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.calls import call

    columns = [materialize(ev, arg) for arg in args[1:]]
    if any(column is None for column in columns):
        return UNKNOWN
    made: list[Any] = []
    for row in zip(*cast("Any", columns)):
        ev.step()
        made.append(call(ev, args[0], row, {}, args.span))
    return ListVal(made)


@builtin("filter")
def filter_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.calls import call

    items = materialize(ev, args[1]) if len(args) > 1 else None
    if items is None:
        return UNKNOWN
    made = ListVal()
    for item in items:
        ev.step()
        keep = truth(ev, item if args[0] is None else call(ev, args[0], (item,), {}, args.span))
        if isinstance(keep, Unknown):
            made.open = True
        elif keep:
            made.append(item)
    return made


@builtin("sorted")
def sorted_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.calls import call

    items = materialize(ev, args[0]) if args else None
    if items is None:
        return UNKNOWN
    keys = items
    if kwargs.get("key") is not None:
        keys = [call(ev, kwargs["key"], (item,), {}, args.span) for item in items]
    reverse = truth(ev, kwargs.get("reverse", False))
    if not is_plain(keys) or isinstance(reverse, Unknown):
        return UNKNOWN
    try:
        order = sorted(range(len(items)), key=keys.__getitem__, reverse=reverse)
    except TypeError as error:
        raise UserError("TypeError", str(error), args.span) from None
    return ListVal([items[position] for position in order])


@builtin("reversed")
def reversed_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    if args and isinstance(args[0], range):
        return args[0][::-1]
    items = materialize(ev, args[0]) if args else None
    return UNKNOWN if items is None else ListVal(reversed(items))


@builtin("iter")
def iter_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    items = materialize(ev, args[0]) if args else None
    return UNKNOWN if items is None else ListVal(items)


@builtin("next")
def next_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    source = args[0] if args else UNKNOWN
    if isinstance(source, ListVal) and not source.open:
        if source:
            ev.heap.writing(source)
            return source.pop(0)
        if len(args) > 1:
            return args[1]
        raise UserError("StopIteration", "", args.span)
    return UNKNOWN


@builtin("isinstance", "issubclass")
def isinstance_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    if len(args) != 2:
        return UNKNOWN
    kinds = cast("tuple[Any, ...]", args[1]) if isinstance(args[1], tuple) else (args[1],)
    results = [_is_instance(args[0], kind) for kind in kinds]
    if any(result is True for result in results):
        return True
    return UNKNOWN if any(isinstance(result, Unknown) for result in results) else False


_KINDS: dict[str, tuple[type, ...]] = {
    "list": (list,),
    "tuple": (tuple,),
    "dict": (dict,),
    "set": (set,),
    "range": (range,),
}


def _is_instance(value: Any, kind: Any) -> Any:
    if isinstance(value, (Unknown, External)):
        return UNKNOWN
    if kind in (int, float, bool, str, complex):
        if isinstance(value, Expr):
            return False
        return isinstance(value, kind) and not (kind is str and isinstance(value, DType))
    if isinstance(kind, Model) and kind.name in _KINDS:
        return isinstance(value, _KINDS[kind.name])
    if isinstance(kind, Class):
        if isinstance(value, Object):
            return True if value.cls.is_subclass(kind) else UNKNOWN if value.cls.has_external_base() else False
        return value.is_subclass(kind) if isinstance(value, Class) else False
    if isinstance(kind, (External, Model)):
        leaf = kind.name.rsplit(".", 1)[-1]
        if leaf in ("Tensor", "ndarray") and kind.name.split(".")[0] in ("torch", "numpy"):
            return isinstance(value, Tensor) and value.library == kind.name.split(".")[0]
        if leaf in ("Sequence", "Iterable", "Mapping", "Callable"):
            groups = {"Sequence": (list, tuple, str), "Iterable": (list, tuple, str, dict, set), "Mapping": (dict,)}
            if leaf == "Callable":
                return isinstance(value, (Function, BoundMethod, Model, Class, Jit, Macro, Partial))
            return isinstance(value, groups[leaf])
        if is_plain(value) or isinstance(value, (Object, Tensor)) or value is None:
            return False if value is None or isinstance(value, (bool, int, float)) else UNKNOWN
        return UNKNOWN
    if isinstance(kind, type) and kind.__module__.startswith("tilelang."):
        return isinstance(value, kind)
    return UNKNOWN


@builtin("type")
def type_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    value = args[0] if len(args) == 1 else UNKNOWN
    if isinstance(value, Object):
        return value.cls
    for kind in (bool, int, float):
        if type(value) is kind:
            return kind
    return str if type(value) is str else UNKNOWN


@builtin("getattr")
def getattr_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.attributes import get

    if len(args) < 2 or not isinstance(args[1], str):
        return UNKNOWN
    owner, name = args[0], str(args[1])
    if isinstance(owner, (Object, Class)) and len(args) > 2:
        cls = owner.cls if isinstance(owner, Object) else owner
        present = (isinstance(owner, Object) and name in owner.attrs) or cls.lookup(name) is not _missing()
        if not present:
            return UNKNOWN if cls.has_external_base() else args[2]
    return get(ev, owner, name, args.span)


def _missing() -> Any:
    from tilelang.frontend.values import MISSING

    return MISSING


@builtin("hasattr")
def hasattr_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    if len(args) != 2 or not isinstance(args[1], str):
        return UNKNOWN
    owner, name = args[0], args[1]
    if isinstance(owner, (Object, Class)):
        cls = owner.cls if isinstance(owner, Object) else owner
        if (isinstance(owner, Object) and name in owner.attrs) or cls.lookup(name) is not _missing():
            return True
        return UNKNOWN if cls.has_external_base() else False
    if isinstance(owner, External):
        from tilelang.frontend.models.registry import find

        return True if find(f"{owner.name}.{name}") is not None else UNKNOWN
    if isinstance(owner, (int, float, bool)) or owner is None:
        return hasattr(owner, name)
    return UNKNOWN


@builtin("setattr")
def setattr_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.attributes import set_

    if len(args) == 3 and isinstance(args[1], str):
        set_(ev, args[0], args[1], args[2], args.span)
    return None


@builtin("callable")
def callable_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    value = args[0] if args else UNKNOWN
    if isinstance(value, (Function, Class, Jit, Macro, Partial, BoundMethod, Model)):
        return True
    return False if is_plain(value) else UNKNOWN


@builtin("super")
def super_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    return UNKNOWN


@builtin("slice")
def slice_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    return slice(*args) if 1 <= len(args) <= 3 and is_plain(list(args)) else UNKNOWN


@builtin("print", "exit", "quit", "breakpoint")
def print_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    return None


@builtin("property")
def property_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    return Property(args[0]) if args else UNKNOWN


@builtin("staticmethod")
def staticmethod_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    return StaticMethod(args[0]) if args else UNKNOWN


@builtin("classmethod")
def classmethod_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    return ClassMethod(args[0]) if args else UNKNOWN


@builtin("repr", "ascii")
def repr_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    return to_str(args[0], quoted=True) if args else UNKNOWN


@builtin("format")
def format_(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.expressions import format_value

    return format_value(args[0], args[1] if len(args) > 1 else "") if args else UNKNOWN


@builtin(
    "id", "input", "open", "eval", "exec", "compile", "globals", "locals", "vars", "dir", "memoryview", "__import__"
)
def opaque(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    return UNKNOWN

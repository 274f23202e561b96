"""Pure parts of the standard library, and what programs use to find their sizes: ``argparse``, ``os.environ``."""

from __future__ import annotations

import itertools
import math
import operator
from typing import TYPE_CHECKING, Any, cast

from tilelang.frontend.iteration import materialize
from tilelang.frontend.models import classes as _classes  # noqa: F401  # pyright: ignore[reportUnusedImport] - registers models
from tilelang.frontend.models.registry import MODELS, model
from tilelang.frontend.operators import MAX_SEQUENCE
from tilelang.frontend.plain import is_plain
from tilelang.frontend.signals import UserError
from tilelang.frontend.values import (
    Class,
    DictVal,
    External,
    Function,
    Jit,
    ListVal,
    Model,
    Object,
    Partial,
    Property,
    SetVal,
)
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from tilelang.frontend.evaluator import Evaluator

# --- math, operator -------------------------------------------------------------------------------------------

_MATH = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh degrees dist exp exp2 expm1 fabs floor fmod frexp gcd "
    "hypot isclose isfinite isinf isnan isqrt lcm ldexp lgamma log log10 log1p log2 modf radians remainder sin sinh sqrt "
    "tan tanh trunc prod fsum"
).split()

for _name in _MATH:
    if hasattr(math, _name):
        MODELS[f"math.{_name}"] = Model(
            f"math.{_name}", lambda ev, args, kwargs, _f=getattr(math, _name): _pure(ev, _f, args, kwargs)
        )
for _name in ("pi", "e", "inf", "nan", "tau"):
    MODELS[f"math.{_name}"] = getattr(math, _name)


def _pure(ev: Evaluator, function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    if not is_plain(list(args)) or not is_plain(kwargs):
        return _symbolic(function, args)
    if any(isinstance(arg, int) and arg.bit_length() > 4096 for arg in args):
        return UNKNOWN
    if function in (math.prod, math.fsum) and args and isinstance(args[0], range):
        return UNKNOWN
    if function is math.prod and args and isinstance(args[0], (list, tuple)):
        numbers = cast("list[Any]", args[0])
        if sum(number.bit_length() for number in numbers if isinstance(number, int)) > 4096:
            return UNKNOWN
    try:
        return function(*args, **kwargs)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError) as error:
        raise UserError(type(error).__name__, str(error), args.span) from None


def _symbolic(function: Any, args: Any) -> Any:
    """``math.ceil(a / b)`` and the like on symbolic sizes are not folded; their result is an unknown number."""
    return UNKNOWN


for _symbol in ("add", "sub", "mul", "floordiv", "truediv", "mod", "lt", "le", "gt", "ge", "eq", "ne"):
    MODELS[f"operator.{_symbol}"] = Model(
        f"operator.{_symbol}", lambda ev, args, kwargs, _f=getattr(operator, _symbol): _apply_operator(ev, _f, args)
    )


def _apply_operator(ev: Evaluator, function: Any, args: Any) -> Any:
    import ast

    from tilelang.frontend.comparison import COMPARE, compare
    from tilelang.frontend.operators import BINARY, binary

    for kind, (_, native, _method) in BINARY.items():
        if native is function and len(args) == 2:
            return binary(ev, kind, args[0], args[1], args.span)
    for kind, (_, native) in COMPARE.items():
        if native is function and len(args) == 2:
            return compare(ev, cast("ast.cmpop", kind()), args[0], args[1], args.span)
    return UNKNOWN


@model("operator.itemgetter")
def itemgetter(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.subscripts import load

    keys = tuple(args)
    span = args.span
    if len(keys) == 1:
        return Model("itemgetter", lambda ev, inner, kw: load(ev, inner[0], keys[0], span))
    return Model("itemgetter", lambda ev, inner, kw: tuple(load(ev, inner[0], key, span) for key in keys))


# --- itertools, functools, collections, copy ------------------------------------------------------------------


def _columns(ev: Evaluator, args: Any) -> list[list[Any]] | None:
    columns = [materialize(ev, arg) for arg in args]
    return None if any(column is None for column in columns) else cast("list[list[Any]]", columns)


def _listed(ev: Evaluator, items: Any, size: int) -> Any:
    if size > MAX_SEQUENCE:
        return UNKNOWN
    ev.step(size // 8)
    return ListVal(items)


@model("itertools.product")
def product(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    columns = _columns(ev, args)
    repeat = kwargs.get("repeat", 1)
    if columns is None or not isinstance(repeat, int) or not 0 <= repeat <= 32:
        return UNKNOWN
    size = 1
    for column in columns * repeat:
        size *= len(column)
        if size > MAX_SEQUENCE:
            return UNKNOWN
    return _listed(ev, itertools.product(*columns, repeat=repeat), size)


@model("itertools.chain")
def chain(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    columns = _columns(ev, args)
    return UNKNOWN if columns is None else _listed(ev, itertools.chain(*columns), sum(map(len, columns)))


@model("itertools.chain.from_iterable")
def chain_from(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    outer = materialize(ev, args[0]) if args else None
    columns = None if outer is None else _columns(ev, outer)
    return UNKNOWN if columns is None else _listed(ev, itertools.chain(*columns), sum(map(len, columns)))


@model("itertools.combinations", "itertools.permutations", "itertools.combinations_with_replacement")
def combinations(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    items = materialize(ev, args[0]) if args else None
    if items is None or len(items) > 12 or len(args) < 2 or not isinstance(args[1], int) or not 0 <= args[1] <= 6:
        return UNKNOWN
    return UNKNOWN if len(items) ** args[1] > MAX_SEQUENCE else ListVal(itertools.combinations(items, args[1]))


@model("itertools.count", "itertools.cycle", "itertools.repeat")
def endless(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    return UNKNOWN


@model("functools.partial")
def partial(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    if not args:
        return UNKNOWN
    written = args.arguments
    spans = (tuple(written.arg_spans[1:]), tuple(written.kwarg_spans.items())) if written is not None else ((), ())
    return Partial(args[0], tuple(args[1:]), tuple(kwargs.items()), *spans)


@model("functools.reduce")
def reduce(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.calls import call

    items = materialize(ev, args[1]) if len(args) > 1 else None
    if items is None or (not items and len(args) < 3):
        return UNKNOWN
    total = args[2] if len(args) > 2 else items.pop(0)
    for item in items:
        ev.step()
        total = call(ev, args[0], (total, item), {}, args.span)
    return total


@model(
    "functools.lru_cache", "functools.cache", "functools.wraps", "functools.total_ordering", "functools.singledispatch"
)
def transparent(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    """Decorators that do not change what a function computes."""
    if len(args) == 1 and isinstance(args[0], (Function, Jit, Class)) and not kwargs:
        return args[0]
    return Model("decorator", lambda ev, inner, kw: inner[0] if inner else UNKNOWN)


MODELS["functools.wraps"] = Model(
    "functools.wraps", lambda ev, args, kwargs: Model("wraps", lambda ev, inner, kw: inner[0] if inner else UNKNOWN)
)


@model("functools.cached_property")
def cached_property(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    return Property(args[0]) if args else UNKNOWN


@model("collections.OrderedDict")
def ordered_dict(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.models.builtins import dict_

    return dict_(ev, args, kwargs)


@model("collections.defaultdict")
def defaultdict(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    made = DictVal()
    made.default = args[0] if args else None
    return made


@model("collections.deque")
def deque(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    items = materialize(ev, args[0]) if args else []
    return UNKNOWN if items is None else ListVal(items)


@model("copy.copy", "copy.deepcopy")
def copy(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    return _copied(args[0], 0) if args else UNKNOWN


def _copied(value: Any, depth: int) -> Any:
    if depth > 20:
        return UNKNOWN
    if isinstance(value, dict):
        made = DictVal(
            {key: _copied(entry, depth + 1) for key, entry in cast("dict[Any, Any]", value).items()},
            getattr(cast("Any", value), "span", None),
        )
        made.open = bool(getattr(cast("Any", value), "open", False))
        made.spans.update(getattr(cast("Any", value), "spans", {}))
        return made
    if isinstance(value, list):
        copied = ListVal(_copied(entry, depth + 1) for entry in cast("list[Any]", value))
        copied.open = bool(getattr(cast("Any", value), "open", False))
        return copied
    if isinstance(value, set):
        return SetVal(cast("set[Any]", value))
    if isinstance(value, Object):
        return Object(value.cls, {name: _copied(entry, depth + 1) for name, entry in value.attrs.items()})
    return value


# --- os, sys --------------------------------------------------------------------------------------------------


@model("os.getenv", "os.environ.get")
def getenv(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    """The environment is empty, apart from what the configuration sets."""
    default = args[1] if len(args) > 1 else kwargs.get("default")
    return ev.environment.get(args[0], default) if args and isinstance(args[0], str) else UNKNOWN


@model("os.path.join", "os.path.dirname", "os.path.basename", "os.path.abspath", "os.path.exists", "os.path.splitext")
def os_path(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    return UNKNOWN


@model("sys.exit", "os._exit", "os.abort", "builtins.exit")
def sys_exit(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    raise UserError("SystemExit", "", args.span)


MODELS["sys.argv"] = UNKNOWN
MODELS["sys.maxsize"] = 2**63 - 1
MODELS["typing.TYPE_CHECKING"] = False


@model("typing.cast")
def typing_cast(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    return args[1] if len(args) > 1 else UNKNOWN


@model("enum.auto")
def enum_auto(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    """Distinct values; programs do not depend on which."""
    ev.autos += 1
    return ev.autos


# --- argparse -------------------------------------------------------------------------------------------------

_PARSER = Class("ArgumentParser", (), {}, external_base=True)
_NAMESPACE = Class("Namespace", (), {}, external_base=True)


@model("argparse.ArgumentParser")
def argument_parser(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    defaults = DictVal()
    return Object(_PARSER, {"_defaults": defaults, **_parser_methods(defaults)})


def _parser_methods(defaults: DictVal) -> dict[str, Any]:
    def add(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
        add_argument(ev, defaults, args, kwargs)
        return None

    def group(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
        return Object(_PARSER, _parser_methods(defaults))

    def parse(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
        return Object(_NAMESPACE, dict(defaults))

    def parse_known(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
        return (Object(_NAMESPACE, dict(defaults)), ListVal())

    def set_defaults(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
        ev.heap.writing(defaults)
        defaults.update(kwargs)
        return None

    table = {
        "add_argument": add,
        "add_argument_group": group,
        "add_mutually_exclusive_group": group,
        "parse_args": parse,
        "parse_known_args": parse_known,
        "set_defaults": set_defaults,
        "print_help": lambda ev, args, kwargs: None,
    }
    return {name: Model(f"ArgumentParser.{name}", function) for name, function in table.items()}


def add_argument(ev: Evaluator, defaults: DictVal, args: Any, kwargs: dict[str, Any]) -> None:
    """Remember the default that ``parse_args`` of an empty command line gives."""
    flags = [arg for arg in args if isinstance(arg, str)]
    if not flags:
        return
    long = next((flag for flag in flags if flag.startswith("--")), flags[0])
    dest = kwargs.get("dest") or long.lstrip("-").replace("-", "_")
    action = kwargs.get("action")
    if "default" in kwargs:
        value = kwargs["default"]
        kind = kwargs.get("type")
        if isinstance(value, str) and kind is not None:
            from tilelang.frontend.calls import call

            value = call(ev, kind, (value,), {}, args.span)
    elif action in ("store_true", "store_false"):
        value = action == "store_false"
    elif long.startswith("-"):
        value = None
    else:
        value = UNKNOWN
    if isinstance(dest, str):
        ev.heap.writing(defaults)
        defaults[dest] = value


@model("argparse.Namespace", "types.SimpleNamespace")
def namespace(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    return Object(_NAMESPACE, dict(kwargs))


@model("contextlib.nullcontext", "contextlib.suppress", "contextlib.contextmanager", "contextlib.ExitStack")
def context(ev: Evaluator, args: Any, kwargs: dict[str, Any]) -> Any:
    return UNKNOWN


MODELS["os.environ"] = External("os.environ")

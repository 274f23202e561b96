"""``math`` and ``operator``."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import is_sequence
from tilelang.frontend.models.registry import MODELS, model
from tilelang.frontend.operators import MAX_INT_BITS
from tilelang.frontend.plain import is_plain
from tilelang.frontend.signals import UserError
from tilelang.frontend.values import Model
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from tilelang.frontend.arguments import Args
    from tilelang.frontend.evaluator import Evaluator


_MATH = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh degrees dist exp exp2 expm1 fabs floor fmod "
    "frexp gcd hypot isclose isfinite isinf isnan isqrt lcm ldexp lgamma log log10 log1p log2 modf radians remainder "
    "sin sinh sqrt tan tanh trunc prod fsum"
)


def _math_model(name: str) -> Model:
    function = getattr(math, name)
    return Model(f"math.{name}", lambda ev, args, kwargs: _pure(ev, function, args, kwargs))


MODELS.update({f"math.{name}": _math_model(name) for name in _MATH.split() if hasattr(math, name)})
for _name in ("prod", "gcd", "lcm", "sqrt", "log2"):  # on plain numbers NumPy gives the same values
    MODELS[f"numpy.{_name}"] = MODELS[f"math.{_name}"]
for _name in ("pi", "e", "inf", "nan", "tau"):
    MODELS[f"math.{_name}"] = getattr(math, _name)


def _pure(ev: Evaluator, function: Any, args: Args, kwargs: dict[str, Any]) -> Any:
    if not is_plain(list(args)) or not is_plain(kwargs):
        return UNKNOWN
    if any(isinstance(arg, int) and arg.bit_length() > MAX_INT_BITS for arg in args):
        return UNKNOWN
    if function in (math.prod, math.fsum) and args and isinstance(args[0], range):
        return UNKNOWN
    if function is math.prod and _bits(args[0] if args else None) > MAX_INT_BITS:
        return UNKNOWN
    try:
        return function(*args, **kwargs)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError) as error:
        raise UserError(type(error).__name__, str(error), args.span) from None


def _bits(factors: object) -> int:
    """Bits of the product of a sequence of integers, at most."""
    return sum(f.bit_length() for f in factors if isinstance(f, int)) if is_sequence(factors) else 0


def _operator_model(name: str) -> Model:
    function = getattr(operator, name)
    return Model(f"operator.{name}", lambda ev, args, kwargs: _apply_operator(ev, function, args))


for _name in ("add", "sub", "mul", "floordiv", "truediv", "mod", "lt", "le", "gt", "ge", "eq", "ne"):
    MODELS[f"operator.{_name}"] = _operator_model(_name)


def _apply_operator(ev: Evaluator, function: Any, args: Args) -> Any:
    from tilelang.frontend.comparison import COMPARE, compare
    from tilelang.frontend.operators import BINARY, binary

    for kind, (_, native, _method) in BINARY.items():
        if native is function and len(args) == 2:
            return binary(ev, kind, args[0], args[1], args.span)
    for kind, (_, native) in COMPARE.items():
        if native is function and len(args) == 2:
            return compare(ev, kind(), args[0], args[1], args.span)
    return UNKNOWN


@model("operator.itemgetter")
def itemgetter(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.subscripts import load

    keys = tuple(args)
    span = args.span
    if len(keys) == 1:
        return Model("itemgetter", lambda ev, inner, kw: load(ev, inner[0], keys[0], span))
    return Model("itemgetter", lambda ev, inner, kw: tuple(load(ev, inner[0], key, span) for key in keys))

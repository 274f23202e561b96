"""Operations of the language that are known by name and signature, but not modelled.

The modules of this package are written by ``tools/gen_language.py``. A call of an opaque function emits one effect
that may read and write every buffer among its arguments, and gives an unknown value. A call of an opaque value
function gives a typed value instead.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from tilelang.ir.buffer import Buffer
from tilelang.ir.builder import current
from tilelang.ir.dtype import UNKNOWN_DTYPE, VOID, DType
from tilelang.ir.expr import Call
from tilelang.ir.stmt import Effect
from tilelang.ir.unknown import UNKNOWN, Unknown
from tilelang.language.arith import operand, value_dtype
from tilelang.language.context import here
from tilelang.language.dtypes import as_dtype
from tilelang.language.regions import to_region

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

F = TypeVar("F", bound="Callable[..., Any]")

_NOT_A_TYPE = "first"
"""A value function of this kind has the type of its first argument."""


def opaque(function: F) -> F:
    """Make a function with a signature and a docstring an operation with unknown effects."""
    name = function.__name__

    @wraps(function)
    def call(*args: object, **kwargs: object) -> object:
        builder = current()
        if builder is not None:
            span = builder.site.span
            given = _operands((*args, *kwargs.values()))
            builder.emit(Effect(Call(VOID, name, given, (("effect", "unknown"),), span=span), False, span=span))
        return UNKNOWN

    return cast("F", call)


def opaque_value(dtype: str) -> Callable[[F], F]:
    """Like :func:`opaque`, for a function without effects. ``dtype``: the type of the value, ``first`` for that of the
    first argument, or ``named`` if the first argument names it."""

    def decorate(function: F) -> F:
        name = function.__name__

        @wraps(function)
        def call(*args: object, **kwargs: object) -> object:
            given = (*args, *kwargs.values())
            first = given[0] if given else UNKNOWN
            if dtype == "named":
                result = as_dtype(first) or UNKNOWN_DTYPE
            elif dtype == _NOT_A_TYPE:
                result = value_dtype(operand(first))
            else:
                result = DType(dtype)
            return Call(result, name, _operands(given), (("effect", "read"),), span=here())

        return cast("F", call)

    return decorate


def _operands(values: Iterable[object]) -> tuple[object, ...]:
    """What of the arguments stands in the IR: operands, buffers, boxes and strings, also from within tuples."""
    found: list[object] = []
    for value in values:
        if isinstance(value, (tuple, list)):
            found.extend(_operands(cast("Iterable[object]", value)))
        elif isinstance(value, (Buffer, str)) or to_region(value) is not None:
            found.append(value)
        else:
            term = operand(value)
            if not isinstance(term, Unknown):
                found.append(term)
    return tuple(found)


class OpaqueObject:
    """An object that keeps the arguments it was made with. Its methods give unknown values."""

    def keep(self, arguments: dict[str, object]) -> None:
        """Store the local variables of ``__init__`` as attributes."""
        self.__dict__.update({name: value for name, value in arguments.items() if name not in ("self", "__class__")})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return UNKNOWN

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({shown})"

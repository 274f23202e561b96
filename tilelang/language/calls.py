"""Calls of functions outside the language, and vectors made of values."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from tilelang.ir.buffer import Buffer
from tilelang.ir.builder import current
from tilelang.ir.dtype import BOOL, FLOAT32, INT32, UNKNOWN_DTYPE, DType
from tilelang.ir.dtype import dtype as named
from tilelang.ir.expr import Call as CallExpr
from tilelang.ir.expr import Var as IRVar
from tilelang.ir.expr import const_int
from tilelang.ir.stmt import Effect
from tilelang.ir.stmt import Let as LetStmt
from tilelang.ir.unknown import UNKNOWN, Unknown
from tilelang.language.arith import as_type, operand, value_dtype
from tilelang.language.context import describe, effect, here, invalid, is_unknown, refused, target_name
from tilelang.language.convert import construct
from tilelang.language.dtypes import as_dtype, to_dtype
from tilelang.language.math import pure
from tilelang.language.regions import to_region

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilelang.language.values import BufferLike, DTypeLike, Scalar, Value

F = TypeVar("F", bound="Callable[..., Any]")


def _external(op: str, result: object, name: object, args: tuple[object, ...], *, is_pure: bool = False) -> Any:
    """A typed call. What it does to buffers among its arguments is unknown unless it is pure."""
    given = tuple(_argument(arg) for arg in args)
    known = tuple(arg for arg in given if not isinstance(arg, Unknown))
    attrs: tuple[tuple[str, object], ...] = (("name", name), ("effect", "read" if is_pure else "unknown"))
    return CallExpr(to_dtype(f"T.{op}", result), op, known, attrs, span=here())


def _argument(value: object) -> object:
    if isinstance(value, (Buffer, str)):
        return value
    return value if to_region(value) is not None else operand(value)


def _dtype_by_name(function: F) -> F:
    """Let ``dtype`` be given by name while the arguments after it are given by place, as upstream does."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if "dtype" in kwargs:
            args = (kwargs.pop("dtype"), *args)
        return function(*args, **kwargs)

    return cast("F", call)


@_dtype_by_name
def call_extern(dtype: DTypeLike, func_name: str, *args: Any, span: object = None) -> Scalar:
    """Call a function of the generated source, for example one from ``T.import_source``. A value of type ``dtype``."""
    return _external("call_extern", dtype, func_name, args)


@_dtype_by_name
def call_pure_extern(dtype: DTypeLike, func_name: str, *args: Any, span: object = None) -> Scalar:
    """Like :func:`call_extern`, for a function without side effects."""
    return _external("call_pure_extern", dtype, func_name, args, is_pure=True)


@_dtype_by_name
def call_intrin(
    dtype: DTypeLike, func_name: Any, *args: Any, annotations: dict[str, Any] | None = None, span: object = None
) -> Scalar:
    """Call an intrinsic of the compiler by name. A value of type ``dtype``."""
    return _external("call_intrin", dtype, func_name, args)


def import_source(source: str | None = None) -> None:
    """Place CUDA source before the kernel; ``T.call_extern`` calls its functions."""
    effect("import_source", attrs=(("source", source),))


def evaluate(value: Value) -> None:
    """Run a call for its effect."""
    found = operand(value)
    if isinstance(found, CallExpr):
        builder = current()
        if builder is not None:
            builder.emit(Effect(found, span=builder.site.span))


def dp4a(A: BufferLike, B: BufferLike, C: BufferLike) -> None:
    """Add the product of four ``int8`` of ``A`` and of ``B`` to the ``int32`` in ``C``."""
    for argument, value, wanted in (("A", A, "int8"), ("B", B, "int8"), ("C", C, "int32")):
        region = to_region(value)
        if region is not None and region.buffer.dtype.is_known and region.buffer.dtype != wanted:
            found = f"{argument} (`{region.buffer.name}`) is {region.buffer.dtype}"
            refused("T.dp4a", argument, f"dp4a requires int8, int8 and int32 for A, B and C, but {found}")
    a, b, c = to_region(A), to_region(B), to_region(C)
    if a is not None:
        effect("dp4a_operand", a, mode="read")
    if b is not None:
        effect("dp4a_operand", b, mode="read")
    effect("dp4a", *(() if c is None else (c,)), mode="update")


# --- vectors --------------------------------------------------------------------------------------------------------


def Ramp(base: Value, stride: Value, lanes: Value, span: object = None) -> Scalar:
    """The vector ``base, base + stride, ...`` of ``lanes`` values. As an index it names several elements."""
    return _vector("ramp", base, lanes, stride)


def ramp(base: Value, stride: Value, lanes: Value, span: object = None) -> Scalar:
    """Another name of :func:`Ramp`."""
    return _vector("ramp", base, lanes, stride)


def Broadcast(value: Value, lanes: Value, span: object = None) -> Scalar:
    """A vector of ``lanes`` equal values."""
    return _vector("broadcast", value, lanes)


def broadcast(value: Value, lanes: Value, span: object = None) -> Scalar:
    """Another name of :func:`Broadcast`."""
    return _vector("broadcast", value, lanes)


def _vector(op: str, value: object, lanes: object, *more: object) -> Any:
    count = const_int(lanes)
    found = operand(value)
    if isinstance(found, Unknown) or count is None or count < 1:
        return UNKNOWN
    element = value_dtype(found)
    return pure(op, found, *more, dtype=element.with_lanes(count) if element.is_known else element)


def Shuffle(vectors: Any, indices: Any, span: object = None) -> Scalar:
    """The lanes ``indices`` of several vectors put together."""
    if not (isinstance(vectors, (list, tuple)) and isinstance(indices, (list, tuple)) and vectors and indices):
        return _unknown()
    values: list[object] = list(vectors)  # pyright: ignore[reportUnknownArgumentType]
    lanes: list[object] = list(indices)  # pyright: ignore[reportUnknownArgumentType]
    element = value_dtype(operand(values[0]))
    result = element.base.with_lanes(len(lanes)) if element.is_known else element
    return pure("shuffle", *values, dtype=result, attrs=(("indices", tuple(lanes)),))


def _unknown() -> Any:
    return UNKNOWN


# --- nodes under names ----------------------------------------------------------------------------------------------


def IntImm(dtype: DTypeLike, value: int, span: object = None) -> Scalar:
    """An integer constant of a type."""
    return _constant(to_dtype("T.IntImm", dtype), value)


def FloatImm(dtype: DTypeLike, value: float, span: object = None) -> Scalar:
    """A floating-point constant of a type."""
    return _constant(to_dtype("T.FloatImm", dtype), value)


def _constant(dtype: DType, value: object) -> Any:
    found = operand(value)
    return found if isinstance(found, Unknown) else as_type(found, dtype, here())


def StringImm(value: str, span: object = None) -> str:
    """A string as an argument of a call."""
    return value


if TYPE_CHECKING:

    class Var(Scalar):
        """A variable of a type; also the class of symbolic sizes: ``isinstance(M, T.Var)``."""

        def __init__(self, name: str, dtype: Any, span: object = None) -> None: ...

else:

    class _VarType(type):
        def __instancecheck__(cls, value: object) -> bool:
            return isinstance(value, IRVar)

        def __call__(cls, name, dtype, span=None):
            return _variable(name, dtype)

    class Var(metaclass=_VarType):
        """A variable of a type; also the class of symbolic sizes: ``isinstance(M, T.Var)``."""


def SizeVar(name: str, dtype: Any, span: object = None) -> Scalar:
    """A variable that is not negative."""
    return _variable(name, dtype)


def var(dtype: str, name: str = "") -> Scalar:
    """A variable of a type."""
    return _variable(name, dtype)


def _variable(name: object, dtype: object) -> Any:
    return IRVar(as_dtype(dtype) or UNKNOWN_DTYPE, name if isinstance(name, str) else "?", "param", span=here())


def boolean(expr: Value | None = None, is_size_var: bool = False) -> Scalar:
    """``expr`` as a ``bool``."""
    return construct(BOOL, expr)


def rng_init(
    seed: Value, seq: Value | None = None, off: Value = 0, generator: str = "curandStatePhilox4_32_10_t"
) -> None:
    """Start the random generator of the thread."""
    allowed = ("curandStateMRG32k3a_t", "curandStatePhilox4_32_10_t", "curandStateXORWOW_t")
    if not is_unknown(generator) and generator not in allowed:
        invalid("T.rng_init", "generator", f"one of {', '.join(allowed)}", describe(generator))
    effect("rng_init", attrs=(("seed", seed), ("generator", generator)))


def rng_rand() -> Scalar:
    """A random ``uint32``."""
    return pure("rng_rand", dtype=named("uint32"))


def rng_rand_float(bit: int = 32, dist: str = "uniform") -> Scalar:
    """A random float of 32 or 64 bits. ``dist``: uniform or normal."""
    if not is_unknown(bit) and bit not in (32, 64):
        invalid("T.rng_rand_float", "bit", "32 or 64", describe(bit))
    if not is_unknown(dist) and dist not in ("uniform", "normal"):
        invalid("T.rng_rand_float", "dist", "'uniform' or 'normal'", describe(dist))
    return pure("rng_rand_float", dtype=named("float64") if bit == 64 else FLOAT32)


def bind(value: Value, type_annotation: Any = None, *, var: Any = None) -> Scalar:
    """Bind a value once, so that it is computed where it stands."""
    builder = current()
    found = operand(value)
    if builder is None or isinstance(found, Unknown):
        return cast("Scalar", found)
    span = builder.site.span
    bound = var if isinstance(var, IRVar) else IRVar(value_dtype(found), target_name("value"), "let", span=span)
    builder.emit(LetStmt(bound, found, span=span))
    return cast("Scalar", bound)


def undef() -> Scalar:
    """An ``int32`` that is not set."""
    return cast("Scalar", IRVar(INT32, "undef", "unknown", span=here()))


def void(expr: Value | None = None, *, is_size_var: bool = False) -> Any:
    """No value."""
    return None


def ret(val: Value, span: object = None) -> None:
    """Return from the function."""
    effect("ret", attrs=(("value", val),))


def isnullptr(x: Value, span: object = None) -> Scalar:
    """Whether a pointer is null. A ``bool``."""
    return pure("isnullptr", x, dtype=BOOL)

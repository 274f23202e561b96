"""Scalar expressions of the tile IR.

An operand is an :class:`Expr` or a plain Python number. A plain number is a constant without a type of
its own, as in Python source; :class:`Const` is a constant that was given a type (``T.float16(1)``).
Equality is structural and ignores spans; :class:`Var` compares by identity.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from tilelang.ir.dtype import BOOL, DType
from tilelang.ir.span import NOWHERE, Span

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilelang.ir.buffer import Buffer

VarKind = Literal["dim", "param", "loop", "block", "thread", "let", "unknown"]
"""``dim``: a symbolic size (T.dynamic, T.const); ``param``: a scalar or pointer parameter; ``loop``: a loop
index; ``block``/``thread``: an index of the launch; ``let``: a value bound once inside the kernel; ``unknown``: a
value that the evaluator could not follow. Nothing may be concluded from an ``unknown`` variable."""


def _operator(op: str, *, swapped: bool = False) -> Callable[[Any, Any], Any]:
    """A method for Python's operator. The types of results are the language's business."""

    def method(self: Expr, other: object) -> Any:
        if not isinstance(other, (Expr, int, float)) and not getattr(other, "is_var", False):
            return NotImplemented
        from tilelang.language.arith import binary
        from tilelang.language.context import here

        return binary(op, other, self, here()) if swapped else binary(op, self, other, here())

    return method


@dataclass(frozen=True, slots=True)
class Expr:
    """Base of all typed expressions.

    Python's operators make expressions, so that a program can compute sizes (``m // 64``) outside of kernels. ``==``
    does not: it compares the structure.
    """

    dtype: DType
    span: Span = field(default=NOWHERE, compare=False, repr=False, kw_only=True)

    __add__, __radd__ = _operator("+"), _operator("+", swapped=True)
    __sub__, __rsub__ = _operator("-"), _operator("-", swapped=True)
    __mul__, __rmul__ = _operator("*"), _operator("*", swapped=True)
    __truediv__, __rtruediv__ = _operator("/"), _operator("/", swapped=True)
    __floordiv__, __rfloordiv__ = _operator("//"), _operator("//", swapped=True)
    __mod__, __rmod__ = _operator("%"), _operator("%", swapped=True)
    __lshift__, __rlshift__ = _operator("<<"), _operator("<<", swapped=True)
    __rshift__, __rrshift__ = _operator(">>"), _operator(">>", swapped=True)
    __and__, __rand__ = _operator("&"), _operator("&", swapped=True)
    __or__, __ror__ = _operator("|"), _operator("|", swapped=True)
    __xor__, __rxor__ = _operator("^"), _operator("^", swapped=True)
    __lt__, __le__ = _operator("<"), _operator("<=")
    __gt__, __ge__ = _operator(">"), _operator(">=")

    def __neg__(self) -> Any:
        from tilelang.language.arith import unary

        return unary("-", self)

    def __invert__(self) -> Any:
        from tilelang.language.arith import unary

        return unary("~", self)


@dataclass(frozen=True, slots=True)
class Const(Expr):
    value: int | float | bool


@dataclass(frozen=True, slots=True, eq=False)
class Var(Expr):
    """A name with one value per iteration, thread, block or launch."""

    name: str
    kind: VarKind = "let"

    # ``eq=False`` alone would inherit the structural equality of Expr.
    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


@dataclass(frozen=True, slots=True)
class Binary(Expr):
    """``op`` is Python's spelling: ``+ - * / // % ** << >> & | ^ == != < <= > >=``, or ``and or min max``,
    or ``truncdiv``/``truncmod`` for C semantics."""

    op: str
    a: Operand
    b: Operand

    def __bool__(self) -> bool:
        if is_comparison(self.op):
            raise TypeError(f"whether {self.op} holds is known only when the kernel runs: no Python code can ask")
        return True


@dataclass(frozen=True, slots=True)
class Unary(Expr):
    """``op`` is one of ``- ~ not``."""

    op: str
    a: Operand


@dataclass(frozen=True, slots=True)
class Cast(Expr):
    value: Operand


@dataclass(frozen=True, slots=True)
class Select(Expr):
    cond: Operand
    then: Operand
    other: Operand


@dataclass(frozen=True, slots=True)
class Slice:
    """A slice written in an index, ``start:stop:step``; ``None`` where the source leaves it out."""

    start: Operand | None
    stop: Operand | None
    step: Operand | None = None
    span: Span = field(default=NOWHERE, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Load(Expr):
    """One element of a buffer, ``buffer[indices]``. The number of indices is as written in the source, so it
    may differ from the rank; a rule reports that."""

    buffer: Buffer
    indices: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Call(Expr):
    """A named operation with a value: maths (``exp2``), warp operations, address-of, opaque calls. Arguments may
    be operands, buffers, regions, strings or tuples of those."""

    op: str
    args: tuple[object, ...]
    attrs: tuple[tuple[str, object], ...] = ()


Operand = Expr | int | float | bool
Index = Operand | Slice


def const_value(value: object) -> int | float | bool | None:
    """The Python number that an operand certainly is, else ``None``."""
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, Const):
        return value.value
    if isinstance(value, Cast):
        inner = const_value(value.value)
        if inner is None or value.dtype.is_float:
            return inner
        return int(inner) if value.dtype.is_integer else inner
    return None


def const_int(value: object) -> int | None:
    """Like :func:`const_value`, for integers only."""
    number = const_value(value)
    if isinstance(number, bool):
        return int(number)
    return number if isinstance(number, int) else None


def is_known(value: object) -> bool:
    """Whether no part of an operand is a value that the evaluator could not follow."""
    from tilelang.ir.visit import subterms

    return not any(isinstance(term, Var) and term.kind == "unknown" for term in subterms(value))


def is_comparison(op: str) -> bool:
    return op in ("==", "!=", "<", "<=", ">", ">=", "and", "or")


def dtype_of(value: Operand) -> DType | None:
    """The type of an operand; ``None`` for a plain Python number, which adapts to its partner."""
    return value.dtype if isinstance(value, Expr) else (BOOL if isinstance(value, bool) else None)

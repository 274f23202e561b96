"""Scalar expressions of the tile IR as TIRX expressions, in the compute type of each value."""

from __future__ import annotations

import operator
from contextlib import contextmanager
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from tilelang.ir.arith import try_const
from tilelang.ir.buffer import Buffer, Region
from tilelang.ir.dtype import FLOAT32, INT32, DType
from tilelang.ir.expr import Binary, Call, Cast, Const, Expr, Load, Select, Unary, Var, is_comparison
from tilelang.ir.visit import subterms
from tilelang.language.arith import binary, literal_dtype, promote
from tilelang.lower import tir
from tilelang.lower.codec import decode, encode, rounded
from tilelang.lower.dtypes import Family, compute_of, is_narrow, storage_of
from tilelang.lower.maths import BINARY, FAST, UNARY, function
from tilelang.lower.tir import tirx
from tilelang.lower.unsupported import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    LoadElement = Callable[[Load], tir.Expr]
    CallHook = Callable[[Call], "tir.Expr | None"]


_MOST_ELEMENTS = 256
"""Elements of a box that are tested in one expression."""


class ScalarLowering:
    """``load`` gives an element in its storage type. ``hook`` may give the value of a call first: of operations that
    only one target has. ``shared``: whether a divisor divides many values of a thread."""

    def __init__(
        self,
        family: Family,
        load: LoadElement,
        hook: CallHook | None = None,
        shared: Callable[[object], bool] | None = None,
    ) -> None:
        self.family: Family = family
        self._load = load
        self._hook = hook
        self._shared = shared
        self._values: dict[Var, tir.Expr | Callable[[], tir.Expr]] = {}

    # --- variables ---

    def bind(self, var: Var, value: tir.Expr) -> None:
        """The value of a variable from now on, in its compute type."""
        self._values[var] = value

    def bind_lazily(self, var: Var, value: Callable[[], tir.Expr]) -> None:
        """A variable whose value depends on where it is used: one with a value for each lane."""
        self._values[var] = value

    def unbind(self, var: Var) -> None:
        self._values.pop(var, None)

    def is_bound(self, var: Var) -> bool:
        return var in self._values

    @contextmanager
    def loading(self, load: LoadElement) -> Generator[None, None, None]:
        """Read elements in another way for a while."""
        outer, self._load = self._load, load
        try:
            yield
        finally:
            self._load = outer

    # --- types ---

    @staticmethod
    def compute(dtype: DType) -> str:
        return compute_of(dtype)

    def storage(self, dtype: DType) -> str:
        return storage_of(self.family, dtype)

    def encode(self, value: tir.Expr, dtype: DType) -> tir.Expr:
        """A value of the compute type as it is stored."""
        return encode(self.family, value, dtype)

    def decode(self, value: tir.Expr, dtype: DType) -> tir.Expr:
        """A stored value in the compute type."""
        return decode(self.family, value, dtype)

    def zero(self, dtype: DType) -> tir.Expr:
        """The zero of a storage type."""
        return tir.const(0, self.storage(dtype))

    def convert(self, value: tir.Expr, dtype: str) -> tir.Expr:
        """A value in another TIRX type."""
        return value if tir.type_of(value) == dtype else tirx.Cast(dtype, value)

    # --- expressions ---

    def condition(self, value: object) -> tir.Expr:
        """A value as a condition."""
        found = self.lower(value)
        return found if tir.type_of(found) == "bool" else tirx.NE(found, tir.const(0, tir.type_of(found)))

    def lower(self, value: object, like: DType | None = None) -> tir.Expr:
        """The value of an operand. With ``like``, converted to that type; a plain number takes it."""
        if isinstance(value, (bool, int, float)):
            return self._number(value, like)
        if not isinstance(value, Expr):
            raise Unsupported(f"a {type(value).__name__} is no value")
        found = self._expr(value)
        return found if like is None or like == value.dtype else self._cast(found, value.dtype, like)

    def _number(self, value: float, like: DType | None) -> tir.Expr:
        dtype = like or literal_dtype(value)
        if isinstance(value, int) and like is None and not -(2**31) <= value < 2**31:
            return tir.const(value, "int64")
        compute = compute_of(dtype)
        if compute == "bool":
            return tir.const(bool(value), "bool")
        if compute.startswith("float"):
            return rounded(self.family, tir.const(float(value), compute), dtype)
        bits = dtype.bits
        number = int(value) & ((1 << bits) - 1)
        if dtype.is_signed and number >= 1 << (bits - 1):
            number -= 1 << bits
        return tir.const(number, compute)

    def _expr(self, value: Expr) -> tir.Expr:
        if isinstance(value, Const):
            return self._number(value.value, value.dtype)
        if isinstance(value, Var):
            return self._variable(value)
        if isinstance(value, Load):
            return self.decode(self._load(value), value.buffer.dtype)
        if isinstance(value, Cast):
            inner = value.value
            source = inner.dtype if isinstance(inner, Expr) else literal_dtype(inner)
            if not isinstance(inner, Expr):
                return self._number(inner, value.dtype)
            return self._cast(self._expr(inner), source, value.dtype)
        if isinstance(value, Binary):
            return self._binary(value)
        if isinstance(value, Unary):
            return self._unary(value)
        if isinstance(value, Select):
            return self._select(value.cond, value.then, value.other, value.dtype)
        if isinstance(value, Call):
            return self._call(value)
        raise Unsupported(f"{type(value).__name__} is not supported", value.span)

    def _variable(self, var: Var) -> tir.Expr:
        found = self._values.get(var)
        if found is None:
            raise Unsupported(f"the value of {var.name} is not known", var.span)
        return found() if callable(found) and not isinstance(found, tirx.Expr) else found

    def _cast(self, value: tir.Expr, source: DType, target: DType) -> tir.Expr:
        """A value of one type as one of another, rounded to what that can hold."""
        if source == target:
            return value
        compute = compute_of(target)
        if compute == "bool":
            return tirx.NE(value, tir.const(0, tir.type_of(value))) if tir.type_of(value) != "bool" else value
        found = self.convert(value, compute)
        if target.is_integer and target.bits < 8:
            return self._wrapped(found, target)
        return rounded(self.family, found, target) if is_narrow(target) else found

    @staticmethod
    def _wrapped(value: tir.Expr, dtype: DType) -> tir.Expr:
        """The low bits of an integer, with the sign of its type."""
        shift = tir.const(8 - dtype.bits, tir.type_of(value))
        return tirx.shift_right(tirx.shift_left(value, shift), shift)

    def _operands(self, a: object, b: object) -> tuple[tir.Expr, tir.Expr, DType]:
        """Two operands in their common type."""
        types = [value.dtype if isinstance(value, Expr) else None for value in (a, b)]
        if types[0] is None and types[1] is None:
            common = FLOAT32 if any(isinstance(value, float) for value in (a, b)) else INT32
        elif types[0] is None or types[1] is None:
            common = types[0] or types[1] or INT32
            number = a if types[0] is None else b
            if isinstance(number, float) and not common.is_float:
                common = FLOAT32
            elif common.is_bool and not isinstance(number, bool):
                common = INT32
        else:
            common = promote(types[0], types[1]) or types[0]
        return self.lower(a, common), self.lower(b, common), common

    def _binary(self, value: Binary) -> tir.Expr:
        op = value.op
        if op in ("and", "or"):
            a, b = self.condition(value.a), self.condition(value.b)
            return tirx.And(a, b) if op == "and" else tirx.Or(a, b)
        a, b, common = self._operands(value.a, value.b)
        if is_comparison(op):
            if common.is_bool:
                a, b = (tirx.Cast("int32", each) for each in (a, b))
            return _COMPARISONS[op](a, b)
        if op in ("<<", ">>") and isinstance(value.a, Expr):
            a, common = self.lower(value.a), value.a.dtype
            b = self.convert(self.lower(value.b), tir.type_of(a))
        if common.is_bool and op in ("&", "|", "^"):
            return {"&": tirx.And, "|": tirx.Or, "^": tirx.NE}[op](a, b)
        if common.is_bool:
            a, b, common = tirx.Cast("int32", a), tirx.Cast("int32", b), INT32
        if op == "/" and not common.is_float:
            dtype = value.dtype if value.dtype.is_float else FLOAT32
            a, b, common = self._cast(a, common, dtype), self._cast(b, common, dtype), dtype
        if op == "/" and tir.type_of(b) == "float32" and self._shared is not None and self._shared(value.b):
            found = tirx.call_pure_extern("float32", "tl::divide", a, b)
        else:
            found = self._arithmetic(op, a, b, common)
        if is_narrow(common) and op not in ("min", "max"):
            found = rounded(self.family, found, common)
        return found if common == value.dtype else self._cast(found, common, value.dtype)

    def _arithmetic(self, op: str, a: tir.Expr, b: tir.Expr, dtype: DType) -> tir.Expr:
        if dtype.is_float:
            compute = tir.type_of(a)
            if op == "//":
                found = function(self.family, "floor", (a / b,), compute)
            elif op in ("%", "truncmod"):
                found = function(self.family, "fmod", (a, b), compute)
                if op == "%" and found is not None:
                    # Python's remainder has the sign of the divisor.
                    moved = tirx.And(
                        tirx.NE(found, tir.const(0.0, compute)), tirx.LT(found * b, tir.const(0.0, compute))
                    )
                    found = tirx.Select(moved, found + b, found)
            elif op == "**":
                found = function(self.family, "pow", (a, b), compute)
            else:
                found = _FLOATS[op](a, b) if op in _FLOATS else None
        elif op == "**":
            found = self._power(a, b)
        else:
            found = _INTEGERS[op](a, b) if op in _INTEGERS else None
        if found is None:
            raise Unsupported(f"the operator {op} on {dtype} is not supported")
        return found

    @staticmethod
    def _power(a: tir.Expr, b: tir.Expr) -> tir.Expr:
        if not isinstance(b, tirx.IntImm) or not 0 <= int(b.value) <= 64:
            raise Unsupported("a power of an integer needs a constant exponent from 0 to 64")
        found = tir.const(1, tir.type_of(a))
        for _ in range(int(b.value)):
            found = found * a
        return found

    def _unary(self, value: Unary) -> tir.Expr:
        if value.op == "not":
            return tirx.Not(self.condition(value.a))
        inner = self.lower(value.a)
        dtype = tir.type_of(inner)
        if value.op == "~":
            return tirx.Not(inner) if dtype == "bool" else tirx.bitwise_not(inner)
        return tir.const(0, dtype) - inner if not dtype.startswith("float") else inner * tir.const(-1.0, dtype)

    def _select(self, cond: object, then: object, other: object, dtype: DType) -> tir.Expr:
        made = tirx.Select
        if any(isinstance(term, (Load, Call)) for part in (then, other) for term in subterms(part)):
            # Only one side may be evaluated: the other may be out of bounds.
            made = tirx.if_then_else
        return made(self.condition(cond), self.lower(then, dtype), self.lower(other, dtype))

    # --- calls ---

    def _call(self, call: Call) -> tir.Expr:
        if self._hook is not None:
            found = self._hook(call)
            if found is not None:
                return found
        op, dtype = call.op, call.dtype
        if op in UNARY or op in BINARY or op in FAST:
            return self._function(call)
        if op in ("if_then_else", "Select"):
            return self._select(*call.args[:3], dtype)  # type: ignore[arg-type]  # three operands
        if op in ("max", "min"):
            return self.lower(Binary(dtype, op, *call.args[:2]))  # type: ignore[arg-type]  # two operands
        if op == "likely":
            return self.lower(call.args[0])
        if op in ("fma", "fmul"):
            args = [self.lower(arg, dtype) for arg in call.args]
            found = args[0] * args[1] + args[2] if op == "fma" else args[0] * args[1]
            return rounded(self.family, found, dtype) if is_narrow(dtype) else found
        if op in ("all_of", "any_of"):
            return self._elements(op, call)
        if op in ("isnan", "isinf", "isfinite"):
            return self._classified(op, call.args[0])
        if op in ("max_value", "min_value", "infinity"):
            return self._limit(op, dtype)
        if op in ("popcount", "clz"):
            return self._bits(op, call.args[0])
        if op == "reinterpret":
            return self._reinterpreted(call)
        if op in ("fast_rcp", "ieee_frcp"):
            return tir.const(1.0, "float32") / self.lower(call.args[0], FLOAT32)
        if op in _IEEE:
            args = [self.lower(arg, dtype) for arg in call.args if isinstance(arg, (Expr, int, float))]
            return _IEEE[op](*args)
        if op in ("ieee_fsqrt", "ieee_frsqrt"):
            name = op.removeprefix("ieee_f")
            found = function(self.family, name, (self.lower(call.args[0], dtype),), compute_of(dtype))
            assert found is not None
            return found
        raise Unsupported(f"T.{op} is not supported on {self.family}", call.span)

    def _elements(self, op: str, call: Call) -> tir.Expr:
        """Whether all elements of a box, or any, are not 0: one after the other, as far as is needed."""
        box = call.args[0]
        if not isinstance(box, Region) or box.extents is None or box.buffer.is_fragment:
            raise Unsupported(f"T.{op} needs a box of global, shared or local memory", call.span)
        sizes = [try_const(extent) for extent in box.extents]
        known = [size for size in sizes if size is not None]
        if len(known) < len(sizes) or prod(known) > _MOST_ELEMENTS:
            raise Unsupported(f"T.{op} needs a box of at most {_MOST_ELEMENTS} elements", call.span)
        found: tir.Expr | None = None
        for place in product(*map(range, known)):
            index: list[Any] = [binary("+", low, step) for low, step in zip(box.mins, place, strict=True)]
            one = self.condition(Load(box.buffer.dtype, box.buffer, tuple(index), span=call.span))
            found = one if found is None else (tirx.And if op == "all_of" else tirx.Or)(found, one)
        return tir.const(op == "all_of", "bool") if found is None else found

    def _function(self, call: Call) -> tir.Expr:
        dtype = call.dtype
        if call.op in ("abs", "floor", "ceil", "trunc", "round", "nearbyint", "fabs") and not dtype.is_float:
            inner = self.lower(call.args[0], dtype)
            if call.op not in ("abs", "fabs") or not dtype.is_signed:
                return inner
            zero = tir.const(0, tir.type_of(inner))
            return tirx.Select(tirx.LT(inner, zero), zero - inner, inner)
        if call.op == "pow" and dtype.is_integer:
            return self._power(self.lower(call.args[0], dtype), self.lower(call.args[1], dtype))
        wide = dtype if dtype.is_float else FLOAT32
        args = [self.lower(arg, wide) for arg in call.args if isinstance(arg, (Expr, int, float))]
        if call.op == "ldexp":
            args[1] = self.lower(call.args[1], INT32)
        found = function(self.family, call.op, args, compute_of(wide))
        if found is None:
            raise Unsupported(f"T.{call.op} is not supported on {self.family}", call.span)
        found = rounded(self.family, found, wide) if is_narrow(wide) else found
        return found if wide == dtype else self._cast(found, wide, dtype)

    def _classified(self, op: str, value: object) -> tir.Expr:
        inner = self.lower(value)
        if not tir.type_of(inner).startswith("float"):
            return tir.const(op == "isfinite", "bool")
        # TVM takes a value to be equal to itself, so a comparison with itself would be folded away.
        nan = tirx.isnan(inner) if self.family == "cpu" else tirx.call_pure_extern("bool", "tl::is_nan", inner)
        if op == "isnan":
            return nan
        limit = tir.const(float("inf"), tir.type_of(inner))
        infinite = tirx.Or(tirx.EQ(inner, limit), tirx.EQ(inner, tir.const(float("-inf"), tir.type_of(inner))))
        return infinite if op == "isinf" else tirx.And(tirx.Not(nan), tirx.Not(infinite))

    def _limit(self, op: str, dtype: DType) -> tir.Expr:
        if op == "infinity":
            return tir.const(float("inf"), compute_of(dtype))
        from tilelang.language.convert import integer_range

        if dtype.is_integer:
            low, high = integer_range(dtype) or (0, 0)
            return tir.const(high if op == "max_value" else low, compute_of(dtype))
        largest = {16: 65504.0, 32: 3.4028234663852886e38, 64: 1.7976931348623157e308}.get(dtype.bits, 448.0)
        if dtype.kind == "bfloat":
            largest = 3.3895313892515355e38
        elif dtype.format.startswith("e5m2"):
            largest = 57344.0
        return tir.const(largest if op == "max_value" else -largest, compute_of(dtype))

    def _bits(self, op: str, value: object) -> tir.Expr:
        inner = self.lower(value)
        wide = "64" in tir.type_of(inner)
        if self.family == "cuda":
            name = {"popcount": "__popc", "clz": "__clz"}[op] + ("ll" if wide else "")
            return tirx.call_pure_extern("int32", name, inner)
        return tirx.Cast("int32", getattr(tirx, op)(inner))

    def _reinterpreted(self, call: Call) -> tir.Expr:
        source = next(arg for arg in call.args if isinstance(arg, Expr))
        stored = self.encode(self.lower(source), source.dtype)
        target = self.storage(call.dtype)
        if tir.type_of(stored) == target:
            return self.decode(stored, call.dtype)
        if self.family == "cuda":
            return self.decode(tirx.call_pure_extern(target, "tl::bits", stored, tir.const(0, target)), call.dtype)
        return self.decode(tirx.reinterpret(target, stored), call.dtype)

    def argument(self, value: object) -> tir.Expr:
        """An argument of a call of a function by name: pointers to elements, or stored values."""
        if isinstance(value, (Buffer, Region)):
            raise Unsupported("a whole buffer as an argument of a call is not supported here")
        if isinstance(value, str):
            return tir.tvm.ir.StringImm(value)
        if isinstance(value, Expr):
            found = self.lower(value)
            return found if value.dtype.kind == "handle" else self.encode(found, value.dtype)
        return self.lower(value)


_COMPARISONS: dict[str, Any] = {
    "==": tirx.EQ,
    "!=": tirx.NE,
    "<": tirx.LT,
    "<=": tirx.LE,
    ">": tirx.GT,
    ">=": tirx.GE,
}
_FLOATS: dict[str, Any] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": tirx.Div,
    "truncdiv": tirx.Div,
    "min": tirx.Min,
    "max": tirx.Max,
}
_INTEGERS: dict[str, Any] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": tirx.floordiv,
    "%": tirx.floormod,
    "truncdiv": tirx.truncdiv,
    "truncmod": tirx.truncmod,
    "<<": tirx.shift_left,
    ">>": tirx.shift_right,
    "&": tirx.bitwise_and,
    "|": tirx.bitwise_or,
    "^": tirx.bitwise_xor,
    "min": tirx.Min,
    "max": tirx.Max,
}


def _multiply_add(a: tir.Expr, b: tir.Expr, c: tir.Expr) -> tir.Expr:
    return a * b + c


_IEEE: dict[str, Any] = {
    "ieee_add": operator.add,
    "ieee_sub": operator.sub,
    "ieee_mul": operator.mul,
    "ieee_fdiv": tirx.Div,
    "ieee_fmaf": _multiply_add,
}

"""Types of operators against a table taken from upstream 0.1.15, folding and identities."""

from __future__ import annotations

import pytest
from language.program import complaint, kernel, outside

from tilelang.ir.dtype import DType
from tilelang.ir.expr import Binary, Const, Expr, Select, Var, const_value
from tilelang.ir.unknown import UNKNOWN
from tilelang.language.arith import binary, promote, select, unary


def var(dtype: str) -> Var:
    return Var(DType(dtype), "v")


def type_of(value: object) -> str:
    assert isinstance(value, Expr)
    return str(value.dtype)


# Upstream's result of `a + b` for variables of these types.
SUMS = {
    ("float16", "float32"): "float32",
    ("float16", "bfloat16"): "float16",
    ("bfloat16", "float32"): "float32",
    ("float8_e4m3fn", "float16"): "float16",
    ("float8_e4m3fn", "bfloat16"): "bfloat16",
    ("float4_e2m1fn", "float8_e5m2"): "float8_e5m2",
    ("float64", "int64"): "float64",
    ("int8", "float8_e4m3fn"): "float8_e4m3fn",
    ("int8", "uint8"): "uint8",
    ("int16", "uint8"): "int16",
    ("uint16", "int8"): "uint16",
    ("int32", "uint32"): "uint32",
    ("int64", "uint32"): "int64",
    ("int64", "uint64"): "uint64",
    ("bool", "int8"): "int8",
    ("bool", "float16"): "float16",
    ("float32", "float32x4"): "float32x4",
}


@pytest.mark.parametrize(("types", "result"), SUMS.items())
def test_promotion_is_symmetric_and_like_upstream(types: tuple[str, str], result: str) -> None:
    a, b = types
    assert type_of(binary("+", var(a), var(b))) == result
    assert type_of(binary("+", var(b), var(a))) == result


@pytest.mark.parametrize(
    ("dtype", "number", "result"),
    [
        ("int8", 1, "int32"),
        ("int64", 1, "int64"),
        ("int32", 2**40, "int64"),
        ("uint32", 1, "uint32"),
        ("uint8", 1, "int32"),
        ("float16", 2, "float16"),
        ("float16", 1.5, "float32"),
        ("float64", 1.5, "float64"),
        ("int32", 1.5, "float32"),
        ("bool", 1, "int32"),
    ],
)
def test_a_number_is_an_int32_or_float32(dtype: str, number: float, result: str) -> None:
    assert type_of(binary("+", var(dtype), number)) == result


def test_a_number_beside_a_bitwise_operator_takes_the_other_type() -> None:
    assert type_of(binary("&", var("int8"), 1)) == "int8"
    assert type_of(binary("<<", 1, var("uint64"))) == "uint64"
    assert type_of(binary("&", var("uint8"), var("int32"))) == "int32"


def test_comparisons_are_conditions() -> None:
    assert type_of(binary("<", var("float16"), 1.5)) == "bool"
    assert type_of(binary("==", var("float32x2"), var("float32x2"))) == "boolx2"
    assert type_of(binary("and", var("bool"), var("bool"))) == "bool"


def test_formats_without_a_common_type() -> None:
    assert promote(DType("float8_e4m3fn"), DType("float8_e5m2")) is None
    with kernel() as builder:
        binary("+", var("float8_e4m3fn"), var("float8_e5m2"))
    assert "float8_e4m3fn and float8_e5m2" in complaint(builder)


@pytest.mark.parametrize(
    ("op", "a", "b"),
    [
        ("/", "int32", "int32"),
        ("//", "float32", "float32"),
        ("%", "float16", "int32"),
        ("&", "float32", "int32"),
        ("**", "float32", "float32"),
    ],
)
def test_operand_types_that_upstream_refuses(op: str, a: str, b: str) -> None:
    with outside() as builder:
        binary(op, var(a), var(b))
    assert [problem.kind for problem in builder.problems] == ["invalid-argument"]


@pytest.mark.parametrize(
    ("op", "a", "b"), [("/", "uint32", "uint32"), ("/", "float32", "int32"), ("//", "int8", "int64")]
)
def test_operand_types_that_upstream_takes(op: str, a: str, b: str) -> None:
    with outside() as builder:
        binary(op, var(a), var(b))
    assert builder.problems == []


def test_identities_keep_the_operand() -> None:
    i = var("int32")
    for op, number in (("+", 0), ("-", 0), ("*", 1), ("//", 1)):
        assert binary(op, i, number) is i
    assert binary("+", 0, i) is i
    assert const_value(binary("*", i, 0)) == 0
    assert const_value(binary("%", i, 1)) == 0
    # The type would change, so the addition stays.
    assert isinstance(binary("+", var("int8"), 0), Binary)


def test_numbers_and_typed_constants_fold() -> None:
    assert binary("//", 7, 2) == 3
    assert binary("max", 1, 2.0) == 2.0
    assert binary("truncdiv", -7, 2) == -3
    assert binary("*", Const(DType("int64"), 6), 7) == Const(DType("int64"), 42)
    assert binary("<", Const(DType("int32"), 1), 2) is True


def test_folding_is_bounded() -> None:
    assert binary("**", 2, 10**9) is UNKNOWN
    assert binary("<<", 1, 10**9) is UNKNOWN
    assert binary("//", 1, 0) is UNKNOWN


def test_the_unknown_absorbs() -> None:
    assert binary("+", UNKNOWN, 1) is UNKNOWN
    assert unary("-", UNKNOWN) is UNKNOWN
    assert select(UNKNOWN, 1, 2) is UNKNOWN


def test_select_chooses_on_constants_and_promotes() -> None:
    assert select(True, 1, 2) == 1
    chosen = select(var("bool"), var("float16"), var("float32"))
    assert isinstance(chosen, Select)
    assert chosen.dtype == "float32"


def test_unary() -> None:
    assert unary("-", 3) == -3
    assert unary("not", var("int32")).dtype == "bool"  # type: ignore[union-attr]
    with kernel() as builder:
        unary("~", var("float32"))
    assert "float32 operand" in complaint(builder)

"""Tensors of the signature, outputs of eager kernels, views."""

from __future__ import annotations

import pytest
from language.program import complaint, kernel, only, outside, tensor

import tilelang.language as T
from tilelang.ir.buffer import Buffer
from tilelang.ir.dtype import INT32
from tilelang.ir.expr import Binary, Var
from tilelang.ir.stmt import Effect
from tilelang.ir.unknown import UNKNOWN

M = Var(INT32, "M", "dim")


def test_call_and_subscript_mean_the_same() -> None:
    for made in (
        T.Tensor((M, 64), T.float16),
        T.Tensor[(M, 64), T.float16],
        T.Tensor[[M, 64], "float16"],
    ):
        buffer: object = made
        assert isinstance(buffer, Buffer)
        assert (buffer.shape, buffer.dtype, buffer.scope) == ((M, 64), "float16", "global")


def test_defaults_and_one_extent() -> None:
    one: object = T.Tensor(128)
    assert isinstance(one, Buffer)
    assert (one.shape, one.dtype) == ((128,), "float32")
    assert T.Tensor[M, 64].shape == (M, 64)


def test_python_and_torch_types() -> None:
    class TorchType:
        def __repr__(self) -> str:
            return "torch.bfloat16"

    assert T.Tensor((4,), int).dtype == "int32"
    assert T.Tensor((4,), TorchType()).dtype == "bfloat16"  # type: ignore[arg-type]
    assert T.Tensor((4,), T.ptr).dtype == "int64"


def test_strides() -> None:
    made: object = T.StridedTensor((M, 64), (128, 1), "float16")
    assert isinstance(made, Buffer)
    assert made.strides == (128, 1)
    with outside() as builder:
        T.StridedTensor((M, 64), (1,), "float16")
    assert "strides: must be 2 numbers" in complaint(builder)


def test_scopes_of_macro_parameters() -> None:
    assert T.FragmentBuffer((4,), "float32").scope == "local.fragment"
    assert T.SharedBuffer((4,), "float32").scope == "shared.dyn"
    assert T.LocalBuffer((4,), "float32").scope == "local"


@pytest.mark.parametrize(
    ("call", "shape", "dtype"),
    [
        (lambda: T.empty((4, 8), T.float16), (4, 8), "float16"),
        (lambda: T.empty([4, 8], dtype="float16"), (4, 8), "float16"),
        (lambda: T.empty(4, 8), (4, 8), "float32"),
        (lambda: T.empty(M, 8, dtype=T.int8), (M, 8), "int8"),
    ],
)
def test_empty_makes_an_output(call: object, shape: tuple[object, ...], dtype: str) -> None:
    with outside() as builder:
        buffer = call()  # type: ignore[operator]
    assert (buffer.shape, buffer.dtype) == (shape, dtype)
    assert builder.outputs == [buffer]
    assert builder.problems == []


def test_empty_of_a_wrong_type() -> None:
    with outside() as builder:
        T.empty("4", dtype="float16")
    assert "T.empty shape: must be integers, not '4'" in complaint(builder)


def test_tensor_from_a_pointer() -> None:
    with kernel() as builder:
        address = T.ptr()
        made = T.make_tensor(address, (128,), T.float16)
    assert (made.shape, made.dtype, made.attr("data")) == ((128,), "float16", address)
    assert builder.problems == []


def test_views_alias_their_source() -> None:
    A = tensor(64, 32)
    with kernel() as builder:
        wide = T.view(A, (64, 16), T.float32)
        flat = T.reshape(wide, (1024,))
    assert (wide.source, wide.shape, wide.dtype) == (A, (64, 16), "float32")
    assert flat.root is A
    assert builder.problems == []


def test_making_a_view_is_an_effect_that_touches_nothing() -> None:
    from tilelang.ir.access import accesses

    A = tensor(64, 32)
    with kernel() as builder:
        made = T.reshape(A, (32, 64))
    effect = only(builder, Effect)
    assert effect.call.op == "reshape"
    assert dict(effect.call.attrs)["view"] is made
    assert list(accesses(effect)) == []


def test_view_of_something_else() -> None:
    with kernel() as builder:
        assert T.view(3, (4,)) is UNKNOWN  # type: ignore[arg-type]
    assert "T.view src: must be a buffer, not 3" in complaint(builder)


def test_symbols() -> None:
    m = T.dynamic("m")
    assert isinstance(m, Var)
    assert (m.name, m.kind, m.dtype) == ("m", "dim", "int32")
    assert [size.name for size in T.const("M, N,K")] == ["M", "N", "K"]
    assert [size.name for size in T.dynamic("m n", dtype="int64")] == ["m", "n"]
    assert T.symbolic("s", "int64").dtype == "int64"


def test_coordinates() -> None:
    i = Var(INT32, "i")
    row, column = T.index_to_coordinates(i, (8, 4))
    assert isinstance(column, Binary)
    assert (column.op, column.b) == ("%", 4)
    assert T.index_to_coordinates(5, (2, 4)) == [1, 1]
    assert isinstance(row, Binary)

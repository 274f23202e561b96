"""Maths, conversions, warp operations: types of values."""

from __future__ import annotations

from typing import Any

import pytest
from language.program import at, complaint, kernel, only, statements, tensor

import tilelang.language as T
from tilelang.ir.access import accesses
from tilelang.ir.dtype import INT32, DType
from tilelang.ir.expr import Binary, Call, Cast, Const, Expr, Select, Var, const_value
from tilelang.ir.stmt import Effect, Let
from tilelang.ir.unknown import UNKNOWN


def var(dtype: str) -> Any:
    return Var(DType(dtype), "v")


@pytest.mark.parametrize(
    ("name", "given", "result"),
    [
        ("exp", "float16", "float16"),
        ("exp", "int32", "float32"),
        ("exp2", "bfloat16", "bfloat16"),
        ("log2", "float32", "float32"),
        ("rsqrt", "float16", "float16"),
        ("sigmoid", "float16", "float16"),
        ("tanh", "bfloat16", "bfloat16"),
        ("isnan", "float16", "bool"),
        ("clz", "int64", "int32"),
        ("popcount", "uint64", "uint64"),
        ("abs", "float16", "float16"),
        ("__exp", "float16", "float16"),
        ("shfl_xor", "float16", "float16"),
        ("any_sync", "bool", "int32"),
        ("ballot", "int32", "uint64"),
        ("match_any_sync", "int32", "uint32"),
    ],
)
def test_types_of_functions(name: str, given: str, result: str) -> None:
    with kernel() as builder:
        value = getattr(T, name)(*((var(given), 1) if name == "shfl_xor" else (var(given),)))
    assert isinstance(value, Expr)
    assert value.dtype == result
    assert builder.problems == []


def test_rounding_leaves_integers() -> None:
    x = var("int32")
    assert T.floor(x) is x
    assert isinstance(T.floor(var("float32")), Call)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: T.tanh(var("int32")), "T.tanh x: must be a float, not of type int32"),
        (lambda: T.__dict__["__getattr__"]("__exp")(var("int32")), "T.__exp x: must be a float"),
        (lambda: T.isnan(var("bfloat16")), "T.isnan x: must be a float16, float32, float64 or integer"),
        (lambda: T.fma(var("float16"), var("float16"), var("float32")), "T.fma z: must be of type float16"),
        (lambda: T.Select(var("bool"), var("float16"), var("float32")), "false_value: must be of type float16"),
        (lambda: T.if_then_else(var("int32"), 1, 2), "cond: must be a condition, not of type int32"),
        (lambda: T.add2(var("float32"), var("float32")), "T.add2 x: must be one of float16x2, bfloat16x2, float32x2"),
        (lambda: T.ieee_add(var("float32"), 1.0, "up"), "rounding_mode: must be one of rn, rz, ru, rd, not 'up'"),
        (lambda: T.ieee_frsqrt(var("float64")), "x: must be a float32 or smaller"),
        (lambda: T.ballot(var("float32")), "predicate: must be an integer or a condition, not of type float32"),
        (lambda: T.extract_lane(var("float16"), 0), "vector: must be a vector, not a float16"),
        (lambda: T.extract_lane(var("float16x2"), 2), "lane: must be between 0 and 1, not 2"),
        (lambda: T.cast(var("float32"), "float16", "up"), "round: must be one of"),
        (lambda: T.cast(var("float32"), "float16", "rs"), "rbits: must be given with round='rs', not None"),
        (lambda: T.reinterpret(var("float16"), "int32"), "dtype: must be a type of 16 bits"),
        (lambda: T.rng_rand_float(bit=16), "bit: must be 32 or 64, not 16"),
        (lambda: T.rng_init(0, generator="mt19937"), "generator: must be one of curandState"),
        (lambda: T.pow(var("int32"), var("int32")), "x: must be a float unless the exponent is a constant"),
    ],
)
def test_operands_that_upstream_refuses(call: Any, text: str) -> None:
    with kernel() as builder:
        call()
    assert text in complaint(builder)


def test_choices() -> None:
    chosen: Any = T.if_then_else(var("bool"), var("float16"), 0)
    assert isinstance(chosen, Select)
    assert chosen.dtype == "float16"
    assert T.if_then_else(True, 1, 2) == 1
    assert T.max(1, 2) == 2
    assert T.clamp(5, 0, 3) == 3


def test_ceildiv() -> None:
    assert T.ceildiv(1000, 128) == 8
    assert T.cdiv(1024, 128) == 8
    n = Var(INT32, "n", "dim")
    assert T.ceildiv(n, 1) is n
    blocks = T.ceildiv(n, 128)
    assert isinstance(blocks, Binary)
    assert (blocks.op, blocks.b) == ("//", 128)
    assert blocks.a == Binary(INT32, "+", n, 127)
    assert T.align_up(5, 8) == 8


class TestConversions:
    def test_cast(self) -> None:
        x = var("float32")
        assert T.cast(x, "float32") is x
        half: Any = T.cast(x, T.float16)
        assert isinstance(half, Cast)
        assert half.dtype == "float16"
        assert T.cast(3, T.float16) == Const(DType("float16"), 3.0)
        assert T.cast(UNKNOWN, T.float16) is UNKNOWN

    def test_calling_a_dtype(self) -> None:
        assert T.float16(1) == Const(DType("float16"), 1)
        assert T.int32(var("int32")).dtype == "int32"
        assert T.float16x2(var("float16"), var("float16")).dtype == "float16x2"

    def test_construct_checks_the_range(self) -> None:
        from tilelang.language.convert import construct

        with kernel() as builder:
            construct(DType("uint8"), 300)
        assert complaint(builder) == "T.uint8 value: must be in the range of uint8, 0 to 255, not 300"
        assert const_value(construct(DType("int32"), 1.5)) == 1

    def test_limits(self) -> None:
        assert const_value(T.infinity("float32")) == float("inf")
        assert const_value(T.max_value("float16")) == 65504.0
        assert const_value(T.min_value(T.int8)) == -128
        assert const_value(T.max_value("uint64")) == 2**64 - 1

    def test_reinterpret_in_either_order(self) -> None:
        x = var("int32")
        for value in (T.reinterpret(x, "float32"), T.reinterpret("float32", x)):
            assert isinstance(value, Call)
            assert (value.op, value.dtype, value.args) == ("reinterpret", "float32", (x,))


def test_dtypes() -> None:
    assert (T.float16.bits, T.float16.bytes, T.float16x4.lanes) == (16, 2, 4)
    assert T.float == "float32"
    assert T.dtype("half") == "float16"
    assert T.int4.itemsize == 1
    assert T.float4_e2m1fn.is_float4()
    assert T.is_f8f6f4_family(T.float8_e5m2)
    assert not T.is_f8f6f4_family("float16")


def test_vectors() -> None:
    lanes: Any = T.Ramp(var("int32"), 1, 4)
    assert (lanes.op, lanes.dtype) == ("ramp", "int32x4")
    assert T.Broadcast(1.0, 4).dtype == "float32x4"
    assert T.Shuffle([var("float16x2")], [1]).dtype == "float16"


class TestEffects:
    def test_barriers(self) -> None:
        with kernel() as builder:
            bars = T.alloc_barrier([128, 128])
            T.barrier_arrive(at(bars, 0))
            T.mbarrier_wait_parity(at(bars, 1), var("int32"))
            T.sync_threads()
            T.sync_threads(1, 64)
            T.ptx_wait_group(0)
        calls = [effect.call for effect in statements(builder, Effect)]
        assert [call.op for call in calls] == [
            "barrier_arrive",
            "mbarrier_wait_parity",
            "sync_threads",
            "sync_threads",
            "ptx_wait_group",
        ]
        assert calls[3].args == (1, 64)
        assert builder.problems == []

    def test_a_buffer_that_holds_no_barriers(self) -> None:
        with kernel() as builder:
            T.barrier_arrive(T.alloc_shared((4,), "float16"))
        assert "mbarrier: must be a barrier from T.alloc_barrier" in complaint(builder)

    def test_votes_of_the_block_are_bound_where_they_stand(self) -> None:
        with kernel() as builder:
            count = T.syncthreads_count(var("bool"))
        let = only(builder, Let)
        assert let.var is count
        assert (let.value.op, let.value.dtype) == ("syncthreads_count", "int32")  # type: ignore[union-attr]

    def test_annotations(self) -> None:
        A = tensor(64)
        with kernel() as builder:
            T.annotate_layout({A: lambda i: i})
            T.use_swizzle(10, order="column")
            T.use_swizzle(10, enable=False)
            T.annotate_l2_hit_ratio({A: 0.5})
            T.assume(var("bool"))
        assert [effect.call.op for effect in statements(builder, Effect)] == [
            "annotate_layout",
            "use_swizzle",
            "annotate_l2_hit_ratio",
            "assume",
        ]
        assert builder.problems == []

    @pytest.mark.parametrize(
        ("call", "text"),
        [
            (lambda: T.use_swizzle(10, order="rows"), "order: must be 'row', 'column' or 'mlx', not 'rows'"),
            (lambda: T.annotate_layout([1]), "layout_map: must be a dictionary"),  # type: ignore[arg-type]
            (lambda: T.annotate_layout({tensor(4): 3}), "layout_map: must be layouts or functions of the indices"),
            (lambda: T.annotate_min_blocks_per_sm(0), "n: must be a positive integer, not 0"),
            (T.ws, "warp_group_idx: must be one or more warp groups, not none"),
            (lambda: T.ws_op(""), "op_id: must be a name, not ''"),
            (lambda: T.annotate_ws_schedule({}), "schedule: must be a T.WSSchedule"),
            (lambda: T.access_ptr(tensor(4), "x"), "access_type: must be 'r', 'w' or 'rw', not 'x'"),
            (
                lambda: T.access_ptr(tensor(4, 4), "r", offset=2),
                "offset: must be 0 unless the buffer has one dimension",
            ),
            (lambda: T.access_ptr(tensor(4), "r", 1, 2), "extents: must be at most 1 numbers, not 2 numbers"),
            (
                lambda: T.dp4a(tensor(4), tensor(4, dtype="int8"), tensor(4, dtype="int32")),
                "dp4a requires int8, int8 and int32 for A, B and C, but A",
            ),
        ],
    )
    def test_wrong_arguments(self, call: Any, text: str) -> None:
        with kernel() as builder:
            call()
        assert text in complaint(builder)

    def test_pointers_say_what_is_done_there(self) -> None:
        A = tensor(64)
        with kernel() as builder:
            T.evaluate(T.call_extern("int32", "f", T.access_ptr(at(A, 3), "w"), 1))
        effect = only(builder, Effect)
        assert effect.call.dtype == "int32"
        assert [(access.mode, access.buffer) for access in accesses(effect)] == [("write", A)]

    def test_printing_reads(self) -> None:
        A = tensor(64)
        with kernel() as builder:
            T.print(A, msg="A")
            T.device_assert(var("bool"), "no")
        assert [access.mode for effect in statements(builder, Effect) for access in accesses(effect)] == ["read"]


class TestOpaque:
    def test_an_effect_may_do_anything_to_its_buffers(self) -> None:
        A = tensor(64)
        with kernel() as builder:
            assert T.tma_load(A, 1, "x") is UNKNOWN
        effect = only(builder, Effect)
        assert (effect.modelled, effect.call.op) == (False, "tma_load")
        assert [access.mode for access in accesses(effect)] == ["unknown"]

    def test_values_have_a_type(self) -> None:
        assert T.vectorlow("float16x2", var("float16x4")).dtype == "float16x2"
        assert T.vscale().dtype == "int32"

    def test_objects_keep_their_arguments(self) -> None:
        emitter = T.TensorCoreIntrinEmitter(a_dtype="float16", chunk=32)
        assert emitter.chunk == 32
        assert emitter.ldmatrix_a is UNKNOWN
        layout = T.Layout((4, 4), lambda i, j: (j, i))
        assert layout.shape == (4, 4)
        assert T.WSSync.consumer_wait("p").kind is T.WSSyncKind.CONSUMER_WAIT

"""Copies, fills, products, reductions, scans and atomics: the IR they make, and what the call alone can get wrong."""

from __future__ import annotations

from typing import Any

import pytest
from language.program import at, complaint, kernel, kinds, only, outside, statements, tensor

import tilelang.language as T
from tilelang.ir.access import accesses
from tilelang.ir.dtype import BOOL, INT32
from tilelang.ir.expr import Call, Cast, Load, Var
from tilelang.ir.stmt import Atomic, Copy, Effect, Fill, Gemm, Reduce, Scan, Store
from tilelang.ir.unknown import UNKNOWN


class TestCopy:
    def test_a_start_beside_a_tile(self) -> None:
        A = tensor(256, 256)
        with kernel() as builder:
            tile = T.alloc_shared((64, 32), "float16")
            T.copy(at(A, 64, 32), tile)
        copy = only(builder, Copy)
        assert (copy.op, copy.src.buffer, copy.src.mins, copy.src.extents) == ("copy", A, (64, 32), (64, 32))
        assert copy.dst.is_whole
        assert builder.problems == []

    def test_unequal_extents_are_left_to_the_rules(self) -> None:
        with kernel() as builder:
            T.copy(tensor(64, 64), T.alloc_shared((64, 32), "float16"))
        assert only(builder, Copy).src.extents == (64, 64)
        assert builder.problems == []

    def test_two_elements_are_a_store(self) -> None:
        A, B = tensor(64), tensor(64, dtype="float32", name="B")
        with kernel() as builder:
            T.copy(at(A, 1), at(B, 2))
        store = only(builder, Store)
        assert (store.buffer, store.indices) == (B, (2,))
        assert isinstance(store.value, Cast)
        assert store.value.value == at(A, 1)

    def test_attributes(self) -> None:
        A = tensor(64)
        with kernel() as builder:
            tile = T.alloc_shared((64,), "float16")
            T.copy(A, tile, coalesced_width=8, disable_tma=True, eviction_policy="evict_first")
            T.copy(A, tile, coalesced_width=8, annotations={"coalesced_width": 4})
        first, second = statements(builder, Copy)
        assert dict(first.attrs) == {"coalesced_width": 8, "disable_tma": True, "eviction_policy": "evict_first"}
        assert second.attr("coalesced_width") == 4

    @pytest.mark.parametrize(
        ("options", "text"),
        [
            ({"prefer_instruction": "tensor"}, "prefer_instruction: must be 'tma', 'cp_async' or 'sync', not 'tensor'"),
            ({"prefer_instruction": "tma", "disable_tma": True}, "must be 'cp_async' or 'sync' with disable_tma=True"),
            ({"eviction_policy": "first"}, "eviction_policy: must be 'evict_normal', 'evict_first' or 'evict_last'"),
            ({"coalesced_width": 0}, "coalesced_width: must be a positive integer, not 0"),
            ({"annotations": {"prefer_instruction": "x"}}, "prefer_instruction: must be"),
        ],
    )
    def test_wrong_options(self, options: dict[str, Any], text: str) -> None:
        with kernel() as builder:
            T.copy(tensor(64), T.alloc_shared((64,), "float16"), **options)
        assert text in complaint(builder)
        assert len(statements(builder, Copy)) == 1

    @pytest.mark.parametrize(
        ("options", "text"),
        [
            ({"cluster_mask": 0}, "cluster_mask: must be a positive integer, not 0"),
            ({"leader_scope_threads": 48}, "leader_scope_threads: must be a positive multiple of 32, not 48"),
            ({"leader_scope_threads": 0}, "leader_scope_threads: must be a positive multiple of 32, not 0"),
        ],
    )
    def test_wrong_tma_options(self, options: dict[str, Any], text: str) -> None:
        with kernel() as builder:
            T.tma_copy(tensor(64), T.alloc_shared((64,), "float16"), **options)
        assert text in complaint(builder)

    def test_other_forms(self) -> None:
        A = tensor(64, 32)
        with kernel() as builder:
            tile, turned = T.alloc_shared((64, 32), "float16"), T.alloc_shared((32, 64), "float16")
            T.async_copy(A, tile)
            T.tma_copy(A, tile, barrier=T.alloc_barrier(1))
            T.transpose(tile, turned)
            T.copy_cluster(A, tile, cluster_mask=3)
        assert [copy.op for copy in statements(builder, Copy)] == [
            "async_copy",
            "tma_copy",
            "transpose",
            "copy_cluster",
        ]

    def test_im2col_keeps_its_window(self) -> None:
        with kernel() as builder:
            T.c2d_im2col(tensor(1, 32, 32, 64), T.alloc_shared((64, 32), "float16"), 0, 1, 3, 1, 1, 1)
        copy = only(builder, Copy)
        assert (copy.op, copy.attr("kernel"), copy.attr("c_step"), copy.attr("pad")) == ("im2col", 3, 1, 1)

    def test_an_unknown_side_still_touches_the_known_one(self) -> None:
        with kernel() as builder:
            tile = T.alloc_shared((64,), "float16")
            T.copy(UNKNOWN, tile)
        effect = only(builder, Effect)
        assert not effect.modelled
        assert not builder.complete
        assert [(access.mode, access.buffer) for access in accesses(effect)] == [("write", tile)]
        assert builder.problems == []

    def test_something_that_is_no_buffer(self) -> None:
        with kernel() as builder:
            T.copy("A", T.alloc_shared((64,), "float16"))  # type: ignore[arg-type]
        assert complaint(builder) == "T.copy src: must be a buffer or a box of one, not 'A'"

    def test_a_parameter_without_a_value_is_silent(self) -> None:
        choice: Any = Var(INT32, "choice", "param")
        with kernel() as builder:
            T.copy(tensor(64), T.alloc_shared((64,), "float16"), eviction_policy=choice)
            T.gemm(tensor(64, 64), tensor(64, 64), T.alloc_fragment((64, 64), "float32"), policy=choice)
            T.use_swizzle(10, order=choice)
        assert builder.problems == []

    def test_outside_a_launch(self) -> None:
        with outside() as builder:
            T.copy(tensor(64), tensor(64))
        assert kinds(builder) == ["kernel-outside-context"]
        assert len(statements(builder, Copy)) == 1


class TestFill:
    def test_whole_part_and_element(self) -> None:
        with kernel() as builder:
            tile = T.alloc_fragment((64, 32), "float32")
            T.clear(tile)
            T.fill(at(tile, slice(0, 8), 0), -1.0)
            T.fill(at(tile, 1, 2), 3)
        extents = [fill.dst.extents for fill in statements(builder, Fill)]
        assert extents == [(64, 32), (8, 1), (1, 1)]
        assert [fill.value for fill in statements(builder, Fill)] == [0, -1.0, 3]

    def test_a_variable_as_value(self) -> None:
        with kernel() as builder:
            x = T.alloc_var("float32", 1.0)
            T.fill(T.alloc_fragment((4,), "float32"), x)
        value = only(builder, Fill).value
        assert isinstance(value, Load)
        assert value.buffer is x

    def test_wrong_values(self) -> None:
        with kernel() as builder:
            T.fill(T.alloc_fragment((4,), "float32"), "inf")  # type: ignore[arg-type]
        assert complaint(builder) == "T.fill value: must be a number, not 'inf'"


class TestGemm:
    def operands(self) -> tuple[Any, Any, Any]:
        a, b = T.alloc_shared((64, 32), "float16"), T.alloc_shared((32, 64), "float16")
        return a, b, T.alloc_fragment((64, 64), "float32")

    def test_fields(self) -> None:
        with kernel() as builder:
            a, b, c = self.operands()
            T.gemm(a, b, c, transpose_B=True, policy=T.GemmWarpPolicy.FullRow, clear_accum=True)
        gemm = only(builder, Gemm)
        assert (gemm.a.buffer, gemm.b.buffer, gemm.c.buffer) == (a, b, c)
        assert (gemm.trans_a, gemm.trans_b, gemm.policy, gemm.clear_accum) == (False, True, "FullRow", True)
        assert gemm.op == "gemm"

    def test_numbers_for_flags_and_policy(self) -> None:
        with kernel() as builder:
            T.gemm(*self.operands(), transpose_A=1, policy=2)  # type: ignore[arg-type]
        gemm = only(builder, Gemm)
        assert (gemm.trans_a, gemm.policy) == (True, "FullCol")
        assert builder.problems == []

    def test_an_unknown_transpose_is_no_product_to_check(self) -> None:
        with kernel() as builder:
            a, b, c = self.operands()
            T.gemm(a, b, c, transpose_A=UNKNOWN)  # type: ignore[arg-type]
        assert statements(builder, Gemm) == []
        modes = {
            (access.mode, access.buffer.name) for effect in statements(builder, Effect) for access in accesses(effect)
        }
        assert modes == {("read", "shared"), ("update", "fragment")}
        assert builder.problems == []

    @pytest.mark.parametrize(
        ("options", "text"),
        [
            ({"policy": "FullRow"}, "policy: must be a T.GemmWarpPolicy, not 'FullRow'"),
            ({"policy": 7}, "policy: must be a T.GemmWarpPolicy, not 7"),
            ({"transpose_A": Var(BOOL, "flag")}, "transpose_A: must be True or False while compiling"),
        ],
    )
    def test_wrong_options(self, options: dict[str, Any], text: str) -> None:
        with kernel() as builder:
            T.gemm(*self.operands(), **options)
        assert text in complaint(builder)

    def test_other_instructions(self) -> None:
        with kernel() as builder:
            a, b, c = self.operands()
            T.wgmma_gemm(a, b, c)
            T.tcgen05_gemm(a, b, c, mbar=T.alloc_barrier(1))
            T.gemm_sp(a, T.alloc_shared((64, 4), "uint8"), b, c)
        assert [gemm.op for gemm in statements(builder, Gemm)] == ["wgmma_gemm", "tcgen05_gemm", "gemm_sp"]

    def test_waits_and_barriers_of_tcgen05(self) -> None:
        scale: dict[str, Any] = {"k_start": 0, "sf_a_granularity_k": 32, "sf_b_granularity_k": 32}
        with kernel() as builder:
            a, b, c = self.operands()
            T.tcgen05_gemm_blockscaled(a, b, c, a, b, wg_wait=2, mbar=T.alloc_barrier(1), **scale)
        assert "wg_wait: must be 0 or -1, not 2" in complaint(builder)
        with kernel() as builder:
            a, b, c = self.operands()
            T.tcgen05_gemm_blockscaled(a, b, c, a, b, **scale)
        assert "mbar: must be a barrier, not None" in complaint(builder)


class TestReduce:
    @pytest.mark.parametrize(
        ("function", "op"),
        [
            (T.reduce_sum, "sum"),
            (T.reduce_max, "max"),
            (T.reduce_min, "min"),
            (T.reduce_abssum, "abssum"),
            (T.reduce_absmax, "absmax"),
            (T.reduce_bitand, "bitand"),
            (T.reduce_bitor, "bitor"),
            (T.reduce_bitxor, "bitxor"),
        ],
    )
    def test_operations(self, function: Any, op: str) -> None:
        with kernel() as builder:
            function(T.alloc_fragment((64, 32), "int32"), T.alloc_fragment((64,), "int32"))
        reduce = only(builder, Reduce)
        assert (reduce.op, reduce.dim, reduce.clear) == (op, 1, True)
        assert builder.problems == []

    def test_a_dimension_out_of_range_is_left_to_the_rules(self) -> None:
        with kernel() as builder:
            T.reduce_sum(T.alloc_fragment((64, 32), "float32"), T.alloc_fragment((64,), "float32"), dim=2, clear=False)
        reduce = only(builder, Reduce)
        assert (reduce.dim, reduce.clear) == (2, False)
        assert builder.problems == []

    def test_wrong_arguments(self) -> None:
        with kernel() as builder:
            src, dst = T.alloc_fragment((64, 32), "float32"), T.alloc_fragment((64,), "float32")
            T.reduce_sum(src, dst, batch=0)
            T.reduce_bitor(src, dst)
            T.reduce(src, dst, "mean", 1, True)
            T.reduce_sum(src, dst, dim="1")  # type: ignore[arg-type]
        assert builder.problems[0].data["message"] == "batch must be >= 1, not 0"
        texts = [f"{data['argument']} {data.get('expected')}" for data in (it.data for it in builder.problems)]
        assert texts[1] == "out a buffer of integers"
        assert texts[2].startswith("reduce_type one of sum, abssum")
        assert texts[3] == "dim an integer"

    def test_reducers(self) -> None:
        with kernel() as builder:
            acc, out = T.alloc_reducer((8,), "float32"), T.alloc_fragment((8,), "float32")
            T.reducer_init(acc)
            T.reducer_update(at(acc, 3), 1.0)
            T.finalize_reducer(acc, out)
        found = [(access.mode, access.buffer) for effect in statements(builder, Effect) for access in accesses(effect)]
        assert found == [("write", acc), ("update", acc), ("read", acc), ("write", out)]
        with kernel() as builder:
            T.reducer_update(T.alloc_reducer((8,), "float32"), 1.0)  # type: ignore[arg-type]
        assert "target: must be an element of a reducer" in complaint(builder)

    def test_warp_and_any(self) -> None:
        with kernel() as builder:
            tile = T.alloc_shared((8, 4), "int32")
            total: Any = T.warp_reduce_sum(at(tile, 0, 0))
            some: Any = T.any_of(at(tile, 1, slice(0, 4)))
        assert isinstance(total, Call)
        assert (total.dtype, some.dtype) == ("int32", "bool")
        assert builder.problems == []
        with kernel() as builder:
            T.all_of(at(T.alloc_shared((8, 4), "int32"), slice(0, 2), slice(0, 4)))
        assert "must be a box with extent 1 in all dimensions but the last" in complaint(builder)


class TestScan:
    def test_in_place_and_out_of_place(self) -> None:
        with kernel() as builder:
            src, dst = T.alloc_shared((8, 64), "float32"), T.alloc_shared((8, 64), "float32")
            T.cumsum(src, dim=-1, reverse=True)
            T.cummax(src, dst)
        first, second = statements(builder, Scan)
        assert (first.op, first.dim, first.reverse, first.dst.buffer) == ("cumsum", 1, True, src)
        assert (second.op, second.dim, second.dst.buffer) == ("cummax", 0, dst)


class TestAtomic:
    def test_elements(self) -> None:
        A = tensor(64, dtype="float32")
        with kernel() as builder:
            assert T.atomic_add(at(A, 1), 2.0) is None
            T.atomic_max(at(A, 1), at(A, 2), memory_order="relaxed")
            T.atomic_store(at(A, 3), 1.0)
        add, largest, store = statements(builder, Atomic)
        assert (add.op, add.dst, add.value) == ("add", at(A, 1), 2.0)
        assert (largest.op, largest.attr("memory_order")) == ("max", "relaxed")
        assert store.op == "store"

    def test_the_old_value(self) -> None:
        A = tensor(64, dtype="int32")
        with kernel() as builder:
            old = T.atomic_add(at(A, 1), 1, return_prev=True)
            value: Any = T.atomic_load(at(A, 1))
        add, load = statements(builder, Atomic)
        assert isinstance(old, Var)
        assert (old.dtype, add.attr("result")) == ("int32", old)
        assert load.attr("result") is value

    def test_tiles(self) -> None:
        A = tensor(64, 64, dtype="float32")
        with kernel() as builder:
            tile = T.alloc_shared((32, 16), "float32")
            T.atomic_add(at(A, 0, 32), tile)
        atomic = only(builder, Atomic)
        assert atomic.dst.extents == (32, 16)  # type: ignore[union-attr]
        assert {(access.mode, access.buffer) for access in accesses(atomic)} >= {("update", A)}

    def test_pairs(self) -> None:
        A = tensor(64)
        with kernel() as builder:
            old: Any = T.atomic_addx2(at(A, 0), at(A, 2), return_prev=True)
        assert old.dtype == "float16x2"
        assert only(builder, Atomic).op == "addx2"

    @pytest.mark.parametrize(
        ("call", "text"),
        [
            (
                lambda A: T.atomic_add(at(A, 1), 1, memory_order="strong"),
                "memory_order: atomic_add does not support memory_order 'strong', only relaxed, consume",
            ),
            (
                lambda A: T.atomic_load(at(A, 1), memory_order="release"),
                "atomic_load does not support memory_order 'release', only relaxed, consume, acquire, seq_cst",
            ),
            (lambda A: T.atomic_store(at(A, 1), 1, memory_order="acquire"), "only relaxed, release, seq_cst"),
            (lambda A: T.atomic_or(at(A, slice(0, 4)), 1), "dst: must be an element of a buffer"),
            (lambda A: T.atomic_add(at(A, slice(0, 4)), 1, return_prev=True), "return_prev: must be False for a tile"),
        ],
    )
    def test_wrong_arguments(self, call: Any, text: str) -> None:
        with kernel() as builder:
            call(tensor(64, dtype="int32"))
        assert text in complaint(builder)

    def test_unknown_operands(self) -> None:
        A = tensor(64, dtype="int32")
        with kernel() as builder:
            T.atomic_add(at(A, 1), UNKNOWN)
            T.atomic_add(UNKNOWN, Var(INT32, "x"))
        assert builder.problems == []
        assert not builder.complete

# pyright: reportInvalidTypeForm=false, reportArgumentType=false
"""Names of upstream that programs use beside kernels: TVM's package, its targets and pass contexts, classes."""

from __future__ import annotations

import pytest

import tilelang
import tilelang.language as T
from tilelang.ir.dtype import dtype
from tilelang.live.target import choose_target
from tilelang.runtime.build import configs_of

pytest.importorskip("tvm")


@T.prim_func
def scaled(A: T.Tensor((128,), "float32")):
    with T.Kernel(1, threads=128):
        for i in T.Parallel(128):
            A[i] = A[i] * 2.0


def test_the_class_of_symbolic_sizes():
    assert isinstance(T.dynamic("m"), T.Var)
    assert not isinstance(128, T.Var)
    assert T.Var("x", "int64").dtype == "int64"


def test_targets_of_tvm():
    target = tilelang.tvm.target.Target({"kind": "cuda", "arch": "sm_90a"})
    assert choose_target(target).arch == "sm_90"
    assert choose_target(str(target)).arch == "sm_90"
    with target:
        assert choose_target().arch == "sm_90"
        assert choose_target("sm_80").arch == "sm_80"
    with pytest.raises(ValueError, match="unknown target"):
        choose_target('{"kind": "abacus"}')


def test_a_pass_context_holds_for_what_it_encloses():
    program = scaled.program
    with tilelang.tvm.transform.PassContext(config={"tl.enable_fast_math": True, "tl.disable_wgmma": True}):
        with tilelang.transform.PassContext(config={tilelang.PassConfigKey.TL_ENABLE_FAST_MATH: False}):
            assert configs_of(None, program, None) == (("tl.enable_fast_math", False),)
        found = configs_of({"tl.disable_wgmma": False}, program, None)
        assert found == (("tl.disable_wgmma", False), ("tl.enable_fast_math", True))
    assert configs_of(None, program, None) == ()


def test_errors_of_tvm_are_those_of_the_compiler():
    with pytest.raises(tilelang.tvm.TVMError, match="batch must be >= 1"):

        @T.prim_func
        def main(A: T.Tensor((4,), "float32")):
            with T.Kernel(1, threads=32):
                T.reduce_sum(T.alloc_fragment((4, 4), "float32"), T.alloc_fragment((4,), "float32"), batch=0)

    assert issubclass(tilelang.CompileError, tilelang.tvm.error.InternalError)
    assert str(tilelang.tvm.DataType("float16")) == "float16"


def test_tensors_at_addresses():
    @T.prim_func
    def gather(sources: T.Tensor((4,), T.ptr), low: T.ptr, out: T.Tensor((4, 128), "float16")):
        lowest = T.make_tensor(low, (128,), "float16")
        with T.Kernel(4, threads=128) as bx:
            source = T.make_tensor(sources[bx], (128,), "float16")
            for i in T.Parallel(128):
                out[bx, i] = source[i] + lowest[i]

    made = tilelang.lower(gather, target="sm_80")
    assert [argument.name for argument in made.artifact.kernels[0].arguments] == ["sources", "low", "out"]
    assert "int64_t* __restrict__ sources, half* __restrict__ low, half* __restrict__ out" in made.kernel_source
    assert "half* source = (half*)" in made.kernel_source


@tilelang.jit(target="sm_80")
def doubled(A: T.ptr, n: int):
    values = T.make_tensor(A, (n,), "float32")
    with T.Kernel(T.ceildiv(n, 128), threads=128) as bx:
        for i in T.Parallel(128):
            values[bx * 128 + i] *= 2.0


def test_addresses_are_parameters_of_eager_kernels():
    made = doubled.get_tir(T.ptr(), 256)
    assert [param.dtype for param in made.params] == ["handle"]
    assert "float* __restrict__ A" in tilelang.lower(made, target="sm_80").kernel_source


def test_dtypes_of_torch():
    torch = pytest.importorskip("torch")
    assert T.float16.as_torch() is torch.float16
    assert T.float8_e4m3.as_torch() is torch.float8_e4m3fn
    assert dtype("int4").as_torch() is torch.int8
    with pytest.raises(TypeError, match="has no type handlex4"):
        dtype("handlex4").as_torch()

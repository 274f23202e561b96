# pyright: reportInvalidTypeForm=false, reportRedeclaration=false, reportArgumentType=false, reportAttributeAccessIssue=false
# pyright: reportUndefinedVariable=false, reportCallIssue=false
"""Calls of compiled kernels: both styles, outputs, sizes, and arguments that do not fit."""

from __future__ import annotations

import numpy as np
import pytest
from runtime.fake import FakeCompiler

import tilelang
import tilelang.language as T
from tilelang.runtime.arguments import ArgumentMismatchError


def double(a: np.ndarray, *rest: object) -> None:
    rest[-1][...] = a * 2  # type: ignore[index]


@pytest.fixture
def compiler(monkeypatch: pytest.MonkeyPatch) -> FakeCompiler:
    made = FakeCompiler(double)
    made.install(monkeypatch)
    return made


def factory(**options: object):
    @tilelang.jit(target="cpu", **options)
    def scaled(n: int, dtype: str = "float32"):
        m = T.dynamic("m")

        @T.prim_func
        def main(A: T.Tensor((m, n), dtype), s: T.float32, B: T.Tensor((m, n), dtype)):
            with T.Kernel(m, threads=32) as bx:
                for i in T.Parallel(n):
                    B[bx, i] = A[bx, i] * s

        return main

    return scaled


def test_a_factory_gives_a_kernel_once_per_arguments(compiler: FakeCompiler):
    scaled = factory()
    kernel = scaled(8)
    assert scaled(8) is kernel
    assert scaled(16) is not kernel
    assert scaled(8, dtype="float16") is not kernel
    assert len(compiler.programs) == 3


def test_tensors_are_written_in_place(compiler: FakeCompiler):
    a, b = np.ones((3, 8), "float32"), np.zeros((3, 8), "float32")
    assert factory()(8)(a, 2.0, b) is None
    assert (b == 2).all()


@pytest.mark.parametrize("out_idx", [-1, 2, [2], [-1]])
def test_outputs_are_allocated_with_the_sizes_of_the_call(compiler: FakeCompiler, out_idx: object):
    kernel = factory(out_idx=out_idx)(8)
    for rows in (3, 5):
        result = kernel(np.ones((rows, 8), "float32"), 2.0)
        assert result.shape == (rows, 8)
        assert (result == 2).all()


def test_arguments_go_by_name_too(compiler: FakeCompiler):
    kernel = factory(out_idx=-1)(8)
    assert kernel(np.ones((2, 8), "float32"), s=1.0).shape == (2, 8)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((np.ones((3, 7), "f4"), 1.0), r"dimension 1 of A must be 8, not 7: \(m, 8\) is \(3, 7\)"),
        ((np.ones((3,), "f4"), 1.0), r"A must have 2 dimensions \(m, 8\), not 1: \(3,\)"),
        ((np.ones((3, 8), "f2"), 1.0), "A must be of type float32, not float16"),
        ((np.ones((8, 3), "f4").T, 1.0), r"A must be contiguous: stride 1 must be 1, not 3"),
        ((np.ones((3, 8), "f4"),), r"main takes 2 arguments \(A, s\), not 1"),
        ((np.ones((3, 8), "f4"), "x"), r"s must be a number \(float32\), not a str"),
        ((7, 1.0), "A must be an array, not a int"),
    ],
)
def test_arguments_that_do_not_fit(compiler: FakeCompiler, args: tuple[object, ...], message: str):
    kernel = factory(out_idx=-1)(8)
    for _ in range(2):
        with pytest.raises(ArgumentMismatchError, match=message):
            kernel(*args)


def test_a_size_must_be_the_same_everywhere(compiler: FakeCompiler):
    kernel = factory()(8)
    with pytest.raises(ArgumentMismatchError, match=r"dimension 0 of B is 4, but m is 3 \(dimension 0 of A\)"):
        kernel(np.ones((3, 8), "f4"), 1.0, np.ones((4, 8), "f4"))


def test_strides_of_a_strided_tensor_are_sizes(compiler: FakeCompiler):
    m, step = T.dynamic("m, step")

    @T.prim_func
    def main(A: T.StridedTensor((m, 4), (step, 1), "float32"), B: T.Tensor((m, 4), "float32")):
        with T.Kernel(m, threads=32) as bx:
            B[bx, 0] = A[bx, 0] * step

    kernel = tilelang.compile(main, out_idx=-1, target="cpu")
    wide = np.arange(24, dtype="float32").reshape(3, 8)[:, :4]
    assert (kernel(wide) == wide * 2).all()
    with pytest.raises(ArgumentMismatchError, match="stride 1 of A must be 1, not 3"):
        kernel(np.ones((4, 3), "f4").T)


def test_assumptions_about_sizes_are_checked():
    n = T.dynamic("n")

    @T.prim_func
    def main(A: T.Tensor((n, 8), "float32"), low: T.int32):
        with T.Kernel(n, threads=32) as bx:
            T.assume(n % 4 == 0)
            T.assume(low < n)
            for i in T.Parallel(8):
                T.assume(i < n)
                A[bx, i] = low

    kernel = tilelang.compile(main, target="cpu")
    even = np.zeros((4, 8), "f4")
    kernel(even, 3)
    assert (even == 3).all()
    with pytest.raises(RuntimeError, match="Assume: n % 4 == 0, but n is 6"):
        kernel(np.zeros((6, 8), "f4"), 3)
    with pytest.raises(RuntimeError, match="Assume: low < n, but low is 4, n is 4"):
        kernel(even, 4)


@pytest.mark.parametrize(
    ("domain", "blocks"), [((4, 9), 3), ((4, 9), 36), ((7,), 3), ((3, 5, 11), 4), ((4, 16), 5), ((2, 3), 7)]
)
def test_persistent_blocks_take_each_tile_once(domain: tuple[int, ...], blocks: int):
    @T.prim_func
    def main(visits: T.Tensor(domain, "int32")):
        with T.Kernel(blocks, threads=1) as block:
            for tile in T.Persistent(domain, blocks, block):
                T.atomic_add(visits[tile], 1)

    visits = np.zeros(domain, "i4")
    tilelang.compile(main, target="cpu")(visits)
    assert (visits == 1).all()


def test_out_idx_outside_the_parameters(compiler: FakeCompiler):
    with pytest.raises(ValueError, match="out_idx 3 is outside its 3 parameters"):
        factory(out_idx=3)(8)


@tilelang.jit(target="cpu")
def added(A, B, block: int = 32):
    N = T.const("N")
    A: T.Tensor[[N], T.float32]
    B: T.Tensor[[N], T.float32]
    C = T.empty((N,), T.float32)
    with T.Kernel(T.ceildiv(N, block), threads=32) as bx:
        for i in T.Parallel(block):
            C[bx * block + i] = A[bx * block + i] + B[bx * block + i]
    return C


def test_an_eager_kernel_is_compiled_for_its_tensors(monkeypatch: pytest.MonkeyPatch):
    compiler = FakeCompiler(lambda a, b, c: np.add(a, b, out=c))
    compiler.install(monkeypatch)
    for size, block in ((64, 32), (64, 32), (96, 32), (96, 16)):
        a = np.arange(size, dtype="float32")
        assert (added(a, a, block=block) == a * 2).all()
    assert [program.params[0].shape for program in compiler.programs] == [(64,), (96,), (96,)]


def test_an_eager_kernel_is_compiled_without_tensors(compiler: FakeCompiler):
    kernel = added.compile(N=128)
    assert [param.shape for param in kernel.params] == [(128,), (128,), (128,)]
    assert kernel.out_idx == [2]


def test_an_eager_kernel_needs_its_arguments(compiler: FakeCompiler):
    with pytest.raises(TypeError, match="missing a required argument: 'B'"):
        added(np.zeros(4, "f4"))


def test_a_factory_without_a_return(compiler: FakeCompiler):
    @tilelang.jit
    def forgotten(n: int):
        @T.prim_func
        def main(A: T.Tensor((n,), "float32")):
            with T.Kernel(1, threads=32):
                A[0] = 1.0

    with pytest.raises(TypeError, match=r"forgotten must return a function under @T\.prim_func, not None"):
        forgotten(8)


def test_compiling_something_else():
    with pytest.raises(TypeError, match=r"takes a function under @T\.prim_func, not a int"):
        tilelang.compile(3, target="cpu")


def test_an_unknown_target(compiler: FakeCompiler):
    with pytest.raises(ValueError, match="unknown target 'h1000'"):
        tilelang.compile(factory().get_tir(8), target="h1000")

# pyright: reportRedeclaration=false
"""Scalar code, control flow, types without a tile operation, calls and their arguments."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from cpu.numbers import array, close, numpy_type

import tilelang
import tilelang.language as T
from tilelang.live.errors import CompileError

RNG = np.random.default_rng(4)


@tilelang.jit(out_idx=[-1], target="cpu")
def mapped(op: str, dtype: str, n: int = 70):
    @T.prim_func
    def kernel(A: T.Tensor[(n,), dtype], B: T.Tensor[(n,), dtype], C: T.Tensor[(n,), dtype]):
        with T.Kernel(T.ceildiv(n, 32), threads=32) as bx:
            for i in T.Parallel(32):
                x = A[bx * 32 + i]
                y = B[bx * 32 + i]
                if op == "add":
                    C[bx * 32 + i] = x + y
                elif op == "sub":
                    C[bx * 32 + i] = x - y
                elif op == "mul":
                    C[bx * 32 + i] = x * y
                elif op == "div":
                    C[bx * 32 + i] = x / y
                elif op == "floordiv":
                    C[bx * 32 + i] = x // y
                elif op == "mod":
                    C[bx * 32 + i] = x % y
                elif op == "max":
                    C[bx * 32 + i] = T.max(x, y)
                elif op == "min":
                    C[bx * 32 + i] = T.min(x, y)
                elif op == "and":
                    C[bx * 32 + i] = x & y
                elif op == "xor":
                    C[bx * 32 + i] = x ^ y
                elif op == "or":
                    C[bx * 32 + i] = x | y
                elif op == "select":
                    C[bx * 32 + i] = T.if_then_else(x > y, x, y + y)

    return kernel


BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "max": np.maximum,
    "min": np.minimum,
    "select": lambda x, y: np.where(x > y, x, y + y),
}
INTEGER = {
    **{name: BINARY[name] for name in ("add", "sub", "mul", "max", "min", "select")},
    "floordiv": np.floor_divide,
    "mod": np.remainder,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2"])
@pytest.mark.parametrize("op", sorted(BINARY))
def test_arithmetic_of_floats(op: str, dtype: str) -> None:
    x, y = array(RNG, (70,), dtype), array(RNG, (70,), dtype)
    y[y == 0] = 1
    expected = BINARY[op](x.astype(np.float64), y.astype(np.float64))
    limit = 448 if dtype == "float8_e4m3fn" else 57344 if dtype == "float8_e5m2" else np.inf
    close(mapped(op, dtype)(x, y), np.clip(expected, -limit, limit), dtype)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
@pytest.mark.parametrize("op", sorted(INTEGER))
def test_arithmetic_of_integers(op: str, dtype: str) -> None:
    x, y = array(RNG, (70,), dtype), array(RNG, (70,), dtype)
    y[y == 0] = 1
    if op in ("floordiv", "mod"):
        y[y == -1] = 3
    np.testing.assert_array_equal(mapped(op, dtype)(x, y), INTEGER[op](x, y))


@tilelang.jit(out_idx=[-1], target="cpu")
def functions(dtype: str, n: int):
    @T.prim_func
    def kernel(A: T.Tensor[(n,), dtype], B: T.Tensor[(24, n), dtype]):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(n):
                B[0, i] = T.exp(A[i])
                B[1, i] = T.exp2(A[i])
                B[2, i] = T.exp10(A[i])
                B[3, i] = T.log(A[i])
                B[4, i] = T.log2(A[i])
                B[5, i] = T.log10(A[i])
                B[6, i] = T.log1p(A[i])
                B[7, i] = T.sqrt(A[i])
                B[8, i] = T.rsqrt(A[i])
                B[9, i] = T.sin(A[i])
                B[10, i] = T.cos(A[i])
                B[11, i] = T.tan(A[i])
                B[12, i] = T.tanh(A[i])
                B[13, i] = T.sinh(A[i])
                B[14, i] = T.cosh(A[i])
                B[15, i] = T.asin(A[i])
                B[16, i] = T.acos(A[i])
                B[17, i] = T.atan(A[i])
                B[18, i] = T.floor(A[i])
                B[19, i] = T.ceil(A[i])
                B[20, i] = T.trunc(A[i])
                B[21, i] = T.round(A[i])
                B[22, i] = T.abs(A[i])
                B[23, i] = T.sigmoid(A[i])

    return kernel


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_functions(dtype: str) -> None:
    a = np.concatenate([np.linspace(0.01, 0.99, 30), [0.5]]).astype(dtype)
    got = functions(dtype, len(a))(a).astype(np.float64)
    x = a.astype(np.float64)
    expected = np.array(
        [
            np.exp(x),
            np.exp2(x),
            10.0**x,
            np.log(x),
            np.log2(x),
            np.log10(x),
            np.log1p(x),
            np.sqrt(x),
            1 / np.sqrt(x),
            np.sin(x),
            np.cos(x),
            np.tan(x),
            np.tanh(x),
            np.sinh(x),
            np.cosh(x),
            np.arcsin(x),
            np.arccos(x),
            np.arctan(x),
            np.floor(x),
            np.ceil(x),
            np.trunc(x),
            np.round(x),
            np.abs(x),
            1 / (1 + np.exp(-x)),
        ]
    )
    limit = 3 * float(np.finfo(dtype).eps)
    for place, (one, other) in enumerate(zip(got, expected, strict=True)):
        np.testing.assert_allclose(one, other, rtol=limit, atol=limit / 8, err_msg=f"function {place}")


@tilelang.jit(out_idx=[-1], target="cpu")
def classified(dtype: str):
    @T.prim_func
    def kernel(A: T.Tensor[(5,), dtype], B: T.Tensor[(4, 5), T.int32]):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(5):
                B[0, i] = T.cast(T.isnan(A[i]), T.int32)
                B[1, i] = T.cast(T.isinf(A[i]), T.int32)
                B[2, i] = T.cast(T.isfinite(A[i]), T.int32)
                B[3, i] = T.cast(A[i] == A[i], T.int32)

    return kernel


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_special_values(dtype: str) -> None:
    a = np.array([np.nan, np.inf, -np.inf, 0, 1]).astype(numpy_type(dtype))
    expected = [[1, 0, 0, 0, 0], [0, 1, 1, 0, 0], [0, 0, 0, 1, 1], [0, 1, 1, 1, 1]]
    np.testing.assert_array_equal(classified(dtype)(a), expected)


# --- types ------------------------------------------------------------------------------------------------------


@tilelang.jit(target="cpu")
def nibbles(dtype: str, n: int):
    @T.prim_func
    def kernel(A: T.Tensor[(n,), dtype], B: T.Tensor[(n,), T.float32], C: T.Tensor[(n,), dtype]):
        with T.Kernel(1, threads=32):
            tile = T.alloc_shared((n,), dtype)
            T.copy(A, tile)
            for i in T.Parallel(n):
                B[i] = T.cast(tile[i], T.float32)
            for i in T.Parallel(n):
                C[n - 1 - i] = tile[i]

    return kernel


@pytest.mark.parametrize("dtype", ["int4", "uint4", "float4_e2m1fn"])
def test_two_elements_in_a_byte(dtype: str) -> None:
    codes = RNG.integers(0, 16, 32).astype(np.uint8)
    packed = (codes[0::2] | (codes[1::2] << 4)).view(np.int8)
    wide, turned = np.full(32, np.nan, np.float32), np.zeros(16, np.int8)
    nibbles(dtype, 32)(packed, wide, turned)
    values = {
        "int4": np.where(codes < 8, codes, codes - 16.0),
        "uint4": codes.astype(float),
        "float4_e2m1fn": codes.view(ml_dtypes.float4_e2m1fn).astype(float),
    }[dtype]
    np.testing.assert_array_equal(wide, values)
    back = codes[::-1]
    np.testing.assert_array_equal(turned.view(np.uint8), back[0::2] | (back[1::2] << 4))


@tilelang.jit(out_idx=[-1], target="cpu")
def logical():
    @T.prim_func
    def kernel(A: T.Tensor[(16,), T.bool], B: T.Tensor[(16,), T.int32], C: T.Tensor[(16,), T.bool]):
        with T.Kernel(1, threads=16):
            tile = T.alloc_shared((16,), T.bool)
            T.copy(A, tile)
            for i in T.Parallel(16):
                C[i] = tile[i] and not (B[i] > 0 or B[i] == -5)

    return kernel


def test_truth_values() -> None:
    a, b = array(RNG, (16,), "bool"), RNG.integers(-9, 9, 16).astype(np.int32)
    np.testing.assert_array_equal(logical()(a, b), a & ~((b > 0) | (b == -5)))


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2"])
def test_small_floats_saturate_and_keep_nan(dtype: str) -> None:
    @tilelang.jit(out_idx=[-1], target="cpu")
    def make(dtype: str):
        @T.prim_func
        def kernel(A: T.Tensor[(6,), T.float32], B: T.Tensor[(6,), dtype]):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(6):
                    B[i] = T.cast(A[i], dtype)

        return kernel

    largest = float(ml_dtypes.finfo(numpy_type(dtype)).max)
    got = make(dtype)(np.array([1e6, -1e6, np.inf, np.nan, -0.0, 1e-9], np.float32)).astype(np.float64)
    np.testing.assert_array_equal(got, [largest, -largest, largest, np.nan, 0, 0])
    assert np.signbit(got[4])


def test_long_expressions_of_small_types_compile() -> None:
    @tilelang.jit(out_idx=[-1], target="cpu")
    def make(dtype: str):
        @T.prim_func
        def kernel(A: T.Tensor[(8,), dtype], B: T.Tensor[(8,), dtype]):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(8):
                    x = A[i]
                    B[i] = ((((((((x + x) * x + x) * x + x) * x + x) * x + x) * x + x) * x + x) * x + x) * x

        return kernel

    for dtype in ("bfloat16", "float8_e4m3fn"):
        a = array(RNG, (8,), dtype, scale=0.5)
        expected = a + a
        for _ in range(7):
            expected = expected * a + a
        np.testing.assert_array_equal(make(dtype)(a), expected * a)


# --- control ----------------------------------------------------------------------------------------------------


@tilelang.jit(out_idx=[-1], target="cpu")
def searching(n: int):
    @T.prim_func
    def kernel(A: T.Tensor[(n,), T.int32], out: T.Tensor[(3,), T.int32]):
        with T.Kernel(1, threads=32):
            place = T.alloc_var(T.int32)
            odd = T.alloc_var(T.int32)
            rest = T.alloc_var(T.int32)
            place = -1
            odd = 0
            for i in T.serial(n):
                if A[i] > 90:
                    place = i
                    break
                if A[i] % 2 == 0:
                    continue
                odd = odd + 1
            rest = A[0] + 100
            while rest > 7:
                rest = rest - 7
                if rest == 50:
                    break
            out[0] = place
            out[1] = odd
            out[2] = rest

    return kernel


def test_loops_that_end_early() -> None:
    for seed in range(5):
        a = np.random.default_rng(seed).integers(0, 100, 40).astype(np.int32)
        place, odd = -1, 0
        for i, value in enumerate(a):
            if value > 90:
                place = i
                break
            odd += int(value) % 2
        rest = int(a[0]) + 100
        while rest > 7:
            rest -= 7
            if rest == 50:
                break
        assert searching(40)(a).tolist() == [place, odd, rest]


@tilelang.jit(out_idx=[-1], target="cpu")
def leaving(n: int):
    """Blocks that have nothing to do leave, in front of tile operations."""

    @T.prim_func
    def kernel(lengths: T.Tensor[(4,), T.int32], A: T.Tensor[(4, n), T.float32], B: T.Tensor[(4, n), T.float32]):
        with T.Kernel(4, threads=32) as bx:
            tile = T.alloc_shared((n,), T.float32)
            T.clear(tile)
            T.copy(tile, B[bx, :])
            if lengths[bx] == 0:
                T.thread_return()
            T.copy(A[bx, :], tile)
            for i in T.Parallel(n):
                if i < lengths[bx]:
                    B[bx, i] = tile[i] * 2

    return kernel


def test_blocks_that_return() -> None:
    a = array(RNG, (4, 24), "float32")
    lengths = np.array([3, 0, 24, 7], np.int32)
    expected = np.where(np.arange(24) < lengths[:, None], a * 2, 0)
    np.testing.assert_array_equal(leaving(24)(lengths, a), expected)


@tilelang.jit(target="cpu")
def stepping():
    @T.prim_func
    def kernel(out: T.Tensor[(20,), T.int32]):
        with T.Kernel(1, threads=1):
            for i in T.serial(3, 20, 4):
                out[i] = i
            for i in T.unroll(2):
                for j in T.vectorized(4):
                    out[i * 4 + j] += 100

    return kernel


def test_starts_and_steps() -> None:
    got = np.zeros(20, np.int32)
    stepping()(got)
    expected = np.zeros(20, np.int32)
    expected[3::4] = np.arange(3, 20, 4)
    expected[:8] += 100
    np.testing.assert_array_equal(got, expected)


# --- calls ------------------------------------------------------------------------------------------------------


@tilelang.jit(target="cpu")
def scaled():
    m, n = T.dynamic("m"), T.dynamic("n")

    @T.prim_func
    def kernel(
        A: T.Tensor[(m, n), T.float32], s: T.float32, shift: T.int32, on: T.bool, B: T.Tensor[(m, n), T.float32]
    ):
        with T.Kernel(T.ceildiv(n, 16), m, threads=32) as (bx, by):
            for i in T.Parallel(16):
                B[by, bx * 16 + i] = T.if_then_else(on, A[by, bx * 16 + i] * s + shift, 0)

    return kernel


def test_scalars_and_sizes_of_the_call() -> None:
    kernel = scaled()
    for shape in ((3, 17), (1, 1), (5, 64)):
        a = array(RNG, shape, "float32")
        got = np.full(shape, np.nan, np.float32)
        kernel(a, 2.5, -3, True, got)
        close(got, a.astype(np.float64) * 2.5 - 3, "float32", terms=2)
        kernel(a, np.float32(2.5), np.int64(-3), np.bool_(False), got)
        assert not got.any()


@tilelang.jit(target="cpu")
def eager(A, B, block: int = 32):
    M, N = T.const("M, N")
    A: T.Tensor[[M, N], T.float32]
    B: T.Tensor[[N], T.float32]
    C = T.empty((M, N), T.float32)
    total = T.empty((M,), T.float32)
    with T.Kernel(M, threads=32) as row:
        line = T.alloc_fragment((N,), T.float32)
        found = T.alloc_fragment((1,), T.float32)
        T.copy(A[row, :], line)
        for j in T.Parallel(N):
            line[j] = line[j] * B[j]
        T.copy(line, C[row, :])
        T.reduce_sum(line, found, dim=0)
        total[row] = found[0]
    return C, total


def test_eager_kernels_with_two_results() -> None:
    for shape in ((4, 50), (2, 7)):
        a, b = array(RNG, shape, "float32"), array(RNG, shape[1:], "float32")
        product, total = eager(a, b)
        np.testing.assert_array_equal(product, a * b)
        close(total, (a * b).astype(np.float64).sum(axis=1), "float32", terms=shape[1])


@tilelang.jit(out_idx=[-1], target="cpu")
def two_launches(n: int):
    @T.prim_func
    def kernel(A: T.Tensor[(n, n), T.float32], B: T.Tensor[(n,), T.float32]):
        partial = T.alloc_global((n, 4), T.float32)
        with T.Kernel(n, 4, threads=32) as (row, part):
            tile = T.alloc_fragment((n // 4,), T.float32)
            total = T.alloc_fragment((1,), T.float32)
            T.copy(A[row, part * (n // 4)], tile)
            T.reduce_sum(tile, total, dim=0)
            partial[row, part] = total[0]
        with T.Kernel(n, threads=32) as row:
            B[row] = partial[row, 0] + partial[row, 1] + partial[row, 2] + partial[row, 3]

    return kernel


def test_launches_share_a_workspace() -> None:
    a = array(RNG, (32, 32), "float32")
    close(two_launches(32)(a), a.astype(np.float64).sum(axis=1), "float32", terms=32)


@tilelang.jit(target="cpu")
def pointers():
    @T.prim_func
    def kernel(p: T.ptr, q: T.handle, n: T.int32):
        A = T.make_tensor(p, (n,), T.float32)
        B = T.make_tensor(q, (n,), T.float32)
        with T.Kernel(T.ceildiv(n, 16), threads=32) as bx:
            for i in T.Parallel(16):
                B[bx * 16 + i] = A[bx * 16 + i] * 2

    return kernel


def test_tensors_at_pointers() -> None:
    a = array(RNG, (37,), "float32")
    got = np.full(40, np.nan, np.float32)
    pointers()(a.ctypes.data, got, 37)
    np.testing.assert_array_equal(got[:37], a * 2)
    assert np.isnan(got[37:]).all()


def test_printing_and_assertions(capfd: pytest.CaptureFixture[str]) -> None:
    @tilelang.jit(target="cpu")
    def make():
        @T.prim_func
        def kernel(A: T.Tensor[(4,), T.int32]):
            with T.Kernel(1, threads=1):
                tile = T.alloc_shared((4,), T.int32)
                T.copy(A, tile)
                T.print(A[2], msg="third")
                T.print(tile)
                T.device_assert(A[0] > 0)

        return kernel

    kernel = make()
    kernel(np.array([1, 2, 3, 4], np.int32))
    text = capfd.readouterr().out
    assert "third 3\n" in text
    assert "tile[3] = 4\n" in text
    with pytest.raises(AssertionError, match=r"test_code\.py:\d+: "):
        kernel(np.array([0, 2, 3, 4], np.int32))


def test_a_tile_without_constant_size_is_refused() -> None:
    @tilelang.jit(target="cpu")
    def make():
        n = T.dynamic("n")

        @T.prim_func
        def kernel(A: T.Tensor[(n,), T.float32]):
            with T.Kernel(1, threads=32):
                tile = T.alloc_shared((n,), T.float32)
                T.copy(A, tile)

        return kernel

    with pytest.raises(CompileError, match="constant size"):
        make()


def test_listing_has_source_lines_and_kernels_leave_the_process(tmp_path: object) -> None:
    from tilelang.runtime.cpu import assembly

    kernel = mapped("add", "float32")
    listing = assembly(kernel.artifact)
    assert '"' + __file__ + '"' in listing
    assert ".loc\t1 " in listing
    kernel.export(f"{tmp_path}/bundle")
    loaded = tilelang.load(f"{tmp_path}/bundle")
    x, y = array(RNG, (70,), "float32"), array(RNG, (70,), "float32")
    np.testing.assert_array_equal(loaded(x, y), x + y)

"""Kernels on a GPU: the examples and operations in sizes with tails, for its own generation and, through PTX that the
driver compiles, for the older ones.

    make gpu

Without a GPU, or without PyTorch to hold its arrays, all of these are skipped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from run_examples import CASES, Case, run_case

import tilelang
import tilelang.language as T
from tilelang.runtime.devices import cuda_archs

if TYPE_CHECKING:
    from collections.abc import Callable

ARCHS = cuda_archs()
OWN = int(ARCHS[0].removeprefix("sm_").rstrip("af")) if ARCHS else 0
GENERATIONS = [f"sm_{number}" for number in (75, 80, 86, 89, 90) if number <= OWN]
torch: Any = pytest.importorskip("torch", reason="PyTorch holds the arrays on the GPU")

pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not ARCHS, reason="there is no GPU with a driver")]


@pytest.mark.parametrize("target", GENERATIONS or ["sm_90"])
@pytest.mark.parametrize("case", [case for case in CASES if case.on_gpu], ids=lambda case: case.name)
def test_example_agrees_with_numpy(case: Case, target: str) -> None:
    outcome = run_case(case, target, device="cuda")
    assert outcome.is_right, f"error {outcome.error:.2e} is {outcome.excess:.2f} times what {case.name} allows"


def _run(program: Any, target: str, *args: Any, **configs: object) -> None:
    tilelang.compile(program, target=target, pass_configs={f"tl.{name}": value for name, value in configs.items()})(
        *args
    )
    torch.cuda.synchronize()


def _gemm(m: int, n: int, k: int, dtype: str, accumulate: str, *, trans_a: bool, trans_b: bool, stages: int) -> Any:
    left, right = (k, m) if trans_a else (m, k), (n, k) if trans_b else (k, n)

    @T.prim_func
    def main(
        A: T.Tensor[left, dtype],
        B: T.Tensor[right, dtype],
        C: T.Tensor[(m, n), accumulate],
    ):
        with T.Kernel(T.ceildiv(n, 64), T.ceildiv(m, 64), threads=128) as (bx, by):
            a = T.alloc_shared((32, 64) if trans_a else (64, 32), dtype)
            b = T.alloc_shared((64, 32) if trans_b else (32, 64), dtype)
            c = T.alloc_fragment((64, 64), accumulate)
            T.clear(c)
            for step in T.Pipelined(T.ceildiv(k, 32), num_stages=stages):
                if trans_a:
                    T.copy(A[step * 32, by * 64], a)
                else:
                    T.copy(A[by * 64, step * 32], a)
                if trans_b:
                    T.copy(B[bx * 64, step * 32], b)
                else:
                    T.copy(B[step * 32, bx * 64], b)
                T.gemm(a, b, c, transpose_A=trans_a, transpose_B=trans_b)
            T.copy(c, C[by * 64, bx * 64])

    return main


@pytest.mark.parametrize("target", GENERATIONS or ["sm_90"])
@pytest.mark.parametrize("stages", [0, 1, 2, 3])
@pytest.mark.parametrize(("trans_a", "trans_b"), [(False, False), (False, True), (True, False), (True, True)])
@pytest.mark.parametrize(("dtype", "accumulate"), [("float16", "float32"), ("int8", "int32"), ("bfloat16", "float32")])
def test_products(target: str, stages: int, trans_a: bool, trans_b: bool, dtype: str, accumulate: str) -> None:
    if dtype == "bfloat16" and target == "sm_75":
        pytest.skip("sm_75 has no bfloat16")
    m, n, k = 136, 72, 104
    rng = np.random.default_rng(stages)
    a, b = (rng.integers(-8, 8, shape) for shape in ((m, k), (k, n)))
    kind = getattr(torch, dtype)
    left = torch.tensor(a.T if trans_a else a).to(kind).cuda().contiguous()
    right = torch.tensor(b.T if trans_b else b).to(kind).cuda().contiguous()
    out = torch.full((m, n), 77, dtype=getattr(torch, accumulate), device="cuda")
    program = _gemm(m, n, k, dtype, accumulate, trans_a=trans_a, trans_b=trans_b, stages=stages)
    _run(program, target, left, right, out)
    # Whole numbers this small have no rounding in any of the types.
    assert np.array_equal(out.cpu().numpy().astype(np.int64), a @ b)


def _rows(rows: int, columns: int, threads: int, body: Callable[..., None]) -> Any:
    @T.prim_func
    def main(X: T.Tensor[(rows, columns), T.float32], Y: T.Tensor[(rows,), T.float32]):
        with T.Kernel(1, threads=threads):
            x = T.alloc_fragment((rows, columns), "float32")
            y = T.alloc_fragment((rows,), "float32")
            T.copy(X, x)
            body(x, y)
            T.copy(y, Y)

    return main


REDUCTIONS = {
    "sum": lambda x, y: T.reduce_sum(x, y, dim=1),
    "max": lambda x, y: T.reduce_max(x, y, dim=1),
    "min": lambda x, y: T.reduce_min(x, y, dim=1),
    "abssum": lambda x, y: T.reduce_abssum(x, y, dim=1),
    "absmax": lambda x, y: T.reduce_absmax(x, y, dim=1),
}


@pytest.mark.parametrize("threads", [32, 64, 128, 256])
@pytest.mark.parametrize("shape", [(128, 128), (64, 32), (1, 1024), (4, 256)])
@pytest.mark.parametrize("op", REDUCTIONS)
def test_reductions(op: str, shape: tuple[int, int], threads: int) -> None:
    x = np.random.default_rng(1).integers(-50, 50, shape).astype(np.float32)
    expected = {"sum": x.sum(1), "max": x.max(1), "min": x.min(1), "abssum": abs(x).sum(1), "absmax": abs(x).max(1)}[op]
    out = torch.full((shape[0],), float("nan"), device="cuda")
    _run(_rows(*shape, threads, REDUCTIONS[op]), ARCHS[0], torch.tensor(x).cuda(), out)
    assert np.array_equal(out.cpu().numpy(), expected)


@pytest.mark.parametrize("threads", [32, 128])
def test_reducers_count_each_iteration_once(threads: int) -> None:
    @T.prim_func
    def main(A: T.Tensor[(32, 256), T.float32], B: T.Tensor[(32,), T.float32], C: T.Tensor[(1,), T.float32]):
        with T.Kernel(1, threads=threads):
            rows = T.alloc_reducer((32,), "float32", op="sum")
            whole = T.alloc_reducer((1,), "float32", op="max")
            T.reducer_init(rows)
            T.reducer_init(whole)
            tile = T.alloc_fragment((32, 128), "float32")
            for step in T.serial(2):
                T.copy(A[0, step * 128], tile)
                for i, j in T.Parallel(32, 128):
                    T.reducer_update(rows[i], tile[i, j])
                for i, j in T.Parallel(32, 128):
                    T.reducer_update(whole[0], tile[i, j])
            sums = T.alloc_fragment((32,), "float32")
            most = T.alloc_fragment((1,), "float32")
            T.finalize_reducer(rows, sums)
            T.finalize_reducer(whole, most)
            T.copy(sums, B)
            T.copy(most, C)

    a = np.random.default_rng(2).integers(-9, 9, (32, 256)).astype(np.float32)
    b, c = torch.zeros(32, device="cuda"), torch.zeros(1, device="cuda")
    _run(main, ARCHS[0], torch.tensor(a).cuda(), b, c)
    assert np.array_equal(b.cpu().numpy(), a.sum(1))
    assert float(c) == a.max()


def test_loops_of_run_time_extents() -> None:
    rows = T.dynamic("rows")

    @T.prim_func
    def main(A: T.Tensor[(rows, 40), T.float32], B: T.Tensor[(rows, 40), T.float32]):
        with T.Kernel(1, threads=128):
            for i, j in T.Parallel(rows, 40):
                B[i, j] = A[i, j] * 2.0

    for count in (1, 3, 77):
        a = torch.rand(count, 40, device="cuda")
        b = torch.zeros_like(a)
        _run(main, ARCHS[0], a, b)
        assert torch.equal(b, a * 2)


def test_quotients_are_rounded_as_ieee_says() -> None:
    @T.prim_func
    def main(A: T.Tensor[(64, 1024), T.float32], D: T.Tensor[(64,), T.float32], B: T.Tensor[(64, 1024), T.float32]):
        with T.Kernel(64, threads=128) as row:
            a = T.alloc_fragment((1024,), "float32")
            d = T.alloc_fragment((1,), "float32")
            T.copy(A[row, 0], a)
            T.copy(D[row], d)
            for j in T.Parallel(1024):
                a[j] = a[j] / d[0]
            T.copy(a, B[row, 0])

    rng = np.random.default_rng(3)
    a = (rng.standard_normal((64, 1024)) * np.exp2(rng.integers(-40, 40, (64, 1024)))).astype(np.float32)
    a[:, :4] = np.array([0.0, np.inf, -np.inf, np.nan], np.float32)
    d = (rng.standard_normal(64) * np.exp2(rng.integers(-40, 40, 64))).astype(np.float32)
    d[:3] = np.array([0.0, np.inf, 1e-40], np.float32)
    out = torch.zeros(64, 1024, device="cuda")
    _run(main, ARCHS[0], torch.tensor(a).cuda(), torch.tensor(d).cuda(), out)
    with np.errstate(all="ignore"):
        expected = a / d[:, None]
    assert np.array_equal(out.cpu().numpy(), expected, equal_nan=True)


@pytest.mark.parametrize("pipelined", [False, True])
def test_tiles_that_a_flag_leaves_out(pipelined: bool) -> None:
    @T.prim_func
    def main(
        A: T.Tensor[(256, 256), T.float16],
        B: T.Tensor[(256, 256), T.float16],
        Used: T.Tensor[(2, 2, 8), T.bool],
        C: T.Tensor[(256, 256), T.float32],
    ):
        with T.Kernel(2, 2, threads=128) as (bx, by):
            a = T.alloc_shared((128, 32), "float16")
            b = T.alloc_shared((32, 128), "float16")
            c = T.alloc_fragment((128, 128), "float32")
            used = T.alloc_local((1,), "bool")
            T.clear(c)
            for k in T.Pipelined(8, num_stages=2):
                used[0] = Used[by, bx, k]
                if used[0]:
                    T.copy(A[by * 128, k * 32], a)
                    T.copy(B[k * 32, bx * 128], b)
                    T.gemm(a, b, c)
            T.copy(c, C[by * 128, bx * 128])

    rng = np.random.default_rng(4)
    a, b = (rng.integers(-4, 5, (256, 256)).astype(np.float16) for _ in range(2))
    used = rng.random((2, 2, 8)) > 0.5
    out = torch.zeros(256, 256, device="cuda")
    tensors = [torch.tensor(each).cuda() for each in (a, b, used)]
    _run(main, ARCHS[0], *tensors, out, disable_warp_specialized=pipelined)
    mask = np.kron(used.transpose(0, 2, 1).reshape(2, 8, 2), np.ones((1, 32, 1)))
    expected = np.zeros((256, 256))
    for i in range(2):
        for j in range(2):
            rows, columns = slice(i * 128, i * 128 + 128), slice(j * 128, j * 128 + 128)
            kept = mask[i, :, j].astype(bool)
            expected[rows, columns] = a[rows, kept].astype(np.float64) @ b[kept, columns].astype(np.float64)
    assert np.array_equal(out.cpu().numpy(), expected)


def test_arrays_of_a_thread_are_copied_whole() -> None:
    @T.prim_func
    def main(A: T.Tensor[(8,), T.float32], B: T.Tensor[(64, 8), T.float32]):
        with T.Kernel(1, threads=64):
            mine = T.alloc_local((8,), "float32")
            T.copy(A, mine)
            for i in T.serial(8):
                B[T.get_thread_binding(), i] = mine[i]

    a = torch.rand(8, device="cuda")
    b = torch.zeros(64, 8, device="cuda")
    _run(main, ARCHS[0], a, b)
    assert torch.equal(b, a.expand(64, 8))


def test_a_loop_shorter_than_its_fragment() -> None:
    @T.prim_func
    def main(S: T.Tensor[(8,), T.float32], D: T.Tensor[(4, 64), T.float32]):
        with T.Kernel(1, threads=128):
            s = T.alloc_fragment((8,), "float32")
            d = T.alloc_shared((4, 64), "float32")
            T.copy(S, s)
            for k in T.serial(64):
                for i in T.Parallel(4):
                    d[i, k] = s[i]
            T.copy(d, D)

    s = torch.rand(8, device="cuda")
    d = torch.zeros(4, 64, device="cuda")
    _run(main, ARCHS[0], s, d)
    assert torch.equal(d, s[:4, None].expand(4, 64))


def test_reducers_that_are_read_in_place() -> None:
    @T.prim_func
    def main(A: T.Tensor[(128, 64), T.float32], B: T.Tensor[(128,), T.float32]):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((128, 64), "float32")
            total = T.alloc_reducer((128,), "float32", "sum", replication="all")
            T.clear(total)
            T.copy(A, a)
            for i, j in T.Parallel(128, 64):
                total[i] += a[i, j]
            T.finalize_reducer(total)
            T.copy(total, B)

    a = np.random.default_rng(5).integers(-9, 9, (128, 64)).astype(np.float32)
    out = torch.zeros(128, device="cuda")
    _run(main, ARCHS[0], torch.tensor(a).cuda(), out)
    assert np.array_equal(out.cpu().numpy(), a.sum(1))


def test_four_bit_elements() -> None:
    perm_dim = T.dynamic("rows")

    @T.prim_func
    def main(
        source: T.Tensor[(perm_dim, 128), T.float4_e2m1fn],
        moved: T.Tensor[(perm_dim, 128), T.float4_e2m1fn],
        order: T.Tensor[(perm_dim,), T.int32],
        values: T.Tensor[(perm_dim, 128), T.float16],
    ):
        with T.Kernel(perm_dim, threads=32) as row:
            for k in T.serial(128):
                moved[order[row], k] = source[row, k]
            for k in T.Parallel(128):
                values[row, k] = source[row, k]

    rng = np.random.default_rng(6)
    packed = rng.integers(0, 256, (40, 64)).astype(np.uint8)
    order = rng.permutation(40).astype(np.int32)
    moved = torch.zeros(40, 64, dtype=torch.int8, device="cuda")
    values = torch.zeros(40, 128, dtype=torch.float16, device="cuda")
    _run(main, ARCHS[0], torch.tensor(packed).cuda().view(torch.int8), moved, torch.tensor(order).cuda(), values)
    table = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], np.float16)
    halves = np.stack((packed & 15, packed >> 4), axis=-1).reshape(40, 128)
    assert np.array_equal(values.cpu().numpy(), table[halves])
    got = moved.cpu().numpy().view(np.uint8)
    assert np.array_equal(got[order], packed)

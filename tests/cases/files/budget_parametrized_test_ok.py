# case: budget_parametrized_test_ok
# about: Same program without the mistake
# targets: sm_75 sm_80 sm_90
# expect: clean

import pytest
import tilelang
import tilelang.language as T


def make_kernel(M, N, K, tile, stages):
    @T.prim_func
    def kernel(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((N, K), "float16"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, tile), T.ceildiv(M, tile), threads=256) as (bx, by):
            a = T.alloc_shared((tile, 64), "float16")
            b = T.alloc_shared((tile, 64), "float16")
            acc = T.alloc_fragment((tile, tile), "float32")
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(K, 64), num_stages=stages):
                T.copy(A[by * tile, k * 64], a)
                T.copy(B[bx * tile, k * 64], b)
                T.gemm(a, b, acc, transpose_B=True)
            T.copy(acc, C[by * tile, bx * tile])

    return kernel


def run(tile, stages):
    program = make_kernel(1024, 1024, 1024, tile, stages)
    kernel = tilelang.compile(program, out_idx=[2])
    kernel.get_profiler().assert_allclose(lambda a, b: a @ b.T)


@pytest.mark.parametrize("tile, stages", [(64, 2), (64, 3), (128, 1)])
def test_matmul(tile, stages):
    run(tile, stages)

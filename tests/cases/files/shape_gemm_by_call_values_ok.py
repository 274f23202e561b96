# case: shape_gemm_by_call_values_ok
# about: Same program without the mistake
# targets: sm_80 sm_90
# expect: clean

import tilelang
import tilelang.language as T


def build(M, N, K, block_m, block_n, block_k):
    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float16"),
    ):
        with T.Kernel(T.ceildiv(N, block_n), T.ceildiv(M, block_m), threads=128) as (bx, by):
            a = T.alloc_shared((block_m, block_k), "float16")
            b = T.alloc_shared((block_k, block_n), "float16")
            acc = T.alloc_fragment((block_m, block_n), "float32")
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(K, block_k), num_stages=2):
                T.copy(A[by * block_m, k * block_k], a)
                T.copy(B[k * block_k, bx * block_n], b)
                T.gemm(a, b, acc)
            T.copy(acc, C[by * block_m, bx * block_n])

    return main


def test_square():
    tilelang.compile(build(512, 512, 512, 64, 64, 32), out_idx=-1)


def test_wide():
    tilelang.compile(build(512, 512, 512, 64, 128, 32), out_idx=-1)

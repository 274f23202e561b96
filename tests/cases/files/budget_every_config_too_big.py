# case: budget_every_config_too_big
# about: No entry of the list fits a T4, so the tuner is left with nothing there
# targets: sm_75 sm_90
# expect: error autotune-infeasible-config line=17 target=sm_75
# allow: autotune-infeasible-config line=12
# allow: autotune-infeasible-config line=13

import tilelang
import tilelang.language as T

CONFIGS = [
    dict(stages=4),
    dict(stages=5),
]


@tilelang.autotune(configs=CONFIGS)
@tilelang.jit(out_idx=[-1])
def matmul(M, N, K, stages=2):
    @T.prim_func
    def kernel(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, 128), T.ceildiv(M, 128), threads=128) as (bx, by):
            a = T.alloc_shared((128, 32), "float16")
            b = T.alloc_shared((32, 128), "float16")
            acc = T.alloc_fragment((128, 128), "float32")
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=stages):
                T.copy(A[by * 128, k * 32], a)
                T.copy(B[k * 32, bx * 128], b)
                T.gemm(a, b, acc)
            T.copy(acc, C[by * 128, bx * 128])

    return kernel


if __name__ == "__main__":
    matmul(1024, 1024, 1024)

# case: budget_lambda_configs_ok
# about: Same program without the mistake
# targets: sm_75 sm_80
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.autotune(
    configs=lambda M, N, K: [
        {"tile": 64, "depth": min(64, K)},
        {"tile": 128, "depth": min(32, K)},
    ]
)
@tilelang.jit(out_idx=[-1])
def matmul(M, N, K, tile=64, depth=32):
    @T.prim_func
    def kernel(
        A: T.Tensor((M, K), T.float16),
        B: T.Tensor((K, N), T.float16),
        C: T.Tensor((M, N), T.float32),
    ):
        with T.Kernel(T.ceildiv(N, tile), T.ceildiv(M, tile), threads=128) as (bx, by):
            a = T.alloc_shared((tile, depth), T.float16)
            b = T.alloc_shared((depth, tile), T.float16)
            acc = T.alloc_fragment((tile, tile), T.float32)
            T.clear(acc)
            for k in T.serial(T.ceildiv(K, depth)):
                T.copy(A[by * tile, k * depth], a)
                T.copy(B[k * depth, bx * tile], b)
                T.gemm(a, b, acc)
            T.copy(acc, C[by * tile, bx * tile])

    return kernel


if __name__ == "__main__":
    matmul(1024, 1024, 512)

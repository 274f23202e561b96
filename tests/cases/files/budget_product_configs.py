# case: budget_product_configs
# about: Configs are the product of lists, so one line stands for all entries
# targets: sm_75 sm_80
# expect: warning autotune-infeasible-config line=17 target=sm_75 need=65536 have=49152
# allow: autotune-infeasible-config line=22

import itertools

import tilelang
import tilelang.language as T


def get_configs():
    sizes = [64, 128]
    stages = [1, 2]
    return [
        {"block_m": m, "block_n": n, "num_stages": s}
        for m, n, s in itertools.product(sizes, sizes, stages)
    ]


@tilelang.autotune(configs=get_configs(), warmup=3, rep=20)
@tilelang.jit(out_idx=[-1])
def matmul(M, N, K, block_m=64, block_n=64, num_stages=1):
    block_k = 64

    @T.prim_func
    def kernel(
        A: T.Tensor((M, K), T.float16),
        B: T.Tensor((K, N), T.float16),
        C: T.Tensor((M, N), T.float32),
    ):
        with T.Kernel(T.ceildiv(N, block_n), T.ceildiv(M, block_m), threads=128) as (bx, by):
            a = T.alloc_shared((block_m, block_k), T.float16)
            b = T.alloc_shared((block_k, block_n), T.float16)
            acc = T.alloc_fragment((block_m, block_n), T.float32)
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(K, block_k), num_stages=num_stages):
                T.copy(A[by * block_m, k * block_k], a)
                T.copy(B[k * block_k, bx * block_n], b)
                T.gemm(a, b, acc)
            T.copy(acc, C[by * block_m, bx * block_n])

    return kernel


if __name__ == "__main__":
    matmul(2048, 2048, 2048)

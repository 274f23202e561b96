# case: budget_kwargs_from_table
# about: The configuration of the last card in a table does not fit the first card
# targets: sm_75 sm_90
# expect: error shared-memory-overflow line=35 target=sm_75 need=98304 have=49152
# allow: shared-memory-overflow line=40

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def matmul(M, N, K, block_m=64, block_n=64, block_k=32, num_stages=2, threads=128):
    @T.prim_func
    def kernel(
        A: T.Tensor((M, K), T.float16),
        B: T.Tensor((K, N), T.float16),
        C: T.Tensor((M, N), T.float16),
    ):
        with T.Kernel(T.ceildiv(N, block_n), T.ceildiv(M, block_m), threads=threads) as (bx, by):
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


BEST = {
    "t4": dict(block_m=64, block_n=64),
    "h100": dict(block_m=128, block_n=128, block_k=64, num_stages=3),
}


def build_all(size=4096):
    return {card: matmul(size, size, size, **config) for card, config in BEST.items()}


if __name__ == "__main__":
    build_all()

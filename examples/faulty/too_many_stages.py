# case: too_many_stages
# about: The kernel is fine, the call is not: five stages of two 8 KiB tiles are 80 KiB, and a block on a T4 has 48 KiB.
# targets: sm_75 sm_80 sm_89 sm_90
# expect: error shared-memory-overflow line=35 target=sm_75 need=81920 have=49152

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def matmul(M: int, N: int, K: int, block_m: int = 128, block_n: int = 128, block_k: int = 32, num_stages: int = 2):
    @T.prim_func
    def kernel(
        A: T.Tensor[(M, K), T.float16],
        B: T.Tensor[(K, N), T.float16],
        C: T.Tensor[(M, N), T.float16],
    ):
        with T.Kernel(T.ceildiv(N, block_n), T.ceildiv(M, block_m), threads=128) as (bx, by):
            A_tile = T.alloc_shared((block_m, block_k), T.float16)
            B_tile = T.alloc_shared((block_k, block_n), T.float16)
            acc = T.alloc_fragment((block_m, block_n), T.float32)
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(K, block_k), num_stages=num_stages):
                T.copy(A[by * block_m, k * block_k], A_tile)
                T.copy(B[k * block_k, bx * block_n], B_tile)
                T.gemm(A_tile, B_tile, acc)
            T.copy(acc, C[by * block_m, bx * block_n])

    return kernel


if __name__ == "__main__":
    matmul(4096, 4096, 4096)
    # The finding is here, at the value that caused it. The notes lead to the two tiles.
    matmul(4096, 4096, 4096, num_stages=5)

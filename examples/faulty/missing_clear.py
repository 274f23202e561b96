# case: missing_clear
# about: Nothing sets the accumulator before T.gemm adds to it. It may work by luck on one card only.
# targets: sm_75 sm_80 sm_89 sm_90
# expect: error uninitialized-accumulator line=24

import tilelang
import tilelang.language as T


@tilelang.jit
def matmul(A, B, block: int = 64, block_k: int = 32):
    M, N, K = T.const("M, N, K")
    A: T.Tensor[[M, K], T.float16]
    B: T.Tensor[[K, N], T.float16]
    C = T.empty((M, N), T.float32)
    with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), threads=128) as (bx, by):
        A_tile = T.alloc_shared((block, block_k), T.float16)
        B_tile = T.alloc_shared((block_k, block), T.float16)
        acc = T.alloc_fragment((block, block), T.float32)
        # Missing: T.clear(acc)
        for k in T.Pipelined(T.ceildiv(K, block_k), num_stages=2):
            T.copy(A[by * block, k * block_k], A_tile)
            T.copy(B[k * block_k, bx * block], B_tile)
            T.gemm(A_tile, B_tile, acc)
        T.copy(acc, C[by * block, bx * block])
    return C


if __name__ == "__main__":
    matmul.compile(M=1024, N=1024, K=1024)

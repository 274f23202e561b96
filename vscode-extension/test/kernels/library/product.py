# case: forgotten_transpose
# about: B is stored as (N, K), as weights often are, but T.gemm is not told: the inner sizes 32 and 64 disagree.
# targets: sm_75 sm_80 sm_89 sm_90
# expect: error gemm-shape-mismatch line=27

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def linear(M: int, N: int, K: int, block_m: int = 128, block_n: int = 64, block_k: int = 32):
    @T.prim_func
    def kernel(
        A: T.Tensor[(M, K), T.float16],
        B: T.Tensor[(N, K), T.float16],
        C: T.Tensor[(M, N), T.float16],
    ):
        with T.Kernel(T.ceildiv(N, block_n), T.ceildiv(M, block_m), threads=128) as (bx, by):
            A_tile = T.alloc_shared((block_m, block_k), T.float16)
            B_tile = T.alloc_shared((block_n, block_k), T.float16)
            acc = T.alloc_fragment((block_m, block_n), T.float32)
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(K, block_k), num_stages=2):
                T.copy(A[by * block_m, k * block_k], A_tile)
                T.copy(B[bx * block_n, k * block_k], B_tile)
                # Right: T.gemm(A_tile, B_tile, acc, transpose_B=True)
                T.gemm(A_tile, B_tile, acc)
            T.copy(acc, C[by * block_m, bx * block_n])

    return kernel


if __name__ == "__main__":
    linear(1024, 1024, 1024)

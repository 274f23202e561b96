# case: launch_threads_not_warps
# about: 100 threads are three warps and four threads; the product needs whole warps
# targets: sm_80 sm_90
# expect: error invalid-block-threads line=33
# allow: invalid-block-threads line=19

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


fast = matmul(1024, 1024, 1024, threads=100)

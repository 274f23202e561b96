# case: init_accumulator_reused
# about: The second product adds to what the first left: only the first was cleared... and not at all here
# targets: sm_80 sm_90
# expect: error uninitialized-accumulator line=29
# allow: uninitialized-accumulator line=24

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[3])
def chain(M, N, K):
    @T.prim_func
    def kernel(
        A: T.Tensor((M, K), T.float16),
        B: T.Tensor((K, N), T.float16),
        D: T.Tensor((M, N), T.float32),
        C: T.Tensor((M, N), T.float32),
    ):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), T.float16)
            b = T.alloc_shared((32, 64), T.float16)
            bias = T.alloc_fragment((64, 64), T.float32)
            acc = T.alloc_fragment((64, 64), T.float32)
            T.copy(D[by * 64, bx * 64], bias)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                T.copy(A[by * 64, k * 32], a)
                T.copy(B[k * 32, bx * 64], b)
                T.gemm(a, b, acc)
            for i, j in T.Parallel(64, 64):
                acc[i, j] = acc[i, j] + bias[i, j]
            T.copy(acc, C[by * 64, bx * 64])

    return kernel


f = chain(512, 512, 512)

# case: shape_gemm_transposed_a_ok
# about: Same program without the mistake
# targets: sm_75 sm_80 sm_90
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit
def matmul_tn(A, B, tile: int = 64, depth: int = 32):
    M, N, K = T.const("M, N, K")
    A: T.Tensor((K, M), T.float16)
    B: T.Tensor((K, N), T.float16)
    C = T.empty((M, N), T.float32)
    with T.Kernel(T.ceildiv(N, tile), T.ceildiv(M, tile), threads=128) as (bx, by):
        a = T.alloc_shared((depth, tile), T.float16)
        b = T.alloc_shared((depth, tile), T.float16)
        acc = T.alloc_fragment((tile, tile), T.float32)
        T.clear(acc)
        for k in T.Pipelined(T.ceildiv(K, depth), num_stages=2):
            T.copy(A[k * depth, by * tile], a)
            T.copy(B[k * depth, bx * tile], b)
            T.gemm(a, b, acc, transpose_A=True)
        T.copy(acc, C[by * tile, bx * tile])
    return C


f = matmul_tn.compile(M=512, N=512, K=512)

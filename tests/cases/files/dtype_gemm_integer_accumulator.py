# case: dtype_gemm_integer_accumulator
# about: int8 operands add up in int32, not in float32; a T4 has scalar code for it
# targets: sm_75 sm_80
# expect: error gemm-dtype-mismatch line=25 target=sm_80
# expect: warning no-tensor-core line=25 target=sm_75

import tilelang
import tilelang.language as T


@tilelang.jit
def int8_matmul(A, B, accum=T.float32):
    M, N, K = T.const("M, N, K")
    A: T.Tensor[[M, K], T.int8]
    B: T.Tensor[[N, K], T.int8]
    C = T.empty((M, N), accum)
    with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
        a = T.alloc_shared((64, 64), T.int8)
        b = T.alloc_shared((64, 64), T.int8)
        acc = T.alloc_fragment((64, 64), accum)
        T.clear(acc)
        for k in T.Pipelined(T.ceildiv(K, 64), num_stages=2):
            T.copy(A[by * 64, k * 64], a)
            T.copy(B[bx * 64, k * 64], b)
            T.gemm(a, b, acc, transpose_B=True)
        T.copy(acc, C[by * 64, bx * 64])
    return C


f = int8_matmul.compile(M=256, N=256, K=256)

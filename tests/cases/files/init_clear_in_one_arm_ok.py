# case: init_clear_in_one_arm_ok
# about: The first step of the loop clears through clear_accum
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit
def matmul(A, B):
    M, N, K = T.const("M, N, K")
    A: T.Tensor[[M, K], T.float16]
    B: T.Tensor[[K, N], T.float16]
    C = T.empty((M, N), T.float16)
    with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
        a = T.alloc_shared((64, 32), T.float16)
        b = T.alloc_shared((32, 64), T.float16)
        acc = T.alloc_fragment((64, 64), T.float32)
        for k in T.serial(T.ceildiv(K, 32)):
            T.copy(A[by * 64, k * 32], a)
            T.copy(B[k * 32, bx * 64], b)
            T.gemm(a, b, acc, clear_accum=k == 0)
        T.copy(acc, C[by * 64, bx * 64])
    return C


f = matmul.compile(M=256, N=256, K=256)

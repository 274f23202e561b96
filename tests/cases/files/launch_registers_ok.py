# case: launch_registers_ok
# about: Same program without the mistake
# targets: sm_80 sm_90
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit
def product(A, B):
    M, N, K = T.const("M, N, K")
    A: T.Tensor((M, K), T.float16)
    B: T.Tensor((N, K), T.float16)
    C = T.empty((M, N), T.float32)
    with T.Kernel(T.ceildiv(N, 256), T.ceildiv(M, 128), threads=256) as (bx, by):
        a = T.alloc_shared((128, 32), T.float16)
        b = T.alloc_shared((256, 32), T.float16)
        acc = T.alloc_fragment((128, 256), T.float32)
        T.clear(acc)
        for k in T.serial(T.ceildiv(K, 32)):
            T.copy(A[by * 128, k * 32], a)
            T.copy(B[bx * 256, k * 32], b)
            T.gemm(a, b, acc, transpose_B=True)
        T.copy(acc, C[by * 128, bx * 256])
    return C


f = product.compile(M=1024, N=1024, K=1024)

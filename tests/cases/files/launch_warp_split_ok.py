# case: launch_warp_split_ok
# about: Same program without the mistake
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit
def small(A, B, threads: int = 32):
    M, N, K = T.const("M, N, K")
    A: T.Tensor[[M, K], T.float16]
    B: T.Tensor[[K, N], T.float16]
    C = T.empty((M, N), T.float32)
    with T.Kernel(T.ceildiv(N, 16), T.ceildiv(M, 16), threads=threads) as (bx, by):
        a = T.alloc_shared((16, 64), T.float16)
        b = T.alloc_shared((64, 16), T.float16)
        acc = T.alloc_fragment((16, 16), T.float32)
        T.clear(acc)
        for k in T.serial(T.ceildiv(K, 64)):
            T.copy(A[by * 16, k * 64], a)
            T.copy(B[k * 64, bx * 16], b)
            T.gemm(a, b, acc)
        T.copy(acc, C[by * 16, bx * 16])
    return C


f = small.compile(M=256, N=256, K=256)

# case: dtype_gemm_short_k_ok
# about: Same program without the mistake
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def int8_matmul(M, N, K, depth):
    @T.prim_func
    def kernel(
        A: T.Tensor((M, K), "int8"),
        B: T.Tensor((N, K), "int8"),
        C: T.Tensor((M, N), "int32"),
    ):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, depth), "int8")
            b = T.alloc_shared((64, depth), "int8")
            acc = T.alloc_fragment((64, 64), "int32")
            T.clear(acc)
            for k in T.serial(T.ceildiv(K, depth)):
                T.copy(A[by * 64, k * depth], a)
                T.copy(B[bx * 64, k * depth], b)
                T.gemm(a, b, acc, transpose_B=True)
            T.copy(acc, C[by * 64, bx * 64])

    return kernel


f = int8_matmul(256, 256, 256, depth=32)

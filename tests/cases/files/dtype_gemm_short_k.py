# case: dtype_gemm_short_k
# about: A tile depth of 24 is no multiple of the step of an int8 product
# targets: sm_80
# expect: error gemm-k-misaligned line=27 target=sm_80
# allow: gemm-k-misaligned line=33

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


f = int8_matmul(256, 256, 256, depth=24)

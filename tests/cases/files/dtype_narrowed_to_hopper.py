# case: dtype_narrowed_to_hopper
# about: An FP8 kernel that says which targets it is for
# targets: sm_80 sm_90
# expect: clean

import tilelang
import tilelang.language as T


# tilelang: targets=sm_89+
@tilelang.jit(out_idx=[-1])
def fp8_matmul(M, N, K):
    @T.prim_func
    def kernel(
        A: T.Tensor((M, K), "float8_e4m3fn"),
        B: T.Tensor((N, K), "float8_e4m3fn"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 64), "float8_e4m3fn")
            b = T.alloc_shared((64, 64), "float8_e4m3fn")
            acc = T.alloc_fragment((64, 64), "float32")
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(K, 64), num_stages=2):
                T.copy(A[by * 64, k * 64], a)
                T.copy(B[bx * 64, k * 64], b)
                T.gemm(a, b, acc, transpose_B=True)
            T.copy(acc, C[by * 64, bx * 64])

    return kernel


f = fp8_matmul(512, 512, 512)

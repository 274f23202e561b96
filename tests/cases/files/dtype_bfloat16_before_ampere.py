# case: dtype_bfloat16_before_ampere
# about: bfloat16 tensor cores came with sm_80: a T4 computes the product in scalar code
# targets: sm_75 sm_80
# expect: warning no-tensor-core line=26 target=sm_75

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def matmul(M, N, K, dtype):
    @T.prim_func
    def kernel(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((K, N), dtype),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), dtype)
            b = T.alloc_shared((32, 64), dtype)
            acc = T.alloc_fragment((64, 64), "float32")
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                T.copy(A[by * 64, k * 32], a)
                T.copy(B[k * 32, bx * 64], b)
                T.gemm(a, b, acc)
            T.copy(acc, C[by * 64, bx * 64])

    return kernel


for name in ["float16", "bfloat16"]:
    matmul(1024, 1024, 1024, name)

# case: dtype_fp8_before_ada_ok
# about: Same program without the mistake
# targets: sm_80 sm_89 sm_90
# expect: clean

import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def fp8_matmul(A, B):
    M, N, K = T.const("M, N, K")
    A: T.Tensor[[M, K], T.float16]
    B: T.Tensor[[N, K], T.float16]
    C = T.empty((M, N), T.bfloat16)
    with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
        a = T.alloc_shared((64, 64), T.float16)
        b = T.alloc_shared((64, 64), T.float16)
        acc = T.alloc_fragment((64, 64), T.float32)
        T.clear(acc)
        for k in T.Pipelined(T.ceildiv(K, 64), num_stages=2):
            T.copy(A[by * 64, k * 64], a)
            T.copy(B[bx * 64, k * 64], b)
            T.gemm(a, b, acc, transpose_B=True)
        T.copy(acc, C[by * 64, bx * 64])
    return C


def main():
    a = torch.randn(512, 256, device="cuda").to(torch.float16)
    b = torch.randn(768, 256, device="cuda").to(torch.float16)
    return fp8_matmul(a, b)


if __name__ == "__main__":
    main()

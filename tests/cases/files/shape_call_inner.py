# case: shape_call_inner
# about: The two matrices of the call do not share an inner size
# targets: sm_80 sm_90
# expect: error call-shape-mismatch line=33

import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def matmul(A, B, tile: int = 64):
    M, N, K = T.const("M, N, K")
    A: T.Tensor[[M, K], T.float16]
    B: T.Tensor[[K, N], T.float16]
    C = T.empty((M, N), T.float32)
    with T.Kernel(T.ceildiv(N, tile), T.ceildiv(M, tile), threads=128) as (bx, by):
        a = T.alloc_shared((tile, 32), T.float16)
        b = T.alloc_shared((32, tile), T.float16)
        acc = T.alloc_fragment((tile, tile), T.float32)
        T.clear(acc)
        for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
            T.copy(A[by * tile, k * 32], a)
            T.copy(B[k * 32, bx * tile], b)
            T.gemm(a, b, acc)
        T.copy(acc, C[by * tile, bx * tile])
    return C


def main():
    a = torch.randn(256, 512, dtype=torch.float16, device="cuda")
    b = torch.randn(256, 512, dtype=torch.float16, device="cuda")
    return matmul(a, b)


if __name__ == "__main__":
    main()

# case: language_misspelt_loop
# about: T.Pipelned, in a kernel that is never called
# targets: sm_75 sm_80
# expect: error unknown-name line=23

import tilelang
import tilelang.language as tl


@tilelang.jit(out_idx=[-1])
def matmul(M, N, K, tile=64):
    @tl.prim_func
    def kernel(
        A: tl.Tensor((M, K), tl.float16),
        B: tl.Tensor((K, N), tl.float16),
        C: tl.Tensor((M, N), tl.float32),
    ):
        with tl.Kernel(tl.ceildiv(N, tile), tl.ceildiv(M, tile), threads=128) as (bx, by):
            a = tl.alloc_shared((tile, 32), tl.float16)
            b = tl.alloc_shared((32, tile), tl.float16)
            acc = tl.alloc_fragment((tile, tile), tl.float32)
            tl.clear(acc)
            for k in tl.Pipelned(tl.ceildiv(K, 32), num_stages=2):
                tl.copy(A[by * tile, k * 32], a)
                tl.copy(B[k * 32, bx * tile], b)
                tl.gemm(a, b, acc)
            tl.copy(acc, C[by * tile, bx * tile])

    return kernel

# case: shape_gemm_regions
# about: Half of the K columns of A meet all K rows of B
# targets: sm_80 sm_90
# expect: error gemm-shape-mismatch line=29

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[2])
def halves(M, N, K, depth=64):
    half = depth // 2

    @T.prim_func
    def kernel(
        A: T.Tensor((M, K), T.float16),
        B: T.Tensor((K, N), T.float16),
        C: T.Tensor((M, N), T.float32),
    ):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, depth), T.float16)
            b = T.alloc_shared((depth, 64), T.float16)
            acc = T.alloc_fragment((64, 64), T.float32)
            T.clear(acc)
            for k in T.serial(T.ceildiv(K, depth)):
                T.copy(A[by * 64, k * depth], a)
                T.copy(B[k * depth, bx * 64], b)
                T.gemm(a[:, 0:half], b[0:half, :], acc)
                T.gemm(a[:, half:depth], b, acc)
            T.copy(acc, C[by * 64, bx * 64])

    return kernel


f = halves(256, 256, 256)

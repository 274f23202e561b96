# case: shape_gemm_inside_macro
# about: The product is in a macro; the tiles that disagree come from its call
# targets: sm_80
# expect: error gemm-shape-mismatch line=15
# allow: gemm-shape-mismatch line=34

import tilelang
import tilelang.language as T

tile, depth = 64, 32


@T.macro
def multiply(a, b, acc):
    T.gemm(a, b, acc, transpose_B=True)


@tilelang.jit(out_idx=[2])
def matmul(M, N, K):
    @T.prim_func
    def kernel(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, tile), T.ceildiv(M, tile), threads=128) as (bx, by):
            a = T.alloc_shared((tile, depth), "float16")
            b = T.alloc_shared((depth, tile), "float16")
            acc = T.alloc_fragment((tile, tile), "float32")
            T.clear(acc)
            for k in T.serial(T.ceildiv(K, depth)):
                T.copy(A[by * tile, k * depth], a)
                T.copy(B[k * depth, bx * tile], b)
                multiply(a, b, acc)
            T.copy(acc, C[by * tile, bx * tile])

    return kernel


f = matmul(256, 256, 256)

# case: shape_copy_swapped
# about: The tile is copied out with its two sides swapped
# targets: sm_75 sm_80
# expect: error copy-shape-mismatch line=18

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def relabel(M, N):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), T.float16), Y: T.Tensor((M, N), T.float16)):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 32), threads=128) as (bx, by):
            tile = T.alloc_shared((32, 64), T.float16)
            other = T.alloc_shared((64, 32), T.float16)
            T.copy(X[by * 32, bx * 64], tile)
            T.copy(tile, other)
            T.copy(other, Y[bx * 64, by * 32])

    return kernel


f = relabel(1024, 1024)

# case: shape_tile_by_block_ok
# about: Same program without the mistake
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def triangle(M):
    @T.prim_func
    def kernel(X: T.Tensor((M, M), T.float32), Y: T.Tensor((M, M), T.float32)):
        with T.Kernel(T.ceildiv(M, 32), threads=128) as bx:
            width = 32
            tile = T.alloc_shared((32, width), T.float32)
            T.fill(tile, 1.0)
            for i, j in T.Parallel(32, 32):
                Y[bx * 32 + i, j] = X[bx * 32 + i, j] + tile[i, j]

    return kernel


f = triangle(1024)

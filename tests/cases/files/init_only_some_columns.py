# case: init_only_some_columns
# about: Half of the tile is filled, and the product reads all of it... through a name that was rebound
# targets: sm_80
# expect: warning uninitialized-read line=19

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def copy_through(M):
    @T.prim_func
    def kernel(X: T.Tensor((M, 64), T.float32), Y: T.Tensor((M, 64), T.float32)):
        with T.Kernel(T.ceildiv(M, 32), threads=128) as bx:
            tile = T.alloc_shared((32, 64), T.float32)
            other = T.alloc_shared((32, 64), T.float32)
            T.copy(X[bx * 32, 0], tile)
            tile = other
            T.copy(tile, Y[bx * 32, 0])

    return kernel


f = copy_through(256)

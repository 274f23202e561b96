# case: init_only_some_columns_ok
# about: Same program without the mistake
# targets: sm_80
# expect: clean

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
            T.copy(tile, other)
            tile = other
            T.copy(tile, Y[bx * 32, 0])
    return kernel


f = copy_through(256)

# case: shape_reshape_size
# about: A tile of 4,096 elements is viewed as one of 2,048
# targets: sm_80
# expect: error reshape-size-mismatch line=17

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def pair_sum(M):
    @T.prim_func
    def kernel(X: T.Tensor((M, 64), T.float32), Y: T.Tensor((M, 32), T.float32)):
        with T.Kernel(T.ceildiv(M, 64), threads=128) as bx:
            tile = T.alloc_shared((64, 64), T.float32)
            T.copy(X[bx * 64, 0], tile)
            pairs = T.reshape(tile, (64, 32, 1))
            for i, j in T.Parallel(64, 32):
                Y[bx * 64 + i, j] = pairs[i, j, 0]

    return kernel


f = pair_sum(512)

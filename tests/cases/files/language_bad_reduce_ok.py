# case: language_bad_reduce_ok
# about: Same program without the mistake
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def row_mean(M, N):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), T.float32), Y: T.Tensor((M,), T.float32)):
        with T.Kernel(T.ceildiv(M, 8), threads=128) as bx:
            tile = T.alloc_fragment((8, N), T.float32)
            mean = T.alloc_fragment((8,), T.float32)
            T.copy(X[bx * 8, 0], tile)
            T.reduce(tile, mean, "sum", dim=1, clear=True)
            T.copy(mean, Y[bx * 8])
    return kernel


f = row_mean(64, 512)

# case: language_bad_reduce
# about: There is no reduction called mean
# targets: sm_80
# expect: error invalid-argument line=19
# allow: uninitialized-read line=20

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
            T.reduce(tile, mean, "mean", dim=1, clear=True)
            T.copy(mean, Y[bx * 8])

    return kernel


f = row_mean(64, 512)

# case: shape_reduce_axis
# about: The tile has axes 0 and 1; the maximum is asked for along axis 2
# targets: sm_80
# expect: error reduce-shape-mismatch line=19
# allow: reduce-shape-mismatch line=25

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def row_max(M, N, axis=1):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), T.float16), Y: T.Tensor((M,), T.float16)):
        with T.Kernel(T.ceildiv(M, 16), threads=128) as bx:
            tile = T.alloc_fragment((16, N), T.float16)
            best = T.alloc_fragment((16,), T.float16)
            T.copy(X[bx * 16, 0], tile)
            T.reduce_max(tile, best, dim=axis)
            T.copy(best, Y[bx * 16])

    return kernel


f = row_max(256, 512, axis=2)

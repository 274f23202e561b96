# case: shape_slice_step
# about: Every other column is asked for with a step
# targets: sm_75 sm_80
# expect: error unsupported-slice-step line=16

import tilelang
import tilelang.language as T


@tilelang.jit
def even_columns(M, N):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), T.float16), Y: T.Tensor((M, N // 2), T.float16)):
        with T.Kernel(T.ceildiv(M, 16), threads=128) as bx:
            tile = T.alloc_shared((16, N // 2), T.float16)
            T.copy(X[bx * 16 : (bx + 1) * 16, 0:N:2], tile)
            T.copy(tile, Y[bx * 16, 0])

    return kernel


f = even_columns(512, 256)

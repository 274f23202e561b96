# case: shape_slice_step_ok
# about: Same program without the mistake
# targets: sm_75 sm_80
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit
def even_columns(M, N):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), T.float16), Y: T.Tensor((M, N // 2), T.float16)):
        with T.Kernel(T.ceildiv(M, 16), threads=128) as bx:
            tile = T.alloc_shared((16, N // 2), T.float16)
            for i, j in T.Parallel(16, N // 2):
                tile[i, j] = X[bx * 16 + i, 2 * j]
            T.copy(tile, Y[bx * 16, 0])

    return kernel


f = even_columns(512, 256)

# case: launch_grid_limit_ok
# about: Same program without the mistake
# targets: sm_75 sm_80 sm_90
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def shift(rows, columns):
    @T.prim_func
    def kernel(X: T.Tensor((rows, columns), T.float32), Y: T.Tensor((rows, columns), T.float32)):
        with T.Kernel(T.ceildiv(columns, 256), rows, threads=256) as (bx, by):
            for i in T.Parallel(256):
                Y[by, bx * 256 + i] = X[by, bx * 256 + i] + 1.0

    return kernel


f = shift(50_000, 256)

# case: bounds_constant_offset_ok
# about: Same program without the mistake
# targets: sm_80 sm_90
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def last_row(rows, columns):
    @T.prim_func
    def kernel(X: T.Tensor((rows, columns), T.uint8), Y: T.Tensor((columns,), T.uint8)):
        with T.Kernel(T.ceildiv(columns, 256), threads=64) as bx:
            for i in T.Parallel(256):
                Y[bx * 256 + i] = X[rows - 1, bx * 256 + i]
    return kernel


f = last_row(1 << 15, 1 << 15)

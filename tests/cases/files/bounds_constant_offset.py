# case: bounds_constant_offset
# about: The first element of the last row is past 2**31 elements
# targets: sm_80 sm_90
# expect: error index-overflow line=16

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


f = last_row(1 << 17, 1 << 15)

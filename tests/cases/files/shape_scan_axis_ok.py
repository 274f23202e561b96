# case: shape_scan_axis_ok
# about: Same program without the mistake
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def running_sum(M, N, axis):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), T.float32), Y: T.Tensor((M, N), T.float32)):
        with T.Kernel(T.ceildiv(M, 16), threads=128) as bx:
            tile = T.alloc_shared((16, N), T.float32)
            T.copy(X[bx * 16, 0], tile)
            T.cumsum(tile, dim=axis)
            T.copy(tile, Y[bx * 16, 0])

    return kernel


f = running_sum(64, 256, 1)

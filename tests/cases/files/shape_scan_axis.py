# case: shape_scan_axis
# about: A running sum along an axis that a matrix does not have
# targets: sm_80
# expect: error reduce-shape-mismatch line=18
# allow: reduce-shape-mismatch line=24

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


f = running_sum(64, 256, 2)

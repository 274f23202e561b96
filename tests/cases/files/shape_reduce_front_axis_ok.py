# case: shape_reduce_front_axis_ok
# about: Same program without the mistake
# targets: sm_75 sm_80
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def sums(M, N):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), T.float32), Y: T.Tensor((M,), T.float32)):
        with T.Kernel(T.ceildiv(M, 32), threads=128) as bx:
            tile = T.alloc_fragment((32, N), T.float32)
            total = T.alloc_fragment((32,), T.float32)
            T.copy(X[bx * 32, 0], tile)
            T.reduce_sum(tile, total, dim=1)
            T.copy(total, Y[bx * 32])
    return kernel


f = sums(128, 256)

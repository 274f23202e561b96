# case: dtype_tma_before_hopper_ok
# about: Same program without the mistake
# targets: sm_80 sm_90
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def through_shared(M, N):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), T.float16), Y: T.Tensor((M, N), T.float16)):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            tile = T.alloc_shared((64, 64), T.float16)
            T.copy(X[by * 64, bx * 64], tile)
            T.copy(tile, Y[by * 64, bx * 64])

    return kernel


f = through_shared(1024, 1024)

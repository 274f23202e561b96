# case: language_alloc_before_launch
# about: Upstream takes an allocation before the launch as one inside it
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def stage(N):
    @T.prim_func
    def kernel(X: T.Tensor((N,), T.float32), Y: T.Tensor((N,), T.float32)):
        tile = T.alloc_shared((256,), T.float32)
        with T.Kernel(T.ceildiv(N, 256), threads=128) as bx:
            T.copy(X[bx * 256], tile)
            T.copy(tile, Y[bx * 256])

    return kernel


f = stage(4096)

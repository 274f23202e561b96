# case: bounds_fill_past_end_ok
# about: Same program without the mistake
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def pad(N, width=16):
    @T.prim_func
    def kernel(X: T.Tensor((N, 48), T.float32), Y: T.Tensor((N, 64), T.float32)):
        with T.Kernel(T.ceildiv(N, 32), threads=128) as bx:
            tile = T.alloc_shared((32, 64), T.float32)
            T.copy(X[bx * 32 : bx * 32 + 32, 0:48], tile[0:32, 0:48])
            T.fill(tile[0:32, 56 : 56 + width // 2], 0.0)
            T.fill(tile[0:32, 48:56], 0.0)
            T.copy(tile, Y[bx * 32, 0])

    return kernel


f = pad(256)

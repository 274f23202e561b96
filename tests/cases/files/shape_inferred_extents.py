# case: shape_inferred_extents
# about: Extents are inferred from the other side, ends are cut off by the compiler, and axes of size one may be dropped
# targets: sm_75 sm_80 sm_90
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def gather(B, H, S, D, block=48):
    @T.prim_func
    def kernel(X: T.Tensor((B, H, S, D), T.float16), Y: T.Tensor((B, S, H, D), T.float16)):
        with T.Kernel(T.ceildiv(S, block), H, B, threads=128) as (bs, h, b):
            tile = T.alloc_shared((block, D), T.float16)
            T.copy(X[b, h, bs * block : (bs + 1) * block, :], tile)
            T.copy(tile, Y[b, bs * block : (bs + 1) * block, h, :])

    return kernel


f = gather(2, 4, 1000, 64)

# case: language_hints
# about: Things worth a hint, none of them wrong
# targets: sm_80
# expect: info unused-buffer line=16

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def copy(N):
    @T.prim_func
    def kernel(X: T.Tensor((N,), T.float32), Y: T.Tensor((N,), T.float32)):
        with T.Kernel(T.ceildiv(N, 256), threads=128) as bx:
            tile = T.alloc_shared((256,), T.float32)
            spare = T.alloc_shared((256,), T.float32)
            T.copy(X[bx * 256], tile)
            T.copy(tile, Y[bx * 256])

    return kernel


f = copy(4096)

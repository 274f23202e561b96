# case: wait_async_copy
# about: The tile is read right after the asynchronous copy was started
# targets: sm_80 sm_90
# expect: error missing-wait line=17

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def stage(N=4096):
    @T.prim_func
    def main(X: T.Tensor((N,), "float32"), Y: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 512), threads=128) as bx:
            tile = T.alloc_shared((512,), "float32")
            T.async_copy(X[bx * 512], tile)
            T.copy(tile, Y[bx * 512])

    return main


stage()

# case: bounds_halo_ok
# about: Same program without the mistake
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def blur(N=4096):
    @T.prim_func
    def main(X: T.Tensor((N,), "float32"), Y: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 128), threads=128) as bx:
            tile = T.alloc_shared((130,), "float32")
            T.clear(tile)
            for i in T.Parallel(130):
                tile[i] = X[bx * 128 + i - 1]
            for i in T.Parallel(128):
                Y[bx * 128 + i] = tile[i] + tile[i + 1]

    return main


blur()

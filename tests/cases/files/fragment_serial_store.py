# case: fragment_serial_store
# about: serial loops store a tile, so each thread needs all of it and makes every store
# targets: sm_80
# expect: warning serial-fragment-index line=17

import tilelang
import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((16, 16), T.float32), Y: T.Tensor((16, 16), T.float32)):
    with T.Kernel(1, threads=128):
        tile = T.alloc_fragment((16, 16), T.float32)
        T.copy(X, tile)
        for i in T.serial(16):
            for j in T.serial(16):
                Y[j, i] = tile[i, j]


kernel = tilelang.compile(main, out_idx=-1)

# case: width_beyond_rows_ok
# about: rows of four in rows of six
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((128, 6), T.float32), Y: T.Tensor((128, 4), T.float32)):
    with T.Kernel(1, threads=128):
        tile = T.alloc_shared((128, 4), T.float32)
        T.copy(X[0:128, 0:4], tile, coalesced_width=2)
        T.copy(tile, Y)


kernel = tilelang.compile(main, out_idx=-1)

# case: width_beyond_rows
# about: two elements at a time are asked for, and rows have three
# targets: sm_80
# expect: info ignored-coalesced-width line=14

import tilelang
import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((128, 5), T.float32), Y: T.Tensor((128, 3), T.float32)):
    with T.Kernel(1, threads=128):
        tile = T.alloc_shared((128, 3), T.float32)
        T.copy(X[0:128, 0:3], tile, coalesced_width=2)
        T.copy(tile, Y)


kernel = tilelang.compile(main, out_idx=-1)

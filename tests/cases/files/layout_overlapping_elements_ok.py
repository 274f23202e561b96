# case: layout_overlapping_elements_ok
# about: the rows from the last to the first
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((32, 64), T.float32), Y: T.Tensor((32, 64), T.float32)):
    with T.Kernel(1, threads=128):
        tile = T.alloc_shared((32, 64), T.float32)
        T.annotate_layout({tile: T.Layout((32, 64), lambda i, j: (31 - i) * 64 + j)})
        T.copy(X, tile)
        T.copy(tile, Y)


kernel = tilelang.compile(main, out_idx=-1)

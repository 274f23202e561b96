# case: layout_overlapping_elements
# about: a layout given by hand that puts two rows at one place
# targets: sm_80
# expect: error layout-conflict line=14

import tilelang
import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((32, 64), T.float32), Y: T.Tensor((32, 64), T.float32)):
    with T.Kernel(1, threads=128):
        tile = T.alloc_shared((32, 64), T.float32)
        T.annotate_layout({tile: T.Layout((32, 64), lambda i, j: i // 2 * 64 + j)})
        T.copy(X, tile)
        T.copy(tile, Y)


kernel = tilelang.compile(main, out_idx=-1)

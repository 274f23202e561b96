# case: layout_tma_gaps
# about: TMA fills rows without padding, but the layout given for the tile has some
# targets: sm_90
# expect: error layout-conflict line=18

import tilelang
import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((64, 64), T.float16), Y: T.Tensor((64, 64), T.float16)):
    with T.Kernel(1, threads=128):
        tile = T.alloc_shared((64, 64), T.float16)
        ready = T.alloc_barrier(1)
        T.annotate_layout({tile: T.Layout((64, 64), lambda i, j: i * 128 + j)})
        if T.shuffle_elect(0):
            T.mbarrier_expect_tx(ready, 64 * 64 * 2)
            T.tma_copy(X, tile, barrier=ready)
            T.mbarrier_arrive(ready)
        T.mbarrier_wait_parity(ready, 0)
        for i, j in T.Parallel(64, 64):
            Y[i, j] = tile[i, j]


kernel = tilelang.compile(main, out_idx=-1)

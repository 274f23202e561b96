# case: reduce_batch_too_wide_ok
# about: four at a time
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((64, 64), T.float32), Y: T.Tensor((64,), T.float32)):
    with T.Kernel(1, threads=128):
        tile = T.alloc_fragment((64, 64), T.float32)
        total = T.alloc_fragment((64,), T.float32)
        T.copy(X, tile)
        T.reduce_sum(tile, total, dim=1, batch=4)
        T.copy(total, Y)


kernel = tilelang.compile(main, out_idx=-1)

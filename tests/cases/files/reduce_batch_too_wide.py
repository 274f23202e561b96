# case: reduce_batch_too_wide
# about: sums are combined six at a time, but each thread holds eight
# targets: sm_80
# expect: warning unsupported-reduce-layout line=16

import tilelang
import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((64, 64), T.float32), Y: T.Tensor((64,), T.float32)):
    with T.Kernel(1, threads=128):
        tile = T.alloc_fragment((64, 64), T.float32)
        total = T.alloc_fragment((64,), T.float32)
        T.copy(X, tile)
        T.reduce_sum(tile, total, dim=1, batch=6)
        T.copy(total, Y)


kernel = tilelang.compile(main, out_idx=-1)

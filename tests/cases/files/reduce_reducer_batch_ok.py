# case: reduce_reducer_batch_ok
# about: two at a time
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((64, 64), T.float32), Y: T.Tensor((64,), T.float32)):
    with T.Kernel(1, threads=128):
        tile = T.alloc_fragment((64, 64), T.float32)
        total = T.alloc_reducer((64,), T.float32, op="sum", replication="all")
        T.copy(X, tile)
        T.clear(total)
        for i, j in T.Parallel(64, 64):
            total[i] += tile[i, j]
        T.finalize_reducer(total, batch=2)
        T.copy(total, Y)


kernel = tilelang.compile(main, out_idx=-1)

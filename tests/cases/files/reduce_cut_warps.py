# case: reduce_cut_warps
# about: the threads that hold one row begin in the middle of a warp
# targets: sm_80
# expect: warning unsupported-reduce-layout line=23

import tilelang
import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((1, 512), T.float32), Y: T.Tensor((1,), T.float32)):
    with T.Kernel(1, threads=128):
        row = T.alloc_fragment((1, 512), T.float32)
        total = T.alloc_fragment((1,), T.float32)
        T.annotate_layout(
            {
                row: T.Fragment((1, 512), lambda i, j: (16 + j // 8, j % 8)),
                total: T.Fragment((1,), lambda i, rep: (16 + rep, 0), replicate=64),
            }
        )
        for i, j in T.Parallel(1, 512):
            row[i, j] = X[i, j]
        T.reduce_sum(row, total, dim=1)
        for i in T.Parallel(1):
            Y[i] = total[i]


kernel = tilelang.compile(main, out_idx=-1)

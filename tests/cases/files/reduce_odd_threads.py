# case: reduce_odd_threads
# about: 96 threads hold the parts of one sum, and they can only be halved five times
# targets: sm_80
# expect: warning unsupported-reduce-layout line=16

import tilelang
import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((8, 768), T.float32), Y: T.Tensor((8,), T.float32)):
    with T.Kernel(8, threads=96) as bx:
        row = T.alloc_fragment((768,), T.float32)
        total = T.alloc_fragment((1,), T.float32)
        T.copy(X[bx, 0], row)
        T.reduce_sum(row, total, dim=0)
        Y[bx] = total[0]


kernel = tilelang.compile(main, out_idx=-1)

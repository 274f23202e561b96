# case: race_blocks_overlap_ok
# about: blocks are as far apart as their tiles are long
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((4096,), T.float32), Y: T.Tensor((4096,), T.float32)):
    with T.Kernel(16, threads=128) as bx:
        for i in T.Parallel(256):
            Y[bx * 256 + i] = X[bx * 256 + i]


kernel = tilelang.compile(main, out_idx=-1)

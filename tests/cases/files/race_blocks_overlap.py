# case: race_blocks_overlap
# about: blocks are half a tile apart, and each writes a whole tile
# targets: sm_80
# expect: error block-race line=14

import tilelang
import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((4096,), T.float32), Y: T.Tensor((4096,), T.float32)):
    with T.Kernel(16, threads=128) as bx:
        for i in T.Parallel(256):
            Y[bx * 128 + i] = X[bx * 256 + i]


kernel = tilelang.compile(main, out_idx=-1)

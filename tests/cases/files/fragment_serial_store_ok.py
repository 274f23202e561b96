# case: fragment_serial_store_ok
# about: a parallel loop stores what its thread has
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((16, 16), T.float32), Y: T.Tensor((16, 16), T.float32)):
    with T.Kernel(1, threads=128):
        tile = T.alloc_fragment((16, 16), T.float32)
        T.copy(X, tile)
        for i, j in T.Parallel(16, 16):
            Y[j, i] = tile[i, j]


kernel = tilelang.compile(main, out_idx=-1)

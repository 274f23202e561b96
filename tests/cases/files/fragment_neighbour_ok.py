# case: fragment_neighbour_ok
# about: shared memory is there for all threads
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((256,), T.float32), Y: T.Tensor((256,), T.float32)):
    with T.Kernel(1, threads=128):
        row = T.alloc_shared((256,), T.float32)
        T.copy(X, row)
        for i in T.Parallel(255):
            Y[i] = row[i + 1] - row[i]


kernel = tilelang.compile(main, out_idx=-1)

# case: fragment_neighbour
# about: each element needs the next one, which another thread has
# targets: sm_80
# expect: error invalid-fragment-index line=16

import tilelang
import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((256,), T.float32), Y: T.Tensor((256,), T.float32)):
    with T.Kernel(1, threads=128):
        row = T.alloc_fragment((256,), T.float32)
        T.copy(X, row)
        for i in T.Parallel(255):
            Y[i] = row[i + 1] - row[i]


kernel = tilelang.compile(main, out_idx=-1)

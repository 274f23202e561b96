# case: fragment_private_array
# about: an array of one thread, indexed by a loop over all threads
# targets: sm_80
# expect: error invalid-fragment-index line=15

import tilelang
import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((64,), T.float32), Y: T.Tensor((64,), T.float32)):
    with T.Kernel(1, threads=128):
        kept = T.alloc_local((64,), T.float32)
        for i in T.Parallel(64):
            kept[i] = X[i] * 2.0
        T.copy(kept, Y)


kernel = tilelang.compile(main, out_idx=-1)

# case: fragment_private_array_ok
# about: a fragment has a part in each thread
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((64,), T.float32), Y: T.Tensor((64,), T.float32)):
    with T.Kernel(1, threads=128):
        kept = T.alloc_fragment((64,), T.float32)
        for i in T.Parallel(64):
            kept[i] = X[i] * 2.0
        T.copy(kept, Y)


kernel = tilelang.compile(main, out_idx=-1)

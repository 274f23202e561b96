# case: sync_two_stores_ok
# about: Same program without the mistake
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def fold(N=128):
    @T.prim_func
    def main(X: T.Tensor((N,), "float32"), Y: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=N) as bx:
            tx = T.get_thread_binding()
            row = T.alloc_shared((N,), "float32")
            row[tx] = X[tx]
            T.sync_threads()
            if tx < 32:
                row[N - 1 - tx] = 0.0
            Y[tx] = row[tx]

    return main


fold()

# case: sync_two_stores
# about: One warp clears elements that others store, with no barrier between
# targets: sm_80
# expect: error missing-sync line=19

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
            if tx < 32:
                row[N - 1 - tx] = 0.0
            Y[tx] = row[tx]

    return main


fold()

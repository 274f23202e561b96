# case: barrier_half_warp_ok
# about: Same program without the mistake
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def total(N=64):
    @T.prim_func
    def main(X: T.Tensor((N,), "float32"), Y: T.Tensor((1,), "float32")):
        with T.Kernel(1, threads=N) as bx:
            tx = T.get_thread_binding()
            row = T.alloc_shared((N,), "float32")
            row[tx] = X[tx]
            T.sync_threads()
            for step in T.unroll(3):
                if tx < (16 >> step):
                    row[tx] = row[tx] + row[tx + (16 >> step)]
                T.sync_threads()
            if tx == 0:
                Y[0] = row[0]

    return main


total()

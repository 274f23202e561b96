# case: wait_tma_parity_ok
# about: Same program without the mistake
# targets: sm_90
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def through():
    @T.prim_func
    def main(X: T.Tensor((4, 64, 64), "float16"), Y: T.Tensor((4, 64, 64), "float16")):
        with T.Kernel(1, threads=128) as bx:
            tile = T.alloc_shared((64, 64), "float16")
            ready = T.alloc_barrier(128)
            for k in T.serial(4):
                T.tma_copy(X[k, 0, 0], tile, barrier=ready)
                T.mbarrier_arrive(ready)
                T.mbarrier_wait_parity(ready, k % 2)
                T.copy(tile, Y[k, 0, 0])

    return main


through()

# case: wait_tma_parity
# about: The wait has the parity of the phase before, so it does not wait
# targets: sm_90
# expect: error missing-wait line=21

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
                T.mbarrier_wait_parity(ready, (k + 1) % 2)
                T.copy(tile, Y[k, 0, 0])

    return main


through()

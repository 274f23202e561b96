# case: barrier_too_few_arrivals_ok
# about: Same program without the mistake
# targets: sm_90
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def through():
    @T.prim_func
    def main(X: T.Tensor((64, 64), "float16"), Y: T.Tensor((64, 64), "float16")):
        with T.Kernel(1, threads=128) as bx:
            tx = T.get_thread_binding()
            tile = T.alloc_shared((64, 64), "float16")
            ready = T.alloc_barrier(1)
            T.tma_copy(X, tile, barrier=ready)
            if tx == 0:
                T.mbarrier_arrive(ready)
            T.mbarrier_wait_parity(ready, 0)
            T.copy(tile, Y)

    return main


through()

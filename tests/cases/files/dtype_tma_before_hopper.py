# case: dtype_tma_before_hopper
# about: T.tma_copy needs the bulk copy engine of sm_90
# targets: sm_80 sm_90
# expect: error unsupported-instruction line=18 target=sm_80
# allow: unsupported-instruction line=17

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def through_shared(M, N):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), T.float16), Y: T.Tensor((M, N), T.float16)):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            tile = T.alloc_shared((64, 64), T.float16)
            ready = T.alloc_barrier(1)
            T.tma_copy(X[by * 64 : by * 64 + 64, bx * 64 : bx * 64 + 64], tile, barrier=ready)
            T.barrier_arrive(ready)
            T.mbarrier_wait_parity(ready, 0)
            T.copy(tile, Y[by * 64, bx * 64])

    return kernel


f = through_shared(1024, 1024)

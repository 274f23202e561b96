# case: language_rebound_in_branch_ok
# about: Same program without the mistake
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def clip(N, limit=4.0):
    @T.prim_func
    def kernel(X: T.Tensor((N,), T.float32), Y: T.Tensor((N,), T.float32)):
        with T.Kernel(T.ceildiv(N, 128), threads=128) as bx:
            for i in T.Parallel(128):
                value = X[bx * 128 + i]
                Y[bx * 128 + i] = T.if_then_else(value > limit, limit, value)

    return kernel


f = clip(1024)

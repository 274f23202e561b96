# case: language_rebound_in_branch
# about: A Python name is bound in one arm of a run-time condition and used after it
# targets: sm_80
# expect: error rebound-in-branch line=18

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def clip(N, limit=4.0):
    @T.prim_func
    def kernel(X: T.Tensor((N,), T.float32), Y: T.Tensor((N,), T.float32)):
        with T.Kernel(T.ceildiv(N, 128), threads=128) as bx:
            for i in T.Parallel(128):
                value = X[bx * 128 + i]
                if value > limit:
                    value = limit
                Y[bx * 128 + i] = value

    return kernel


f = clip(1024)

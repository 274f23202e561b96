# case: language_shadowed_counter_ok
# about: Same program without the mistake
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def histogram(N, bins):
    @T.prim_func
    def kernel(X: T.Tensor((N,), T.int32), Y: T.Tensor((bins,), T.int32)):
        with T.Kernel(bins, threads=32) as b:
            n = T.alloc_var(T.int32, 0)
            for i in T.serial(N):
                if X[i] == b:
                    n = n + 1
            Y[b] = n
            for j in T.serial(1):
                Y[b] = Y[b] + j

    return kernel


f = histogram(128, 16)

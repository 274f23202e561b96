# case: language_shadowed_counter
# about: The counter's name is taken again by a loop
# targets: sm_80
# expect: info shadowed-variable line=20

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
            for n in T.serial(1):
                Y[b] = Y[b] + n

    return kernel


f = histogram(128, 16)

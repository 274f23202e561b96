# case: language_misspelt_keyword_of_kernel_ok
# about: Same program without the mistake
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit
def fill(N):
    @T.prim_func
    def kernel(Y: T.Tensor((N,), T.float32)):
        with T.Kernel(T.ceildiv(N, 256), threads=256) as bx:
            for i in T.Parallel(256):
                Y[bx * 256 + i] = 1.0

    return kernel


f = fill(4096)

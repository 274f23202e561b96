# case: dtype_silent_narrowing
# about: A product with a fraction is stored as an integer without a cast
# targets: sm_80
# expect: info lossy-cast line=16

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def quantise(N, scale=12.7):
    @T.prim_func
    def kernel(X: T.Tensor((N,), T.float32), Q: T.Tensor((N,), T.int8)):
        with T.Kernel(T.ceildiv(N, 512), threads=128) as bx:
            for i in T.Parallel(512):
                Q[bx * 512 + i] = X[bx * 512 + i] * scale

    return kernel


f = quantise(1 << 16)

# case: language_misspelt_alloc_ok
# about: Same program without the mistake
# targets: sm_80
# expect: clean

import tilelang
from tilelang import language as T


@tilelang.jit(out_idx=[1])
def relu(N):
    @T.prim_func
    def kernel(X: T.Tensor((N,), T.float16), Y: T.Tensor((N,), T.float16)):
        with T.Kernel(T.ceildiv(N, 1024), threads=128) as bx:
            part = T.alloc_fragment((1024,), T.float16)
            T.copy(X[bx * 1024], part)
            for i in T.Parallel(1024):
                part[i] = T.max(part[i], 0)
            T.copy(part, Y[bx * 1024])

    return kernel


f = relu(1 << 16)

# case: language_outside_kernel
# about: The result is cleared before the launch, where no thread exists
# targets: sm_80
# expect: error kernel-outside-context line=14

import tilelang
import tilelang.language as T


@tilelang.jit
def count_positive(N):
    @T.prim_func
    def kernel(X: T.Tensor((N,), T.float32), Y: T.Tensor((1,), T.int32)):
        T.clear(Y)
        with T.Kernel(T.ceildiv(N, 256), threads=256) as bx:
            for i in T.Parallel(256):
                if X[bx * 256 + i] > 0.0:
                    T.atomic_add(Y[0], 1)

    return kernel


f = count_positive(4096)

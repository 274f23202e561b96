# case: language_rebound_in_loop_ok
# about: Same program without the mistake
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit
def argmax(X):
    M, N = T.const("M, N")
    X: T.Tensor[[M, N], T.float32]
    Y = T.empty((M,), T.int32)
    with T.Kernel(M, threads=32) as row:
        best = T.alloc_var(T.int32, 0)
        for j in T.serial(N):
            if X[row, j] > X[row, best]:
                best = j
        Y[row] = best
    return Y


f = argmax.compile(M=64, N=256)

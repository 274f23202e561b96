# case: language_rebound_in_loop
# about: The position of the largest value is kept in a Python name, which every iteration would have to change
# targets: sm_80
# expect: error rebound-in-branch line=19

import tilelang
import tilelang.language as T


@tilelang.jit
def argmax(X):
    M, N = T.const("M, N")
    X: T.Tensor[[M, N], T.float32]
    Y = T.empty((M,), T.int32)
    with T.Kernel(M, threads=32) as row:
        best = 0
        for j in T.serial(N):
            if X[row, j] > X[row, best]:
                best = j
        Y[row] = best
    return Y


f = argmax.compile(M=64, N=256)

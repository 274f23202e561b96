# case: shape_copy_slices_ok
# about: Same program without the mistake
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit
def head(X):
    B, L, D = T.const("B L D")
    X: T.Tensor[[B, L, D], T.float16]
    Y = T.empty((B, 96, D), T.float16)
    with T.Kernel(B, threads=64) as b:
        T.copy(X[b, 0:32, 0:D], Y[b, 32:64, 0:D])
    return Y


f = head.compile(B=4, L=128, D=64)

# case: shape_call_rank_ok
# about: Same program without the mistake
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def halve(X):
    M, N = T.const("M, N")
    X: T.Tensor[[M, N], T.float32]
    Y = T.empty((M, N), T.float32)
    with T.Kernel(T.ceildiv(M, 8), threads=128) as bx:
        for i, j in T.Parallel(8, N):
            Y[bx * 8 + i, j] = X[bx * 8 + i, j] * 0.5
    return Y


def test_halve():
    x = torch.ones((4, 64, 128), device="cuda")
    y = halve(x.reshape(256, 128)).reshape(x.shape)
    assert y.shape == x.shape

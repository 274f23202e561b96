# case: shape_call_rank
# about: The kernel takes a matrix and is called with a stack of them
# targets: sm_80
# expect: error call-shape-mismatch line=24

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
    y = halve(x)
    assert y.shape == x.shape

# case: shape_reduce_result
# about: A sum over rows has one value for each column
# targets: sm_75 sm_80
# expect: error reduce-shape-mismatch line=21
# allow: copy-shape-mismatch line=22

import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def column_sum(X, rows: int = 32):
    M, N = T.const("M, N")
    X: T.Tensor[[M, N], T.float32]
    Y = T.empty((N,), T.float32)
    with T.Kernel(1, threads=128):
        part = T.alloc_fragment((rows, N), T.float32)
        total = T.alloc_fragment((rows,), T.float32)
        T.copy(X[0:rows, 0:N], part)
        T.reduce_sum(part, total, dim=0)
        T.copy(total, Y)
    return Y


if __name__ == "__main__":
    column_sum(torch.zeros(32, 128, device="cuda"))

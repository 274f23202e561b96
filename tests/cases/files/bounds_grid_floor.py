# case: bounds_grid_floor
# about: The grid is rounded down: the last 24 of 1,000 elements have no block
# targets: sm_80
# expect: warning incomplete-grid line=16

import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def double(X, block: int = 64):
    N = T.const("N")
    X: T.Tensor[[N], T.float32]
    Y = T.empty((N,), T.float32)
    with T.Kernel(N // block, threads=64) as bx:
        part = T.alloc_fragment((block,), T.float32)
        T.copy(X[bx * block], part)
        for i in T.Parallel(block):
            part[i] = part[i] * 2.0
        T.copy(part, Y[bx * block])
    return Y


def main():
    double(torch.ones(1000, device="cuda"))


if __name__ == "__main__":
    main()

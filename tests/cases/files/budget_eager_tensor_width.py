# case: budget_eager_tensor_width
# about: The tile is as wide as the tensor of the call, and that tensor is too wide
# targets: sm_75 sm_80 sm_90
# expect: error shared-memory-overflow line=18 target=sm_75 need=65536 have=49152
# allow: shared-memory-overflow line=28

import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def scale_rows(X, rows: int = 4):
    M, N = T.const("M, N")
    X: T.Tensor[[M, N], T.float16]
    Y = T.empty((M, N), T.float16)
    with T.Kernel(T.ceildiv(M, rows), threads=128) as bx:
        tile = T.alloc_shared((rows, N), T.float16)
        T.copy(X[bx * rows, 0], tile)
        for i, j in T.Parallel(rows, N):
            tile[i, j] = tile[i, j] * 2
        T.copy(tile, Y[bx * rows, 0])
    return Y


def main():
    x = torch.randn(1024, 8192, device="cuda", dtype=torch.float16)
    return scale_rows(x)


if __name__ == "__main__":
    main()

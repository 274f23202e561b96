# case: budget_eager_tensor_width_ok
# about: Same program without the mistake
# targets: sm_75 sm_80 sm_90
# expect: clean

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
    x = torch.randn(1024, 4096, device="cuda", dtype=torch.float16)
    return scale_rows(x)
if __name__ == "__main__":
    main()

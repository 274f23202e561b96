# case: shape_copy_start_rank
# about: The start in the matrix has one index, so the row of the block is missing
# targets: sm_80
# expect: error index-rank-mismatch line=19

import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def transpose(X, tile: int = 32):
    M, N = T.const("M, N")
    X: T.Tensor[[M, N], T.float32]
    Y = T.empty((N, M), T.float32)
    with T.Kernel(T.ceildiv(N, tile), T.ceildiv(M, tile), threads=128) as (bx, by):
        source = T.alloc_shared((tile, tile), T.float32)
        result = T.alloc_shared((tile, tile), T.float32)
        T.copy(X[bx * tile], source)
        for i, j in T.Parallel(tile, tile):
            result[j, i] = source[i, j]
        T.copy(result, Y[bx * tile, by * tile])
    return Y


if __name__ == "__main__":
    transpose(torch.randn(256, 128, device="cuda"))

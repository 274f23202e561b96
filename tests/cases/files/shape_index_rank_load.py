# case: shape_index_rank_load
# about: A matrix is read with one index inside a parallel loop
# targets: sm_80
# expect: error index-rank-mismatch line=16

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[2])
def add_bias(M, N):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), T.float32), bias: T.Tensor((1, N), T.float32), Y: T.Tensor((M, N), T.float32)):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=256) as (bx, by):
            for i, j in T.Parallel(64, 64):
                Y[by * 64 + i, bx * 64 + j] = X[by * 64 + i, bx * 64 + j] + bias[bx * 64 + j]

    return kernel


f = add_bias(1024, 1024)

# case: budget_no_reuse_between_tiles_ok
# about: The first tile is dead when the second is filled, so one takes the place of the other: 32 KiB
# targets: sm_75 sm_80
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def swap_and_add(M, N):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), T.float32), Y: T.Tensor((M, N), T.float32), Z: T.Tensor((M, N), T.float32)):
        with T.Kernel(T.ceildiv(N, 128), T.ceildiv(M, 64), threads=128) as (bx, by):
            first = T.alloc_shared((64, 128), T.float32)
            second = T.alloc_shared((64, 128), T.float32)
            T.copy(X[by * 64, bx * 128], first)
            for i, j in T.Parallel(64, 128):
                Z[by * 64 + i, bx * 128 + j] = first[i, 127 - j]
            T.copy(Y[by * 64, bx * 128], second)
            for i, j in T.Parallel(64, 128):
                Z[by * 64 + i, bx * 128 + j] = Z[by * 64 + i, bx * 128 + j] + second[i, 127 - j]

    return kernel


f = swap_and_add(1024, 1024)

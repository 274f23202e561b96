# case: budget_macro_allocates
# about: The tiles are allocated by a macro, twice
# targets: sm_75 sm_80
# expect: error shared-memory-overflow line=15 target=sm_75 need=65536 have=49152
# allow: shared-memory-overflow line=25

import tilelang
import tilelang.language as T

SIZE = 128


@T.macro
def load(X, row, column):
    tile = T.alloc_shared((SIZE, SIZE), T.float16)
    T.copy(X[row, column], tile)
    return tile


@tilelang.jit(out_idx=[-1])
def multiply(M, N):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), T.float16), Y: T.Tensor((M, N), T.float16), Z: T.Tensor((M, N), T.float16)):
        with T.Kernel(T.ceildiv(N, SIZE), T.ceildiv(M, SIZE), threads=256) as (bx, by):
            x = load(X, by * SIZE, bx * SIZE)
            y = load(Y, by * SIZE, bx * SIZE)
            for i, j in T.Parallel(SIZE, SIZE):
                Z[by * SIZE + i, bx * SIZE + j] = x[i, j] * y[i, j]

    return kernel


f = multiply(2048, 2048)

# case: budget_two_launches
# about: Two kernels in one program have a budget each: 32 KiB twice is fine
# targets: sm_75 sm_80
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit
def two_steps(M, N):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), T.float16), Y: T.Tensor((M, N), T.float16), Z: T.Tensor((M, N), T.float16)):
        with T.Kernel(T.ceildiv(N, 128), T.ceildiv(M, 128), threads=128) as (bx, by):
            first = T.alloc_shared((128, 128), T.float16)
            T.copy(X[by * 128, bx * 128], first)
            T.copy(first, Y[by * 128, bx * 128])
        with T.Kernel(T.ceildiv(N, 128), T.ceildiv(M, 128), threads=128) as (cx, cy):
            second = T.alloc_shared((128, 128), T.float16)
            T.copy(Y[cy * 128, cx * 128], second)
            T.copy(second, Z[cy * 128, cx * 128])

    return kernel


f = two_steps(1024, 1024)

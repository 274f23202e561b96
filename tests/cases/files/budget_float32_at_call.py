# case: budget_float32_at_call
# about: The dtype of the call doubles the tiles of a kernel that fits with float16
# targets: sm_75 sm_80
# expect: error shared-memory-overflow line=30 target=sm_75 need=65536 have=49152

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def add(M, N, dtype=T.float16):
    @T.prim_func
    def kernel(
        A: T.Tensor((M, N), dtype),
        B: T.Tensor((M, N), dtype),
        C: T.Tensor((M, N), dtype),
    ):
        with T.Kernel(T.ceildiv(N, 128), T.ceildiv(M, 64), threads=256) as (bx, by):
            a = T.alloc_shared((64, 128), dtype)
            b = T.alloc_shared((64, 128), dtype)
            T.copy(A[by * 64, bx * 128], a)
            T.copy(B[by * 64, bx * 128], b)
            for i, j in T.Parallel(64, 128):
                C[by * 64 + i, bx * 128 + j] = a[i, j] + b[i, j]

    return kernel


half = add(4096, 4096)
single = add(4096, 4096, dtype=T.float32)

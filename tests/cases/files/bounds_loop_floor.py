# case: bounds_loop_floor
# about: The loop is rounded down: the last 8 of 1,000 columns never enter the sum
# targets: sm_80
# expect: warning incomplete-loop line=19

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def row_sum(M, N, step=32):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), T.float32), Y: T.Tensor((M,), T.float32)):
        with T.Kernel(T.ceildiv(M, 16), threads=64) as bx:
            tile = T.alloc_fragment((16, step), T.float32)
            part = T.alloc_fragment((16,), T.float32)
            total = T.alloc_fragment((16,), T.float32)
            T.clear(total)
            for k in T.serial(N // step):
                T.copy(X[bx * 16, k * step], tile)
                T.reduce_sum(tile, part, dim=1)
                for i in T.Parallel(16):
                    total[i] += part[i]
            T.copy(total, Y[bx * 16])

    return kernel


f = row_sum(64, 1000)

# case: bounds_loop_floor_ok
# about: Same program without the mistake
# targets: sm_80
# expect: clean

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
            for k in T.serial(T.ceildiv(N, step)):
                T.copy(X[bx * 16, k * step], tile)
                T.reduce_sum(tile, part, dim=1)
                for i in T.Parallel(16):
                    total[i] += part[i]
            T.copy(total, Y[bx * 16])

    return kernel


f = row_sum(64, 1000)

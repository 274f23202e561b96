# case: pipeline_inside_parallel_ok
# about: Same program without the mistake
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def rows(M, N):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), T.float32), Y: T.Tensor((M, N), T.float32)):
        with T.Kernel(T.ceildiv(M, 8), threads=128) as bx:
            line = T.alloc_shared((1, N), T.float32)
            for i in T.serial(8):
                T.copy(X[bx * 8 + i, 0], line)
                T.copy(line, Y[bx * 8 + i, 0])
    return kernel


f = rows(64, 256)

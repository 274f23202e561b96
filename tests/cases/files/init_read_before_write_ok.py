# case: init_read_before_write_ok
# about: Same program without the mistake
# targets: sm_75 sm_80
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def normalise(M, N):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), T.float32), Y: T.Tensor((M, N), T.float32)):
        with T.Kernel(M, threads=128) as row:
            line = T.alloc_fragment((1, N), T.float32)
            best = T.alloc_fragment((1,), T.float32)
            T.copy(X[row, 0], line)
            T.reduce_max(line, best, dim=1)
            for i, j in T.Parallel(1, N):
                line[i, j] = line[i, j] - best[i]
            T.copy(line, Y[row, 0])

    return kernel


f = normalise(128, 512)

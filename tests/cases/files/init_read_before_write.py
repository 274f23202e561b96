# case: init_read_before_write
# about: The row maximum enters the scores before anything was written to it
# targets: sm_75 sm_80
# expect: warning uninitialized-read line=19

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
            for i, j in T.Parallel(1, N):
                line[i, j] = line[i, j] - best[i]
            T.copy(line, Y[row, 0])

    return kernel


f = normalise(128, 512)

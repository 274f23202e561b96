# case: launch_threads_tuple_ok
# about: Same program without the mistake
# targets: sm_80 sm_90
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit
def double(X):
    M, N = T.const("M, N")
    X: T.Tensor((M, N), T.float32)
    with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 32), threads=(64, 16)) as (bx, by):
        for i, j in T.Parallel(32, 64):
            X[by * 32 + i, bx * 64 + j] = X[by * 32 + i, bx * 64 + j] * 2.0


double.compile(M=4096, N=4096)

# case: launch_threads_above_limit_ok
# about: Same program without the mistake
# targets: sm_75 sm_80 sm_90
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def negate(N, threads=256):
    @T.prim_func
    def kernel(X: T.Tensor((N,), T.float32), Y: T.Tensor((N,), T.float32)):
        with T.Kernel(T.ceildiv(N, 3072), threads=threads) as bx:
            for i in T.Parallel(3072):
                Y[bx * 3072 + i] = -X[bx * 3072 + i]

    return kernel


if __name__ == "__main__":
    small = negate(3 << 20)
    large = negate(3 << 20, threads=1024)

# case: launch_threads_above_limit
# about: The call asks for 1536 threads; a block has 1024 at most
# targets: sm_75 sm_80 sm_90
# expect: error invalid-block-threads line=24
# allow: invalid-block-threads line=15

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
    large = negate(3 << 20, threads=1536)

# case: program_tuner_key
# about: One entry names a parameter that the kernel does not have
# targets: sm_80 sm_90
# expect: error autotune-unknown-key line=13

import tilelang
import tilelang.language as T


@tilelang.autotune(
    configs=[
        {"block": 128, "threads": 128},
        {"block": 256, "thread": 128},
    ]
)
@tilelang.jit(out_idx=[1])
def negate(N, block=128, threads=128):
    @T.prim_func
    def kernel(X: T.Tensor((N,), T.float32), Y: T.Tensor((N,), T.float32)):
        with T.Kernel(T.ceildiv(N, block), threads=threads) as bx:
            for i in T.Parallel(block):
                Y[bx * block + i] = -X[bx * block + i]

    return kernel


best = negate(1 << 20)

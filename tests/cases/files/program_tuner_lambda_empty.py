# case: program_tuner_lambda_empty
# about: The lambda keeps tiles that divide the size, and none does
# targets: sm_80
# expect: error autotune-empty-space line=10

import tilelang
import tilelang.language as T


@tilelang.autotune(configs=lambda N: [{"tile": t} for t in (128, 256, 512) if N % t == 0])
@tilelang.jit(out_idx=[1])
def double(N, tile=128):
    @T.prim_func
    def kernel(X: T.Tensor((N,), T.float32), Y: T.Tensor((N,), T.float32)):
        with T.Kernel(T.ceildiv(N, tile), threads=128) as bx:
            part = T.alloc_fragment((tile,), T.float32)
            T.copy(X[bx * tile], part)
            for i in T.Parallel(tile):
                part[i] = part[i] * 2.0
            T.copy(part, Y[bx * tile])

    return kernel


best = double(1000)

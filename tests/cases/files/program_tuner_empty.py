# case: program_tuner_empty
# about: The filter keeps block sizes above 1,024 that divide 1,000: there are none
# targets: sm_80
# expect: error autotune-empty-space line=18

import tilelang
import tilelang.language as T

WIDTH = 1000


def candidates():
    for block in [2**e for e in range(5, 14)]:
        if block > 1024 and WIDTH % block == 0:
            yield {"block": block}


@tilelang.autotune(configs=list(candidates()), warmup=1, rep=5)
@tilelang.jit(out_idx=[1])
def shift(block=256):
    @T.prim_func
    def kernel(X: T.Tensor((WIDTH,), T.float32), Y: T.Tensor((WIDTH,), T.float32)):
        with T.Kernel(T.ceildiv(WIDTH, block), threads=128) as bx:
            for i in T.Parallel(block):
                if bx * block + i < WIDTH:
                    Y[bx * block + i] = X[bx * block + i] + 1.0

    return kernel


if __name__ == "__main__":
    shift()

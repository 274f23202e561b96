# case: program_tuner_empty_ok
# about: Same program without the mistake
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T

WIDTH = 1000


def candidates():
    for block in [2**e for e in range(5, 14)]:
        if block < 1024:
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

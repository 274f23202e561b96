"""A tuned transpose: configurations from a product, filtered by a function."""

import itertools

import tilelang
import tilelang.language as T


def fits(config):
    return config["side"] * (config["side"] + config["pad"]) * 2 <= 48 * 1024


def search_space():
    names = ("side", "pad", "threads")
    values = itertools.product([16, 32, 64, 128], [0, 1, 8], [64, 128, 256])
    space = [dict(zip(names, entry, strict=True)) for entry in values]
    return [config for config in space if fits(config)]


@tilelang.autotune(configs=search_space(), warmup=3, rep=10)
@tilelang.jit(out_idx=[1])
def transpose(M, N, side=32, pad=1, threads=128):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), "float16"), Y: T.Tensor((N, M), "float16")):
        with T.Kernel(T.ceildiv(N, side), T.ceildiv(M, side), threads=threads) as (bx, by):
            tile = T.alloc_shared((side, side + pad), "float16")
            for i, j in T.Parallel(side, side):
                tile[i, j] = X[by * side + i, bx * side + j]
            for i, j in T.Parallel(side, side):
                Y[bx * side + i, by * side + j] = tile[j, i]

    return kernel


if __name__ == "__main__":
    transpose(4096, 2048)
    transpose(M=128, N=128, side=16)

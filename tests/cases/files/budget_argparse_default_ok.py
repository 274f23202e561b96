# case: budget_argparse_default_ok
# about: Same program without the mistake
# targets: sm_75 sm_80
# expect: clean

import argparse

import tilelang
import tilelang.language as T


@tilelang.jit
def transpose(rows, columns, tile):
    @T.prim_func
    def kernel(X: T.Tensor((rows, columns), T.float32), Y: T.Tensor((columns, rows), T.float32)):
        with T.Kernel(T.ceildiv(columns, tile), T.ceildiv(rows, tile), threads=256) as (bx, by):
            source = T.alloc_shared((tile, tile), T.float32)
            result = T.alloc_shared((tile, tile), T.float32)
            T.copy(X[by * tile, bx * tile], source)
            for i, j in T.Parallel(tile, tile):
                result[j, i] = source[i, j]
            T.copy(result, Y[bx * tile, by * tile])

    return kernel


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=4096)
    parser.add_argument("--tile", type=int, default=64)
    return parser.parse_args()


if __name__ == "__main__":
    args = parse()
    f = transpose(args.rows, 2048, args.tile)

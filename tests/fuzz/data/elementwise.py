"""Scale and shift: several call sites, a default, a loop over sizes."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def scale_shift(rows, cols, block=256, dtype="float32"):
    @T.prim_func
    def kernel(
        X: T.Tensor((rows, cols), dtype),
        Scale: T.Tensor((cols,), dtype),
        Y: T.Tensor((rows, cols), dtype),
    ):
        with T.Kernel(T.ceildiv(cols, block), rows, threads=128) as (bx, by):
            for i in T.Parallel(block):
                if bx * block + i < cols:
                    Y[by, bx * block + i] = X[by, bx * block + i] * Scale[bx * block + i] + 1.0

    return kernel


def main():
    for cols in [256, 1024, 4096]:
        scale_shift(8, cols)
    scale_shift(64, 512, block=128, dtype="float16")


if __name__ == "__main__":
    main()

"""A staged matrix product with a helper, keyword arguments and command-line defaults."""

import argparse

import tilelang
import tilelang.language as T

STAGES = {"a100": 3, "h100": 4}


def tile_sizes(large: bool) -> tuple[int, int, int]:
    return (128, 128, 32) if large else (64, 64, 32)


@tilelang.jit
def product(M, N, K, block_M, block_N, block_K, num_stages, dtype="float16", accum_dtype="float32"):
    @T.prim_func
    def kernel(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((N, K), dtype),
        C: T.Tensor((M, N), dtype),
    ):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            A_shared = T.alloc_shared((block_M, block_K), dtype)
            B_shared = T.alloc_shared((block_N, block_K), dtype)
            C_local = T.alloc_fragment((block_M, block_N), accum_dtype)
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=num_stages):
                T.copy(A[by * block_M, k * block_K], A_shared)
                T.copy(B[bx * block_N, k * block_K], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_B=True)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return kernel


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--m", type=int, default=2048)
    parser.add_argument("--card", choices=sorted(STAGES), default="a100")
    parser.add_argument("--large", action="store_true")
    args = parser.parse_args()
    sizes = tile_sizes(args.large)
    product(args.m, 1024, 512, *sizes, num_stages=STAGES[args.card])

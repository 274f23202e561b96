"""Matrix product C = A @ B in lazy style: a factory returns the kernel.

What it shows: tiles in shared memory, an accumulator in registers, a pipelined loop, and tensor cores through
`T.gemm`. Shared memory is the budget to watch: every stage of the pipeline has its own copy of both tiles.

    tilelang-check examples/gemm.py --target t4,a100,l4,h100 --format table
"""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def matmul(M: int, N: int, K: int, block_m: int = 128, block_n: int = 128, block_k: int = 32, num_stages: int = 2):
    @T.prim_func
    def kernel(
        A: T.Tensor[(M, K), T.float16],
        B: T.Tensor[(K, N), T.float16],
        C: T.Tensor[(M, N), T.float16],
    ):
        # A two-dimensional grid: bx counts the tiles of C from left to right, by from top to bottom.
        with T.Kernel(T.ceildiv(N, block_n), T.ceildiv(M, block_m), threads=128) as (bx, by):
            # One copy of each operand tile is 128 * 32 * 2 bytes = 8 KiB. With two stages both tiles exist twice:
            # 32 KiB, which fits the 48 KiB of a block on a T4. Three stages would be exactly 48 KiB, four too much.
            A_tile = T.alloc_shared((block_m, block_k), T.float16)
            B_tile = T.alloc_shared((block_k, block_n), T.float16)
            # A fragment lives in the registers of the block's threads, each of which holds a part of it.
            acc = T.alloc_fragment((block_m, block_n), T.float32)

            # Registers start with anything in them, and T.gemm adds to its accumulator.
            T.clear(acc)
            # While the tensor cores work on one pair of tiles, the next pair is on its way.
            for k in T.Pipelined(T.ceildiv(K, block_k), num_stages=num_stages):
                # The corner is enough: the size of the copied box is that of the tile.
                T.copy(A[by * block_m, k * block_k], A_tile)
                T.copy(B[k * block_k, bx * block_n], B_tile)
                T.gemm(A_tile, B_tile, acc)
            # The copy converts from float32 to float16.
            T.copy(acc, C[by * block_m, bx * block_n])

    return kernel


def main() -> None:
    try:
        import torch  # type: ignore
    except ImportError:
        raise SystemExit("running needs PyTorch; checking needs neither PyTorch nor a GPU") from None
    if not torch.cuda.is_available():
        raise SystemExit("running needs a CUDA GPU; checking needs none")

    m, n, k = 1024, 1024, 1024
    gemm = matmul(m, n, k)
    a = torch.randn(m, k, device="cuda", dtype=torch.float16)
    b = torch.randn(k, n, device="cuda", dtype=torch.float16)
    torch.testing.assert_close(gemm(a, b), a @ b, rtol=1e-2, atol=1e-1)
    print("gemm agrees with PyTorch")


if __name__ == "__main__":
    main()

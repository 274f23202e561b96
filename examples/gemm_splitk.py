"""Matrix product with the K axis split over blocks.

What it shows: a third grid axis for more parallelism when C has few tiles, and `T.atomic_add` because several blocks
add to one tile of C. The caller passes C filled with zeros, so C is no `out_idx` result here.

    tilelang-check examples/gemm_splitk.py --target t4,a100,l4,h100
"""

import tilelang
import tilelang.language as T


@tilelang.jit
def matmul_splitk(
    M: int,
    N: int,
    K: int,
    splits: int = 4,
    block_m: int = 64,
    block_n: int = 64,
    block_k: int = 32,
    num_stages: int = 2,
):
    # This runs while the kernel is built. A bad call stops here, with a Python line.
    assert K % (splits * block_k) == 0, "each split must be a whole number of K tiles"
    span = K // splits

    @T.prim_func
    def kernel(
        A: T.Tensor[(M, K), T.float16],
        B: T.Tensor[(K, N), T.float16],
        C: T.Tensor[(M, N), T.float32],
    ):
        with T.Kernel(T.ceildiv(N, block_n), T.ceildiv(M, block_m), splits, threads=128) as (bx, by, bz):
            A_tile = T.alloc_shared((block_m, block_k), T.float16)
            B_tile = T.alloc_shared((block_k, block_n), T.float16)
            acc = T.alloc_fragment((block_m, block_n), T.float32)

            T.clear(acc)
            # Block bz covers the columns [bz * span, (bz + 1) * span) of A.
            for k in T.Pipelined(span // block_k, num_stages=num_stages):
                T.copy(A[by * block_m, bz * span + k * block_k], A_tile)
                T.copy(B[bz * span + k * block_k, bx * block_n], B_tile)
                T.gemm(A_tile, B_tile, acc)
            # A plain store would be a race: `splits` blocks write each element.
            for i, j in T.Parallel(block_m, block_n):
                T.atomic_add(C[by * block_m + i, bx * block_n + j], acc[i, j])

    return kernel


def main() -> None:
    try:
        import torch  # type: ignore
    except ImportError:
        raise SystemExit("running needs PyTorch; checking needs neither PyTorch nor a GPU") from None
    if not torch.cuda.is_available():
        raise SystemExit("running needs a CUDA GPU; checking needs none")

    m, n, k = 256, 256, 8192
    kernel = matmul_splitk(m, n, k)
    a = torch.randn(m, k, device="cuda", dtype=torch.float16)
    b = torch.randn(k, n, device="cuda", dtype=torch.float16)
    c = torch.zeros(m, n, device="cuda", dtype=torch.float32)
    kernel(a, b, c)
    torch.testing.assert_close(c, a.float() @ b.float(), rtol=1e-2, atol=1e-1)
    print("gemm_splitk agrees with PyTorch")


if __name__ == "__main__":
    main()

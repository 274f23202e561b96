"""Matrix product with int4 weights: C = A @ dequantise(W)^T.

What it shows: two weights packed in one byte, unpacked by the block on their way to the tensor cores. The weights
cross the memory bus with a quarter of the bytes that float16 would take. A group of `group` neighbours along K shares
one float16 scale.

    tilelang-check examples/gemm_int4.py --target t4,a100,l4,h100
"""

import tilelang
import tilelang.language as T


@T.macro
def unpack(byte, position):
    """The signed 4-bit value at `position` (0 or 1) of a byte, as float16."""
    # A macro is pasted in where it is called: no call happens on the GPU.
    nibble = (byte >> (position * 4).astype(T.uint8)) & T.uint8(0xF)
    return nibble.astype(T.float16) - T.float16(8)


@tilelang.jit(out_idx=[-1])
def matmul_int4(
    M: int,
    N: int,
    K: int,
    group: int = 32,
    block_m: int = 64,
    block_n: int = 64,
    block_k: int = 64,
    num_stages: int = 2,
):
    @T.prim_func
    def kernel(
        A: T.Tensor[(M, K), T.float16],
        W: T.Tensor[(N, K // 2), T.uint8],
        scales: T.Tensor[(N, K // group), T.float16],
        C: T.Tensor[(M, N), T.float16],
    ):
        with T.Kernel(T.ceildiv(N, block_n), T.ceildiv(M, block_m), threads=128) as (bx, by):
            A_tile = T.alloc_shared((block_m, block_k), T.float16)
            W_packed = T.alloc_shared((block_n, block_k // 2), T.uint8)
            W_tile = T.alloc_shared((block_n, block_k), T.float16)
            acc = T.alloc_fragment((block_m, block_n), T.float32)

            T.clear(acc)
            for k in T.Pipelined(K // block_k, num_stages=num_stages):
                T.copy(A[by * block_m, k * block_k], A_tile)
                # Only what arrives from global memory is staged: A_tile and W_packed exist twice, W_tile once.
                T.copy(W[bx * block_n, k * (block_k // 2)], W_packed)
                for i, j in T.Parallel(block_n, block_k):
                    W_tile[i, j] = (
                        unpack(W_packed[i, j // 2], j % 2) * scales[bx * block_n + i, (k * block_k + j) // group]
                    )
                T.gemm(A_tile, W_tile, acc, transpose_B=True)
            T.copy(acc, C[by * block_m, bx * block_n])

    return kernel


def main() -> None:
    try:
        import torch  # type: ignore
    except ImportError:
        raise SystemExit("running needs PyTorch; checking needs neither PyTorch nor a GPU") from None
    if not torch.cuda.is_available():
        raise SystemExit("running needs a CUDA GPU; checking needs none")

    m, n, k, group = 256, 512, 1024, 32
    kernel = matmul_int4(m, n, k, group)
    a = torch.randn(m, k, device="cuda", dtype=torch.float16)
    values = torch.randint(0, 16, (n, k), device="cuda", dtype=torch.uint8)
    scales = torch.rand(n, k // group, device="cuda", dtype=torch.float16)
    packed = values[:, 0::2] | (values[:, 1::2] << 4)
    weights = (values.half() - 8) * scales.repeat_interleave(group, dim=1)
    torch.testing.assert_close(kernel(a, packed, scales), a @ weights.T, rtol=1e-2, atol=5e-1)
    print("gemm_int4 agrees with PyTorch")


if __name__ == "__main__":
    main()

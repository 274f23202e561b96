"""Matrix product in eager style: the decorated function is the kernel itself.

What it shows: `T.const` for sizes that are read off the tensors of a call, `T.empty` for the result, and one kernel
that serves every shape. A call compiles for the shapes it brings and runs at once. Compare it with gemm.py.

    tilelang-check examples/gemm_eager.py --target t4,a100,l4,h100
"""

import tilelang
import tilelang.language as T


@tilelang.jit
def matmul(A, B, block_m: int = 128, block_n: int = 64, block_k: int = 32, num_stages: int = 2):
    # Each name is bound by the shape of an argument. That K occurs in both makes A's columns and B's rows agree.
    M, N, K = T.const("M, N, K")
    # These lines are declarations: they say what the arguments are.
    A: T.Tensor[[M, K], T.float16]
    B: T.Tensor[[K, N], T.float16]
    # The result is made by the call, and returned below.
    C = T.empty((M, N), T.float16)

    with T.Kernel(T.ceildiv(N, block_n), T.ceildiv(M, block_m), threads=128) as (bx, by):
        A_tile = T.alloc_shared((block_m, block_k), T.float16)
        B_tile = T.alloc_shared((block_k, block_n), T.float16)
        C_tile = T.alloc_shared((block_m, block_n), T.float16)
        acc = T.alloc_fragment((block_m, block_n), T.float32)

        T.clear(acc)
        for k in T.Pipelined(T.ceildiv(K, block_k), num_stages=num_stages):
            T.copy(A[by * block_m, k * block_k], A_tile)
            T.copy(B[k * block_k, bx * block_n], B_tile)
            T.gemm(A_tile, B_tile, acc)
        # Through shared memory, so that the rows go out in long contiguous pieces. After the loop nobody needs
        # the operand tiles, so C_tile takes their place: 24 KiB in all, not 40.
        T.copy(acc, C_tile)
        T.copy(C_tile, C[by * block_m, bx * block_n])

    return C


def main() -> None:
    try:
        import torch  # type: ignore
    except ImportError:
        raise SystemExit("running needs PyTorch; checking needs neither PyTorch nor a GPU") from None
    if not torch.cuda.is_available():
        raise SystemExit("running needs a CUDA GPU; checking needs none")

    a = torch.randn(1024, 512, device="cuda", dtype=torch.float16)
    b = torch.randn(512, 768, device="cuda", dtype=torch.float16)
    torch.testing.assert_close(matmul(a, b), a @ b, rtol=1e-2, atol=1e-1)
    # Another shape, another tile: a second specialisation of the same kernel.
    a, b = a[:256].contiguous(), b[:, :64].contiguous()
    torch.testing.assert_close(matmul(a, b, block_m=64), a @ b, rtol=1e-2, atol=1e-1)
    print("gemm_eager agrees with PyTorch")


if __name__ == "__main__":
    main()

"""Vector addition: the smallest whole kernel.

What it shows: a factory that is specialised for a size, a grid of blocks, and a loop that the threads of a
block share. Check it for four GPUs, with no GPU at hand:

    tilelang-check examples/vector_add.py --target t4,a100,l4,h100
"""

import tilelang
import tilelang.language as T


# `tilelang.jit` compiles the kernel that the function returns. `out_idx=[-1]` says that the last parameter is the
# result: callers pass A and B, and get C back.
@tilelang.jit(out_idx=[-1])
def vector_add(N: int, block: int = 1024, threads: int = 256):
    # Everything out here is ordinary Python. It runs once, while the kernel is built, so N, block and threads are
    # plain numbers that the compiler can see.
    @T.prim_func
    def kernel(
        A: T.Tensor[(N,), T.float32],
        B: T.Tensor[(N,), T.float32],
        C: T.Tensor[(N,), T.float32],
    ):
        # One block for each piece of `block` elements. `bx` is the number of this block.
        with T.Kernel(T.ceildiv(N, block), threads=threads) as bx:
            # The iterations of T.Parallel are independent, so they are spread over the threads: 1024 elements over
            # 256 threads is one 16-byte access a thread. If N is no multiple of `block`, the compiler guards the end.
            for i in T.Parallel(block):
                C[bx * block + i] = A[bx * block + i] + B[bx * block + i]

    return kernel


def main() -> None:
    try:
        import torch  # type: ignore
    except ImportError:
        raise SystemExit("running needs PyTorch; checking needs neither PyTorch nor a GPU") from None
    if not torch.cuda.is_available():
        raise SystemExit("running needs a CUDA GPU; checking needs none")

    n = 1 << 20
    add = vector_add(n)
    a = torch.randn(n, device="cuda")
    b = torch.randn(n, device="cuda")
    torch.testing.assert_close(add(a, b), a + b)
    print("vector_add agrees with PyTorch")


if __name__ == "__main__":
    main()

"""Row-wise softmax in one pass over memory.

What it shows: reductions along an axis, broadcasting a row value over a tile, and why fusing pays: the input is read
once and the output written once, with the maximum and the sum kept in registers.

    tilelang-check examples/softmax.py --target t4,a100,l4,h100
"""

import tilelang
import tilelang.language as T

LOG2_E = 1.44269504


@tilelang.jit(out_idx=[1])
def softmax(M: int, N: int, block_m: int = 2, threads: int = 128):
    @T.prim_func
    def kernel(
        X: T.Tensor[(M, N), T.float16],
        Y: T.Tensor[(M, N), T.float16],
    ):
        with T.Kernel(T.ceildiv(M, block_m), threads=threads) as bx:
            # A block keeps whole rows: 2 * 2048 float32 values over 128 threads is 32 registers a thread.
            row = T.alloc_fragment((block_m, N), T.float32)
            row_max = T.alloc_fragment((block_m,), T.float32)
            row_sum = T.alloc_fragment((block_m,), T.float32)

            T.copy(X[bx * block_m, 0], row)
            # Reduces axis 1, so the result has the shape of what is left: (block_m,).
            T.reduce_max(row, row_max, dim=1)
            # exp(x - max) cannot overflow. exp2 is one instruction; the factor turns it into exp.
            for i, j in T.Parallel(block_m, N):
                row[i, j] = T.exp2((row[i, j] - row_max[i]) * LOG2_E)
            T.reduce_sum(row, row_sum, dim=1)
            for i, j in T.Parallel(block_m, N):
                row[i, j] = row[i, j] / row_sum[i]
            T.copy(row, Y[bx * block_m, 0])

    return kernel


def main() -> None:
    try:
        import torch  # type: ignore
    except ImportError:
        raise SystemExit("running needs PyTorch; checking needs neither PyTorch nor a GPU") from None
    if not torch.cuda.is_available():
        raise SystemExit("running needs a CUDA GPU; checking needs none")

    m, n = 4096, 2048
    kernel = softmax(m, n)
    x = torch.randn(m, n, device="cuda", dtype=torch.float16)
    torch.testing.assert_close(kernel(x), torch.softmax(x.float(), dim=1).half(), rtol=1e-2, atol=1e-4)
    print("softmax agrees with PyTorch")


if __name__ == "__main__":
    main()

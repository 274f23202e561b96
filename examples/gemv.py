"""Matrix-vector product y = A @ x.

What it shows: a kernel that memory limits. There is nothing to reuse in A, so it goes straight to registers, and the
work is spread so that the threads of a warp read neighbouring elements. Tensor cores would not help.

    tilelang-check examples/gemv.py --target t4,a100,l4,h100
"""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def gemv(M: int, K: int, block_m: int = 4, block_k: int = 1024, threads: int = 128):
    @T.prim_func
    def kernel(
        A: T.Tensor[(M, K), T.float16],
        x: T.Tensor[(K,), T.float16],
        y: T.Tensor[(M,), T.float16],
    ):
        with T.Kernel(T.ceildiv(M, block_m), threads=threads) as bx:
            A_tile = T.alloc_fragment((block_m, block_k), T.float16)
            # x is the same for all rows, so the block keeps its piece where every thread can read it: 2 KiB.
            x_tile = T.alloc_shared((block_k,), T.float16)
            partial = T.alloc_fragment((block_m, block_k), T.float32)
            total = T.alloc_fragment((block_m,), T.float32)

            T.clear(partial)
            for k in T.serial(T.ceildiv(K, block_k)):
                T.copy(A[bx * block_m, k * block_k], A_tile)
                T.copy(x[k * block_k], x_tile)
                # Each thread adds up its own elements; threads meet only once, in the reduction at the end.
                for i, j in T.Parallel(block_m, block_k):
                    partial[i, j] += A_tile[i, j].astype(T.float32) * x_tile[j].astype(T.float32)
            T.reduce_sum(partial, total, dim=1)
            T.copy(total, y[bx * block_m])

    return kernel


def main() -> None:
    try:
        import torch  # type: ignore
    except ImportError:
        raise SystemExit("running needs PyTorch; checking needs neither PyTorch nor a GPU") from None
    if not torch.cuda.is_available():
        raise SystemExit("running needs a CUDA GPU; checking needs none")

    m, k = 4096, 4096
    kernel = gemv(m, k)
    a = torch.randn(m, k, device="cuda", dtype=torch.float16)
    x = torch.randn(k, device="cuda", dtype=torch.float16)
    torch.testing.assert_close(kernel(a, x), a @ x, rtol=1e-2, atol=1e-1)
    print("gemv agrees with PyTorch")


if __name__ == "__main__":
    main()

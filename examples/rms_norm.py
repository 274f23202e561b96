"""RMSNorm: y = x / sqrt(mean(x * x) + eps) * weight, row by row.

What it shows: staging a row in shared memory to read it twice, a reduction in float32 over float16 data, and a
scalar constant that is fixed when the kernel is built.

    tilelang-check examples/rms_norm.py --target t4,a100,l4,h100
"""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def rms_norm(M: int, N: int, eps: float = 1e-6, block_m: int = 1, threads: int = 256):
    @T.prim_func
    def kernel(
        X: T.Tensor[(M, N), T.float16],
        weight: T.Tensor[(N,), T.float16],
        Y: T.Tensor[(M, N), T.float16],
    ):
        with T.Kernel(T.ceildiv(M, block_m), threads=threads) as bx:
            # 4096 * 2 bytes = 8 KiB. The row is read from global memory once, and from here after that.
            X_tile = T.alloc_shared((block_m, N), T.float16)
            square = T.alloc_fragment((block_m, N), T.float32)
            scale = T.alloc_fragment((block_m,), T.float32)

            T.copy(X[bx * block_m, 0], X_tile)
            # The product is taken in float32: float16 would overflow above 255.
            for i, j in T.Parallel(block_m, N):
                square[i, j] = X_tile[i, j].astype(T.float32) * X_tile[i, j].astype(T.float32)
            T.reduce_sum(square, scale, dim=1)
            for i in T.Parallel(block_m):
                scale[i] = T.rsqrt(scale[i] / N + eps)
            for i, j in T.Parallel(block_m, N):
                Y[bx * block_m + i, j] = X_tile[i, j] * scale[i] * weight[j]

    return kernel


def main() -> None:
    try:
        import torch  # type: ignore
    except ImportError:
        raise SystemExit("running needs PyTorch; checking needs neither PyTorch nor a GPU") from None
    if not torch.cuda.is_available():
        raise SystemExit("running needs a CUDA GPU; checking needs none")

    m, n = 2048, 4096
    norm = rms_norm(m, n)
    x = torch.randn(m, n, device="cuda", dtype=torch.float16)
    weight = torch.randn(n, device="cuda", dtype=torch.float16)
    wide = x.float()
    expected = wide * torch.rsqrt(wide.pow(2).mean(dim=1, keepdim=True) + 1e-6) * weight.float()
    torch.testing.assert_close(norm(x, weight), expected.half(), rtol=1e-2, atol=1e-2)
    print("rms_norm agrees with PyTorch")


if __name__ == "__main__":
    main()

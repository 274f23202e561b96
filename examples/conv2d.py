"""Two-dimensional convolution as a matrix product (implicit GEMM), NHWC.

What it shows: index arithmetic inside `T.Parallel`, a guarded load for the padding, and a flattened weight. Row m of
the product is one output pixel, column f one filter, and the K axis runs over (kernel row, kernel column, channel).

    tilelang-check examples/conv2d.py --target t4,a100,l4,h100
"""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[2])
def conv2d(
    batch: int,
    height: int,
    width: int,
    channels: int,
    filters: int,
    size: int = 3,
    stride: int = 1,
    padding: int = 1,
    block_m: int = 64,
    block_n: int = 64,
    block_k: int = 32,
    num_stages: int = 2,
):
    out_height = (height + 2 * padding - size) // stride + 1
    out_width = (width + 2 * padding - size) // stride + 1
    pixels = batch * out_height * out_width
    depth = size * size * channels

    @T.prim_func
    def kernel(
        image: T.Tensor[(batch, height, width, channels), T.float16],
        weight: T.Tensor[(depth, filters), T.float16],
        out: T.Tensor[(pixels, filters), T.float16],
    ):
        with T.Kernel(T.ceildiv(filters, block_n), T.ceildiv(pixels, block_m), threads=128) as (bx, by):
            image_tile = T.alloc_shared((block_m, block_k), T.float16)
            weight_tile = T.alloc_shared((block_k, block_n), T.float16)
            acc = T.alloc_fragment((block_m, block_n), T.float32)

            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(depth, block_k), num_stages=num_stages):
                # The im2col matrix is never stored: its tile is gathered here.
                for i, j in T.Parallel(block_m, block_k):
                    pixel = by * block_m + i
                    tap = k * block_k + j
                    row = pixel % (out_height * out_width) // out_width * stride + tap // channels // size - padding
                    col = pixel % out_width * stride + tap // channels % size - padding
                    inside = (row >= 0) and (col >= 0) and (row < height) and (col < width)
                    image_tile[i, j] = T.if_then_else(
                        inside, image[pixel // (out_height * out_width), row, col, tap % channels], 0
                    )
                T.copy(weight[k * block_k, bx * block_n], weight_tile)
                T.gemm(image_tile, weight_tile, acc)
            T.copy(acc, out[by * block_m, bx * block_n])

    return kernel


def main() -> None:
    try:
        import torch  # type: ignore
    except ImportError:
        raise SystemExit("running needs PyTorch; checking needs neither PyTorch nor a GPU") from None
    if not torch.cuda.is_available():
        raise SystemExit("running needs a CUDA GPU; checking needs none")

    batch, height, width, channels, filters, size = 4, 32, 32, 64, 128, 3
    kernel = conv2d(batch, height, width, channels, filters, size)
    image = torch.randn(batch, height, width, channels, device="cuda", dtype=torch.float16)
    weight = torch.randn(size, size, channels, filters, device="cuda", dtype=torch.float16)
    out = kernel(image, weight.reshape(size * size * channels, filters))
    expected = torch.nn.functional.conv2d(image.permute(0, 3, 1, 2), weight.permute(3, 2, 0, 1), padding=1)
    torch.testing.assert_close(
        out.reshape(batch, height, width, filters), expected.permute(0, 2, 3, 1), rtol=1e-2, atol=2e-1
    )
    print("conv2d agrees with PyTorch")


if __name__ == "__main__":
    main()

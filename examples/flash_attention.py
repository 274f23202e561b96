"""FlashAttention, forward: softmax(Q @ K^T / sqrt(dim)) @ V without the score matrix in memory.

What it shows: two products that share one register tile, a softmax that is corrected block by block as larger scores
turn up, `transpose_B`, and a warp policy that lets the second product take the scores as the first one left them.

    tilelang-check examples/flash_attention.py --target t4,a100,l4,h100
"""

import math

import tilelang
import tilelang.language as T

LOG2_E = 1.44269504


@tilelang.jit(out_idx=[3])
def attention(
    batch: int,
    heads: int,
    length: int,
    dim: int,
    causal: bool = False,
    block_m: int = 64,
    block_n: int = 64,
    num_stages: int = 1,
    threads: int = 128,
):
    # exp2 is cheaper than exp, so the scale carries log2(e).
    scale = LOG2_E / math.sqrt(dim)

    @T.prim_func
    def kernel(
        Q: T.Tensor[(batch, length, heads, dim), T.float16],
        K: T.Tensor[(batch, length, heads, dim), T.float16],
        V: T.Tensor[(batch, length, heads, dim), T.float16],
        O: T.Tensor[(batch, length, heads, dim), T.float16],
    ):
        # A block computes block_m rows of one head of one batch.
        with T.Kernel(T.ceildiv(length, block_m), heads, batch, threads=threads) as (bx, head, b):
            # 64 * 64 * 2 bytes = 8 KiB each, 24 KiB in all.
            Q_tile = T.alloc_shared((block_m, dim), T.float16)
            K_tile = T.alloc_shared((block_n, dim), T.float16)
            V_tile = T.alloc_shared((block_n, dim), T.float16)
            scores = T.alloc_fragment((block_m, block_n), T.float32)
            weights = T.alloc_fragment((block_m, block_n), T.float16)
            out = T.alloc_fragment((block_m, dim), T.float32)
            row_max = T.alloc_fragment((block_m,), T.float32)
            old_max = T.alloc_fragment((block_m,), T.float32)
            correction = T.alloc_fragment((block_m,), T.float32)
            block_sum = T.alloc_fragment((block_m,), T.float32)
            row_sum = T.alloc_fragment((block_m,), T.float32)

            T.copy(Q[b, bx * block_m : (bx + 1) * block_m, head, :], Q_tile)
            T.clear(out)
            T.clear(row_sum)
            T.fill(row_max, -T.infinity(T.float32))

            # `causal` is a Python value, so this `if` picks one of two kernels while the kernel is built.
            if causal:
                blocks = T.min(T.ceildiv(length, block_n), T.ceildiv((bx + 1) * block_m, block_n))
            else:
                blocks = T.ceildiv(length, block_n)
            for k in T.Pipelined(blocks, num_stages=num_stages):
                T.copy(K[b, k * block_n : (k + 1) * block_n, head, :], K_tile)
                if causal:
                    # Future positions start at -inf, and T.gemm adds to that.
                    for i, j in T.Parallel(block_m, block_n):
                        scores[i, j] = T.if_then_else(bx * block_m + i >= k * block_n + j, 0, -T.infinity(T.float32))
                else:
                    T.clear(scores)
                # FullRow gives each warp whole rows. Then the row reductions stay inside a warp, and `weights` has
                # the layout that the second product wants for its left operand.
                T.gemm(Q_tile, K_tile, scores, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)

                # A new maximum shrinks what was summed up so far by exp(old - new).
                T.copy(row_max, old_max)
                T.reduce_max(scores, row_max, dim=1, clear=False)
                for i in T.Parallel(block_m):
                    correction[i] = T.exp2((old_max[i] - row_max[i]) * scale)
                for i, j in T.Parallel(block_m, block_n):
                    scores[i, j] = T.exp2((scores[i, j] - row_max[i]) * scale)
                T.reduce_sum(scores, block_sum, dim=1)
                for i in T.Parallel(block_m):
                    row_sum[i] = row_sum[i] * correction[i] + block_sum[i]
                for i, j in T.Parallel(block_m, dim):
                    out[i, j] *= correction[i]

                # Both operands of a product have one dtype, so the weights are rounded to float16.
                T.copy(scores, weights)
                T.copy(V[b, k * block_n : (k + 1) * block_n, head, :], V_tile)
                T.gemm(weights, V_tile, out, policy=T.GemmWarpPolicy.FullRow)

            for i, j in T.Parallel(block_m, dim):
                out[i, j] /= row_sum[i]
            T.copy(out, O[b, bx * block_m : (bx + 1) * block_m, head, :])

    return kernel


def main() -> None:
    try:
        import torch  # type: ignore
    except ImportError:
        raise SystemExit("running needs PyTorch; checking needs neither PyTorch nor a GPU") from None
    if not torch.cuda.is_available():
        raise SystemExit("running needs a CUDA GPU; checking needs none")

    batch, heads, length, dim = 2, 8, 1024, 64
    q, k, v = (torch.randn(batch, length, heads, dim, device="cuda", dtype=torch.float16) for _ in range(3))
    for causal in (False, True):
        kernel = attention(batch, heads, length, dim, causal)
        expected = torch.nn.functional.scaled_dot_product_attention(
            q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), is_causal=causal
        )
        torch.testing.assert_close(kernel(q, k, v), expected.transpose(1, 2), rtol=1e-2, atol=1e-2)
    print("flash_attention agrees with PyTorch")


if __name__ == "__main__":
    main()

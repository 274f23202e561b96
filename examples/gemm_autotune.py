"""An autotuned matrix product: the tuner picks tile sizes and the stage count.

What it shows: a list of configurations from a product of choices, with the ones that cannot fit left out before
anything is compiled. The checker looks at every entry for every target, so an entry that a T4 cannot hold is a
finding here and not a silent gap in the tuner's table.

    tilelang-check examples/gemm_autotune.py --target t4,a100,l4,h100 --format table
"""

import itertools

import tilelang
import tilelang.language as T

BUDGET = 48 * 1024
"""Bytes of shared memory that a block has on every GPU that we tune for (the T4 has the least)."""


def shared_bytes(config: dict[str, int]) -> int:
    """What the two operand tiles take, once for each stage."""
    tile = (config["block_m"] + config["block_n"]) * config["block_k"]
    return tile * 2 * config["num_stages"]


def configs() -> list[dict[str, int]]:
    choices = {
        "block_m": [64, 128],
        "block_n": [64, 128],
        "block_k": [32, 64],
        "num_stages": [1, 2, 3],
    }
    entries = [dict(zip(choices, values, strict=True)) for values in itertools.product(*choices.values())]
    return [entry for entry in entries if shared_bytes(entry) <= BUDGET]


# Configurations fill the parameters that a call leaves open.
@tilelang.autotune(configs=configs())
@tilelang.jit(out_idx=[-1])
def matmul(M: int, N: int, K: int, block_m: int = 64, block_n: int = 64, block_k: int = 32, num_stages: int = 2):
    @T.prim_func
    def kernel(
        A: T.Tensor[(M, K), T.float16],
        B: T.Tensor[(K, N), T.float16],
        C: T.Tensor[(M, N), T.float16],
    ):
        with T.Kernel(T.ceildiv(N, block_n), T.ceildiv(M, block_m), threads=128) as (bx, by):
            A_tile = T.alloc_shared((block_m, block_k), T.float16)
            B_tile = T.alloc_shared((block_k, block_n), T.float16)
            acc = T.alloc_fragment((block_m, block_n), T.float32)

            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(K, block_k), num_stages=num_stages):
                T.copy(A[by * block_m, k * block_k], A_tile)
                T.copy(B[k * block_k, bx * block_n], B_tile)
                T.gemm(A_tile, B_tile, acc)
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
    best = matmul(m, n, k)
    a = torch.randn(m, k, device="cuda", dtype=torch.float16)
    b = torch.randn(k, n, device="cuda", dtype=torch.float16)
    torch.testing.assert_close(best(a, b), a @ b, rtol=1e-2, atol=1e-1)
    print("gemm_autotune agrees with PyTorch")


if __name__ == "__main__":
    main()

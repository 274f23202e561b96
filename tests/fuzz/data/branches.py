"""Ordinary Python around kernels: exceptions, comprehensions, generators, unknown conditions, nested functions."""

import math
import os
import sys

import tilelang
import tilelang.language as T

FAST = os.getenv("FAST_MATH", "0") == "1"
BLOCKS = [2**power for power in range(4, 8)]


class UnsupportedShape(ValueError):
    pass


def divisors(n):
    for d in range(1, math.isqrt(n) + 1):
        if n % d == 0:
            yield d
            if d != n // d:
                yield n // d


def choose(n, limit=128):
    best = max(d for d in divisors(n) if d <= limit)
    if best < 8:
        raise UnsupportedShape(f"{n=} has no good block")
    return best


def make(kind, n):
    block = choose(n)

    @tilelang.jit(out_idx=[2], pass_configs={"tl.enable_fast_math": FAST})
    def build(threads=128):
        @T.prim_func
        def add(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32"), C: T.Tensor((n,), "float32")):
            with T.Kernel(n // block, threads=threads) as b:
                local = T.alloc_fragment((block,), "float32")
                T.clear(local)
                for r in T.serial(2):
                    if kind == "sum":
                        for i in T.Parallel(block):
                            local[i] += A[b * block + i] if r == 0 else B[b * block + i]
                    else:
                        for i in T.Parallel(block):
                            local[i] = T.max(local[i], T.if_then_else(r == 0, A[b * block + i], B[b * block + i]))
                T.copy(local, C[b * block])

        return add

    return build


if "--wide" in sys.argv:
    SIZES = [1 << 20]
    BLOCKS.append(1 << 10)
else:
    SIZES = [block * 30 for block in BLOCKS]

try:
    kernels = {(kind, n): make(kind, n)(threads=64 if n < 1000 else 128) for kind in ("sum", "max") for n in SIZES}
except UnsupportedShape as error:
    print(error)
    kernels = {}
finally:
    BLOCKS.clear()

"""An eager kernel in a class that picks its sizes, with symbolic extents and a comment that names an instance."""

from dataclasses import dataclass
from functools import lru_cache

import torch

import tilelang
import tilelang.language as T


@tilelang.jit
def normalise(X, eps: float = 1e-5, block: int = 8):
    M, N = T.const("M, N")
    X: T.Tensor[[M, N], T.bfloat16]
    Y = T.empty((M, N), T.bfloat16)
    with T.Kernel(T.ceildiv(M, block), threads=256) as bx:
        values = T.alloc_fragment((block, N), "float32")
        squares = T.alloc_fragment((block, N), "float32")
        power = T.alloc_fragment((block,), "float32")
        T.copy(X[bx * block, 0], values)
        for i, j in T.Parallel(block, N):
            squares[i, j] = values[i, j] * values[i, j]
        T.reduce_sum(squares, power, dim=1)
        for i in T.Parallel(block):
            power[i] = T.rsqrt(power[i] / N + eps)
        for i, j in T.Parallel(block, N):
            values[i, j] *= power[i]
        T.copy(values, Y[bx * block, 0])
    return Y


@dataclass
class Norm:
    width: int = 4096
    eps: float = 1e-6

    @property
    def block(self) -> int:
        return 4 if self.width > 2048 else 8

    def __call__(self, x):
        return normalise(x, eps=self.eps, block=self.block)


@lru_cache(maxsize=8)
def layer(width):
    return Norm(width=width)


# tilelang: targets=sm_80+
# tilelang: instance(n=4096, dtype="float16")
@tilelang.jit(target="cuda")
def copy_rows(n, dtype):
    m = T.dynamic("m")

    @T.prim_func
    def kernel(X: T.Tensor((m, n), dtype), Y: T.Tensor((m, n), dtype)):
        with T.Kernel(m, threads=128) as row:
            buffer = T.alloc_shared((n,), dtype)
            T.copy(X[row, 0], buffer)
            T.copy(buffer, Y[row, 0])

    return kernel


def run_all():
    with torch.no_grad():
        for width in (512, 4096):
            layer(width)(torch.randn(16, width, device="cuda", dtype=torch.bfloat16))

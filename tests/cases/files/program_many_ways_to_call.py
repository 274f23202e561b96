# case: program_many_ways_to_call
# about: Star arguments, enums, generators, properties, closures and recursion, all with values that fit
# targets: sm_75 sm_80
# expect: clean

import enum
import functools

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def matmul(M, N, K, block_m=64, block_n=64, block_k=32, num_stages=2, threads=128):
    @T.prim_func
    def kernel(
        A: T.Tensor((M, K), T.float16),
        B: T.Tensor((K, N), T.float16),
        C: T.Tensor((M, N), T.float16),
    ):
        with T.Kernel(T.ceildiv(N, block_n), T.ceildiv(M, block_m), threads=threads) as (bx, by):
            a = T.alloc_shared((block_m, block_k), T.float16)
            b = T.alloc_shared((block_k, block_n), T.float16)
            acc = T.alloc_fragment((block_m, block_n), T.float32)
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(K, block_k), num_stages=num_stages):
                T.copy(A[by * block_m, k * block_k], a)
                T.copy(B[k * block_k, bx * block_n], b)
                T.gemm(a, b, acc)
            T.copy(acc, C[by * block_m, bx * block_n])

    return kernel


class Depth(enum.IntEnum):
    SHALLOW = 1
    DEEP = 3


class Plan:
    sizes = (1024, 1024, 1024)

    def __init__(self, depth):
        self._depth = depth

    @property
    def options(self):
        return {"num_stages": int(self._depth), "block_k": 32 if self._depth > 1 else 64}

    @classmethod
    def all(cls):
        return [cls(depth) for depth in Depth]


@functools.lru_cache(maxsize=None)
def build(depth):
    return matmul(*Plan.sizes, **Plan(depth).options)


def powers(limit):
    return [] if limit < 32 else [*powers(limit // 2), limit]


def counter(start):
    def step():
        nonlocal start
        start += 1
        return matmul(512, 512, 512, num_stages=start)

    return step


kernels = [matmul(*plan.sizes, **plan.options) for plan in Plan.all()]
kernels += [build(depth) for depth in Depth]
kernels += [matmul(512, 512, 512, block_m=m) for m in powers(128)]
kernels.append(counter(1)())

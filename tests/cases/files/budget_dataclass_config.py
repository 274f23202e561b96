# case: budget_dataclass_config
# about: The stage count is a field of a dataclass
# targets: sm_75 sm_80 sm_89
# expect: error shared-memory-overflow line=55 target=sm_75 need=73728 have=49152
# allow: shared-memory-overflow line=50

from dataclasses import dataclass, replace

import tilelang
import tilelang.language as T


@dataclass(frozen=True)
class Tiling:
    rows: int = 128
    columns: int = 64
    depth: int = 32
    stages: int = 3


@tilelang.jit(out_idx=[-1])
def matmul(M, N, K, tiling: Tiling):
    rows, columns, depth = tiling.rows, tiling.columns, tiling.depth

    @T.prim_func
    def kernel(
        A: T.Tensor[(M, K), T.float16],
        B: T.Tensor[(K, N), T.float16],
        C: T.Tensor[(M, N), T.float16],
    ):
        with T.Kernel(T.ceildiv(N, columns), T.ceildiv(M, rows), threads=128) as (bx, by):
            a = T.alloc_shared((rows, depth), T.float16)
            b = T.alloc_shared((depth, columns), T.float16)
            acc = T.alloc_fragment((rows, columns), T.float32)
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(K, depth), num_stages=tiling.stages):
                T.copy(A[by * rows, k * depth], a)
                T.copy(B[k * depth, bx * columns], b)
                T.gemm(a, b, acc)
            T.copy(acc, C[by * rows, bx * columns])

    return kernel


SMALL = Tiling()
DEEP = replace(SMALL, depth=64)


def build(tiling):
    return matmul(1024, 1024, 1024, tiling)


if __name__ == "__main__":
    build(SMALL)
    build(DEEP)

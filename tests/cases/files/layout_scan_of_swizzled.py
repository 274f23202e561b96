# case: layout_scan_of_swizzled
# about: a running sum over a tile that a product has read, so that it is swizzled
# targets: sm_80
# expect: error layout-conflict line=26

import tilelang
import tilelang.language as T


@T.prim_func
def main(
    A: T.Tensor((64, 64), T.float16),
    B: T.Tensor((64, 64), T.float16),
    C: T.Tensor((64, 64), T.float32),
    D: T.Tensor((64, 64), T.float16),
):
    with T.Kernel(1, threads=128):
        a = T.alloc_shared((64, 64), T.float16)
        b = T.alloc_shared((64, 64), T.float16)
        acc = T.alloc_fragment((64, 64), T.float32)
        T.copy(A, a)
        T.copy(B, b)
        T.clear(acc)
        T.gemm(a, b, acc)
        T.copy(acc, C)
        T.cumsum(a, dim=1)
        T.copy(a, D)


kernel = tilelang.compile(main, out_idx=[2, 3])

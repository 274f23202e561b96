# case: layout_two_policies_ok
# about: both products split the rows over the warps
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), T.float16), B: T.Tensor((64, 64), T.float16), C: T.Tensor((64, 64), T.float32)):
    with T.Kernel(1, threads=128):
        a = T.alloc_shared((64, 64), T.float16)
        b = T.alloc_shared((64, 64), T.float16)
        one = T.alloc_fragment((64, 64), T.float32)
        other = T.alloc_fragment((64, 64), T.float32)
        T.copy(A, a)
        T.copy(B, b)
        T.clear(one)
        T.clear(other)
        T.gemm(a, b, one, policy=T.GemmWarpPolicy.FullRow)
        T.gemm(b, a, other, policy=T.GemmWarpPolicy.FullRow)
        for i, j in T.Parallel(64, 64):
            one[i, j] += other[i, j]
        T.copy(one, C)


kernel = tilelang.compile(main, out_idx=-1)

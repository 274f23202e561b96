# case: init_other_ways
# about: Accumulators may start from a fill, a copy, a store in T.Parallel or a macro
# targets: sm_80 sm_90
# expect: clean

import tilelang
import tilelang.language as T


@T.macro
def start(acc):
    T.fill(acc, 0)


@tilelang.jit(out_idx=[2])
def product(how):
    @T.prim_func
    def kernel(A: T.Tensor((64, 64), T.float16), B: T.Tensor((64, 64), T.float16), C: T.Tensor((64, 64), T.float32)):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((64, 64), T.float16)
            b = T.alloc_shared((64, 64), T.float16)
            acc = T.alloc_fragment((64, 64), T.float32)
            T.copy(A, a)
            T.copy(B, b)
            if how == "fill":
                T.fill(acc, 0.0)
            elif how == "loop":
                for i, j in T.Parallel(64, 64):
                    acc[i, j] = 1.0
            elif how == "macro":
                start(acc)
            else:
                T.copy(C, acc)
            T.gemm(a, b, acc)
            T.copy(acc, C)

    return kernel


kernels = [product(how) for how in ("fill", "loop", "macro", "copy")]

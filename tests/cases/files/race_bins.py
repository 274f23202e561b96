# case: race_bins
# about: Iterations count into the same 16 bins without an atomic operation
# targets: sm_80 sm_90
# expect: error parallel-race line=18

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def histogram(N=1024):
    @T.prim_func
    def main(X: T.Tensor((N,), "int32"), H: T.Tensor((16,), "int32")):
        with T.Kernel(1, threads=128) as bx:
            counts = T.alloc_shared((16,), "int32")
            T.clear(counts)
            for i in T.Parallel(N):
                counts[i % 16] += X[i]
            T.copy(counts, H)

    return main


histogram()

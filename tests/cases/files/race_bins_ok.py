# case: race_bins_ok
# about: Same program without the mistake
# targets: sm_80 sm_90
# expect: clean

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
                T.atomic_add(counts[i % 16], X[i])
            T.copy(counts, H)

    return main


histogram()

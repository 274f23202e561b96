# case: race_shift_in_place_ok
# about: Same program without the mistake
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def shift(N=256):
    @T.prim_func
    def main(X: T.Tensor((N,), "float32"), Y: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=128) as bx:
            row = T.alloc_shared((N,), "float32")
            moved = T.alloc_shared((N,), "float32")
            T.copy(X, row)
            T.copy(row, moved)
            for i in T.Parallel(N - 1):
                moved[i] = row[i + 1]
            T.copy(moved, Y)

    return main


shift()

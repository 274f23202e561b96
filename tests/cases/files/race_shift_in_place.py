# case: race_shift_in_place
# about: A row is shifted in place: each iteration reads what its neighbour stores
# targets: sm_80
# expect: error parallel-race line=18

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def shift(N=256):
    @T.prim_func
    def main(X: T.Tensor((N,), "float32"), Y: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=128) as bx:
            row = T.alloc_shared((N,), "float32")
            T.copy(X, row)
            for i in T.Parallel(N - 1):
                row[i] = row[i + 1]
            T.copy(row, Y)

    return main


shift()

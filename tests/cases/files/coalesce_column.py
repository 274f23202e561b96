# case: coalesce_column
# about: neighbouring threads read from different rows of a tensor
# targets: sm_80
# expect: info uncoalesced-access line=14

import tilelang
import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((1024, 1024), T.float32), Y: T.Tensor((1024, 1024), T.float32)):
    with T.Kernel(1024, 8, threads=128) as (bx, by):
        lane = T.get_thread_binding()
        Y[bx, by * 128 + lane] = X[by * 128 + lane, bx]


kernel = tilelang.compile(main, out_idx=-1)

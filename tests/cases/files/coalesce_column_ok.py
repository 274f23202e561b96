# case: coalesce_column_ok
# about: they read neighbours
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((1024, 1024), T.float32), Y: T.Tensor((1024, 1024), T.float32)):
    with T.Kernel(1024, 8, threads=128) as (bx, by):
        lane = T.get_thread_binding()
        Y[bx, by * 128 + lane] = X[bx, by * 128 + lane]


kernel = tilelang.compile(main, out_idx=-1)

# case: bank_column_reads
# about: the threads of a warp read one column of a tile with 128 bytes a row
# targets: sm_80
# expect: info bank-conflict line=18

import tilelang
import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((32, 32), T.float32), Y: T.Tensor((32, 32), T.float32)):
    with T.Kernel(1, threads=32):
        lane = T.get_thread_binding()
        tile = T.alloc_shared((32, 32), T.float32)
        for i in T.serial(32):
            tile[i, lane] = X[i, lane]
        for j in T.serial(32):
            Y[j, lane] = tile[lane, j]


kernel = tilelang.compile(main, out_idx=-1)

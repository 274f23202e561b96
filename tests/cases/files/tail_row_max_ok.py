# case: tail_row_max_ok
# about: Same program without the mistake
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def row_max(N=1000):
    @T.prim_func
    def main(X: T.Tensor((64, N), "float32"), Y: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=128) as bx:
            tile = T.alloc_fragment((64, 64), "float32")
            top = T.alloc_fragment((64,), "float32")
            T.fill(top, -T.infinity("float32"))
            for k in T.serial(T.ceildiv(N, 64)):
                T.copy(X[0, k * 64], tile)
                for i, j in T.Parallel(64, 64):
                    tile[i, j] = T.if_then_else(k * 64 + j < N, tile[i, j], -T.infinity("float32"))
                T.reduce_max(tile, top, dim=1, clear=False)
            T.copy(top, Y)

    return main


row_max()

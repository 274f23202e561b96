# case: pipeline_filled_twice_ok
# about: Same program without the mistake
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def scale():
    @T.prim_func
    def main(X: T.Tensor((16, 128), "float32"), Y: T.Tensor((16, 128), "float32")):
        with T.Kernel(1, threads=128) as bx:
            tile = T.alloc_shared((128,), "float32")
            out = T.alloc_shared((128,), "float32")
            for k in T.Pipelined(16, num_stages=2):
                T.copy(X[k, 0], tile)
                for i in T.Parallel(128):
                    out[i] = tile[i] * 2.0
                T.copy(out, Y[k, 0])

    return main


scale()

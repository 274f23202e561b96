# case: wait_group_too_many_ok
# about: Same program without the mistake
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def stage(N=4096):
    @T.prim_func
    def main(X: T.Tensor((N,), "float32"), Y: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 1024), threads=128) as bx:
            one = T.alloc_shared((512,), "float32")
            two = T.alloc_shared((512,), "float32")
            T.async_copy(X[bx * 1024], one)
            T.async_copy(X[bx * 1024 + 512], two)
            T.ptx_wait_group(0)
            T.copy(two, Y[bx * 1024 + 512])
            T.ptx_wait_group(0)
            T.copy(one, Y[bx * 1024])

    return main


stage()

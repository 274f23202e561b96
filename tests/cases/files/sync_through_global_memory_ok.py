# case: sync_through_global_memory_ok
# about: Same program without the mistake
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit
def mirror(N=256):
    @T.prim_func
    def main(X: T.Tensor((N,), "float32"), Y: T.Tensor((N,), "float32"), W: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=N) as bx:
            tx = T.get_thread_binding()
            W[tx] = X[tx] * 2.0
            T.sync_threads()
            Y[tx] = W[N - 1 - tx]

    return main


mirror()

# case: program_unmodelled_names
# about: Names of other libraries and a name that nothing is near: at most a hint
# targets: sm_80
# expect: clean

import numpy as np
import tilelang
import tilelang.language as T

from some_private_library import choose_tile


@tilelang.jit(out_idx=[1])
def copy(N, block):
    @T.prim_func
    def kernel(X: T.Tensor((N,), T.float32), Y: T.Tensor((N,), T.float32)):
        with T.Kernel(T.ceildiv(N, block), threads=128) as bx:
            T.zzz_vendor_prefetch(X[bx * block])
            for i in T.Parallel(block):
                Y[bx * block + i] = X[bx * block + i]

    return kernel


f = copy(4096, choose_tile(np.float32))

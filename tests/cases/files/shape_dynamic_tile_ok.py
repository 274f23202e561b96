# case: shape_dynamic_tile_ok
# about: Same program without the mistake
# targets: sm_80
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit
def copy_rows(X):
    M = T.dynamic("M")
    X: T.Tensor[[M, 128], T.float16]
    Y = T.empty((M, 128), T.float16)
    with T.Kernel(T.ceildiv(M, 32), threads=128) as bx:
        tile = T.alloc_fragment((32, 128), T.float16)
        T.copy(X[bx * 32, 0], tile)
        T.copy(tile, Y[bx * 32, 0])
    return Y


f = copy_rows.compile()

# case: shape_dynamic_tile
# about: The register tile has as many rows as the tensor, which is known only when the kernel runs
# targets: sm_80
# expect: error dynamic-tile-shape line=16

import tilelang
import tilelang.language as T


@tilelang.jit
def copy_rows(X):
    M = T.dynamic("M")
    X: T.Tensor[[M, 128], T.float16]
    Y = T.empty((M, 128), T.float16)
    with T.Kernel(1, threads=128):
        tile = T.alloc_fragment((M, 128), T.float16)
        T.copy(X, tile)
        T.copy(tile, Y)
    return Y


f = copy_rows.compile()

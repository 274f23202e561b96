# case: misspelt_name
# about: T.reduce_sums does not exist. The finding names the function that was meant, without a call of the kernel.
# targets: sm_75 sm_80 sm_89 sm_90
# expect: error unknown-name line=18

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def row_sum(M: int, N: int, block: int = 4):
    @T.prim_func
    def kernel(X: T.Tensor[(M, N), T.float16], Y: T.Tensor[(M,), T.float32]):
        with T.Kernel(T.ceildiv(M, block), threads=128) as bx:
            tile = T.alloc_fragment((block, N), T.float32)
            total = T.alloc_fragment((block,), T.float32)
            T.copy(X[bx * block, 0], tile)
            T.reduce_sums(tile, total, dim=1)
            T.copy(total, Y[bx * block])

    return kernel

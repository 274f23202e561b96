# case: dtype_wgmma_before_hopper
# about: T.wgmma_gemm is an instruction of sm_90
# targets: sm_80 sm_90
# expect: error unsupported-instruction line=21 target=sm_80

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[2])
def tile_product():
    @T.prim_func
    def kernel(A: T.Tensor((64, 64), T.float16), B: T.Tensor((64, 64), T.float16), C: T.Tensor((64, 64), T.float32)):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((64, 64), T.float16)
            b = T.alloc_shared((64, 64), T.float16)
            acc = T.alloc_fragment((64, 64), T.float32)
            T.copy(A, a)
            T.copy(B, b)
            T.clear(acc)
            T.wgmma_gemm(a, b, acc)
            T.wait_wgmma(0)
            T.copy(acc, C)

    return kernel


f = tile_product()

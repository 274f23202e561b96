# case: dtype_gemm_operands_differ
# about: The activations were cast to bfloat16, the weights are float16
# targets: sm_80 sm_90
# expect: error gemm-dtype-mismatch line=26

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def linear(M, N, K, act=T.bfloat16, weight=T.float16):
    @T.prim_func
    def kernel(
        X: T.Tensor((M, K), act),
        W: T.Tensor((N, K), weight),
        Y: T.Tensor((M, N), T.float32),
    ):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            x = T.alloc_shared((64, 32), act)
            w = T.alloc_shared((64, 32), weight)
            acc = T.alloc_fragment((64, 64), T.float32)
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                T.copy(X[by * 64, k * 32], x)
                T.copy(W[bx * 64, k * 32], w)
                T.gemm(x, w, acc, transpose_B=True)
            T.copy(acc, Y[by * 64, bx * 64])

    return kernel


f = linear(512, 512, 512)

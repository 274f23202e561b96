"""A factory of kernels with annotations in the subscript form."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1], pass_configs={tilelang.PassConfigKey.TL_DISABLE_TMA_LOWER: True})
def matmul(
    M: int, N: int, K: int, block_M: int = 128, block_N: int = 128, block_K: int = 32, dtype: T.dtype = T.float16
):
    accum = T.float32

    @T.prim_func
    def kernel(
        A: T.Tensor[(M, K), dtype],
        B: T.Tensor[[K, N], dtype],
        bias: T.Tensor[(N,), T.float32],
        C: T.Tensor[(M, N), T.float16],
        scale: T.float32,
        length: T.int32,
    ):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            A_s = T.alloc_shared((block_M, block_K), dtype)
            B_s = T.alloc_shared([block_K, block_N], dtype)
            acc = T.alloc_fragment((block_M, block_N), accum)
            row_max = T.alloc_fragment((block_M,), accum)
            T.annotate_layout({A_s: tilelang.layout.make_swizzled_layout(A_s)})
            T.use_swizzle(panel_size=10)
            T.clear(acc)
            T.fill(row_max, -T.infinity(accum))
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=3):
                T.copy(A[by * block_M, k * block_K], A_s)
                T.copy(B[k * block_K : (k + 1) * block_K, bx * block_N : (bx + 1) * block_N], B_s)
                T.gemm(A_s, B_s, acc, transpose_B=False, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(block_M, block_N):
                acc[i, j] *= scale
                acc[i, j] += bias[bx * block_N + j]
                acc[i, j] = T.if_then_else(bx * block_N + j < length, T.max(acc[i, j], 0), 0.0)
            T.reduce_max(acc, row_max, dim=1, clear=False)
            for i in T.serial(4):
                row_max[i] = T.exp2(row_max[i] * 1.44 - T.log2(row_max[i]))
            T.copy(acc, C[by * block_M, bx * block_N])

    return kernel


kernel = matmul(1024, 1024, 1024)
profiler = kernel.get_profiler()
print(kernel.get_kernel_source(), T.float16.bits, T.float16(1.0), T.float32 == "float32")

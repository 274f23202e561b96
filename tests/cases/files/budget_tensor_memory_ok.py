# case: budget_tensor_memory_ok
# about: Same program without the mistake
# targets: sm_100
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-2, -1])
def products(N, K=64):
    @T.prim_func
    def kernel(
        A: T.Tensor((128, K), T.bfloat16),
        B: T.Tensor((N, K), T.bfloat16),
        C: T.Tensor((128, N), T.float32),
        D: T.Tensor((128, N), T.float32),
    ):
        with T.Kernel(1, threads=256):
            a = T.alloc_shared((128, K), T.bfloat16)
            b = T.alloc_shared((N, K), T.bfloat16)
            done = T.alloc_barrier(1)
            first = T.alloc_tmem([128, N], T.float32)
            second = T.alloc_tmem([128, N], T.float32)
            spare = T.alloc_tmem([128, 128], T.float32)
            result = T.alloc_fragment((128, N), T.float32)
            T.copy(A, a)
            T.copy(B, b)
            T.tcgen05_gemm(a, b, first, transpose_B=True, mbar=done, clear_accum=True)
            T.mbarrier_wait_parity(done, 0)
            T.copy(first, result)
            T.copy(result, C)
            T.tcgen05_gemm(a, b, second, transpose_B=True, mbar=done, clear_accum=True)
            T.mbarrier_wait_parity(done, 1)
            T.copy(second, result)
            T.copy(result, D)
            T.tcgen05_gemm(a, b[0:128, 0:K], spare, transpose_B=True, mbar=done, clear_accum=True)
            T.mbarrier_wait_parity(done, 0)
            T.copy(spare, result[0:128, 0:128])
            T.copy(result[0:128, 0:128], D[0:128, 0:128])

    return kernel


f = products(128)

# case: race_split_k
# about: Every block of a split-K product stores its partial sum in the same tile
# targets: sm_80 sm_90
# expect: error block-race line=23

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def split_k(K=1024, parts=4):
    @T.prim_func
    def main(A: T.Tensor((64, K), "float16"), B: T.Tensor((K, 64), "float16"), C: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, parts, threads=128) as (bx, part):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            acc = T.alloc_fragment((64, 64), "float32")
            T.clear(acc)
            for k in T.Pipelined(K // parts // 32, num_stages=2):
                T.copy(A[0, part * (K // parts) + k * 32], a)
                T.copy(B[part * (K // parts) + k * 32, 0], b)
                T.gemm(a, b, acc)
            T.copy(acc, C)

    return main


split_k()

# case: pipeline_stages_on_turing
# about: Three stages on a GPU without asynchronous copies cost memory and overlap nothing
# targets: sm_75 sm_80
# expect: info stages-without-async line=21 target=sm_75

import tilelang
import tilelang.language as T


@tilelang.jit
def column_means(X, stages: int = 3):
    M, N = T.const("M, N")
    X: T.Tensor[[M, N], T.float16]
    Y = T.empty((N,), T.float32)
    with T.Kernel(T.ceildiv(N, 128), threads=128) as bx:
        tile = T.alloc_shared((16, 128), T.float16)
        wide = T.alloc_fragment((16, 128), T.float32)
        part = T.alloc_fragment((128,), T.float32)
        total = T.alloc_fragment((128,), T.float32)
        T.clear(total)
        for k in T.Pipelined(T.ceildiv(M, 16), num_stages=stages):
            T.copy(X[k * 16, bx * 128], tile)
            T.copy(tile, wide)
            T.reduce_sum(wide, part, dim=0)
            for j in T.Parallel(128):
                total[j] += part[j]
        for j in T.Parallel(128):
            Y[bx * 128 + j] = total[j] / M
    return Y


f = column_means.compile(M=1024, N=512)

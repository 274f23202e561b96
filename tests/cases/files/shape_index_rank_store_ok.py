# case: shape_index_rank_store_ok
# about: Same program without the mistake
# targets: sm_75 sm_80
# expect: clean

import tilelang
import tilelang.language as T


@tilelang.jit
def pack(X):
    B, S, H = T.const("B, S, H")
    X: T.Tensor[[B, S, H], T.float16]
    Y = T.empty((B * S, H), T.float16)
    with T.Kernel(B, S, threads=128) as (b, s):
        for h in T.Parallel(H):
            Y[b * S + s, h] = X[b, s, h]
    return Y


f = pack.compile(B=2, S=64, H=256)

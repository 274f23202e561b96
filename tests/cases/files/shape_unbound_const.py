# case: shape_unbound_const
# about: K is declared and used, but no argument has it in its shape
# targets: sm_80
# expect: error unbound-const line=14
# allow: unbound-const line=18

import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def outer(a, b):
    M, N, K = T.const("M, N, K")
    a: T.Tensor[[M], T.float32]
    b: T.Tensor[[N], T.float32]
    c = T.empty((M, N), T.float32)
    with T.Kernel(T.ceildiv(K, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
        for i, j in T.Parallel(64, 64):
            c[by * 64 + i, bx * 64 + j] = a[by * 64 + i] * b[bx * 64 + j]
    return c


outer(torch.ones(256, device="cuda"), torch.ones(512, device="cuda"))

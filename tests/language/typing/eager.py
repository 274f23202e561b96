"""An eager kernel: sizes are found in the tensors of the call."""

import tilelang
import tilelang.language as T


@tilelang.jit
def rms_norm(X: T.Tensor[[int, int], T.bfloat16], W: T.Tensor[[int], T.bfloat16], eps: float = 1e-6):
    M, N = T.const("M, N")
    Y = T.empty((M, N), T.bfloat16)
    with T.Kernel(M, threads=256) as bx:
        row = T.alloc_fragment((N,), T.float32)
        square = T.alloc_fragment((N,), T.float32)
        total = T.alloc_fragment((1,), T.float32)
        count = T.alloc_var(T.int32, init=0)
        T.copy(X[bx, 0:N], row)
        for i in T.Parallel(N):
            square[i] = row[i] * row[i]
        T.reduce_sum(square, total, dim=0)
        count += 1
        for i in T.Parallel(N):
            row[i] = row[i] * T.rsqrt(total[0] / N + eps) * T.cast(W[i], T.float32)
            if count > 0 and i < N // 2:
                row[i] = -row[i]
        T.copy(row, Y[bx, :])
    return Y


@T.macro
def add_one(x: T.Tensor[(4,), T.float32], n: T.int32):
    for i in T.unroll(n):
        x[i] = x[i] + T.float32(1)


@T.prim_func
def counters(A: T.Tensor[(128,), T.int32], table: T.Tensor[(4,), T.float32], p: T.ptr):
    with T.Kernel(1, threads=(32, 4)) as _:
        tx = T.get_thread_binding(0)
        lane = tx % 32
        word = (lane << 2) | 3
        local = T.alloc_local((4,), T.int32)
        local[0] = word ^ (tx & 1)
        old = T.atomic_add(A[tx], local[0], return_prev=True)
        A[lane] = old + T.shfl_xor(local[0], 16)
        add_one(table, 4)
        while local[0] > 3:
            local[0] = local[0] - 1
        view = T.view(A, (64, 2))
        B = T.make_tensor(p, (128,), T.float32)
        T.copy(B, table)
        T.sync_threads()
        T.print(view, msg="view")

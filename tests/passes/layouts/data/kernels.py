"""Small kernels whose layouts are known from the upstream compiler (0.1.15). Only evaluated, never imported."""

# ruff: noqa
import tilelang
import tilelang.language as T

F16, F32 = "float16", "float32"


@tilelang.jit
def gemm():
    @T.prim_func
    def main(A: T.Tensor((64, 32), F16), B: T.Tensor((32, 64), F16), C: T.Tensor((64, 64), F32)):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((64, 32), F16)
            b = T.alloc_shared((32, 64), F16)
            c = T.alloc_fragment((64, 64), F32)
            T.copy(A, a)
            T.copy(B, b)
            T.clear(c)
            T.gemm(a, b, c)
            T.copy(c, C)

    return main


@tilelang.jit
def softmax_rows():
    @T.prim_func
    def main(A: T.Tensor((64, 64), F16), C: T.Tensor((64, 64), F32)):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((64, 64), F16)
            s = T.alloc_fragment((64, 64), F32)
            top = T.alloc_fragment((64,), F32)
            T.copy(A, a)
            T.clear(s)
            T.gemm(a, a, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
            T.reduce_max(s, top, dim=1)
            for i, j in T.Parallel(64, 64):
                s[i, j] = T.exp2(s[i, j] - top[i])
            T.copy(s, C)

    return main


@tilelang.jit
def operand_in_registers():
    @T.prim_func
    def main(A: T.Tensor((64, 64), F16), C: T.Tensor((64, 64), F32)):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((64, 64), F16)
            p = T.alloc_fragment((64, 64), F16)
            o = T.alloc_fragment((64, 64), F32)
            T.copy(A, a)
            T.copy(A, p)
            T.clear(o)
            T.gemm(p, a, o, policy=T.GemmWarpPolicy.FullRow)
            T.copy(o, C)

    return main


@tilelang.jit
def elementwise():
    @T.prim_func
    def main(A: T.Tensor((64, 64), F16), C: T.Tensor((64, 64), F16)):
        with T.Kernel(1, threads=128):
            x = T.alloc_fragment((64, 64), F16)
            T.copy(A, x)
            for i, j in T.Parallel(64, 64):
                x[i, j] = x[i, j] * 2
            T.copy(x, C)

    return main


@tilelang.jit
def odd_width():
    @T.prim_func
    def main(A: T.Tensor((64, 1004), F16), C: T.Tensor((64, 1004), F16)):
        with T.Kernel(1, threads=128):
            x = T.alloc_fragment((64, 64), F16)
            T.copy(A[0, 0], x)
            T.copy(x, C[0, 0])

    return main


@tilelang.jit
def few_elements():
    @T.prim_func
    def main(A: T.Tensor((32,), F32), C: T.Tensor((32,), F32)):
        with T.Kernel(1, threads=128):
            x = T.alloc_fragment((32,), F32)
            T.copy(A, x)
            T.copy(x, C)

    return main


@tilelang.jit
def serial_index():
    @T.prim_func
    def main(A: T.Tensor((8, 128), F32), C: T.Tensor((128,), F32)):
        with T.Kernel(1, threads=128):
            x = T.alloc_fragment((8, 128), F32)
            y = T.alloc_fragment((128,), F32)
            T.copy(A, x)
            T.clear(y)
            for k in T.serial(8):
                for i in T.Parallel(128):
                    y[i] += x[k, i]
            T.copy(y, C)

    return main


@tilelang.jit
def reducer():
    @T.prim_func
    def main(A: T.Tensor((64, 64), F32), C: T.Tensor((64,), F32)):
        with T.Kernel(1, threads=128):
            total = T.alloc_reducer((64,), F32, op="sum", replication="all")
            x = T.alloc_fragment((64, 64), F32)
            T.copy(A, x)
            T.fill(total, 0)
            for i, j in T.Parallel(64, 64):
                total[i] += x[i, j]
            T.finalize_reducer(total)
            T.copy(total, C)

    return main


@tilelang.jit
def given():
    @T.prim_func
    def main(A: T.Tensor((128, 32), F32), C: T.Tensor((128, 32), F32)):
        with T.Kernel(1, threads=128):
            s = T.alloc_shared((128, 32), F32)
            x = T.alloc_fragment((128, 32), F32)
            T.annotate_layout(
                {
                    s: T.Layout((128, 32), lambda i, j: i * 36 + j),
                    x: T.Fragment((128, 32), forward_fn=lambda i, j: (i, j)),
                }
            )
            T.copy(A, s)
            T.copy(s, x)
            T.copy(x, C)

    return main


@tilelang.jit
def two_policies():
    @T.prim_func
    def main(A: T.Tensor((64, 64), F16), C: T.Tensor((64, 64), F32)):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((64, 64), F16)
            c = T.alloc_fragment((64, 64), F32)
            T.copy(A, a)
            T.clear(c)
            T.gemm(a, a, c, policy=T.GemmWarpPolicy.FullRow)
            T.gemm(a, a, c, policy=T.GemmWarpPolicy.FullCol)
            T.copy(c, C)

    return main


@tilelang.jit
def nothing_says():
    @T.prim_func
    def main(C: T.Tensor((64, 64), F32)):
        with T.Kernel(1, threads=128):
            c = T.alloc_fragment((64, 64), F32)
            T.clear(c)

    return main


@tilelang.jit
def sparse():
    @T.prim_func
    def main(
        A: T.Tensor((64, 32), F16),
        E: T.Tensor((64, 4), "int16"),
        B: T.Tensor((64, 64), F16),
        C: T.Tensor((64, 64), F32),
    ):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((64, 32), F16)
            e = T.alloc_shared((64, 4), "int16")
            b = T.alloc_shared((64, 64), F16)
            c = T.alloc_fragment((64, 64), F32)
            T.copy(A, a)
            T.copy(E, e)
            T.copy(B, b)
            T.clear(c)
            T.gemm_sp(a, e, b, c)
            T.copy(c, C)

    return main


@tilelang.jit
def into_tensor_memory():
    @T.prim_func
    def main(A: T.Tensor((64, 64), "bfloat16"), B: T.Tensor((64, 128), "bfloat16"), C: T.Tensor((64, 128), F32)):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((64, 64), "bfloat16")
            b = T.alloc_shared((64, 128), "bfloat16")
            c = T.alloc_tmem((64, 128), F32)
            done = T.alloc_barrier(1)
            T.copy(A, a)
            T.copy(B, b)
            T.tcgen05_gemm(a, b, c, mbar=done, clear_accum=True)
            T.mbarrier_wait_parity(done, 0)

    return main


@tilelang.jit
def reducer_without_fragments():
    @T.prim_func
    def main(A: T.Tensor((128, 128), F32), C: T.Tensor((128,), F32)):
        with T.Kernel(1, threads=256):
            total = T.alloc_reducer((128,), F32, op="sum", replication="all")
            T.clear(total)
            for i, j in T.Parallel(128, 128):
                total[i] += A[i, j]
            T.finalize_reducer(total)
            T.copy(total, C)

    return main

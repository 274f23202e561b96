# case: program_out_idx_input
# about: tilelang.compile is told that the first tensor is the result; the kernel only reads it
# targets: sm_80
# expect: error invalid-out-idx line=23

import tilelang
import tilelang.language as T


def cast(N, source, target):
    @T.prim_func
    def main(X: T.Tensor((N,), source), Y: T.Tensor((N,), target)):
        with T.Kernel(T.ceildiv(N, 512), threads=128) as bx:
            part = T.alloc_fragment((512,), source)
            T.copy(X[bx * 512], part)
            T.copy(part, Y[bx * 512])

    return main


if __name__ == "__main__":
    program = cast(1 << 20, "float32", "float16")
    kernel = tilelang.compile(program, out_idx=[0])

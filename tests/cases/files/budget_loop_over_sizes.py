# case: budget_loop_over_sizes
# about: The loop in main builds one kernel for each size; the last does not fit a T4
# targets: sm_75 sm_86
# expect: error shared-memory-overflow line=29 target=sm_75 need=65536 have=49152

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def row_sum(M, N, dtype="float16"):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), dtype), S: T.Tensor((M,), "float32")):
        with T.Kernel(M, threads=256) as row:
            line = T.alloc_shared((1, N), dtype)
            wide = T.alloc_fragment((1, N), "float32")
            total = T.alloc_fragment((1,), "float32")
            T.copy(X[row, 0], line)
            T.copy(line, wide)
            T.reduce_sum(wide, total, dim=1)
            T.copy(total, S[row])

    return kernel


def main():
    kernels = {}
    for exponent in range(10, 16):
        kernels[exponent] = row_sum(512, 1 << exponent)
    return kernels


if __name__ == "__main__":
    main()

# case: language_python_at_compile_time
# about: Comprehensions, helper functions, f-strings, try, assert and loops over lists are plain Python here
# targets: sm_75 sm_80 sm_90
# expect: clean

import operator

import tilelang
import tilelang.language as T

OPERATIONS = {"add": operator.add, "mul": operator.mul}


def largest_power(limit):
    value = 1
    while value * 2 <= limit:
        value *= 2
    return value


@tilelang.jit(out_idx=[-1])
def fold(N, inputs, op="add", unroll=True):
    assert op in OPERATIONS, f"no operation {op!r}"
    combine = OPERATIONS[op]
    block = min(largest_power(N), 512)
    try:
        steps = {True: T.unroll, False: T.serial}[unroll]
    except KeyError:
        steps = T.serial

    @T.prim_func
    def kernel(X: T.Tensor((inputs, N), T.float32), Y: T.Tensor((N,), T.float32)):
        with T.Kernel(T.ceildiv(N, block), threads=128) as bx:
            acc = T.alloc_fragment((block,), T.float32)
            T.copy(X[0, bx * block], acc)
            for step in steps(inputs - 1):
                for i in T.Parallel(block):
                    acc[i] = combine(acc[i], X[step + 1, bx * block + i])
            T.copy(acc, Y[bx * block])

    return kernel


kernels = {(n, op): fold(n, 3, op) for n in (512, 4096) for op in OPERATIONS}

# case: shape_call_of_kernel
# about: The compiled kernel is called with a tensor of another size than it was built for
# targets: sm_80
# expect: error call-shape-mismatch line=25

import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[1])
def square(N):
    @T.prim_func
    def kernel(X: T.Tensor((N,), T.float32), Y: T.Tensor((N,), T.float32)):
        with T.Kernel(T.ceildiv(N, 256), threads=256) as bx:
            for i in T.Parallel(256):
                Y[bx * 256 + i] = X[bx * 256 + i] * X[bx * 256 + i]

    return kernel


def main():
    kernel = square(4096)
    x = torch.randn(2048, device="cuda", dtype=torch.float32)
    print(kernel(x))


if __name__ == "__main__":
    main()

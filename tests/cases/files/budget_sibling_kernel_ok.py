# case: budget_sibling_kernel_ok
# about: Same program without the mistake
# targets: sm_75 sm_89
# expect: clean

from shared_kernels import matmul

KERNEL = matmul(4096, 4096, 4096, 128, 128, 32, num_stages=2)

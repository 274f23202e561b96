# case: budget_sibling_kernel
# about: The kernel lives in a file beside this one; the values that do not fit are given here
# targets: sm_75 sm_89
# expect: error shared-memory-overflow line=9 target=sm_75 need=131072 have=49152
# expect: error shared-memory-overflow line=9 target=sm_89 need=131072 have=101376

from shared_kernels import matmul

KERNEL = matmul(4096, 4096, 4096, 128, 128, 64, num_stages=4)

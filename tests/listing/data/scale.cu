#line 1 "tilelang_prologue.cuh"
// One helper, which the compiler inlines.
__device__ __forceinline__ float twice(float x) {
  return x * 2.0f + 1.0f;
}
#line 5 "/home/me/kernel.py"
extern "C" __global__ void __launch_bounds__(128) scale(const float* __restrict__ A, float* __restrict__ B, int n) {
#line 8 "/home/me/kernel.py"
  __shared__ float smem[256];
#line 9 "/home/me/kernel.py"
  int i = blockIdx.x * 128 + threadIdx.x;
#line 10 "/home/me/kernel.py"
  smem[threadIdx.x] = twice(A[i]);
#line 11 "/home/me/kernel.py"
  __syncthreads();
#line 12 "/home/me/kernel.py"
  for (int j = 0; j < n; ++j) {
#line 13 "/home/me/kernel.py"
    smem[threadIdx.x] = twice(smem[(threadIdx.x + j) & 127]);
  }
#line 14 "/home/me/kernel.py"
  B[i] = smem[threadIdx.x] + 1.0f;
}

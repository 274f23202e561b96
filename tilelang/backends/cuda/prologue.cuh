// What generated kernels stand on. No includes, so that the run-time compiler has little to read.
#define CUDART_INF_F __int_as_float(0x7f800000)
#define inff CUDART_INF_F
#define CUDART_INF __longlong_as_double(0x7ff0000000000000ll)
#define CUDART_NAN_F __int_as_float(0x7fffffff)
#define CUDART_NAN __longlong_as_double(0xfff8000000000000ll)
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;

#define TL_DEVICE static __device__ __forceinline__
#define tl_return return

// --- 16-bit floats ---------------------------------------------------------------------------------------------

struct __align__(2) half {
  unsigned short bits;
  half() = default;
  __device__ __forceinline__ half(float value) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value)); }
  __device__ __forceinline__ operator float() const {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
  }
};
typedef half float16_t;
TL_DEVICE half __float2half_rn(float value) { return half(value); }
TL_DEVICE half __float2half(float value) { return half(value); }
TL_DEVICE float __half2float(half value) { return float(value); }

struct __align__(2) nv_bfloat16 {
  unsigned short bits;
  nv_bfloat16() = default;
  __device__ __forceinline__ nv_bfloat16(float value) {
#if __CUDA_ARCH__ >= 800
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
#else
    unsigned whole = __float_as_uint(value);
    bits = value != value ? 0x7fff : (unsigned short)((whole + 0x7fff + ((whole >> 16) & 1)) >> 16);
#endif
  }
  __device__ __forceinline__ operator float() const { return __uint_as_float((unsigned)bits << 16); }
};
typedef nv_bfloat16 __nv_bfloat16;
typedef nv_bfloat16 bfloat16_t;
TL_DEVICE nv_bfloat16 __float2bfloat16_rn(float value) { return nv_bfloat16(value); }
TL_DEVICE nv_bfloat16 __float2bfloat16(float value) { return nv_bfloat16(value); }
TL_DEVICE float __bfloat162float(nv_bfloat16 value) { return float(value); }

namespace tl {

// --- small floats ----------------------------------------------------------------------------------------------

// EXPONENT and MANTISSA bits; FINITE formats have no infinity and one NaN pattern; UNSIGNED_ZERO formats (fnuz) have
// NaN in place of the negative zero and one more bias.
template <int EXPONENT, int MANTISSA, bool FINITE, bool UNSIGNED_ZERO>
TL_DEVICE float decode_small(unsigned bits) {
  const int bias = (1 << (EXPONENT - 1)) - 1 + (UNSIGNED_ZERO ? 1 : 0);
  const unsigned sign = (bits >> (EXPONENT + MANTISSA)) & 1;
  const unsigned exponent = (bits >> MANTISSA) & ((1u << EXPONENT) - 1);
  const unsigned mantissa = bits & ((1u << MANTISSA) - 1);
  const unsigned top = (1u << EXPONENT) - 1;
  float value;
  if (UNSIGNED_ZERO && sign && !exponent && !mantissa) {
    value = __uint_as_float(0x7fc00000);
  } else if (!UNSIGNED_ZERO && EXPONENT > 2 && exponent == top && (FINITE ? mantissa == (1u << MANTISSA) - 1 : true)) {
    value = FINITE || mantissa ? __uint_as_float(0x7fc00000) : __uint_as_float(0x7f800000);
  } else if (exponent == 0) {
    value = (float)mantissa * __uint_as_float((unsigned)(127 + 1 - bias - MANTISSA) << 23);
  } else {
    value = __uint_as_float(((exponent + 127 - bias) << 23) | (mantissa << (23 - MANTISSA)));
  }
  return sign && value == value ? -value : value;
}

// Rounds to the nearest, ties to even, and saturates.
template <int EXPONENT, int MANTISSA, bool FINITE, bool UNSIGNED_ZERO>
TL_DEVICE unsigned char encode_small(float value) {
  const int bias = (1 << (EXPONENT - 1)) - 1 + (UNSIGNED_ZERO ? 1 : 0);
  const unsigned top = (1u << EXPONENT) - 1;
  const unsigned largest = UNSIGNED_ZERO || EXPONENT == 2 ? (top << MANTISSA) | ((1u << MANTISSA) - 1)
                           : FINITE ? (top << MANTISSA) | ((1u << MANTISSA) - 2)
                                    : ((top - 1) << MANTISSA) | ((1u << MANTISSA) - 1);
  const unsigned whole = __float_as_uint(value);
  const unsigned sign = whole >> 31;
  if (value != value) {
    if (UNSIGNED_ZERO) return (unsigned char)(1u << (EXPONENT + MANTISSA));
    return (unsigned char)((1u << (EXPONENT + MANTISSA)) - 1);
  }
  const float magnitude = __uint_as_float(whole & 0x7fffffff);
  const float smallest = __uint_as_float((unsigned)(127 + 1 - bias) << 23);
  unsigned code;
  if (magnitude < smallest) {
    code = (unsigned)__float2int_rn(magnitude * __uint_as_float((unsigned)(127 - 1 + bias + MANTISSA) << 23));
  } else {
    const unsigned rest = whole & 0x7fffffff;
    const unsigned rounded = rest + ((1u << (22 - MANTISSA)) - 1) + ((rest >> (23 - MANTISSA)) & 1);
    const int exponent = (int)(rounded >> 23) - 127 + bias;
    code = exponent > (int)top ? largest : ((unsigned)exponent << MANTISSA) | ((rounded >> (23 - MANTISSA)) & ((1u << MANTISSA) - 1));
    if (code > largest) code = largest;
  }
  if (UNSIGNED_ZERO && code == 0) return 0;
  return (unsigned char)(code | (sign << (EXPONENT + MANTISSA)));
}

#if __CUDA_ARCH__ >= 890
TL_DEVICE unsigned char encode_e4m3fn(float value) {
  unsigned short pair;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(value));
  return (unsigned char)pair;
}
TL_DEVICE unsigned char encode_e5m2(float value) {
  unsigned short pair;
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(value));
  return (unsigned char)pair;
}
TL_DEVICE float decode_e4m3fn(unsigned char bits) {
  unsigned pair;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"((unsigned short)bits));
  half low;
  low.bits = (unsigned short)pair;
  return float(low);
}
TL_DEVICE float decode_e5m2(unsigned char bits) {
  half low;
  low.bits = (unsigned short)(bits << 8);
  return float(low);
}
#else
TL_DEVICE unsigned char encode_e4m3fn(float value) { return encode_small<4, 3, true, false>(value); }
TL_DEVICE unsigned char encode_e5m2(float value) { return encode_small<5, 2, false, false>(value); }
TL_DEVICE float decode_e4m3fn(unsigned char bits) { return decode_small<4, 3, true, false>(bits); }
TL_DEVICE float decode_e5m2(unsigned char bits) { return decode_small<5, 2, false, false>(bits); }
#endif
TL_DEVICE unsigned char encode_e4m3fnuz(float value) { return encode_small<4, 3, true, true>(value); }
TL_DEVICE unsigned char encode_e5m2fnuz(float value) { return encode_small<5, 2, true, true>(value); }
TL_DEVICE float decode_e4m3fnuz(unsigned char bits) { return decode_small<4, 3, true, true>(bits); }
TL_DEVICE float decode_e5m2fnuz(unsigned char bits) { return decode_small<5, 2, true, true>(bits); }
TL_DEVICE unsigned char encode_e2m1(float value) { return value != value ? 7 : encode_small<2, 1, true, false>(value); }
TL_DEVICE float decode_e2m1(unsigned char bits) { return decode_small<2, 1, true, false>(bits & 15); }
TL_DEVICE float decode_e8m0(unsigned char bits) {
  return bits == 255 ? __uint_as_float(0x7fc00000) : bits ? __uint_as_float((unsigned)bits << 23) : __uint_as_float(0x00400000);
}
TL_DEVICE unsigned char encode_e8m0(float value) {
  const unsigned whole = __float_as_uint(value) & 0x7fffffff;
  if (value != value) return 255;
  const unsigned rounded = (whole + 0x3fffff + ((whole >> 23) & 1)) >> 23;
  return (unsigned char)(rounded > 254 ? 254 : rounded);
}

// --- moving bytes ----------------------------------------------------------------------------------------------

template <int BYTES> struct Word;
template <> struct Word<1> { typedef unsigned char type; };
template <> struct Word<2> { typedef unsigned short type; };
template <> struct Word<4> { typedef unsigned type; };
template <> struct Word<8> { typedef uint2 type; };
template <> struct Word<16> { typedef uint4 type; };

template <int BYTES> TL_DEVICE void copy(void* target, const void* source) {
  typedef typename Word<BYTES>::type T;
  *(T*)target = *(const T*)source;
}
template <typename T> TL_DEVICE void clear(T& value) { value = 0; }
TL_DEVICE void clear(uint2& value) { value = make_uint2(0, 0); }
TL_DEVICE void clear(uint4& value) { value = make_uint4(0, 0, 0, 0); }
template <int BYTES> TL_DEVICE void copy_or_zero(void* target, const void* source, bool inside) {
  typename Word<BYTES>::type value;
  clear(value);
  if (inside) value = *(const typename Word<BYTES>::type*)source;
  *(typename Word<BYTES>::type*)target = value;
}
// Threads may own the two halves of one byte: in memory that they share, each changes its own half only.
TL_DEVICE void store_shared_nibble(uint8_t* base, long long index, uint8_t value) {
  const unsigned long long place = (unsigned long long)(base + (index >> 1));
  unsigned* word = (unsigned*)(place & ~3ull);
  const int shift = (int)(place & 3) * 8 + (int)(index & 1) * 4;
  atomicAnd(word, ~(15u << shift));
  atomicOr(word, (value & 15u) << shift);
}
TL_DEVICE void store_nibble(uint8_t* base, long long index, uint8_t value) {
  const int shift = (int)(index & 1) * 4;
  base[index >> 1] = (uint8_t)((base[index >> 1] & ~(15 << shift)) | ((value & 15) << shift));
}
TL_DEVICE uint8_t load_nibble(const uint8_t* base, long long index) { return (base[index >> 1] >> ((index & 1) * 4)) & 15; }

TL_DEVICE unsigned shared_address(const void* pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }

template <int BYTES> TL_DEVICE void cp_async(void* target, const void* source) {
  const unsigned to = shared_address(target);
  if (BYTES == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(source) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(source), "n"(BYTES) : "memory");
}
// Zeros where the source does not exist.
template <int BYTES> TL_DEVICE void cp_async(void* target, const void* source, bool inside) {
  const unsigned to = shared_address(target);
  const int size = inside ? BYTES : 0;
  if (BYTES == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(source), "r"(size) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(source), "n"(BYTES), "r"(size) : "memory");
}
TL_DEVICE void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int GROUPS> TL_DEVICE void cp_async_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(GROUPS) : "memory"); }

// --- matrix instructions ---------------------------------------------------------------------------------------

TL_DEVICE void ldmatrix_x1(void* target, const void* source) {
  unsigned* d = (unsigned*)target;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(d[0]) : "r"(shared_address(source)));
}
TL_DEVICE void ldmatrix_x2(void* target, const void* source) {
  unsigned* d = (unsigned*)target;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(d[0]), "=r"(d[1]) : "r"(shared_address(source)));
}
TL_DEVICE void ldmatrix_x4(void* target, const void* source) {
  unsigned* d = (unsigned*)target;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(shared_address(source)));
}
TL_DEVICE void ldmatrix_x1_trans(void* target, const void* source) {
  unsigned* d = (unsigned*)target;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(d[0]) : "r"(shared_address(source)));
}
TL_DEVICE void ldmatrix_x2_trans(void* target, const void* source) {
  unsigned* d = (unsigned*)target;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(d[0]), "=r"(d[1]) : "r"(shared_address(source)));
}
TL_DEVICE void ldmatrix_x4_trans(void* target, const void* source) {
  unsigned* d = (unsigned*)target;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(shared_address(source)));
}

#define TL_OPERANDS const unsigned* A = (const unsigned*)a; const unsigned* B = (const unsigned*)b;
// Four accumulators of type T with the constraint C; A has four registers, B two.
#define TL_MMA_4_4_2(NAME, T, C, TEXT)                                                                              \
  TL_DEVICE void NAME(void* c, const void* a, const void* b) {                                                      \
    TL_OPERANDS T* D = (T*)c;                                                                                       \
    asm(TEXT " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                                     \
        : "+" C(D[0]), "+" C(D[1]), "+" C(D[2]), "+" C(D[3])                                                        \
        : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]));                                        \
  }
#define TL_MMA_2_4_2(NAME, TEXT)                                                                                    \
  TL_DEVICE void NAME(void* c, const void* a, const void* b) {                                                      \
    TL_OPERANDS unsigned* D = (unsigned*)c;                                                                         \
    asm(TEXT " {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"                                                     \
        : "+r"(D[0]), "+r"(D[1]) : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]));               \
  }
#define TL_MMA_4_2_1(NAME, T, C, TEXT)                                                                              \
  TL_DEVICE void NAME(void* c, const void* a, const void* b) {                                                      \
    TL_OPERANDS T* D = (T*)c;                                                                                       \
    asm(TEXT " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"                                                 \
        : "+" C(D[0]), "+" C(D[1]), "+" C(D[2]), "+" C(D[3]) : "r"(A[0]), "r"(A[1]), "r"(B[0]));                    \
  }
#define TL_MMA_2_2_1(NAME, TEXT)                                                                                    \
  TL_DEVICE void NAME(void* c, const void* a, const void* b) {                                                      \
    TL_OPERANDS unsigned* D = (unsigned*)c;                                                                         \
    asm(TEXT " {%0, %1}, {%2, %3}, {%4}, {%0, %1};" : "+r"(D[0]), "+r"(D[1]) : "r"(A[0]), "r"(A[1]), "r"(B[0]));    \
  }
#define TL_MMA_2_1_1(NAME, TEXT)                                                                                    \
  TL_DEVICE void NAME(void* c, const void* a, const void* b) {                                                      \
    TL_OPERANDS int* D = (int*)c;                                                                                   \
    asm(TEXT " {%0, %1}, {%2}, {%3}, {%0, %1};" : "+r"(D[0]), "+r"(D[1]) : "r"(A[0]), "r"(B[0]));                   \
  }

TL_MMA_4_4_2(mma_m16n8k16_f16_f32, float, "f", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32")
TL_MMA_4_4_2(mma_m16n8k16_bf16_f32, float, "f", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32")
TL_MMA_2_4_2(mma_m16n8k16_f16_f16, "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16")
TL_MMA_4_2_1(mma_m16n8k8_f16_f32, float, "f", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32")
TL_MMA_2_2_1(mma_m16n8k8_f16_f16, "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16")
TL_MMA_4_4_2(mma_m16n8k8_tf32_f32, float, "f", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32")
TL_MMA_4_4_2(mma_m16n8k32_e4m3_e4m3, float, "f", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32")
TL_MMA_4_4_2(mma_m16n8k32_e4m3_e5m2, float, "f", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32")
TL_MMA_4_4_2(mma_m16n8k32_e5m2_e4m3, float, "f", "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32")
TL_MMA_4_4_2(mma_m16n8k32_e5m2_e5m2, float, "f", "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32")
#define TL_MMA_INTEGERS(A, B)                                                                                       \
  TL_MMA_4_4_2(mma_m16n8k32_##A##8_##B##8, int, "r", "mma.sync.aligned.m16n8k32.row.col.s32." #A "8." #B "8.s32")   \
  TL_MMA_4_4_2(mma_m16n8k64_##A##4_##B##4, int, "r", "mma.sync.aligned.m16n8k64.row.col.s32." #A "4." #B "4.s32")   \
  TL_MMA_2_1_1(mma_m8n8k16_##A##8_##B##8, "mma.sync.aligned.m8n8k16.row.col.s32." #A "8." #B "8.s32")               \
  TL_MMA_2_1_1(mma_m8n8k32_##A##4_##B##4, "mma.sync.aligned.m8n8k32.row.col.s32." #A "4." #B "4.s32")
TL_MMA_INTEGERS(s, s)
TL_MMA_INTEGERS(s, u)
TL_MMA_INTEGERS(u, s)
TL_MMA_INTEGERS(u, u)
TL_DEVICE void mma_m8n8k4_f64_f64(void* c, const void* a, const void* b) {
  double* D = (double*)c;
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(D[0]), "+d"(D[1]) : "d"(*(const double*)a), "d"(*(const double*)b));
}
TL_DEVICE void mma_m8n8k4_f16_f32(void* c, const void* a, const void* b) {
  TL_OPERANDS float* D = (float*)c;
  asm("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, "
      "{%0, %1, %2, %3, %4, %5, %6, %7};"
      : "+f"(D[0]), "+f"(D[1]), "+f"(D[2]), "+f"(D[3]), "+f"(D[4]), "+f"(D[5]), "+f"(D[6]), "+f"(D[7])
      : "r"(A[0]), "r"(A[1]), "r"(B[0]), "r"(B[1]));
}
TL_DEVICE void mma_m8n8k4_f16_f16(void* c, const void* a, const void* b) {
  TL_OPERANDS unsigned* D = (unsigned*)c;
  asm("mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%0, %1, %2, %3};"
      : "+r"(D[0]), "+r"(D[1]), "+r"(D[2]), "+r"(D[3]) : "r"(A[0]), "r"(A[1]), "r"(B[0]), "r"(B[1]));
}

// --- threads ---------------------------------------------------------------------------------------------------

TL_DEVICE void sync_threads(int barrier, int count) { asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(count) : "memory"); }
TL_DEVICE void arrive_threads(int barrier, int count) { asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(count) : "memory"); }

template <typename T> TL_DEVICE T shuffle_xor(T value, int step) { return __shfl_xor_sync(0xffffffffu, value, step); }
TL_DEVICE bool shuffle_xor(bool value, int step) { return __shfl_xor_sync(0xffffffffu, (int)value, step) != 0; }
TL_DEVICE int8_t shuffle_xor(int8_t value, int step) { return (int8_t)__shfl_xor_sync(0xffffffffu, (int)value, step); }
TL_DEVICE uint8_t shuffle_xor(uint8_t value, int step) { return (uint8_t)__shfl_xor_sync(0xffffffffu, (int)value, step); }
TL_DEVICE int16_t shuffle_xor(int16_t value, int step) { return (int16_t)__shfl_xor_sync(0xffffffffu, (int)value, step); }
TL_DEVICE uint16_t shuffle_xor(uint16_t value, int step) { return (uint16_t)__shfl_xor_sync(0xffffffffu, (int)value, step); }
template <typename T> TL_DEVICE T shuffle(unsigned mask, T value, int lane, int width) { return __shfl_sync(mask, value, lane, width); }
template <typename T> TL_DEVICE T shuffle_xor_sync(unsigned mask, T value, int lane, int width) { return __shfl_xor_sync(mask, value, lane, width); }
template <typename T> TL_DEVICE T shuffle_down(unsigned mask, T value, int lane, int width) { return __shfl_down_sync(mask, value, lane, width); }
template <typename T> TL_DEVICE T shuffle_up(unsigned mask, T value, int lane, int width) { return __shfl_up_sync(mask, value, lane, width); }

// The quotient as IEEE 754 rounds it. All that depends on the divisor alone is computed once for many quotients; two
// corrections of the product with the reciprocal give the last bit. Below 2^-78 the corrections themselves underflow: the
// last bit of such a quotient may differ.
static __device__ __noinline__ float divide_any(float a, float b) { return a / b; }
TL_DEVICE float divide(float a, float b) {
  const float reciprocal = __frcp_rn(b);
  const bool plain = fabsf(b) > 0x1p-60f && fabsf(b) < 0x1p60f;
  const bool inside = fabsf(a) < 0x1p60f;
  float quotient = __fmul_rn(a, reciprocal);
  quotient = __fmaf_rn(__fmaf_rn(-b, quotient, a), reciprocal, quotient);
  quotient = __fmaf_rn(__fmaf_rn(-b, quotient, a), reciprocal, quotient);
  return plain && inside ? quotient : divide_any(a, b);
}

TL_DEVICE bool is_nan(float value) { return value != value; }
TL_DEVICE bool is_nan(double value) { return value != value; }

// --- elements in a row -------------------------------------------------------------------------------------------

template <int COUNT, typename T> TL_DEVICE bool all_of(const T *first) {
  bool found = true;
  for (int i = 0; i < COUNT; ++i) found = found && (float)first[i] != 0.0f;
  return found;
}
template <int COUNT, typename T> TL_DEVICE bool any_of(const T *first) {
  bool found = false;
  for (int i = 0; i < COUNT; ++i) found = found || (float)first[i] != 0.0f;
  return found;
}
template <typename T> TL_DEVICE unsigned load_word(const T *place) { return *(const unsigned *)place; }

// Programmatic dependent launch, which is a hint: without the launch attribute it does nothing.
TL_DEVICE void pdl_trigger() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}
TL_DEVICE void pdl_sync() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

struct Add { template <typename T> static __device__ __forceinline__ T of(T a, T b) { return a + b; } };
struct Max { template <typename T> static __device__ __forceinline__ T of(T a, T b) { return a < b ? b : a; } };
struct Min { template <typename T> static __device__ __forceinline__ T of(T a, T b) { return b < a ? b : a; } };
struct BitAnd { template <typename T> static __device__ __forceinline__ T of(T a, T b) { return a & b; } };
struct BitOr { template <typename T> static __device__ __forceinline__ T of(T a, T b) { return a | b; } };
template <typename Op, typename T> TL_DEVICE T warp_reduce(T value) {
#pragma unroll
  for (int step = 16; step; step /= 2) value = Op::of(value, __shfl_xor_sync(0xffffffffu, value, step));
  return value;
}
TL_DEVICE float max_nan(float a, float b) { return a != a ? a : b != b ? b : fmaxf(a, b); }
TL_DEVICE float min_nan(float a, float b) { return a != a ? a : b != b ? b : fminf(a, b); }
TL_DEVICE double max_nan(double a, double b) { return a != a ? a : b != b ? b : fmax(a, b); }
TL_DEVICE double min_nan(double a, double b) { return a != a ? a : b != b ? b : fmin(a, b); }

template <typename T> struct Wide { typedef T type; };
template <> struct Wide<half> { typedef float type; };
template <> struct Wide<nv_bfloat16> { typedef float type; };

// One warp scans one row, 32 elements at a time.
template <typename Op, bool REVERSE, typename T>
TL_DEVICE void scan_row(const T* source, T* target, int length, int step, int target_step, int lane) {
  typedef typename Wide<T>::type W;
  W carry = W();
  for (int start = 0; start < length; start += 32) {
    const int number = start + lane;
    const int place = REVERSE ? length - 1 - number : number;
    const bool inside = number < length;
    W value = inside ? (W)source[place * step] : W();
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const W other = __shfl_up_sync(0xffffffffu, value, distance);
      if (lane >= distance) value = Op::of(other, value);
    }
    if (start) value = Op::of(carry, value);
    const int last = length - start < 32 ? length - start - 1 : 31;
    carry = __shfl_sync(0xffffffffu, value, last);
    if (inside) target[place * target_step] = (T)value;
  }
}

// Blocks in panels of `panel` rows (or columns), so that neighbours in time share operands in the cache.
TL_DEVICE int swizzled_row_x(int x, int y, int columns, int rows, int panel) {
  const int number = y * columns + x, first = number / (panel * columns) * panel;
  const int height = rows - first < panel ? rows - first : panel;
  return (number - first * columns) / height;
}
TL_DEVICE int swizzled_row_y(int x, int y, int columns, int rows, int panel) {
  const int number = y * columns + x, first = number / (panel * columns) * panel;
  const int height = rows - first < panel ? rows - first : panel;
  return first + (number - first * columns) % height;
}
TL_DEVICE int swizzled_column_x(int x, int y, int columns, int rows, int panel) {
  return swizzled_row_y(y, x, rows, columns, panel);
}
TL_DEVICE int swizzled_column_y(int x, int y, int columns, int rows, int panel) {
  return swizzled_row_x(y, x, rows, columns, panel);
}

template <typename To, typename From> TL_DEVICE To bits(From value, To) {
  union { From from; To to; } both;
  both.from = value;
  return both.to;
}

// --- atomics ---------------------------------------------------------------------------------------------------


// An update of an element of 2 bytes through the word around it.
template <typename T, typename F> TL_DEVICE T update16(T* place, F change) {
  const uint64_t at = (uint64_t)place;
  unsigned* word = (unsigned*)(at & ~3ull);
  const int shift = (at & 2) * 8;
  unsigned seen = *word, before;
  T old;
  do {
    before = seen;
    old.bits = (unsigned short)(before >> shift);
    const T now = change(old);
    seen = atomicCAS(word, before, (before & ~(0xffffu << shift)) | ((unsigned)now.bits << shift));
  } while (seen != before);
  return old;
}
template <typename F> TL_DEVICE float update(float* place, F change) {
  unsigned seen = *(unsigned*)place, before;
  do {
    before = seen;
    seen = atomicCAS((unsigned*)place, before, __float_as_uint(change(__uint_as_float(before))));
  } while (seen != before);
  return __uint_as_float(before);
}
template <typename F> TL_DEVICE double update(double* place, F change) {
  unsigned long long seen = *(unsigned long long*)place, before;
  do {
    before = seen;
    seen = atomicCAS((unsigned long long*)place, before, (unsigned long long)__double_as_longlong(change(__longlong_as_double((long long)before))));
  } while (seen != before);
  return __longlong_as_double((long long)before);
}

TL_DEVICE float add_at(float* place, float value) { return atomicAdd(place, value); }
TL_DEVICE double add_at(double* place, double value) { return atomicAdd(place, value); }
TL_DEVICE int add_at(int* place, int value) { return atomicAdd(place, value); }
TL_DEVICE unsigned add_at(unsigned* place, unsigned value) { return atomicAdd(place, value); }
TL_DEVICE long long add_at(long long* place, long long value) { return (long long)atomicAdd((unsigned long long*)place, (unsigned long long)value); }
TL_DEVICE unsigned long long add_at(unsigned long long* place, unsigned long long value) { return atomicAdd(place, value); }
TL_DEVICE half add_at(half* place, half value) {
#if __CUDA_ARCH__ >= 700
  half old;
  asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(old.bits) : "l"(place), "h"(value.bits) : "memory");
  return old;
#endif
}
TL_DEVICE nv_bfloat16 add_at(nv_bfloat16* place, nv_bfloat16 value) {
#if __CUDA_ARCH__ >= 900
  nv_bfloat16 old;
  asm volatile("atom.add.noftz.bf16 %0, [%1], %2;" : "=h"(old.bits) : "l"(place), "h"(value.bits) : "memory");
  return old;
#else
  return update16(place, [=](nv_bfloat16 old) { return nv_bfloat16(float(old) + float(value)); });
#endif
}
TL_DEVICE int max_at(int* place, int value) { return atomicMax(place, value); }
TL_DEVICE unsigned max_at(unsigned* place, unsigned value) { return atomicMax(place, value); }
TL_DEVICE long long max_at(long long* place, long long value) { return atomicMax(place, value); }
TL_DEVICE unsigned long long max_at(unsigned long long* place, unsigned long long value) { return atomicMax(place, value); }
TL_DEVICE float max_at(float* place, float value) { return update(place, [=](float old) { return fmaxf(old, value); }); }
TL_DEVICE double max_at(double* place, double value) { return update(place, [=](double old) { return fmax(old, value); }); }
TL_DEVICE half max_at(half* place, half value) { return update16(place, [=](half old) { return float(old) < float(value) ? value : old; }); }
TL_DEVICE nv_bfloat16 max_at(nv_bfloat16* place, nv_bfloat16 value) { return update16(place, [=](nv_bfloat16 old) { return float(old) < float(value) ? value : old; }); }
TL_DEVICE int min_at(int* place, int value) { return atomicMin(place, value); }
TL_DEVICE unsigned min_at(unsigned* place, unsigned value) { return atomicMin(place, value); }
TL_DEVICE long long min_at(long long* place, long long value) { return atomicMin(place, value); }
TL_DEVICE unsigned long long min_at(unsigned long long* place, unsigned long long value) { return atomicMin(place, value); }
TL_DEVICE float min_at(float* place, float value) { return update(place, [=](float old) { return fminf(old, value); }); }
TL_DEVICE double min_at(double* place, double value) { return update(place, [=](double old) { return fmin(old, value); }); }
TL_DEVICE half min_at(half* place, half value) { return update16(place, [=](half old) { return float(value) < float(old) ? value : old; }); }
TL_DEVICE nv_bfloat16 min_at(nv_bfloat16* place, nv_bfloat16 value) { return update16(place, [=](nv_bfloat16 old) { return float(value) < float(old) ? value : old; }); }
TL_DEVICE int or_at(int* place, int value) { return atomicOr(place, value); }
TL_DEVICE unsigned or_at(unsigned* place, unsigned value) { return atomicOr(place, value); }
TL_DEVICE unsigned long long or_at(unsigned long long* place, unsigned long long value) { return atomicOr(place, value); }
template <typename T> TL_DEVICE T load_at(T* place) { return *(volatile T*)place; }
template <typename T> TL_DEVICE void store_at(T* place, T value) { *(volatile T*)place = value; }
TL_DEVICE half load_at(half* place) { half value; value.bits = *(volatile unsigned short*)&place->bits; return value; }
TL_DEVICE void store_at(half* place, half value) { *(volatile unsigned short*)&place->bits = value.bits; }
TL_DEVICE nv_bfloat16 load_at(nv_bfloat16* place) { nv_bfloat16 value; value.bits = *(volatile unsigned short*)&place->bits; return value; }
TL_DEVICE void store_at(nv_bfloat16* place, nv_bfloat16 value) { *(volatile unsigned short*)&place->bits = value.bits; }

#define TL_ATOMIC(NAME)                                                                                             \
  template <typename T> TL_DEVICE T atomic_##NAME##_relaxed(T* place, T value) { return NAME##_at(place, value); }  \
  template <typename T> TL_DEVICE T atomic_##NAME##_acquire(T* place, T value) { const T old = NAME##_at(place, value); __threadfence(); return old; } \
  template <typename T> TL_DEVICE T atomic_##NAME##_release(T* place, T value) { __threadfence(); return NAME##_at(place, value); } \
  template <typename T> TL_DEVICE T atomic_##NAME##_acq_rel(T* place, T value) { __threadfence(); const T old = NAME##_at(place, value); __threadfence(); return old; }
TL_ATOMIC(add)
TL_ATOMIC(max)
TL_ATOMIC(min)
TL_ATOMIC(or)
template <typename T> TL_DEVICE T atomic_load_relaxed(T* place) { return load_at(place); }
template <typename T> TL_DEVICE T atomic_load_acquire(T* place) { const T value = load_at(place); __threadfence(); return value; }
template <typename T> TL_DEVICE T atomic_load_acq_rel(T* place) { __threadfence(); const T value = load_at(place); __threadfence(); return value; }
template <typename T> TL_DEVICE T atomic_store_relaxed(T* place, T value) { store_at(place, value); return value; }
template <typename T> TL_DEVICE T atomic_store_release(T* place, T value) { __threadfence(); store_at(place, value); return value; }
template <typename T> TL_DEVICE T atomic_store_acq_rel(T* place, T value) { __threadfence(); store_at(place, value); __threadfence(); return value; }
template <int LANES, typename T> TL_DEVICE void atomic_add_vector(T* place, const T* values) {
#pragma unroll
  for (int lane = 0; lane < LANES; ++lane) add_at(place + lane, values[lane]);
}

// --- barriers in shared memory ---------------------------------------------------------------------------------

TL_DEVICE void barrier_init(uint64_t* barrier, unsigned count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}
TL_DEVICE void barrier_arrive(uint64_t* barrier) {
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(shared_address(barrier)) : "memory");
}
TL_DEVICE void barrier_expect(uint64_t* barrier, unsigned bytes) {
  asm volatile("{ .reg .b64 state; mbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], %1; }" ::"r"(shared_address(barrier)), "r"(bytes) : "memory");
}
TL_DEVICE void barrier_wait(uint64_t* barrier, int parity) {
  unsigned done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(shared_address(barrier)), "r"(parity) : "memory");
}
TL_DEVICE void cp_async_arrive(uint64_t* barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
}
TL_DEVICE void fence_proxy_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
TL_DEVICE int block_rank_in_cluster() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return (int)rank;
}

// --- printing --------------------------------------------------------------------------------------------------

TL_DEVICE void print_message(const char* message) {
  printf("%s: BlockIdx=(%d, %d, %d), ThreadIdx=(%d, %d, %d)\n", message, (int)blockIdx.x, (int)blockIdx.y, (int)blockIdx.z,
         (int)threadIdx.x, (int)threadIdx.y, (int)threadIdx.z);
}
#define TL_PRINT(T, FORMAT, AS)                                                                                     \
  TL_DEVICE void print_value(const char* message, T value) {                                                        \
    printf("%s: BlockIdx=(%d, %d, %d), ThreadIdx=(%d, %d, %d): " FORMAT "\n", message, (int)blockIdx.x,             \
           (int)blockIdx.y, (int)blockIdx.z, (int)threadIdx.x, (int)threadIdx.y, (int)threadIdx.z, (AS)value);      \
  }                                                                                                                 \
  TL_DEVICE void print_element(const char* message, int index, T value) {                                           \
    printf("%s: BlockIdx=(%d, %d, %d), index=%d: " FORMAT "\n", message, (int)blockIdx.x, (int)blockIdx.y,          \
           (int)blockIdx.z, index, (AS)value);                                                                      \
  }
TL_PRINT(float, "%f", double)
TL_PRINT(double, "%f", double)
TL_PRINT(int, "%d", int)
TL_PRINT(unsigned, "%u", unsigned)
TL_PRINT(long long, "%lld", long long)
TL_PRINT(unsigned long long, "%llu", unsigned long long)
TL_PRINT(bool, "%d", int)
TL_PRINT(int8_t, "%d", int)
TL_PRINT(uint8_t, "%d", int)
TL_PRINT(int16_t, "%d", int)
TL_PRINT(uint16_t, "%d", int)

TL_DEVICE void check(bool condition, const char* message) {
  if (!condition) {
    printf("%s: BlockIdx=(%d, %d, %d), ThreadIdx=(%d, %d, %d)\n", message, (int)blockIdx.x, (int)blockIdx.y, (int)blockIdx.z,
           (int)threadIdx.x, (int)threadIdx.y, (int)threadIdx.z);
    asm volatile("trap;");
  }
}

}  // namespace tl

/* The uniform numbers of philox.h in bulk: a vector of counters at a time. */
#include <config.h>

#include "isa.h"
#include "philox.h"
#ifdef __SSE2__
#include <immintrin.h>
#endif
#include <Random123/philox.h>

#define EXPONENT_OF_2_TO_52 UINT64_C(0x4330000000000000)
#define EXPONENT_OF_2_TO_84 UINT64_C(0x4530000000000000)

#ifdef __x86_64__
#define LANES       8
#define MUL32(x, y) ((words_avx512)_mm512_mul_epu32((__m512i)(x), (__m512i)(y)))
#define TARGET      SL_TARGET_AVX512
#define MADE(name)  name##_avx512
#include "philox_lanes.inc"
#define LANES       4
#define MUL32(x, y) ((words_avx2)_mm256_mul_epu32((__m256i)(x), (__m256i)(y)))
#define TARGET      SL_TARGET_AVX2
#define MADE(name)  name##_avx2
#include "philox_lanes.inc"
#endif

#define LANES 2
#ifdef __SSE2__
#define MUL32(x, y) ((words_baseline)_mm_mul_epu32((__m128i)(x), (__m128i)(y)))
#else
#define MUL32(x, y) (((x)&0xffffffff) * ((y)&0xffffffff))
#endif
#define TARGET
#define MADE(name) name##_baseline
#include "philox_lanes.inc"

void sl_uniforms_fill(uint64_t seed, uint32_t trial, const uint64_t *hash, uint32_t count,
                      double *first, double *second)
{
#ifdef __x86_64__
    if (sl_isa() == SL_ISA_AVX512) {
        fill_avx512(seed, trial, hash, count, first, second);
        return;
    }
    if (sl_isa() == SL_ISA_AVX2) {
        fill_avx2(seed, trial, hash, count, first, second);
        return;
    }
#endif
    fill_baseline(seed, trial, hash, count, first, second);
}

void sl_uniforms_numbers(uint64_t seed, uint32_t trial, uint64_t hash, uint32_t number,
                         uint32_t count, double *first, double *second)
{
#ifdef __x86_64__
    if (sl_isa() == SL_ISA_AVX512) {
        count_avx512(seed, trial, hash, number, count, first, second);
        return;
    }
    if (sl_isa() == SL_ISA_AVX2) {
        count_avx2(seed, trial, hash, number, count, first, second);
        return;
    }
#endif
    count_baseline(seed, trial, hash, number, count, first, second);
}

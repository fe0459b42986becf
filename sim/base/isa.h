/* Which vector instructions the hot loops use, chosen once by what the machine has.
 *
 * Such a loop is written once and compiled for each target, so that all targets do the same IEEE
 * operations and give the same bits: no target may contract or reorder them (-ffp-contract=off).
 *
 *     static SL_ALWAYS_INLINE void add_body(double *to, const double *from, size_t n) { ... }
 *     SL_FOR_EACH_ISA(add, (double *to, const double *from, size_t n), (to, from, n))
 *
 * makes `add`, which runs add_body as compiled for sl_isa().  On machines other than x86-64, and
 * for code that gains nothing from wider vectors, there is the baseline alone. */
#ifndef SL_ISA_H
#define SL_ISA_H
#include <stdbool.h>

enum sl_isa { SL_ISA_BASELINE, SL_ISA_AVX2, SL_ISA_AVX512, SL_ISAS };

/* The one in use: the widest that the machine has, unless a test forced another.  Thread-safe. */
enum sl_isa sl_isa(void);
const char *sl_isa_name(enum sl_isa isa); /* "baseline", "avx2", "avx512" */
bool sl_isa_available(enum sl_isa isa);
/* For tests: uses `isa`, which must be available, from now on in the whole process. */
void sl_isa_force(enum sl_isa isa);

#define SL_ALWAYS_INLINE inline __attribute__((always_inline))

/* Elements of two vectors of one type by index; `indices` is the vector type of whole numbers of that
 * width. */
#ifdef __clang__
#define SL_SHUFFLE(indices, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SL_SHUFFLE(indices, a, b, ...) __builtin_shuffle(a, b, (indices){__VA_ARGS__})
#endif

#ifdef __x86_64__
#define SL_TARGET_AVX2 __attribute__((target("avx2")))
/* Compilers take 256-bit vectors for some machines unless they are told, each in its own words. */
#ifdef __clang__
#define SL_TARGET_AVX512                                                                           \
    __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl"), min_vector_width(512)))
#else
#define SL_TARGET_AVX512                                                                           \
    __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,prefer-vector-width=512")))
#endif
#define SL_FOR_EACH_ISA(name, parameters, arguments)                                               \
    SL_TARGET_AVX512 static void name##_avx512 parameters                                          \
    {                                                                                              \
        name##_body arguments;                                                                     \
    }                                                                                              \
    SL_TARGET_AVX2 static void name##_avx2 parameters                                              \
    {                                                                                              \
        name##_body arguments;                                                                     \
    }                                                                                              \
    static void name parameters                                                                    \
    {                                                                                              \
        if (sl_isa() == SL_ISA_AVX512)                                                             \
            name##_avx512 arguments;                                                               \
        else if (sl_isa() == SL_ISA_AVX2)                                                          \
            name##_avx2 arguments;                                                                 \
        else                                                                                       \
            name##_body arguments;                                                                 \
    }
#else
#define SL_TARGET_AVX2
#define SL_TARGET_AVX512
#define SL_FOR_EACH_ISA(name, parameters, arguments)                                               \
    static void name parameters                                                                    \
    {                                                                                              \
        name##_body arguments;                                                                     \
    }
#endif
#endif

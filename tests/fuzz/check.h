/* In the place of Check's header, for parts of tests that fuzz targets share: a wrong outcome ends
 * the process, as libFuzzer wants it, instead of a test. */
#ifndef SL_FUZZ_CHECK_H
#define SL_FUZZ_CHECK_H
#include "fuzz.h"
#define ck_assert(condition)           FUZZ_CHECK(condition, "%s", #condition)
#define ck_assert_msg(condition, ...)  FUZZ_CHECK(condition, __VA_ARGS__)
#define ck_assert_int_eq(a, b)         FUZZ_CHECK((a) == (b), "%s == %s", #a, #b)
#define ck_assert_int_ge(a, b)         FUZZ_CHECK((a) >= (b), "%s >= %s", #a, #b)
#define ck_assert_int_lt(a, b)         FUZZ_CHECK((a) < (b), "%s < %s", #a, #b)
#define ck_assert_uint_le(a, b)        FUZZ_CHECK((a) <= (b), "%s <= %s", #a, #b)
#define ck_assert_uint_lt(a, b)        FUZZ_CHECK((a) < (b), "%s < %s", #a, #b)
#define ck_assert_ptr_nonnull(pointer) FUZZ_CHECK(pointer, "%s is NULL", #pointer)
#endif

/* Loops compiled for several vector targets: the choice among them, and that they give the same
 * bits. */
#include <config.h>

#include "harness.h"
#include "isa.h"
#include <stdio.h>
#include <string.h>

enum { N = 1000 };

static SL_ALWAYS_INLINE void fill_body(double *to, const double *a, const double *b)
{
    for (int i = 0; i < N; i++)
        to[i] = a[i] * b[i] + a[i];
}
SL_FOR_EACH_ISA(fill, (double *to, const double *a, const double *b), (to, a, b))

/* a b + a rounds twice; fused, as the avx512 target could, it would round once. */
START_TEST(same_bits_on_every_target)
{
    double a[N], b[N], expected[N], found[N];
    for (int i = 0; i < N; i++) {
        a[i] = 1 / (i + 3.0);
        b[i] = 1 / (i + 7.0);
        volatile double product = a[i] * b[i];
        expected[i] = product + a[i];
    }
    for (int isa = 0; isa < SL_ISAS; isa++) {
        if (!sl_isa_available((enum sl_isa)isa)) {
            printf("# skipped: this machine has no %s\n", sl_isa_name((enum sl_isa)isa));
            continue;
        }
        sl_isa_force((enum sl_isa)isa);
        ck_assert_int_eq(sl_isa(), isa);
        memset(found, 0, sizeof found);
        fill(found, a, b);
        ck_assert_mem_eq(found, expected, sizeof found);
    }
}
END_TEST

START_TEST(the_widest_is_chosen)
{
    enum sl_isa isa = sl_isa();
    ck_assert(sl_isa_available(isa));
    for (int wider = (int)isa + 1; wider < SL_ISAS; wider++)
        ck_assert(!sl_isa_available((enum sl_isa)wider));
    ck_assert(sl_isa_available(SL_ISA_BASELINE));
    ck_assert_str_eq(sl_isa_name(SL_ISA_BASELINE), "baseline");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("isa");
    TCase *targets = tcase_create("targets");
    tcase_add_test(targets, the_widest_is_chosen);
    tcase_add_test(targets, same_bits_on_every_target);
    suite_add_tcase(s, targets);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}

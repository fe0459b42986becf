/* A violation put into random legal scenarios is caught: check names it by its code.
 *
 * The rate of a row must be 1: each injection looks for a place where nothing else in the scenario
 * makes up for what it breaks (inject_*.c), and rules are exact on graphs of this size, where no
 * budget runs out.  Only the peak is a lower bound: of copies that may have several lives it counts
 * nothing, and some that no order avoids are left to the plans of each policy. */
#include <config.h>

#include "harness.h"
#include "injections.h"
#include "legality.h"
#include "random_scenario.h"

#define LEAST 20 /* scenarios in which each violation must have been injected */

struct rate {
    unsigned injected, caught;
    uint64_t missed; /* the first seed that was not caught */
};

static const struct injections *const tables[] = {&inject_lifetimes, &inject_runs, &inject_remarks};

static unsigned injection_count(void)
{
    unsigned count = 0;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        count += tables[t]->count;
    return count;
}

static const struct injection *injection_at(unsigned index)
{
    size_t t = 0;
    while (index >= tables[t]->count)
        index -= tables[t++]->count;
    return &tables[t]->items[index];
}

static bool is_rule(const char *code)
{
    for (size_t i = 0; i < sl_legality_rule_count(); i++)
        if (strcmp(sl_legality_rule_get(i).code, code) == 0)
            return true;
    return false;
}

static bool has_code(const struct sl_diags *diags, const char *code)
{
    for (size_t i = 0; i < diags->count; i++)
        if (strcmp(diags->items[i].code, code) == 0)
            return true;
    return false;
}

static void try_injection(const struct injection *injection, uint64_t seed, struct tempdir *dir,
                          struct rate *rate)
{
    static struct random_scenario made;
    struct dice dice = {.state = seed};
    random_scenario_make(&made, seed);
    if (!injection->inject(&made.draft, &dice))
        return;
    struct sl_scenario scenario;
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    draft_write(&made.draft, dir);
    enum sl_status status = sl_scenario_load(&scenario, dir->path, NULL, 0, &diags, &err);
    ck_assert_msg(status == SL_OK || status == SL_NO, "seed %llu, %s: %s", (unsigned long long)seed,
                  injection->code, err.message);
    rate->injected++;
    if (has_code(&diags, injection->code))
        rate->caught++;
    else if (rate->injected == rate->caught + 1)
        rate->missed = seed;
    sl_scenario_free(&scenario);
    sl_diags_free(&diags);
}

START_TEST(violations_are_caught)
{
    const struct injection *injection = injection_at((unsigned)_i);
    uint64_t seeds = sl_test_long() ? 10000 : 1000;
    bool bounds = strcmp(injection->code, "peak-unavoidable") == 0; /* it may miss 1 in 100 */
    unsigned most = sl_test_long() ? 1000 : 50;
    struct rate rate = {0};
    struct tempdir dir;
    if (!is_rule(injection->code))
        return;
    tempdir_make(&dir);
    for (uint64_t seed = 0; seed < seeds && rate.injected < most; seed++)
        try_injection(injection, seed, &dir, &rate);
    tempdir_remove(&dir);
    printf("# %-26s %-40s injected %4u  caught %4u  rate %.3f\n", injection->code, injection->what,
           rate.injected, rate.caught, rate.injected ? (double)rate.caught / rate.injected : 0.0);
    fflush(stdout);
    ck_assert_uint_ge(rate.injected, LEAST);
    ck_assert_msg(bounds ? rate.caught >= 0.99 * rate.injected : rate.caught == rate.injected,
                  "%s, %s: %u of %u caught, not seed %llu", injection->code, injection->what,
                  rate.caught, rate.injected, (unsigned long long)rate.missed);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("injected");
    TCase *c = tcase_create("violations");
    tcase_set_timeout(c, 0);
    tcase_add_loop_test(c, violations_are_caught, 0, (int)injection_count());
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}

/* What the summary tells people of planted measurements: counts, reasons, widths, and what not to
 * trust. */
#include <config.h>

#include "measuredlab.h"
#include "summary.h"
#include <string.h>

static struct lab *lab;
static struct sl_estimates found;
static char *text;

static void begin(void)
{
    lab = lab_create(19);
    found = (struct sl_estimates){0};
    text = NULL;
}

static void end(void)
{
    free(text);
    sl_estimates_free(&found);
    lab_free(lab);
}

static void print(void)
{
    size_t size;
    free(text);
    FILE *out = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(out);
    ck_assert_int_eq(sl_summary_print(&found, out, NULL), SL_OK);
    ck_assert_int_eq(fclose(out), 0);
}

static void summarise(void)
{
    lab_estimate(lab, &found);
    print();
}

static void says(const char *words)
{
    ck_assert_msg(strstr(text, words) != NULL, "no '%s' in:\n%s", words, text);
}

static void is_silent_on(const char *words)
{
    ck_assert_msg(strstr(text, words) == NULL, "'%s' in:\n%s", words, text);
}

START_TEST(counts_and_reasons)
{
    uint32_t other = 3, c = lab_case(lab, SL_CASE_PAIR, 0, &other, 1);
    lab_sessions(lab, c, 3, 20, 1.5);
    for (size_t i = 0; i < 5; i++)
        lab->items[i].sample.reject = i < 2 ? SL_REJECT_DROPPED : SL_REJECT_COVERAGE;
    lab->items[20].sample.throttled = true;
    summarise();
    says("3 sessions, 120 shots, 115 accepted (95.8%)");
    says("rejected   dropped 2, coverage 3\n");
    says("throttled  1 ");
    says("kappa      1 row: 1 ok\n");
    says("largest: a case 1.5");
    says("no A/A control has an interval");
    says("rule       none was tested (no set was measured)");
    says("3 sessions: intervals are honest but wide");
    is_silent_on("regimes");
    is_silent_on("overlap");
    is_silent_on("durations");
    says("shared     not known: it takes 2 sessions with two cases of a class within 10 ms\n");
}
END_TEST

START_TEST(little_evidence)
{
    uint32_t other = 3, c = lab_case(lab, SL_CASE_PAIR, 0, &other, 1);
    lab->regime = "near";
    lab_session(lab, c, 1, 20, 1.5);
    lab->regime = "far";
    lab_session(lab, c, 1, 5, 1.1);
    for (size_t i = 0; i < 10; i++)
        lab->items[i].sample.reject = SL_REJECT_PREEMPTED;
    summarise();
    says("1 session, 50 shots");
    says("regimes    near 30 shots, far 10 shots; device.yaml names near");
    says("one session has no interval");
    says("20% of the shots were rejected");
    says("figures hold while it is in regime near");
}
END_TEST

/* The law is fitted to the bulk, and one value in fifty lies far above: seen only with the 368
 * values that p99 takes. */
START_TEST(tails)
{
    uint32_t c = lab_case(lab, SL_CASE_ALONE, 0, NULL, 0);
    for (uint32_t s = 1; s <= 4; s++)
        for (uint32_t i = 0; i < 100; i++)
            lab_shot(lab, c, s, 2 * i, SL_ROLE_ALONE, 1e5 * lab_noise(lab, 0.01));
    summarise();
    says("durations  1 row: 1 ok\n");
    is_silent_on("p99 is empty");
    struct sl_duration_estimate *row = &found.durations[0];
    ck_assert(row->fits.good && !sl_duration_tail_misses(row));
    row->p99_ns = (struct sl_estimate){2e5, 1.5e5, 3e5};
    ck_assert(sl_duration_tail_misses(row));
    print();
    says("warning: the law of a case has its p99 at 102 us, the sample between 150 us and 300 us");
}
END_TEST

/* 12 values are below the 20 that a law takes: no family was tried on them. */
START_TEST(too_few_for_a_law)
{
    uint32_t c = lab_case(lab, SL_CASE_ALONE, 0, NULL, 0);
    for (uint32_t s = 1; s <= 2; s++)
        for (uint32_t i = 0; i < 6; i++)
            lab_shot(lab, c, s, 2 * i, SL_ROLE_ALONE, 1e5 * lab_noise(lab, 0.01));
    summarise();
    says(" too few values for a law (below 20) in 1 row\n");
    is_silent_on("laws:");
    is_silent_on("keep their own quantiles");
}
END_TEST

START_TEST(all_rejected)
{
    uint32_t c = lab_case(lab, SL_CASE_ALONE, 0, NULL, 0);
    for (uint32_t i = 0; i < 6; i++)
        lab_shot(lab, c, 1, 2 * i, SL_ROLE_ALONE, 1e5);
    for (size_t i = 0; i < 6; i++)
        lab->items[i].sample.reject = SL_REJECT_DROPPED;
    summarise();
    says("1 session, 6 shots, 0 accepted (0%)");
    says("durations  1 row: 1 rejected\n");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("summary");
    TCase *tests = tcase_create("summary");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, counts_and_reasons);
    tcase_add_test(tests, little_evidence);
    tcase_add_test(tests, tails);
    tcase_add_test(tests, too_few_for_a_law);
    tcase_add_test(tests, all_rejected);
    suite_add_tcase(suite, tests);
    return sl_test_run(suite);
}

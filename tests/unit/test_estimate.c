/* Estimators on synthetic measurements with planted kappas, outliers, late aggressors, clock steps
 * and regimes: they come back, each as the protocol says, and every interval has the coverage that
 * it states.  Shares over repetitions come with their binomial false-alarm rates (coverage.h). */
#include "coverage.h"
#include "measuredlab.h"
#include "session_median.h"
#include <string.h>

static struct lab *lab;
static struct sl_estimates found;

static void begin(void)
{
    lab = lab_create(7);
    found = (struct sl_estimates){0};
}

static void end(void)
{
    sl_estimates_free(&found);
    lab_free(lab);
}

/* Sessions of medians 1, 2 and 6, whatever the order of the values: mean 3, sd 2.6458, t(2) 4.3027,
 * half of the interval 4.3027 x 2.6458 / sqrt(3) = 6.5724; the fourth has too few values to count.
 */
START_TEST(by_hand)
{
    struct sl_session_value values[] = {{9, 3}, {1, 1}, {2, 2}, {6, 3}, {0, 1}, {1, 1},
                                        {5, 2}, {2, 2}, {1, 1}, {3, 3}, {1, 1}, {2, 2},
                                        {6, 3}, {2, 2}, {6, 3}, {1, 1}, {99, 4}};
    double medians[4];
    struct sl_session_median m = sl_session_median(values, 17, medians, 4);
    ck_assert_uint_eq(m.n, 17);
    ck_assert_uint_eq(m.sessions, 3);
    ck_assert_double_eq(medians[0], 1);
    ck_assert_double_eq(medians[2], 6);
    ck_assert_double_nan(medians[3]);
    ck_assert_double_eq(m.estimate.value, 2);
    ck_assert_double_eq_tol(m.sd, sqrt(7), 1e-12);
    ck_assert_double_eq_tol(m.estimate.lo, 3 - 6.5724, 1e-3);
    ck_assert_double_eq_tol(m.estimate.hi, 3 + 6.5724, 1e-3);
    m = sl_session_median(values, 0, medians, 4);
    ck_assert_double_nan(m.estimate.value);
}
END_TEST

/* With 3 sessions Student's t covers 95%.  A percentile bootstrap of their mean could do no better
 * than reach from the least to the largest, as each is a resample of weight 1/27 > 2.5%: that
 * covers where not all lie on one side, 1 - 2/8. */
START_TEST(coverage_of_three_sessions)
{
    enum { REPETITIONS = 3000, SESSIONS = 3, PAIRS = 10 };
    size_t covered = 0, bootstrap = 0;
    for (int r = 0; r < REPETITIONS; r++) {
        struct sl_session_value values[SESSIONS * PAIRS];
        double medians[SESSIONS];
        for (uint32_t s = 0; s < SESSIONS; s++) {
            double shift = gsl_ran_gaussian(lab->rng, 0.02);
            for (int p = 0; p < PAIRS; p++)
                values[s * PAIRS + (uint32_t)p] = (struct sl_session_value){
                    0.4 + shift + gsl_ran_gaussian(lab->rng, 0.02), s + 1};
        }
        struct sl_session_median m = sl_session_median(values, SESSIONS * PAIRS, medians, SESSIONS);
        covered += m.estimate.lo <= 0.4 && 0.4 <= m.estimate.hi;
        sl_sort_doubles(medians, SESSIONS);
        bootstrap += medians[0] <= 0.4 && 0.4 <= medians[SESSIONS - 1];
    }
    double alarm = coverage_is("Student's t", covered, REPETITIONS, 0.95);
    alarm += coverage_is("a bootstrap", bootstrap, REPETITIONS, 0.75);
    ck_assert_double_lt(alarm, 1e-3);
}
END_TEST

/* The whole way: a table's interval holds the planted kappa in 95% of calibrations of 8 sessions.
 */
START_TEST(coverage_of_a_table)
{
    enum { REPETITIONS = 300, SESSIONS = 8, PAIRS = 12 };
    size_t covered = 0;
    uint32_t other = 1, c = lab_case(lab, SL_CASE_PAIR, 0, &other, 1);
    for (int r = 0; r < REPETITIONS; r++) {
        lab->count = 0;
        lab_sessions(lab, c, SESSIONS, PAIRS, 1.5);
        sl_estimates_free(&found);
        lab_estimate(lab, &found);
        covered += found.kappas[0].kappa.lo <= 1.5 && 1.5 <= found.kappas[0].kappa.hi;
    }
    ck_assert_double_lt(coverage_is("kappa of a table", covered, REPETITIONS, 0.95), 1e-3);
}
END_TEST

/* One shot in ten beside others takes twenty times as long, another tenth was rejected and taken
 * again: the median stays, all is counted.  Of 200 ratios of sd 0.014, a tenth of them on one side,
 * the median moves by 0.14 sd = 0.002, and is off by 1.25 x 0.014 / sqrt(200) = 0.0012 besides. */
START_TEST(outliers_and_retakes)
{
    uint32_t other = 1, c = lab_case(lab, SL_CASE_PAIR, 0, &other, 1), retaken = 0;
    lab->between = 0;
    lab_sessions(lab, c, 4, 50, 1.5);
    size_t count = lab->count;
    for (size_t i = 0; i < count; i++) {
        if (lab->items[i].role != SL_ROLE_BESIDE)
            continue;
        if (i % 20 == 1)
            lab->items[i].sample.dur_ns *= 20;
        if (i % 20 != 3)
            continue;
        struct sl_measurement again = lab->items[i];
        lab->items[i].sample =
            (struct sl_sample){.dur_ns = (double)NAN,
                               .reject = i % 40 == 3 ? SL_REJECT_CLOCK_STEP : SL_REJECT_DROPPED};
        lab_add(lab, again);
        retaken++;
    }
    lab_estimate(lab, &found);
    const struct sl_kappa_estimate *row = &found.kappas[0];
    ck_assert_uint_eq(row->pairs, 200);
    ck_assert_uint_eq(row->rejected, retaken);
    ck_assert_uint_eq(found.rejects[SL_REJECT_CLOCK_STEP] + found.rejects[SL_REJECT_DROPPED],
                      retaken);
    ck_assert_double_eq_tol(log(row->kappa.value / 1.5), 0.002, 4.5 * 0.0012);
    ck_assert_double_eq_tol(log(row->ratio_of_medians / 1.5), 0.002, 4.5 * 0.0012);
    ck_assert_int_eq(row->status, SL_ROW_OK);
    ck_assert_int_eq(row->mode, SL_MODE_SHARE);
    ck_assert_double_eq_tol(row->start_delay_ns, 0, 1e-9);
    ck_assert_double_eq_tol(row->exec, 1.5, 0.02);
}
END_TEST

/* Aggressors that come late: rejected, no evidence of kappa, and named. */
START_TEST(late_aggressors)
{
    uint32_t other = 1, c = lab_case(lab, SL_CASE_PAIR, 0, &other, 1);
    lab_sessions(lab, c, 3, 10, 1.5);
    for (size_t i = 0; i < lab->count; i++)
        if (lab->items[i].role == SL_ROLE_BESIDE) {
            lab->items[i].sample.coverage = 0.7;
            lab->items[i].sample.reject = SL_REJECT_COVERAGE;
        }
    lab_estimate(lab, &found);
    ck_assert_uint_eq(found.kappa_count, 1);
    ck_assert_int_eq(found.kappas[0].status, SL_ROW_REJECTED);
    ck_assert_double_nan(found.kappas[0].kappa.value);
    ck_assert_uint_eq(found.kappas[0].rejected, 30);
    ck_assert_uint_eq(found.rejects[SL_REJECT_COVERAGE], 30);
}
END_TEST

static const struct sl_kappa_estimate *row_of(const char *regime)
{
    for (uint32_t i = 0; i < found.kappa_count; i++)
        if (strcmp(found.kappas[i].regime, regime) == 0)
            return &found.kappas[i];
    ck_abort_msg("no row of regime '%s'", regime);
    return NULL;
}

/* The figures of the machine that CALIBRATION's table is of: 1.66 near, 1.03 far. */
START_TEST(regimes_never_mix)
{
    uint32_t other = 1, c = lab_case(lab, SL_CASE_PAIR, 0, &other, 1);
    lab->regime = "near";
    lab_sessions(lab, c, 3, 20, 1.66);
    lab->regime = "far";
    for (uint32_t s = 4; s <= 6; s++)
        lab_session(lab, c, s, 15, 1.03);
    lab_shot(lab, c, 6, 90, SL_ROLE_ALONE, 1e6);
    lab->regime = "near";
    lab_shot(lab, c, 6, 90, SL_ROLE_BESIDE, 9e6);
    lab_estimate(lab, &found);
    ck_assert_uint_eq(found.regime_count, 2);
    ck_assert_str_eq(found.regimes[0].name, "near");
    ck_assert_uint_eq(found.kappa_count, 2);
    ck_assert_uint_eq(row_of("near")->pairs, 60);
    ck_assert_uint_eq(row_of("far")->pairs, 45);
    ck_assert_uint_eq(found.split_pairs, 1);
    ck_assert_double_eq_tol(row_of("near")->kappa.value, 1.66, 0.05);
    ck_assert_double_eq_tol(row_of("far")->kappa.value, 1.03, 0.03);
}
END_TEST

/* Under the control's bound kappa is 1, and the interval says what was seen. */
START_TEST(bound_of_the_control)
{
    uint32_t other = 1, quiet = lab_case(lab, SL_CASE_PAIR, 0, &other, 1);
    uint32_t loud = lab_case(lab, SL_CASE_PAIR, 0, &other, 1);
    uint32_t uncontrolled = lab_case(lab, SL_CASE_PAIR, 3, &other, 1);
    uint32_t control = lab_case(lab, SL_CASE_CONTROL, 0, NULL, 0);
    lab->between = 0.004;
    lab_sessions(lab, quiet, 3, 20, 1.003);
    lab_sessions(lab, loud, 3, 20, 1.2);
    lab_sessions(lab, uncontrolled, 3, 20, 1.001);
    lab_sessions(lab, control, 3, 20, 1);
    lab_estimate(lab, &found);
    double bound = found.controls[0].bound;
    ck_assert_uint_eq(found.control_count, 1);
    ck_assert_double_eq_tol(bound,
                            fmax(fabs(exp(found.controls[0].log_ratio.estimate.lo) - 1),
                                 fabs(exp(found.controls[0].log_ratio.estimate.hi) - 1)),
                            1e-12);
    const struct sl_kappa_estimate *row = &found.kappas[0];
    ck_assert_double_lt(fabs(row->raw.value - 1), bound);
    ck_assert(row->is_one);
    ck_assert_double_eq(row->kappa.value, 1);
    ck_assert(row->kappa.lo <= row->raw.value && row->raw.value <= row->kappa.hi);
    ck_assert(row->kappa.lo <= 1 && 1 <= row->kappa.hi);
    ck_assert(!found.kappas[1].is_one);
    ck_assert_double_eq(found.kappas[1].kappa.value, found.kappas[1].raw.value);
    ck_assert(!found.kappas[2].is_one);
}
END_TEST

static void plant_waits(uint32_t c, double delay_ns, double coverage, enum sl_reject reject)
{
    size_t first = lab->count;
    lab_sessions(lab, c, 3, 10, 1.2);
    for (size_t i = first; i < lab->count; i++)
        if (lab->items[i].role == SL_ROLE_BESIDE) {
            lab->items[i].sample.start_delay_ns += delay_ns;
            lab->items[i].sample.coverage = coverage;
            lab->items[i].sample.reject = reject;
        }
}

/* Times alone are 1 ms: a start 0.5 ms later is a wait, one 0.05 ms later is none. */
START_TEST(modes)
{
    const struct {
        double delay_ns, coverage;
        enum sl_reject reject;
        enum sl_contention_mode mode;
        enum sl_row_status status;
    } planted[] = {
        {5e4, 1, SL_REJECT_NONE, SL_MODE_SHARE, SL_ROW_OK},
        {5e5, 1, SL_REJECT_NONE, SL_MODE_MIXED, SL_ROW_OK},
        {5e5, 0, SL_REJECT_COVERAGE, SL_MODE_QUEUE, SL_ROW_QUEUED},
        {(double)NAN, 0, SL_REJECT_COVERAGE, SL_MODE_QUEUE, SL_ROW_QUEUED},
        {5e4, 0, SL_REJECT_COVERAGE, SL_MODE_SHARE, SL_ROW_REJECTED},
    };
    size_t count = sizeof planted / sizeof *planted;
    uint32_t other = 0;
    for (size_t i = 0; i < count; i++)
        plant_waits(lab_case(lab, SL_CASE_PAIR, 0, &other, 1), planted[i].delay_ns,
                    planted[i].coverage, planted[i].reject);
    lab_estimate(lab, &found);
    for (size_t i = 0; i < count; i++) {
        ck_assert_str_eq(sl_contention_mode_name(found.kappas[i].mode),
                         sl_contention_mode_name(planted[i].mode));
        ck_assert_str_eq(sl_row_status_name(found.kappas[i].status),
                         sl_row_status_name(planted[i].status));
    }
    ck_assert_double_eq_tol(found.kappas[1].start_delay_ns, 5e5, 1e-6);
    ck_assert_double_nan(found.kappas[3].start_delay_ns);
}
END_TEST

START_TEST(too_few)
{
    uint32_t other = 1, one = lab_case(lab, SL_CASE_PAIR, 0, &other, 1);
    uint32_t few = lab_case(lab, SL_CASE_PAIR, 2, &other, 1);
    lab_session(lab, one, 1, 20, 1.5);
    for (uint32_t s = 1; s <= 3; s++)
        lab_session(lab, few, s, SL_SESSION_SHOTS - 1, 1.5);
    lab_estimate(lab, &found);
    ck_assert_int_eq(found.kappas[0].status, SL_ROW_ONE_SESSION);
    ck_assert_double_eq_tol(found.kappas[0].kappa.value, 1.5, 0.1);
    ck_assert_double_nan(found.kappas[0].kappa.lo);
    ck_assert_double_nan(found.kappas[0].kappa.hi);
    ck_assert_int_eq(found.kappas[1].status, SL_ROW_TOO_FEW);
    ck_assert_double_nan(found.kappas[1].kappa.lo);
}
END_TEST

static void plant_alone(uint32_t c, uint32_t sessions, uint32_t shots, double ns)
{
    for (uint32_t s = 1; s <= sessions; s++) {
        double here = ns * lab_noise(lab, lab->between);
        for (uint32_t i = 0; i < shots; i++)
            lab_shot(lab, c, s, 2 * i, SL_ROLE_ALONE, here * lab_noise(lab, lab->noise));
    }
}

/* 120 values: p05 and p95 have intervals, p99 needs 368.  One is a clock's jump of a second that
 * the judge had no reason to reject: it is kept, counted, and moves no median. */
START_TEST(durations)
{
    uint32_t c = lab_case(lab, SL_CASE_ALONE, 0, NULL, 0);
    lab->between = 0.002;
    plant_alone(c, 4, 30, 1e5);
    lab->items[17].sample.dur_ns = 1e9;
    lab_estimate(lab, &found);
    const struct sl_duration_estimate *row = &found.durations[0];
    ck_assert_int_eq(row->status, SL_ROW_OK);
    ck_assert_uint_eq(row->n, 120);
    ck_assert_uint_eq(row->far, 1);
    ck_assert_double_eq(row->sorted_ns[119], 1e9);
    ck_assert(row->median_ns.lo <= row->median_ns.value &&
              row->median_ns.value <= row->median_ns.hi);
    ck_assert_double_eq_tol(log(row->median_ns.value / 1e5), 0, 0.01);
    /* ln p95 is 1.645 sd above the median; sd of that rank: sqrt(0.05 0.95 / 120) / 0.103 sd. */
    ck_assert_double_eq_tol(log(row->p95_ns.value / 1e5), 0.0164, 4.5 * 0.0022);
    ck_assert_double_eq_tol(log(row->p05_ns.value / 1e5), -0.0164, 4.5 * 0.0022);
    ck_assert_double_nan(row->p99_ns.value);
    ck_assert_double_eq(row->launch_latency_ns, 2000);
    ck_assert_double_eq(row->sm_mhz, 1500);
    ck_assert(!row->fits.good);
}
END_TEST

/* The second timer's shots and those of another regime have rows of their own; the first timer's
 * row says what it costs. */
START_TEST(timers_and_regimes)
{
    uint32_t c = lab_case(lab, SL_CASE_ALONE, 0, NULL, 0);
    lab->noise = lab->between = 1e-6;
    size_t first = lab->count;
    plant_alone(c, 3, 20, 1e5);
    for (size_t i = first; i < lab->count; i++) {
        lab->items[i].sample.timer = "host";
        lab->items[i].other_timer = true;
    }
    plant_alone(c, 3, 30, 1.1e5);
    lab->regime = "other";
    plant_alone(c, 3, 10, 2e5);
    lab_estimate(lab, &found);
    ck_assert_uint_eq(found.duration_count, 3);
    ck_assert_int_eq(found.durations[0].status, SL_ROW_OTHER_TIMER);
    ck_assert_int_eq(found.durations[1].status, SL_ROW_OK);
    ck_assert_int_eq(found.durations[2].status, SL_ROW_OTHER_REGIME);
    ck_assert_double_eq_tol(found.durations[1].timer_factor, 1.1, 1e-4);
    ck_assert_double_nan(found.durations[0].timer_factor);
}
END_TEST

/* Pinned and managed memory are one work to a simulator, which gets the first; pageable memory is
 * left to people by its own column. */
START_TEST(forms)
{
    for (uint32_t f = 0; f < 3; f++) {
        uint32_t c = lab_case(lab, SL_CASE_ALONE, 5, NULL, 0);
        lab->cases[c].shot.victim.form = f;
        plant_alone(c, 3, 10, 1e5);
    }
    lab_estimate(lab, &found);
    ck_assert_int_eq(found.durations[0].status, SL_ROW_OK);
    ck_assert_int_eq(found.durations[1].status, SL_ROW_OTHER_FORM);
    ck_assert_int_eq(found.durations[2].status, SL_ROW_OK);
}
END_TEST

/* 25 GB/s and 6 us, and one size at which it takes twice as long: the line is that of the others.
 */
START_TEST(routes)
{
    lab->noise = 1e-7;
    lab->between = 1e-7;
    for (size_t s = 0; s < 4; s++) {
        uint32_t c = lab_case(lab, SL_CASE_ALONE, 0, NULL, 0);
        lab->cases[c].shot.victim.bytes = lab_sizes[s];
        plant_alone(c, 3, 6, (s == 1 ? 2 : 1) * (6000 + (double)lab_sizes[s] / 25));
    }
    lab_estimate(lab, &found);
    ck_assert_uint_eq(found.route_count, 1);
    const struct sl_route_estimate *route = &found.routes[0];
    ck_assert_uint_eq(route->sizes, 4);
    ck_assert_double_eq_tol(route->bytes_per_s.value, 25e9, 25e9 * 1e-5);
    ck_assert_double_eq_tol(route->overhead_ns.value, 6000, 1);
    ck_assert(route->bytes_per_s.lo <= 25e9 * (1 + 1e-5) &&
              25e9 * (1 - 1e-5) <= route->bytes_per_s.hi);
    ck_assert_double_eq_tol(route->worst, 0.5, 1e-4);
    ck_assert_uint_eq(route->largest, 3);
}
END_TEST

static double checksum(void)
{
    double sum = 0;
    for (uint32_t i = 0; i < found.kappa_count; i++)
        sum += found.kappas[i].kappa.value + found.kappas[i].kappa.hi * 3 + found.kappas[i].sd * 7;
    return sum;
}

/* The order in which measurements come in says nothing. */
START_TEST(any_order)
{
    uint32_t other = 1, c = lab_case(lab, SL_CASE_PAIR, 0, &other, 1);
    lab_sessions(lab, c, 4, 20, 1.5);
    lab_estimate(lab, &found);
    double before = checksum();
    gsl_ran_shuffle(lab->rng, lab->items, lab->count, sizeof *lab->items);
    sl_estimates_free(&found);
    lab_estimate(lab, &found);
    ck_assert_double_eq(checksum(), before);
}
END_TEST

START_TEST(nothing_measured)
{
    uint32_t other = 1, c = lab_case(lab, SL_CASE_PAIR, 0, &other, 1);
    lab_estimate(lab, &found);
    ck_assert_uint_eq(found.kappa_count + found.duration_count + found.sessions, 0);
    ck_assert_uint_eq(found.best, SL_NONE);
    sl_estimates_free(&found);
    lab_session(lab, c, 1, 1, 1.5);
    lab->items[0].session = SL_SESSIONS_MOST + 1;
    struct sl_error err = {0};
    lab->measured = (struct sl_measured){&lab->list, lab->items, lab->count};
    found = (struct sl_estimates){0};
    ck_assert_int_eq(sl_estimate(&found, &lab->measured, &err), SL_INVALID);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("estimate");
    TCase *tests = tcase_create("estimate");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, by_hand);
    tcase_add_test(tests, coverage_of_three_sessions);
    tcase_add_test(tests, coverage_of_a_table);
    tcase_add_test(tests, outliers_and_retakes);
    tcase_add_test(tests, late_aggressors);
    tcase_add_test(tests, regimes_never_mix);
    tcase_add_test(tests, bound_of_the_control);
    tcase_add_test(tests, modes);
    tcase_add_test(tests, too_few);
    tcase_add_test(tests, durations);
    tcase_add_test(tests, timers_and_regimes);
    tcase_add_test(tests, forms);
    tcase_add_test(tests, routes);
    tcase_add_test(tests, any_order);
    tcase_add_test(tests, nothing_measured);
    suite_add_tcase(suite, tests);
    return sl_test_run(suite);
}

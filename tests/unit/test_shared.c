/* What durations share, on synthetic shots with a planted state of the machine: it is found with
 * the coverage that is stated, nothing is found where nothing is, and a scenario that uses the
 * device has the spread of a sum that follows from what was planted. */
#include <config.h> /* nftw */

#include "common_fit.h"
#include "coverage.h"
#include "measuredlab.h"
#include "planlab.h"
#include "quantile.h"
#include "summary.h"
#include "tables.h"
#include <ftw.h>

enum { CLASSES = 3, SHOTS = 4, MS = 1000000 };

/* ln of a duration = common x z + alone x w of its class + own x noise.  z and w hold for a stretch
 * of four shots within 8 ms; the next is 50 ms later. */
struct truth {
    double common[CLASSES], alone[CLASSES], own;
};

static struct lab *lab;
static struct sl_estimates found;

static void begin(void)
{
    lab = lab_create(11);
    found = (struct sl_estimates){0};
}

static void end(void)
{
    sl_estimates_free(&found);
    lab_free(lab);
}

/* Two cases of each class. */
static void make_cases(enum sl_case_kind kind)
{
    uint32_t other = 4, others = kind == SL_CASE_PAIR;
    for (uint32_t k = 0; k < 2 * CLASSES; k++) {
        uint32_t c = lab_case(lab, kind, 1 + k / 2, &other, others);
        lab->cases[c].key = k % 2 ? "alone:one" : "alone:two";
        lab->cases[c].shot.victim.bytes = k % 2 ? 1048576 : 16777216;
    }
}

static void stretch(const struct truth *truth, uint32_t session, int64_t at_ns)
{
    double z = gsl_ran_ugaussian(lab->rng), w[CLASSES];
    for (int k = 0; k < CLASSES; k++)
        w[k] = gsl_ran_ugaussian(lab->rng);
    for (int i = 0; i < SHOTS; i++) {
        uint32_t c = (uint32_t)gsl_rng_uniform_int(lab->rng, 2 * CLASSES);
        double x = truth->common[c / 2] * z + truth->alone[c / 2] * w[c / 2] +
                   gsl_ran_gaussian(lab->rng, truth->own);
        lab_shot(lab, c, session, 0, SL_ROLE_ALONE, (c % 2 ? 1 : 16) * 1e6 * exp(x))->begin_ns =
            at_ns + 2 * i * MS;
    }
}

static void plant(const struct truth *truth, uint32_t sessions, int stretches)
{
    lab->count = 0;
    lab->seq = 0;
    for (uint32_t s = 1; s <= sessions; s++)
        for (int i = 0; i < stretches; i++)
            stretch(truth, s, (int64_t)i * 50 * MS);
}

static void estimate(void)
{
    sl_estimates_free(&found);
    lab_estimate(lab, &found);
}

/* Of a correlation that is a product, the loadings come back; of two classes, whose product alone
 * is known, both get its root; a product above 1 stays at 1 and below 0 at 0. */
START_TEST(loadings_by_hand)
{
    const bool all[] = {true, true, true}, two[] = {true, false, true};
    const double sd[] = {0.1, 0.2, 0.05}, r[] = {0.9, 0.5, 0.3};
    double c[9], sds[3];
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            c[3 * a + b] = sd[a] * sd[b] * (a == b ? 1 : r[a] * r[b]);
    sl_common_fit(c, all, 3, sds);
    for (int a = 0; a < 3; a++)
        ck_assert_double_eq_tol(sds[a], r[a] * sd[a], 1e-6);
    sl_common_fit(c, two, 3, sds);
    ck_assert_double_eq_tol(sds[0], 0.1 * sqrt(0.27), 1e-9);
    ck_assert_double_eq(sds[1], 0);
    ck_assert_double_eq_tol(sds[2], 0.05 * sqrt(0.27), 1e-9);
    c[2] = c[6] = 0.1 * 0.05 * 1.3;
    sl_common_fit(c, two, 3, sds);
    ck_assert_double_eq_tol(sds[0], 0.1, 1e-12);
    c[2] = c[6] = -0.001;
    sl_common_fit(c, two, 3, sds);
    ck_assert_double_eq(sds[0], 0);
    c[2] = c[6] = (double)NAN;
    sl_common_fit(c, two, 3, sds);
    ck_assert_double_eq(sds[2], 0);
}
END_TEST

/* Intervals of what a class shares are Student's t of products, which are skewed, and of its common
 * part a jackknife: held to 90%, of 95% said.  All three classes and the common factor are there in
 * nearly all calibrations, the shared variance being 10 standard errors or so. */
START_TEST(planted_noise_is_recovered)
{
    enum { REPETITIONS = 200 };
    const struct truth truth = {{0.07, 0.05, 0.06}, {0.03, 0.04, 0.05}, 0.05};
    size_t covered = 0, common = 0, seen = 0, both = 0;
    make_cases(SL_CASE_PAIR);
    for (int i = 0; i < REPETITIONS; i++) {
        plant(&truth, 8, 100);
        estimate();
        ck_assert_uint_eq(found.shared_count, CLASSES);
        for (int k = 0; k < CLASSES; k++) {
            const struct sl_shared_estimate *row = &found.shared[k];
            double variance = truth.common[k] * truth.common[k] + truth.alone[k] * truth.alone[k];
            covered += row->variance.lo <= variance && variance <= row->variance.hi;
            seen += row->counts;
            common += row->common_sd.lo <= truth.common[k] && truth.common[k] <= row->common_sd.hi;
        }
        both += found.is_common;
    }
    double alarm = coverage_keeps("shared variance", covered, CLASSES * REPETITIONS, 0.9);
    alarm += coverage_keeps("common part", common, CLASSES * REPETITIONS, 0.9);
    alarm += coverage_keeps("classes that count", seen, CLASSES * REPETITIONS, 0.95);
    alarm += coverage_keeps("common factors", both, REPETITIONS, 0.95);
    ck_assert_double_lt(alarm, 5e-3);
}
END_TEST

/* Shots that vary by themselves have no factor in 95% of calibrations, of 3 sessions and of 8; nor
 * have classes that vary together, but each by itself, a common one. */
START_TEST(nothing_is_found_where_nothing_is)
{
    enum { REPETITIONS = 400 };
    const struct truth independent = {{0}, {0}, 0.08}, apart = {{0}, {0.08, 0.06, 0.05}, 0.05};
    const uint32_t sessions = _i == 0 ? 3 : 8;
    size_t silent = 0, none = 0;
    make_cases(SL_CASE_PAIR);
    for (int i = 0; i < REPETITIONS; i++) {
        plant(&independent, sessions, 60);
        estimate();
        bool any = found.is_common;
        for (int k = 0; k < CLASSES; k++)
            any |= found.shared[k].counts;
        silent += !any;
        plant(&apart, sessions, 60);
        estimate();
        none += !found.is_common;
    }
    double alarm = coverage_keeps("without a factor", silent, REPETITIONS, 0.95);
    alarm += coverage_keeps("without a common one", none, REPETITIONS, 0.95);
    ck_assert_double_lt(alarm, 2e-3);
}
END_TEST

/* One shot in fifty takes five times as long, whatever the state: clipped, it adds (0.02 x 0.5)^2
 * to no covariance, as it hits neighbours independently. */
START_TEST(interruptions_are_no_state)
{
    const struct truth truth = {{0.08, 0.08, 0.08}, {0}, 0.03};
    make_cases(SL_CASE_PAIR);
    plant(&truth, 8, 400);
    for (size_t i = 0; i < lab->count; i++)
        if (gsl_rng_uniform_int(lab->rng, 50) == 0)
            lab->items[i].sample.dur_ns *= 5;
    estimate();
    /* 3200 stretches: 0.0064 sqrt(2 / 3200) = 0.00016 of the states alone */
    for (int k = 0; k < CLASSES; k++)
        ck_assert_double_eq_tol(found.shared[k].variance.value, 0.0064, 4.5 * 0.0003);
}
END_TEST

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)kind;
    (void)place;
    return remove(path);
}

/* p90 / median, as a logarithm, of the makespans of `nodes` works of class stream in a row. */
static double spread_of_sum(const char *device, int nodes)
{
    enum { TRIALS = 4000 };
    static double makespans[TRIALS];
    static struct planlab plans;
    struct planlab_run run = {0};
    char yaml[900], table[1500] = "node,kind,class,resource,work\n";
    snprintf(yaml, sizeof yaml, "name: sum\ndevice: %s\nresources: {r: {servers: 1}}\n", device);
    for (int i = 0; i < nodes; i++)
        snprintf(table + strlen(table), sizeof table - strlen(table),
                 "n%d,compute,stream,r,bytes=1MiB\n", i);
    planlab_open(&plans, yaml, table, NULL);
    planlab_plan(&plans, "as-given");
    planlab_trial(&plans, &run);
    for (uint32_t i = 0; i < TRIALS; i++) {
        ck_assert_int_eq(sl_worker_run(run.worker, 1, i, 0, &run.trial, &plans.err), SL_OK);
        makespans[i] = (double)run.trial->makespan_ps;
    }
    sl_sort_doubles(makespans, TRIALS);
    planlab_end(&run);
    planlab_close(&plans);
    return log(sl_quantile(makespans, TRIALS, 0.9, 0.95).value /
               sl_quantile(makespans, TRIALS, 0.5, 0.95).value);
}

/* What was planted is what a simulator makes of the device: ln of a node has variance c^2 + a^2 +
 * o^2, of a sum of n c^2 + a^2 + ln(1 + (exp(o^2) - 1) / n), and p90 / median = exp(1.2816 sd).
 * Its error: 2.2 sd / sqrt(4000) of the trials, and of 3200 stretches 1 / sqrt(6400) of the planted
 * state's own sd: 0.037 of the logarithm together. */
START_TEST(a_sum_has_the_planted_spread)
{
    const struct truth truth = {{0.07, 0.05, 0.06}, {0.04, 0.02, 0.02}, 0.06};
    static const struct sl_bench_layout layout = {.actors_max = 1};
    static const struct sl_fingerprint fingerprint = {0};
    static const struct sl_backend backend = {.name = "script", .description = "a test"};
    const struct sl_provenance provenance = {&backend, &layout, &fingerprint, 1, "now"};
    struct tempdir dir;
    struct sl_error err = {0};
    char device[700];
    make_cases(SL_CASE_ALONE);
    plant(&truth, 8, 400);
    estimate();
    tempdir_make(&dir);
    snprintf(device, sizeof device, "%s/device", dir.path);
    ck_assert_msg(sl_tables_write(device, &found, &provenance, &err) == SL_OK, "%s", err.message);
    double shared = 0.07 * 0.07 + 0.04 * 0.04, own = 0.06 * 0.06;
    for (int n = 1; n <= 20; n += 19) {
        double expected = 1.2816 * sqrt(shared + log1p(expm1(own) / n));
        ck_assert_double_eq_tol(spread_of_sum(device, n), expected, 4.5 * 0.037 * expected);
    }
    ck_assert_double_eq_tol(found.durations[0].own_share, sqrt(own / (own + shared)), 0.03);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(out);
    ck_assert_int_eq(sl_summary_print(&found, out, NULL), SL_OK);
    fclose(out);
    ck_assert_msg(strstr(text, "20 works of stream in a row have their p90 11") &&
                      strstr(text, "classes have it in common"),
                  "%s", text);
    free(text);
    nftw(dir.path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
END_TEST

/* Shots that are too short, too far apart or of one case are no neighbours; nor are those of
 * another regime, so that of four shots in three regimes in turn the first and the last may be: of
 * 800 stretches a third is of the dominant one, and of two cases 1 / 18 are the two of one class.
 */
START_TEST(who_is_a_neighbour)
{
    const struct truth truth = {{0.08, 0.08, 0.08}, {0}, 0.02};
    make_cases(SL_CASE_PAIR);
    plant(&truth, 8, 100);
    for (size_t i = 0; i < lab->count; i++) {
        struct sl_measurement *item = &lab->items[i];
        if (_i == 0)
            item->sample.dur_ns /= 1000;
        else if (_i == 1)
            item->begin_ns = (int64_t)i * (SL_SHARED_WINDOW_NS + 1);
        else if (_i == 2)
            item->regime = i % 3 == 2 ? "b" : i % 3 == 1 ? "a" : "c";
        else
            item->case_index = 0;
    }
    estimate();
    for (uint32_t k = 0; k < found.shared_count; k++)
        ck_assert_uint_le(found.shared[k].pairs, _i == 2 ? 40 : 0);
    for (uint32_t k = 0; _i != 2 && k < 1 + CLASSES; k++)
        ck_assert_double_eq(sl_shared_sd(&found, k), 0);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("shared");
    TCase *c = tcase_create("shared");
    tcase_add_checked_fixture(c, begin, end);
    tcase_add_test(c, loadings_by_hand);
    tcase_add_test(c, planted_noise_is_recovered);
    tcase_add_loop_test(c, nothing_is_found_where_nothing_is, 0, 2);
    tcase_add_test(c, interruptions_are_no_state);
    tcase_add_test(c, a_sum_has_the_planted_spread);
    tcase_add_loop_test(c, who_is_a_neighbour, 0, 4);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}

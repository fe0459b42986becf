/* What must follow for the run of a changed graph, whatever the run is: relations on random legal
 * scenarios and on those of scenarios/, under their policies.
 *
 *     all times by 2       durations, latencies, lags, releases, deadlines, windows, aging: every
 * time doubles; and so with arrivals of jobs other names          of nodes, keys kept, before
 * planning: nothing else changes other rows           of a graph without ties: nothing changes a
 * node in two        of constant duration, while nobody waits: no other finish changes a node
 * without time  and without demands: no finish changes more trials          narrow intervals as 1 /
 * sqrt(n)
 *
 * Tolerances stand at each relation, in metamorphic_relations.c, and below.  But for names and
 * trials they look at the plan with the durations that one trial drew, as constants. */
#include <config.h>

#include "cell.h"
#include "draft.h"
#include "harness.h"
#include "metamorphic.h"
#include "quantile.h"
#include "random_scenario.h"
#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    unsigned (*relate)(struct subject *s);
    unsigned least; /* comparisons of 100 plans of random scenarios */
} relations[] = {
    {"all times by 2", relate_scaled, 90}, {"all times by 2, jobs", relate_scaled_jobs, 10},
    {"other names", relate_renamed, 95},   {"other rows", relate_permuted, 85},
    {"a node in two", relate_split, 50},   {"a node without time", relate_idle, 95}};
enum { RELATIONS = sizeof relations / sizeof *relations };

struct tally {
    unsigned plans, done[RELATIONS];
};

static void relate(struct sl_scenario *scenario, const struct sl_policy_spec *policy,
                   const char *name, uint64_t seed, struct tally *tally)
{
    struct sl_plan plan;
    struct sl_error err = {0};
    char what[512];
    snprintf(what, sizeof what, "%s, policy %s", name, policy->name);
    struct subject s = {.what = what, .scenario = scenario, .policy = policy, .plan = &plan};
    s.seed = seed;
    s.dice.state = seed + 1;
    if (sl_policy_plan(&plan, scenario, policy, NULL, &err) == SL_OK && subject_open(&s)) {
        tally->plans++;
        for (int r = 0; r < RELATIONS; r++)
            tally->done[r] += relations[r].relate(&s);
        subject_close(&s);
    }
    sl_plan_free(&plan);
}

static void report(const char *of, const struct tally *tally)
{
    printf("# %s: %u plans", of, tally->plans);
    for (int r = 0; r < RELATIONS; r++)
        printf(", %s %u", relations[r].name, tally->done[r]);
    printf("\n");
}

/* ---- random scenarios ------------------------------------------------------------------------ */

#define PARTS     4
#define SCENARIOS sl_test_cases(sl_test_long() ? 1000u : 50u) /* of a part */

static void relate_random(struct tempdir *dir, uint64_t seed, struct tally *tally)
{
    static struct random_scenario made;
    struct sl_scenario scenario;
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    char name[64];
    random_scenario_make(&made, seed);
    draft_write(&made.draft, dir);
    snprintf(name, sizeof name, "scenario %llu", (unsigned long long)seed);
    enum sl_status status = sl_scenario_load(&scenario, dir->path, NULL, 0, &diags, &err);
    ck_assert_msg(status == SL_OK, "%s: %s", name, err.message);
    const struct sl_policy_spec *given = sl_scenario_policy(&scenario, "as-given");
    if (given)
        relate(&scenario, given, name, seed, tally);
    relate(&scenario, &scenario.policies[seed % scenario.policy_count], name, seed, tally);
    sl_scenario_free(&scenario);
    sl_diags_free(&diags);
}

START_TEST(random_scenarios)
{
    struct tally tally = {0};
    struct tempdir dir;
    tempdir_make(&dir);
    for (uint32_t k = 0; k < SCENARIOS; k++)
        relate_random(&dir, (uint64_t)_i * SCENARIOS + k, &tally);
    tempdir_remove(&dir);
    report("random scenarios", &tally);
    for (int r = 0; r < RELATIONS; r++)
        ck_assert_msg(tally.done[r] * 100 >= relations[r].least * tally.plans,
                      "%s: %u times of %u plans", relations[r].name, tally.done[r], tally.plans);
}
END_TEST

/* ---- the scenarios that come with it --------------------------------------------------------- */

/* Those of modes once and iterate. */
static const char *const folders[] = {"activation-remat",
                                      "break-even",
                                      "hello",
                                      "optimizer-offload/cpu-step",
                                      "optimizer-offload/gpu-step",
                                      "moe-prefetch",
                                      "train-steady",
                                      "two-gpu",
                                      "weight-stream",
                                      "activation-offload",
                                      "counterexamples/exposed-offload-round-trips",
                                      "counterexamples/maximize-overlap",
                                      "counterexamples/median-improves-tail-regresses",
                                      "counterexamples/offload-largest-first",
                                      "counterexamples/prefetch-as-early-as-possible",
                                      "counterexamples/rematerialization-delays-consumer",
                                      "counterexamples/rematerialize-because-cheap-in-isolation",
                                      "counterexamples/speculation-starves-demand"};

START_TEST(own_scenarios)
{
    struct tally tally = {0};
    struct sl_scenario scenario;
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    char path[4096];
    snprintf(path, sizeof path, "%.3000s/scenarios/%s", getenv("SL_SRCDIR"), folders[_i]);
    enum sl_status status = sl_scenario_load(&scenario, path, NULL, 0, &diags, &err);
    ck_assert_msg(status == SL_OK, "%s: %s", path, err.message);
    if (!sl_test_long() && scenario.iterations > 6) /* rules of iterations do not depend on them */
        scenario.iterations = 6;
    for (uint32_t p = 0; p < scenario.policy_count; p++)
        relate(&scenario, &scenario.policies[p], folders[_i], p + 1, &tally);
    report(folders[_i], &tally);
    ck_assert_uint_gt(tally.plans, 0);
    sl_scenario_free(&scenario);
    sl_diags_free(&diags);
}
END_TEST

/* ---- more trials ----------------------------------------------------------------------------- */

enum { SEEDS = 40, FEW = 1000, MANY = 4 * FEW };

/* Logarithms of the widths of a cell's intervals: of its mean, median and 90% quantile. */
struct widths {
    double log[3];
};

static struct widths widths_of(struct sl_scenario *scenario, uint32_t trials, uint64_t seed)
{
    struct sl_run_options options = {.trials = trials, .seed_given = true, .seed = seed};
    const struct sl_policy_spec *policy = sl_scenario_policy(scenario, "fetch-early");
    struct sl_cell_spec spec = {.policy = policy->name};
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    struct sl_cell cell;
    struct widths widths;
    ck_assert_msg(sl_cell_run(&cell, scenario, policy, &spec, &options, &diags, &err) == SL_OK,
                  "%s", err.message);
    ck_assert_uint_eq(cell.trials, trials);
    const struct sl_estimate estimates[] = {cell.mean, cell.median, cell.p90};
    for (int k = 0; k < 3; k++)
        widths.log[k] = log(estimates[k].hi - estimates[k].lo);
    sl_cell_free(&cell);
    sl_diags_free(&diags);
    return widths;
}

/* Four times the trials halve an interval: over forty pairs of seeds the mean of ln(width of n /
 * width of 4n) is ln 2, up to its own error by Student's t and 0.03, since the ranks of the limits
 * are whole numbers: 63 apart for the median of 1000, 125 for 4000.  A fresh choice of seeds would
 * fail with a chance of at most 1e-5 for each of the three. */
START_TEST(more_trials)
{
    static const char *const names[] = {"mean", "median", "90% quantile"};
    struct sl_scenario scenario;
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    char path[4096];
    double ratio[3][SEEDS];
    snprintf(path, sizeof path, "%.3000s/scenarios/hello", getenv("SL_SRCDIR"));
    ck_assert_int_eq(sl_scenario_load(&scenario, path, NULL, 0, &diags, &err), SL_OK);
    for (uint32_t r = 0; r < SEEDS; r++) {
        struct widths few = widths_of(&scenario, FEW, 2 * r + 1);
        struct widths many = widths_of(&scenario, MANY, 2 * r + 2);
        for (int k = 0; k < 3; k++)
            ratio[k][r] = few.log[k] - many.log[k];
    }
    for (int k = 0; k < 3; k++) {
        struct sl_estimate mean = sl_mean(ratio[k], SEEDS, 1 - 1e-5);
        printf("# %s: 4 times the trials, 1/%.3f of the width\n", names[k], exp(mean.value));
        ck_assert_msg(fabs(mean.value - log(2)) <= mean.hi - mean.value + 0.03,
                      "%s: ln of the ratio is %g +- %g, expected %g", names[k], mean.value,
                      mean.hi - mean.value, log(2));
        ck_assert_double_lt(mean.hi - mean.value, 0.2); /* 1 / n and 1 / n^(1/4) would be seen */
    }
    sl_scenario_free(&scenario);
    sl_diags_free(&diags);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("metamorphic");
    TCase *c = tcase_create("relations");
    tcase_set_timeout(c, 0);
    tcase_add_loop_test(c, random_scenarios, 0, PARTS);
    tcase_add_loop_test(c, own_scenarios, 0, (int)(sizeof folders / sizeof *folders));
    tcase_add_test(c, more_trials);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    if (!getenv("SL_SRCDIR"))
        return sl_test_skip("SL_SRCDIR names the source; make check");
    return sl_test_run(suite());
}

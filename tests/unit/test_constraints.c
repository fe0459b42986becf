/* Declared constraints over trials: shares against a known probability and exact binomial tails. */
#include <config.h>

#include "celllab.h"
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#define TRIALS 1000

/* An exponential of mean 100us stays below 100us ln 10 with probability 0.9, and takes 1GiB. */
static void run(struct celllab *lab, struct sl_cell *cell, const char *constraints)
{
    char yaml[800];
    snprintf(yaml, sizeof yaml,
             "name: known\nnodes: nodes.csv\nresources:\n  compute: {servers: 1}\n"
             "domains:\n  hbm: {capacity: 8GiB, reserve: 1GiB}\n"
             "objective: {constraints: [%s]}\n" CELLLAB_TAIL "1000\n",
             constraints);
    celllab_open(lab, yaml,
                 "node,kind,resource,duration,workspace\n"
                 "a,compute,compute,exponential(mean=100us),hbm:1GiB\n"
                 "b,compute,compute,0us,\n",
                 NULL, NULL, NULL);
    celllab_run(lab, cell);
}

/* What the limits say, by the tails of the binomial at the bound itself. */
static enum sl_constraint_state by_tails(unsigned kept, double bound)
{
    if (1 - gsl_cdf_binomial_P(kept - 1, bound, TRIALS) <= 0.025)
        return SL_CONSTRAINT_HOLDS;
    if (gsl_cdf_binomial_P(kept, bound, TRIALS) < 0.025)
        return SL_CONSTRAINT_BROKEN;
    return kept >= bound * TRIALS ? SL_CONSTRAINT_HOLDS_OPEN : SL_CONSTRAINT_BROKEN_OPEN;
}

/* The share lies 3.9 standard deviations around 0.9: a false alarm in 10,000 seeds.  0.83 and 0.97
 * are far outside its interval then. */
START_TEST(known_probability)
{
    struct celllab lab;
    struct sl_cell cell;
    run(&lab, &cell,
        "P(makespan <= 230.258509us) >= 0.83, P(makespan <= 230.258509us) >= 0.9, "
        "P( makespan<=230.258509us )>=97%");
    ck_assert_uint_eq(cell.constraint_count, 3);
    const struct sl_constraint_outcome *outcomes = cell.constraints;
    double share = outcomes[1].estimate.value;
    ck_assert_double_eq_tol(share, 0.9, 3.9 * sqrt(0.1 * 0.9 / TRIALS));
    ck_assert_int_eq(outcomes[0].state, SL_CONSTRAINT_HOLDS);
    ck_assert_int_eq(outcomes[1].state, by_tails((unsigned)lround(share * TRIALS), 0.9));
    ck_assert_int_eq(outcomes[2].state, SL_CONSTRAINT_BROKEN);
    ck_assert_int_eq(cell.verdict, SL_VERDICT_INFEASIBLE);
    ck_assert_msg(strstr(cell.reason, ">=97%' does not hold") != NULL, "%s", cell.reason);
    sl_cell_free(&cell);
    celllab_close(&lab);
}
END_TEST

/* Every trial keeps it: 1,000 of them show 0.025^(1/1000) = 0.9963, not 0.999, which takes 3,688;
 * and none of a probability that no trial keeps is left to doubt. */
START_TEST(certain_but_not_settled)
{
    struct celllab lab;
    struct sl_cell cell;
    run(&lab, &cell, "P(peak.hbm <= 1GiB) >= 0.999, P(max_wait <= 1s) >= 0.99");
    ck_assert_int_eq(cell.constraints[0].state, SL_CONSTRAINT_HOLDS_OPEN);
    ck_assert_double_eq(cell.constraints[0].estimate.value, 1);
    ck_assert_double_eq_tol(cell.constraints[0].estimate.lo, pow(0.025, 1e-3), 1e-12);
    ck_assert_double_eq(cell.constraints[0].trials_to_settle, 3688);
    ck_assert_int_eq(cell.constraints[1].state, SL_CONSTRAINT_HOLDS);
    ck_assert_int_eq(cell.verdict, SL_VERDICT_OK);
    ck_assert_str_eq(cell.reason,
                     "constraint 'P(peak.hbm <= 1GiB) >= 0.999' holds in 100% [99.63%, 100%] of "
                     "trials; whether 99.9% is not settled (about 3,688 trials would)");
    ck_assert_int_eq(lab.scenario.starvation_bound_ps, -1); /* a share of trials is no bound */
    sl_cell_free(&cell);
    celllab_close(&lab);
    run(&lab, &cell, "P(peak.hbm <= 1023MiB) >= 0.001");
    ck_assert_int_eq(cell.constraints[0].state, SL_CONSTRAINT_BROKEN_OPEN); /* hi 0.0037 */
    ck_assert_double_eq(cell.constraints[0].trials_to_settle, 3688);
    ck_assert_int_eq(cell.verdict, SL_VERDICT_OK);
    sl_cell_free(&cell);
    celllab_close(&lab);
    run(&lab, &cell, "P(peak.hbm <= 1023MiB) >= 0.004");
    ck_assert_int_eq(cell.verdict, SL_VERDICT_INFEASIBLE);
    sl_cell_free(&cell);
    celllab_close(&lab);
}
END_TEST

/* A broken constraint is the reason, whatever else is open. */
START_TEST(broken_before_open)
{
    struct celllab lab;
    struct sl_cell cell;
    run(&lab, &cell, "P(peak.hbm <= 1GiB) >= 0.999, mean <= 1us, tail <= 1h");
    ck_assert_int_eq(cell.verdict, SL_VERDICT_INFEASIBLE);
    ck_assert_msg(strncmp(cell.reason, "constraint 'mean <= 1us' does not hold: mean is", 47) == 0,
                  "%s", cell.reason);
    ck_assert_int_eq(cell.constraints[2].state, SL_CONSTRAINT_HOLDS);
    sl_cell_free(&cell);
    celllab_close(&lab);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("constraints");
    TCase *tcase = tcase_create("constraints");
    tcase_add_test(tcase, known_probability);
    tcase_add_test(tcase, certain_but_not_settled);
    tcase_add_test(tcase, broken_before_open);
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    return sl_test_run(suite());
}

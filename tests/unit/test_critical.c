/* Criticality, on graphs whose chains have closed forms. */
#include <config.h>

#include "celllab.h"
#include "result_parts.h"
#include <math.h>

#define HEAD "name: paths\nnodes: nodes.csv\nresources:\n  gpu: {servers: 1}\n  dma: {servers: 1}\n"

/* A constant of 100us beside an exponential of mean 100us, a server each: the exponential is the
 * chain when it is longer, with probability 1/e, and the constant otherwise.  4,000 trials, 3.9
 * standard deviations: a false alarm in 10,000 seeds. */
START_TEST(longer_of_two)
{
    struct celllab lab;
    struct sl_cell cell;
    celllab_open(&lab, HEAD CELLLAB_TAIL "4000\n",
                 "node,kind,resource,duration\nfixed,compute,gpu,100us\n"
                 "wild,compute,dma,exponential(mean=100us)\n",
                 NULL, NULL, NULL);
    celllab_run(&lab, &cell);
    double p = exp(-1), spread = 3.9 * sqrt(p * (1 - p) / 4000);
    uint32_t fixed = celllab_node(&cell, "fixed"), wild = celllab_node(&cell, "wild"), longer = 0;
    for (uint32_t t = 0; t < cell.trials; t++)
        longer += cell.metric_ps[t] > 100000000;
    struct sl_estimate share = sl_criticality(&cell, wild);
    ck_assert_double_eq_tol(share.value, p, spread);
    ck_assert_uint_eq(cell.nodes.on_chain[wild], longer);
    ck_assert_uint_eq(cell.nodes.on_chain[fixed], 4000 - longer);
    /* The normal interval, to which the exact one is close at such a share: 0.1 percentage points.
     */
    double half = 1.96 * sqrt(share.value * (1 - share.value) / 4000);
    ck_assert_double_eq_tol(share.lo, share.value - half, 0.001);
    ck_assert_double_eq_tol(share.hi, share.value + half, 0.001);
    sl_cell_free(&cell);
    celllab_close(&lab);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("critical");
    TCase *tcase = tcase_create("critical");
    tcase_add_test(tcase, longer_of_two);
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    return sl_test_run(suite());
}

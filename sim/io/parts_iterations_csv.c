/* iterations.csv: a row per iteration of a cell, cold and warm ones told apart. */
#include "figures.h"
#include "result_parts.h"

static void iterations_header(FILE *out, const struct sl_scenario *scenario)
{
    (void)scenario;
    fputs("cell,iteration,phase,mean_us,mean_lo_us,mean_hi_us,median_us,p99_us\n", out);
}

static void iterations_rows(FILE *out, const struct sl_cell *cell)
{
    const struct sl_iterations *all = &cell->iterations;
    for (uint32_t k = 0; k < all->count && all->rows; k++) {
        fprintf(out, "%u,%u,%s", cell->spec.index, k + 1, k < all->warmup ? "cold" : "warm");
        sl_put_estimate(out, all->rows[k].mean);
        sl_put_number(out, all->rows[k].median);
        sl_put_number(out, all->rows[k].p99);
        putc('\n', out);
    }
}

const struct sl_part sl_part_iterations = {"iterations.csv", iterations_header, iterations_rows, SL_PART_OF_PLANS};

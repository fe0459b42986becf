/* stalls.csv: what every resource did with the makespan. */
#include "figures.h"
#include "result_parts.h"
#include "units.h"

static void stalls_header(FILE *out, const struct sl_scenario *scenario)
{
    (void)scenario;
    fputs("cell,resource,cause,trials,mean_us,share\n", out);
}

static void stalls_row(FILE *out, const struct sl_cell *cell, uint32_t resource, const char *cause,
                       int64_t ps)
{
    double makespans = (double)sl_stalls_total(&cell->resource_stalls[resource]);
    fprintf(out, "%u", cell->spec.index);
    sl_put_text(out, cell->scenario->platform.resource_names.names[resource]);
    sl_put_text(out, cause);
    sl_put_integer(out, cell->stall_trials);
    sl_put_number(out, (double)ps / cell->stall_trials / SL_PS_PER_US);
    sl_put_number(out, makespans > 0 ? (double)ps / makespans : 0);
    putc('\n', out);
}

static void stalls_rows(FILE *out, const struct sl_cell *cell)
{
    uint32_t resources = cell->scenario->platform.resource_names.count;
    for (uint32_t r = 0; cell->stall_trials > 0 && r < resources; r++) {
        const struct sl_stalls *stalls = &cell->resource_stalls[r];
        stalls_row(out, cell, r, "busy", stalls->busy_ps);
        for (unsigned k = 0; k < SL_STALLS; k++)
            if (stalls->idle_ps[k] > 0)
                stalls_row(out, cell, r, sl_stall_name(k), stalls->idle_ps[k]);
    }
}

const struct sl_part sl_part_stalls = {"stalls.csv", stalls_header, stalls_rows};

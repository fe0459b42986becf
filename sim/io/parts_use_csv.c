/* stalls.csv and overlap.csv: what resources did with the makespan, and classes beside each other.
 */
#include "figures.h"
#include "result_parts.h"
#include "units.h"
#include <math.h>

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

const struct sl_part sl_part_stalls = {"stalls.csv", stalls_header, stalls_rows, SL_PART_OF_PLANS};

/* overlap.csv: time in which a node of class a and one of class b ran together (a = b: two of the
 * class), mean per trial.  An overlap is not time saved: what it saved and cost is beside it. */

static void overlap_header(FILE *out, const struct sl_scenario *scenario)
{
    (void)scenario;
    fputs("cell,a,b,overlap_us,a_busy_us,b_busy_us,attributed_trials,attributed_overlap_us,"
          "saved_us,a_inflation_us,b_inflation_us\n",
          out);
}

static void put_pair(FILE *out, const struct sl_cell *cell, uint32_t a, uint32_t b)
{
    uint32_t classes = cell->scenario->platform.kappa.classes.count;
    double scale = 1.0 / cell->pair_trials / SL_PS_PER_US;
    sl_put_integer(out, cell->pair_trials);
    if (cell->pair_trials == 0) {
        fputs(",,,,", out);
        return;
    }
    const struct sl_pair_sums *pair = &cell->pairs[(size_t)a * classes + b];
    const struct sl_pair_sums *mirror = &cell->pairs[(size_t)b * classes + a];
    sl_put_number(out, (double)pair->overlap_ps * scale);
    sl_put_number(out, (double)pair->saved_ps * scale);
    sl_put_number(out, (double)pair->inflation_ps * scale);
    sl_put_number(out, a == b ? NAN : (double)mirror->inflation_ps * scale);
}

static void overlap_rows(FILE *out, const struct sl_cell *cell)
{
    const struct sl_names *classes = &cell->scenario->platform.kappa.classes;
    uint32_t completed = cell->trials - cell->deadlocked;
    if (!cell->overlap_ps || !cell->class_busy_ps || completed == 0)
        return;
    for (uint32_t a = 0; a < classes->count; a++) {
        for (uint32_t b = a; b < classes->count; b++) {
            double scale = 1.0 / completed / SL_PS_PER_US;
            double ps = (double)cell->overlap_ps[(size_t)a * classes->count + b];
            if (ps <= 0)
                continue;
            fprintf(out, "%u", cell->spec.index);
            sl_put_text(out, classes->names[a]);
            sl_put_text(out, classes->names[b]);
            sl_put_number(out, ps * scale);
            sl_put_number(out, (double)cell->class_busy_ps[a] * scale);
            sl_put_number(out, (double)cell->class_busy_ps[b] * scale);
            put_pair(out, cell, a, b);
            putc('\n', out);
        }
    }
}

const struct sl_part sl_part_overlap = {"overlap.csv", overlap_header, overlap_rows,
                                        SL_PART_OF_PLANS};

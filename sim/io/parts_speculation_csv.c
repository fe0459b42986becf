/* speculation.csv: a row per cell whose plan moves on speculation. */
#include "figures.h"
#include "result_parts.h"

static void speculation_header(FILE *out, const struct sl_scenario *scenario)
{
    (void)scenario;
    fputs("cell,movements,trials,started_per_trial,hits_per_trial,hit_rate,hit_rate_lo,hit_rate_hi,"
          "wasted_bytes_per_trial,wasted_bytes_lo,wasted_bytes_hi,"
          "wasted_busy_us_per_trial,wasted_busy_us_lo,wasted_busy_us_hi,demand_waits_per_trial,"
          "demand_wait_us_per_trial,demand_wait_us_lo,demand_wait_us_hi,"
          "reclamation_waits_per_trial,reclamation_wait_us_per_trial,reclamation_wait_us_lo,"
          "reclamation_wait_us_hi,bypasses_per_trial\n",
          out);
}

static void speculation_rows(FILE *out, const struct sl_cell *cell)
{
    const struct sl_speculation_use *use = &cell->speculation;
    if (use->movements == 0)
        return;
    fprintf(out, "%u", cell->spec.index);
    sl_put_integer(out, use->movements);
    sl_put_integer(out, cell->trials - cell->deadlocked);
    sl_put_number(out, use->started.value);
    sl_put_number(out, use->hits.value);
    sl_put_estimate(out, use->hit_rate);
    sl_put_estimate(out, use->wasted_bytes);
    sl_put_estimate(out, use->wasted_us);
    sl_put_number(out, use->demand_waits.value);
    sl_put_estimate(out, use->demand_us);
    sl_put_number(out, use->reclamation_waits.value);
    sl_put_estimate(out, use->reclamation_us);
    sl_put_number(out, use->bypasses.value);
    putc('\n', out);
}

const struct sl_part sl_part_speculation = {"speculation.csv", speculation_header,
                                            speculation_rows, SL_PART_OF_PLANS};

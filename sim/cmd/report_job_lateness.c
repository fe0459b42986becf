/* The slowdown of jobs, for people and as JSON. */
#include "report_job_lateness.h"
#include "job_cell.h"
#include "json_out.h"
#include "table.h"
#include <math.h>

static const struct {
    enum sl_job_figure figure;
    const char *name;
} rows[] = {
    {SL_JOB_MEDIAN, "median"}, {SL_JOB_P90, "p90"},    {SL_JOB_P95, "p95"},
    {SL_JOB_P99, "p99"},       {SL_JOB_P999, "p99.9"}, {SL_JOB_MEAN, "mean"},
};

void sl_report_job_lateness(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    const struct sl_job_estimates *slowdown = &cell->jobs->slowdown;
    if (isnan(slowdown->max))
        return;
    struct sl_table table = sl_table_make(arena, "lrl");
    sl_table_add(&table, "slowdown%s", cell->jobs->growth.grows ? " (this horizon)" : "");
    sl_table_add(&table, "estimate");
    sl_table_add(&table, "95%% interval");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct sl_estimate estimate = slowdown->figures[rows[r].figure].estimate;
        if (isnan(estimate.value))
            continue;
        sl_table_add(&table, "  %s", rows[r].name);
        sl_table_add(&table, "%.3g", estimate.value);
        sl_table_add_interval(&table, estimate, 1, "%.3g");
    }
    sl_table_add(&table, "  largest");
    sl_table_add(&table, "%.3g", slowdown->max);
    sl_table_add(&table, "%s", "");
    putc('\n', out);
    sl_table_print(&table, out);
    sl_table_free(&table);
    fputs("  of each job: its latency over what its own chain takes alone, without waits and "
          "contention\n",
          out);
}

void sl_report_job_lateness_json(yajl_gen gen, const struct sl_cell *cell)
{
    const struct sl_job_estimates *slowdown = &cell->jobs->slowdown;
    sl_json_open_map(gen, "slowdown");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        sl_json_estimate(gen, rows[r].name, slowdown->figures[rows[r].figure].estimate);
    sl_json_estimate(gen, "tail", slowdown->figures[SL_JOB_TAIL].estimate);
    sl_json_number(gen, "max", slowdown->max);
    yajl_gen_map_close(gen);
}

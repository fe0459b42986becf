/* The slowdown of jobs and their deadlines, for people and as JSON. */
#include "report_job_lateness.h"
#include "job_cell.h"
#include "json_out.h"
#include "report_jobs.h"
#include "table.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>

#define SHOWN 8 /* rows of a table; the folder has all */

static void print_slowdown(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    const struct sl_job_estimates *slowdown = &cell->jobs->slowdown;
    if (isnan(slowdown->max))
        return;
    struct sl_table table = sl_table_make(arena, "lrl");
    sl_table_add(&table, "slowdown%s", cell->jobs->growth.grows ? " (this horizon)" : "");
    sl_table_add(&table, "estimate");
    sl_table_add(&table, "95%% interval");
    for (size_t r = 0; r < SL_JOB_LINES; r++) {
        struct sl_estimate estimate = slowdown->figures[sl_job_lines[r].figure].estimate;
        if (isnan(estimate.value))
            continue;
        sl_table_add(&table, "  %s", sl_job_lines[r].name);
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

/* ---- deadlines ------------------------------------------------------------------------------- */

/* The most frequent first, ties in the order of nodes. */
static int more_misses(const void *a, const void *b)
{
    const struct sl_job_deadline *x = *(const struct sl_job_deadline *const *)a;
    const struct sl_job_deadline *y = *(const struct sl_job_deadline *const *)b;
    if (x->misses != y->misses)
        return x->misses > y->misses ? -1 : 1;
    return (x->due.node > y->due.node) - (x->due.node < y->due.node);
}

static void add_deadline(struct sl_table *table, struct sl_arena *arena, const struct sl_cell *cell,
                         const struct sl_job_deadline *deadline)
{
    sl_table_add(table, "  %s", cell->plan.graph->nodes[deadline->due.node].name);
    sl_table_add(table, "%s", sl_time_text(arena, sl_us_of(deadline->due.deadline_ps)));
    sl_table_add(table, "%.3g%%", 100 * deadline->miss.value);
    sl_table_add_interval(table, deadline->miss, 100, "%.3g%%");
    sl_table_add(table, "%s", sl_time_text(arena, deadline->tardiness_mean.value));
    sl_table_add(table, "%s", sl_time_text(arena, deadline->tardiness_when_missed.value));
    sl_table_add(table, "%s", sl_time_text(arena, deadline->tardiness_p99.value));
    sl_table_add(table, "%s", sl_time_text(arena, deadline->tardiness_max_us));
}

static void print_deadlines(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    static const char *const heads[] = {"deadline",       "at",          "missed", "95% interval",
                                        "mean tardiness", "when missed", "p99",    "max"};
    const struct sl_job_cell *jobs = cell->jobs;
    uint32_t count = jobs->metrics.due_count;
    const struct sl_job_deadline **sorted =
        sl_arena_array(arena, (size_t)count + 1, sizeof(*sorted));
    if (count == 0 || !sorted)
        return;
    for (uint32_t d = 0; d < count; d++)
        sorted[d] = &jobs->deadlines[d];
    qsort((void *)sorted, count, sizeof(*sorted), more_misses);
    struct sl_table table = sl_table_make(arena, "lrrlrrrr");
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++)
        sl_table_add(&table, "%s", heads[k]);
    for (uint32_t d = 0; d < count && d < SHOWN; d++)
        add_deadline(&table, arena, cell, sorted[d]);
    putc('\n', out);
    sl_table_print(&table, out);
    sl_table_free(&table);
    if (count > SHOWN)
        fprintf(out, "  and %s other deadlines, each missed by at most %s jobs\n",
                sl_grouped(arena, count - SHOWN), sl_grouped(arena, sorted[SHOWN]->misses));
    fprintf(
        out, "  any deadline: missed by %.3g%% [%.3g%%, %.3g%%] of the counted jobs%s\n",
        100 * jobs->deadline_miss.value, 100 * jobs->deadline_miss.lo, 100 * jobs->deadline_miss.hi,
        jobs->rejected > 0 ? "; a rejected job misses all, and tardiness is of the others" : "");
}

void sl_report_job_lateness(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    print_slowdown(out, arena, cell);
    print_deadlines(out, arena, cell);
}

/* ---- as JSON --------------------------------------------------------------------------------- */

static void put_deadlines(yajl_gen gen, const struct sl_cell *cell)
{
    const struct sl_job_cell *jobs = cell->jobs;
    if (jobs->metrics.due_count > 0)
        sl_json_estimate(gen, "deadline_miss", jobs->deadline_miss);
    sl_json_open_array(gen, "deadlines");
    for (uint32_t d = 0; d < jobs->metrics.due_count; d++) {
        const struct sl_job_deadline *deadline = &jobs->deadlines[d];
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "node", cell->plan.graph->nodes[deadline->due.node].name);
        sl_json_us(gen, "deadline_us", deadline->due.deadline_ps);
        sl_json_integer(gen, "misses", (int64_t)deadline->misses);
        sl_json_integer(gen, "never", (int64_t)deadline->never);
        sl_json_estimate(gen, "miss", deadline->miss);
        sl_json_integer(gen, "tardiness_jobs", (int64_t)deadline->completed);
        sl_json_estimate_us(gen, "tardiness_mean", deadline->tardiness_mean);
        sl_json_estimate_us(gen, "tardiness_missed", deadline->tardiness_when_missed);
        sl_json_estimate_us(gen, "tardiness_p99", deadline->tardiness_p99);
        sl_json_number(gen, "tardiness_max_us", deadline->tardiness_max_us);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

void sl_report_job_lateness_json(yajl_gen gen, const struct sl_cell *cell)
{
    put_deadlines(gen, cell);
    const struct sl_job_estimates *slowdown = &cell->jobs->slowdown;
    sl_json_open_map(gen, "slowdown");
    for (size_t r = 0; r < SL_JOB_LINES; r++)
        sl_json_estimate(gen, sl_job_lines[r].key,
                         slowdown->figures[sl_job_lines[r].figure].estimate);
    sl_json_estimate(gen, "tail", slowdown->figures[SL_JOB_TAIL].estimate);
    sl_json_number(gen, "max", slowdown->max);
    yajl_gen_map_close(gen);
}

/* jobs.csv and jobs_load.csv: the jobs of a cell's first trial, and the system around them. */
#include "figures.h"
#include "job_cell.h"
#include "result_parts.h"
#include <math.h>

static void put_time_column(FILE *out, const char *name)
{
    char column[SL_NAME_MAX + 8];
    snprintf(column, sizeof column, "%s_us", name);
    sl_put_text(out, column);
}

static void jobs_header(FILE *out, const struct sl_scenario *scenario)
{
    fputs("cell,job,arrival_us,admitted_us,finish_us,rejected", out);
    for (uint32_t m = 0; m < sl_job_metric_count(scenario); m++)
        put_time_column(out, sl_job_metric_name(scenario, m));
    for (unsigned c = 0; c < SL_CAUSES; c++)
        sl_put_column(out, "wait", sl_cause_name((enum sl_cause)c), "us");
    fputs(",run_us,isolated_us,rejected_for", out);
    for (uint32_t v = scenario->jobs.parameters.count; v < scenario->jobs.values.count; v++)
        sl_put_text(out, scenario->jobs.values.names[v]);
    if (sl_job_due_count(scenario->graph) > 0)
        fputs(",tardiness_us", out);
    putc('\n', out);
}

static void put_time(FILE *out, int64_t ps, bool there)
{
    if (there)
        sl_put_us(out, ps);
    else
        sl_put_text(out, NULL);
}

/* NAN of a rejected job; of one whose plan dropped all deadlines, too. */
static double largest_tardiness_us(const struct sl_job_sample *sample, uint64_t job)
{
    double largest = NAN;
    for (uint32_t d = 0; d < sample->metrics->due_count; d++)
        largest = fmax(largest, sample->tardiness_us[d][job]);
    return largest;
}

static void jobs_row(FILE *out, const struct sl_cell *cell, const struct sl_job_sample *sample,
                     uint64_t job)
{
    const struct sl_job_row *row = &sample->rows[job];
    bool done = !sample->rejected[job];
    fprintf(out, "%u", cell->spec.index);
    sl_put_integer(out, (int64_t)job);
    sl_put_us(out, row->arrival_ps);
    put_time(out, row->admitted_ps, done);
    put_time(out, row->finish_ps, done);
    sl_put_integer(out, sample->rejected[job]);
    for (uint32_t m = 0; m < sample->metrics->count; m++)
        sl_put_number(out, sample->values_us[m][job]);
    for (unsigned c = 0; c < SL_CAUSES; c++)
        put_time(out, row->wait_ps[c], done);
    put_time(out, row->run_ps, done);
    put_time(out, row->isolated_ps, done);
    sl_put_text(out, done ? NULL : sl_rejection_name(row->rejection));
    for (uint32_t v = 0; v < sample->shape->counts; v++)
        sl_put_number(out, sample->counts[v][job]);
    if (sl_job_due_count(cell->scenario->graph) > 0)
        sl_put_number(out, largest_tardiness_us(sample, job));
    putc('\n', out);
}

static void jobs_rows(FILE *out, const struct sl_cell *cell)
{
    if (!cell->jobs || cell->jobs->sample_count == 0)
        return;
    const struct sl_job_sample *sample = &cell->jobs->samples[0];
    for (uint64_t j = 0; j < sample->jobs && j < sample->row_capacity; j++)
        if (sample->arrival_ps[j] >= 0) /* else it was left over by a deadlock */
            jobs_row(out, cell, sample, j);
}

const struct sl_part sl_part_jobs = {"jobs.csv", jobs_header, jobs_rows, SL_PART_OF_JOBS};

static void load_header(FILE *out, const struct sl_scenario *scenario)
{
    const struct sl_names *resources = &scenario->platform.resource_names;
    fputs("cell,begin_us,end_us,arrived,completed,rejected,in_system,most_in_system", out);
    for (uint32_t r = 0; r < resources->count; r++)
        sl_put_column(out, "utilisation", resources->names[r], "share");
    putc('\n', out);
}

static void load_row(FILE *out, const struct sl_cell *cell, uint32_t w)
{
    const struct sl_platform *platform = &cell->scenario->platform;
    const struct sl_job_window *window = &cell->jobs->windows[w];
    fprintf(out, "%u", cell->spec.index);
    sl_put_number(out, window->begin_us);
    sl_put_number(out, window->end_us);
    sl_put_integer(out, (int64_t)window->arrived);
    sl_put_integer(out, (int64_t)window->completed);
    sl_put_integer(out, (int64_t)window->rejected);
    sl_put_number(out, window->in_system);
    sl_put_integer(out, (int64_t)window->most);
    for (uint32_t r = 0; r < platform->resource_names.count; r++) {
        uint32_t servers = platform->resources[r].servers;
        sl_put_number(out, servers == SL_UNLIMITED
                               ? NAN
                               : sl_job_window_share(&cell->jobs->samples[0], cell->jobs->windows,
                                                     w, r, servers));
    }
    putc('\n', out);
}

static void load_rows(FILE *out, const struct sl_cell *cell)
{
    const struct sl_job_cell *jobs = cell->jobs;
    for (uint32_t w = 0; jobs && jobs->windows && w < jobs->window_count; w++)
        load_row(out, cell, w);
}

const struct sl_part sl_part_jobs_load = {"jobs_load.csv", load_header, load_rows, SL_PART_OF_JOBS};

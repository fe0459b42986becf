/* trials.csv, chain.csv, forbidden.csv and pressure.csv: what the trials of a cell did. */
#include "figures.h"
#include "job_cell.h"
#include "result_parts.h"
#include "units.h"
#include <math.h>

static uint32_t finished_trials(const struct sl_cell *cell)
{
    return cell->trials - cell->deadlocked;
}

/* trials.csv: a row per trial. */

static void trials_header(FILE *out, const struct sl_scenario *scenario)
{
    const struct sl_names *domains = &scenario->platform.domain_names;
    fputs("cell,trial,metric_us,metric_optimistic_us,bound_path_us,bound_load_us,max_wait_us,"
          "starved",
          out);
    for (unsigned i = 0; i < SL_STALLS; i++)
        fprintf(out, ",stall_%s_us", sl_stall_name(i));
    for (uint32_t d = 0; d < domains->count; d++)
        sl_put_column(out, "peak", domains->names[d], "bytes");
    for (uint32_t d = 0; d < domains->count; d++)
        sl_put_column(out, "staging", domains->names[d], "byte_s");
    if (sl_scenario_has_jobs(scenario))
        fputs(",median_us,tail_us,p90_us,p99_us,jobs,completed,rejected,throughput_per_s,"
              "goodput_per_s,in_system,most_in_system",
              out);
    putc('\n', out);
}

/* What a replication gave; of one that deadlocked its counts alone. */
static void put_replication(FILE *out, const struct sl_job_cell *jobs, uint32_t trial)
{
    const struct sl_job_sample *sample = &jobs->samples[trial];
    struct sl_job_trial none = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    const struct sl_job_trial *figures = jobs->estimated ? &jobs->trials[trial] : &none;
    sl_put_number(out, figures->median);
    sl_put_number(out, figures->tail);
    sl_put_number(out, figures->p90);
    sl_put_number(out, figures->p99);
    sl_put_integer(out, (int64_t)sample->jobs);
    sl_put_integer(out, (int64_t)sample->completed);
    sl_put_integer(out, (int64_t)sample->rejections);
    sl_put_number(out, figures->throughput);
    sl_put_number(out, figures->goodput);
    sl_put_number(out, figures->in_system);
    sl_put_integer(out, sample->most_jobs);
}

static void put_us_of(FILE *out, const int64_t *values, size_t index)
{
    if (values)
        sl_put_us(out, values[index]);
    else
        sl_put_text(out, NULL);
}

static void trials_rows(FILE *out, const struct sl_cell *cell)
{
    uint32_t domains = cell->scenario->platform.domain_names.count;
    bool attributed = cell->scenario->objective.busy != SL_NONE && !cell->jobs;
    for (uint32_t i = 0; cell->metric_ps && i < cell->trials; i++) {
        bool done = cell->metric_ps[i] != INT64_MAX;
        fprintf(out, "%u,%u", cell->spec.index, i);
        sl_put_us(out, cell->metric_ps[i]);
        put_us_of(out, cell->metric_optimistic_ps, i);
        put_us_of(out, cell->jobs ? NULL : cell->bound_path_ps, i);
        put_us_of(out, cell->jobs ? NULL : cell->bound_load_ps, i);
        put_us_of(out, done ? cell->max_wait_ps : NULL, i);
        sl_put_integer(out, cell->starved ? cell->starved[i] : 0);
        for (size_t s = 0; s < SL_STALLS; s++)
            put_us_of(out, done && attributed ? cell->stall_ps : NULL, (size_t)i * SL_STALLS + s);
        for (uint32_t d = 0; d < domains; d++)
            sl_put_integer(out, cell->peak_bytes[(size_t)i * domains + d]);
        for (uint32_t d = 0; d < domains; d++)
            sl_put_number(out, cell->staging_byte_s[(size_t)i * domains + d]);
        if (cell->jobs)
            put_replication(out, cell->jobs, i);
        putc('\n', out);
    }
}

const struct sl_part sl_part_trials = {"trials.csv", trials_header, trials_rows, SL_PART_OF_BOTH};

/* chain.csv: the realized critical chain by node kind and binding cause, mean over the trials that
 * finished; the rows of a cell sum to its mean makespan. */

const char *sl_chain_row_name(unsigned row)
{
    return row < SL_NODE_KINDS ? sl_node_kind_name((enum sl_node_kind)row) : "wait";
}

static void chain_header(FILE *out, const struct sl_scenario *scenario)
{
    (void)scenario;
    fputs("cell,kind,cause,mean_us,share\n", out);
}

static void chain_rows(FILE *out, const struct sl_cell *cell)
{
    if (!cell->chain_kind_cause_ps || finished_trials(cell) == 0)
        return;
    double total = 0;
    for (size_t i = 0; i < (size_t)SL_CHAIN_ROWS * SL_CAUSES; i++)
        total += (double)cell->chain_kind_cause_ps[i];
    for (unsigned kind = 0; kind < SL_CHAIN_ROWS; kind++) {
        for (unsigned cause = 0; cause < SL_CAUSES; cause++) {
            double ps = (double)cell->chain_kind_cause_ps[kind * SL_CAUSES + cause];
            if (ps <= 0)
                continue;
            fprintf(out, "%u", cell->spec.index);
            sl_put_text(out, sl_chain_row_name(kind));
            sl_put_text(out, sl_cause_name((enum sl_cause)cause));
            sl_put_number(out, ps / finished_trials(cell) / SL_PS_PER_US);
            sl_put_number(out, ps / total);
            putc('\n', out);
        }
    }
}

const struct sl_part sl_part_chain = {"chain.csv", chain_header, chain_rows, SL_PART_OF_PLANS};

/* forbidden.csv: waits that ended when a peer came free that must not run beside the waiting node
 * (no peer: when their overlap was permitted from then on). */

static void forbidden_header(FILE *out, const struct sl_scenario *scenario)
{
    (void)scenario;
    fputs("cell,waiter,peer,waits_per_trial,wait_us\n", out);
}

static void forbidden_rows(FILE *out, const struct sl_cell *cell)
{
    for (uint32_t k = 0; k < cell->peer_wait_count; k++) {
        const struct sl_peer_wait *wait = &cell->peer_waits[k];
        fprintf(out, "%u", cell->spec.index);
        sl_put_text(out, wait->waiter);
        sl_put_text(out, wait->peer);
        sl_put_number(out, (double)wait->waits / finished_trials(cell));
        sl_put_number(out, (double)wait->wait_ps / finished_trials(cell) / SL_PS_PER_US);
        putc('\n', out);
    }
}

const struct sl_part sl_part_forbidden = {"forbidden.csv", forbidden_header, forbidden_rows,
                                          SL_PART_OF_PLANS};

/* pressure.csv: bytes in use over time, the 5%, 50% and 95% level over trials. */

static void pressure_header(FILE *out, const struct sl_scenario *scenario)
{
    (void)scenario;
    fputs("cell,domain,t_us,p5_bytes,median_bytes,p95_bytes\n", out);
}

static void pressure_rows(FILE *out, const struct sl_cell *cell)
{
    const struct sl_names *domains = &cell->scenario->platform.domain_names;
    for (uint32_t d = 0; cell->pressure && d < domains->count; d++) {
        for (uint32_t i = 0; i < cell->pressure_points; i++) {
            const struct sl_pressure_point *point =
                &cell->pressure[(size_t)d * cell->pressure_points + i];
            fprintf(out, "%u", cell->spec.index);
            sl_put_text(out, domains->names[d]);
            sl_put_number(out, point->t_us);
            sl_put_number(out, point->lo);
            sl_put_number(out, point->median);
            sl_put_number(out, point->hi);
            putc('\n', out);
        }
    }
}

const struct sl_part sl_part_pressure = {"pressure.csv", pressure_header, pressure_rows,
                                         SL_PART_OF_PLANS};

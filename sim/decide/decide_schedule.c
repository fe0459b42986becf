/* A cell's schedule in the record: realized chain, stalls, pressure, waits, liveness. */
#include "config.h"

#include "cell_facts.h"
#include "decide_parts.h"
#include "trials.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- pressure-time: an integral that no cell keeps --------------------------------------------
 */

struct pressure {
    double *byte_s; /* by domain */
    uint32_t domains, trials;
};

static enum sl_status add_pressure(void *state, const struct sl_trial *record, struct sl_error *err)
{
    struct pressure *pressure = state;
    (void)err;
    if (record->outcome != SL_DONE)
        return SL_OK;
    pressure->trials++;
    for (uint32_t d = 0; d < pressure->domains; d++)
        pressure->byte_s[d] += record->pressure_byte_s[d];
    return SL_OK;
}

/* Means over the trials that complete.  One thread: sums of doubles do not depend on who ran what.
 */
static enum sl_status find_pressure(const struct sl_decision *decision, const struct sl_cell *cell,
                                    struct pressure *pressure, struct sl_error *err)
{
    struct sl_program *program = NULL;
    void *states[] = {pressure};
    enum sl_status status = sl_program_create(&program, cell->plan.graph, &cell->plan.engine, err);
    struct sl_trials_job job = {.program = program,
                                .seed = decision->record->fresh_seed,
                                .trials = cell->trials,
                                .threads = 1,
                                .visit = add_pressure,
                                .states = states};
    if (status == SL_OK)
        status = sl_trials_run(&job, err);
    sl_program_free(program);
    for (uint32_t d = 0; d < pressure->domains; d++)
        pressure->byte_s[d] = pressure->trials ? pressure->byte_s[d] / pressure->trials : NAN;
    return status;
}

static enum sl_status put_pressure(struct sl_decision *decision, const struct sl_cell *cell,
                                   struct sl_record_schedule *schedule, struct sl_error *err)
{
    const struct sl_platform *platform = &cell->scenario->platform;
    struct sl_record *record = decision->record;
    struct pressure pressure = {.domains = platform->domain_names.count};
    bool good = true;
    pressure.byte_s =
        sl_arena_array(&decision->arena, (size_t)pressure.domains + 1, sizeof(double));
    if (!pressure.byte_s)
        return sl_decide_no_memory(err);
    bool runs = cell->plan.graph && !cell->jobs && cell->trials > 0;
    enum sl_status status = runs ? find_pressure(decision, cell, &pressure, err) : SL_OK;
    for (uint32_t d = 0; status == SL_OK && good && cell->peak_bytes && d < pressure.domains; d++) {
        struct sl_record_pressure *item =
            sl_record_add(record, &schedule->pressure, &sl_shape_pressure);
        if (!item)
            return sl_decide_no_memory(err);
        *item = (struct sl_record_pressure){
            sl_record_keep(record, platform->domain_names.names[d], &good),
            (double)sl_peak_of(cell, d), runs ? pressure.byte_s[d] : NAN, sl_staging_of(cell, d)};
    }
    return status != SL_OK ? status : good ? SL_OK : sl_decide_no_memory(err);
}

/* ---- the rest ----------------------------------------------------------------------------------
 */

static bool put_chain(struct sl_record *record, const struct sl_cell *cell,
                      struct sl_record_schedule *schedule)
{
    struct sl_chain_share shares[SL_MAX_SHARES];
    size_t count = sl_chain_shares(cell, shares, SL_MAX_SHARES);
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        struct sl_record_chain *link = sl_record_add(record, &schedule->chain, &sl_shape_chain);
        if (!link)
            return false;
        *link = (struct sl_record_chain){
            sl_record_keep(record, sl_chain_row_name(shares[i].row), &good),
            sl_record_keep(record, sl_cause_name((enum sl_cause)shares[i].cause), &good),
            shares[i].us, shares[i].share};
    }
    return good;
}

static bool put_stalls(struct sl_record *record, const struct sl_cell *cell,
                       struct sl_record_schedule *schedule)
{
    bool good = true;
    bool any = cell->metric_ps && !cell->jobs && cell->scenario->objective.busy != SL_NONE;
    for (unsigned i = 0; any && good && i < SL_STALLS; i++) {
        if (cell->stall_mean_ps[i] == 0)
            continue;
        struct sl_record_stall *stall = sl_record_add(record, &schedule->stalls, &sl_shape_stall);
        if (!stall)
            return false;
        *stall = (struct sl_record_stall){sl_record_keep(record, sl_stall_name(i), &good),
                                          sl_us_of(cell->stall_mean_ps[i])};
    }
    return good;
}

static bool put_waits(struct sl_record *record, const struct sl_cell *cell,
                      struct sl_record_schedule *schedule)
{
    bool good = true;
    int64_t longest = 0;
    if (!cell->metric_ps)
        return true;
    for (uint32_t t = 0; t < cell->trials; t++) {
        longest = cell->max_wait_ps[t] > longest ? cell->max_wait_ps[t] : longest;
        schedule->starved += cell->starved[t];
    }
    uint32_t node = cell->jobs ? cell->jobs->starvation.node : sl_longest_wait(cell);
    schedule->max_wait_us = sl_us_of(longest);
    if (longest > 0 && node < cell->plan.graph->node_count)
        schedule->longest_wait = sl_record_keep(record, cell->plan.graph->nodes[node].name, &good);
    schedule->bypasses = sl_total_bypasses(cell);
    return good;
}

enum sl_status sl_decide_schedule(struct sl_decision *decision, const struct sl_cell *cell,
                                  struct sl_record_schedule *schedule, struct sl_error *err)
{
    struct sl_record *record = decision->record;
    bool good = true;
    sl_record_clear(schedule, &sl_shape_schedule);
    schedule->present = true;
    schedule->policy = sl_record_keep(record, cell->spec.policy, &good);
    schedule->verdict = sl_record_keep(record, sl_verdict_name(cell->verdict), &good);
    schedule->reason = cell->reason[0] ? sl_record_keep(record, cell->reason, &good) : NULL;
    if (cell->metric_ps) {
        schedule->bound_us = cell->bound_us;
        schedule->mean_us = cell->mean;
        schedule->median_us = cell->median;
        schedule->tail_us = sl_decide_tail(cell);
        schedule->trials = cell->trials;
        schedule->deadlocked = cell->deadlocked;
    }
    if (!good || !put_chain(record, cell, schedule) || !put_stalls(record, cell, schedule) ||
        !put_waits(record, cell, schedule))
        return sl_decide_no_memory(err);
    return put_pressure(decision, cell, schedule, err);
}

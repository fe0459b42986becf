/* Random numbers of jobs.  The counter of a draw is (trial, hash of its key, number of the job), so
 * that consecutive jobs are drawn a block at a time, and a job's draws do not depend on the others.
 *
 *     duration = llround(dist x scale x times x factors)     as of a trial (draws.c); times and
 *                                                            some factors are the job's own
 *
 * What is out of range is marked, and is a fault only when its job is admitted. */
#include "jobs_parts.h"
#include <string.h>

#define OUT_OF_RANGE ((int64_t)-1)
enum {
    BLOCK_VALUES = 8192, /* of all rows together, about */
    LEAST_BLOCK = SL_DRAWS_AT_ONCE,
    LARGEST_BLOCK = 1024,
};

/* Allocates `count` elements into *pointer; false when out of memory. */
static bool take(struct sl_jobs_worker *w, void *pointer, uint64_t count, size_t size)
{
    void *memory = sl_arena_array(&w->arena, (size_t)count + SL_DRAWS_AT_ONCE, size);
    memcpy(pointer, &memory, sizeof memory);
    return memory != NULL;
}
#define TAKE(field, count) take(w, &w->draws.field, (count), sizeof *w->draws.field)

static bool keeps_raw(const struct sl_jobs_program *p)
{
    return p->base->regime_count || p->times_count;
}

bool sl_jobs_draws_create(struct sl_jobs_worker *w)
{
    const struct sl_program *base = w->p->base;
    uint32_t rows = base->draw_count + base->guard_count + base->factor_count, block = LEAST_BLOCK;
    while (block < LARGEST_BLOCK && 2 * (uint64_t)block * rows <= BLOCK_VALUES)
        block *= 2;
    w->draws.block = block;
    uint64_t drawn = (uint64_t)base->draw_count * block;
    if (!TAKE(u, block) || !TAKE(u2, block) || !TAKE(value, block) || !TAKE(unit, block) ||
        !TAKE(multiplier, block) || !TAKE(factor, (uint64_t)base->factor_count * block) ||
        !TAKE(duration, drawn) || !TAKE(latency, base->any_latency ? drawn : 0) ||
        !TAKE(raw, keeps_raw(w->p) ? drawn : 0) ||
        !TAKE(holds, (uint64_t)base->guard_count * block))
        return false;
    for (uint32_t k = 0; k < block; k++)
        w->draws.unit[k] = 1;
    return true;
}

void sl_jobs_draws_begin(struct sl_jobs_worker *w)
{
    w->draws.count = 0;
    w->draws.first = 0;
    sl_draws_factors(w->base, w->base->seed, w->base->record.trial);
}

/* ---- a block --------------------------------------------------------------------------------- */

static void draw_uniforms(struct sl_jobs_worker *w, uint64_t hash, bool second)
{
    struct job_draws *d = &w->draws;
    sl_uniforms_numbers(w->base->seed, w->base->record.trial, hash, (uint32_t)d->first, d->count,
                        d->u, second ? d->u2 : NULL);
}

/* Per iteration is per job here. */
static void draw_factors(struct sl_jobs_worker *w)
{
    const struct sl_program *base = w->p->base;
    struct job_draws *d = &w->draws;
    for (uint32_t f = 0; f < base->factor_count; f++) {
        double *row = d->factor + (size_t)f * d->block;
        const struct sl_factor *factor = &base->graph->factors[f];
        bool per_job = !factor->is_regime && factor->scope == SL_SCOPE_ITERATION;
        if (per_job)
            draw_uniforms(w, base->factors[f].hash, true);
        for (uint32_t k = 0; k < d->count; k++)
            row[k] = per_job ? sl_dist_value(base->factors[f].draw, d->u[k], d->u2[k])
                             : w->base->factor_value[f];
    }
}

static void multiply_factors(struct sl_jobs_worker *w, uint32_t draw)
{
    const struct sl_program *base = w->p->base;
    struct job_draws *d = &w->draws;
    for (uint32_t k = 0; k < d->count; k++)
        d->multiplier[k] = 1;
    if (!base->node_factors)
        return;
    const struct range *uses = &base->node_factors[base->draw_node[draw]];
    for (uint32_t j = 0; j < uses->count; j++) {
        const double *row = d->factor + (size_t)base->factor_uses[uses->first + j] * d->block;
        for (uint32_t k = 0; k < d->count; k++)
            d->multiplier[k] *= row[k];
    }
}

static inline int64_t in_range(double time)
{
    return time >= 0 && time < 0x1p61 ? sl_round_ps(time) : OUT_OF_RANGE;
}

static void store_row(const struct job_draws *d, double unit, double scale, int64_t *row)
{
    for (uint32_t k = 0; k < d->count; k++)
        row[k] = in_range(d->value[k] * unit * scale * d->multiplier[k]);
}

static void draw_row(struct sl_jobs_worker *w, const struct draw_group *group, uint32_t draw)
{
    const struct sl_program *base = w->p->base;
    struct job_draws *d = &w->draws;
    size_t at = (size_t)draw * d->block;
    draw_uniforms(w, base->draw_hash[draw], base->any_second);
    if (group->table)
        sl_qtable_values(group->table, d->u, d->value, d->count);
    else
        sl_dist_values(group->dist, d->u, d->u2, d->unit, d->value, d->count);
    multiply_factors(w, draw);
    store_row(d, base->draw_unit[draw], base->draw_scale[draw], d->duration + at);
    if (base->any_latency)
        store_row(d, base->draw_unit[draw], base->draw_latency[draw], d->latency + at);
    for (uint32_t k = 0; keeps_raw(w->p) && k < d->count; k++)
        d->raw[at + k] = d->value[k] * base->draw_unit[draw] * d->multiplier[k];
}

/* The normal that guards of one job share, in place of each one's own uniform. */
static void correlate_guard(struct sl_jobs_worker *w, const struct guard_draw *draw)
{
    struct job_draws *d = &w->draws;
    for (uint32_t k = 0; k < d->count; k++) {
        uint32_t number = draw->shared_by_trial ? 0 : (uint32_t)d->first + k;
        double common, unused;
        sl_draws_uniforms(w->base->seed, w->base->record.trial, draw->shared_hash, number, &common,
                          &unused);
        d->u[k] = sl_draws_correlate(draw, common, d->u[k]);
    }
}

static void draw_guards(struct sl_jobs_worker *w)
{
    const struct sl_program *base = w->p->base;
    struct job_draws *d = &w->draws;
    for (uint32_t g = 0; g < base->guard_count; g++) {
        draw_uniforms(w, base->guards[g].hash, false);
        if (base->guards[g].shared > 0)
            correlate_guard(w, &base->guards[g]);
        for (uint32_t k = 0; k < d->count; k++)
            d->holds[(size_t)g * d->block + k] = d->u[k] < base->guards[g].probability;
    }
}

/* Blocks grow, so that a short replication draws few jobs that never come. */
void sl_jobs_draws_block(struct sl_jobs_worker *w, uint64_t first)
{
    const struct sl_program *base = w->p->base;
    struct job_draws *d = &w->draws;
    d->count = d->count ? 2 * d->count : LEAST_BLOCK;
    d->count = d->count < d->block ? d->count : d->block;
    d->first = first;
    draw_factors(w);
    for (uint32_t g = 0; g < base->draw_group_count; g++) {
        const struct range *draws = &base->draw_groups[g].draws;
        for (uint32_t k = 0; k < draws->count; k++)
            draw_row(w, &base->draw_groups[g], draws->first + k);
    }
    if (base->guards)
        draw_guards(w);
}

/* ---- a job ----------------------------------------------------------------------------------- */

void sl_jobs_draws_out_of_range(struct sl_jobs_worker *w, const struct job *job, uint32_t node)
{
    sl_worker_fault(w->base, "the duration of '%s' in job %llu is out of range",
                    w->p->base->graph->nodes[node].name, (unsigned long long)job->number);
}

/* A skipped node does not wait for its release. */
static void fail_guards(struct sl_jobs_worker *w, const struct job *job, uint32_t column)
{
    const struct sl_program *base = w->p->base;
    struct job_run *runs = job_runs(w, job);
    for (uint32_t i = 0; i < base->n; i++) {
        if (!(base->hot[i].flags & NODE_GUARD))
            continue;
        struct range uses = base->node_guards[i];
        bool holds = true;
        for (uint32_t j = 0; j < uses.count; j++) {
            const struct guard_use *use = &base->guard_uses[uses.first + j];
            holds &= w->draws.holds[(size_t)use->draw * w->draws.block + column] != use->negated;
        }
        if (holds)
            continue;
        runs[i].skip = RUN_SKIP;
        runs[i].ready = job->admitted;
        runs[i].cause = SL_CAUSE_ARRIVAL;
    }
}

/* duration = dist x factors x scale x times, `times` being the job's. */
static void set_times(struct sl_jobs_worker *w, const struct job *job, uint32_t i, double raw)
{
    const struct sl_node *node = &w->p->base->graph->nodes[i];
    const char *what = sl_dist_is_const(node->dist) ? "duration" : "factor of the duration";
    double times = sl_jobs_expression(w, job, node->times, what, node->name);
    int64_t duration = in_range(raw * node->scale * times);
    if (duration < 0)
        sl_jobs_draws_out_of_range(w, job, i);
    job_runs(w, job)[i].duration = duration < 0 ? 0 : duration;
    if (w->p->base->regime_count)
        w->raw[job->runs + i] = raw * times;
}

static void apply_times(struct sl_jobs_worker *w, const struct job *job, uint32_t column)
{
    const struct sl_graph *g = w->p->base->graph;
    for (uint32_t k = 0; k < w->p->times_count; k++) {
        const struct job_times *at = &w->p->times[k];
        double raw = at->draw == SL_NONE ? sl_dist_value(g->nodes[at->node].dist, 0.5, 0.5)
                                         : w->draws.raw[(size_t)at->draw * w->draws.block + column];
        if (at->late)
            w->drawn[job->runs + at->node] = raw;
        else
            set_times(w, job, at->node, raw);
    }
}

void sl_jobs_draws_late(struct sl_jobs_worker *w, uint32_t handle)
{
    const struct job_run *run = &w->runs[handle];
    for (uint32_t k = 0; k < w->p->times_count; k++)
        if (w->p->times[k].late && w->p->times[k].node == run->node)
            set_times(w, &w->jobs[run->job], run->node, w->drawn[handle]);
}

void sl_jobs_draws_fill(struct sl_jobs_worker *w, const struct job *job)
{
    const struct sl_program *base = w->p->base;
    struct job_draws *d = &w->draws;
    struct job_run *runs = job_runs(w, job);
    if (!base->draw_count && !base->guards) {
        apply_times(w, job, 0);
        return;
    }
    uint32_t column = job_column(w, job->number);
    for (uint32_t k = 0; k < base->draw_count; k++) {
        size_t at = (size_t)k * d->block + column;
        uint32_t i = base->draw_node[k];
        runs[i].duration = d->duration[at];
        if (base->any_latency)
            runs[i].latency = d->latency[at];
        if (base->regime_count)
            w->raw[job->runs + i] = d->raw[at];
        if (runs[i].duration < 0 || runs[i].latency < 0) {
            sl_jobs_draws_out_of_range(w, job, i);
            runs[i].duration = runs[i].latency = 0;
        }
    }
    if (w->p->times_count)
        apply_times(w, job, column);
    if (base->guards)
        fail_guards(w, job, column);
}

void sl_jobs_draws_complete(struct sl_jobs_worker *w, uint32_t handle)
{
    struct job_run *run = &w->runs[handle];
    const struct sl_node *node = &w->p->base->graph->nodes[run->node];
    double value = w->raw[handle], factor = sl_draws_regimes(w->base, run->node);
    run->duration = in_range(value * node->scale * factor);
    run->latency = in_range(value * node->latency_scale * factor);
    if (run->duration < 0 || run->latency < 0) {
        sl_jobs_draws_out_of_range(w, &w->jobs[run->job], run->node);
        run->duration = run->latency = 0;
    }
}

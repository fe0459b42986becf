/* What the realized chain holds in the worst 1% of the trials and what it holds in the middle ones.
 *
 * Which trials these are is known only when all have run, so that a few are run again: of either
 * group those with the smallest numbers, which does not depend on what they measured within it. */
#include <config.h>

#include "cellparts.h"
#include "proportions.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_TAIL       1000 /* trials; more would not narrow the intervals by much */
#define MIDDLE_PER_TAIL 4    /* nor would more of the middle to each of the tail */

enum { TAIL, MIDDLE, GROUPS };

/* What one thread gathers of the trials that it ran again. */
struct gatherer {
    const struct sl_cell *cell;
    const struct sl_program *program;
    const uint8_t *group;               /* by trial */
    struct sl_chain_sum *nodes, *parts; /* [GROUPS] each */
    struct sl_link *links;
    size_t link_capacity;
    uint8_t *seen; /* parts that this trial's chain has */
    struct sl_arena arena;
};

static void find_limits(struct sl_tail_chain *tail, const struct sl_cell *cell)
{
    uint32_t n = cell->trials;
    const int64_t *sorted = cell->sorted_ps;
    tail->from_ps = sorted[sl_quantile_rank(n, 0.99) - 1];
    tail->middle_from_ps = sorted[sl_quantile_rank(n, 0.4) - 1];
    tail->middle_to_ps = sorted[sl_quantile_rank(n, 0.6) - 1];
    tail->apart = tail->from_ps > tail->middle_to_ps;
}

/* Trials that completed, by group; those with the smallest numbers. */
static uint32_t choose_trials(struct sl_tail_chain *tail, const struct sl_cell *cell,
                              uint8_t *group, uint32_t *numbers)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < cell->trials; t++) {
        int64_t metric = cell->metric_ps[t];
        if (metric == INT64_MAX || metric < tail->from_ps || tail->tail_trials == MOST_TAIL)
            continue;
        group[t] = TAIL;
        numbers[count++] = t;
        tail->tail_trials++;
    }
    for (uint32_t t = 0; t < cell->trials; t++) {
        int64_t metric = cell->metric_ps[t];
        if (metric == INT64_MAX || metric < tail->middle_from_ps || metric > tail->middle_to_ps ||
            tail->middle_trials == MIDDLE_PER_TAIL * tail->tail_trials)
            continue;
        group[t] = MIDDLE;
        numbers[count++] = t;
        tail->middle_trials++;
    }
    return count;
}

static enum sl_status visit(void *state, const struct sl_trial *record, struct sl_error *err)
{
    struct gatherer *gatherer = state;
    const struct sl_graph *graph = gatherer->cell->plan.graph;
    size_t group = gatherer->group[record->trial];
    if (!sl_trial_chain_room(&gatherer->links, &gatherer->link_capacity, record, &gatherer->arena))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a chain");
    size_t count =
        sl_trial_chain(gatherer->program, record, gatherer->links, gatherer->link_capacity);
    memset(gatherer->seen, 0, SL_CHAIN_PARTS);
    for (size_t k = 0; k < count; k++) {
        const struct sl_link *link = &gatherer->links[k];
        size_t row = link->waiting ? SL_NODE_KINDS : graph->nodes[link->node].kind;
        size_t part = row * SL_CAUSES + link->cause;
        struct sl_chain_sum *sum = &gatherer->parts[group * SL_CHAIN_PARTS + part];
        sum->ps += link->end_ps - link->begin_ps;
        sum->trials += !gatherer->seen[part];
        gatherer->seen[part] = 1;
        if (link->waiting)
            continue;
        sum = &gatherer->nodes[group * graph->node_count + link->node];
        sum->ps += link->end_ps - link->begin_ps;
        sum->trials++;
    }
    return SL_OK;
}

static enum sl_status open_gatherer(void *state, struct sl_error *err)
{
    struct gatherer *gatherer = state;
    size_t n = gatherer->cell->plan.graph->node_count;
    struct sl_arena *arena = &gatherer->arena;
    gatherer->nodes = sl_arena_array(arena, GROUPS * n + 1, sizeof *gatherer->nodes);
    gatherer->parts = sl_arena_array(arena, GROUPS * SL_CHAIN_PARTS, sizeof *gatherer->parts);
    gatherer->seen = sl_arena_array(arena, SL_CHAIN_PARTS, 1);
    if (!gatherer->nodes || !gatherer->parts || !gatherer->seen)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the chains of %zu nodes", n);
    return SL_OK;
}

static void add_contrasts(struct sl_chain_contrast *contrasts, const struct sl_chain_sum *sums,
                          size_t count)
{
    for (size_t k = 0; k < count; k++) {
        contrasts[k].tail.ps += sums[k].ps;
        contrasts[k].tail.trials += sums[k].trials;
        contrasts[k].middle.ps += sums[count + k].ps;
        contrasts[k].middle.trials += sums[count + k].trials;
    }
}

/* Each share lies outside its own interval with probability alpha / 2 at most, so that the
 * difference lies outside theirs with at most alpha. */
static void estimate(struct sl_chain_contrast *contrasts, size_t count, struct sl_proportions *tail,
                     struct sl_proportions *middle)
{
    for (size_t k = 0; k < count; k++) {
        struct sl_chain_contrast *contrast = &contrasts[k];
        struct sl_estimate a = sl_proportions_at(tail, contrast->tail.trials);
        struct sl_estimate b = sl_proportions_at(middle, contrast->middle.trials);
        contrast->difference = (struct sl_estimate){a.value - b.value, a.lo - b.hi, a.hi - b.lo};
    }
}

static enum sl_status estimate_all(struct sl_tail_chain *chain, size_t nodes, struct sl_error *err)
{
    double level = 1 - (1 - SL_LEVEL_CONFIDENCE) / 2;
    struct sl_arena arena = {0};
    struct sl_proportions tail, middle;
    bool ok = sl_proportions_open(&tail, chain->tail_trials, level, &arena) &&
              sl_proportions_open(&middle, chain->middle_trials, level, &arena);
    if (ok) {
        estimate(chain->nodes, nodes, &tail, &middle);
        estimate(chain->parts, SL_CHAIN_PARTS, &tail, &middle);
    }
    sl_arena_free(&arena);
    return ok ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory for the chains of %zu nodes", nodes);
}

static enum sl_status run_groups(struct sl_cell *cell, struct sl_trials_job *job,
                                 struct gatherer *gatherers, const uint8_t *group,
                                 struct sl_error *err)
{
    struct sl_tail_chain *tail = &cell->tail_chain;
    uint32_t n = cell->plan.graph->node_count;
    for (uint32_t t = 0; t < job->threads; t++) {
        gatherers[t].cell = cell;
        gatherers[t].program = job->program;
        gatherers[t].group = group;
        job->states[t] = &gatherers[t];
    }
    tail->nodes = sl_arena_array(&cell->arena, (size_t)n + 1, sizeof *tail->nodes);
    tail->parts = sl_arena_array(&cell->arena, SL_CHAIN_PARTS, sizeof *tail->parts);
    if (!tail->nodes || !tail->parts)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the chains of %u nodes", (unsigned)n);
    enum sl_status status = sl_trials_run(job, err);
    for (uint32_t t = 0; t < job->threads && status == SL_OK; t++) {
        if (!gatherers[t].seen)
            continue; /* its thread got no trial */
        add_contrasts(tail->nodes, gatherers[t].nodes, n);
        add_contrasts(tail->parts, gatherers[t].parts, SL_CHAIN_PARTS);
    }
    return status == SL_OK ? estimate_all(tail, n, err) : status;
}

static enum sl_status run_again(struct sl_cell *cell, const struct sl_trials_job *all,
                                const uint8_t *group, const uint32_t *numbers, uint32_t count,
                                struct sl_error *err)
{
    struct sl_trials_job job = *all;
    job.trials = count;
    job.numbers = numbers;
    job.threads = all->threads < count ? all->threads : count;
    job.flags = 0;
    job.open = open_gatherer;
    job.visit = visit;
    job.progress = NULL;
    job.states = calloc(job.threads, sizeof *job.states);
    struct gatherer *gatherers = calloc(job.threads, sizeof *gatherers);
    enum sl_status status = !job.states || !gatherers
                                ? SL_FAIL(err, SL_SYSTEM, "out of memory")
                                : run_groups(cell, &job, gatherers, group, err);
    for (uint32_t t = 0; gatherers && t < job.threads; t++)
        sl_arena_free(&gatherers[t].arena);
    free(gatherers);
    free(job.states);
    return status;
}

double sl_tail_chain_us(const struct sl_chain_sum *sum, uint32_t trials)
{
    return (double)sum->ps / trials / (double)SL_PS_PER_US;
}

enum sl_status sl_cell_tail_chain(struct sl_cell *cell, const struct sl_program *program,
                                  struct sl_trials_job *job, struct sl_error *err)
{
    struct sl_tail_chain *tail = &cell->tail_chain;
    job->program = program;
    enum sl_status status = SL_OK;
    find_limits(tail, cell);
    if (!tail->apart)
        return SL_OK;
    uint8_t *group = calloc(cell->trials, 1);
    uint32_t *numbers = calloc(cell->trials, sizeof *numbers);
    if (!group || !numbers)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (status == SL_OK) {
        uint32_t count = choose_trials(tail, cell, group, numbers);
        if (tail->tail_trials >= SL_TAIL_CHAIN_LEAST && tail->middle_trials >= SL_TAIL_CHAIN_LEAST)
            status = run_again(cell, job, group, numbers, count, err);
    }
    free(group);
    free(numbers);
    return status;
}

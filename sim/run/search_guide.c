/* Where a plan loses time, and what holds memory when it is short, gap by gap.
 *
 * Time: the realized chains of the worst tenth of the trials (of all where the objective begins
 * with the median or the mean), in which copies and recomputations are counted for the gaps of
 * their object. Memory: the trial in the middle of those, in which a gap counts that spans the time
 * of its home's largest level. */
#include "chain_time.h"
#include "searchparts.h"
#include <stdlib.h>
#include <string.h>

#define MOST_CHAINS 32

struct chains {
    struct sl_guide *guide;
    const struct sl_space *space;
    const struct sl_program *program;
    struct sl_worker *worker;
    uint64_t seed;
    struct sl_chain_time time;
    uint32_t count; /* of the trials in `time` */
    struct sl_error *err;
};

struct ranked {
    int64_t metric_ps;
    uint32_t trial;
};

static int compare(const void *x, const void *y)
{
    const struct ranked *a = x, *b = y;
    if (a->metric_ps != b->metric_ps)
        return a->metric_ps < b->metric_ps ? -1 : 1;
    return a->trial < b->trial ? -1 : a->trial > b->trial;
}

/* When the level of each domain is largest, ps. */
static void find_peaks(const struct sl_trial *record, uint32_t domains, int64_t *when)
{
    for (uint32_t d = 0; d < domains; d++) {
        int64_t most = -1;
        when[d] = 0;
        for (size_t i = 0; i < record->step_count; i++) {
            const struct sl_level_step *step = &record->steps[i];
            int64_t level = step->object_bytes + step->workspace_bytes + step->staging_bytes;
            if (step->domain != d || level <= most)
                continue;
            most = level;
            when[d] = step->t_ps;
        }
    }
}

/* Nodes of the scenario's graph have the same names in the plan. */
static int64_t time_of(const struct chains *c, uint32_t row, const int64_t *times)
{
    const char *name = c->space->scenario->graph->nodes[row].name;
    uint32_t node = sl_names_find(&sl_program_graph(c->program)->node_names, name);
    return node == SL_NONE ? -1 : times[node];
}

static enum sl_status note_peaks(struct chains *c, uint32_t trial)
{
    const struct sl_trial *record;
    uint32_t domains = c->space->scenario->platform.domain_names.count;
    int64_t *when = malloc(((size_t)domains + 1) * sizeof *when);
    if (!when)
        return SL_FAIL(c->err, SL_SYSTEM, "out of memory for a look at a plan's peaks");
    enum sl_status status =
        sl_worker_run(c->worker, c->seed, trial, SL_RECORD_LEVELS, &record, c->err);
    if (status == SL_OK)
        find_peaks(record, domains, when);
    for (uint32_t g = 0; g < c->space->gap_count && status == SL_OK; g++) {
        const struct sl_open_gap *open = &c->space->gaps[g];
        int64_t from = open->before == SL_NONE ? 0 : time_of(c, open->before, record->finish_ps);
        int64_t to = time_of(c, open->after, record->start_ps);
        bool stuck = record->outcome == SL_DEADLOCK && to < 0;
        c->guide->at_peak[g] = open->home != SL_NONE && from >= 0 && from <= when[open->home] &&
                               (stuck || when[open->home] <= to);
    }
    free(when);
    return status;
}

static enum sl_status follow(struct chains *c, const struct sl_search_goal *goal,
                             const struct sl_samples *samples)
{
    enum sl_measure first = goal->order[0].measure;
    bool all = first == SL_MEASURE_MEDIAN || first == SL_MEASURE_MEAN;
    uint32_t n = samples->count, count = all ? n : (n + 9) / 10;
    struct ranked *ranked = malloc(((size_t)n + 1) * sizeof *ranked);
    const struct sl_trial *record;
    if (!ranked)
        return SL_FAIL(c->err, SL_SYSTEM, "out of memory for a look at a plan's chain");
    for (uint32_t t = 0; t < n; t++)
        ranked[t] = (struct ranked){samples->metric_ps[t], t};
    qsort(ranked, n, sizeof *ranked, compare);
    uint32_t first_rank = n - count, step = (count + MOST_CHAINS - 1) / MOST_CHAINS;
    enum sl_status status = SL_OK;
    for (uint32_t i = first_rank; i < n && status == SL_OK; i += step) {
        status = sl_worker_run(c->worker, c->seed, ranked[i].trial, 0, &record, c->err);
        if (status == SL_OK)
            status = sl_chain_time_add(&c->time, c->program, record, c->err);
        c->count++;
    }
    if (status == SL_OK)
        status = note_peaks(c, ranked[first_rank + count / 2].trial);
    free(ranked);
    return status;
}

static enum sl_status trace(struct chains *c, const struct sl_plan *plan,
                            const struct sl_search_goal *goal, const struct sl_samples *samples)
{
    struct sl_program *program = NULL;
    size_t objects = (size_t)c->space->scenario->graph->object_count + 1;
    enum sl_status status = sl_program_create(&program, plan->graph, &plan->engine, c->err);
    if (status == SL_OK)
        status = sl_worker_create(&c->worker, program, c->err);
    c->program = program;
    struct sl_chain_time *time = &c->time;
    time->move_ps = sl_arena_array(&time->arena, objects, sizeof *time->move_ps);
    time->remat_ps = sl_arena_array(&time->arena, objects, sizeof *time->remat_ps);
    if (status == SL_OK && (!time->move_ps || !time->remat_ps))
        status = SL_FAIL(c->err, SL_SYSTEM, "out of memory for a look at a plan's chain");
    if (status == SL_OK)
        status = follow(c, goal, samples);
    for (uint32_t g = 0; g < c->space->gap_count && status == SL_OK; g++) {
        uint32_t object = c->space->gaps[g].object;
        c->guide->move_ps[g] = time->move_ps[object] / c->count;
        c->guide->remat_ps[g] = time->remat_ps[object] / c->count;
    }
    sl_worker_free(c->worker);
    sl_program_free(program);
    sl_arena_free(&time->arena);
    return status;
}

enum sl_status sl_guide_make(struct sl_guide *guide, const struct sl_judge *judge,
                             const struct sl_draft *draft, const struct sl_samples *samples,
                             struct sl_error *err)
{
    struct chains chains = {.guide = guide, .space = judge->space, .seed = judge->seed, .err = err};
    struct sl_arena scratch = {0};
    struct sl_policy_spec policy;
    struct sl_plan plan = {0};
    enum sl_status status = sl_draft_policy(judge->space, draft, &policy, &scratch, err);
    if (status == SL_OK)
        status = sl_planner_plan(judge->space->planner, &plan, &policy, NULL, err);
    plan.engine.corner = SL_CORNER_PESSIMISTIC;
    if (status == SL_OK)
        status = trace(&chains, &plan, judge->goal, samples);
    sl_plan_free(&plan);
    sl_arena_free(&scratch);
    return status;
}

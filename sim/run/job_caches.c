/* Sums of caches, and shares of blocks as ratios of what jobs found to what they looked up. */
#include "job_cell.h"
#include "ratio.h"
#include <math.h>
#include <stdlib.h>

#define LEVEL 0.95

/* ---- the plan's ------------------------------------------------------------------------------ */

static bool is_shared(const struct sl_graph *plan, uint32_t object)
{
    return plan->objects[object].shared && plan->objects[object].alias_of.i == SL_NONE;
}

static uint32_t tier_of(const struct sl_job_shared *shared, uint32_t domain)
{
    uint32_t tier = 0;
    while (tier < shared->tiers && shared->domains[tier] != domain)
        tier++;
    return tier;
}

/* Between which tiers the plan moves its blocks. */
static void set_moves(struct sl_job_shared *shared, const struct sl_graph *plan)
{
    for (uint32_t t = 0; t < SL_CACHE_TIERS; t++)
        shared->raised_to[t] = shared->spilled_to[t] = SL_NONE;
    for (uint32_t i = 0; i < plan->node_count; i++) {
        const struct sl_node *node = &plan->nodes[i];
        bool moves = node->kind == SL_PREFETCH || node->kind == SL_OFFLOAD;
        if (!moves || node->object.i == SL_NONE ||
            sl_object_root(plan, node->object).i != shared->object)
            continue;
        uint32_t from = tier_of(shared, node->from), to = tier_of(shared, node->to);
        if (from < shared->tiers && to < shared->tiers)
            (to < from ? shared->raised_to : shared->spilled_to)[from] = to;
    }
}

static struct sl_job_shared shared_object(const struct sl_graph *plan, uint32_t object)
{
    struct sl_job_shared shared = {.object = object, .bytes = plan->objects[object].bytes};
    for (uint32_t tier; (tier = sl_object_tier(plan, object, shared.tiers)) != SL_NONE;)
        shared.domains[shared.tiers++] = tier;
    set_moves(&shared, plan);
    return shared;
}

enum sl_status sl_job_shared_objects(struct sl_job_shape *shape, const struct sl_graph *plan,
                                     struct sl_arena *arena, struct sl_error *err)
{
    uint32_t count = 0;
    for (uint32_t o = 0; o < plan->object_count; o++)
        count += is_shared(plan, o);
    struct sl_job_shared *shared = sl_arena_array(arena, (size_t)count + 1, sizeof *shared);
    if (!shared)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for shared objects");
    shape->shared = shared;
    for (uint32_t o = 0; o < plan->object_count; o++) {
        if (!is_shared(plan, o))
            continue;
        struct sl_job_shared *at = &shared[shape->shared_count++];
        *at = shared_object(plan, o);
        at->first_count = shape->counts;
        shape->counts += SL_CACHE_VALUES(at->tiers);
    }
    return SL_OK;
}

/* ---- over replications ----------------------------------------------------------------------- */

/* Pairs of the counted jobs that looked up: blocks found, and blocks. */
struct pairs {
    double *found, *blocks, **values;
    size_t *counts, n;
    const struct sl_job_cell *jobs;
};

static bool pairs_init(struct pairs *pairs)
{
    uint64_t jobs = 0;
    for (uint32_t r = 0; r < pairs->jobs->distinct; r++)
        jobs += pairs->jobs->samples[r].jobs;
    pairs->found = malloc(jobs * sizeof *pairs->found + 1);
    pairs->blocks = malloc(jobs * sizeof *pairs->blocks + 1);
    pairs->values = calloc((size_t)pairs->jobs->distinct + 1, sizeof *pairs->values);
    pairs->counts = calloc((size_t)pairs->jobs->distinct + 1, sizeof *pairs->counts);
    return pairs->found && pairs->blocks && pairs->values && pairs->counts;
}

static void pairs_free(struct pairs *pairs)
{
    free(pairs->found);
    free(pairs->blocks);
    free(pairs->values);
    free(pairs->counts);
}

/* Of the tiers from `first` to `last`. */
static void gather(struct pairs *pairs, const struct sl_job_shared *shared, uint32_t first,
                   uint32_t last)
{
    pairs->n = 0;
    for (uint32_t r = 0; r < pairs->jobs->distinct; r++) {
        const struct sl_job_sample *sample = &pairs->jobs->samples[r];
        double *const *counts = sample->counts + shared->first_count;
        size_t begin = pairs->n;
        pairs->values[r] = &pairs->found[begin];
        for (uint64_t j = pairs->jobs->warmup.jobs; j < sample->jobs; j++) {
            if (isnan(counts[0][j]))
                continue;
            pairs->blocks[pairs->n] = counts[0][j];
            pairs->found[pairs->n] = 0;
            for (uint32_t t = first; t <= last; t++)
                pairs->found[pairs->n] += counts[1 + t][j];
            pairs->n++;
        }
        pairs->counts[r] = pairs->n - begin;
    }
}

/* All blocks, or none, leave no variation to go by: then it is known as from so many independent
 * jobs. */
static struct sl_estimate within(struct sl_estimate share, size_t jobs)
{
    if (share.value <= 0 || share.value >= 1) {
        struct sl_estimate exact = sl_proportion(share.value > 0 ? jobs : 0, jobs, LEVEL);
        share.lo = exact.lo;
        share.hi = exact.hi;
    }
    if (share.lo < 0)
        share.lo = 0;
    if (share.hi > 1)
        share.hi = 1;
    return share;
}

static enum sl_status estimate(struct sl_series_result *result, struct pairs *pairs,
                               const struct sl_job_shared *shared, uint32_t first, uint32_t last,
                               struct sl_error *err)
{
    const struct sl_series_figure mean = {SL_SERIES_MEAN, 0};
    const struct sl_series series = {.values = (const double *const *)pairs->values,
                                     .counts = pairs->counts,
                                     .count = pairs->jobs->distinct,
                                     .one_course = pairs->jobs->one_course};
    gather(pairs, shared, first, last);
    double ratio = sl_ratio_linearise(pairs->found, pairs->blocks, pairs->n);
    *result = (struct sl_series_result){.estimate = SL_NO_ESTIMATE, .needs = 1};
    if (isnan(ratio))
        return SL_OK;
    enum sl_status status = sl_series_estimate(&series, &mean, 1, LEVEL, result, err);
    result->estimate.value = ratio; /* the mean but for rounding */
    result->estimate = within(result->estimate, pairs->n);
    return status;
}

static void add_totals(struct sl_cache_totals *sum, const struct sl_cache_totals *more)
{
    sum->tiers = more->tiers;
    sum->looked_up += more->looked_up;
    sum->missing += more->missing;
    sum->made += more->made;
    sum->fetched += more->fetched;
    sum->made_twice += more->made_twice;
    sum->fetched_twice += more->fetched_twice;
    sum->fetched_unused += more->fetched_unused;
    sum->turns += more->turns;
    sum->turns_starved += more->turns_starved;
    sum->turn_ps += more->turn_ps;
    if (more->turn_most_ps > sum->turn_most_ps)
        sum->turn_most_ps = more->turn_most_ps;
    for (uint32_t t = 0; t < SL_CACHE_TIERS; t++) {
        sum->found[t] += more->found[t];
        sum->raised[t] += more->raised[t];
        sum->raised_twice[t] += more->raised_twice[t];
        sum->evicted[t] += more->evicted[t];
        sum->spilled[t] += more->spilled[t];
        sum->written[t] += more->written[t];
        sum->kept[t] += more->kept[t];
        sum->lost[t] += more->lost[t];
        sum->left_over[t] += more->left_over[t];
    }
}

uint64_t sl_job_cache_lost(const struct sl_job_cache_use *use)
{
    uint64_t lost = 0;
    for (uint32_t t = 0; t < use->sum.tiers; t++)
        lost += use->sum.lost[t];
    return lost;
}

static enum sl_status use_of(struct sl_job_cache_use *use, struct pairs *pairs, uint32_t k,
                             struct sl_error *err)
{
    const struct sl_job_shared *shared = &pairs->jobs->shape.shared[k];
    for (uint32_t r = 0; r < pairs->jobs->sample_count; r++)
        add_totals(&use->sum, &pairs->jobs->samples[r].caches[k]);
    use->wasted_bytes = (double)use->sum.fetched_unused * (double)shared->bytes;
    enum sl_status status = estimate(&use->found, pairs, shared, 0, shared->tiers - 1, err);
    for (uint32_t t = 0; status == SL_OK && t < shared->tiers; t++)
        status = estimate(&use->found_in[t], pairs, shared, t, t, err);
    return status;
}

enum sl_status sl_job_caches(struct sl_job_cell *jobs, struct sl_arena *arena, struct sl_error *err)
{
    uint32_t count = jobs->shape.shared_count;
    struct pairs pairs = {.jobs = jobs};
    jobs->caches = sl_arena_array(arena, (size_t)count + 1, sizeof *jobs->caches);
    enum sl_status status = SL_OK;
    if (!jobs->caches || (count > 0 && !pairs_init(&pairs)))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for shared objects");
    for (uint32_t k = 0; status == SL_OK && k < count; k++)
        status = use_of(&jobs->caches[k], &pairs, k, err);
    pairs_free(&pairs);
    return status;
}

/* A trial's random numbers: a uniform for each random node (uniforms.c), then the quantile
 * functions in bulk, so that the same node sees the same draw under every policy. */
#include "isa.h"
#include "worker.h"
#include <gsl/gsl_cdf.h>
#include <math.h>

static void fill_values(struct sl_worker *w)
{
    const struct sl_program *p = w->p;
    for (uint32_t k = 0; k < p->draw_group_count; k++) {
        const struct draw_group *group = &p->draw_groups[k];
        uint32_t at = group->draws.first;
        if (group->table)
            sl_qtable_values(group->table, w->u + at, w->value + at, group->draws.count);
        else
            sl_dist_values(group->dist, w->u + at, w->u2 + at, p->draw_unit + at, w->value + at,
                           group->draws.count);
    }
}

/* Exponential dwells have no memory, so the first lasts as long as any other. */
static void regime_dwell(struct sl_worker *w, uint32_t f, uint32_t trial)
{
    const struct factor_static *factor = &w->p->factors[f];
    struct regime_run *run = &w->regimes[f];
    double u, u2;
    sl_draws_uniforms(w->seed, trial, run->hash, ++run->draws, &u, &u2);
    double mean = run->at_level ? factor->dwell_ps : factor->dwell_ps * (1 - factor->p) / factor->p;
    run->until += -log(u) * mean;
}

/* A regime forgets its state at the rate 1 / (dwell (1 - p)): after 64 such times it depends on its
 * start by exp(-64).  So each epoch of that length starts anew from the stationary share, and a
 * node that starts after many short dwells needs those of one epoch only. */
static double regime_epoch_ps(const struct factor_static *factor)
{
    return fmax(64 * factor->dwell_ps * (1 - factor->p), 1);
}

static void regime_start(struct sl_worker *w, uint32_t f, uint32_t trial, uint64_t epoch)
{
    const struct factor_static *factor = &w->p->factors[f];
    uint64_t hash = factor->hash + epoch * UINT64_C(0x9E3779B97F4A7C15);
    double u, u2;
    sl_draws_uniforms(w->seed, trial, hash, 0, &u, &u2);
    w->regimes[f] = (struct regime_run){u < factor->p, INFINITY, 0, epoch, hash};
    if (factor->p <= 0 || factor->p >= 1 || !(factor->dwell_ps > 0))
        return;
    w->regimes[f].until = (double)epoch * regime_epoch_ps(factor);
    regime_dwell(w, f, trial);
}

void sl_draws_factors(struct sl_worker *w, uint64_t seed, uint32_t trial)
{
    const struct sl_program *p = w->p;
    if (!p->factor_count)
        return; /* then no node has a list of factors */
    for (uint32_t f = 0; f < p->factor_count; f++) {
        const struct factor_static *factor = &p->factors[f];
        if (factor->draw) {
            double u, u2;
            sl_draws_uniforms(seed, trial, factor->hash, 0, &u, &u2);
            w->factor_value[f] = sl_dist_value(factor->draw, u, u2);
            continue;
        }
        w->factor_value[f] = 1;
        regime_start(w, f, trial, 0);
    }
    for (uint32_t k = 0; p->factor_count && k < p->draw_count; k++) {
        const struct range *uses = &p->node_factors[p->draw_node[k]];
        double product = 1;
        for (uint32_t j = 0; j < uses->count; j++)
            product *= w->factor_value[p->factor_uses[uses->first + j]];
        w->multiplier[k] = product;
    }
}

double sl_draws_correlate(const struct guard_draw *draw, double common, double u)
{
    return gsl_cdf_ugaussian_P(draw->shared * gsl_cdf_ugaussian_Pinv(common) +
                               draw->own * gsl_cdf_ugaussian_Pinv(u));
}

static double correlated(const struct guard_draw *draw, uint64_t seed, uint32_t trial, double u)
{
    double common, unused;
    sl_draws_uniforms(seed, trial, draw->shared_hash, 0, &common, &unused);
    return sl_draws_correlate(draw, common, u);
}

/* Draws come in order of iterations, so that the one before is known. */
static void draw_guards(struct sl_worker *w, uint64_t seed, uint32_t trial)
{
    const struct sl_program *p = w->p;
    for (uint32_t k = 0; k < p->guard_count; k++) {
        const struct guard_draw *draw = &p->guards[k];
        double u, u2, holds = draw->probability, r = draw->persistence;
        sl_draws_uniforms(seed, trial, draw->hash, 0, &u, &u2);
        if (draw->shared > 0)
            u = correlated(draw, seed, trial, u);
        if (draw->before != SL_NONE)
            holds = w->draw_holds[draw->before] ? holds + r * (1 - holds) : holds * (1 - r);
        w->draw_holds[k] = u < holds;
    }
}

static void fill_guards(struct sl_worker *w, uint64_t seed, uint32_t trial)
{
    const struct sl_program *p = w->p;
    draw_guards(w, seed, trial);
    for (uint32_t i = 0; p->guards && i < p->n; i++) {
        if (!(p->hot[i].flags & NODE_GUARD))
            continue;
        struct range uses = p->node_guards[i];
        bool holds = true;
        for (uint32_t j = 0; j < uses.count; j++) {
            const struct guard_use *use = &p->guard_uses[uses.first + j];
            holds &= w->draw_holds[use->draw] != use->negated;
        }
        w->guard_holds[i] = holds;
        if (!holds) {
            w->run[i].skip = RUN_SKIP;
            /* A skipped node does not wait for its release. */
            if (w->run[i].cause == SL_CAUSE_RELEASE) {
                w->run[i].ready = 0;
                w->run[i].cause = SL_CAUSE_NONE;
            }
        }
    }
}

typedef double numbers __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t masks __attribute__((vector_size(32), may_alias));
typedef int64_t masks_at __attribute__((vector_size(32), aligned(8), may_alias));
#define SMALL 0x1p51 /* doubles below it keep a bit below 1 */
enum { LANES = sizeof(numbers) / sizeof(double) };

/* sl_round_ps of numbers below SMALL: the nearest integer of the doubled number, less 1 where it is
 * above it, is what sl_round_ps cuts it down to. */
static SL_ALWAYS_INLINE void round_small(const numbers *times, int64_t *to)
{
    const double bits =
        0x1p52; /* from here on doubles are integers, and their low bits say which */
    numbers doubled = *times + *times, nearest = (doubled + bits) - bits;
    numbers cut = nearest + (numbers)((masks)((numbers){0} - 1) & (masks)(nearest > doubled));
    masks whole = (masks)(cut + bits) - (masks)((numbers){0} + bits);
    *(masks_at *)to = (whole + 1) >> 1;
}

static SL_ALWAYS_INLINE void times_from(const struct sl_worker *w, const double *scale, uint32_t k,
                                        numbers *times)
{
    const struct sl_program *p = w->p;
    *times = *(const numbers *)(w->value + k) * *(const numbers *)(p->draw_unit + k) *
             *(const numbers *)(scale + k);
    if (p->factor_count)
        *times *= *(const numbers *)(w->multiplier + k);
}

/* to[node] = llround(value x unit x scale x factors); adds these times to the sum. */
static SL_ALWAYS_INLINE void store_times_body(const struct sl_worker *w, const double *scale,
                                              int64_t *to, double *sum)
{
    const struct sl_program *p = w->p;
    uint32_t k = 0, whole = p->draws_in_order ? p->draw_count - p->draw_count % LANES : 0;
    numbers sums = {0};
    masks large = {0};
    for (int64_t *next = to + p->draw_node[0]; k < whole; k += LANES, next += LANES) {
        numbers times;
        times_from(w, scale, k, &times);
        sums += times;
        large |= ~(masks)(times < SMALL);
        round_small(&times, next);
    }
    if (large[0] | large[1] | large[2] | large[3]) { /* once more, one by one */
        k = 0;
        sums = (numbers){0};
    }
    for (; k < p->draw_count; k += LANES) { /* of more than there are the scale is 0 */
        numbers times;
        times_from(w, scale, k, &times);
        sums += times;
        masks fits = times < 0x1p61;
        numbers bounded = (numbers)((masks)times & fits);
        for (uint32_t j = 0; j < LANES && k + j < p->draw_count; j++)
            to[p->draw_node[k + j]] = sl_round_ps(bounded[j]);
    }
    *sum += (sums[0] + sums[1]) + (sums[2] + sums[3]);
}
SL_FOR_EACH_ISA(store_times,
                (const struct sl_worker *w, const double *scale, int64_t *to, double *sum),
                (w, scale, to, sum))

/* Durations and latencies; returns their sum. */
static double store_durations(struct sl_worker *w)
{
    const struct sl_program *p = w->p;
    double sum = 0;
    store_times(w, p->draw_scale, w->duration, &sum);
    if (p->any_latency)
        store_times(w, p->draw_latency, w->latency, &sum);
    for (uint32_t k = 0; p->regime_count && k < p->draw_count; k++)
        w->raw[p->draw_node[k]] = w->value[k] * p->draw_unit[k] * w->multiplier[k];
    return sum;
}

void sl_draws_fill(struct sl_worker *w, uint64_t seed, uint32_t trial)
{
    const struct sl_program *p = w->p;
    w->seed = seed;
    sl_uniforms_fill(seed, trial, p->draw_hash, p->draw_count, w->u, p->any_second ? w->u2 : NULL);
    fill_values(w);
    sl_draws_factors(w, seed, trial);
    fill_guards(w, seed, trial);
    w->longest_ps = p->fixed_sum_ps + store_durations(w);
    if (!(w->longest_ps < 0x1p61))
        sl_worker_fault(w, "the drawn durations of trial %u sum to more than 2^61 ps", trial);
}

/* Number k of the key's draws is that of the node's run k; its constant is the same in all of them.
 */
void sl_draws_latent(struct sl_worker *w, uint32_t node, uint32_t number)
{
    const struct sl_program *p = w->p;
    const struct sl_node *n = &p->graph->nodes[node];
    double u, u2, value = 0;
    if (n->dist) {
        sl_draws_uniforms(w->seed, w->record.trial, n->key_hash, number, &u, &u2);
        value = sl_dist_value(n->dist, u, u2);
    }
    for (uint32_t j = 0; p->node_factors && j < p->node_factors[node].count; j++)
        value *= w->factor_value[p->factor_uses[p->node_factors[node].first + j]];
    if (p->regime_count)
        w->raw[node] = value;
    double hold = value * n->scale, latency = value * n->latency_scale;
    if (!(hold + latency < 0x1p61)) {
        sl_worker_fault(w, "the duration of '%s' is out of range", n->name);
        return;
    }
    w->duration[node] = sl_round_ps(hold);
    w->latency[node] = sl_round_ps(latency);
}

double sl_draws_regimes(struct sl_worker *w, uint32_t node)
{
    const struct sl_program *p = w->p;
    const struct range *uses = &p->node_factors[node];
    double factor = 1;
    for (uint32_t j = 0; j < uses->count; j++) {
        uint32_t f = p->factor_uses[uses->first + j];
        struct regime_run *run = &w->regimes[f];
        if (p->factors[f].draw)
            continue;
        if (isfinite(run->until)) {
            uint64_t epoch = (uint64_t)((double)w->now / regime_epoch_ps(&p->factors[f]));
            if (epoch != run->epoch)
                regime_start(w, f, w->record.trial, epoch);
        }
        while (run->until <= (double)w->now) {
            run->at_level = !run->at_level;
            regime_dwell(w, f, w->record.trial);
        }
        if (run->at_level)
            factor *= p->factors[f].level;
    }
    return factor;
}

void sl_draws_complete(struct sl_worker *w, uint32_t node)
{
    const struct sl_node *n = &w->p->graph->nodes[node];
    double factor = sl_draws_regimes(w, node);
    double hold = w->raw[node] * n->scale * factor,
           latency = w->raw[node] * n->latency_scale * factor;
    if (!(hold + latency < 0x1p61)) {
        sl_worker_fault(w, "the duration of '%s' is out of range", n->name);
        return;
    }
    w->duration[node] = sl_round_ps(hold);
    w->latency[node] = sl_round_ps(latency);
}

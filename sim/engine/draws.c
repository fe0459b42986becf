/* A trial's random numbers: Philox4x32-10 once per random node, counter (trial, key hash, draw
 * number), key = seed; then the quantile functions in bulk, so that the same node sees the same
 * draw under every policy. */
#include "program.h"
#include <math.h>
#include <Random123/philox.h>

static inline double uniform(uint32_t low, uint32_t high)
{
    uint64_t bits = (uint64_t)high << 32 | low;
    return ((double)(int64_t)(bits >> 11) + 0.5) * 0x1p-53; /* signed converts in one step */
}

static inline void draw(uint64_t seed, uint32_t trial, uint32_t lo, uint32_t hi, uint32_t number,
                        double *u, double *u2)
{
    philox4x32_ctr_t counter = {{trial, lo, hi, number}};
    philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    philox4x32_ctr_t r = philox4x32(counter, key);
    *u = uniform(r.v[0], r.v[1]);
    *u2 = uniform(r.v[2], r.v[3]);
}

/* All nodes' uniforms.  One loop over plain arrays, the rounds unrolled: the compiler interleaves
 * the draws, which is what makes them cheap. */
static void fill_uniforms(struct sl_worker *w, uint64_t seed, uint32_t trial)
{
    const struct sl_program *p = w->p;
    double *restrict first = w->u, *restrict second = w->u2;
    for (uint32_t i = 0; i < p->draw_count; i++) {
        uint32_t a = trial, b = p->draw_lo[i], c = p->draw_hi[i], d = 0;
        uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
#pragma GCC unroll 10
        for (int round = 0; round < 10; round++, k0 += PHILOX_W32_0, k1 += PHILOX_W32_1) {
            uint64_t left = (uint64_t)a * PHILOX_M4x32_0, right = (uint64_t)c * PHILOX_M4x32_1;
            a = (uint32_t)(right >> 32) ^ b ^ k0;
            b = (uint32_t)right;
            c = (uint32_t)(left >> 32) ^ d ^ k1;
            d = (uint32_t)left;
        }
        first[i] = uniform(a, b);
        second[i] = uniform(c, d);
    }
}

void sl_draws_uniforms(uint64_t seed, uint32_t trial, uint64_t hash, uint32_t number, double *u,
                       double *u2)
{
    draw(seed, trial, (uint32_t)hash, (uint32_t)(hash >> 32), number, u, u2);
}

/* A regime's state at t = 0 is stationary; exponential dwells have no memory, so the first lasts
 * as long as any other. */
static void regime_dwell(struct sl_worker *w, uint32_t f, uint32_t trial)
{
    const struct factor_static *factor = &w->p->factors[f];
    struct regime_run *run = &w->regimes[f];
    double u, u2;
    sl_draws_uniforms(w->seed, trial, factor->hash, ++run->draws, &u, &u2);
    double mean = run->at_level ? factor->dwell_ps : factor->dwell_ps * (1 - factor->p) / factor->p;
    run->until += -log(u) * mean;
}

static void fill_factors(struct sl_worker *w, uint64_t seed, uint32_t trial)
{
    const struct sl_program *p = w->p;
    if (!p->factor_count)
        return; /* then no node has a list of factors */
    for (uint32_t f = 0; f < p->factor_count; f++) {
        const struct factor_static *factor = &p->factors[f];
        double u, u2;
        sl_draws_uniforms(seed, trial, factor->hash, 0, &u, &u2);
        if (factor->draw) {
            w->factor_value[f] = sl_dist_value(factor->draw, u, u2);
            continue;
        }
        bool settled = factor->p <= 0 || factor->p >= 1 || !(factor->dwell_ps > 0);
        w->factor_value[f] = 1;
        w->regimes[f] = (struct regime_run){u < factor->p, settled ? INFINITY : 0, 0};
        if (!settled)
            regime_dwell(w, f, trial);
    }
    for (uint32_t k = 0; p->factor_count && k < p->draw_count; k++) {
        const struct range *uses = &p->node_factors[p->draw_node[k]];
        double product = 1;
        for (uint32_t j = 0; j < uses->count; j++)
            product *= w->factor_value[p->factor_uses[uses->first + j]];
        w->multiplier[k] = product;
    }
}

static void fill_guards(struct sl_worker *w, uint64_t seed, uint32_t trial)
{
    const struct sl_program *p = w->p;
    for (uint32_t i = 0; p->guards && i < p->n; i++) {
        if (!(p->hot[i].flags & NODE_GUARD))
            continue;
        const struct guard_draw *guard = &p->guards[p->node_guard[i]];
        double u, u2;
        sl_draws_uniforms(seed, trial, guard->hash, 0, &u, &u2);
        bool holds = (u < guard->probability) != p->graph->nodes[i].guard_negated;
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

/* duration = llround(dist x scale x factors), latency likewise; returns their sum. */
static double store_durations(struct sl_worker *w)
{
    const struct sl_program *p = w->p;
    const double *multiplier = w->multiplier;
    double sum = 0;
    for (uint32_t k = 0; k < p->draw_count; k++) {
        double hold = w->value[k] * p->draw_scale[k];
        if (p->factor_count)
            hold *= multiplier[k];
        sum += hold;
        w->duration[p->draw_node[k]] = round_ps(hold < 0x1p61 ? hold : 0);
    }
    for (uint32_t k = 0; p->any_latency && k < p->draw_count; k++) {
        double latency = w->value[k] * p->draw_latency[k];
        if (p->factor_count)
            latency *= multiplier[k];
        sum += latency;
        w->latency[p->draw_node[k]] = round_ps(latency < 0x1p61 ? latency : 0);
    }
    for (uint32_t k = 0; p->regime_count && k < p->draw_count; k++)
        w->raw[p->draw_node[k]] = w->value[k] * multiplier[k];
    return sum;
}

void sl_draws_fill(struct sl_worker *w, uint64_t seed, uint32_t trial)
{
    const struct sl_program *p = w->p;
    w->seed = seed;
    fill_uniforms(w, seed, trial);
    for (uint32_t k = 0; k < p->draw_group_count; k++) {
        const struct draw_group *group = &p->draw_groups[k];
        uint32_t at = group->draws.first;
        sl_dist_values(group->dist, w->u + at, w->u2 + at, p->draw_ones, w->value + at,
                       group->draws.count);
    }
    fill_factors(w, seed, trial);
    fill_guards(w, seed, trial);
    double sum = p->fixed_sum_ps + store_durations(w);
    if (!(sum < 0x1p61))
        sl_worker_fault(w, "the drawn durations of trial %u sum to more than 2^61 ps", trial);
}

void sl_draws_complete(struct sl_worker *w, uint32_t node)
{
    const struct sl_program *p = w->p;
    const struct range *uses = &p->node_factors[node];
    double factor = 1;
    for (uint32_t j = 0; j < uses->count; j++) {
        uint32_t f = p->factor_uses[uses->first + j];
        struct regime_run *run = &w->regimes[f];
        if (p->factors[f].draw)
            continue;
        while (run->until <= (double)w->now) {
            run->at_level = !run->at_level;
            regime_dwell(w, f, w->record.trial);
        }
        if (run->at_level)
            factor *= p->factors[f].level;
    }
    const struct sl_node *n = &p->graph->nodes[node];
    double hold = w->raw[node] * n->scale * factor,
           latency = w->raw[node] * n->latency_scale * factor;
    if (!(hold + latency < 0x1p61)) {
        sl_worker_fault(w, "the duration of '%s' is out of range", n->name);
        return;
    }
    w->duration[node] = round_ps(hold);
    w->latency[node] = round_ps(latency);
}

/* A trial's random numbers: Philox4x32-10 once per random node, counter (trial, key hash, draw
 * number), key = seed; then the quantile functions in bulk, so that the same node sees the same
 * draw under every policy. */
#include "program.h"
#include <math.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif
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

#ifdef __SSE2__
/* Two draws side by side, each word of the counter in the low half of a 64-bit lane; what is in the
 * high halves on the way does not count. */
struct two_draws {
    __m128i a, b, c, d;
};

static inline void philox_round(struct two_draws *draws, __m128i key0, __m128i key1)
{
    __m128i left = _mm_mul_epu32(draws->a, _mm_set1_epi64x(PHILOX_M4x32_0));
    __m128i right = _mm_mul_epu32(draws->c, _mm_set1_epi64x(PHILOX_M4x32_1));
    draws->a = _mm_xor_si128(_mm_xor_si128(_mm_srli_epi64(right, 32), draws->b), key0);
    draws->b = right;
    draws->c = _mm_xor_si128(_mm_xor_si128(_mm_srli_epi64(left, 32), draws->d), key1);
    draws->d = left;
}

/* As `uniform`: the halves of the 53-bit integer are made doubles by setting exponent bits, and all
 * is exact up to the addition of 0.5. */
static inline void store_uniforms(double *to, __m128i low, __m128i high)
{
    const __m128i low_half = _mm_set1_epi64x(0xffffffff);
    const __m128i unit = _mm_castpd_si128(_mm_set1_pd(0x1p52)),
                  unit32 = _mm_castpd_si128(_mm_set1_pd(0x1p84));
    __m128i bits = _mm_or_si128(_mm_slli_epi64(high, 32), _mm_and_si128(low, low_half));
    bits = _mm_srli_epi64(bits, 11);
    __m128d below = _mm_castsi128_pd(_mm_or_si128(_mm_and_si128(bits, low_half), unit));
    __m128d above = _mm_castsi128_pd(_mm_or_si128(_mm_srli_epi64(bits, 32), unit32));
    __m128d whole = _mm_add_pd(_mm_sub_pd(above, _mm_set1_pd(0x1p84 + 0x1p52)), below);
    _mm_storeu_pd(to, _mm_mul_pd(_mm_add_pd(whole, _mm_set1_pd(0.5)), _mm_set1_pd(0x1p-53)));
}

/* Draws i to i + 3 at once. */
static inline void four_uniforms(uint64_t seed, uint32_t trial, const uint64_t *hash, double *first,
                                 double *second)
{
    struct two_draws draws[2];
    for (int k = 0; k < 2; k++) {
        __m128i keys = _mm_loadu_si128((const __m128i *)(hash + 2 * k));
        draws[k] = (struct two_draws){_mm_set1_epi64x(trial), keys, _mm_srli_epi64(keys, 32),
                                      _mm_setzero_si128()};
    }
    uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
#pragma GCC unroll 10
    for (int round = 0; round < 10; round++, key0 += PHILOX_W32_0, key1 += PHILOX_W32_1) {
        __m128i k0 = _mm_set1_epi64x(key0), k1 = _mm_set1_epi64x(key1);
        philox_round(&draws[0], k0, k1);
        philox_round(&draws[1], k0, k1);
    }
    for (int k = 0; k < 2; k++) {
        store_uniforms(first + 2 * k, draws[k].a, draws[k].b);
        if (second)
            store_uniforms(second + 2 * k, draws[k].c, draws[k].d);
    }
}
#else
static inline void four_uniforms(uint64_t seed, uint32_t trial, const uint64_t *hash, double *first,
                                 double *second)
{
    for (int k = 0; k < SL_DRAWS_AT_ONCE; k++) {
        double u2;
        draw(seed, trial, (uint32_t)hash[k], (uint32_t)(hash[k] >> 32), 0, &first[k], &u2);
        if (second)
            second[k] = u2;
    }
}
#endif

/* All nodes' uniforms; the second ones only where a law needs them. */
static void fill_uniforms(struct sl_worker *w, uint64_t seed, uint32_t trial)
{
    const struct sl_program *p = w->p;
    for (uint32_t i = 0; i < p->draw_count; i += SL_DRAWS_AT_ONCE)
        four_uniforms(seed, trial, p->draw_hash + i, w->u + i, p->any_second ? w->u2 + i : NULL);
}

static void fill_values(struct sl_worker *w)
{
    const struct sl_program *p = w->p;
    for (uint32_t k = 0; k < p->draw_group_count; k++) {
        const struct draw_group *group = &p->draw_groups[k];
        uint32_t at = group->draws.first, end = at + group->draws.count;
        if (group->table)
            for (uint32_t i = at; i < end; i++)
                w->value[i] = p->draw_unit[i] * sl_qtable_value(group->table, w->u[i]);
        else
            sl_dist_values(group->dist, w->u + at, w->u2 + at, p->draw_unit + at, w->value + at,
                           group->draws.count);
    }
}

void sl_draws_uniforms(uint64_t seed, uint32_t trial, uint64_t hash, uint32_t number, double *u,
                       double *u2)
{
    draw(seed, trial, (uint32_t)hash, (uint32_t)(hash >> 32), number, u, u2);
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

static void fill_factors(struct sl_worker *w, uint64_t seed, uint32_t trial)
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
    fill_values(w);
    fill_factors(w, seed, trial);
    fill_guards(w, seed, trial);
    double sum = p->fixed_sum_ps + store_durations(w);
    if (!(sum < 0x1p61))
        sl_worker_fault(w, "the drawn durations of trial %u sum to more than 2^61 ps", trial);
}

/* Number k of the key's draws is that of the node's run k; its constant is the same in all of them. */
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
    w->duration[node] = round_ps(hold);
    w->latency[node] = round_ps(latency);
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

/* Select chain-optimal: of gaps that lie within one another, as those of a chain that is walked
 * forwards and then backwards, those that cost least together and bring the plan below the limit.
 *
 *     gaps 1 .. n from the outermost in; need(i): the highest level above the limit where gap i and
 * no inner one relieves the plan L(i, b): least cost of choosing among 1 .. i so that they free b
 * bytes = min of L(i - 1, b) and L(i - 1, b - bytes(i)) + cost(i),  b >= need(i)
 *
 * the knapsack recursion (R. Bellman, 1957) with a bound at each item.  Bytes count in a unit that
 * divides all sizes, or in 1/512 of the largest need: freed ones rounded down, needed ones up. */
#include "ranking.h"
#include "walk.h"
#include <math.h>
#include <stdlib.h>

#define UNITS 512u
#define TAKEN 0x8000u

struct layer {
    uint32_t candidate, from, to; /* places that it relieves */
    uint32_t need, frees;         /* units */
};

struct layers {
    const struct sl_walk *walk;
    struct layer *items;
    uint32_t count;
    int64_t unit;
    double *least, *next; /* by units freed; UNITS: so many or more */
    uint16_t *before;     /* per layer and units: units freed without it, and whether it is taken */
};

static int64_t bytes_of(const struct layers *l, uint32_t candidate)
{
    return sl_bytes_rounded(l->walk->facts->platform, l->walk->domain,
                            l->walk->candidates[candidate].bytes);
}

/* Outer gaps first. */
static int compare_places(const void *x, const void *y)
{
    const struct layer *a = x, *b = y;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to > b->to ? -1 : 1;
    return a->candidate < b->candidate ? -1 : a->candidate > b->candidate;
}

/* The gaps that can relieve anything, outer ones first; SL_NO where two cross.  What an inner one
 * relieves counts where the ones around it do, too: a copy out waits for those before it. */
static enum sl_status list_layers(struct layers *l, struct sl_error *err)
{
    const struct sl_walk *w = l->walk;
    for (uint32_t c = 0; c < w->count; c++)
        l->items[c] = (struct layer){c, w->candidates[c].last_use, w->candidates[c].next_use, 0, 0};
    qsort(l->items, w->count, sizeof *l->items, compare_places);
    uint32_t from = 0, to = UINT32_MAX;
    for (uint32_t i = 0; i < w->count; i++) {
        struct layer *layer = &l->items[i];
        const struct sl_candidate *candidate = &w->candidates[layer->candidate];
        const struct sl_object *object = &w->facts->graph->objects[candidate->object];
        if (i > 0 && candidate->next_use > w->candidates[l->items[i - 1].candidate].next_use)
            return SL_FAIL_AT(err, SL_NO, object->place,
                              "select chain-optimal: the gaps of its rule do not lie within one "
                              "another: '%s' comes back behind an object that left before it",
                              object->name);
    }
    for (uint32_t i = 0; i < w->count; i++) {
        struct layer layer = {.candidate = l->items[i].candidate};
        const struct sl_candidate *candidate = &w->candidates[layer.candidate];
        candidate->action->relief(w->facts, &w->facts->gaps[candidate->gap], &layer.from,
                                  &layer.to);
        layer.from = layer.from > from ? layer.from : from;
        layer.to = layer.to < to ? layer.to : to;
        if (layer.from > layer.to)
            continue;
        from = layer.from;
        to = layer.to;
        l->items[l->count++] = layer;
    }
    return SL_OK;
}

/* Bytes above the limit at the worst place of layer i outside the next one. */
static int64_t excess(const struct layers *l, uint32_t i)
{
    const struct layer *layer = &l->items[i];
    const struct layer *inner = i + 1 < l->count ? layer + 1 : NULL;
    int64_t most = 0;
    for (uint32_t p = layer->from; p <= layer->to; p++) {
        if (inner && p == inner->from)
            p = inner->to + 1;
        if (p <= layer->to && l->walk->levels[p] - l->walk->limit > most)
            most = l->walk->levels[p] - l->walk->limit;
    }
    return most;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void scale(struct layers *l)
{
    int64_t divisor = 0, most = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        int64_t over = excess(l, i);
        divisor = common_divisor(bytes_of(l, l->items[i].candidate), divisor);
        most = over > most ? over : most;
    }
    l->unit = divisor > 0 && most / divisor < UNITS ? divisor : most / UNITS + 1;
    for (uint32_t i = 0; i < l->count; i++) {
        int64_t over = excess(l, i), frees = bytes_of(l, l->items[i].candidate) / l->unit;
        l->items[i].need = (uint32_t)(over / l->unit + (over % l->unit != 0));
        l->items[i].frees = frees < UNITS ? (uint32_t)frees : UNITS;
    }
}

static void offer(struct layers *l, uint32_t i, uint32_t units, double cost, uint16_t before)
{
    if (units < l->items[i].need || cost >= l->next[units])
        return;
    l->next[units] = cost;
    l->before[(size_t)i * (UNITS + 1) + units] = before;
}

/* Fills `before`; returns the units freed by the cheapest choice, SL_NONE: none is enough. */
static uint32_t solve(struct layers *l)
{
    uint32_t best = SL_NONE;
    for (uint32_t u = 0; u <= UNITS; u++)
        l->least[u] = u == 0 ? 0.0 : INFINITY;
    for (uint32_t i = 0; i < l->count; i++) {
        const struct layer *layer = &l->items[i];
        double cost = l->walk->candidates[layer->candidate].cost_ps, *swap = l->least;
        for (uint32_t u = 0; u <= UNITS; u++)
            l->next[u] = INFINITY;
        for (uint32_t u = 0; u <= UNITS; u++) {
            uint32_t with = u + layer->frees < UNITS ? u + layer->frees : UNITS;
            offer(l, i, u, l->least[u], (uint16_t)u);
            offer(l, i, with, l->least[u] + cost, (uint16_t)(u | TAKEN));
        }
        l->least = l->next;
        l->next = swap;
    }
    for (uint32_t u = 0; u <= UNITS; u++)
        if (isfinite(l->least[u]) && (best == SL_NONE || l->least[u] < l->least[best]))
            best = u;
    return best;
}

static enum sl_status begin_walk(const struct sl_walk *walk, uint32_t *added, struct sl_error *err)
{
    struct layers l = {.walk = walk};
    l.items = malloc(((size_t)walk->count + 1) * sizeof *l.items);
    l.least = malloc((UNITS + 1) * sizeof *l.least);
    l.next = malloc((UNITS + 1) * sizeof *l.next);
    l.before = malloc(((size_t)walk->count + 1) * (UNITS + 1) * sizeof *l.before);
    enum sl_status status = SL_OK;
    *added = 0;
    if (!l.items || !l.least || !l.next || !l.before)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for a selection");
    if (status == SL_OK)
        status = list_layers(&l, err);
    if (status == SL_OK && l.count > 0) {
        scale(&l);
        uint32_t units = solve(&l);
        for (uint32_t i = l.count; units != SL_NONE && i-- > 0;) {
            uint16_t before = l.before[(size_t)i * (UNITS + 1) + units];
            if (before & TAKEN) {
                walk->taken[l.items[i].candidate] = true;
                ++*added;
            }
            units = before & ~TAKEN;
        }
    }
    free(l.items);
    free(l.least);
    free(l.next);
    free(l.before);
    return status;
}

/* What only the next projection shows is taken as by belady. */
static int compare(const struct sl_candidate *a, const struct sl_candidate *b)
{
    return sl_select_belady.compare(a, b);
}

const struct sl_part sl_select_chain_optimal = {
    .role = "select",
    .name = "chain-optimal",
    .description = "of gaps within one another those that cost least together and bring the "
                   "projected peak below the limit",
    .parameters = SL_RANKED_PARAMETERS,
    .example = "{action: offload, select: chain-optimal}",
    .params = sl_ranked_params,
    .param_count = 1,
    .walks = true,
    .begin_walk = begin_walk,
    .compare = compare,
};

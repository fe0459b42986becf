/* The least peak, 64 stretches at a time: one pass along the topological order tells which nodes
 * are after their takers, one against it which are before their givers. */
#include <config.h>

#include "guards.h"
#include "order_sets.h"
#include "peak_bound.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PLAN_BUDGET 100000000 /* edges followed for one plan, a fraction of a second */
#define WORD_BITS   64
#define WORD_BYTES  8
#define BYTE_VALUES 256

struct entry {
    uint32_t begin, end; /* positions of taker and giver */
    const struct sl_stretch *stretch;
};

struct bound {
    struct sl_order_sets sets;
    uint64_t *after, *before; /* one word a node: bit k is stretch k of the block */
    double *held;             /* per node */
    struct entry *entries;    /* stretches of the domain, by the positions of their takers */
    uint32_t count;
    /* sums[j][v]: bytes of those stretches of the block that make byte j of a word v. */
    double sums[WORD_BYTES][BYTE_VALUES];
};

double sl_bytes_counted(const struct sl_graph *graph, int64_t bytes, uint32_t domain)
{
    double unit = (double)graph->platform->domains[domain].rounding;
    return unit > 1.0 ? ceil((double)bytes / unit) * unit : (double)bytes;
}

static bool open_bound(struct bound *b, const struct sl_graph *graph, uint32_t stretches,
                       uint64_t *budget)
{
    size_t nodes = (size_t)graph->node_count + 1;
    b->after = calloc(nodes, sizeof *b->after);
    b->before = calloc(nodes, sizeof *b->before);
    b->held = calloc(nodes, sizeof *b->held);
    b->entries = malloc(((size_t)stretches + 1) * sizeof *b->entries);
    return sl_order_sets_open(&b->sets, graph, budget) && b->after && b->before && b->held &&
           b->entries;
}

static void close_bound(struct bound *b)
{
    sl_order_sets_close(&b->sets);
    free(b->after);
    free(b->before);
    free(b->held);
    free(b->entries);
}

static int by_taker(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static void sort_stretches(struct bound *b, uint32_t domain, const struct sl_stretch *stretches,
                           uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        const struct sl_stretch *s = &stretches[k];
        uint32_t begin = s->taker == SL_NONE ? 0 : b->sets.position[s->taker];
        uint32_t end =
            s->giver == SL_NONE ? b->sets.graph->node_count - 1 : b->sets.position[s->giver];
        if (s->domain == domain && begin <= end)
            b->entries[b->count++] = (struct entry){begin, end, s};
    }
    qsort(b->entries, b->count, sizeof *b->entries, by_taker);
}

static void sum_up(struct bound *b, const double *bytes, uint32_t count)
{
    for (uint32_t j = 0; j < WORD_BYTES; j++)
        for (uint32_t v = 1; v < BYTE_VALUES; v++) {
            uint32_t lowest = 0;
            while (!(v >> lowest & 1))
                lowest++;
            uint32_t k = 8 * j + lowest;
            b->sums[j][v] = b->sums[j][v & (v - 1)] + (k < count ? bytes[k] : 0.0);
        }
}

/* Adds up to 64 stretches to what each node finds held; false when the budget ran out. */
static bool add_block(struct bound *b, const struct entry *block, uint32_t count)
{
    const struct sl_graph *graph = b->sets.graph;
    uint32_t first = block[0].begin, last = 0;
    uint64_t from_start = 0, for_good = 0;
    double bytes[WORD_BITS];
    for (uint32_t k = 0; k < count; k++) {
        const struct sl_stretch *s = block[k].stretch;
        uint64_t bit = UINT64_C(1) << k;
        bytes[k] = s->bytes;
        *(s->taker == SL_NONE ? &from_start : &b->after[s->taker]) |= bit;
        *(s->giver == SL_NONE ? &for_good : &b->before[s->giver]) |= bit;
        if (s->taker != SL_NONE) /* at its start it holds them in any case */
            b->before[s->taker] |= bit;
        last = block[k].end > last ? block[k].end : last;
    }
    sum_up(b, bytes, count);
    bool done = sl_order_sets_forward(&b->sets, first, last, b->after) &&
                sl_order_sets_backward(&b->sets, first, last, b->before);
    for (uint32_t t = first; t <= last; t++) {
        uint32_t i = graph->topo[t];
        uint64_t word = (b->after[i] | from_start) & (b->before[i] | for_good);
        for (uint32_t j = 0; done && j < WORD_BYTES; j++)
            b->held[i] += b->sums[j][word >> 8 * j & 0xff];
        b->after[i] = b->before[i] = 0;
    }
    return done;
}

/* A node that some run starts: it neither has nor is a fallback, and its guards may hold at once.
 */
static bool may_start(const struct sl_graph *graph, uint32_t i, const bool *stands_by)
{
    const struct sl_node *node = &graph->nodes[i];
    if (node->fallback.i != SL_NONE || stands_by[i])
        return false;
    return sl_guards_may_hold(graph, i);
}

/* The worst node over the limit, SL_NONE in peak->node when there is none. */
static enum sl_status find_worst(const struct bound *b, const double *own, struct sl_peak *peak,
                                 struct sl_error *err)
{
    const struct sl_graph *graph = b->sets.graph;
    bool *stands_by = calloc((size_t)graph->node_count + 1, sizeof *stands_by);
    if (!stands_by)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a bound of the peak");
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].fallback.i != SL_NONE)
            stands_by[graph->nodes[i].fallback.i] = true;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        double bytes = b->held[i] + own[i];
        if (bytes > peak->limit && bytes > peak->held + peak->own &&
            may_start(graph, i, stands_by)) {
            peak->node = i;
            peak->held = b->held[i];
            peak->own = own[i];
        }
    }
    free(stands_by);
    return SL_OK;
}

/* Names the largest stretches around the worst node. */
static void name_largest(struct bound *b, struct sl_peak *peak)
{
    double sizes[SL_PEAK_NAMED] = {0};
    uint32_t last = b->sets.graph->node_count - 1;
    b->after[peak->node] = b->before[peak->node] = 1;
    if (!sl_order_sets_forward(&b->sets, 0, last, b->after) ||
        !sl_order_sets_backward(&b->sets, 0, last, b->before))
        return;
    for (uint32_t k = 0; k < b->count; k++) {
        const struct sl_stretch *s = b->entries[k].stretch;
        if ((s->taker != SL_NONE && !b->before[s->taker]) ||
            (s->giver != SL_NONE && !b->after[s->giver] && s->taker != peak->node))
            continue;
        peak->count++;
        for (uint32_t n = 0; n < SL_PEAK_NAMED && s->object.i != SL_NONE; n++)
            if (s->bytes > sizes[n]) {
                for (uint32_t m = SL_PEAK_NAMED - 1; m > n; m--) {
                    sizes[m] = sizes[m - 1];
                    peak->largest[m] = peak->largest[m - 1];
                }
                sizes[n] = s->bytes;
                peak->largest[n] = s->object;
                break;
            }
    }
}

enum sl_status sl_peak_bound(const struct sl_graph *graph, uint32_t domain,
                             const struct sl_stretch *stretches, uint32_t count, const double *own,
                             uint64_t *budget, struct sl_peak *peak, struct sl_error *err)
{
    const struct sl_domain *limits = &graph->platform->domains[domain];
    *peak = (struct sl_peak){.node = SL_NONE,
                             .limit = (double)(limits->capacity - limits->reserve),
                             .largest = {{SL_NONE}, {SL_NONE}, {SL_NONE}}};
    if (graph->node_count == 0 || limits->capacity < 0)
        return SL_OK;
    *budget -= *budget < graph->node_count ? *budget : graph->node_count;
    struct bound b = {0};
    enum sl_status status = open_bound(&b, graph, count, budget)
                                ? SL_OK
                                : SL_FAIL(err, SL_SYSTEM, "out of memory for a bound of the peak");
    if (status == SL_OK) {
        sort_stretches(&b, domain, stretches, count);
        for (uint32_t k = 0, size; k < b.count; k += size) {
            size = b.count - k < WORD_BITS ? b.count - k : WORD_BITS;
            if (!add_block(&b, &b.entries[k], size))
                break;
        }
        status = find_worst(&b, own, peak, err);
    }
    if (status == SL_OK && peak->node != SL_NONE)
        name_largest(&b, peak);
    close_bound(&b);
    return status;
}

void sl_peak_text(const struct sl_graph *graph, uint32_t domain, const struct sl_peak *peak,
                  char *text, size_t size)
{
    const char *where = graph->platform->domain_names.names[domain];
    char held[32], own[32], limit[32], names[400] = "";
    size_t used = 0;
    uint32_t named = 0;
    for (; named < SL_PEAK_NAMED && peak->largest[named].i != SL_NONE; named++)
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s'%s'",
                                     named > 0 ? ", " : ", by ",
                                     graph->objects[peak->largest[named].i].name);
    if (named > 0 && peak->count > named && used < sizeof names)
        snprintf(names + used, sizeof names - used, " and %u more", peak->count - named);
    sl_format_bytes(held, sizeof held, peak->held);
    sl_format_bytes(own, sizeof own, peak->own);
    sl_format_bytes(limit, sizeof limit, peak->limit);
    if (peak->own > 0)
        snprintf(text, size,
                 "node '%s' needs %s of '%s' while %s are held whatever the order%s; capacity - "
                 "reserve is %s",
                 graph->nodes[peak->node].name, own, where, held, names, limit);
    else
        snprintf(text, size,
                 "node '%s' runs while %s of '%s' are held whatever the order%s; capacity - "
                 "reserve is %s",
                 graph->nodes[peak->node].name, held, where, names, limit);
}

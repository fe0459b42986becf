/* Legality of capacity: bytes that the scenario itself holds in any order, whatever the policy.
 *
 * Policies leave alone the copies whose lifetimes are written out, and initial ones that persist,
 * or that nothing touches, are never given back.  Other copies count at the nodes that use them and
 * nowhere else, since a policy may move them out of the way between uses. */
#include <config.h>

#include "legality_copies.h"
#include "peak_bound.h"
#include "units.h"
#include <stdlib.h>
#include <string.h>

struct lives {
    struct sl_stretch *stretches;
    uint32_t count, capacity;
    bool *counted; /* per root: its home copy is among the stretches */
};

static bool add_life(struct lives *lives, const struct sl_graph *graph, uint32_t object,
                     uint32_t domain, uint32_t taker, uint32_t giver)
{
    if (!sl_grow((void **)&lives->stretches, &lives->capacity, lives->count + 1,
                 sizeof *lives->stretches))
        return false;
    lives->stretches[lives->count++] =
        (struct sl_stretch){domain,
                            sl_bytes_counted(graph, graph->objects[object].bytes, domain),
                            {object},
                            taker,
                            giver};
    lives->counted[object] |= graph->objects[object].home == domain;
    return true;
}

/* How often a copy is made, by allocations and mappings or by writes, and reclaimed; and where. */
struct history {
    uint32_t rooms, writes, renewals, reclamations;
    uint32_t room, write, reclamation; /* the last */
};

static struct history read_history(const struct sl_legality *l, uint32_t first, uint32_t end)
{
    struct history h = {.room = SL_NONE, .write = SL_NONE, .reclamation = SL_NONE};
    for (uint32_t k = first; k < end; k++) {
        uint32_t node = l->touches[k].node;
        enum sl_node_kind kind = l->graph->nodes[node].kind;
        switch (l->touches[k].kind) {
        case SL_TOUCH_ALLOCATE:
        case SL_TOUCH_MAP:
            h.rooms++;
            h.room = node;
            break;
        case SL_TOUCH_WRITE:
            h.writes++;
            h.write = node;
            h.renewals += sl_node_moves(kind) || kind == SL_REMATERIALIZATION;
            break;
        case SL_TOUCH_RECLAIM:
            h.reclamations++;
            h.reclamation = node;
            break;
        case SL_TOUCH_READ:
        case SL_TOUCH_PROTECT:
            break;
        }
    }
    return h;
}

/* The taker that every run starts, SL_NONE where there is none such or several compete. */
static uint32_t sure_taker(const struct sl_legality *l, const struct history *h)
{
    uint32_t taker = h->rooms == 1 ? h->room : h->rooms == 0 && h->writes == 1 ? h->write : SL_NONE;
    return taker != SL_NONE && !sl_may_be_left_out(l, taker) ? taker : SL_NONE;
}

/* The one life of a copy that is written out, or lasts.  Several allocations or reclamations stand
 * for several lives, or for alternatives: they bound nothing. */
static bool read_life(struct lives *lives, const struct sl_legality *l, uint32_t first,
                      uint32_t end)
{
    const struct sl_graph *graph = l->graph;
    uint32_t object = l->touches[first].object, domain = l->touches[first].domain;
    struct history h = read_history(l, first, end);
    bool initial = graph->objects[object].initial == domain && h.rooms == 0;
    if (h.reclamations == 0 && initial && graph->objects[object].persist && h.renewals == 0)
        return add_life(lives, graph, object, domain, SL_NONE, SL_NONE);
    if (h.reclamations != 1 || graph->nodes[h.reclamation].fallback.i != SL_NONE)
        return true;
    uint32_t taker = initial ? SL_NONE : sure_taker(l, &h);
    return (!initial && taker == SL_NONE) ||
           add_life(lives, graph, object, domain, taker, h.reclamation);
}

static bool read_lives(struct lives *lives, const struct sl_legality *l)
{
    size_t objects = (size_t)l->graph->object_count + 1;
    bool *touched = calloc(objects, sizeof *touched);
    lives->counted = calloc(objects, sizeof *lives->counted);
    bool done = touched && lives->counted;
    for (uint32_t first = 0, end; done && first < l->touch_count; first = end) {
        end = sl_touches_end(l, first);
        touched[l->touches[first].object] = true;
        done = l->touches[first].domain == SL_NONE || read_life(lives, l, first, end);
    }
    for (uint32_t o = 0; done && o < l->graph->object_count; o++) {
        const struct sl_object *object = &l->graph->objects[o];
        if (!touched[o] && object->initial != SL_NONE && object->alias_of.i == SL_NONE)
            done = add_life(lives, l->graph, o, object->initial, SL_NONE, SL_NONE);
    }
    free(touched);
    return done;
}

static void report(struct sl_legality *l, uint32_t domain, const struct sl_peak *peak)
{
    char text[700], excess[32];
    sl_peak_text(l->graph, domain, peak, text, sizeof text);
    sl_report_node(l, peak->node, "%s", text);
    for (uint32_t k = 0; k < SL_PEAK_NAMED && peak->largest[k].i != SL_NONE; k++)
        sl_report_also_object(l, peak->largest[k].i);
    sl_diags_suggest(l->diags,
                     "reclaim something before '%s' starts, allocate something after it, or give "
                     "'%s' %s more",
                     l->graph->nodes[peak->node].name, sl_domain_name(l, domain),
                     sl_format_bytes(excess, sizeof excess, peak->held + peak->own - peak->limit));
}

static bool judge_domain(struct sl_legality *l, const struct lives *lives, uint32_t domain,
                         double *own, double *need)
{
    struct sl_peak peak;
    struct sl_error err = {0};
    uint64_t cost = l->graph->node_count * (l->scenario->platform.domain_names.count + UINT64_C(1));
    l->budget -= l->budget < cost ? l->budget : cost;
    if (l->budget == 0)
        return true;
    for (uint32_t i = 0; i < l->graph->node_count; i++) {
        sl_node_need(l, i, lives->counted, need);
        own[i] = need[domain];
    }
    if (sl_peak_bound(l->order, domain, lives->stretches, lives->count, own, &l->budget, &peak,
                      &err))
        return false;
    if (peak.node == SL_NONE)
        return true;
    sl_node_need(l, peak.node, NULL, need);
    if (need[domain] <= peak.limit) /* otherwise demand-above-capacity says it */
        report(l, domain, &peak);
    return true;
}

void sl_check_peaks(struct sl_legality *l)
{
    const struct sl_platform *platform = &l->scenario->platform;
    uint32_t domains = platform->domain_names.count;
    struct lives lives = {0};
    double *own = malloc(((size_t)l->graph->node_count + 1) * sizeof *own);
    double *need = malloc(((size_t)domains + 1) * sizeof *need);
    bool *touched = calloc((size_t)domains + 1, sizeof *touched);
    bool done = own && need && touched && read_lives(&lives, l);
    for (uint32_t k = 0; k < lives.count && done; k++)
        touched[lives.stretches[k].domain] = true;
    for (uint32_t d = 0; d < domains && done; d++)
        if (touched[d] && platform->domains[d].capacity >= 0)
            done = judge_domain(l, &lives, d, own, need);
    if (!done)
        sl_diags_add(l->diags, SL_ERROR, "out-of-memory", (struct sl_place){0}, "out of memory");
    free(lives.stretches);
    free(lives.counted);
    free(own);
    free(need);
    free(touched);
}

/* Packing pairs that must not run together: rows of overlap.csv with allowed = no, permitted ones
 * outside their window of starts, and classes without evidence in a common group under
 * `unknown_kappa: forbid`.  Nodes with equal rules share an overlap kind; only kinds that some rule
 * names exist. */
#include "program.h"
#include <stdlib.h>
#include <string.h>

struct kind {
    uint32_t klass, node; /* node: of the first iteration; SL_NONE for a whole class */
    uint64_t groups;
};

struct kinds {
    struct kind *items;
    uint32_t count;
};

static bool names_node(const struct sl_program *p, uint32_t i)
{
    const struct sl_graph *g = p->graph;
    for (uint32_t o = 0; o < g->overlap_count; o++)
        if (sl_overlap_restricts(&g->overlaps[o]) && (!strcmp(g->overlaps[o].a, g->nodes[i].name) ||
                                                      !strcmp(g->overlaps[o].b, g->nodes[i].name)))
            return true;
    return false;
}

static bool named(const struct sl_program *p, const struct kind *kind, const char *name)
{
    const struct sl_graph *g = p->graph;
    if (kind->node != SL_NONE && !strcmp(g->nodes[kind->node].name, name))
        return true;
    return kind->klass != SL_NONE && !strcmp(g->platform->kappa.classes.names[kind->klass], name);
}

/* kappa is directional; a pair is known only when both victims are. */
static bool unknown(const struct sl_program *p, const struct kind *a, const struct kind *b)
{
    const struct sl_kappa *kappa = &p->graph->platform->kappa;
    return kappa->unknown == SL_UNKNOWN_FORBID && a->klass != SL_NONE && b->klass != SL_NONE &&
           a->groups & b->groups &&
           (sl_kappa_unknown_pair(kappa, a->klass, b->klass) ||
            sl_kappa_unknown_pair(kappa, b->klass, a->klass));
}

/* When nodes of the two kinds may start beside each other: the windows of all rows at once.  False
 * when no rule is about them. */
static bool window_of(const struct sl_program *p, const struct kind *a, const struct kind *b,
                      struct overlap_peer *window)
{
    const struct sl_graph *g = p->graph;
    bool any = false;
    *window = (struct overlap_peer){.latest = INT64_MAX};
    for (uint32_t o = 0; o < g->overlap_count; o++) {
        const struct sl_overlap *row = &g->overlaps[o];
        if (!sl_overlap_restricts(row) || !((named(p, a, row->a) && named(p, b, row->b)) ||
                                            (named(p, a, row->b) && named(p, b, row->a))))
            continue;
        any = true;
        if (!row->allowed)
            window->latest = -1;
        window->earliest =
            row->earliest_ps > window->earliest ? row->earliest_ps : window->earliest;
        window->latest = row->latest_ps < window->latest ? row->latest_ps : window->latest;
    }
    if (unknown(p, a, b)) {
        any = true;
        window->latest = -1;
    }
    return any;
}

static uint32_t find_kind(struct kinds *kinds, struct kind kind)
{
    for (uint32_t k = 0; k < kinds->count; k++) {
        const struct kind *old = &kinds->items[k];
        if (old->klass == kind.klass && old->node == kind.node && old->groups == kind.groups)
            return k;
    }
    kinds->items[kinds->count] = kind;
    return kinds->count++;
}

static bool collect(struct sl_program *p, struct kinds *kinds)
{
    const struct sl_graph *g = p->graph;
    kinds->items = malloc(((size_t)p->n + 1) * sizeof *kinds->items);
    if (!kinds->items)
        return false;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t first = sl_node_first(g, i);
        struct kind kind = {p->hot[i].klass, names_node(p, first) ? first : SL_NONE,
                            sl_program_groups(p, i)};
        /* Nothing of zero duration runs beside anything. */
        p->overlap_kind[i] = !g->nodes[i].dist ? SL_NONE : find_kind(kinds, kind);
    }
    return true;
}

static bool link_kinds(struct sl_program *p, const struct kinds *kinds)
{
    struct overlap_peer peer;
    uint32_t pairs = 0;
    for (uint32_t a = 0; a < kinds->count; a++)
        for (uint32_t b = 0; b < kinds->count; b++)
            pairs += window_of(p, &kinds->items[a], &kinds->items[b], &peer);
    p->overlap_kinds = kinds->count;
    p->overlap_forbid =
        sl_arena_array(&p->arena, (size_t)kinds->count + 1, sizeof *p->overlap_forbid);
    p->overlap_peers = sl_arena_array(&p->arena, (size_t)pairs + 1, sizeof *p->overlap_peers);
    if (!p->overlap_forbid || !p->overlap_peers)
        return false;
    uint32_t at = 0;
    for (uint32_t a = 0; a < kinds->count; a++) {
        p->overlap_forbid[a].first = at;
        for (uint32_t b = 0; b < kinds->count; b++)
            if (window_of(p, &kinds->items[a], &kinds->items[b], &peer)) {
                peer.kind = b;
                p->overlap_peers[at++] = peer;
            }
        p->overlap_forbid[a].count = at - p->overlap_forbid[a].first;
    }
    return true;
}

/* A node may wait for a window to open: each row's earliest start is an instant. */
static bool pack_openings(struct sl_program *p)
{
    const struct sl_graph *g = p->graph;
    p->openings = sl_arena_array(&p->arena, (size_t)g->overlap_count + 1, sizeof *p->openings);
    for (uint32_t o = 0; p->openings && o < g->overlap_count; o++)
        if (g->overlaps[o].allowed && g->overlaps[o].earliest_ps > 0 &&
            g->overlaps[o].earliest_ps < SL_TIME_LIMIT)
            p->openings[p->opening_count++] = g->overlaps[o].earliest_ps;
    return p->openings != NULL;
}

enum sl_status sl_program_pack_overlaps(struct sl_program *p, struct sl_error *err)
{
    const struct sl_graph *g = p->graph;
    bool any = g->platform->kappa.unknown == SL_UNKNOWN_FORBID;
    for (uint32_t o = 0; o < g->overlap_count; o++)
        any |= sl_overlap_restricts(&g->overlaps[o]);
    if (!any)
        return SL_OK;
    p->overlap_kind = sl_arena_array(&p->arena, p->n + 1, sizeof *p->overlap_kind);
    struct kinds kinds = {0};
    if (!p->overlap_kind || !collect(p, &kinds) || !link_kinds(p, &kinds) || !pack_openings(p)) {
        free(kinds.items);
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    }
    free(kinds.items);
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t kind = p->overlap_kind[i];
        if (kind == SL_NONE)
            continue;
        if (p->overlap_forbid[kind].count)
            p->hot[i].flags |= NODE_OVERLAP;
        else
            p->overlap_kind[i] = SL_NONE;
    }
    p->log_places += p->n;
    return SL_OK;
}

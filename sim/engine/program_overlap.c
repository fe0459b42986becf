/* Packing pairs that must not run together: rows of overlap.csv with allowed = no, permitted ones
 * outside their window of starts, and classes without evidence in a common group under
 * `unknown_kappa: forbid`.
 *
 * Nodes with equal rules share an overlap kind: a class with its groups, or one node that a rule
 * names.  Rules become pairs of kinds; those of one pair hold at once, so that their windows meet.
 */
#include "program.h"
#include <stdlib.h>

#define MOST_PAIRS (1u << 24)

struct kind {
    uint32_t klass, node; /* node: of the first iteration; SL_NONE for a whole class */
    uint64_t groups;
    uint32_t next; /* of the class, SL_NONE */
};

struct pair {
    uint32_t kind;
    struct overlap_peer peer;
};

struct overlaps {
    struct sl_program *p;
    struct kind *kinds;
    uint32_t kind_count, kind_capacity;
    uint32_t *of_class; /* head of the class's kinds, SL_NONE */
    uint32_t *of_node;  /* kind of a named node; SL_NONE: not named */
    struct pair *pairs;
    uint32_t pair_count, pair_capacity;
    bool too_many;
};

static bool close_overlaps(struct overlaps *o, bool ok)
{
    free(o->kinds);
    free(o->of_class);
    free(o->of_node);
    free(o->pairs);
    return ok;
}

/* ---- kinds ----------------------------------------------------------------------------------- */

#define NAMED (SL_NONE - 1) /* named by a rule, without a kind yet */

static void mark_named(struct overlaps *o)
{
    const struct sl_graph *g = o->p->graph;
    for (uint32_t r = 0; r < g->overlap_count; r++) {
        const char *const names[] = {g->overlaps[r].a, g->overlaps[r].b};
        for (int k = 0; k < 2 && sl_overlap_restricts(&g->overlaps[r]); k++) {
            uint32_t node = sl_names_find(&g->node_names, names[k]);
            if (node != SL_NONE)
                o->of_node[node] = NAMED;
        }
    }
}

static bool add_kind(struct overlaps *o, struct kind kind, uint32_t *index)
{
    if (!sl_grow((void **)&o->kinds, &o->kind_capacity, o->kind_count + 1, sizeof kind))
        return false;
    if (kind.klass != SL_NONE) {
        kind.next = o->of_class[kind.klass];
        o->of_class[kind.klass] = o->kind_count;
    }
    o->kinds[ *index = o->kind_count++] = kind;
    return true;
}

/* The kind of a node that no rule names; those without a class are in no rule at all. */
static bool class_kind(struct overlaps *o, uint32_t klass, uint64_t groups, uint32_t *index)
{
    *index = klass == SL_NONE ? SL_NONE : o->of_class[klass];
    while (*index != SL_NONE &&
           (o->kinds[*index].node != SL_NONE || o->kinds[*index].groups != groups))
        *index = o->kinds[*index].next;
    if (*index != SL_NONE || klass == SL_NONE)
        return true;
    return add_kind(o, (struct kind){klass, SL_NONE, groups, SL_NONE}, index);
}

static bool find_kinds(struct overlaps *o)
{
    struct sl_program *p = o->p;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t first = sl_node_first(p->graph, i), klass = p->hot[i].klass;
        uint64_t groups = sl_node_groups(p->graph, &p->graph->nodes[i]);
        p->overlap_kind[i] = SL_NONE;
        if (!p->graph->nodes[i].dist) /* nothing of zero duration runs beside anything */
            continue;
        if (o->of_node[first] == SL_NONE) {
            if (!class_kind(o, klass, groups, &p->overlap_kind[i]))
                return false;
            continue;
        }
        if (o->of_node[first] == NAMED &&
            !add_kind(o, (struct kind){klass, first, groups, SL_NONE}, &o->of_node[first]))
            return false;
        p->overlap_kind[i] = o->of_node[first];
    }
    return true;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static bool add_pair(struct overlaps *o, uint32_t a, uint32_t b, int64_t earliest, int64_t latest)
{
    o->too_many |= o->pair_count + 2 > MOST_PAIRS;
    if (o->too_many ||
        !sl_grow((void **)&o->pairs, &o->pair_capacity, o->pair_count + 2, sizeof *o->pairs))
        return false;
    o->pairs[o->pair_count++] = (struct pair){a, {b, earliest, latest}};
    if (a != b)
        o->pairs[o->pair_count++] = (struct pair){b, {a, earliest, latest}};
    return true;
}

/* The kind after `last` of those that a name means: the node's own, then the class's others.
 * SL_NONE asks for the first one and says that there is no more. */
static uint32_t next_meant(const struct overlaps *o, uint32_t node, uint32_t klass, uint32_t last)
{
    uint32_t own = node != SL_NONE && o->of_node[node] < NAMED ? o->of_node[node] : SL_NONE;
    if (last == SL_NONE && own != SL_NONE)
        return own;
    uint32_t k = klass == SL_NONE                 ? SL_NONE
                 : last == SL_NONE || last == own ? o->of_class[klass]
                                                  : o->kinds[last].next;
    while (k != SL_NONE && k == own)
        k = o->kinds[k].next;
    return k;
}

static bool link_row(struct overlaps *o, const struct sl_overlap *row)
{
    const struct sl_graph *g = o->p->graph;
    const struct sl_names *classes = &g->platform->kappa.classes;
    uint32_t node_a = sl_names_find(&g->node_names, row->a),
             node_b = sl_names_find(&g->node_names, row->b);
    uint32_t class_a = sl_names_find(classes, row->a), class_b = sl_names_find(classes, row->b);
    int64_t latest = row->allowed ? row->latest_ps : -1;
    for (uint32_t a = next_meant(o, node_a, class_a, SL_NONE); a != SL_NONE;
         a = next_meant(o, node_a, class_a, a))
        for (uint32_t b = next_meant(o, node_b, class_b, SL_NONE); b != SL_NONE;
             b = next_meant(o, node_b, class_b, b))
            if (!add_pair(o, a, b, row->earliest_ps, latest))
                return false;
    return true;
}

/* kappa is directional; a pair is known only when both victims are. */
static bool link_unknown(struct overlaps *o)
{
    const struct sl_kappa *kappa = &o->p->graph->platform->kappa;
    if (kappa->unknown != SL_UNKNOWN_FORBID)
        return true;
    for (uint32_t x = 0; x < o->p->class_count; x++)
        for (uint32_t y = x; y < o->p->class_count; y++) {
            if (!sl_kappa_unknown_pair(kappa, x, y) && !sl_kappa_unknown_pair(kappa, y, x))
                continue;
            for (uint32_t a = o->of_class[x]; a != SL_NONE; a = o->kinds[a].next)
                for (uint32_t b = x == y ? a : o->of_class[y]; b != SL_NONE; b = o->kinds[b].next)
                    if (o->kinds[a].groups & o->kinds[b].groups && !add_pair(o, a, b, 0, -1))
                        return false;
        }
    return true;
}

static int by_kinds(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return (a->peer.kind > b->peer.kind) - (a->peer.kind < b->peer.kind);
}

/* Peers by kind; the windows of equal pairs meet. */
static bool pack_peers(struct overlaps *o)
{
    struct sl_program *p = o->p;
    p->overlap_kinds = o->kind_count;
    p->overlap_forbid =
        sl_arena_array(&p->arena, (size_t)o->kind_count + 1, sizeof *p->overlap_forbid);
    p->overlap_peers =
        sl_arena_array(&p->arena, (size_t)o->pair_count + 1, sizeof *p->overlap_peers);
    if (!p->overlap_forbid || !p->overlap_peers)
        return false;
    if (o->pair_count > 0)
        qsort(o->pairs, o->pair_count, sizeof *o->pairs, by_kinds);
    uint32_t at = 0;
    for (uint32_t k = 0; k < o->pair_count; k++) {
        const struct pair *pair = &o->pairs[k];
        if (k > 0 && by_kinds(pair - 1, pair) == 0) {
            struct overlap_peer *peer = &p->overlap_peers[at - 1];
            if (pair->peer.earliest > peer->earliest)
                peer->earliest = pair->peer.earliest;
            if (pair->peer.latest < peer->latest)
                peer->latest = pair->peer.latest;
            continue;
        }
        struct range *range = &p->overlap_forbid[pair->kind];
        if (range->count++ == 0)
            range->first = at;
        p->overlap_peers[at++] = pair->peer;
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

static bool pack(struct overlaps *o)
{
    struct sl_program *p = o->p;
    const struct sl_graph *g = p->graph;
    p->overlap_kind = sl_arena_array(&p->arena, p->n + 1, sizeof *p->overlap_kind);
    o->of_class = malloc(((size_t)p->class_count + 1) * sizeof *o->of_class);
    o->of_node = malloc(((size_t)p->n + 1) * sizeof *o->of_node);
    if (!p->overlap_kind || !o->of_class || !o->of_node)
        return false;
    for (uint32_t c = 0; c < p->class_count; c++)
        o->of_class[c] = SL_NONE;
    for (uint32_t i = 0; i < p->n; i++)
        o->of_node[i] = SL_NONE;
    mark_named(o);
    if (!find_kinds(o) || !link_unknown(o))
        return false;
    for (uint32_t r = 0; r < g->overlap_count; r++)
        if (sl_overlap_restricts(&g->overlaps[r]) && !link_row(o, &g->overlaps[r]))
            return false;
    return pack_peers(o) && pack_openings(p);
}

enum sl_status sl_program_pack_overlaps(struct sl_program *p, struct sl_error *err)
{
    const struct sl_graph *g = p->graph;
    bool any = g->platform->kappa.unknown == SL_UNKNOWN_FORBID;
    for (uint32_t o = 0; o < g->overlap_count; o++)
        any |= sl_overlap_restricts(&g->overlaps[o]);
    if (!any)
        return SL_OK;
    struct overlaps overlaps = {.p = p};
    if (!close_overlaps(&overlaps, pack(&overlaps)))
        return overlaps.too_many
                   ? SL_FAIL(err, SL_INVALID,
                             "rows of overlap.csv and unknown kappas keep apart more than %u pairs "
                             "of nodes and classes: name fewer nodes",
                             MOST_PAIRS)
                   : SL_FAIL(err, SL_SYSTEM, "out of memory");
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

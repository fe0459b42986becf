/* From when on the plan has room for what comes back.
 *
 * In the order of their consumers, moves lay their copies into the levels of the projection, from
 * the consumer (or from the place where it is expected) backwards as far as their bytes fit, but
 * not before what the move waits for anyway: the label L.
 *
 * A move of a part that comes in time waits for the node before L.  One that fills the room waits
 * for every node before L that takes bytes: for those, since nothing of the copy was counted beside
 * them, and then for no other, since it was counted beside all others.  Of these, one that another
 * of them follows is left out:
 *
 *     wait for x  if  label(x) < L <= c(x),   c(x) = least label of a node that follows x and takes
 *
 * A node that may be cancelled does not wait for those before it, so it stands for none of them. */
#include "projection.h"
#include <stdlib.h>

#define MOST_WAITS 1000 /* nodes that one move may have to wait for */

struct search {
    struct sl_projection p;
    int64_t *levels;
    uint32_t *sooner; /* per node: c; SL_NONE: nothing that takes follows */
    bool *takes;      /* per node: bytes of the domain */
    uint32_t *active; /* nodes before the current L that may have to be waited for */
};

/* Lays the copy of `move` into the levels; returns L. */
static uint32_t find_room(const struct sl_projection *p, const struct sl_move *move,
                          uint32_t domain, int64_t *levels)
{
    const struct sl_attempt *a = p->a;
    const struct sl_domain *limits = &a->facts->platform->domains[domain];
    int64_t bytes =
        sl_bytes_rounded(a->facts->platform, domain, a->graph->objects[move->object].bytes);
    int64_t room = limits->capacity - limits->reserve - move->rule->headroom - bytes;
    uint32_t copy = sl_copy_of_move(a, move);
    if (copy == SL_NONE)
        return 0;
    uint32_t from = p->stretches[a->copies[copy].holding].from, place = a->label[move->node];
    if (move->rule->when->fills_room)
        from = a->label[move->consumer];
    while (from > place && levels[from - 1] <= room) {
        from--;
        levels[from] += bytes;
    }
    return from;
}

/* Takes what moves that fill the room are expected to hold before their consumers out of the
 * levels: the room is laid out anew. */
static void clear_windows(const struct sl_projection *p, uint32_t domain, int64_t *levels)
{
    const struct sl_attempt *a = p->a;
    for (uint32_t m = 0; m < a->move_count; m++) {
        const struct sl_move *move = &a->moves[m];
        uint32_t copy = sl_copy_of_move(a, move);
        if (!move->rule->when->fills_room || a->facts->home[move->object] != domain ||
            copy == SL_NONE)
            continue;
        int64_t bytes =
            sl_bytes_rounded(a->facts->platform, domain, a->graph->objects[move->object].bytes);
        for (uint32_t l = p->stretches[a->copies[copy].holding].from; l < a->label[move->consumer];
             l++)
            levels[l] -= bytes;
    }
}

/* Nodes that are the same in every attempt with the same choices. */
static bool lasts(const struct sl_attempt *a, uint32_t node)
{
    return node < a->facts->graph->node_count || a->graph->nodes[node].kind == SL_REMATERIALIZATION;
}

static void note_takers(struct search *s, uint32_t domain)
{
    const struct sl_attempt *a = s->p.a;
    const struct sl_graph *graph = a->graph;
    for (uint32_t n = 0; n < graph->node_count; n++)
        s->takes[n] = false;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        const struct sl_node *node = &graph->nodes[n];
        bool takes = false;
        for (uint32_t k = 0; k < node->takes.count; k++)
            takes |= graph->holdings[graph->holdings_pool[node->takes.first + k]].domain == domain;
        for (uint32_t k = 0; k < node->workspace.count; k++)
            takes |= graph->amounts[node->workspace.first + k].domain == domain;
        /* What was inserted in front of a node takes on its behalf. */
        uint32_t owner = lasts(a, n) ? n : a->slot[n];
        if (owner != SL_NONE)
            s->takes[owner] |= takes;
    }
}

static void follow(struct search *s, uint32_t before, uint32_t node)
{
    const struct sl_attempt *a = s->p.a;
    if (a->graph->nodes[node].fallback.i != SL_NONE)
        return;
    uint32_t label = s->takes[node] ? a->label[node] : s->sooner[node];
    if (label < s->sooner[before])
        s->sooner[before] = label;
}

/* Fills `sooner`, from the end of the sequence to its start. */
static enum sl_status find_followers(struct search *s)
{
    const struct sl_attempt *a = s->p.a;
    uint32_t *start, *edges; /* predecessors in CSR form */
    uint32_t *later =        /* per lane: its next node */
        malloc(((size_t)a->graph->lane_names.count + 1) * sizeof *later);
    bool ok = sl_graph_preds(a->graph, &start, &edges) && later;
    for (uint32_t l = 0; ok && l < a->graph->lane_names.count; l++)
        later[l] = SL_NONE;
    for (uint32_t n = 0; ok && n < a->graph->node_count; n++)
        s->sooner[n] = SL_NONE;
    for (uint32_t n = a->tail; ok && n != SL_NONE; n = a->prev[n]) {
        if (!lasts(a, n))
            continue;
        uint32_t lane = a->graph->nodes[n].lane;
        if (lane != SL_NONE) {
            if (later[lane] != SL_NONE)
                follow(s, n, later[lane]);
            later[lane] = n;
        }
        for (uint32_t k = start[n]; k < start[n + 1]; k++)
            if (lasts(a, a->graph->edges[edges[k]].from.i))
                follow(s, a->graph->edges[edges[k]].from.i, n);
    }
    free(start);
    free(edges);
    free(later);
    return ok ? SL_OK : SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan's room");
}

struct key {
    uint32_t from, move;
};

static int compare(const void *x, const void *y)
{
    const struct key *a = x, *b = y;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->move < b->move ? -1 : a->move > b->move;
}

static enum sl_status wait_for(struct search *s, struct sl_room *room, uint32_t move, uint32_t node)
{
    if (!sl_grow((void **)&room->waits, &room->capacity, room->count + 1, sizeof *room->waits))
        return SL_FAIL(s->p.a->err, SL_SYSTEM, "out of memory for a plan's room");
    room->waits[room->count++] = (struct sl_room_wait){move, node};
    return SL_OK;
}

/* Every node of `active` that takes bytes before L and that no other such one follows. */
static enum sl_status wait_for_takers(struct search *s, struct sl_room *room, struct key key,
                                      uint32_t *active_count)
{
    const struct sl_attempt *a = s->p.a;
    const struct sl_move *move = &a->moves[key.move];
    uint32_t kept = 0, consumer = a->facts->position[a->slot[move->consumer]], waits = 0;
    enum sl_status status = SL_OK;
    for (uint32_t i = 0; i < *active_count && status == SL_OK; i++) {
        uint32_t node = s->active[i];
        if (s->sooner[node] < key.from)
            continue;
        s->active[kept++] = node;
        /* Whoever stands by for it may come after the consumer. */
        if (node < a->facts->graph->node_count && sl_facts_owed_until(a->facts, node) >= consumer)
            continue;
        status = wait_for(s, room, key.move, node);
        if (status == SL_OK && ++waits > MOST_WAITS)
            status = SL_FAIL_AT(a->err, SL_NO, a->graph->objects[move->object].place,
                                "prefetch window: more than %d nodes abreast take memory before "
                                "'%s' may return (use lookahead or jit)",
                                MOST_WAITS, a->graph->objects[move->object].name);
    }
    *active_count = kept;
    return status;
}

static enum sl_status open_windows(struct search *s, struct sl_room *room, struct key *keys,
                                   uint32_t count)
{
    const struct sl_attempt *a = s->p.a;
    uint32_t next = a->head, active = 0;
    enum sl_status status = find_followers(s);
    qsort(keys, count, sizeof *keys, compare);
    for (uint32_t i = 0; i < count && status == SL_OK; i++) {
        for (; next != SL_NONE && a->label[next] < keys[i].from; next = a->next[next])
            if (lasts(a, next) && s->takes[next])
                s->active[active++] = next;
        status = wait_for_takers(s, room, keys[i], &active);
    }
    return status;
}

/* The moves into one domain. */
static enum sl_status search_domain(struct search *s, uint32_t domain, struct sl_room *room,
                                    struct key *keys)
{
    const struct sl_attempt *a = s->p.a;
    enum sl_status status = SL_OK;
    uint32_t windows = 0;
    sl_projection_add_up(&s->p, domain, s->levels);
    clear_windows(&s->p, domain, s->levels);
    for (uint32_t m = 0; m < a->move_count && status == SL_OK; m++) {
        const struct sl_move *move = &a->moves[m];
        if (!move->rule->when->needs_room || a->facts->home[move->object] != domain)
            continue;
        uint32_t from = find_room(&s->p, move, domain, s->levels);
        if (move->rule->when->fills_room)
            keys[windows++] = (struct key){from, m};
        else if (from > a->label[move->node] && s->p.user_at[from - 1] != SL_NONE)
            status = wait_for(s, room, m, s->p.user_at[from - 1]);
    }
    if (windows == 0 || status)
        return status;
    note_takers(s, domain);
    return open_windows(s, room, keys, windows);
}

enum sl_status sl_room_find(const struct sl_attempt *a, struct sl_room *room)
{
    struct search s = {0};
    size_t nodes = (size_t)a->graph->node_count + 1;
    bool ok = sl_projection_open(&s.p, a);
    struct key *keys = malloc(((size_t)a->move_count + 1) * sizeof *keys);
    s.levels = malloc(((size_t)s.p.labels + 2) * sizeof *s.levels);
    s.sooner = malloc(nodes * sizeof *s.sooner);
    s.active = malloc(nodes * sizeof *s.active);
    s.takes = malloc(nodes * sizeof *s.takes);
    enum sl_status status = SL_OK;
    if (!ok || !keys || !s.levels || !s.sooner || !s.active || !s.takes)
        status = SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan's room");
    for (uint32_t d = 0; d < a->facts->domain_count && status == SL_OK; d++)
        if (a->facts->platform->domains[d].capacity >= 0)
            status = search_domain(&s, d, room, keys);
    sl_projection_close(&s.p);
    free(keys);
    free(s.levels);
    free(s.sooner);
    free(s.active);
    free(s.takes);
    return status;
}

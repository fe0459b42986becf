/* Moves home: objects that come back at the end of a gap, and those that begin elsewhere.
 *
 * Moves are submitted in the order of their consumers.  Each is placed behind everything that it
 * waits for and behind the move before it on the same engine, so that an engine that works in order
 * of submission never waits for something that is behind it in the plan.  Over several routes a
 * move has a node per hop; what it waits for holds the first one back. */
#include "attempt.h"
#include <stdlib.h>

enum sl_status sl_move_wait(struct sl_attempt *a, struct sl_move *move, uint32_t node,
                            int64_t lag_ps)
{
    /* A fallback does what its primary owes: what brings it an object must not wait for that. */
    uint32_t primary = a->facts->primary[a->slot[move->consumer]];
    if (primary != SL_NONE && a->label[node] >= a->label[primary])
        return SL_OK;
    if (!sl_grow((void **)&move->triggers, &move->trigger_capacity, move->trigger_count + 1,
                 sizeof *move->triggers))
        return SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    move->triggers[move->trigger_count++] = (struct sl_trigger){node, lag_ps};
    return SL_OK;
}

/* Objects that are used at home and begin elsewhere are brought there, whatever the policy does in
 * gaps; only as-given leaves that to the graph. */
static enum sl_status add_entries(struct sl_attempt *a)
{
    static const struct sl_rule plain = {.when = &sl_prefetch_demand, .quantile = 0.95};
    const struct sl_facts *facts = a->facts;
    for (uint32_t o = 0; o < facts->object_count; o++) {
        const struct sl_rule *rule = sl_rule_for(a->rules, a->graph, o);
        const struct sl_rule *tuned = a->rules->arrivals ? a->rules->arrivals[o] : NULL;
        const struct sl_object *object = &a->graph->objects[o];
        if ((rule && rule->action == &sl_action_as_given) || !sl_facts_is_entry(facts, o))
            continue;
        if (facts->journeys[o].entry.hops == 0)
            return SL_FAIL_AT(
                a->err, SL_NO, object->place,
                "object '%s' begins in '%s', is used in '%s' and no routes lead there",
                object->name, facts->platform->domain_names.names[object->initial],
                facts->platform->domain_names.names[facts->home[o]]);
        if (!sl_grow((void **)&a->moves, &a->move_capacity, a->move_count + 1, sizeof *a->moves))
            return SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
        a->moves[a->move_count++] =
            (struct sl_move){.object = o,
                             .from = object->initial,
                             .rule = tuned                         ? tuned
                                     : rule && rule->action->moves ? rule
                                                                   : &plain,
                             .before = SL_NONE,
                             .source = SL_NONE,
                             .offload = SL_NONE,
                             .consumer = facts->uses[facts->use_start[o]].node,
                             .back = &facts->journeys[o].entry,
                             .node = SL_NONE};
    }
    return SL_OK;
}

/* A clone that reads a moved object inside its gap needs it earlier than the gap's end. */
static enum sl_status advance_to_clones(struct sl_attempt *a)
{
    const struct sl_graph *graph = a->graph;
    size_t objects = (size_t)a->facts->object_count + 1, moves = (size_t)a->move_count + 1;
    uint32_t *move_of = malloc(objects * sizeof *move_of); /* lists of an object's moves */
    uint32_t *other = malloc(moves * sizeof *other);
    bool ok = move_of && other;
    for (uint32_t o = 0; ok && o < a->facts->object_count; o++)
        move_of[o] = SL_NONE;
    for (uint32_t m = 0; ok && m < a->move_count; m++) {
        if (a->moves[m].before == SL_NONE)
            continue;
        other[m] = move_of[a->moves[m].object];
        move_of[a->moves[m].object] = m;
    }
    for (uint32_t n = a->facts->graph->node_count; ok && n < graph->node_count; n++) {
        const struct sl_node *node = &graph->nodes[n];
        for (uint32_t k = 0; node->kind == SL_REMATERIALIZATION && k < node->inputs.count; k++) {
            uint32_t at =
                move_of[sl_object_root(graph, graph->objects_pool[node->inputs.first + k]).i];
            for (; at != SL_NONE; at = other[at])
                if (a->label[n] > a->label[a->moves[at].before] &&
                    a->label[n] < a->label[a->moves[at].consumer])
                    a->moves[at].consumer = n;
        }
    }
    free(move_of);
    free(other);
    return ok ? SL_OK : SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
}

struct key {
    uint32_t label, object, move;
};

static int compare(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    if (x->label != y->label)
        return x->label < y->label ? -1 : 1;
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    return x->move < y->move ? -1 : x->move > y->move;
}

static enum sl_status sort_moves(struct sl_attempt *a)
{
    struct key *keys = malloc(((size_t)a->move_count + 1) * sizeof *keys);
    struct sl_move *sorted = malloc(((size_t)a->move_count + 1) * sizeof *sorted);
    bool ok = keys && sorted;
    for (uint32_t m = 0; ok && m < a->move_count; m++)
        keys[m] = (struct key){a->label[a->moves[m].consumer], a->moves[m].object, m};
    if (ok)
        qsort(keys, a->move_count, sizeof *keys, compare);
    for (uint32_t m = 0; ok && m < a->move_count; m++)
        sorted[m] = a->moves[keys[m].move];
    for (uint32_t m = 0; ok && m < a->move_count; m++)
        a->moves[m] = sorted[m];
    free(keys);
    free(sorted);
    return ok ? SL_OK : SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
}

static enum sl_status add_nodes(struct sl_attempt *a, struct sl_move *move)
{
    const char *purpose =
        sl_editor_text(&a->editor, " for %s", a->graph->nodes[move->consumer].name);
    if (!purpose)
        return SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    enum sl_status status = sl_hops_add(a, SL_PREFETCH, move->object, move->back, purpose,
                                        move->rule->when->description, &move->first);
    move->node = move->first + move->back->hops - 1;
    return status;
}

/* Keeps the later of two nodes in the plan; SL_NONE is before everything. */
static uint32_t later(const struct sl_attempt *a, uint32_t x, uint32_t y)
{
    if (x == SL_NONE || y == SL_NONE)
        return x == SL_NONE ? y : x;
    return a->label[y] > a->label[x] ? y : x;
}

/* What has been placed so far. */
struct placing {
    uint32_t *last;   /* per engine: the hop placed there last, */
    uint32_t *anchor; /* ... and the node behind which it stands, with other hops in between */
    uint32_t *tail;   /* per node, and in front of all: the last hop behind it; SL_NONE */
    uint32_t *outs;   /* per node: the last of the copies out that follow it at once, or itself */
    uint32_t nodes;
};

static uint32_t *tail_of(const struct placing *p, uint32_t anchor)
{
    return &p->tail[anchor == SL_NONE ? p->nodes : anchor];
}

static uint32_t engine_of(const struct sl_attempt *a, uint32_t hop)
{
    return a->graph->demands[a->graph->nodes[hop].demands.first].resource;
}

/* The node of the plan behind which the move stands: the last one that it waits for, or behind
 * which the move before it on one of its engines does. */
static uint32_t find_anchor(const struct sl_attempt *a, const struct placing *p,
                            const struct sl_move *move)
{
    uint32_t behind = later(a, move->before, move->offload);
    for (uint32_t t = 0; t < move->trigger_count; t++)
        behind = later(a, behind, move->triggers[t].node);
    for (uint32_t hop = move->first; hop <= move->node; hop++) {
        uint32_t engine = engine_of(a, hop);
        if (p->last[engine] != SL_NONE && later(a, behind, p->anchor[engine]) == p->anchor[engine])
            behind = p->anchor[engine];
    }
    return move->first == move->node || behind == SL_NONE ? behind : p->outs[behind];
}

/* Hops follow each other, behind whatever stands at the same node already; a single one right
 * behind the one before it on its engine. */
static enum sl_status place_move(struct sl_attempt *a, struct placing *p, struct sl_move *move)
{
    uint32_t behind = find_anchor(a, p, move), engine = engine_of(a, move->first), place = behind;
    uint32_t *tail = tail_of(p, behind);
    enum sl_status status = SL_OK;
    if (move->first != move->node && *tail != SL_NONE)
        place = *tail;
    else if (move->first == move->node && p->last[engine] != SL_NONE && behind == p->anchor[engine])
        place = p->last[engine];
    if (*tail == SL_NONE || place == *tail)
        *tail = move->node;
    for (uint32_t hop = move->first; hop <= move->node && status == SL_OK; hop++) {
        status = sl_sequence_insert(a, hop, place, move->consumer);
        place = hop;
        p->last[engine_of(a, hop)] = hop;
        p->anchor[engine_of(a, hop)] = behind;
    }
    for (uint32_t t = 0; t < move->trigger_count && status == SL_OK; t++)
        status = sl_editor_lagged_edge(&a->editor, move->triggers[t].node, move->first,
                                       SL_EDGE_ORDERING, move->object, move->triggers[t].lag_ps);
    return status;
}

/* Puts each move behind what it waits for, and its edges into the graph. */
static enum sl_status place_moves(struct sl_attempt *a)
{
    uint32_t resources = a->facts->platform->resource_names.count;
    struct placing p = {
        .last = malloc(((size_t)resources + 1) * sizeof *p.last),
        .anchor = malloc(((size_t)resources + 1) * sizeof *p.anchor),
        .tail = malloc(((size_t)a->graph->node_count + 1) * sizeof *p.tail),
        .outs = malloc(((size_t)a->graph->node_count + 1) * sizeof *p.outs),
        .nodes = a->graph->node_count,
    };
    enum sl_status status = SL_OK;
    if (!p.last || !p.anchor || !p.tail || !p.outs)
        status = SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    for (uint32_t r = 0; r < resources && status == SL_OK; r++)
        p.last[r] = p.anchor[r] = SL_NONE;
    for (uint32_t n = 0; n <= p.nodes && status == SL_OK; n++)
        p.tail[n] = SL_NONE;
    for (uint32_t n = a->tail; n != SL_NONE && status == SL_OK; n = a->prev[n]) {
        uint32_t next = a->next[n];
        bool out = next != SL_NONE && next >= a->facts->graph->node_count &&
                   a->graph->nodes[next].kind == SL_OFFLOAD;
        p.outs[n] = out ? p.outs[next] : n;
    }
    for (uint32_t m = 0; m < a->move_count && status == SL_OK; m++)
        status = place_move(a, &p, &a->moves[m]);
    free(p.last);
    free(p.anchor);
    free(p.tail);
    free(p.outs);
    return status;
}

enum sl_status sl_moves_arrange(struct sl_attempt *a)
{
    sl_sequence_relabel(a);
    enum sl_status status = add_entries(a);
    if (status == SL_OK && a->move_count == 0)
        return SL_OK;
    if (status == SL_OK)
        status = advance_to_clones(a);
    if (status == SL_OK)
        status = sort_moves(a);
    for (uint32_t m = 0; m < a->move_count && status == SL_OK; m++)
        status = add_nodes(a, &a->moves[m]);
    for (size_t i = 0; sl_part_get(i) && status == SL_OK; i++)
        if (sl_part_get(i)->trigger)
            status = sl_part_get(i)->trigger(a, sl_part_get(i));
    for (uint32_t w = 0; a->room && w < a->room->count && status == SL_OK; w++)
        status = sl_move_wait(a, &a->moves[a->room->waits[w].move], a->room->waits[w].node, 0);
    return status == SL_OK ? place_moves(a) : status;
}

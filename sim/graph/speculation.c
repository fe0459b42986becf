/* Which movements are speculative, from the data flow and the guards. */
#include <config.h>

#include "flow.h"
#include "guards.h"
#include "speculation.h"
#include <stdlib.h>

struct use {
    uint32_t movement, user;
};

struct search {
    const struct sl_graph *graph;
    struct use *uses;
    uint32_t count, capacity;
    struct sl_error *err;
};

static enum sl_status note_use(void *user, uint32_t from, uint32_t to, enum sl_edge_type type,
                               uint32_t object)
{
    struct search *s = user;
    (void)object;
    if (type != SL_EDGE_DATA || !sl_node_moves(s->graph->nodes[from].kind))
        return SL_OK;
    if (!sl_grow((void **)&s->uses, &s->capacity, s->count + 1, sizeof *s->uses))
        return SL_FAIL(s->err, SL_SYSTEM, "out of memory for speculation");
    s->uses[s->count++] = (struct use){from, to};
    return SL_OK;
}

static bool list_users(struct sl_speculation *x, const struct search *s, struct sl_arena *arena)
{
    uint32_t n = s->graph->node_count;
    x->user_start = sl_arena_array(arena, (size_t)n + 2, sizeof *x->user_start);
    x->users = sl_arena_array(arena, (size_t)s->count + 1, sizeof *x->users);
    if (!x->user_start || !x->users)
        return false;
    uint32_t *next = x->user_start + 1; /* while filling: where the next user of a node goes */
    for (uint32_t k = 0; k < s->count; k++)
        next[s->uses[k].movement + 1]++;
    for (uint32_t i = 0; i < n; i++)
        next[i + 1] += next[i];
    for (uint32_t k = 0; k < s->count; k++)
        x->users[next[s->uses[k].movement]++] = s->uses[k].user;
    return true;
}

static bool is_speculative(const struct sl_graph *graph, const struct sl_speculation *x, uint32_t i)
{
    for (uint32_t k = x->user_start[i]; k < x->user_start[i + 1]; k++)
        if (!x->speculative[x->users[k]] && sl_guards_include(graph, i, x->users[k]))
            return false;
    return x->user_start[i] < x->user_start[i + 1];
}

static bool mark(struct sl_speculation *x, const struct sl_graph *graph, struct sl_arena *arena)
{
    x->speculative = sl_arena_array(arena, (size_t)graph->node_count + 1, sizeof *x->speculative);
    x->nodes = sl_arena_array(arena, (size_t)graph->node_count + 1, sizeof *x->nodes);
    if (!x->speculative || !x->nodes)
        return false;
    for (uint32_t t = graph->node_count; t-- > 0;) {
        uint32_t i = graph->topo[t];
        if (!is_speculative(graph, x, i))
            continue;
        x->speculative[i] = true;
        x->nodes[x->count++] = i;
    }
    if (x->count == 0)
        x->speculative = NULL;
    return true;
}

enum sl_status sl_speculation_find(struct sl_speculation *speculation, const struct sl_graph *graph,
                                   struct sl_arena *arena, struct sl_error *err)
{
    *speculation = (struct sl_speculation){0};
    bool guarded = false;
    for (uint32_t i = 0; i < graph->node_count && !guarded; i++)
        guarded = graph->nodes[i].guards.count > 0;
    if (!guarded)
        return SL_OK;
    struct search s = {.graph = graph, .err = err};
    enum sl_status status =
        sl_flow_derive(graph, graph->platform->domain_names.count, note_use, &s, err);
    if (status == SL_OK &&
        (!list_users(speculation, &s, arena) || !mark(speculation, graph, arena)))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for speculation");
    free(s.uses);
    return status;
}

/* Waits in words.  What a node lacked is known from its cause, and by whom it was given back from
 * the node behind; of which resource or domain, from what the two have in common. */
#include "wait_story.h"
#include "table.h"
#include "units.h"

struct telling {
    struct sl_arena *arena;
    const struct sl_graph *graph;
    const struct sl_node *node, *behind;
};

static const char *time_text(struct sl_arena *arena, int64_t ps)
{
    return sl_estimate_text(arena, (double)ps / (double)SL_PS_PER_US);
}

/* A resource that both demand, SL_NONE. */
static uint32_t common_resource(const struct telling *t)
{
    const struct sl_demand *pool = t->graph->demands;
    for (uint32_t i = 0; i < t->node->demands.count; i++)
        for (uint32_t k = 0; k < t->behind->demands.count; k++)
            if (pool[t->node->demands.first + i].resource ==
                pool[t->behind->demands.first + k].resource)
                return pool[t->node->demands.first + i].resource;
    return SL_NONE;
}

static const char *tell_queue(const struct telling *t)
{
    uint32_t resource = common_resource(t);
    if (resource == SL_NONE) /* it stood behind a node that wanted something else */
        return sl_arena_printf(t->arena, "when its turn came as %s ended", t->behind->name);
    return sl_arena_printf(t->arena, "when %s had left %s", t->behind->name,
                           t->graph->platform->resource_names.names[resource]);
}

/* Bytes that the node wants in a domain at its start. */
static int64_t wanted_bytes(const struct telling *t, uint32_t domain)
{
    const struct sl_graph *graph = t->graph;
    int64_t bytes = 0;
    for (uint32_t k = 0; k < t->node->takes.count; k++) {
        const struct sl_holding *holding =
            &graph->holdings[graph->holdings_pool[t->node->takes.first + k]];
        bytes += holding->domain == domain ? holding->bytes : 0;
    }
    for (uint32_t k = 0; k < t->node->workspace.count; k++) {
        const struct sl_amount *amount = &graph->amounts[t->node->workspace.first + k];
        bytes += amount->domain == domain ? amount->bytes : 0;
    }
    return bytes;
}

static const char *tell_given(const struct telling *t, uint32_t domain, const char *what)
{
    return sl_arena_printf(t->arena, "when %s had given back %s: it wanted %s of %s",
                           t->behind->name, what,
                           sl_bytes_text(t->arena, (double)wanted_bytes(t, domain)),
                           t->graph->platform->domain_names.names[domain]);
}

static const char *tell_capacity(const struct telling *t)
{
    const struct sl_graph *graph = t->graph;
    for (uint32_t k = 0; k < t->behind->gives.count; k++) {
        const struct sl_holding *holding =
            &graph->holdings[graph->holdings_pool[t->behind->gives.first + k]];
        if (wanted_bytes(t, holding->domain) > 0)
            return tell_given(
                t, holding->domain,
                holding->object.i == SL_NONE ? "staging" : graph->objects[holding->object.i].name);
    }
    for (uint32_t k = 0; k < t->behind->workspace.count; k++) {
        uint32_t domain = graph->amounts[t->behind->workspace.first + k].domain;
        if (wanted_bytes(t, domain) > 0)
            return tell_given(t, domain, "its workspace");
    }
    return sl_arena_printf(t->arena, "when bytes were free as %s ended", t->behind->name);
}

static const char *tell_end(const struct telling *t, enum sl_cause cause)
{
    if (!t->behind)
        return cause == SL_CAUSE_OVERLAP ? "when it was permitted to run beside what ran"
                                         : "when its turn came";
    if (cause == SL_CAUSE_QUEUE)
        return tell_queue(t);
    if (cause == SL_CAUSE_CAPACITY)
        return tell_capacity(t);
    if (cause == SL_CAUSE_OVERLAP)
        return sl_arena_printf(t->arena, "when %s had ended, which must not run beside it",
                               t->behind->name);
    return sl_arena_printf(t->arena, "after %s (%s)", t->behind->name, sl_cause_name(cause));
}

const char *sl_wait_story(struct sl_arena *arena, const struct sl_graph *graph, uint32_t node,
                          const struct sl_wait *wait)
{
    struct telling telling = {
        .arena = arena,
        .graph = graph,
        .node = &graph->nodes[node],
        .behind = wait->behind == SL_NONE ? NULL : &graph->nodes[wait->behind],
    };
    const char *end = tell_end(&telling, wait->cause);
    const char *passed = "";
    if (wait->bypassed > 0)
        passed = sl_arena_printf(arena, "; meanwhile %s later node%s of its list went ahead of it",
                                 sl_grouped(arena, wait->bypassed), wait->bypassed == 1 ? "" : "s");
    if (!end || !passed)
        return NULL;
    return sl_arena_printf(arena, "%s was ready at %s and started %s later, %s%s",
                           telling.node->name, time_text(arena, wait->ready_ps),
                           time_text(arena, wait->wait_ps), end, passed);
}

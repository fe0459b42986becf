/* Data flow: who wrote what a node reads.
 *
 * A later writer follows the readers of the earlier value; several writers count in plan order, and
 * those of which only one runs follow the same and are not ordered among themselves. */
#include <config.h>

#include "evictor.h"
#include "flow.h"
#include "guards.h"
#include <stdlib.h>

/* Fallbacks form no ring; the bound is for graphs that nobody has checked. */
static bool stands_by_for(const struct sl_graph *graph, uint32_t standby, uint32_t node)
{
    for (uint32_t hops = 0; hops < graph->node_count && node != SL_NONE; hops++) {
        node = graph->nodes[node].fallback.i;
        if (node == standby)
            return true;
    }
    return false;
}

bool sl_nodes_alternate(const struct sl_graph *graph, uint32_t a, uint32_t b)
{
    return stands_by_for(graph, b, a) || stands_by_for(graph, a, b) ||
           sl_guards_oppose(graph, a, b);
}

static bool push(struct sl_flow_pool *pool, uint32_t *head, uint32_t node, enum sl_edge_type type)
{
    if (pool->count == 0)
        pool->count = 1;
    if (!sl_grow((void **)&pool->entries, &pool->capacity, pool->count + 1, sizeof *pool->entries))
        return false;
    pool->entries[pool->count] = (struct sl_flow_entry){node, *head, type};
    *head = pool->count++;
    return true;
}

enum sl_status sl_flow_read(const struct sl_graph *graph, struct sl_flow_pool *pool,
                            struct sl_flow *flow, uint32_t node, uint32_t object,
                            sl_flow_need *need, void *user, struct sl_error *err)
{
    (void)graph;
    for (uint32_t at = flow->writers; at; at = pool->entries[at].next) {
        struct sl_flow_entry writer = pool->entries[at];
        enum sl_status status =
            writer.node == node ? SL_OK : need(user, writer.node, node, writer.type, object);
        if (status)
            return status;
    }
    return push(pool, &flow->readers, node, SL_EDGE_DATA)
               ? SL_OK
               : SL_FAIL(err, SL_SYSTEM, "out of memory for a plan's data flow");
}

struct write {
    const struct sl_graph *graph;
    struct sl_flow_pool *pool;
    uint32_t node, object;
    sl_flow_need *need;
    void *user;
    struct sl_error *err;
};

/* The writer follows an entry, unless only one of the two runs; `stays` is the list that the entry
 * is then in, `passes` the one that it goes to otherwise (NULL: none). */
static enum sl_status follow(const struct write *w, struct sl_flow_entry entry, uint32_t *stays,
                             uint32_t *passes)
{
    bool alternate = sl_nodes_alternate(w->graph, entry.node, w->node);
    uint32_t *list = alternate ? stays : passes;
    enum sl_edge_type type = entry.type == SL_EDGE_STORAGE ? SL_EDGE_STORAGE : SL_EDGE_ORDERING;
    enum sl_status status = SL_OK;
    if (!alternate && entry.node != w->node)
        status = w->need(w->user, entry.node, w->node, type, w->object);
    if (status == SL_OK && list && !push(w->pool, list, entry.node, entry.type))
        status = SL_FAIL(w->err, SL_SYSTEM, "out of memory for a plan's data flow");
    return status;
}

/* A writer that may be cancelled does not wait for what it follows then, so that whoever comes next
 * must follow that itself: the lists stay. */
enum sl_status sl_flow_write(const struct sl_graph *graph, struct sl_flow_pool *pool,
                             struct sl_flow *flow, uint32_t node, uint32_t object,
                             enum sl_edge_type type, sl_flow_need *need, void *user,
                             struct sl_error *err)
{
    const struct write w = {graph, pool, node, object, need, user, err};
    bool guarded = graph->nodes[node].guards.count > 0;
    bool cancellable = graph->nodes[node].fallback.i != SL_NONE;
    struct sl_flow next = {0};
    enum sl_status status = SL_OK;
    for (uint32_t at = flow->readers; at && status == SL_OK; at = pool->entries[at].next)
        status = follow(&w, pool->entries[at], &next.readers,
                        cancellable ? &next.readers
                        : guarded   ? &next.previous
                                    : NULL);
    for (uint32_t at = flow->writers; at && status == SL_OK; at = pool->entries[at].next)
        status = follow(&w, pool->entries[at], &next.writers,
                        cancellable ? &next.writers
                        : guarded   ? &next.previous
                                    : NULL);
    bool alternates = next.writers != 0;
    for (uint32_t at = flow->previous; at && alternates && status == SL_OK;
         at = pool->entries[at].next)
        status = follow(&w, pool->entries[at], &next.previous, &next.previous);
    *flow = next;
    if (status == SL_OK && !push(pool, &flow->writers, node, type))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for a plan's data flow");
    return status;
}

/* Visits the copies behind a list of objects, in their home domains. */
static enum sl_status visit_list(const struct sl_graph *graph, struct sl_span list, uint32_t node,
                                 enum sl_mention what, sl_mention_visit *visit, void *user)
{
    enum sl_status status = SL_OK;
    for (uint32_t k = 0; k < list.count && status == SL_OK; k++) {
        uint32_t object = sl_object_root(graph, graph->objects_pool[list.first + k]).i;
        status = visit(user, node, object, sl_object_home(graph, object), what);
    }
    return status;
}

enum sl_status sl_mentions(const struct sl_graph *graph, uint32_t index, sl_mention_visit *visit,
                           void *user)
{
    if (!graph->object_count) /* without a look at the node: there may be a million of them */
        return SL_OK;
    if (sl_node_is_latent(graph, index))
        return SL_OK; /* no part of the plan's data flow: it runs when a copy is taken away */
    const struct sl_node node = graph->nodes[index];
    enum sl_status status = visit_list(graph, node.inputs, index, SL_MENTION_READ, visit, user);
    if (status == SL_OK && node.object.i != SL_NONE) {
        uint32_t object = sl_object_root(graph, node.object).i,
                 home = sl_object_home(graph, object);
        uint32_t to = node.to != SL_NONE ? node.to : home;
        uint32_t from = node.from != SL_NONE ? node.from : home;
        if (sl_node_moves(node.kind)) {
            status = visit(user, index, object, from, SL_MENTION_READ);
            if (status == SL_OK)
                status = visit(user, index, object, to, SL_MENTION_WRITE);
        } else if (node.kind == SL_ALLOCATION || node.kind == SL_MAPPING) {
            status = visit(user, index, object, to, SL_MENTION_ROOM);
        } else if (node.kind == SL_RECLAMATION) {
            status = visit(user, index, object, from, SL_MENTION_RECLAIM);
        } else if (node.kind == SL_BARRIER) {
            status = visit(user, index, object, home, SL_MENTION_READ);
        }
    }
    if (status == SL_OK)
        status = visit_list(graph, node.outputs, index, SL_MENTION_WRITE, visit, user);
    return status;
}

struct derivation {
    const struct sl_graph *graph;
    uint32_t domain_count;
    struct sl_flow *flows;  /* per object and domain */
    uint32_t *first_writer; /* per object and domain: the node plus 1; 0: none */
    struct sl_flow_pool pool;
    sl_flow_need *need;
    void *user;
    struct sl_error *err;
};

static size_t copy_of(const struct derivation *d, uint32_t object, uint32_t domain)
{
    return (size_t)object * d->domain_count + domain;
}

static enum sl_status note_first(void *user, uint32_t node, uint32_t object, uint32_t domain,
                                 enum sl_mention what)
{
    struct derivation *d = user;
    if (domain != SL_NONE && what == SL_MENTION_WRITE) {
        uint32_t *first = &d->first_writer[copy_of(d, object, domain)];
        if (*first == 0)
            *first = node + 1;
    }
    return SL_OK;
}

/* True when the copy has contents: nothing but room was made otherwise. */
static bool has_contents(const struct derivation *d, const struct sl_flow *flow)
{
    for (uint32_t at = flow->writers; at; at = d->pool.entries[at].next)
        if (d->pool.entries[at].type == SL_EDGE_DATA)
            return true;
    return false;
}

static enum sl_status derive(void *user, uint32_t node, uint32_t object, uint32_t domain,
                             enum sl_mention what)
{
    struct derivation *d = user;
    if (domain == SL_NONE || what == SL_MENTION_RECLAIM)
        return SL_OK;
    size_t copy = copy_of(d, object, domain);
    struct sl_flow *flow = &d->flows[copy];
    if (what != SL_MENTION_READ)
        return sl_flow_write(d->graph, &d->pool, flow, node, object,
                             what == SL_MENTION_ROOM ? SL_EDGE_STORAGE : SL_EDGE_DATA, d->need,
                             d->user, d->err);
    /* A row above its writer's: nothing else can have made the value. */
    uint32_t first = d->first_writer[copy];
    if (!has_contents(d, flow) && first != 0 && first - 1 != node &&
        d->graph->objects[object].initial != domain)
        return d->need(d->user, first - 1, node, SL_EDGE_DATA, object);
    return sl_flow_read(d->graph, &d->pool, flow, node, object, d->need, d->user, d->err);
}

enum sl_status sl_flow_derive(const struct sl_graph *graph, uint32_t domain_count,
                              sl_flow_need *need, void *user, struct sl_error *err)
{
    size_t copies = (size_t)graph->object_count * domain_count + 1;
    struct derivation d = {.graph = graph,
                           .domain_count = domain_count,
                           .flows = calloc(copies, sizeof *d.flows),
                           .first_writer = calloc(copies, sizeof *d.first_writer),
                           .need = need,
                           .user = user,
                           .err = err};
    enum sl_status status = SL_OK;
    if (!d.flows || !d.first_writer)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for the data flow");
    for (uint32_t t = 0; t < graph->node_count && status == SL_OK; t++)
        status = sl_mentions(graph, graph->topo[t], note_first, &d);
    for (uint32_t t = 0; t < graph->node_count && status == SL_OK; t++)
        status = sl_mentions(graph, graph->topo[t], derive, &d);
    free(d.flows);
    free(d.first_writer);
    free(d.pool.entries);
    return status;
}

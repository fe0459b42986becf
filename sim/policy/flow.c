/* Data flow: who wrote what a node reads.
 *
 * A scenario may leave out edges that its inputs and outputs imply.  Readers follow the writer, a
 * later writer follows the readers of the earlier value; several writers count in plan order. */
#include "facts.h"
#include <stdlib.h>

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

enum sl_status sl_flow_write(const struct sl_graph *graph, struct sl_flow_pool *pool,
                             struct sl_flow *flow, uint32_t node, uint32_t object,
                             enum sl_edge_type type, sl_flow_need *need, void *user,
                             struct sl_error *err)
{
    bool alternative = false;
    for (uint32_t at = flow->writers; at && !alternative; at = pool->entries[at].next)
        alternative = sl_nodes_alternate(graph, pool->entries[at].node, node);
    const uint32_t heads[] = {flow->readers, flow->writers};
    for (int list = 0; list < 2 && !alternative; list++)
        for (uint32_t at = heads[list]; at; at = pool->entries[at].next) {
            struct sl_flow_entry entry = pool->entries[at];
            enum sl_edge_type kind =
                list == 1 && entry.type == SL_EDGE_STORAGE ? SL_EDGE_STORAGE : SL_EDGE_ORDERING;
            enum sl_status status =
                entry.node == node ? SL_OK : need(user, entry.node, node, kind, object);
            if (status)
                return status;
        }
    if (!alternative)
        *flow = (struct sl_flow){0};
    return push(pool, &flow->writers, node, type)
               ? SL_OK
               : SL_FAIL(err, SL_SYSTEM, "out of memory for a plan's data flow");
}

/* Visits the copies behind a list of objects, in their home domains. */
static enum sl_status visit_list(const struct sl_facts *facts, const struct sl_graph *graph,
                                 struct sl_span list, uint32_t node, enum sl_mention what,
                                 sl_mention_visit *visit, void *user)
{
    enum sl_status status = SL_OK;
    for (uint32_t k = 0; k < list.count && status == SL_OK; k++) {
        uint32_t object = sl_object_root(graph, graph->objects_pool[list.first + k]).i;
        status = visit(user, node, object, facts->home[object], what);
    }
    return status;
}

enum sl_status sl_mentions(const struct sl_facts *facts, const struct sl_graph *graph,
                           uint32_t index, sl_mention_visit *visit, void *user)
{
    const struct sl_node node = graph->nodes[index];
    enum sl_status status =
        visit_list(facts, graph, node.inputs, index, SL_MENTION_READ, visit, user);
    if (status == SL_OK && node.object.i != SL_NONE) {
        uint32_t object = sl_object_root(graph, node.object).i, home = facts->home[object];
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
        status = visit_list(facts, graph, node.outputs, index, SL_MENTION_WRITE, visit, user);
    return status;
}

struct completion {
    struct sl_facts *facts;
    struct sl_editor editor;
    struct sl_flow *flows;  /* per object and domain */
    uint32_t *first_writer; /* per object and domain */
    struct sl_flow_pool pool;
};

static size_t copy_of(const struct sl_facts *facts, uint32_t object, uint32_t domain)
{
    return (size_t)object * facts->domain_count + domain;
}

static enum sl_status need_edge(void *user, uint32_t from, uint32_t to, enum sl_edge_type type,
                                uint32_t object)
{
    struct completion *c = user;
    struct sl_facts *facts = c->facts;
    bool added;
    enum sl_status status = sl_editor_edge(&c->editor, from, to, type, object, &added);
    if (status || !added)
        return status;
    if (!sl_grow((void **)&facts->flow_edges, &facts->flow_edge_capacity,
                 facts->flow_edge_count + 1, sizeof *facts->flow_edges))
        return SL_FAIL(c->editor.err, SL_SYSTEM, "out of memory for a plan's data flow");
    facts->flow_edges[facts->flow_edge_count++] = (struct sl_flow_edge){from, to, object, type};
    return SL_OK;
}

static enum sl_status note_first(void *user, uint32_t node, uint32_t object, uint32_t domain,
                                 enum sl_mention what)
{
    struct completion *c = user;
    if (domain != SL_NONE && what == SL_MENTION_WRITE) {
        uint32_t *first = &c->first_writer[copy_of(c->facts, object, domain)];
        if (*first == SL_NONE)
            *first = node;
    }
    return SL_OK;
}

static enum sl_status complete(void *user, uint32_t node, uint32_t object, uint32_t domain,
                               enum sl_mention what)
{
    struct completion *c = user;
    const struct sl_graph *graph = c->facts->graph;
    if (domain == SL_NONE || what == SL_MENTION_RECLAIM)
        return SL_OK;
    size_t copy = copy_of(c->facts, object, domain);
    struct sl_flow *flow = &c->flows[copy];
    if (what != SL_MENTION_READ)
        return sl_flow_write(graph, &c->pool, flow, node, object,
                             what == SL_MENTION_ROOM ? SL_EDGE_STORAGE : SL_EDGE_DATA, need_edge, c,
                             c->editor.err);
    /* A row above its writer's: nothing else can have made the value. */
    uint32_t first = c->first_writer[copy];
    if (flow->writers == 0 && first != SL_NONE && first != node &&
        graph->objects[object].initial != domain)
        return need_edge(c, first, node, SL_EDGE_DATA, object);
    return sl_flow_read(graph, &c->pool, flow, node, object, need_edge, c, c->editor.err);
}

enum sl_status sl_flow_complete(struct sl_facts *facts, struct sl_error *err)
{
    const struct sl_graph *given = facts->scenario->graph;
    size_t copies = (size_t)facts->object_count * facts->domain_count + 1;
    struct completion c = {.facts = facts,
                           .flows = calloc(copies, sizeof *c.flows),
                           .first_writer = malloc(copies * sizeof *c.first_writer)};
    enum sl_status status = sl_editor_open(&c.editor, facts->graph, NULL, err);
    if (status == SL_OK && (!c.flows || !c.first_writer))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for a plan's data flow");
    for (size_t i = 0; i < copies && status == SL_OK; i++)
        c.first_writer[i] = SL_NONE;
    for (uint32_t t = 0; t < given->node_count && status == SL_OK; t++)
        status = sl_mentions(facts, facts->graph, given->topo[t], note_first, &c);
    for (uint32_t t = 0; t < given->node_count && status == SL_OK; t++)
        status = sl_mentions(facts, facts->graph, given->topo[t], complete, &c);
    sl_editor_close(&c.editor);
    free(c.flows);
    free(c.first_writer);
    free(c.pool.entries);
    return status;
}

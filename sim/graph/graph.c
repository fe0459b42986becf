/* Building a graph: appending nodes, edges, objects and holdings, and the pools behind their lists.
 *
 * Arrays are malloc'ed and grow geometrically; names live in the graph's name maps, whose order is
 * the order of the ids. */
#include <config.h>

#include "graph.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ITEMS (1u << 28) /* of any one array: far above the loader's bounds, below overflow */

struct sl_graph *sl_graph_create(const struct sl_platform *platform)
{
    struct sl_graph *graph = calloc(1, sizeof *graph);
    if (graph)
        graph->platform = platform;
    return graph;
}

/* The arrays that a copy for edges has in common with its original. */
static void free_common(struct sl_graph *graph)
{
    free(graph->objects);
    free(graph->holdings);
    free(graph->guards);
    free(graph->guard_terms);
    free(graph->factors);
    free(graph->overlaps);
    free(graph->demands);
    free(graph->amounts);
    free(graph->objects_pool);
    free(graph->domains_pool);
    free(graph->holdings_pool);
    sl_arena_free(&graph->arena);
}

void sl_graph_free(struct sl_graph *graph)
{
    if (!graph)
        return;
    if (!graph->only_edges)
        free_common(graph);
    sl_names_free(&graph->node_names);
    sl_names_free(&graph->object_names);
    sl_names_free(&graph->lane_names);
    sl_names_free(&graph->layer_names);
    free(graph->own_nodes);
    free(graph->own_edges);
    sl_graph_drop_lists(graph);
    free(graph);
}

/* Copies `count` elements; an empty array stays NULL. */
static bool copy_array(void **to, uint32_t *capacity, const void *from, uint32_t count, size_t size)
{
    if (count == 0)
        return true;
    if (!sl_grow(to, capacity, count, size))
        return false;
    memcpy(*to, from, (size_t)count * size);
    return true;
}

static bool share_names(struct sl_graph *copy, const struct sl_graph *graph)
{
    return sl_names_share(&copy->node_names, &graph->node_names) &&
           sl_names_share(&copy->object_names, &graph->object_names) &&
           sl_names_share(&copy->lane_names, &graph->lane_names) &&
           sl_names_share(&copy->layer_names, &graph->layer_names);
}

#define COPY(field)                                                                                \
    (copy->field##_count = graph->field##_count,                                                   \
     copy_array((void **)&copy->field, &copy->field##_capacity, graph->field,                      \
                graph->field##_count, sizeof *graph->field))
#define COPY_NAMED(array, field)                                                                   \
    (copy->field##_count = graph->field##_count,                                                   \
     copy_array((void **)&copy->array, &copy->field##_capacity, graph->array,                      \
                graph->field##_count, sizeof *graph->array))

/* Gives a copy that still reads its original's items its own, and room for `more` of them. */
static bool own(void **items, uint32_t *capacity, const void *original, uint32_t count,
                uint32_t more, size_t size)
{
    bool had = *items != NULL;
    if (more > MAX_ITEMS - count || !sl_grow(items, capacity, count + more, size))
        return false;
    if (!had && count > 0)
        memcpy(*items, original, (size_t)count * size);
    return true;
}

static bool own_nodes(struct sl_graph *graph, uint32_t more)
{
    bool ok = own((void **)&graph->own_nodes, &graph->node_capacity, graph->nodes,
                  graph->node_count, more, sizeof *graph->nodes);
    if (ok)
        graph->nodes = graph->own_nodes;
    return ok;
}

static bool own_edges(struct sl_graph *graph, uint32_t more)
{
    bool ok = own((void **)&graph->own_edges, &graph->edge_capacity, graph->edges,
                  graph->edge_count, more, sizeof *graph->edges);
    if (ok)
        graph->edges = graph->own_edges;
    return ok;
}

/* Nodes and edges of a copy that its original, which may not outlive the new copy, has changed are
 * copied; others stay where they are. */
static bool share_nodes_and_edges(struct sl_graph *copy, const struct sl_graph *graph)
{
    copy->original = graph->original ? graph->original : graph;
    copy->nodes = graph->nodes;
    copy->node_count = graph->node_count;
    copy->edges = graph->edges;
    copy->edge_count = graph->edge_count;
    return (!graph->original || !graph->own_nodes || own_nodes(copy, 0)) &&
           (!graph->original || !graph->own_edges || own_edges(copy, 0));
}

struct sl_graph *sl_graph_copy(const struct sl_graph *graph)
{
    struct sl_graph *copy = sl_graph_create(graph->platform);
    if (!copy)
        return NULL;
    copy->one = graph->one;
    copy->evictor = graph->evictor;
    bool ok = share_nodes_and_edges(copy, graph) && COPY_NAMED(objects, object) &&
              COPY_NAMED(holdings, holding) && COPY_NAMED(guards, guard) &&
              COPY_NAMED(factors, factor) && COPY_NAMED(overlaps, overlap) &&
              COPY_NAMED(demands, demand) && COPY_NAMED(amounts, amount) &&
              COPY_NAMED(guard_terms, guard_term) && COPY(objects_pool) && COPY(domains_pool) &&
              COPY(holdings_pool) && share_names(copy, graph);
    if (!ok) {
        sl_graph_free(copy);
        return NULL;
    }
    return copy;
}

struct sl_graph *sl_graph_copy_edges(const struct sl_graph *graph)
{
    struct sl_graph *copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *graph;
    copy->only_edges = true;
    copy->original = graph;
    copy->own_nodes = NULL;
    copy->own_edges = NULL;
    copy->edge_capacity = 0;
    copy->shares_lists = true; /* until this drops them */
    sl_graph_drop_lists(copy);
    copy->node_names = copy->object_names = (struct sl_names){0};
    copy->lane_names = copy->layer_names = (struct sl_names){0};
    if (share_names(copy, graph))
        return copy;
    sl_graph_free(copy);
    return NULL;
}

struct sl_node sl_node_default(void)
{
    return (struct sl_node){
        .kind = SL_COMPUTE,
        .klass = SL_NONE,
        .scale = 1.0,
        .steps_mean = 1.0,
        .object = {SL_NONE},
        .from = SL_NONE,
        .to = SL_NONE,
        .ahead = SL_NONE,
        .staging_until = {SL_NONE},
        .lane = SL_NONE,
        .layer = SL_NONE,
        .deadline_ps = INT64_MAX,
        .fallback = {SL_NONE},
        .first = {SL_NONE},
        .confidence = (double)NAN,
    };
}

struct sl_object sl_object_default(void)
{
    return (struct sl_object){
        .home = SL_NONE,
        .alias_of = {SL_NONE},
        .alias_home = SL_NONE,
        .initial = SL_NONE,
        .reconstruct = {SL_NONE},
    };
}

static enum sl_status out_of_memory(struct sl_error *err, const char *what)
{
    return SL_FAIL(err, SL_SYSTEM, "out of memory for the graph's %s", what);
}

/* Arrays of another graph must not grow. */
static enum sl_status not_own(struct sl_error *err, const char *what)
{
    return SL_FAIL(err, SL_USAGE, "a copy for edges takes no %s", what);
}

/* Makes room for one more element of an array. */
static bool room(void **items, uint32_t *capacity, uint32_t count, size_t size)
{
    return count < MAX_ITEMS && sl_grow(items, capacity, count + 1, size);
}

#define ROOM(graph, array, field)                                                                  \
    room((void **)&(graph)->array, &(graph)->field##_capacity, (graph)->field##_count,             \
         sizeof *(graph)->array)

/* A name that is there already; `first` is the place of the thing that has it. */
static enum sl_status not_new(struct sl_error *err, const char *what, const char *name,
                              struct sl_place place, struct sl_place first)
{
    if (first.file)
        return SL_FAIL_AT(err, SL_INVALID, place, "%s '%s' is already defined at %s:%d", what, name,
                          first.file, first.line);
    return SL_FAIL_AT(err, SL_INVALID, place, "%s '%s' is already defined", what, name);
}

bool sl_graph_reserve_nodes(struct sl_graph *graph, uint32_t count)
{
    return count <= graph->node_count || own_nodes(graph, count - graph->node_count);
}

bool sl_graph_reserve_edges(struct sl_graph *graph, uint32_t count)
{
    return count <= graph->edge_count || own_edges(graph, count - graph->edge_count);
}

struct sl_node *sl_graph_edit_node(struct sl_graph *graph, uint32_t node, struct sl_error *err)
{
    enum sl_status status = graph->only_edges      ? not_own(err, "changed nodes")
                            : !own_nodes(graph, 0) ? out_of_memory(err, "nodes")
                                                   : SL_OK;
    return status == SL_OK ? &graph->own_nodes[node] : NULL;
}

enum sl_status sl_graph_edit_edges(struct sl_graph *graph, struct sl_error *err)
{
    if (!own_edges(graph, 0))
        return out_of_memory(err, "edges");
    graph->finished = false;
    return SL_OK;
}

enum sl_status sl_graph_add_node(struct sl_graph *graph, const struct sl_node *node, sl_node_id *id,
                                 struct sl_error *err)
{
    if (graph->only_edges)
        return not_own(err, "nodes");
    if (!own_nodes(graph, 1))
        return out_of_memory(err, "nodes");
    uint32_t index = sl_names_add(&graph->node_names, node->name);
    if (index == SL_NONE)
        return out_of_memory(err, "names");
    if (index < graph->node_count)
        return not_new(err, "node", node->name, node->place, graph->nodes[index].place);
    struct sl_node *added = &graph->own_nodes[graph->node_count];
    *added = *node;
    added->name = graph->node_names.names[graph->node_count];
    if (!added->key || added->key == node->name)
        added->key = added->name;
    added->key_hash = sl_hash_text(added->key);
    if (id)
        id->i = graph->node_count;
    graph->node_count++;
    graph->finished = false;
    return SL_OK;
}

enum sl_status sl_graph_add_edge(struct sl_graph *graph, const struct sl_edge *edge,
                                 struct sl_error *err)
{
    if (edge->from.i >= graph->node_count || edge->to.i >= graph->node_count)
        return SL_FAIL_AT(err, SL_INVALID, edge->place, "an edge ends at a node that is not there");
    if (edge->from.i == edge->to.i && edge->next == 0)
        return SL_FAIL_AT(err, SL_INVALID, edge->place, "node '%s' cannot wait for itself",
                          graph->nodes[edge->from.i].name);
    if (edge->lag_ps < 0)
        return SL_FAIL_AT(err, SL_INVALID, edge->place, "a lag cannot be negative");
    if (!own_edges(graph, 1))
        return out_of_memory(err, "edges");
    graph->own_edges[graph->edge_count++] = *edge;
    graph->finished = false;
    return SL_OK;
}

enum sl_status sl_graph_add_object(struct sl_graph *graph, const struct sl_object *object,
                                   sl_object_id *id, struct sl_error *err)
{
    if (graph->only_edges)
        return not_own(err, "objects");
    if (!ROOM(graph, objects, object))
        return out_of_memory(err, "objects");
    uint32_t index = sl_names_add(&graph->object_names, object->name);
    if (index == SL_NONE)
        return out_of_memory(err, "names");
    if (index < graph->object_count)
        return not_new(err, "object", object->name, object->place, graph->objects[index].place);
    struct sl_object *added = &graph->objects[graph->object_count];
    *added = *object;
    added->name = graph->object_names.names[graph->object_count];
    if (id)
        id->i = graph->object_count;
    graph->object_count++;
    return SL_OK;
}

enum sl_status sl_graph_add_holding(struct sl_graph *graph, const struct sl_holding *holding,
                                    uint32_t *index, struct sl_error *err)
{
    if (holding->bytes < 0)
        return SL_FAIL(err, SL_INVALID, "a holding of negative size");
    if (graph->only_edges)
        return not_own(err, "holdings");
    if (!ROOM(graph, holdings, holding))
        return out_of_memory(err, "holdings");
    graph->holdings[graph->holding_count] = *holding;
    if (index)
        *index = graph->holding_count;
    graph->holding_count++;
    return SL_OK;
}

/* Appends one element of `size` bytes to a span of a pool.  A span that does not end the pool is
 * first copied there, so that spans never overlap. */
static bool push(void **pool, uint32_t *capacity, uint32_t *count, struct sl_span *span,
                 const void *element, size_t size)
{
    bool at_end = span->first + span->count == *count && span->count > 0;
    uint32_t moved = at_end ? 0 : span->count;
    if (*count > MAX_ITEMS - span->count - 1 || !sl_grow(pool, capacity, *count + moved + 1, size))
        return false;
    char *bytes = *pool;
    if (!at_end) {
        if (moved > 0)
            memcpy(bytes + (size_t)*count * size, bytes + (size_t)span->first * size,
                   (size_t)moved * size);
        span->first = *count;
        *count += moved;
    }
    memcpy(bytes + (size_t)*count * size, element, size);
    ++*count;
    ++span->count;
    return true;
}

#define PUSH(graph, array, field, span, element)                                                   \
    ((graph)->only_edges ? not_own(err, #field)                                                    \
     : push((void **)&(graph)->array, &(graph)->field##_capacity, &(graph)->field##_count, (span), \
            &(element), sizeof(element))                                                           \
         ? SL_OK                                                                                   \
         : out_of_memory(err, #field))

enum sl_status sl_graph_push_demand(struct sl_graph *graph, struct sl_span *span,
                                    struct sl_demand demand, struct sl_error *err)
{
    return PUSH(graph, demands, demand, span, demand);
}

enum sl_status sl_graph_push_amount(struct sl_graph *graph, struct sl_span *span,
                                    struct sl_amount amount, struct sl_error *err)
{
    return PUSH(graph, amounts, amount, span, amount);
}

enum sl_status sl_graph_push_guard(struct sl_graph *graph, struct sl_span *span,
                                   struct sl_guard_term term, struct sl_error *err)
{
    return PUSH(graph, guard_terms, guard_term, span, term);
}

enum sl_status sl_graph_push_object(struct sl_graph *graph, struct sl_span *span,
                                    sl_object_id object, struct sl_error *err)
{
    return PUSH(graph, objects_pool, objects_pool, span, object);
}

enum sl_status sl_graph_push_domain(struct sl_graph *graph, struct sl_span *span, uint32_t domain,
                                    struct sl_error *err)
{
    return PUSH(graph, domains_pool, domains_pool, span, domain);
}

enum sl_status sl_graph_push_holding(struct sl_graph *graph, struct sl_span *span, uint32_t holding,
                                     struct sl_error *err)
{
    return PUSH(graph, holdings_pool, holdings_pool, span, holding);
}

enum sl_status sl_graph_node_holding(struct sl_graph *graph, uint32_t node,
                                     enum sl_holding_list list, uint32_t holding,
                                     struct sl_error *err)
{
    struct sl_node *edited = sl_graph_edit_node(graph, node, err);
    if (!edited)
        return SL_SYSTEM;
    struct sl_span *span = list == SL_TAKES   ? &edited->takes
                           : list == SL_GIVES ? &edited->gives
                                              : &edited->uses;
    return sl_graph_push_holding(graph, span, holding, err);
}

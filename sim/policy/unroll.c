/* See unroll.h. */
#include "unroll.h"
#include <stdlib.h>
#include <string.h>

#define MAX_EDGES (64u << 20)

struct unrolling {
    struct sl_graph *graph;
    uint32_t iterations;
    uint32_t nodes, edges, holdings; /* of one iteration */
    const struct sl_carry *carry;
    const struct sl_later_uses *later;
    uint32_t *holding, *before; /* per holding of the plan: its index in this iteration, and in the
                                 * one before */
    struct sl_error *err;
};

static enum sl_status out_of_memory(struct unrolling *u)
{
    return SL_FAIL(u->err, SL_SYSTEM, "out of memory for %u iterations", u->iterations);
}

/* NAME@2 to NAME@N are what the nodes of later iterations are called, and their keys. */
static bool taken(const char *text, uint32_t iterations)
{
    const char *at = strrchr(text, '@');
    if (!at || at[1] < '1' || at[1] > '9' || at[1 + strspn(at + 1, "0123456789")] != '\0')
        return false;
    unsigned long k = strtoul(at + 1, NULL, 10);
    return k >= 2 && k <= iterations;
}

static enum sl_status check_names(struct unrolling *u)
{
    for (uint32_t n = 0; n < u->nodes; n++) {
        const struct sl_node *node = &u->graph->nodes[n];
        if (!node->derived && (taken(node->name, u->iterations) || taken(node->key, u->iterations)))
            return SL_FAIL_AT(
                u->err, SL_NO, node->place,
                "node '%s', key '%s': names and keys that end in @2 to @%u are those of "
                "later iterations",
                node->name, node->key, u->iterations);
    }
    return SL_OK;
}

static enum sl_status check_size(struct unrolling *u)
{
    uint64_t edges = (uint64_t)u->edges * u->iterations;
    if ((uint64_t)u->nodes * u->iterations > SL_MAX_UNROLLED || edges > MAX_EDGES)
        return SL_FAIL(u->err, SL_NO,
                       "%u iterations of a plan of %u nodes and %u edges are more than %u nodes or "
                       "%u edges in all: run fewer iterations",
                       u->iterations, u->nodes, u->edges, SL_MAX_UNROLLED, MAX_EDGES);
    return SL_OK;
}

/* Every iteration has copies of its own, but for what the one before left. */
static enum sl_status add_holdings(struct unrolling *u)
{
    for (uint32_t h = 0; h < u->holdings; h++)
        u->before[h] = u->holding[h];
    for (uint32_t h = 0; h < u->holdings; h++) {
        uint32_t from = u->carry->from[h];
        if (from != SL_NONE) {
            u->holding[h] = u->before[from];
            continue;
        }
        struct sl_holding own = u->graph->holdings[h];
        enum sl_status status = sl_graph_add_holding(u->graph, &own, &u->holding[h], u->err);
        if (status)
            return status;
    }
    return SL_OK;
}

static enum sl_status move_holdings(struct unrolling *u, struct sl_span *span)
{
    struct sl_span moved = {0};
    for (uint32_t k = 0; k < span->count; k++) {
        uint32_t h = u->graph->holdings_pool[span->first + k];
        enum sl_status status = sl_graph_push_holding(u->graph, &moved, u->holding[h], u->err);
        if (status)
            return status;
    }
    *span = moved;
    return SL_OK;
}

static sl_node_id moved(const struct unrolling *u, sl_node_id node, uint32_t iteration)
{
    return (sl_node_id){node.i == SL_NONE ? SL_NONE : node.i + iteration * u->nodes};
}

static enum sl_status add_node(struct unrolling *u, uint32_t index, uint32_t iteration)
{
    struct sl_node node = u->graph->nodes[index];
    struct sl_arena *arena = &u->graph->arena;
    bool own_key = strcmp(node.key, node.name) != 0;
    node.name = sl_arena_printf(arena, "%s@%u", node.name, iteration + 1);
    node.key = own_key ? sl_arena_printf(arena, "%s@%u", node.key, iteration + 1) : NULL;
    if (!node.name || (own_key && !node.key))
        return out_of_memory(u);
    node.first.i = index;
    node.iteration = iteration;
    node.fallback = moved(u, node.fallback, iteration);
    node.staging_until = moved(u, node.staging_until, iteration);
    enum sl_status status = move_holdings(u, &node.takes);
    if (status == SL_OK)
        status = move_holdings(u, &node.gives);
    if (status == SL_OK)
        status = move_holdings(u, &node.uses);
    return status == SL_OK ? sl_graph_add_node(u->graph, &node, NULL, u->err) : status;
}

/* The edge's copy that ends in the iteration. */
static enum sl_status add_edge(struct unrolling *u, uint32_t index, uint32_t iteration)
{
    struct sl_edge edge = u->graph->edges[index];
    if (edge.next > iteration)
        return SL_OK;
    edge.from = moved(u, edge.from, iteration - edge.next);
    edge.to = moved(u, edge.to, iteration);
    edge.next = 0;
    return sl_graph_add_edge(u->graph, &edge, u->err);
}

/* Reclamations wait for uses of later iterations. */
static enum sl_status add_later_uses(struct unrolling *u)
{
    enum sl_status status = SL_OK;
    for (uint32_t k = 0; k < u->later->count; k++) {
        struct sl_later_use use = u->later->items[k];
        struct sl_edge edge = {.type = SL_EDGE_LIFETIME};
        edge.object = u->graph->nodes[use.reclamation].object;
        for (uint32_t i = use.next; i < u->iterations && status == SL_OK; i++) {
            edge.from = moved(u, (sl_node_id){use.user}, i);
            edge.to = moved(u, (sl_node_id){use.reclamation}, i - use.next);
            status = sl_graph_add_edge(u->graph, &edge, u->err);
        }
    }
    return status;
}

/* Edges of scope `next` go: there are none into the first iterations. */
static enum sl_status drop_next(struct sl_graph *graph, struct sl_error *err)
{
    enum sl_status status = sl_graph_edit_edges(graph, err);
    if (status != SL_OK)
        return status;
    uint32_t kept = 0;
    for (uint32_t e = 0; e < graph->edge_count; e++)
        if (graph->edges[e].next == 0)
            graph->own_edges[kept++] = graph->edges[e];
    graph->edge_count = kept;
    return SL_OK;
}

static enum sl_status add_iterations(struct unrolling *u)
{
    enum sl_status status = SL_OK;
    for (uint32_t h = 0; h < u->holdings; h++)
        u->holding[h] = h;
    for (uint32_t i = 1; i < u->iterations && status == SL_OK; i++) {
        status = add_holdings(u);
        for (uint32_t n = 0; n < u->nodes && status == SL_OK; n++)
            status = add_node(u, n, i);
        for (uint32_t e = 0; e < u->edges && status == SL_OK; e++)
            status = add_edge(u, e, i);
    }
    if (status == SL_OK)
        status = add_later_uses(u);
    if (status == SL_OK)
        status = drop_next(u->graph, u->err);
    return status;
}

enum sl_status sl_plan_unroll(struct sl_plan *plan, uint32_t iterations, struct sl_error *err)
{
    struct sl_carry carry = {0};
    struct sl_later_uses later = {0};
    struct sl_editor editor = {.graph = plan->graph, .plan = plan, .err = err};
    size_t holdings = (size_t)plan->graph->holding_count + 1;
    struct unrolling u = {.graph = plan->graph,
                          .iterations = iterations,
                          .nodes = plan->graph->node_count,
                          .holdings = plan->graph->holding_count,
                          .carry = &carry,
                          .later = &later,
                          .holding = malloc(holdings * sizeof *u.holding),
                          .before = malloc(holdings * sizeof *u.before),
                          .err = err};
    enum sl_status status = u.holding && u.before ? SL_OK : out_of_memory(&u);
    if (status == SL_OK)
        status = check_names(&u);
    if (status == SL_OK)
        status = sl_carry_find(&carry, plan->graph, err);
    if (status == SL_OK)
        status = sl_carry_order(&editor, &carry);
    if (status == SL_OK)
        status = sl_later_uses_find(&later, &editor, &carry);
    u.nodes = plan->graph->node_count;
    u.edges = plan->graph->edge_count;
    if (status == SL_OK)
        status = check_size(&u);
    if (status == SL_OK)
        status = add_iterations(&u);
    if (status == SL_OK)
        status = sl_graph_finish(plan->graph, err);
    sl_carry_free(&carry);
    sl_pairs_free(&editor.pairs);
    free(later.items);
    free(u.holding);
    free(u.before);
    return status;
}

/* Gathers the uses of every object's copies from nodes, aliases, barriers and lifetime-hold edges.
 */
#include "proof_uses.h"
#include <stdlib.h>

struct gathering {
    struct proof_uses *uses;
    const struct sl_graph *graph;
    uint64_t *keys;    /* object and domain of each place, ascending */
    uint32_t *used_by; /* per place: the last node found to use it */
    uint32_t node;     /* whose uses are being gathered */
    bool failed;
};

static uint64_t place_key(uint32_t object, uint32_t domain)
{
    return (uint64_t)object << 32 | domain;
}

struct keyed_holding {
    uint64_t key;
    uint32_t holding;
};

static int compare_keyed(const void *a, const void *b)
{
    const struct keyed_holding *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->holding > y->holding) - (x->holding < y->holding);
}

/* Groups the holdings of objects by place. */
static bool find_places(struct gathering *g)
{
    const struct sl_graph *graph = g->graph;
    struct proof_uses *uses = g->uses;
    size_t most = (size_t)graph->holding_count + 1;
    struct keyed_holding *keyed = sl_arena_array(&uses->arena, most, sizeof *keyed);
    g->keys = sl_arena_array(&uses->arena, most, sizeof *g->keys);
    uses->place_first = sl_arena_array(&uses->arena, most + 1, sizeof(uint32_t));
    uses->holdings = sl_arena_array(&uses->arena, most, sizeof(uint32_t));
    g->used_by = sl_arena_array(&uses->arena, most, sizeof(uint32_t));
    if (!keyed || !g->keys || !g->used_by || !uses->place_first || !uses->holdings)
        return false;
    uint32_t count = 0;
    for (uint32_t h = 0; h < graph->holding_count; h++) {
        const struct sl_holding *holding = &graph->holdings[h];
        if (holding->kind == SL_HOLD_OBJECT && holding->object.i < graph->object_count)
            keyed[count++] = (struct keyed_holding){
                place_key(sl_object_root(graph, holding->object).i, holding->domain), h};
    }
    qsort(keyed, count, sizeof *keyed, compare_keyed);
    for (uint32_t k = 0; k < count; k++) {
        if (k == 0 || keyed[k].key != keyed[k - 1].key) {
            g->keys[uses->place_count] = keyed[k].key;
            g->used_by[uses->place_count] = SL_NONE;
            uses->place_first[uses->place_count++] = k;
        }
        uses->holdings[k] = keyed[k].holding;
    }
    uses->place_first[uses->place_count] = count;
    return true;
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint32_t find_place(const struct gathering *g, uint32_t root, uint32_t domain)
{
    uint64_t key = place_key(root, domain);
    const uint64_t *at =
        bsearch(&key, g->keys, g->uses->place_count, sizeof *g->keys, compare_keys);
    return at ? (uint32_t)(at - g->keys) : SL_NONE;
}

static uint32_t iteration_of(const struct gathering *g, uint32_t node)
{
    return g->graph->nodes[node].iteration;
}

static void add_use(struct gathering *g, sl_object_id object, uint32_t domain,
                    enum sl_reclaim_term term, uint32_t since, uint32_t until)
{
    struct proof_uses *uses = g->uses;
    uint32_t root = sl_object_root(g->graph, object).i;
    uint32_t place =
        find_place(g, root, domain != SL_NONE ? domain : sl_object_home(g->graph, root));
    if (place == SL_NONE)
        return;
    if (uses->use_count == UINT32_MAX || !sl_grow((void **)&uses->uses, &uses->use_capacity,
                                                  uses->use_count + 1, sizeof *uses->uses)) {
        g->failed = true;
        return;
    }
    uint32_t iteration = iteration_of(g, since == SL_NONE ? g->node : since);
    uses->uses[uses->use_count++] =
        (struct proof_use){g->node, place, since, until, iteration, term};
    if (until == SL_NONE)
        g->used_by[place] = g->node;
}

static void add_list(struct gathering *g, struct sl_span list)
{
    for (uint32_t k = 0; k < list.count; k++) {
        sl_object_id object = g->graph->objects_pool[list.first + k];
        enum sl_reclaim_term term = SL_TERM_READER;
        if (g->graph->nodes[g->node].kind == SL_BARRIER)
            term = SL_TERM_BARRIER;
        else if (g->graph->objects[object.i].alias_of.i != SL_NONE)
            term = SL_TERM_ALIAS;
        add_use(g, object, SL_NONE, term, SL_NONE, SL_NONE);
    }
}

static bool reclaims(const struct sl_node *node)
{
    return node->kind == SL_RECLAMATION && node->object.i != SL_NONE;
}

/* True when the node was found to use the copy at home, or in the domain. */
static bool uses_it(const struct gathering *g, sl_object_id object, uint32_t domain)
{
    uint32_t root = sl_object_root(g->graph, object).i;
    uint32_t place =
        find_place(g, root, domain != SL_NONE ? domain : sl_object_home(g->graph, root));
    return place != SL_NONE && g->used_by[place] == g->node;
}

/* An edge into the node: a lifetime-hold that names an object keeps its copy from the producer's
 * finish to the consumer's; an edge from an earlier iteration that names it does so for the copy of
 * that iteration, and a data edge among these reads it. */
static void add_hold(struct gathering *g, const struct sl_edge *edge)
{
    bool later = iteration_of(g, edge->from.i) < iteration_of(g, g->node);
    bool reads = later && edge->type == SL_EDGE_DATA;
    if (edge->object.i == SL_NONE || (edge->type != SL_EDGE_LIFETIME && !reads))
        return;
    if (later || !uses_it(g, edge->object, SL_NONE))
        add_use(g, edge->object, SL_NONE, reads ? SL_TERM_READER : SL_TERM_BARRIER, edge->from.i,
                SL_NONE);
}

/* Holds by edges; one into a reclamation protects the copy until its producer has finished. */
static void add_holds(struct gathering *g)
{
    const struct sl_graph *graph = g->graph;
    for (uint32_t e = graph->succ_start[g->node]; e < graph->succ_start[g->node + 1]; e++) {
        const struct sl_edge *edge = &graph->edges[graph->succ_edges[e]];
        const struct sl_node *to = &graph->nodes[edge->to.i];
        if (edge->type == SL_EDGE_LIFETIME && edge->next == 0 && reclaims(to) &&
            to->iteration == iteration_of(g, g->node) && !uses_it(g, to->object, to->from))
            add_use(g, to->object, to->from, SL_TERM_BARRIER, SL_NONE, edge->to.i);
    }
    if (reclaims(&graph->nodes[g->node]))
        return;
    for (uint32_t e = graph->pred_start[g->node]; e < graph->pred_start[g->node + 1]; e++)
        if (graph->edges[graph->pred_edges[e]].next == 0)
            add_hold(g, &graph->edges[graph->pred_edges[e]]);
}

static void gather_node(struct gathering *g)
{
    const struct sl_graph *graph = g->graph;
    const struct sl_node *node = &graph->nodes[g->node];
    add_list(g, node->inputs);
    add_list(g, node->outputs);
    if (node->object.i != SL_NONE && sl_node_moves(node->kind)) {
        add_use(g, node->object, node->from, SL_TERM_TRANSFER, SL_NONE, SL_NONE);
        add_use(g, node->object, node->to, SL_TERM_TRANSFER, SL_NONE, SL_NONE);
    } else if (node->object.i != SL_NONE && node->kind == SL_BARRIER) {
        add_use(g, node->object, SL_NONE, SL_TERM_BARRIER, SL_NONE, SL_NONE);
    }
    add_holds(g);
}

/* Inverts the nodes' lists of holdings (`gives`, else `takes`): nodes by holding, ascending. */
static bool invert(struct gathering *g, bool gives, uint32_t **first, uint32_t **nodes)
{
    const struct sl_graph *graph = g->graph;
    size_t total = 0;
    for (uint32_t i = 0; i < graph->node_count; i++)
        total += gives ? graph->nodes[i].gives.count : graph->nodes[i].takes.count;
    /* Counts are kept two places ahead, so that filling leaves each list's start in its place. */
    *first = sl_arena_array(&g->uses->arena, (size_t)graph->holding_count + 3, sizeof **first);
    *nodes = sl_arena_array(&g->uses->arena, total + 1, sizeof **nodes);
    if (!*first || !*nodes || total >= UINT32_MAX)
        return false;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < graph->node_count; i++) {
            struct sl_span list = gives ? graph->nodes[i].gives : graph->nodes[i].takes;
            for (uint32_t k = 0; k < list.count; k++) {
                uint32_t h = graph->holdings_pool[list.first + k];
                if (pass == 0)
                    (*first)[h + 2]++;
                else
                    (*nodes)[(*first)[h + 1]++] = i;
            }
        }
        for (uint32_t h = 2; pass == 0 && h < graph->holding_count + 3; h++)
            (*first)[h] += (*first)[h - 1];
    }
    return true;
}

bool sl_proof_uses_gather(struct proof_uses *uses, const struct sl_graph *graph)
{
    struct gathering g = {.uses = uses, .graph = graph};
    size_t nodes = (size_t)graph->node_count + 2;
    uses->position = sl_arena_array(&uses->arena, nodes, sizeof(uint32_t));
    uses->use_first = sl_arena_array(&uses->arena, nodes, sizeof(uint32_t));
    if (!uses->position || !uses->use_first || !find_places(&g) ||
        !invert(&g, false, &uses->taker_first, &uses->takers) ||
        !invert(&g, true, &uses->giver_first, &uses->givers))
        return false;
    for (uint32_t t = 0; t < graph->node_count; t++)
        uses->position[graph->topo[t]] = t;
    for (g.node = 0; g.node < graph->node_count && !g.failed; g.node++) {
        uses->use_first[g.node] = uses->use_count;
        gather_node(&g);
    }
    uses->use_first[graph->node_count] = uses->use_count;
    return !g.failed;
}

void sl_proof_uses_free(struct proof_uses *uses)
{
    free(uses->uses);
    sl_arena_free(&uses->arena);
    *uses = (struct proof_uses){0};
}

/* Graphs made from graphs. */
#include <config.h>

#include "morph.h"
#include "policy.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

static void *room_for(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    ck_assert_ptr_nonnull(memory);
    return memory;
}

static void *copy_of(const void *from, uint32_t count, size_t size)
{
    void *memory = room_for(count, size);
    if (count)
        memcpy(memory, from, count * size);
    return memory;
}

#define COPY(items, item)                                                                          \
    do {                                                                                           \
        to->items = copy_of(from->items, from->item##_count, sizeof *from->items);                 \
        to->item##_count = from->item##_count;                                                     \
        to->item##_capacity = from->item##_count + 1;                                              \
    } while (0)

/* Everything but nodes and edges: ranges in the pools stay what they are. */
static void copy_pools(struct sl_graph *to, const struct sl_graph *from)
{
    COPY(objects, object);
    COPY(holdings, holding);
    COPY(guards, guard);
    COPY(factors, factor);
    COPY(overlaps, overlap);
    COPY(demands, demand);
    COPY(amounts, amount);
    COPY(guard_terms, guard_term);
    COPY(objects_pool, objects_pool);
    COPY(domains_pool, domains_pool);
    COPY(holdings_pool, holdings_pool);
}

static void copy_names(struct sl_names *to, const struct sl_names *from)
{
    for (uint32_t k = 0; k < from->count; k++)
        ck_assert_uint_eq(sl_names_add(to, from->names[k]), k);
}

static const char *renamed(struct sl_graph *graph, const char *name, const char *suffix)
{
    char text[256];
    int size = snprintf(text, sizeof text, "%s%s", name, suffix ? suffix : "");
    ck_assert(size > 0 && (size_t)size < sizeof text);
    return sl_arena_strdup(&graph->arena, text);
}

static void map_id(sl_node_id *id, const uint32_t *place)
{
    if (id->i != SL_NONE)
        id->i = place[id->i];
}

static void add_node(struct sl_graph *to, const struct sl_node *from, const uint32_t *place,
                     const char *suffix)
{
    struct sl_error err = {0};
    struct sl_node node = *from;
    sl_node_id id;
    node.name = renamed(to, from->name, suffix);
    node.key = renamed(to, from->key, NULL);
    map_id(&node.staging_until, place);
    map_id(&node.fallback, place);
    map_id(&node.first, place);
    ck_assert_msg(sl_graph_add_node(to, &node, &id, &err) == SL_OK, "%s", err.message);
}

static void add_edge(struct sl_graph *to, const struct sl_edge *from, const uint32_t *place)
{
    struct sl_error err = {0};
    struct sl_edge edge = *from;
    map_id(&edge.from, place);
    map_id(&edge.to, place);
    ck_assert_msg(sl_graph_add_edge(to, &edge, &err) == SL_OK, "%s", err.message);
}

static void shuffle(uint32_t *items, uint32_t count, struct dice *dice)
{
    for (uint32_t k = count; k > 1; k--) {
        uint32_t other = dice_below(dice, k), item = items[k - 1];
        items[k - 1] = items[other];
        items[other] = item;
    }
}

static uint32_t *ascending(uint32_t count)
{
    uint32_t *items = room_for(count, sizeof *items);
    for (uint32_t k = 0; k < count; k++)
        items[k] = k;
    return items;
}

/* Rows of overlap.csv name nodes, or classes, which keep their names. */
static void rename_overlaps(struct sl_graph *to, const struct sl_graph *from, const char *suffix)
{
    for (uint32_t o = 0; o < to->overlap_count && suffix; o++) {
        const char **names[] = {&to->overlaps[o].a, &to->overlaps[o].b};
        for (int k = 0; k < 2; k++)
            if (sl_names_find(&from->node_names, *names[k]) != SL_NONE)
                *names[k] = renamed(to, *names[k], suffix);
    }
}

struct sl_graph *morph_rebuild(const struct sl_graph *graph, const uint32_t *order,
                               const char *suffix, struct dice *dice)
{
    struct sl_graph *to = sl_graph_create(graph->platform);
    ck_assert_ptr_nonnull(to);
    to->one = graph->one;
    copy_pools(to, graph);
    copy_names(&to->object_names, &graph->object_names);
    copy_names(&to->lane_names, &graph->lane_names);
    copy_names(&to->layer_names, &graph->layer_names);
    uint32_t *place = room_for(graph->node_count, sizeof *place);
    for (uint32_t k = 0; k < graph->node_count; k++)
        place[order ? order[k] : k] = k;
    for (uint32_t k = 0; k < graph->node_count; k++)
        add_node(to, &graph->nodes[order ? order[k] : k], place, suffix);
    for (uint32_t o = 0; o < to->object_count; o++)
        map_id(&to->objects[o].reconstruct, place);
    uint32_t *rows = ascending(graph->edge_count);
    if (dice)
        shuffle(rows, graph->edge_count, dice);
    for (uint32_t e = 0; e < graph->edge_count; e++)
        add_edge(to, &graph->edges[rows[e]], place);
    rename_overlaps(to, graph, suffix);
    free(rows);
    free(place);
    return to;
}

void morph_finish(struct sl_graph *graph)
{
    struct sl_error err = {0};
    ck_assert_msg(sl_graph_finish(graph, &err) == SL_OK, "%s", err.message);
}

/* ---- orders ---------------------------------------------------------------------------------- */

bool morph_is_issued(const struct sl_graph *graph, const struct sl_engine_options *options,
                     uint32_t node)
{
    struct sl_span demands = graph->nodes[node].demands;
    if (!demands.count)
        return false;
    uint32_t r = graph->demands[demands.first].resource;
    enum sl_order order =
        options->dispatch_given ? options->dispatch : graph->platform->resources[r].order;
    return order == SL_ORDER_ISSUE;
}

static bool must_follow(const struct sl_graph *g, const struct sl_engine_options *options,
                        uint32_t later, uint32_t earlier)
{
    uint32_t lane = g->nodes[later].lane;
    return g->nodes[later].iteration > g->nodes[earlier].iteration ||
           (lane != SL_NONE && lane == g->nodes[earlier].lane) ||
           (morph_is_issued(g, options, later) && morph_is_issued(g, options, earlier));
}

/* Of the nodes that nobody left must precede, any one comes next. */
void morph_order(const struct sl_graph *graph, const struct sl_engine_options *options,
                 struct dice *dice, uint32_t *order)
{
    uint32_t n = graph->node_count, *waiting = ascending(n);
    bool *placed = room_for(n, sizeof *placed);
    for (uint32_t at = 0; at < n;) {
        uint32_t i = waiting[dice_below(dice, n)];
        bool free_to_go = !placed[i];
        for (uint32_t j = 0; j < i && free_to_go; j++)
            free_to_go = placed[j] || !must_follow(graph, options, i, j);
        if (!free_to_go)
            continue;
        placed[i] = true;
        order[at++] = i;
    }
    free(waiting);
    free(placed);
}

/* ---- times ----------------------------------------------------------------------------------- */

static struct sl_node *edit(struct sl_graph *graph, uint32_t i)
{
    struct sl_node *node = sl_graph_edit_node(graph, i, NULL);
    ck_assert_ptr_nonnull(node);
    return node;
}

static struct sl_edge *edit_edges(struct sl_graph *graph)
{
    ck_assert_int_eq(sl_graph_edit_edges(graph, NULL), SL_OK);
    return graph->own_edges;
}

void morph_freeze(struct sl_graph *graph, const struct sl_trial *trial)
{
    const struct sl_dist *one;
    struct sl_error err = {0};
    struct sl_place nowhere = {0};
    ck_assert_int_eq(sl_dist_parse(&one, "1ps", SL_DIST_TIME, ".", nowhere, &graph->arena, &err),
                     SL_OK);
    graph->factor_count = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        struct sl_node *node = edit(graph, i);
        if (!node->dist)
            continue;
        bool ran = trial->state[i] == SL_RAN;
        node->dist = one;
        node->times = NULL;
        node->scale = (double)trial->duration_ps[i];
        node->latency_scale = ran ? (double)(trial->finish_ps[i] - trial->free_ps[i]) : 0;
    }
}

void morph_scale(struct sl_graph *graph, int factor)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        struct sl_node *node = edit(graph, i);
        node->scale *= factor;
        node->latency_scale *= factor;
        node->release_ps *= factor;
        if (node->deadline_ps != INT64_MAX)
            node->deadline_ps *= factor;
    }
    struct sl_edge *edges = edit_edges(graph);
    for (uint32_t e = 0; e < graph->edge_count; e++)
        edges[e].lag_ps *= factor;
    for (uint32_t o = 0; o < graph->overlap_count; o++) {
        graph->overlaps[o].earliest_ps *= factor;
        if (graph->overlaps[o].latest_ps != INT64_MAX)
            graph->overlaps[o].latest_ps *= factor;
    }
}

void morph_jitter(struct sl_graph *graph, struct dice *dice)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        struct sl_node *node = edit(graph, i);
        if (node->dist)
            node->scale += 1 + dice_below(dice, 1000000);
        node->release_ps += 1 + dice_below(dice, 1000000);
        if (node->deadline_ps != INT64_MAX)
            node->deadline_ps += 1 + dice_below(dice, 1000000);
    }
    struct sl_edge *edges = edit_edges(graph);
    for (uint32_t e = 0; e < graph->edge_count; e++)
        edges[e].lag_ps += 1 + dice_below(dice, 1000000);
}

/* ---- nodes more ------------------------------------------------------------------------------ */

struct sl_graph *morph_split(const struct sl_graph *graph, uint32_t node, int64_t first_ps)
{
    uint32_t n = graph->node_count, *order = ascending(n + 1);
    /* The copy comes last at first, then to its place. */
    struct sl_graph *whole = morph_rebuild(graph, NULL, NULL, NULL);
    struct sl_error err = {0};
    struct sl_node second = whole->nodes[node];
    sl_node_id id;
    second.name = second.key = renamed(whole, second.name, "(second)");
    second.key_hash = sl_hash_text(second.key);
    second.scale -= (double)first_ps;
    second.release_ps = 0;
    second.takes.count = 0;
    ck_assert_int_eq(sl_graph_add_node(whole, &second, &id, &err), SL_OK);
    struct sl_node *first = edit(whole, node);
    first->scale = (double)first_ps;
    first->latency_scale = 0;
    first->gives.count = 0;
    struct sl_edge *edges = edit_edges(whole);
    for (uint32_t e = 0; e < whole->edge_count; e++)
        if (edges[e].from.i == node)
            edges[e].from = id;
    struct sl_edge between = {.from = {node}, .to = id, .object = {SL_NONE}};
    ck_assert_int_eq(sl_graph_add_edge(whole, &between, &err), SL_OK);
    for (uint32_t k = n; k > node + 1; k--)
        order[k] = k - 1;
    order[node + 1] = n;
    struct sl_graph *split = morph_rebuild(whole, order, NULL, NULL);
    sl_graph_free(whole);
    free(order);
    return split;
}

uint32_t morph_add_idle(struct sl_graph *graph, uint32_t from, enum sl_edge_type type)
{
    char name[32];
    struct sl_error err = {0};
    struct sl_node node = sl_node_default();
    sl_node_id id;
    snprintf(name, sizeof name, "idle(%u)", graph->node_count);
    node.name = node.key = sl_arena_strdup(&graph->arena, name);
    node.key_hash = sl_hash_text(name);
    ck_assert_int_eq(sl_graph_add_node(graph, &node, &id, &err), SL_OK);
    struct sl_edge edge = {.from = {from}, .to = id, .type = type, .object = {SL_NONE}};
    if (from != SL_NONE)
        ck_assert_int_eq(sl_graph_add_edge(graph, &edge, &err), SL_OK);
    return id.i;
}

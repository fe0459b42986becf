/* Hops over pipelined routes become a node per chunk, when all else is planned.
 *
 *     hop         a --> a/2 --> a/3         each chunk follows the one before it
 *                 |      |       |          on its way: chunk i of the next hop follows chunk i of
 * this next hop    b --> b/2 --> b/3         one, if both have chunks of one size
 *
 * The first chunk keeps the hop's name, takes its bytes and waits for what the hop waits for; the
 * last one gives bytes back and is what others wait for.  So a copy is held from its first chunk
 * on, and until its last.  All chunks of a hop have one draw, as the hop would have.  Only the last
 * one has the route's latency; the others hand it on as the lag of the edge to the next hop. */
#include "attempt.h"
#include <stdlib.h>

struct split {
    struct sl_attempt *a;
    uint32_t *last;  /* per node that was there: its last chunk, or itself */
    uint32_t *joins; /* ... the hop that follows it chunk by chunk; SL_NONE */
    uint32_t nodes;  /* that were there */
    uint32_t added;
};

/* Part of a hop's node: its share of the bytes. */
static enum sl_status fill_chunk(struct split *s, uint32_t hop, uint32_t chunk, uint32_t chunks,
                                 const struct sl_route *route, struct sl_node *node)
{
    struct sl_attempt *a = s->a;
    int64_t bytes = a->graph->objects[node->object.i].bytes;
    int64_t own = chunk + 1 < chunks ? route->chunk : bytes - (int64_t)chunk * route->chunk;
    node->scale = sl_route_hold(a->facts->platform, route, own);
    if (chunk + 1 < chunks)
        node->latency_scale = 0.0;
    if (chunk == 0)
        return SL_OK;
    node->takes = node->staging = (struct sl_span){0, 0};
    node->name = sl_editor_text(&a->editor, "%s/%u", a->graph->nodes[hop].name, chunk + 1);
    return node->name ? SL_OK : SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan's chunks");
}

static enum sl_status split_hop(struct split *s, uint32_t hop, const struct sl_route *route,
                                uint32_t chunks)
{
    struct sl_attempt *a = s->a;
    struct sl_node whole = a->graph->nodes[hop];
    uint32_t before = hop;
    /* Other nodes have it too: as the hop's name it would not outlive a change of names. */
    whole.key = sl_editor_text(&a->editor, "%s", whole.key);
    if (!whole.key)
        return SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan's chunks");
    s->added += chunks;
    if (s->added > SL_MOST_CHUNKS)
        return SL_FAIL_AT(a->err, SL_NO, route->place,
                          "pipelined routes split moves into more than %d chunks (raise the chunk "
                          "of this route)",
                          SL_MOST_CHUNKS);
    struct sl_node *first = sl_graph_edit_node(a->graph, hop, a->err);
    enum sl_status status = first ? fill_chunk(s, hop, 0, chunks, route, first) : SL_SYSTEM;
    if (status == SL_OK)
        first->gives = (struct sl_span){0, 0};
    for (uint32_t c = 1; c < chunks && status == SL_OK; c++) {
        struct sl_node node = whole;
        uint32_t index = before;
        status = fill_chunk(s, hop, c, chunks, route, &node);
        if (status == SL_OK && c + 1 < chunks)
            node.gives = (struct sl_span){0, 0};
        if (status == SL_OK)
            status = sl_editor_node(&a->editor, &node, &index);
        if (status == SL_OK)
            status = sl_sequence_insert(a, index, before, a->slot[hop]);
        if (status == SL_OK)
            status =
                sl_editor_edge(&a->editor, before, index, SL_EDGE_ORDERING, whole.object.i, NULL);
        before = index;
    }
    s->last[hop] = before;
    return status;
}

static enum sl_status split_way(struct split *s, uint32_t object, const struct sl_way *way,
                                uint32_t first)
{
    const struct sl_facts *facts = s->a->facts;
    enum sl_status status = SL_OK;
    for (uint32_t h = 0; h < way->hops && status == SL_OK; h++) {
        const struct sl_route *route = &facts->platform->routes[way->routes[h]];
        if (route->pipeline && facts->graph->objects[object].size)
            return SL_FAIL_AT(s->a->err, SL_NO, route->place,
                              "the chunks of this pipelined route are planned, and the size of "
                              "'%s' varies by job: leave pipeline out",
                              facts->graph->objects[object].name);
        uint32_t chunks = sl_hop_chunks(facts, object, way, h);
        if (chunks > 1)
            status = split_hop(s, first + h, route, chunks);
        if (chunks > 1 && sl_hop_overlap(facts, object, way, h, 1.0, 1.0) > 0.0)
            s->joins[first + h] = first + h + 1;
    }
    return status;
}

/* Edges leave from the last chunks; between two hops in step, chunk by chunk. */
static enum sl_status move_edges(struct split *s)
{
    struct sl_attempt *a = s->a;
    struct sl_graph *graph = a->graph;
    uint32_t count = graph->edge_count;
    enum sl_status status = sl_graph_edit_edges(graph, a->err);
    for (uint32_t e = 0; e < count && status == SL_OK; e++) {
        uint32_t from = graph->edges[e].from.i, to = graph->edges[e].to.i;
        if (from >= s->nodes || s->last[from] == from || to >= s->nodes)
            continue;
        if (s->joins[from] != to || graph->edges[e].type != SL_EDGE_DATA) {
            graph->own_edges[e].from.i = s->last[from];
            continue;
        }
        const struct sl_route *route =
            sl_platform_route(a->facts->platform, graph->nodes[from].from, graph->nodes[from].to);
        graph->own_edges[e].lag_ps = route->latency_ps;
        for (uint32_t x = from, y = to; x != s->last[from] && status == SL_OK;) {
            x = a->next[x];
            y = a->next[y];
            status = sl_editor_lagged_edge(&a->editor, x, y, SL_EDGE_DATA, graph->nodes[x].object.i,
                                           x == s->last[from] ? 0 : route->latency_ps);
        }
    }
    return status;
}

static bool any_pipeline(const struct sl_platform *platform)
{
    for (uint32_t r = 0; r < platform->route_count; r++)
        if (platform->routes[r].pipeline)
            return true;
    return false;
}

enum sl_status sl_chunks_split(struct sl_attempt *a)
{
    if (a->move_count == 0 || !any_pipeline(a->facts->platform))
        return SL_OK;
    size_t nodes = a->graph->node_count;
    struct split s = {.a = a,
                      .last = malloc((nodes + 1) * sizeof *s.last),
                      .joins = malloc((nodes + 1) * sizeof *s.joins),
                      .nodes = a->graph->node_count};
    enum sl_status status = SL_OK;
    if (!s.last || !s.joins)
        status = SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan's chunks");
    for (uint32_t n = 0; n < nodes && status == SL_OK; n++) {
        s.last[n] = n;
        s.joins[n] = SL_NONE;
    }
    for (uint32_t m = 0; m < a->move_count && status == SL_OK; m++) {
        const struct sl_move *move = &a->moves[m];
        if (move->out)
            status = split_way(&s, move->object, move->out, move->offload + 1 - move->out->hops);
        if (status == SL_OK)
            status = split_way(&s, move->object, move->back, move->first);
    }
    if (status == SL_OK)
        status = move_edges(&s);
    free(s.last);
    free(s.joins);
    return status;
}

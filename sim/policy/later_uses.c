/* Uses of an iteration's copy by later iterations: an edge of scope `next`, of type data-ready or
 * lifetime-hold, that names an object keeps the object's last copy at home until its consumer,
 * iterations later, has finished.
 *
 * The copy is then given back by a node of its own, behind whoever gave it back before, which also
 * waits for those consumers. */
#include "unroll.h"
#include <stdlib.h>

static bool keeps(const struct sl_edge *edge)
{
    return edge->next > 0 && edge->object.i != SL_NONE &&
           (edge->type == SL_EDGE_DATA || edge->type == SL_EDGE_LIFETIME);
}

/* The copy that the edge keeps; SL_NONE: there is none at home, or it stays anyway. */
static uint32_t kept_copy(const struct sl_graph *graph, const struct sl_carry *carry,
                          const struct sl_edge *edge)
{
    uint32_t object = sl_object_root(graph, edge->object).i;
    uint32_t home = sl_object_home(graph, object);
    if (home == SL_NONE)
        return SL_NONE;
    size_t place = (size_t)object * graph->platform->domain_names.count + home;
    return carry->shared[place] ? SL_NONE : carry->last[place];
}

bool sl_givers_list(struct sl_givers *givers, const struct sl_graph *graph)
{
    size_t count = 1;
    for (uint32_t n = 0; n < graph->node_count; n++)
        count += graph->nodes[n].gives.count;
    givers->head = calloc((size_t)graph->holding_count + 1, sizeof *givers->head);
    givers->next = malloc(count * sizeof *givers->next);
    givers->node = malloc(count * sizeof *givers->node);
    if (!givers->head || !givers->next || !givers->node)
        return false;
    uint32_t at = 1;
    for (uint32_t n = 0; n < graph->node_count; n++)
        for (uint32_t k = 0; k < graph->nodes[n].gives.count; k++, at++) {
            uint32_t *head = &givers->head[graph->holdings_pool[graph->nodes[n].gives.first + k]];
            givers->next[at] = *head;
            givers->node[at] = n;
            *head = at;
        }
    return true;
}

void sl_givers_free(struct sl_givers *givers)
{
    free(givers->head);
    free(givers->next);
    free(givers->node);
}

/* The node gives the holding back no more. */
static enum sl_status take_back(struct sl_editor *editor, uint32_t node, uint32_t holding)
{
    struct sl_graph *graph = editor->graph;
    struct sl_node *giver = sl_graph_edit_node(graph, node, editor->err);
    if (!giver)
        return editor->err->status;
    struct sl_span old = giver->gives, rest = {0};
    enum sl_status status = SL_OK;
    for (uint32_t k = 0; k < old.count && status == SL_OK; k++) {
        uint32_t other = graph->holdings_pool[old.first + k];
        if (other != holding)
            status = sl_graph_push_holding(graph, &rest, other, editor->err);
    }
    giver->gives = rest;
    return status;
}

enum sl_status sl_givers_follow(const struct sl_givers *givers, struct sl_editor *editor,
                                uint32_t holding, uint32_t *index)
{
    struct sl_graph *graph = editor->graph;
    const struct sl_holding *copy = &graph->holdings[holding];
    uint32_t object = copy->object.i;
    const char *domain = graph->platform->domain_names.names[copy->domain];
    struct sl_node node = sl_node_default();
    node.kind = SL_RECLAMATION;
    node.object.i = object;
    node.from = copy->domain;
    node.name = sl_editor_text(editor, "reclaim-later:%s@%s", graph->objects[object].name, domain);
    if (!node.name)
        return SL_FAIL(editor->err, SL_SYSTEM, "out of memory for iterations");
    enum sl_status status = sl_graph_push_holding(graph, &node.gives, holding, editor->err);
    if (status == SL_OK)
        status = sl_editor_node(editor, &node, index);
    for (uint32_t at = givers->head[holding]; at && status == SL_OK; at = givers->next[at]) {
        status = take_back(editor, givers->node[at], holding);
        if (status == SL_OK)
            status = sl_editor_lagged_edge(editor, givers->node[at], *index, SL_EDGE_LIFETIME,
                                           object, 0);
    }
    if (status == SL_OK)
        status = sl_editor_note(editor, SL_EDIT_ADD_NODE, *index, object,
                                "another iteration uses this copy", "reclaim %s in %s",
                                graph->objects[object].name, domain);
    return status;
}

enum sl_status sl_later_uses_find(struct sl_later_uses *uses, struct sl_editor *editor,
                                  const struct sl_carry *carry)
{
    struct sl_graph *graph = editor->graph;
    uint32_t edges = graph->edge_count, holdings = graph->holding_count;
    uint32_t *reclaimer = malloc(((size_t)holdings + 1) * sizeof *reclaimer);
    struct sl_givers givers = {0};
    enum sl_status status = SL_OK;
    if (!reclaimer || !sl_givers_list(&givers, graph))
        status = SL_FAIL(editor->err, SL_SYSTEM, "out of memory for iterations");
    for (uint32_t h = 0; h < holdings && reclaimer; h++)
        reclaimer[h] = SL_NONE;
    for (uint32_t e = 0; e < edges && status == SL_OK; e++) {
        struct sl_edge edge = graph->edges[e];
        uint32_t copy = keeps(&edge) ? kept_copy(graph, carry, &edge) : SL_NONE;
        if (copy == SL_NONE)
            continue;
        if (reclaimer[copy] == SL_NONE)
            status = sl_givers_follow(&givers, editor, copy, &reclaimer[copy]);
        if (status == SL_OK &&
            !sl_grow((void **)&uses->items, &uses->capacity, uses->count + 1, sizeof *uses->items))
            status = SL_FAIL(editor->err, SL_SYSTEM, "out of memory for iterations");
        if (status == SL_OK)
            uses->items[uses->count++] =
                (struct sl_later_use){edge.to.i, reclaimer[copy], edge.next};
    }
    free(reclaimer);
    sl_givers_free(&givers);
    return status;
}

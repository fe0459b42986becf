/* Legality of what may be left out: guards and fallbacks. */
#include <config.h>

#include "legality_copies.h"
#include <stdlib.h>

struct sl_literal sl_node_literal(const struct sl_legality *l, uint32_t node)
{
    const struct sl_node *nodes = l->graph->nodes;
    uint32_t primary = l->primary[node];
    if (nodes[node].guard != SL_NONE)
        return (struct sl_literal){node, nodes[node].guard_negated};
    if (primary != SL_NONE && nodes[primary].guard != SL_NONE &&
        nodes[primary].deadline_ps == INT64_MAX)
        return (struct sl_literal){primary, !nodes[primary].guard_negated};
    return (struct sl_literal){SL_NONE, false};
}

bool sl_same_draw(const struct sl_graph *graph, struct sl_literal a, struct sl_literal b)
{
    if (a.node == SL_NONE || b.node == SL_NONE)
        return false;
    const struct sl_node *x = &graph->nodes[a.node], *y = &graph->nodes[b.node];
    if (x->guard != y->guard)
        return false;
    switch (graph->guards[x->guard].scope) {
    case SL_SCOPE_NODE:
        return x->key_hash == y->key_hash;
    case SL_SCOPE_LAYER:
        return x->layer == y->layer;
    case SL_SCOPE_ITERATION:
    case SL_SCOPE_JOB:
        break;
    }
    return true;
}

/* True when `other` is the fallback of `node`, or that one's, and so on. */
static bool is_fallback_of(const struct sl_graph *graph, uint32_t other, uint32_t node)
{
    uint32_t at = graph->nodes[node].fallback.i;
    for (uint32_t hops = 0; at != SL_NONE && hops < graph->node_count; hops++) {
        if (at == other)
            return true;
        at = graph->nodes[at].fallback.i;
    }
    return false;
}

bool sl_nodes_exclude(const struct sl_legality *l, uint32_t a, uint32_t b)
{
    struct sl_literal x = sl_node_literal(l, a), y = sl_node_literal(l, b);
    return (sl_same_draw(l->graph, x, y) && x.negated != y.negated) ||
           is_fallback_of(l->graph, a, b) || is_fallback_of(l->graph, b, a);
}

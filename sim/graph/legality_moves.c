/* Legality of written-out prefetches and offloads: each is tied to a consumer, a deadline (or order
 * to that consumer) and a window.  What policies insert is theirs to tie. */
#include <config.h>

#include "legality_copies.h"

/* Who needs the copy that a move makes. */
struct consumer {
    uint32_t touch;     /* the first read after the move; SL_NONE */
    uint32_t unordered; /* else: a read that the user left without order to the move; SL_NONE */
    bool elsewhere;     /* another iteration, or what comes after the graph */
};

static bool is_move(const struct sl_legality *l, const struct sl_touch *t, enum sl_node_kind kind)
{
    const struct sl_node *node = &l->graph->nodes[t->node];
    return t->kind == SL_TOUCH_WRITE && node->kind == kind && node->from != SL_NONE &&
           node->to != SL_NONE && node->from != node->to;
}

/* True when a `next` edge leads from the move to a node that reads the copy. */
static bool is_read_next(struct sl_legality *l, uint32_t first, uint32_t end, uint32_t move)
{
    const struct sl_graph *graph = l->graph;
    for (uint32_t k = graph->succ_start[move]; k < graph->succ_start[move + 1]; k++) {
        const struct sl_edge *edge = &graph->edges[graph->succ_edges[k]];
        if (edge->next == 0)
            continue;
        sl_charge(l, end - first);
        for (uint32_t i = first; i < end && l->budget > 0; i++)
            if (l->touches[i].kind == SL_TOUCH_READ && l->touches[i].node == edge->to.i)
                return true;
    }
    return false;
}

/* A read without order to the move but for the one that rows give them. */
static uint32_t find_unordered(struct sl_legality *l, uint32_t first, uint32_t end, uint32_t move)
{
    const struct sl_touch *t = l->touches;
    uint32_t found = SL_NONE;
    l->reach->loose = t[first].object;
    l->reach->loose_node = move;
    sl_reach_spread(l, move, SL_BEFORE, l->position[t[first].node], l->position[t[end - 1].node]);
    for (uint32_t i = first; i < end && l->position[t[i].node] < l->position[move]; i++)
        if (t[i].kind == SL_TOUCH_READ && !(l->reach->marks[t[i].node] & SL_BEFORE) &&
            !sl_nodes_exclude(l, t[i].node, move))
            found = i;
    sl_reach_clear(l);
    l->reach->loose = l->reach->loose_node = SL_NONE;
    return found;
}

/* The consumer of the move at touch `at` of the group [first, end). */
static struct consumer find_consumer(struct sl_legality *l, uint32_t first, uint32_t end,
                                     uint32_t at)
{
    const struct sl_touch *t = l->touches;
    const struct sl_object *root = &l->graph->objects[t[at].object];
    uint32_t move = t[at].node;
    uint32_t lasting =
        root->initial != SL_NONE ? root->initial : sl_object_home(l->graph, t[at].object);
    struct consumer consumer = {SL_NONE, SL_NONE, false};
    for (uint32_t i = at + 1; i < end; i++) {
        if (t[i].kind == SL_TOUCH_READ && !sl_nodes_exclude(l, t[i].node, move)) {
            consumer.touch = i;
            return consumer;
        }
        if (t[i].kind == SL_TOUCH_RECLAIM && sl_node_condition(l, t[i].node).node == SL_NONE)
            break;
    }
    consumer.elsewhere =
        (root->persist && (l->graph->nodes[move].kind == SL_OFFLOAD || t[at].domain == lasting)) ||
        is_read_next(l, first, end, move);
    if (!consumer.elsewhere)
        consumer.unordered = find_unordered(l, first, end, move);
    return consumer;
}

/* Calls `judge` for each prefetch and each offload with its consumer. */
static void for_moves(struct sl_legality *l,
                      void (*judge)(struct sl_legality *l, uint32_t at, struct consumer consumer))
{
    for (uint32_t first = 0, end; first < l->touch_count; first = end) {
        end = sl_touches_end(l, first);
        for (uint32_t i = first; i < end && l->budget > 0; i++)
            if (is_move(l, &l->touches[i], SL_PREFETCH) || is_move(l, &l->touches[i], SL_OFFLOAD)) {
                sl_charge(l, end - first);
                judge(l, i, find_consumer(l, first, end, i));
            }
    }
}

static void judge_consumer(struct sl_legality *l, uint32_t at, struct consumer consumer)
{
    const struct sl_touch *t = &l->touches[at];
    const struct sl_node *node = &l->graph->nodes[t->node];
    bool prefetches = node->kind == SL_PREFETCH;
    char copy[600];
    if (consumer.touch != SL_NONE || consumer.elsewhere ||
        (prefetches && consumer.unordered != SL_NONE))
        return;
    sl_report_node(l, t->node, "%s '%s' puts %s, where no node reads it afterwards",
                   prefetches ? "prefetch" : "offload", node->name,
                   sl_copy_text(l, t, copy, sizeof copy));
    sl_report_also_object(l, t->object);
    if (prefetches)
        sl_diags_suggest(l->diags, "drop '%s', or let it come before the node that reads '%s'",
                         node->name, l->graph->objects[t->object].name);
    else
        sl_diags_suggest(l->diags,
                         "drop '%s', bring '%s' back by a prefetch, or state persist for it",
                         node->name, l->graph->objects[t->object].name);
}

void sl_check_move_consumer(struct sl_legality *l)
{
    for_moves(l, judge_consumer);
}

static void judge_deadline(struct sl_legality *l, uint32_t at, struct consumer consumer)
{
    const struct sl_touch *t = &l->touches[at];
    const struct sl_node *node = &l->graph->nodes[t->node];
    if (node->kind != SL_PREFETCH || consumer.touch != SL_NONE || consumer.unordered == SL_NONE ||
        node->deadline_ps != INT64_MAX)
        return;
    uint32_t reader = l->touches[consumer.unordered].node;
    char copy[600];
    sl_report_node(l, t->node,
                   "prefetch '%s' of %s is not ordered before '%s', which reads it, and has no "
                   "deadline",
                   node->name, sl_copy_text(l, t, copy, sizeof copy), l->graph->nodes[reader].name);
    sl_report_also_node(l, reader);
    sl_report_also_object(l, t->object);
    sl_diags_suggest(l->diags, "add an edge of type data-ready from '%s' to '%s'", node->name,
                     l->graph->nodes[reader].name);
}

void sl_check_move_deadline(struct sl_legality *l)
{
    for_moves(l, judge_deadline);
}

/* An offload relieves nothing when the graph itself says where copies at its source end, and none
 * ends before the object returns.  (Where it does not say so, planning ends them in time.) */
static void judge_relief(struct sl_legality *l, uint32_t offload, uint32_t back)
{
    const struct sl_touch *t = l->touches;
    const struct sl_graph *graph = l->graph;
    uint32_t source = graph->nodes[t[offload].node].from, first, end;
    if (graph->nodes[t[back].node].to != source)
        return;
    sl_touches_find(l, t[offload].object, source, &first, &end);
    if (!sl_touches_have(l, first, end, SL_TOUCH_RECLAIM))
        return;
    for (uint32_t i = first; i < end; i++)
        if (t[i].kind == SL_TOUCH_RECLAIM &&
            l->position[t[i].node] > l->position[t[offload].node] &&
            l->position[t[i].node] < l->position[t[back].node])
            return;
    const char *out = graph->nodes[t[offload].node].name, *in = graph->nodes[t[back].node].name;
    sl_report_node(l, t[offload].node,
                   "offload '%s' relieves nothing: the copy of '%s' in '%s' is not given back "
                   "before '%s' brings it again",
                   out, graph->objects[t[offload].object].name, sl_domain_name(l, source), in);
    sl_report_also_node(l, t[back].node);
    sl_report_also_object(l, t[offload].object);
    sl_diags_suggest(l->diags,
                     "add a reclamation of '%s' between '%s' and '%s', or drop both moves",
                     graph->objects[t[offload].object].name, out, in);
}

static uint32_t first_resource(const struct sl_graph *graph, uint32_t node)
{
    struct sl_span demands = graph->nodes[node].demands;
    return demands.count > 0 ? graph->demands[demands.first].resource : SL_NONE;
}

/* The k-th node that the consumer waits for beside prefetches, its lane's last; SL_NONE: that one
 * does not count. */
static uint32_t other_input(const struct sl_legality *l, uint32_t consumer, uint32_t k)
{
    const struct sl_graph *order = l->order;
    uint32_t at = order->pred_start[consumer] + k, other = l->lane_previous[consumer];
    if (at < order->pred_start[consumer + 1]) {
        const struct sl_edge *edge = &order->edges[order->pred_edges[at]];
        other = edge->next > 0 ? SL_NONE : edge->from.i;
    }
    return other == SL_NONE || order->nodes[other].kind == SL_PREFETCH ? SL_NONE : other;
}

/* True when everything else that the consumer waits for is done before the prefetch starts. */
static bool comes_last(struct sl_legality *l, uint32_t prefetch, uint32_t consumer)
{
    uint32_t count = l->order->pred_start[consumer + 1] - l->order->pred_start[consumer];
    uint32_t high = l->position[prefetch], low = high;
    for (uint32_t k = 0; k <= count; k++) {
        uint32_t other = other_input(l, consumer, k);
        if (other == SL_NONE)
            continue;
        if (l->position[other] > high)
            return false;
        low = l->position[other] < low ? l->position[other] : low;
    }
    if (low == high)
        return false; /* it waits for nothing else: there is nothing to hide behind */
    sl_reach_spread(l, prefetch, SL_BEFORE, low, high);
    bool last = true;
    for (uint32_t k = 0; k <= count && last; k++) {
        uint32_t other = other_input(l, consumer, k);
        last = other == SL_NONE || (l->reach->marks[other] & SL_BEFORE);
    }
    sl_reach_clear(l);
    return last;
}

/* True when some node on the resource may run while the prefetch does. */
static bool has_company(struct sl_legality *l, uint32_t prefetch, uint32_t resource)
{
    const struct sl_graph *graph = l->graph;
    bool company = false;
    sl_reach_spread(l, prefetch, SL_BEFORE, 0, graph->node_count);
    sl_reach_spread(l, prefetch, SL_AFTER, 0, graph->node_count);
    for (uint32_t i = 0; i < graph->node_count && !company; i++)
        company = i != prefetch && l->reach->marks[i] == 0 && first_resource(graph, i) == resource;
    sl_charge(l, graph->node_count);
    sl_reach_clear(l);
    return company || l->budget == 0;
}

static void judge_exposure(struct sl_legality *l, uint32_t at, uint32_t consumer)
{
    uint32_t move = l->touches[at].node, reader = l->touches[consumer].node;
    const struct sl_graph *graph = l->graph;
    if (!comes_last(l, move, reader) || has_company(l, move, first_resource(graph, reader)))
        return;
    sl_report_node(l, move,
                   "prefetch '%s' has no window: it starts only when all else that '%s' waits for "
                   "is done",
                   graph->nodes[move].name, graph->nodes[reader].name);
    sl_report_also_node(l, reader);
    sl_report_also_object(l, l->touches[at].object);
    sl_diags_suggest(l->diags, "let '%s' start earlier, beside what runs before '%s'",
                     graph->nodes[move].name, graph->nodes[reader].name);
}

static void judge_window(struct sl_legality *l, uint32_t at, struct consumer consumer)
{
    if (consumer.touch == SL_NONE)
        return;
    if (l->graph->nodes[l->touches[at].node].kind == SL_PREFETCH)
        judge_exposure(l, at, consumer.touch);
    else if (sl_node_moves(l->graph->nodes[l->touches[consumer.touch].node].kind))
        judge_relief(l, at, consumer.touch);
}

void sl_check_move_window(struct sl_legality *l)
{
    for_moves(l, judge_window);
}

/* From the times of a schedule to a plan with priorities, edges and releases. */
#include "order_insert.h"
#include "editor.h"
#include "order_flow.h"
#include "units.h"
#include "windows.h"

struct insertion {
    struct sl_editor editor;
    const struct sl_order_times *times;
    struct sl_order_model model;
    struct sl_order_flow flow;
    struct sl_error *err;
};

/* The schedule's own durations, and which nodes ran in it. */
static void durations_of(struct sl_order_durations *durations, const struct sl_graph *graph,
                         const struct sl_order_times *times)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        bool ran = times->start_ps[i] >= 0 && times->finish_ps[i] >= 0;
        durations->roles[i] = ran ? SL_WINDOW_RUNS : SL_WINDOW_PASSES;
        durations->hold_ps[i] = ran ? times->free_ps[i] - times->start_ps[i] : 0;
        durations->latency_ps[i] = ran ? times->finish_ps[i] - times->free_ps[i] : 0;
    }
}

static enum sl_status find_flow(struct insertion *x, const struct sl_graph *graph)
{
    struct sl_order_durations durations = {0};
    enum sl_status status = sl_order_durations_make(&durations, graph, x->err);
    if (status == SL_OK) {
        durations_of(&durations, graph, x->times);
        status = sl_order_model_make(&x->model, graph, &durations, false, x->err);
    }
    if (status == SL_OK)
        status = sl_order_flow_find(&x->flow, &x->model, x->times->start_ps, x->err);
    sl_order_durations_free(&durations);
    return status;
}

static enum sl_status set_priorities(struct insertion *x)
{
    struct sl_graph *graph = x->editor.graph;
    for (uint32_t k = 0; k < x->flow.sequence_count; k++) {
        struct sl_node *node = sl_graph_edit_node(graph, x->flow.sequence[k], x->err);
        if (!node)
            return x->err->status;
        node->priority = (double)(x->flow.sequence_count - k);
    }
    x->editor.plan->engine.dispatch_given = true;
    x->editor.plan->engine.dispatch = SL_ORDER_PRIORITY;
    return sl_editor_note(
        &x->editor, SL_EDIT_SET_PRIORITY, SL_NONE, SL_NONE, "order: as a schedule starts them",
        "priorities of %u nodes, which wait by them everywhere", x->flow.sequence_count);
}

/* "a starts after b on gpu", "... with bytes of hbm that b gives back". */
static const char *reason_of(struct insertion *x, const struct sl_order_pair *pair)
{
    const struct sl_platform *platform = x->editor.graph->platform;
    const char *from = x->editor.graph->nodes[pair->from].name;
    for (uint32_t r = 0; r < platform->resource_names.count; r++)
        if (x->model.stock_of_resource[r] == pair->stock)
            return sl_editor_text(&x->editor, "order: takes over units of %s from %s",
                                  platform->resource_names.names[r], from);
    for (uint32_t d = 0; d < platform->domain_names.count; d++)
        if (x->model.stock_of_domain[d] == pair->stock)
            return sl_editor_text(&x->editor, "order: takes bytes of %s that %s gives back",
                                  platform->domain_names.names[d], from);
    return NULL;
}

/* Units of an engine that serves one node at a time in issue order need no edge. */
static bool is_served_in_turn(const struct insertion *x, const struct sl_order_pair *pair)
{
    const struct sl_graph *graph = x->editor.graph;
    const struct sl_platform *platform = graph->platform;
    const uint32_t ends[] = {pair->from, pair->to};
    bool in_turn = !x->editor.plan->engine.dispatch_given;
    for (int k = 0; k < 2 && in_turn; k++) {
        const struct sl_span *demands = &graph->nodes[ends[k]].demands;
        uint32_t r = demands->count > 0 ? graph->demands[demands->first].resource : SL_NONE;
        in_turn = r != SL_NONE && x->model.stock_of_resource[r] == pair->stock &&
                  platform->resources[r].order == SL_ORDER_ISSUE &&
                  platform->resources[r].servers == 1;
    }
    return in_turn;
}

static enum sl_status add_edges(struct insertion *x)
{
    const struct sl_graph *graph = x->editor.graph;
    enum sl_status status = SL_OK;
    for (uint32_t k = 0; k < x->flow.pair_count && status == SL_OK; k++) {
        const struct sl_order_pair *pair = &x->flow.pairs[k];
        if (is_served_in_turn(x, pair))
            continue;
        const char *reason = reason_of(x, pair);
        bool added;
        if (!reason)
            return SL_FAIL(x->err, SL_SYSTEM, "out of memory for an order");
        status =
            sl_editor_edge(&x->editor, pair->from, pair->to, SL_EDGE_ORDERING, SL_NONE, &added);
        if (status == SL_OK && added)
            status = sl_editor_note(&x->editor, SL_EDIT_ADD_EDGE, pair->to, SL_NONE, reason,
                                    "ordering edge from %s to %s", graph->nodes[pair->from].name,
                                    graph->nodes[pair->to].name);
    }
    return status;
}

/* When its predecessors in the schedule let each node start, those by added edges among them. */
static void find_ready(const struct insertion *x, bool edges, int64_t *ready_ps)
{
    const struct sl_order_model *m = &x->model;
    const int64_t *finish = x->times->finish_ps;
    for (uint32_t i = 0; i < m->node_count; i++)
        ready_ps[i] = m->release_ps[i];
    for (uint32_t i = 0; i < m->node_count; i++)
        for (uint32_t l = m->link_start[i]; l < m->link_start[i + 1]; l++) {
            int64_t at = finish[i] + m->links[l].lag_ps;
            if (at > ready_ps[m->links[l].node])
                ready_ps[m->links[l].node] = at;
        }
    for (uint32_t k = 0; edges && k < x->flow.pair_count; k++) {
        const struct sl_order_pair *pair = &x->flow.pairs[k];
        if (finish[pair->from] > ready_ps[pair->to])
            ready_ps[pair->to] = finish[pair->from];
    }
}

static enum sl_status set_releases(struct insertion *x, unsigned what)
{
    struct sl_graph *graph = x->editor.graph;
    int64_t *ready = sl_arena_array(&x->flow.arena, (size_t)graph->node_count + 1, sizeof *ready);
    enum sl_status status =
        ready ? SL_OK : SL_FAIL(x->err, SL_SYSTEM, "out of memory for an order");
    if (status == SL_OK)
        find_ready(x, what & SL_ORDER_EDGES, ready);
    for (uint32_t k = 0; k < x->flow.sequence_count && status == SL_OK; k++) {
        uint32_t i = x->flow.sequence[k];
        int64_t start = x->times->start_ps[i];
        char text[32];
        if (start <= graph->nodes[i].release_ps || (!(what & SL_ORDER_CLOCK) && start <= ready[i]))
            continue;
        struct sl_node *node = sl_graph_edit_node(graph, i, x->err);
        if (!node)
            return x->err->status;
        node->release_ps = start;
        status = sl_editor_note(&x->editor, SL_EDIT_SET_RELEASE, i, SL_NONE,
                                start > ready[i] ? "order: delayed beyond its readiness"
                                                 : "order: as the schedule starts it",
                                "release %s at %s", graph->nodes[i].name,
                                sl_format_time(text, sizeof text, (double)start));
    }
    return status;
}

enum sl_status sl_order_insert(struct sl_plan *ordered, const struct sl_plan *plan,
                               const struct sl_order_times *times, unsigned what,
                               struct sl_error *err)
{
    struct insertion x = {.times = times, .err = err};
    *ordered = *plan;
    ordered->edit_capacity = ordered->edit_count; /* the list grows into the copy's arena */
    ordered->graph = sl_graph_copy(plan->graph);
    enum sl_status status =
        ordered->graph ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory for an order");
    if (status == SL_OK) {
        sl_editor_open(&x.editor, ordered->graph, ordered, err);
        status = find_flow(&x, plan->graph);
    }
    if (status == SL_OK && (what & SL_ORDER_PRIORITIES))
        status = set_priorities(&x);
    if (status == SL_OK && (what & SL_ORDER_EDGES))
        status = add_edges(&x);
    if (status == SL_OK && (what & (SL_ORDER_DELAYS | SL_ORDER_CLOCK)))
        status = set_releases(&x, what);
    if (status == SL_OK)
        status = sl_graph_finish(ordered->graph, err);
    sl_order_flow_free(&x.flow);
    sl_order_model_free(&x.model);
    sl_editor_close(&x.editor);
    if (status != SL_OK)
        sl_plan_free(ordered);
    return status;
}

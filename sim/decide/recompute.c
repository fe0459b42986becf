/* Applying a runtime's answer to a plan. */
#include <config.h>

#include "mean_run.h"
#include "peak_bound.h"
#include "recompute.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>

static enum sl_status no_memory(struct sl_error *err)
{
    return SL_FAIL(err, SL_SYSTEM, "out of memory for a recomputed plan");
}

/* ---- the machine ------------------------------------------------------------------------------
 */

static enum sl_status limit_machine(struct sl_recomputed *r, const struct sl_reply *reply,
                                    struct sl_error *err)
{
    struct sl_platform *platform = &r->platform;
    uint32_t resources = platform->resource_names.count, domains = platform->domain_names.count;
    struct sl_resource *own =
        sl_arena_array(&r->arena, (size_t)resources + 1, sizeof *platform->resources);
    struct sl_domain *own_domains =
        sl_arena_array(&r->arena, (size_t)domains + 1, sizeof *platform->domains);
    if (!own || !own_domains)
        return no_memory(err);
    for (uint32_t k = 0; k < resources; k++)
        own[k] = platform->resources[k];
    for (uint32_t k = 0; k < domains; k++)
        own_domains[k] = platform->domains[k];
    platform->resources = own;
    platform->domains = own_domains;
    for (uint32_t k = 0; k < reply->limits.count; k++, r->limits++) {
        const struct sl_reply_limit *limit = &reply->limits.items[k];
        if (limit->servers > 0)
            own[limit->resource].servers = limit->servers;
        if (limit->capacity >= 0)
            own_domains[limit->domain].capacity = limit->capacity;
        if (limit->rounding > own_domains[limit->domain == SL_NONE ? 0 : limit->domain].rounding &&
            limit->domain != SL_NONE)
            own_domains[limit->domain].rounding = limit->rounding;
    }
    return SL_OK;
}

/* ---- edges ------------------------------------------------------------------------------------
 */

static enum sl_status add_edges(struct sl_recomputed *r, const struct sl_reply *reply,
                                struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (uint32_t k = 0; status == SL_OK && k < reply->edges.count; k++, r->edges++) {
        const struct sl_reply_edge *own = &reply->edges.items[k];
        struct sl_edge edge = {.from = {own->from},
                               .to = {own->to},
                               .lag_ps = own->lag_ps,
                               .object = {SL_NONE},
                               .type = own->type,
                               .evidence_text = own->reason,
                               .place = own->place};
        status = sl_graph_add_edge(r->plan.graph, &edge, err);
    }
    for (uint32_t q = 0; q < reply->queues.count; q++) {
        const struct sl_reply_queue *queue = &reply->queues.items[q];
        for (uint32_t k = 1; status == SL_OK && k < queue->count; k++, r->queue_edges++) {
            struct sl_edge edge = {.from = {queue->nodes[k - 1]},
                                   .to = {queue->nodes[k]},
                                   .object = {SL_NONE},
                                   .type = SL_EDGE_ORDERING,
                                   .evidence_text = queue->name,
                                   .place = queue->place};
            status = sl_graph_add_edge(r->plan.graph, &edge, err);
        }
    }
    return status;
}

/* ---- overheads --------------------------------------------------------------------------------
 */

static const struct sl_reply_overhead *overhead_of(const struct sl_reply *reply,
                                                   const struct sl_node *node, uint32_t index)
{
    const struct sl_reply_overhead *of_class = NULL, *of_kind = NULL;
    for (uint32_t k = 0; k < reply->overheads.count; k++) {
        const struct sl_reply_overhead *o = &reply->overheads.items[k];
        if (o->node == index)
            return o;
        if (o->klass != SL_NONE && o->klass == node->klass)
            of_class = o;
        if (o->kind == (int)node->kind)
            of_kind = o;
    }
    return of_class ? of_class : of_kind;
}

/* A time that is an expression of the job's parameters gets the mean, which varies as the node
 * does. */
static bool lengthen_by_mean(struct sl_recomputed *r, struct sl_node *node,
                             const struct sl_dist *overhead)
{
    double unit = node->scale * sl_dist_mean(node->dist);
    double more = sl_dist_mean(overhead) / unit;
    node->times = sl_expr_plus(node->times, more, &r->arena);
    node->times_mean += more;
    return node->times;
}

/* The factors of a node multiply the overhead too; the mean of its latency stays. */
static bool lengthen(struct sl_recomputed *r, struct sl_node *node, const struct sl_dist *overhead)
{
    const char *text;
    if (!node->dist || node->scale == 0) {
        node->dist = overhead;
        node->scale = 1;
        node->latency_scale = 0;
        node->times = NULL;
        return true;
    }
    if (node->times)
        return lengthen_by_mean(r, node, overhead);
    double before = sl_dist_mean(node->dist);
    text = sl_arena_printf(&r->arena, "%s and %s of overhead", sl_dist_text(node->dist),
                           sl_dist_text(overhead));
    const struct sl_dist *sum =
        text ? sl_dist_sum(node->dist, 1, overhead, 1 / node->scale, text, &r->arena) : NULL;
    if (!sum)
        return false;
    node->dist = sum;
    if (node->latency_scale > 0)
        node->latency_scale *= before / sl_dist_mean(sum);
    return true;
}

static enum sl_status add_overheads(struct sl_recomputed *r, const struct sl_reply *reply,
                                    struct sl_error *err)
{
    struct sl_graph *graph = r->plan.graph;
    for (uint32_t i = 0; i < graph->node_count && reply->overheads.count > 0; i++) {
        const struct sl_reply_overhead *overhead = overhead_of(reply, &graph->nodes[i], i);
        if (!overhead)
            continue;
        r->unknown += !overhead->dist;
        if (!overhead->dist)
            continue;
        struct sl_node *node = sl_graph_edit_node(graph, i, err);
        if (!node)
            return SL_SYSTEM;
        if (!lengthen(r, node, overhead->dist))
            return no_memory(err);
        r->overheads++;
        r->overhead_us += sl_dist_mean(overhead->dist) * node->steps_mean / SL_PS_PER_US;
    }
    if (r->unknown > 0)
        r->overhead_us = NAN;
    return SL_OK;
}

static enum sl_status keep_submitted(struct sl_recomputed *r, const struct sl_reply *reply,
                                     struct sl_error *err)
{
    for (uint32_t k = 0; k < reply->kept.count; k++, r->kept++) {
        struct sl_node *node = sl_graph_edit_node(r->plan.graph, reply->kept.items[k].node, err);
        if (!node)
            return SL_SYSTEM;
        node->deadline_ps = INT64_MAX;
    }
    return SL_OK;
}

/* ---- order ------------------------------------------------------------------------------------
 */

/* Sorts keys[0 .. count) and returns the pairs that were the other way round. */
static uint64_t count_inversions(int64_t *keys, int64_t *scratch, uint32_t count)
{
    if (count < 2)
        return 0;
    uint32_t half = count / 2, a = 0, b = half, to = 0;
    uint64_t found = count_inversions(keys, scratch, half) +
                     count_inversions(keys + half, scratch, count - half);
    while (a < half || b < count) {
        bool second = a == half || (b < count && keys[b] < keys[a]);
        found += second ? half - a : 0;
        scratch[to++] = second ? keys[b++] : keys[a++];
    }
    for (uint32_t k = 0; k < count; k++)
        keys[k] = scratch[k];
    return found;
}

static void compare_queue(struct sl_recomputed *r, const struct sl_mean_run *run,
                          const struct sl_reply_queue *queue, uint32_t number, int64_t *keys,
                          int64_t *scratch)
{
    uint32_t count = 0, last = SL_NONE;
    for (uint32_t k = 0; k < queue->count; k++) {
        uint32_t node = queue->nodes[k];
        if (run->state[node] != SL_RAN)
            continue;
        keys[count++] = run->start_ps[node];
        if (last != SL_NONE && run->start_ps[node] < run->start_ps[last] &&
            r->swap_count < SL_SWAPS_KEPT)
            r->swaps[r->swap_count++] = (struct sl_order_swap){number, last, node};
        last = node;
    }
    r->pairs += (uint64_t)count * (count > 0 ? count - 1 : 0) / 2;
    r->inversions += count_inversions(keys, scratch, count);
}

static enum sl_status compare_order(struct sl_recomputed *r, const struct sl_plan *plan,
                                    const struct sl_reply *reply, struct sl_error *err)
{
    struct sl_mean_run run = {0};
    int64_t *keys = malloc(2 * ((size_t)plan->graph->node_count + 1) * sizeof *keys);
    r->swaps = sl_arena_array(&r->arena, SL_SWAPS_KEPT, sizeof *r->swaps);
    enum sl_status status = keys && r->swaps ? SL_OK : no_memory(err);
    if (status == SL_OK && reply->queues.count > 0)
        status = sl_mean_run(&run, plan->graph, &plan->engine, err);
    for (uint32_t q = 0; status == SL_OK && q < reply->queues.count; q++)
        compare_queue(r, &run, &reply->queues.items[q], q, keys,
                      keys + plan->graph->node_count + 1);
    free(keys);
    sl_mean_run_free(&run);
    return status;
}

/* What the engine and the bounds of the bytes say of it. */
static enum sl_status check_plan(const struct sl_plan *plan, struct sl_error *err)
{
    struct sl_program *program = NULL;
    bool complete;
    enum sl_status status = sl_program_create(&program, plan->graph, &plan->engine, err);
    sl_program_free(program);
    return status == SL_OK ? sl_plan_peaks(plan->graph, &complete, err) : status;
}

enum sl_status sl_recompute(struct sl_recomputed *r, const struct sl_plan *plan,
                            const struct sl_reply *reply, struct sl_error *err)
{
    *r = (struct sl_recomputed){.platform = *plan->graph->platform};
    if (reply->feasible == SL_REPLY_NO)
        return SL_FAIL(err, SL_NO, "%s says that it cannot run the plan: %s", reply->runtime,
                       reply->why ? reply->why : "it gives no reason");
    r->plan.engine = plan->engine;
    r->plan.graph = sl_graph_copy(plan->graph);
    enum sl_status status = r->plan.graph ? limit_machine(r, reply, err) : no_memory(err);
    if (status == SL_OK) {
        r->plan.graph->platform = &r->platform;
        status = add_edges(r, reply, err);
    }
    if (status == SL_OK)
        status = add_overheads(r, reply, err);
    if (status == SL_OK)
        status = keep_submitted(r, reply, err);
    if (status == SL_OK)
        status = compare_order(r, plan, reply, err);
    if (status == SL_OK)
        status = sl_graph_finish(r->plan.graph, err);
    return status == SL_OK ? check_plan(&r->plan, err) : status;
}

void sl_recomputed_free(struct sl_recomputed *r)
{
    sl_plan_free(&r->plan);
    sl_arena_free(&r->arena);
    *r = (struct sl_recomputed){0};
}

/* A policy's plan for the runtime that is to run it: the logical policy alone, no streams, queues
 * or calls, and what the runtime has to answer.  The format is doc/handoff.md, its schema
 * doc/handoff.schema.json. */
#include <config.h>

#include "evictor.h"
#include "handoff_parts.h"
#include "result_parts.h"

static enum sl_status find_windows(struct sl_handoff *h, struct sl_error *err)
{
    size_t n = (size_t)h->graph->node_count + 1;
    int64_t *durations = sl_arena_array(&h->arena, n, sizeof *durations);
    uint8_t *roles = sl_arena_array(&h->arena, n, sizeof *roles);
    if (!durations || !roles)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a hand-off");
    enum sl_status status = sl_windows_create(&h->windows, h->graph, err);
    if (status != SL_OK)
        return status;
    sl_windows_means(h->graph, durations, roles);
    int64_t end = sl_windows_ready(h->windows, durations, roles);
    if (h->mean.makespan_ps != INT64_MAX && h->mean.makespan_ps > end)
        end = h->mean.makespan_ps;
    sl_windows_latest(h->windows, durations, roles, end);
    return SL_OK;
}

static bool find_lanes(struct sl_handoff *h)
{
    const struct sl_graph *graph = h->graph;
    uint32_t *last = sl_arena_array(&h->arena, (size_t)graph->lane_names.count + 1, sizeof *last);
    h->lane_before =
        sl_arena_array(&h->arena, (size_t)graph->node_count + 1, sizeof *h->lane_before);
    if (!last || !h->lane_before)
        return false;
    for (uint32_t l = 0; l < graph->lane_names.count; l++)
        last[l] = SL_NONE;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        uint32_t lane = graph->nodes[i].lane;
        h->lane_before[i] = lane == SL_NONE ? SL_NONE : last[lane];
        if (lane != SL_NONE)
            last[lane] = i;
    }
    return true;
}

static enum sl_status gather(struct sl_handoff *h, struct sl_error *err)
{
    enum sl_status status = sl_mean_run(&h->mean, h->graph, &h->what->plan->engine, err);
    if (status == SL_OK)
        status = find_windows(h, err);
    if (status == SL_OK && (!find_lanes(h) || !sl_proof_uses_gather(&h->uses, h->graph) ||
                            !sl_handoff_gather_copies(h)))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for a hand-off");
    return status;
}

/* The plan that runs where this one cannot: by name, and its order at means. */
static enum sl_status put_fallback(struct sl_handoff *h, struct sl_error *err)
{
    const struct sl_scenario *source = h->what->source;
    const char *name = source->fallback_baseline ? source->fallback_baseline : source->baseline;
    const struct sl_policy_spec *policy = name ? sl_scenario_policy(source, name) : NULL;
    struct sl_plan plan = {0};
    struct sl_diags diags = {0};
    struct sl_mean_run run = {0};
    struct sl_error why = {0};
    enum sl_status status = policy ? sl_policy_plan(&plan, source, policy, &diags, &why) : SL_NO;
    if (status == SL_OK)
        status = sl_mean_run(&run, plan.graph, &plan.engine, &why);
    bool runs = status == SL_OK && run.makespan_ps != INT64_MAX;
    sl_json_open_map(h->gen, "fallback");
    sl_json_text(h->gen, "policy", policy ? name : NULL);
    sl_json_text(h->gen, "named_as",
                 !policy                     ? NULL
                 : source->fallback_baseline ? "fallback_baseline"
                                             : "baseline");
    sl_json_text(h->gen, "why_no_schedule",
                 runs      ? NULL
                 : !policy ? "the scenario names neither a baseline nor a fallback_baseline"
                 : status  ? why.message
                           : "it deadlocks at mean durations");
    sl_json_open_array(h->gen, "schedule");
    for (uint32_t k = 0; runs && k < sl_graph_planned(plan.graph); k++) {
        uint32_t node = run.order[k];
        if (run.state[node] != SL_RAN)
            continue;
        sl_json_open_map(h->gen, NULL);
        sl_json_text(h->gen, "node", plan.graph->nodes[node].name);
        sl_json_text(h->gen, "kind", sl_node_kind_name(plan.graph->nodes[node].kind));
        sl_json_us(h->gen, "start_us", run.start_ps[node]);
        sl_json_us(h->gen, "finish_us", run.finish_ps[node]);
        yajl_gen_map_close(h->gen);
    }
    yajl_gen_array_close(h->gen);
    yajl_gen_map_close(h->gen);
    sl_mean_run_free(&run);
    sl_plan_free(&plan);
    sl_diags_free(&diags);
    return why.status == SL_SYSTEM ? SL_FAIL(err, SL_SYSTEM, "%s", why.message) : SL_OK;
}

static void put_objective(struct sl_handoff *h)
{
    const struct sl_scenario *source = h->what->source;
    sl_json_open_map(h->gen, "objective");
    sl_json_text(h->gen, "metric", sl_metric_name(source));
    sl_json_number(h->gen, "tail", source->objective.tail);
    sl_json_open_array(h->gen, "order");
    for (uint32_t k = 0; k < source->objective.order_count; k++)
        sl_json_text(h->gen, NULL, source->objective.order[k].name);
    yajl_gen_array_close(h->gen);
    sl_json_open_array(h->gen, "constraints");
    for (uint32_t k = 0; k < source->objective.constraint_count; k++)
        sl_json_text(h->gen, NULL, source->objective.constraints[k].text);
    yajl_gen_array_close(h->gen);
    yajl_gen_map_close(h->gen);
}

/* Sums by which a reader sees that nothing was lost on the way. */
static void put_totals(struct sl_handoff *h)
{
    const struct sl_graph *graph = h->graph;
    int64_t bytes = 0;
    for (uint32_t k = 0; k < graph->holding_count; k++)
        bytes += graph->holdings[k].kind == SL_HOLD_OBJECT ? sl_handoff_bytes(h, k) : 0;
    sl_json_open_map(h->gen, "totals");
    sl_json_integer(h->gen, "nodes", graph->node_count);
    sl_json_integer(h->gen, "edges", graph->edge_count);
    sl_json_integer(h->gen, "objects", graph->object_count);
    sl_json_integer(h->gen, "copy_bytes", bytes);
    yajl_gen_map_close(h->gen);
}

static void put_head(struct sl_handoff *h)
{
    sl_json_text(h->gen, "format", SL_HANDOFF_FORMAT);
    sl_json_integer(h->gen, "version", SL_HANDOFF_VERSION);
    sl_json_text(h->gen, "written_by", PACKAGE_STRING);
    sl_json_text(h->gen, "scenario", h->what->scenario);
    sl_json_text(h->gen, "policy", h->what->policy);
    if (h->mean.makespan_ps == INT64_MAX)
        sl_json_text(h->gen, "planned_makespan_us", NULL);
    else
        sl_json_us(h->gen, "planned_makespan_us", h->mean.makespan_ps);
}

static enum sl_status write_handoff(const struct sl_export *what, FILE *out, struct sl_error *err)
{
    struct sl_handoff h = {.what = what, .graph = what->graph};
    enum sl_status status = gather(&h, err);
    if (status == SL_OK && !(h.gen = sl_json_create()))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for a hand-off");
    if (status == SL_OK) {
        sl_json_open_map(h.gen, NULL);
        put_head(&h);
        put_objective(&h);
        put_totals(&h);
        sl_handoff_put_machine(&h);
        sl_handoff_put_fairness(&h);
        sl_handoff_put_overlap(&h);
        status = put_fallback(&h, err);
        if (status == SL_OK)
            status = sl_handoff_put_jobs(&h, err);
        sl_handoff_put_nodes(&h);
        sl_handoff_put_objects(&h);
        yajl_gen_map_close(h.gen);
    }
    if (status == SL_OK)
        status = sl_json_finish(h.gen, out, err);
    else
        sl_json_drop(h.gen);
    sl_windows_free(h.windows);
    sl_mean_run_free(&h.mean);
    sl_proof_uses_free(&h.uses);
    sl_arena_free(&h.arena);
    return status;
}

const struct sl_exporter sl_exporter_handoff = {
    .name = "handoff",
    .description = "a plan for the runtime that is to run it: graph, predicates, limits, fallback",
    .example = "slackline export SCENARIO --policy P --format handoff -o handoff.json",
    .write = write_handoff,
};

/* Writing an answer in the format of its reader. */
#include <config.h>

#include "figures.h"
#include "json_out.h"
#include "reply.h"

static const char *const truths[SL_TRUTHS] = {"unknown", "yes", "no"};

static void put_optional(yajl_gen gen, const char *key, const char *text)
{
    if (text)
        sl_json_text(gen, key, text);
}

static void put_bytes(yajl_gen gen, const char *key, int64_t bytes)
{
    char text[40];
    snprintf(text, sizeof text, "%lldB", (long long)bytes);
    sl_json_text(gen, key, text);
}

static void put_edges(yajl_gen gen, const struct sl_reply *reply, const struct sl_graph *plan)
{
    sl_json_open_array(gen, "edges");
    for (uint32_t k = 0; k < reply->edges.count; k++) {
        const struct sl_reply_edge *edge = &reply->edges.items[k];
        char digits[SL_FIGURE_SIZE], lag[SL_FIGURE_SIZE + 4];
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "from", plan->nodes[edge->from].name);
        sl_json_text(gen, "to", plan->nodes[edge->to].name);
        sl_json_text(gen, "type", sl_edge_type_name(edge->type));
        if (edge->lag_ps > 0) {
            snprintf(lag, sizeof lag, "%sus", sl_figure_us(digits, edge->lag_ps));
            sl_json_text(gen, "lag", lag);
        }
        sl_json_text(gen, "reason", edge->reason);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

static void put_limits(yajl_gen gen, const struct sl_reply *reply, const struct sl_graph *plan,
                       bool of_resources)
{
    const struct sl_platform *platform = plan->platform;
    sl_json_open_array(gen, of_resources ? "resources" : "domains");
    for (uint32_t k = 0; k < reply->limits.count; k++) {
        const struct sl_reply_limit *limit = &reply->limits.items[k];
        if ((limit->resource != SL_NONE) != of_resources)
            continue;
        sl_json_open_map(gen, NULL);
        if (of_resources) {
            sl_json_text(gen, "resource", platform->resource_names.names[limit->resource]);
            sl_json_integer(gen, "servers", limit->servers);
        } else {
            sl_json_text(gen, "domain", platform->domain_names.names[limit->domain]);
            if (limit->capacity >= 0)
                put_bytes(gen, "capacity", limit->capacity);
            if (limit->rounding > 0)
                put_bytes(gen, "rounding", limit->rounding);
        }
        sl_json_text(gen, "reason", limit->reason);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

static void put_constraints(yajl_gen gen, const struct sl_reply *reply, const struct sl_graph *plan)
{
    if (reply->edges.count + reply->limits.count + reply->kept.count == 0)
        return;
    sl_json_open_map(gen, "constraints");
    put_edges(gen, reply, plan);
    put_limits(gen, reply, plan, true);
    put_limits(gen, reply, plan, false);
    sl_json_open_array(gen, "uncancellable");
    for (uint32_t k = 0; k < reply->kept.count; k++) {
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "node", plan->nodes[reply->kept.items[k].node].name);
        sl_json_text(gen, "reason", reply->kept.items[k].reason);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
    yajl_gen_map_close(gen);
}

static void put_ordering(yajl_gen gen, const struct sl_reply *reply, const struct sl_graph *plan)
{
    sl_json_open_array(gen, "ordering");
    for (uint32_t q = 0; q < reply->queues.count; q++) {
        const struct sl_reply_queue *queue = &reply->queues.items[q];
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "queue", queue->name);
        put_optional(gen, "reason", queue->reason);
        sl_json_open_array(gen, "nodes");
        for (uint32_t k = 0; k < queue->count; k++)
            sl_json_text(gen, NULL, plan->nodes[queue->nodes[k]].name);
        yajl_gen_array_close(gen);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

static void put_overheads(yajl_gen gen, const struct sl_reply *reply, const struct sl_graph *plan)
{
    sl_json_open_array(gen, "overhead");
    for (uint32_t k = 0; k < reply->overheads.count; k++) {
        const struct sl_reply_overhead *overhead = &reply->overheads.items[k];
        sl_json_open_map(gen, NULL);
        if (overhead->node != SL_NONE)
            sl_json_text(gen, "node", plan->nodes[overhead->node].name);
        else if (overhead->klass != SL_NONE)
            sl_json_text(gen, "class", plan->platform->kappa.classes.names[overhead->klass]);
        else
            sl_json_text(gen, "kind", sl_node_kind_name((enum sl_node_kind)overhead->kind));
        sl_json_text(gen, "duration", overhead->dist ? sl_dist_text(overhead->dist) : "unknown");
        sl_json_text(gen, "evidence", overhead->evidence ? overhead->evidence : "unknown");
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

static void put_notes(yajl_gen gen, const struct sl_reply *reply)
{
    sl_json_open_array(gen, "deviations");
    for (uint32_t k = 0; k < reply->deviations.count; k++) {
        const struct sl_reply_deviation *deviation = &reply->deviations.items[k];
        sl_json_open_map(gen, NULL);
        put_optional(gen, "node", deviation->node);
        put_optional(gen, "wish", deviation->wish);
        sl_json_text(gen, "instead", deviation->instead);
        sl_json_text(gen, "why", deviation->why);
        put_optional(gen, "consequence", deviation->consequence);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
    sl_json_open_array(gen, "mechanisms");
    for (uint32_t k = 0; k < reply->mechanisms.count; k++) {
        const struct sl_reply_mechanism *mechanism = &reply->mechanisms.items[k];
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "wish", mechanism->wish);
        put_optional(gen, "mechanism", mechanism->mechanism);
        sl_json_text(gen, "realizable", truths[mechanism->realizable]);
        put_optional(gen, "note", mechanism->note);
        put_optional(gen, "node", mechanism->node);
        put_optional(gen, "object", mechanism->object);
        sl_json_integer(gen, "count", mechanism->count > 0 ? (int64_t)mechanism->count : 1);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
    sl_json_open_array(gen, "assumptions");
    for (uint32_t k = 0; k < reply->assumptions.count; k++) {
        const struct sl_reply_assumption *assumption = &reply->assumptions.items[k];
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "assumption", assumption->assumption);
        sl_json_text(gen, "holds", truths[assumption->holds]);
        put_optional(gen, "detail", assumption->detail);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

enum sl_status sl_reply_write(const struct sl_reply *reply, const struct sl_graph *plan, FILE *out,
                              struct sl_error *err)
{
    yajl_gen gen = sl_json_create();
    if (!gen)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a reply");
    sl_json_open_map(gen, NULL);
    sl_json_text(gen, "format", SL_REPLY_FORMAT);
    sl_json_integer(gen, "version", SL_REPLY_VERSION);
    sl_json_text(gen, "runtime", reply->runtime);
    put_optional(gen, "scenario", reply->scenario);
    put_optional(gen, "policy", reply->policy);
    put_optional(gen, "handoff_sha256", reply->handoff);
    sl_json_text(gen, "feasible", sl_reply_answer_words[reply->feasible]);
    put_optional(gen, "why", reply->why);
    put_constraints(gen, reply, plan);
    put_ordering(gen, reply, plan);
    put_overheads(gen, reply, plan);
    put_notes(gen, reply);
    yajl_gen_map_close(gen);
    return sl_json_finish(gen, out, err);
}

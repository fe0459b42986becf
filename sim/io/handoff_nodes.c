/* The hand-off's nodes and edges: what each is, takes and waits for, and when. */
#include "evictor.h"
#include "handoff_parts.h"
#include "units.h"

static const char *const evidence_words[] = {NULL,      "measured",  "bounded",
                                             "assumed", "published", "unknown"};

void sl_handoff_evidence(yajl_gen gen, enum sl_evidence evidence, const char *text)
{
    char line[2048];
    if (evidence == SL_EVIDENCE_NONE) {
        sl_json_text(gen, "evidence", NULL);
        return;
    }
    bool sourced = text && *text;
    snprintf(line, sizeof line, "%s%s%.2000s", evidence_words[evidence], sourced ? ": " : "",
             sourced ? text : "");
    sl_json_text(gen, "evidence", line);
}

int64_t sl_handoff_bytes(const struct sl_handoff *h, uint32_t holding)
{
    const struct sl_holding *held = &h->graph->holdings[holding];
    return held->kind == SL_HOLD_OBJECT
               ? sl_rounded_bytes(held->bytes, h->graph->platform->domains[held->domain].rounding)
               : held->bytes;
}

static void put_time(yajl_gen gen, const char *key, int64_t ps)
{
    if (ps == INT64_MAX)
        sl_json_text(gen, key, NULL);
    else
        sl_json_us(gen, key, ps);
}

static void put_names(struct sl_handoff *h, const char *key, struct sl_span list)
{
    sl_json_open_array(h->gen, key);
    for (uint32_t k = 0; k < list.count; k++)
        sl_json_text(h->gen, NULL,
                     h->graph->objects[h->graph->objects_pool[list.first + k].i].name);
    yajl_gen_array_close(h->gen);
}

static void put_aliases(struct sl_handoff *h, const struct sl_node *node)
{
    const struct sl_graph *graph = h->graph;
    const struct sl_span lists[] = {node->inputs, node->outputs};
    sl_json_open_array(h->gen, "aliases");
    for (int l = 0; l < 2; l++)
        for (uint32_t k = 0; k < lists[l].count; k++) {
            sl_object_id object = graph->objects_pool[lists[l].first + k];
            if (graph->objects[object.i].alias_of.i == SL_NONE)
                continue;
            sl_json_open_map(h->gen, NULL);
            sl_json_text(h->gen, "alias", graph->objects[object.i].name);
            sl_json_text(h->gen, "of", graph->objects[sl_object_root(graph, object).i].name);
            yajl_gen_map_close(h->gen);
        }
    yajl_gen_array_close(h->gen);
}

/* What of it is the job's own: `times` and the quantiles are at the means of its parameters. */
static void put_per_job(struct sl_handoff *h, const struct sl_node *node)
{
    if (!node->times && !node->steps && node->steps_mean == 1)
        return;
    sl_json_open_map(h->gen, "per_job");
    sl_json_text(h->gen, "times", node->times ? sl_expr_text(node->times) : NULL);
    sl_json_text(h->gen, "steps", node->steps ? sl_expr_text(node->steps) : NULL);
    sl_json_number(h->gen, "steps_mean", node->steps_mean);
    yajl_gen_map_close(h->gen);
}

/* The isolated law of the hold, and the latency that follows it, at the means of factors. */
static void put_duration(struct sl_handoff *h, uint32_t index)
{
    static const double levels[] = {0.5, 0.9, 0.95, 0.99, 0.999};
    static const char *const keys[] = {"p50_us", "p90_us", "p95_us", "p99_us", "p999_us"};
    const struct sl_node *node = &h->graph->nodes[index];
    if (!node->dist) {
        sl_json_text(h->gen, "duration", NULL);
        return;
    }
    double factor =
        sl_graph_mean_factor(h->graph, node, h->graph->nodes[sl_node_first(h->graph, index)].name);
    double scale = sl_node_mean_scale(node) * node->steps_mean * factor;
    sl_json_open_map(h->gen, "duration");
    sl_json_text(h->gen, "distribution", sl_dist_text(node->dist));
    sl_json_number(h->gen, "times", scale);
    sl_json_number(h->gen, "mean_us", sl_dist_mean(node->dist) * scale / SL_PS_PER_US);
    for (int k = 0; k < 5; k++)
        sl_json_number(h->gen, keys[k],
                       sl_dist_quantile(node->dist, levels[k]) * scale / SL_PS_PER_US);
    sl_json_number(h->gen, "latency_mean_us",
                   sl_node_mean_latency(h->graph, (sl_node_id){index}) / SL_PS_PER_US);
    sl_json_text(h->gen, "work", node->work);
    put_per_job(h, node);
    yajl_gen_map_close(h->gen);
}

static void put_amounts(struct sl_handoff *h, const char *key, struct sl_span list)
{
    sl_json_open_array(h->gen, key);
    for (uint32_t k = 0; k < list.count; k++) {
        const struct sl_amount *amount = &h->graph->amounts[list.first + k];
        sl_json_open_map(h->gen, NULL);
        sl_json_text(h->gen, "domain", sl_handoff_domain(h, amount->domain));
        sl_json_integer(h->gen, "bytes", amount->bytes);
        yajl_gen_map_close(h->gen);
    }
    yajl_gen_array_close(h->gen);
}

static void put_demands(struct sl_handoff *h, const struct sl_node *node)
{
    sl_json_open_array(h->gen, "demands");
    for (uint32_t k = 0; k < node->demands.count; k++) {
        const struct sl_demand *demand = &h->graph->demands[node->demands.first + k];
        sl_json_open_map(h->gen, NULL);
        sl_json_text(h->gen, "resource",
                     h->graph->platform->resource_names.names[demand->resource]);
        sl_json_integer(h->gen, "units", demand->units);
        yajl_gen_map_close(h->gen);
    }
    yajl_gen_array_close(h->gen);
}

static int64_t held_in(const struct sl_handoff *h, struct sl_span list, uint32_t domain)
{
    int64_t sum = 0;
    for (uint32_t k = 0; k < list.count; k++) {
        uint32_t holding = h->graph->holdings_pool[list.first + k];
        sum += h->graph->holdings[holding].domain == domain ? sl_handoff_bytes(h, holding) : 0;
    }
    return sum;
}

static int64_t workspace_in(const struct sl_handoff *h, const struct sl_node *node, uint32_t domain)
{
    int64_t sum = 0;
    for (uint32_t k = 0; k < node->workspace.count; k++) {
        const struct sl_amount *amount = &h->graph->amounts[node->workspace.first + k];
        sum += amount->domain == domain ? amount->bytes : 0;
    }
    return sum;
}

/* What is taken at its start and given back at its finish, and both from start to finish. */
static void put_capacity(struct sl_handoff *h, const struct sl_node *node)
{
    uint32_t domains = h->graph->platform->domain_names.count;
    sl_json_open_array(h->gen, "capacity_delta");
    for (uint32_t d = 0; d < domains; d++) {
        int64_t takes = held_in(h, node->takes, d), gives = held_in(h, node->gives, d),
                within = workspace_in(h, node, d);
        if (takes == 0 && gives == 0 && within == 0)
            continue;
        sl_json_open_map(h->gen, NULL);
        sl_json_text(h->gen, "domain", sl_handoff_domain(h, d));
        sl_json_integer(h->gen, "at_start_bytes", takes);
        sl_json_integer(h->gen, "at_finish_bytes", -gives);
        sl_json_integer(h->gen, "while_running_bytes", within);
        yajl_gen_map_close(h->gen);
    }
    yajl_gen_array_close(h->gen);
}

/* Staging is a copy's own, or held until another node is done. */
static void put_staging(struct sl_handoff *h, uint32_t index)
{
    const struct sl_node *node = &h->graph->nodes[index];
    sl_json_open_array(h->gen, "staging");
    for (uint32_t k = 0; k < node->staging.count; k++) {
        const struct sl_amount *amount = &h->graph->amounts[node->staging.first + k];
        sl_json_open_map(h->gen, NULL);
        sl_json_text(h->gen, "domain", sl_handoff_domain(h, amount->domain));
        sl_json_integer(h->gen, "bytes", amount->bytes);
        sl_json_text(h->gen, "from_start_of", node->name);
        sl_json_text(h->gen, "to_finish_of",
                     node->staging_until.i == SL_NONE ? node->name
                                                      : sl_handoff_node(h, node->staging_until.i));
        yajl_gen_map_close(h->gen);
    }
    yajl_gen_array_close(h->gen);
}

static void put_guard(struct sl_handoff *h, const char *key, const struct sl_node *node)
{
    sl_json_open_array(h->gen, key);
    for (uint32_t k = 0; k < node->guards.count; k++) {
        const struct sl_guard_term *term = &h->graph->guard_terms[node->guards.first + k];
        sl_json_open_map(h->gen, NULL);
        sl_json_text(h->gen, "guard", h->graph->guards[term->guard].name);
        sl_json_bool(h->gen, "holds", !term->negated);
        yajl_gen_map_close(h->gen);
    }
    yajl_gen_array_close(h->gen);
}

/* Each copy that it uses, and who allocates it. */
static void put_allocations(struct sl_handoff *h, uint32_t index)
{
    sl_json_open_array(h->gen, "allocation_ready");
    uint32_t last = SL_NONE;
    for (uint32_t u = h->uses.use_first[index]; u < h->uses.use_first[index + 1]; u++) {
        uint32_t holding = sl_handoff_used(h, &h->uses.uses[u]);
        if (holding == SL_NONE || holding == last)
            continue;
        last = holding;
        const struct sl_holding *held = &h->graph->holdings[holding];
        sl_json_open_map(h->gen, NULL);
        sl_json_text(h->gen, "object",
                     h->graph->objects[sl_object_root(h->graph, held->object).i].name);
        sl_json_integer(h->gen, "copy", h->copy_number[holding]);
        yajl_gen_map_close(h->gen);
    }
    yajl_gen_array_close(h->gen);
}

/* Mapping nodes among its predecessors. */
static void put_mappings(struct sl_handoff *h, uint32_t index)
{
    const struct sl_graph *graph = h->graph;
    sl_json_open_array(h->gen, "mapping_ready");
    for (uint32_t e = graph->pred_start[index]; e < graph->pred_start[index + 1]; e++) {
        const struct sl_node *from = &graph->nodes[graph->edges[graph->pred_edges[e]].from.i];
        if (from->kind == SL_MAPPING)
            sl_json_text(h->gen, NULL, from->name);
    }
    yajl_gen_array_close(h->gen);
}

static void put_needs(struct sl_handoff *h, const struct sl_node *node)
{
    sl_json_open_array(h->gen, "required_capacity_available");
    for (uint32_t d = 0; d < h->graph->platform->domain_names.count; d++) {
        int64_t bytes = held_in(h, node->takes, d) + workspace_in(h, node, d);
        if (bytes == 0)
            continue;
        sl_json_open_map(h->gen, NULL);
        sl_json_text(h->gen, "domain", sl_handoff_domain(h, d));
        sl_json_integer(h->gen, "bytes", bytes);
        yajl_gen_map_close(h->gen);
    }
    yajl_gen_array_close(h->gen);
}

/* ready_i: all of these at once. */
static void put_ready(struct sl_handoff *h, uint32_t index)
{
    const struct sl_graph *graph = h->graph;
    const struct sl_node *node = &graph->nodes[index];
    sl_json_open_map(h->gen, "ready");
    sl_json_open_array(h->gen, "predecessors_complete");
    for (uint32_t e = graph->pred_start[index]; e < graph->pred_start[index + 1]; e++)
        sl_json_integer(h->gen, NULL, graph->pred_edges[e]);
    yajl_gen_array_close(h->gen);
    sl_json_text(h->gen, "sequence_predecessor", sl_handoff_node(h, h->lane_before[index]));
    sl_json_us(h->gen, "release_us", node->release_ps);
    put_guard(h, "guard_enabled", node);
    put_allocations(h, index);
    put_mappings(h, index);
    put_needs(h, node);
    yajl_gen_map_close(h->gen);
}

static void put_window(struct sl_handoff *h, uint32_t index)
{
    const struct sl_windows *w = h->windows;
    sl_json_open_map(h->gen, "window");
    sl_json_us(h->gen, "ready_us", w->ready_ps[index]);
    sl_json_us(h->gen, "latest_start_us", w->latest_start_ps[index]);
    sl_json_us(h->gen, "slack_us", w->latest_start_ps[index] - w->ready_ps[index]);
    sl_json_text(h->gen, "limited_by",
                 w->limit[index] == SL_NONE ? "end" : sl_handoff_node(h, w->limit[index]));
    bool got_there = h->mean.start_ps[index] >= 0;
    put_time(h->gen, "planned_start_us", got_there ? h->mean.start_ps[index] : INT64_MAX);
    put_time(h->gen, "planned_finish_us", got_there ? h->mean.finish_ps[index] : INT64_MAX);
    yajl_gen_map_close(h->gen);
}

/* What is named: what it is, reads, writes and moves. */
static void put_identity(struct sl_handoff *h, uint32_t index)
{
    const struct sl_graph *graph = h->graph;
    const struct sl_node *node = &graph->nodes[index];
    yajl_gen gen = h->gen;
    sl_json_text(gen, "node", node->name);
    sl_json_text(gen, "key", node->key);
    sl_json_text(gen, "kind", sl_node_kind_name(node->kind));
    sl_json_text(gen, "class",
                 node->klass == SL_NONE ? NULL : graph->platform->kappa.classes.names[node->klass]);
    sl_json_integer(gen, "iteration", node->iteration);
    sl_json_bool(gen, "derived", node->derived);
    sl_json_bool(gen, "on_demand", sl_node_is_latent(graph, index));
    put_guard(h, "guard", node);
    put_names(h, "inputs", node->inputs);
    put_names(h, "outputs", node->outputs);
    put_aliases(h, node);
    sl_json_text(gen, "object",
                 node->object.i == SL_NONE ? NULL : graph->objects[node->object.i].name);
    sl_json_text(gen, "from", sl_handoff_domain(h, node->from));
    sl_json_text(gen, "to", sl_handoff_domain(h, node->to));
    sl_json_text(gen, "sequence",
                 node->lane == SL_NONE ? NULL : graph->lane_names.names[node->lane]);
}

/* Of a node that planning inserted: the route's, or the declared cost's. */
static void put_evidence(struct sl_handoff *h, const struct sl_node *node)
{
    const struct sl_platform *platform = h->graph->platform;
    const struct sl_route *route =
        sl_node_moves(node->kind) ? sl_platform_route(platform, node->from, node->to) : NULL;
    const char *text = route ? route->evidence : NULL;
    for (uint32_t c = 0; !text && node->derived && c < platform->cost_count; c++) {
        static const enum sl_node_kind kinds[] = {SL_ALLOCATION, SL_MAPPING, SL_RECLAMATION};
        const struct sl_api_cost *cost = &platform->costs[c];
        bool there =
            cost->domain == SL_NONE || cost->domain == node->from || cost->domain == node->to;
        if (kinds[cost->what] == node->kind && there)
            text = cost->evidence;
    }
    if (node->evidence != SL_EVIDENCE_NONE || !text)
        sl_handoff_evidence(h->gen, node->evidence, node->evidence_text);
    else
        sl_json_text(h->gen, "evidence", text);
}

static void put_node(struct sl_handoff *h, uint32_t index)
{
    const struct sl_node *node = &h->graph->nodes[index];
    yajl_gen gen = h->gen;
    sl_json_open_map(gen, NULL);
    put_identity(h, index);
    put_duration(h, index);
    put_time(gen, "deadline_us", node->deadline_ps);
    sl_json_number(gen, "priority", node->priority);
    put_demands(h, node);
    put_amounts(h, "workspace", node->workspace);
    put_staging(h, index);
    put_capacity(h, node);
    sl_json_text(gen, "fallback", sl_handoff_node(h, node->fallback.i));
    put_evidence(h, node);
    sl_json_number(gen, "confidence", node->confidence);
    if (node->ahead != SL_NONE && sl_scenario_has_jobs(h->what->source))
        sl_json_integer(gen, "jobs_ahead", node->ahead);
    put_ready(h, index);
    put_window(h, index);
    yajl_gen_map_close(gen);
}

static void put_edge(struct sl_handoff *h, uint32_t index)
{
    const struct sl_edge *edge = &h->graph->edges[index];
    char scope[24] = "same";
    if (edge->next > 0)
        snprintf(scope, sizeof scope, "next:%u", (unsigned)edge->next);
    sl_json_open_map(h->gen, NULL);
    sl_json_text(h->gen, "from", sl_handoff_node(h, edge->from.i));
    sl_json_text(h->gen, "to", sl_handoff_node(h, edge->to.i));
    sl_json_text(h->gen, "type", sl_edge_type_name(edge->type));
    sl_json_us(h->gen, "lag_us", edge->lag_ps);
    sl_json_text(h->gen, "object",
                 edge->object.i == SL_NONE ? NULL : h->graph->objects[edge->object.i].name);
    sl_json_text(h->gen, "scope", scope);
    sl_handoff_evidence(h->gen, edge->evidence, edge->evidence_text);
    yajl_gen_map_close(h->gen);
}

void sl_handoff_put_nodes(struct sl_handoff *h)
{
    sl_json_open_array(h->gen, "nodes");
    for (uint32_t i = 0; i < h->graph->node_count; i++)
        put_node(h, i);
    yajl_gen_array_close(h->gen);
    sl_json_open_array(h->gen, "edges");
    for (uint32_t e = 0; e < h->graph->edge_count; e++)
        put_edge(h, e);
    yajl_gen_array_close(h->gen);
}

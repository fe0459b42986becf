/* The hand-off's machine and demands on the whole: resources, domains, guards, fairness. */
#include "handoff_parts.h"

static const char *const orders[] = {"fifo", "priority", "edf", "sjf", "critical-path", "issue"};

static void put_resource(struct sl_handoff *h, uint32_t index)
{
    const struct sl_platform *platform = h->graph->platform;
    const struct sl_resource *resource = &platform->resources[index];
    yajl_gen gen = h->gen;
    sl_json_open_map(gen, NULL);
    sl_json_text(gen, "resource", platform->resource_names.names[index]);
    if (resource->servers == SL_UNLIMITED)
        sl_json_text(gen, "servers", NULL);
    else
        sl_json_integer(gen, "servers", resource->servers);
    sl_json_text(gen, "order", orders[resource->order]);
    sl_json_bool(gen, "may_pass", resource->admission == SL_BACKFILL);
    sl_json_us(gen, "aging_us", resource->aging_ps);
    sl_json_open_array(gen, "contention_groups");
    for (uint32_t g = 0; g < platform->group_names.count && g < 64; g++)
        if (resource->groups >> g & 1)
            sl_json_text(gen, NULL, platform->group_names.names[g]);
    yajl_gen_array_close(gen);
    yajl_gen_map_close(gen);
}

static void put_domain(struct sl_handoff *h, uint32_t index)
{
    const struct sl_domain *domain = &h->graph->platform->domains[index];
    bool limited = domain->capacity >= 0;
    sl_json_open_map(h->gen, NULL);
    sl_json_text(h->gen, "domain", sl_handoff_domain(h, index));
    if (limited)
        sl_json_integer(h->gen, "capacity_bytes", domain->capacity);
    else
        sl_json_text(h->gen, "capacity_bytes", NULL);
    sl_json_integer(h->gen, "reserve_bytes", domain->reserve);
    sl_json_bool(h->gen, "reserve_declared", domain->reserve_given);
    if (limited)
        sl_json_integer(h->gen, "limit_bytes", domain->capacity - domain->reserve);
    else
        sl_json_text(h->gen, "limit_bytes", NULL);
    sl_json_integer(h->gen, "rounding_bytes", domain->rounding > 1 ? domain->rounding : 1);
    yajl_gen_map_close(h->gen);
}

static void put_guards(struct sl_handoff *h)
{
    static const char *const scopes[] = {"node", "layer", "iteration", "job"};
    sl_json_open_array(h->gen, "guards");
    for (uint32_t g = 0; g < h->graph->guard_count; g++) {
        const struct sl_guard *guard = &h->graph->guards[g];
        sl_json_open_map(h->gen, NULL);
        sl_json_text(h->gen, "guard", guard->name);
        sl_json_number(h->gen, "probability", guard->probability);
        sl_json_text(h->gen, "scope", scopes[guard->scope]);
        yajl_gen_map_close(h->gen);
    }
    yajl_gen_array_close(h->gen);
}

void sl_handoff_put_machine(struct sl_handoff *h)
{
    const struct sl_engine_options *engine = &h->what->plan->engine;
    const struct sl_platform *platform = h->graph->platform;
    sl_json_text(h->gen, "device", platform->device_name);
    sl_json_open_array(h->gen, "resources");
    for (uint32_t r = 0; r < platform->resource_names.count; r++)
        put_resource(h, r);
    yajl_gen_array_close(h->gen);
    sl_json_text(h->gen, "dispatch", engine->dispatch_given ? orders[engine->dispatch] : NULL);
    sl_json_open_array(h->gen, "domains");
    for (uint32_t d = 0; d < platform->domain_names.count; d++)
        put_domain(h, d);
    yajl_gen_array_close(h->gen);
    put_guards(h);
}

static void put_wait_bound(struct sl_handoff *h)
{
    int64_t bound = h->what->source->starvation_bound_ps;
    if (bound < 0)
        sl_json_text(h->gen, "wait_bound_us", NULL);
    else
        sl_json_us(h->gen, "wait_bound_us", bound);
}

void sl_handoff_put_fairness(struct sl_handoff *h)
{
    const struct sl_engine_options *engine = &h->what->plan->engine;
    sl_json_open_map(h->gen, "fairness");
    put_wait_bound(h);
    if (engine->aging_given)
        sl_json_us(h->gen, "aging_us", engine->aging_ps);
    else
        sl_json_text(h->gen, "aging_us", NULL);
    sl_json_open_array(h->gen, "priorities");
    for (uint32_t i = 0; i < h->graph->node_count; i++) {
        if (h->graph->nodes[i].priority == 0)
            continue;
        sl_json_open_map(h->gen, NULL);
        sl_json_text(h->gen, "node", h->graph->nodes[i].name);
        sl_json_number(h->gen, "priority", h->graph->nodes[i].priority);
        yajl_gen_map_close(h->gen);
    }
    yajl_gen_array_close(h->gen);
    yajl_gen_map_close(h->gen);
}

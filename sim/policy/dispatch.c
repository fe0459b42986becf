/* Whether `dispatch: sjf` can tell anything from anything else: its keys are isolated means, which
 * are a node's and not a job's. */
#include "attempt.h"

static double mean_of(const struct sl_graph *graph, uint32_t node)
{
    return sl_node_mean_hold(graph, (sl_node_id){node}) +
           sl_node_mean_latency(graph, (sl_node_id){node});
}

static bool demands(const struct sl_graph *graph, const struct sl_node *node, uint32_t resource)
{
    for (uint32_t k = 0; k < node->demands.count; k++)
        if (graph->demands[node->demands.first + k].resource == resource)
            return true;
    return false;
}

static bool takes(const struct sl_graph *graph, const struct sl_node *node, uint32_t domain)
{
    const struct sl_span *amounts[] = {&node->workspace, &node->staging};
    for (size_t s = 0; s < sizeof amounts / sizeof *amounts; s++)
        for (uint32_t k = 0; k < amounts[s]->count; k++)
            if (graph->amounts[amounts[s]->first + k].domain == domain)
                return true;
    for (uint32_t k = 0; k < node->takes.count; k++)
        if (graph->holdings[graph->holdings_pool[node->takes.first + k]].domain == domain)
            return true;
    return false;
}

/* Of the nodes that want that resource or bytes of that domain, any two have other keys. */
static bool differ(const struct sl_graph *graph, uint32_t of,
                   bool (*wants)(const struct sl_graph *, const struct sl_node *, uint32_t))
{
    double first = -1;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (!wants(graph, &graph->nodes[i], of))
            continue;
        double mean = mean_of(graph, i);
        if (first >= 0 && mean != first)
            return true;
        first = mean;
    }
    return false;
}

void sl_dispatch_check(const struct sl_graph *graph, const struct sl_engine_options *engine,
                       const struct sl_policy_spec *policy, struct sl_diags *diags)
{
    bool any = !engine->dispatch_given || engine->dispatch != SL_ORDER_SJF;
    for (uint32_t r = 0; !any && r < graph->platform->resource_names.count; r++)
        any = differ(graph, r, demands);
    for (uint32_t d = 0; !any && d < graph->platform->domain_names.count; d++)
        any = differ(graph, d, takes);
    if (!any)
        sl_policy_warn(
            diags, "unused-parameter", policy->place,
            "policy '%s': dispatch: sjf changes nothing against fifo: it goes by "
            "isolated means at the means of the parameters, which are the same for every "
            "job, and no two nodes that want one resource or domain differ in them",
            policy->name);
}

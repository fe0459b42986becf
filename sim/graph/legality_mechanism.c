/* Mechanisms in the place of policy.
 *
 * A lane whose nodes use one resource is program order.  One that carries copies and kernels, or
 * two over one resource, are streams: which stream carries what is the runtime's choice, and
 * planning over such lanes would take accidents of one run for dependencies.  A recorded or
 * written-out schedule (action as-given) keeps the lanes that it had. */
#include <config.h>

#include "legality.h"
#include <stdlib.h>
#include <string.h>

static bool is_as_given(const struct sl_policy_spec *policy)
{
    for (uint32_t r = 0; r < policy->rule_count; r++)
        for (uint32_t s = 0; s < policy->rules[r].count; s++) {
            const struct sl_setting *setting = &policy->rules[r].settings[s];
            if (strcmp(setting->key, "action") == 0 &&
                (setting->value_count != 1 || strcmp(setting->values[0], "as-given") != 0))
                return false;
        }
    return true;
}

/* The first policy that plans; NULL: all take the graph as given. */
static const char *planning_policy(const struct sl_scenario *scenario)
{
    for (uint32_t p = 0; p < scenario->policy_count; p++)
        if (!is_as_given(&scenario->policies[p]))
            return scenario->policies[p].name;
    return NULL;
}

static void report_mixed(struct sl_legality *l, const char *policy, uint32_t first, uint32_t node)
{
    const struct sl_graph *graph = l->graph;
    const struct sl_names *resources = &l->scenario->platform.resource_names;
    const struct sl_node *a = &graph->nodes[first], *b = &graph->nodes[node];
    sl_report_node(
        l, node,
        "lane '%s' carries '%s' on '%s' and '%s' on '%s', and policy '%s' plans over it: "
        "which stream carries what is a mechanism",
        graph->lane_names.names[b->lane], a->name,
        resources->names[graph->demands[a->demands.first].resource], b->name,
        resources->names[graph->demands[b->demands.first].resource], policy);
    sl_report_also_node(l, first);
    sl_diags_suggest(l->diags,
                     "keep the nodes of one resource in lane '%s', and say by edges what "
                     "must come first elsewhere; or use action as-given alone",
                     graph->lane_names.names[b->lane]);
}

static void report_shared(struct sl_legality *l, const char *policy, uint32_t first, uint32_t node)
{
    const struct sl_graph *graph = l->graph;
    const struct sl_node *a = &graph->nodes[first], *b = &graph->nodes[node];
    const char *resource =
        l->scenario->platform.resource_names.names[graph->demands[b->demands.first].resource];
    sl_report_node(
        l, node,
        "lanes '%s' and '%s' share '%s' (nodes '%s' and '%s'), and policy '%s' plans over "
        "them: how many streams a resource has is a mechanism",
        graph->lane_names.names[a->lane], graph->lane_names.names[b->lane], resource, a->name,
        b->name, policy);
    sl_report_also_node(l, first);
    sl_diags_suggest(l->diags,
                     "say by edges what must come first on '%s' and leave the lanes out, "
                     "or use action as-given alone",
                     resource);
}

/* Once for each lane that mixes resources, and for each resource that pure lanes share. */
static void judge_lanes(struct sl_legality *l, const char *policy, uint32_t *first_of_lane,
                        uint32_t *first_of_resource, bool *told_lane, bool *told_resource)
{
    const struct sl_graph *graph = l->graph;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct sl_node *node = &graph->nodes[i];
        if (node->lane == SL_NONE || node->demands.count == 0)
            continue;
        uint32_t resource = graph->demands[node->demands.first].resource;
        uint32_t *of_lane = &first_of_lane[node->lane];
        uint32_t *of_resource = &first_of_resource[resource];
        if (*of_lane == SL_NONE)
            *of_lane = i;
        if (*of_resource == SL_NONE)
            *of_resource = i;
        if (graph->demands[graph->nodes[*of_lane].demands.first].resource != resource) {
            if (!told_lane[node->lane])
                report_mixed(l, policy, *of_lane, i);
            told_lane[node->lane] = told_resource[resource] = true;
        } else if (graph->nodes[*of_resource].lane != node->lane && !told_lane[node->lane] &&
                   !told_resource[resource]) {
            report_shared(l, policy, *of_resource, i);
            told_resource[resource] = true;
        }
    }
}

void sl_check_mechanisms(struct sl_legality *l)
{
    const char *policy = planning_policy(l->scenario);
    size_t lanes = (size_t)l->graph->lane_names.count + 1;
    size_t resources = (size_t)l->scenario->platform.resource_names.count + 1;
    if (!policy || lanes == 1)
        return;
    uint32_t *first = malloc((lanes + resources) * sizeof *first);
    bool *told = calloc(lanes + resources, sizeof *told);
    if (first && told) {
        memset(first, 0xff, (lanes + resources) * sizeof *first);
        judge_lanes(l, policy, first, first + lanes, told, told + lanes);
    }
    free(first);
    free(told);
}

/* Legality of what nodes ask for: units and bytes at once, barriers' demands. */
#include <config.h>

#include "legality.h"
#include "peak_bound.h"
#include "units.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Adds the rounded bytes of a node's distinct roots to need[home]. */
static void add_objects(const struct sl_legality *l, struct sl_span list, struct sl_span before,
                        const bool *left_out, double *need)
{
    const struct sl_graph *graph = l->graph;
    for (uint32_t k = 0; k < list.count; k++) {
        sl_object_id root = sl_object_root(graph, graph->objects_pool[list.first + k]);
        bool seen = false;
        for (uint32_t m = 0; m < before.count && !seen; m++)
            seen = sl_object_root(graph, graph->objects_pool[before.first + m]).i == root.i;
        for (uint32_t m = 0; m < k && !seen; m++)
            seen = sl_object_root(graph, graph->objects_pool[list.first + m]).i == root.i;
        const struct sl_object *object = &graph->objects[root.i];
        if (!seen && object->home != SL_NONE && !(left_out && left_out[root.i]))
            need[object->home] += sl_bytes_counted(graph, object->bytes, object->home);
    }
}

void sl_node_need(const struct sl_legality *l, uint32_t index, const bool *left_out, double *need)
{
    const struct sl_graph *graph = l->graph;
    const struct sl_node *node = &graph->nodes[index];
    memset(need, 0, l->scenario->platform.domain_names.count * sizeof *need);
    for (uint32_t k = 0; k < node->workspace.count; k++)
        need[graph->amounts[node->workspace.first + k].domain] +=
            (double)graph->amounts[node->workspace.first + k].bytes;
    for (uint32_t k = 0; k < node->staging.count; k++)
        need[graph->amounts[node->staging.first + k].domain] +=
            (double)graph->amounts[node->staging.first + k].bytes;
    if (!sl_node_moves(node->kind)) {
        add_objects(l, node->inputs, (struct sl_span){0, 0}, left_out, need);
        add_objects(l, node->outputs, node->inputs, left_out, need);
    }
}

static void report_bytes(struct sl_legality *l, uint32_t index, uint32_t domain, double need,
                         double limit)
{
    const char *name = l->graph->nodes[index].name;
    char needs[32], has[32];
    sl_format_bytes(needs, sizeof needs, need);
    sl_format_bytes(has, sizeof has, limit);
    if (strcmp(needs, has) == 0) { /* three digits do not tell them apart */
        snprintf(needs, sizeof needs, "%.0f B", need);
        snprintf(has, sizeof has, "%.0f B", limit);
    }
    sl_report_node(l, index,
                   "node '%s' needs %s of '%s' at once (objects, workspace and staging); "
                   "capacity - reserve is %s",
                   name, needs, sl_domain_name(l, domain), has);
    sl_diags_suggest(l->diags,
                     "split '%s' or what it uses, or raise the capacity of '%s' (or lower its "
                     "reserve) by %.0f B",
                     name, sl_domain_name(l, domain), need - limit);
}

/* What a node needs at once in each domain, against capacity - reserve. */
static void check_bytes(struct sl_legality *l, uint32_t index, double *need)
{
    const struct sl_platform *platform = &l->scenario->platform;
    sl_node_need(l, index, NULL, need);
    for (uint32_t d = 0; d < platform->domain_names.count; d++) {
        const struct sl_domain *domain = &platform->domains[d];
        if (domain->capacity < 0 || need[d] <= (double)(domain->capacity - domain->reserve))
            continue;
        report_bytes(l, index, d, need[d], (double)(domain->capacity - domain->reserve));
    }
}

void sl_check_demands(struct sl_legality *l)
{
    const struct sl_graph *graph = l->graph;
    const struct sl_platform *platform = &l->scenario->platform;
    double *need = calloc((size_t)platform->domain_names.count + 1, sizeof *need);
    for (uint32_t i = 0; need && i < graph->node_count; i++) {
        const struct sl_node *node = &graph->nodes[i];
        for (uint32_t k = 0; k < node->demands.count; k++) {
            struct sl_demand demand = graph->demands[node->demands.first + k];
            uint32_t servers = platform->resources[demand.resource].servers;
            if (servers == SL_UNLIMITED || demand.units <= servers)
                continue;
            const char *resource = platform->resource_names.names[demand.resource];
            sl_report_node(l, i, "node '%s' demands %u units of '%s', which has %u", node->name,
                           demand.units, resource, servers);
            sl_diags_suggest(l->diags, "let '%s' take at most %u, or give '%s' more servers",
                             node->name, servers, resource);
        }
        check_bytes(l, i, need);
    }
    free(need);
}

void sl_check_barrier_demands(struct sl_legality *l)
{
    const struct sl_graph *graph = l->graph;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct sl_node *node = &graph->nodes[i];
        if (node->kind == SL_BARRIER &&
            (node->demands.count || node->workspace.count || node->staging.count || node->dist)) {
            sl_report_node(l, i, "barrier '%s' has %s: a barrier takes no time and demands nothing",
                           node->name, node->dist ? "a duration" : "demands");
            sl_diags_suggest(l->diags,
                             "leave %s out, or make '%s' a compute node if the work is real",
                             node->dist ? "the duration" : "the demands", node->name);
        }
    }
}

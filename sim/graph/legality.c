/* The table of legality rules, what they share, and the order in which they run. */
#include <config.h>

#include "graph_cycle.h"
#include "legality.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define BUDGET 300000000 /* edges followed by reachability, a second or so */

static const struct sl_legality_rule rules[] = {
#define SL_RULE(code, severity, function, needs_order, description)                                \
    {code, description, severity, function, needs_order},
#include "legality.def"
#undef SL_RULE
};

size_t sl_legality_rule_count(void)
{
    return sizeof rules / sizeof *rules;
}

struct sl_legality_rule sl_legality_rule_get(size_t index)
{
    return rules[index];
}

const char *sl_domain_name(const struct sl_legality *l, uint32_t domain)
{
    return l->scenario->platform.domain_names.names[domain];
}

void sl_report(struct sl_legality *l, struct sl_place place, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sl_diags_vadd(l->diags, l->rule->severity, l->rule->code, place, format, args);
    va_end(args);
}

void sl_report_node(struct sl_legality *l, uint32_t node, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sl_diags_vadd(l->diags, l->rule->severity, l->rule->code, l->graph->nodes[node].place, format,
                  args);
    va_end(args);
    sl_report_also_node(l, node);
}

void sl_report_also_node(struct sl_legality *l, uint32_t node)
{
    sl_diags_subject(l->diags, SL_SUBJECT_NODE, l->graph->nodes[node].name);
}

void sl_report_also_object(struct sl_legality *l, uint32_t object)
{
    sl_diags_subject(l->diags, SL_SUBJECT_OBJECT, l->graph->objects[object].name);
}

void sl_graph_check(const struct sl_scenario *scenario, struct sl_diags *diags)
{
    const struct sl_graph *graph = scenario->graph;
    size_t size = ((size_t)graph->node_count + 1) * sizeof(uint32_t);
    uint32_t *previous = malloc(size), *next = malloc(size), *position = malloc(size);
    if (previous && next && position && sl_lane_previous(graph, previous)) {
        memset(next, 0xff, size);
        for (uint32_t i = 0; i < graph->node_count; i++)
            if (previous[i] != SL_NONE)
                next[previous[i]] = i;
        for (uint32_t t = 0; graph->finished && t < graph->node_count; t++)
            position[graph->topo[t]] = t;
        struct sl_legality legality = {.scenario = scenario,
                                       .graph = graph,
                                       .diags = diags,
                                       .lane_previous = previous,
                                       .lane_next = next,
                                       .position = graph->finished ? position : NULL,
                                       .budget = BUDGET};
        for (size_t r = 0; r < sl_legality_rule_count(); r++) {
            legality.rule = &rules[r];
            if (graph->finished || !rules[r].needs_order)
                rules[r].check(&legality);
        }
    } else {
        sl_diags_add(diags, SL_ERROR, "out-of-memory", (struct sl_place){0}, "out of memory");
    }
    free(previous);
    free(next);
    free(position);
}

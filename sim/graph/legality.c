/* The table of legality rules, what they share, and the order in which they run. */
#include <config.h>

#include "graph_cycle.h"
#include "legality_copies.h"
#include <stdarg.h>
#include <stdlib.h>

#define REPORT 100       /* steps that a diagnostic is worth */
#define BUDGET 500000000 /* edges followed by reachability, two seconds or so */

static const struct sl_legality_rule rules[] = {
#define SL_RULE(code, severity, function, needs_order, description)                                \
    {code, description, severity, function, needs_order},
#define SL_PLAN_RULE(code, severity, description) {code, description, severity, NULL, false},
#include "legality.def"
#undef SL_RULE
#undef SL_PLAN_RULE
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

void sl_charge(struct sl_legality *l, uint64_t steps)
{
    l->budget -= l->budget < steps ? l->budget : steps;
}

void sl_report(struct sl_legality *l, struct sl_place place, const char *format, ...)
{
    va_list args;
    sl_charge(l, REPORT);
    va_start(args, format);
    sl_diags_vadd(l->diags, l->rule->severity, l->rule->code, place, format, args);
    va_end(args);
}

void sl_report_node(struct sl_legality *l, uint32_t node, const char *format, ...)
{
    va_list args;
    sl_charge(l, REPORT);
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

/* What rules ask of single nodes; false when out of memory. */
static bool describe_nodes(struct sl_legality *l)
{
    const struct sl_graph *graph = l->graph;
    size_t count = (size_t)graph->node_count + 1;
    l->lane_previous = malloc(count * sizeof *l->lane_previous);
    l->lane_next = malloc(count * sizeof *l->lane_next);
    l->primary = malloc(count * sizeof *l->primary);
    l->breaks_order = calloc(count, sizeof *l->breaks_order);
    if (!l->lane_previous || !l->lane_next || !l->primary || !l->breaks_order ||
        !sl_lane_previous(graph, l->lane_previous))
        return false;
    for (uint32_t i = 0; i < graph->node_count; i++)
        l->lane_next[i] = l->primary[i] = SL_NONE;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct sl_node *node = &graph->nodes[i];
        if (l->lane_previous[i] != SL_NONE)
            l->lane_next[l->lane_previous[i]] = i;
        if (node->fallback.i == SL_NONE)
            continue;
        if (l->primary[node->fallback.i] == SL_NONE)
            l->primary[node->fallback.i] = i;
        l->breaks_order[i] = node->deadline_ps != INT64_MAX;
    }
    return true;
}

static void check_rules(struct sl_legality *l)
{
    for (size_t r = 0; r < sl_legality_rule_count(); r++) {
        l->rule = &rules[r];
        if (rules[r].check && (l->graph->finished || !rules[r].needs_order))
            rules[r].check(l);
        if (l->budget == 0 && !l->unchecked)
            l->unchecked = rules[r].code;
    }
    if (!l->unchecked)
        return;
    sl_diags_add(l->diags, SL_WARNING, "not-checked", (struct sl_place){0},
                 "the graph is too large to check every rule: rule %s and some behind it are not "
                 "checked everywhere",
                 l->unchecked);
    sl_diags_suggest(l->diags, "check a smaller instance of the same graph, with fewer layers or "
                               "steps");
}

void sl_graph_check(const struct sl_scenario *scenario, struct sl_diags *diags)
{
    const struct sl_graph *graph = scenario->graph;
    struct sl_reach reach = {0};
    struct sl_legality l = {
        .scenario = scenario, .graph = graph, .diags = diags, .reach = &reach, .budget = BUDGET};
    if (sl_reach_open(&reach, graph->node_count) && describe_nodes(&l) &&
        (!graph->finished || (sl_order_derive(&l) && sl_touches_gather(&l))))
        check_rules(&l);
    else
        sl_diags_add(diags, SL_ERROR, "out-of-memory", (struct sl_place){0}, "out of memory");
    sl_graph_free(l.order);
    free(l.position);
    free(l.touches);
    free(l.lane_previous);
    free(l.lane_next);
    free(l.primary);
    free(l.breaks_order);
    sl_reach_close(&reach);
}

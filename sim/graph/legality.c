/* Legality of a scenario's graph: the table of rules, and those about order, demands and places. */
#include <config.h>

#include "graph_cycle.h"
#include "legality.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CYCLE_NAMES 1000      /* a longer cycle is cut: nobody reads on */
#define BUDGET      300000000 /* edges followed by reachability, a second or so */

static const char *domain_name(const struct sl_legality *l, uint32_t domain)
{
    return l->scenario->platform.domain_names.names[domain];
}

/* The whole cycle, by names. */
static void check_cycle(struct sl_legality *l)
{
    const struct sl_graph *graph = l->graph;
    uint32_t *cycle = NULL, count = 0;
    struct sl_error err = {0};
    if (l->position || sl_graph_cycle(graph, l->lane_previous, &cycle, &count, &err) || !cycle)
        return;
    char *text = sl_cycle_text(graph, cycle, count, CYCLE_NAMES);
    sl_diags_add(l->diags, SL_ERROR, "precedence-cycle", graph->nodes[cycle[0]].place,
                 "these nodes wait for each other: %s", text ? text : "(out of memory)");
    free(text);
    free(cycle);
}

/* Marks roots that become valid somewhere: initial ones, written ones, moved-in ones. */
static bool *valid_somewhere(const struct sl_graph *graph)
{
    bool *valid = calloc((size_t)graph->object_count + 1, sizeof *valid);
    for (uint32_t i = 0; valid && i < graph->object_count; i++)
        if (graph->objects[i].initial != SL_NONE)
            valid[sl_object_root(graph, (sl_object_id){i}).i] = true;
    for (uint32_t i = 0; valid && i < graph->node_count; i++) {
        struct sl_span outputs = graph->nodes[i].outputs;
        for (uint32_t k = 0; k < outputs.count; k++)
            valid[sl_object_root(graph, graph->objects_pool[outputs.first + k]).i] = true;
    }
    return valid;
}

static void check_valid(struct sl_legality *l)
{
    const struct sl_graph *graph = l->graph;
    bool *valid = valid_somewhere(graph);
    for (uint32_t i = 0; valid && i < graph->node_count; i++) {
        const struct sl_node *node = &graph->nodes[i];
        for (uint32_t k = 0; k < node->inputs.count; k++) {
            sl_object_id object = graph->objects_pool[node->inputs.first + k];
            if (!valid[sl_object_root(graph, object).i])
                sl_diags_add(l->diags, SL_ERROR, "use-before-valid", node->place,
                             "node '%s' reads object '%s', which no node writes and which is not "
                             "initial",
                             node->name, graph->objects[object.i].name);
        }
        if (sl_node_moves(node->kind) && node->object.i != SL_NONE &&
            !valid[sl_object_root(graph, node->object).i])
            sl_diags_add(l->diags, SL_ERROR, "use-before-valid", node->place,
                         "node '%s' moves object '%s', which no node writes and which is not "
                         "initial",
                         node->name, graph->objects[node->object.i].name);
    }
    free(valid);
}

/* True when the root may be in `domain`: no placements stated, or among them. */
static bool may_be_in(const struct sl_graph *graph, sl_object_id root, uint32_t domain)
{
    struct sl_span placements = graph->objects[root.i].placements;
    for (uint32_t k = 0; k < placements.count; k++)
        if (graph->domains_pool[placements.first + k] == domain)
            return true;
    return placements.count == 0;
}

static void refuse_placement(struct sl_legality *l, const struct sl_node *node, const char *verb,
                             sl_object_id object, uint32_t domain)
{
    const struct sl_graph *graph = l->graph;
    sl_object_id root = sl_object_root(graph, object);
    if (domain == SL_NONE || may_be_in(graph, root, domain))
        return;
    char allowed[300] = "";
    size_t used = 0;
    struct sl_span placements = graph->objects[root.i].placements;
    for (uint32_t k = 0; k < placements.count && used < sizeof allowed; k++)
        used += (size_t)snprintf(allowed + used, sizeof allowed - used, "%s%s", k > 0 ? ", " : "",
                                 domain_name(l, graph->domains_pool[placements.first + k]));
    sl_diags_add(l->diags, SL_ERROR, "illegal-placement", node->place,
                 "node '%s' %s object '%s' in '%s', which is not among its placements (%s)",
                 node->name, verb, graph->objects[object.i].name, domain_name(l, domain), allowed);
}

static void check_placements(struct sl_legality *l)
{
    const struct sl_graph *graph = l->graph;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct sl_node *node = &graph->nodes[i];
        for (uint32_t k = 0; k < node->inputs.count; k++) {
            sl_object_id object = graph->objects_pool[node->inputs.first + k];
            refuse_placement(l, node, "reads", object,
                             graph->objects[sl_object_root(graph, object).i].home);
        }
        for (uint32_t k = 0; k < node->outputs.count; k++) {
            sl_object_id object = graph->objects_pool[node->outputs.first + k];
            refuse_placement(l, node, "writes", object,
                             graph->objects[sl_object_root(graph, object).i].home);
        }
        if (node->object.i == SL_NONE)
            continue;
        refuse_placement(l, node, "takes", node->object, node->from);
        refuse_placement(l, node, "puts", node->object, node->to);
    }
}

/* Adds the rounded bytes of a node's distinct roots to need[home]. */
static void add_objects(const struct sl_legality *l, struct sl_span list, struct sl_span before,
                        double *need)
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
        if (seen || object->home == SL_NONE)
            continue;
        int64_t rounding = l->scenario->platform.domains[object->home].rounding;
        need[object->home] += ceil((double)object->bytes / (double)rounding) * (double)rounding;
    }
}

/* What a node needs at once in each domain, against capacity - reserve. */
static void check_bytes(struct sl_legality *l, const struct sl_node *node, double *need)
{
    const struct sl_graph *graph = l->graph;
    const struct sl_platform *platform = &l->scenario->platform;
    memset(need, 0, platform->domain_names.count * sizeof *need);
    for (uint32_t k = 0; k < node->workspace.count; k++)
        need[graph->amounts[node->workspace.first + k].domain] +=
            (double)graph->amounts[node->workspace.first + k].bytes;
    for (uint32_t k = 0; k < node->staging.count; k++)
        need[graph->amounts[node->staging.first + k].domain] +=
            (double)graph->amounts[node->staging.first + k].bytes;
    if (!sl_node_moves(node->kind)) {
        add_objects(l, node->inputs, (struct sl_span){0, 0}, need);
        add_objects(l, node->outputs, node->inputs, need);
    }
    for (uint32_t d = 0; d < platform->domain_names.count; d++) {
        const struct sl_domain *domain = &platform->domains[d];
        if (domain->capacity >= 0 && need[d] > (double)(domain->capacity - domain->reserve))
            sl_diags_add(l->diags, SL_ERROR, "demand-above-capacity", node->place,
                         "node '%s' needs %.0f bytes of '%s' at once (objects, workspace and "
                         "staging); capacity - reserve is %lld bytes",
                         node->name, need[d], domain_name(l, d),
                         (long long)(domain->capacity - domain->reserve));
    }
}

static void check_demands(struct sl_legality *l)
{
    const struct sl_graph *graph = l->graph;
    const struct sl_platform *platform = &l->scenario->platform;
    double *need = calloc((size_t)platform->domain_names.count + 1, sizeof *need);
    for (uint32_t i = 0; need && i < graph->node_count; i++) {
        const struct sl_node *node = &graph->nodes[i];
        for (uint32_t k = 0; k < node->demands.count; k++) {
            struct sl_demand demand = graph->demands[node->demands.first + k];
            uint32_t servers = platform->resources[demand.resource].servers;
            if (servers != SL_UNLIMITED && demand.units > servers)
                sl_diags_add(l->diags, SL_ERROR, "demand-above-capacity", node->place,
                             "node '%s' demands %u units of '%s', which has %u", node->name,
                             demand.units, platform->resource_names.names[demand.resource],
                             servers);
        }
        check_bytes(l, node, need);
    }
    free(need);
}

/* The least time that a node can take: certain, so that a deadline below it is hopeless.  What a
 * guard or a fallback may leave out takes none. */
static double least_time(const struct sl_graph *graph, uint32_t index)
{
    const struct sl_node *node = &graph->nodes[index];
    const double u = 0x1p-54; /* the smallest uniform that is ever drawn */
    if (!node->dist || node->guard != SL_NONE || node->fallback.i != SL_NONE)
        return 0.0;
    double time = sl_dist_value(node->dist, u, u) * (node->scale + node->latency_scale);
    for (uint32_t f = 0; f < graph->factor_count; f++) {
        const struct sl_factor *factor = &graph->factors[f];
        if (!sl_factor_applies(graph, factor, (sl_node_id){index}))
            continue;
        time *= factor->is_regime ? fmin(1.0, factor->level) : sl_dist_value(factor->draw, u, u);
    }
    /* A mixture's components are not ordered by u, so its least value is unknown. */
    return sl_dist_needs_second(node->dist) ? 0.0 : time;
}

static void check_deadlines(struct sl_legality *l)
{
    const struct sl_graph *graph = l->graph;
    bool any = false;
    for (uint32_t i = 0; i < graph->node_count && !any; i++)
        any = graph->nodes[i].deadline_ps != INT64_MAX;
    double *finish = any ? calloc((size_t)graph->node_count + 1, sizeof *finish) : NULL;
    bool *stands_by = any ? calloc((size_t)graph->node_count + 1, sizeof *stands_by) : NULL;
    for (uint32_t i = 0; stands_by && i < graph->node_count; i++)
        if (graph->nodes[i].fallback.i != SL_NONE)
            stands_by[graph->nodes[i].fallback.i] = true;
    for (uint32_t t = 0; finish && stands_by && t < graph->node_count; t++) {
        uint32_t i = graph->topo[t];
        const struct sl_node *node = &graph->nodes[i];
        double start = (double)node->release_ps;
        if (l->lane_previous[i] != SL_NONE)
            start = fmax(start, finish[l->lane_previous[i]]);
        for (uint32_t k = graph->pred_start[i]; k < graph->pred_start[i + 1]; k++) {
            const struct sl_edge *edge = &graph->edges[graph->pred_edges[k]];
            if (edge->next == 0)
                start = fmax(start, finish[edge->from.i] + (double)edge->lag_ps);
        }
        finish[i] = start + (stands_by[i] ? 0.0 : least_time(graph, i));
        char deadline[32], bound[32];
        if (node->deadline_ps != INT64_MAX && finish[i] > (double)node->deadline_ps + 1.0)
            sl_diags_add(l->diags, SL_ERROR, "deadline-too-early", node->place,
                         "node '%s' has its deadline at %s; precedence alone takes it to %s",
                         node->name,
                         sl_format_time(deadline, sizeof deadline, (double)node->deadline_ps),
                         sl_format_time(bound, sizeof bound, finish[i]));
    }
    free(finish);
    free(stands_by);
}

static void check_barriers(struct sl_legality *l)
{
    const struct sl_graph *graph = l->graph;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct sl_node *node = &graph->nodes[i];
        if (node->kind == SL_BARRIER &&
            (node->demands.count || node->workspace.count || node->staging.count || node->dist))
            sl_diags_add(l->diags, SL_ERROR, "barrier-demands", node->place,
                         "barrier '%s' has %s: a barrier takes no time and demands nothing",
                         node->name, node->dist ? "a duration" : "demands");
    }
}

static const struct sl_legality_rule rules[] = {
    {"precedence-cycle", "nodes wait for each other through edges and lanes", check_cycle, false},
    {"use-before-valid", "an object is read that nothing ever made valid", check_valid, false},
    {"illegal-placement", "an object is used in a domain not among its placements",
     check_placements, false},
    {"demand-above-capacity", "a node demands more than there will ever be", check_demands, false},
    {"barrier-demands", "a barrier demands something or takes time", check_barriers, false},
    {"deadline-too-early", "a deadline lies before the precedence bound", check_deadlines, true},
    {"use-after-reclaim",
     "an object is read after, or without order to, its reclamation (also reclaim-not-ordered)",
     sl_check_use_after_reclaim, true},
    {"double-allocation", "an object is allocated twice without a reclamation between",
     sl_check_double_allocation, true},
    {"double-reclamation", "an object is reclaimed twice without an allocation between",
     sl_check_double_reclamation, true},
    {"no-evidence", "durations without evidence (a remark)", sl_check_evidence, false},
    {"assumed-reserve", "a reserve or tail that is assumed (a remark; also assumed-tail)",
     sl_check_assumptions, false},
};

size_t sl_legality_rule_count(void)
{
    return sizeof rules / sizeof *rules;
}

struct sl_legality_rule sl_legality_rule_get(size_t index)
{
    return rules[index];
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
        struct sl_legality legality = {
            scenario, graph, diags, previous, next, graph->finished ? position : NULL, BUDGET};
        for (size_t r = 0; r < sl_legality_rule_count(); r++)
            if (graph->finished || !rules[r].needs_order)
                rules[r].check(&legality);
    } else {
        sl_diags_add(diags, SL_ERROR, "out-of-memory", (struct sl_place){0}, "out of memory");
    }
    free(previous);
    free(next);
    free(position);
}

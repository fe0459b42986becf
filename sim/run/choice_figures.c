/* The figures of a choice; the formulas are those of doc/costs.md. */
#include "choice_figures.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL 0.95

#define FIGURE(field)                                                                              \
    {                                                                                              \
#field, offsetof(struct sl_cost_figures, field)                                            \
    }
const struct sl_cost_figure sl_cost_figure_list[SL_COST_FIGURES] = {
    FIGURE(run_us),         FIGURE(isolated_us),      FIGURE(chain_us),        FIGURE(stall_us),
    FIGURE(setup_us),       FIGURE(barrier_us),       FIGURE(others_us),       FIGURE(capacity_us),
    FIGURE(staging_byte_s), FIGURE(workspace_byte_s), FIGURE(pressure_byte_s), FIGURE(peak_bytes),
    FIGURE(max_wait_us),    FIGURE(starved),
};

double sl_cost_figure_get(const struct sl_cost_figures *figures, size_t figure)
{
    return *(const double *)((const char *)figures + sl_cost_figure_list[figure].offset);
}

/* Planning inserted the node for the object. */
static bool serves(const struct sl_graph *graph, uint32_t index, uint32_t object)
{
    const struct sl_node *node = &graph->nodes[index];
    if (!graph->nodes[sl_node_first(graph, index)].derived)
        return false;
    if (node->object.i != SL_NONE && sl_object_root(graph, node->object).i == object)
        return true;
    for (uint32_t k = 0; node->kind == SL_REMATERIALIZATION && k < node->outputs.count; k++)
        if (sl_object_root(graph, graph->objects_pool[node->outputs.first + k]).i == object)
            return true;
    return false;
}

/* The share of a move's isolated time that does not grow with its bytes.  Over a pipelined route
 * the node moves one chunk of the object. */
static double fixed_share(const struct sl_graph *graph, const struct sl_node *node)
{
    const struct sl_route *route = sl_platform_route(graph->platform, node->from, node->to);
    double whole = sl_node_mean_scale(node) + node->latency_scale;
    if (!route || whole <= 0.0)
        return 0.0;
    int64_t bytes = graph->objects[sl_object_root(graph, node->object).i].bytes;
    if (route->pipeline && bytes > route->chunk)
        bytes = route->chunk;
    double overhead = (double)route->overhead_ps * (double)sl_route_pieces(route, bytes);
    return (overhead + node->latency_scale) / whole;
}

static double setup_us(const struct sl_plan_sums *sums, uint32_t index)
{
    const struct sl_node *node = &sums->graph->nodes[index];
    if (sl_node_moves(node->kind))
        return sl_plan_sums_us(sums, sums->nodes[index].isolated_ps) *
               fixed_share(sums->graph, node);
    if (node->kind == SL_ALLOCATION || node->kind == SL_MAPPING || node->kind == SL_RECLAMATION)
        return sl_plan_sums_us(sums, sums->nodes[index].run_ps);
    return 0.0;
}

static struct sl_cost_figures figures_of(const struct sl_plan_sums *sums, uint32_t object,
                                         uint32_t home)
{
    struct sl_cost_figures f = {
        .barrier_us = sl_plan_sums_us(sums, sums->barrier_stall_ps),
        .staging_byte_s = sums->staging_byte_s,
        .workspace_byte_s = sums->workspace_byte_s,
        .pressure_byte_s = home == SL_NONE ? 0.0 : sums->pressure_byte_s[home],
        .peak_bytes = home == SL_NONE ? 0.0 : (double)sums->peak_bytes[home],
        .max_wait_us = sl_us_of(sums->max_wait_ps),
        .starved = (double)sums->starved,
    };
    for (uint32_t i = 0; i < sums->graph->node_count; i++) {
        const struct sl_node_sums *node = &sums->nodes[i];
        f.capacity_us += sl_plan_sums_us(sums, node->capacity_wait_ps);
        if (!serves(sums->graph, i, object)) {
            f.others_us += sl_plan_sums_us(sums, node->run_ps - node->isolated_ps);
            continue;
        }
        f.run_us += sl_plan_sums_us(sums, node->run_ps);
        f.isolated_us += sl_plan_sums_us(sums, node->isolated_ps);
        f.chain_us += sl_plan_sums_us(sums, node->chain_ps);
        f.stall_us += sl_plan_sums_us(sums, node->stall_ps);
        f.setup_us += setup_us(sums, i);
    }
    return f;
}

static struct sl_cost_figures difference_of(const struct sl_cost_figures *a,
                                            const struct sl_cost_figures *b)
{
    struct sl_cost_figures difference;
    for (size_t f = 0; f < SL_COST_FIGURES; f++)
        *(double *)((char *)&difference + sl_cost_figure_list[f].offset) =
            sl_cost_figure_get(a, f) - sl_cost_figure_get(b, f);
    return difference;
}

/* ---- the metric ------------------------------------------------------------------------------ */

static enum sl_status compare_means(struct sl_difference *mean, const struct sl_plan_sums *a,
                                    const struct sl_plan_sums *b, struct sl_error *err)
{
    *mean = (struct sl_difference){.estimate = SL_NO_ESTIMATE, .needs = 2};
    if (a->deadlocked > 0 || b->deadlocked > 0)
        return SL_OK;
    double *differences = malloc(((size_t)a->trials + 1) * sizeof *differences);
    if (!differences)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the costs of choices");
    for (uint32_t t = 0; t < a->trials; t++)
        differences[t] = a->metric_us[t] - b->metric_us[t];
    mean->estimate = sl_mean(differences, a->trials, LEVEL);
    mean->method = SL_PAIRED_T;
    free(differences);
    return SL_OK;
}

/* Every trial takes as long as its partner does, or nothing is drawn and one trial says it all. */
static bool is_certain(const struct sl_plan_sums *a, const struct sl_plan_sums *b)
{
    if (a->deadlocked > 0 || b->deadlocked > 0)
        return false;
    return (!a->random && !b->random) ||
           memcmp(a->metric_us, b->metric_us, a->trials * sizeof *a->metric_us) == 0;
}

static struct sl_difference exactly(double us)
{
    return (struct sl_difference){.estimate = {us, us, us}, .method = SL_PAIRED_LIMITS, .needs = 1};
}

static enum sl_status compare_metrics(struct sl_choice_cost *cost, double tail,
                                      const struct sl_plan_sums *a, const struct sl_plan_sums *b,
                                      uint64_t seed, struct sl_error *err)
{
    if (is_certain(a, b)) {
        cost->mean = cost->median = cost->tail = exactly(a->metric_us[0] - b->metric_us[0]);
        return SL_OK;
    }
    size_t n = a->trials;
    enum sl_status status = compare_means(&cost->mean, a, b, err);
    if (status == SL_OK)
        status = sl_paired_at(&cost->median, a->metric_us, b->metric_us, n, 0.5, seed, LEVEL, err);
    if (status == SL_OK)
        status = sl_paired_at(&cost->tail, a->metric_us, b->metric_us, n, tail, seed, LEVEL, err);
    return status;
}

/* ---- single nodes ---------------------------------------------------------------------------- */

static double share_on_chain(const struct sl_plan_sums *sums, uint32_t node)
{
    uint32_t completed = sums->trials - sums->deadlocked;
    return completed && node != SL_NONE ? (double)sums->nodes[node].on_chain / completed : 0.0;
}

static double mean_wait(const struct sl_plan_sums *sums, uint32_t node)
{
    return node == SL_NONE ? 0.0 : sl_plan_sums_us(sums, sums->nodes[node].capacity_wait_ps);
}

static void note(struct sl_choice_cost *cost, const char *name, double share, double wait_us)
{
    if (share > cost->joined.change)
        cost->joined = (struct sl_changed_node){name, share};
    if (share < cost->left.change)
        cost->left = (struct sl_changed_node){name, share};
    if (fabs(wait_us) > fabs(cost->waiter.change))
        cost->waiter = (struct sl_changed_node){name, wait_us};
}

/* Nodes are the same where their names are. */
static void compare_nodes(struct sl_choice_cost *cost, const struct sl_plan_sums *a,
                          const struct sl_plan_sums *b)
{
    for (uint32_t i = 0; i < a->graph->node_count; i++) {
        const char *name = a->graph->nodes[i].name;
        uint32_t other = sl_names_find(&b->graph->node_names, name);
        note(cost, name, share_on_chain(a, i) - share_on_chain(b, other),
             mean_wait(a, i) - mean_wait(b, other));
    }
    for (uint32_t i = 0; i < b->graph->node_count; i++) {
        const char *name = b->graph->nodes[i].name;
        if (sl_names_find(&a->graph->node_names, name) == SL_NONE)
            note(cost, name, -share_on_chain(b, i), -mean_wait(b, i));
    }
}

/* ---- evidence -------------------------------------------------------------------------------- */

/* Of a route's or a node's evidence: 2: none is stated; 1: it is said to be unknown. */
static int weakness(const struct sl_route *route, const struct sl_node *node)
{
    if (route)
        return !route->evidence || !*route->evidence ? 2
                                                     : strncmp(route->evidence, "unknown", 7) == 0;
    return node->evidence == SL_EVIDENCE_NONE ? 2 : node->evidence == SL_UNKNOWN;
}

static const char *text_of(const struct sl_route *route, const struct sl_node *node)
{
    const char *text = route ? route->evidence : node->evidence_text;
    return text && *text ? text : NULL;
}

/* The weakest among what the times of its moves and recomputations rest on. */
static void find_evidence(struct sl_choice_cost *cost, const struct sl_graph *graph,
                          uint32_t object)
{
    int worst = -1;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct sl_node *node = &graph->nodes[i];
        bool moves = sl_node_moves(node->kind);
        if (!serves(graph, i, object) || (!moves && node->kind != SL_REMATERIALIZATION))
            continue;
        const struct sl_route *route =
            moves ? sl_platform_route(graph->platform, node->from, node->to) : NULL;
        int weak = weakness(route, node);
        if (weak <= worst)
            continue;
        worst = weak;
        cost->unknown = weak > 0;
        cost->evidence = weak == 2 ? "not stated" : text_of(route, node);
        if (!cost->evidence)
            cost->evidence = weak ? "unknown" : "stated";
    }
}

/* Names that belong to a plan go with it. */
static bool keep_names(struct sl_arena *arena, struct sl_choice_cost *cost)
{
    const char **names[] = {&cost->joined.name, &cost->left.name, &cost->waiter.name,
                            &cost->max_waiter, &cost->evidence};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (*names[k] && !(*names[k] = sl_arena_strdup(arena, *names[k])))
            return false;
    return true;
}

enum sl_status sl_choice_figures(struct sl_choice_costs *costs, const struct sl_gap_costs *row,
                                 struct sl_choice_cost *cost, const struct sl_plan_sums *sums,
                                 const struct sl_plan_sums *base, uint64_t seed,
                                 struct sl_error *err)
{
    uint32_t object = row->gap.object;
    struct sl_cost_figures before = figures_of(base, object, row->home);
    cost->here = figures_of(sums, object, row->home);
    cost->change = difference_of(&cost->here, &before);
    cost->hypothetical = sums->hypothetical;
    enum sl_status status = sl_choice_breaks(costs->scenario, sums, &cost->breaks, err);
    if (status != SL_OK)
        return status;
    if (sums->max_wait_node != SL_NONE)
        cost->max_waiter = sums->graph->nodes[sums->max_wait_node].name;
    if (sums != base)
        compare_nodes(cost, sums, base);
    find_evidence(cost, sums->graph, object);
    if (!keep_names(&costs->arena, cost))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the costs of choices");
    return compare_metrics(cost, costs->tail, sums, base, seed, err);
}

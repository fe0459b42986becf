/* Runs with the durations that are worst for one domain's capacity. */
#include "adversary.h"
#include <stdlib.h>

#define DOMAINS_MAX 8
#define TIME_MAX    0x1p60 /* ps; sums beyond twice that are refused by the engine */

/* Durations are multiples of a pace: next to nothing, so that releases and lags outlast every
 * node, or twice the longest of these, so that every node outlasts them. */
#define QUICK_PS 1000.0

static double slow_pace(const struct sl_graph *graph)
{
    int64_t longest = 0;
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].release_ps > longest)
            longest = graph->nodes[i].release_ps;
    for (uint32_t e = 0; e < graph->edge_count; e++)
        if (graph->edges[e].lag_ps > longest)
            longest = graph->edges[e].lag_ps;
    return 2.0 * (double)longest;
}

static bool gives_back(const struct sl_graph *graph, const struct sl_node *node, uint32_t domain)
{
    for (uint32_t k = 0; k < node->gives.count; k++) {
        const struct sl_holding *holding =
            &graph->holdings[graph->holdings_pool[node->gives.first + k]];
        if (holding->domain == domain && holding->bytes > 0)
            return true;
    }
    return false;
}

/* What takes no time keeps taking none: barriers and reclamations without a cost. */
static enum sl_status set_durations(struct sl_graph *graph, uint32_t domain, double pace,
                                    struct sl_error *err)
{
    const struct sl_dist *unit;
    enum sl_status status =
        sl_dist_parse(&unit, "1ps", SL_DIST_TIME, NULL, (struct sl_place){0}, &graph->arena, err);
    for (uint32_t i = 0; i < graph->node_count && status == SL_OK; i++) {
        if (!graph->nodes[i].dist)
            continue;
        struct sl_node *node = sl_graph_edit_node(graph, i, err);
        if (!node)
            return SL_SYSTEM;
        node->dist = unit;
        node->scale = gives_back(graph, node, domain) ? pace * (graph->node_count + 1.0) : pace;
        node->latency_scale = 0;
    }
    graph->factor_count = 0;
    return status;
}

static enum sl_status run_against(const struct sl_graph *graph, uint32_t domain, double pace,
                                  const struct sl_engine_options *options,
                                  char cycle[SL_ADVERSARY_TEXT], struct sl_error *err)
{
    struct sl_program *program = NULL;
    struct sl_worker *worker = NULL;
    const struct sl_trial *trial;
    struct sl_graph *copy = sl_graph_copy(graph);
    enum sl_status status =
        copy ? set_durations(copy, domain, pace, err) : SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (status == SL_OK)
        status = sl_graph_finish(copy, err);
    if (status == SL_OK)
        status = sl_program_create(&program, copy, options, err);
    if (status == SL_OK)
        status = sl_worker_create(&worker, program, err);
    if (status == SL_OK)
        status = sl_worker_run(worker, 1, 0, 0, &trial, err);
    if (status == SL_OK && trial->outcome == SL_DEADLOCK)
        snprintf(cycle, SL_ADVERSARY_TEXT, "%s", trial->deadlock);
    sl_worker_free(worker);
    sl_program_free(program);
    sl_graph_free(copy);
    return status;
}

/* Who waits holds no workspace, so all workspaces but its own end some time: where all holdings and
 * the largest workspace fit together, every wait ends. */
static void sum_up(const struct sl_graph *graph, double *holdings, double *workspace)
{
    for (uint32_t h = 0; h < graph->holding_count; h++) {
        const struct sl_holding *holding = &graph->holdings[h];
        double unit = (double)graph->platform->domains[holding->domain].rounding;
        holdings[holding->domain] += (double)holding->bytes + unit;
    }
    for (uint32_t i = 0; i < graph->node_count; i++)
        for (uint32_t k = 0; k < graph->nodes[i].workspace.count; k++) {
            struct sl_amount amount = graph->amounts[graph->nodes[i].workspace.first + k];
            if ((double)amount.bytes > workspace[amount.domain])
                workspace[amount.domain] = (double)amount.bytes;
        }
}

enum sl_status sl_adversary_run(const struct sl_graph *graph,
                                const struct sl_engine_options *options,
                                char cycle[SL_ADVERSARY_TEXT], struct sl_error *err)
{
    uint32_t domains = graph->platform->domain_names.count, tried = 0;
    double *holdings = calloc(2 * (size_t)domains + 1, sizeof *holdings);
    if (!holdings)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    enum sl_status status = SL_OK;
    double slow = slow_pace(graph), nodes = graph->node_count + 1.0;
    bool has_slow = slow > QUICK_PS && slow * nodes * nodes < TIME_MAX;
    cycle[0] = '\0';
    sum_up(graph, holdings, holdings + domains);
    for (uint32_t m = 0; m < domains && status == SL_OK && !cycle[0] && tried < DOMAINS_MAX; m++) {
        const struct sl_domain *domain = &graph->platform->domains[m];
        if (domain->capacity < 0 ||
            holdings[m] + holdings[domains + m] <= (double)(domain->capacity - domain->reserve))
            continue;
        status = run_against(graph, m, QUICK_PS, options, cycle, err);
        if (status == SL_OK && !cycle[0] && has_slow)
            status = run_against(graph, m, slow, options, cycle, err);
        tried++;
    }
    free(holdings);
    return status;
}

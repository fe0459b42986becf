/* Chains by class, route and lag, from trials run again. */
#include "composition.h"
#include <stdlib.h>

/* What one thread adds up; integers, so that the sum does not depend on who ran which trial. */
struct adder {
    const struct sl_program *program;
    const struct sl_graph *graph;
    const uint32_t *route_of; /* by node; SL_NONE: not on a route */
    struct sl_composition sums;
    struct sl_link *links;
    size_t link_capacity;
};

static bool sums_init(struct sl_composition *sums, const struct sl_platform *platform)
{
    *sums = (struct sl_composition){0};
    sums->class_ps =
        sl_arena_array(&sums->arena, (size_t)platform->kappa.classes.count + 1, sizeof(int64_t));
    sums->route_ps =
        sl_arena_array(&sums->arena, (size_t)platform->route_count + 1, sizeof(int64_t));
    return sums->class_ps && sums->route_ps;
}

void sl_composition_free(struct sl_composition *sums)
{
    sl_arena_free(&sums->arena);
    *sums = (struct sl_composition){0};
}

/* The type of the edge whose lag the node waited for; SL_EDGE_TYPES: no edge has it. */
static enum sl_edge_type lag_type(const struct adder *adder, const struct sl_trial *trial,
                                  uint32_t node)
{
    const struct sl_graph *graph = adder->graph;
    for (uint32_t k = graph->pred_start[node]; k < graph->pred_start[node + 1]; k++) {
        const struct sl_edge *edge = &graph->edges[graph->pred_edges[k]];
        if (edge->next == 0 && edge->from.i == trial->behind[node] &&
            edge->lag_ps == trial->lag_ps[node])
            return edge->type;
    }
    return SL_EDGE_TYPES;
}

static enum sl_status visit(void *state, const struct sl_trial *trial, struct sl_error *err)
{
    struct adder *adder = state;
    struct sl_composition *sums = &adder->sums;
    const struct sl_graph *graph = adder->graph;
    if (!sl_trial_chain_room(&adder->links, &adder->link_capacity, trial, &sums->arena))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for chains");
    size_t count = sl_trial_chain(adder->program, trial, adder->links, adder->link_capacity);
    if (trial->outcome != SL_DONE)
        return SL_OK;
    sums->trials++;
    sums->total_ps += trial->makespan_ps;
    for (size_t k = 0; k < count; k++) {
        const struct sl_link *link = &adder->links[k];
        int64_t length = link->end_ps - link->begin_ps;
        if (link->waiting) {
            enum sl_edge_type type =
                link->cause == SL_CAUSE_LAG ? lag_type(adder, trial, link->node) : SL_EDGE_TYPES;
            if (type < SL_EDGE_TYPES)
                sums->lag_ps[type] += length;
            continue;
        }
        if (graph->nodes[link->node].klass != SL_NONE)
            sums->class_ps[graph->nodes[link->node].klass] += length;
        if (adder->route_of[link->node] != SL_NONE)
            sums->route_ps[adder->route_of[link->node]] += length;
    }
    return SL_OK;
}

static void add(struct sl_composition *sums, const struct sl_composition *more,
                const struct sl_platform *platform)
{
    sums->trials += more->trials;
    sums->total_ps += more->total_ps;
    for (uint32_t c = 0; c < platform->kappa.classes.count; c++)
        sums->class_ps[c] += more->class_ps[c];
    for (uint32_t r = 0; r < platform->route_count; r++)
        sums->route_ps[r] += more->route_ps[r];
    for (int type = 0; type < SL_EDGE_TYPES; type++)
        sums->lag_ps[type] += more->lag_ps[type];
}

static uint32_t *find_routes(const struct sl_graph *graph, struct sl_arena *arena)
{
    uint32_t *route_of = sl_arena_array(arena, (size_t)graph->node_count + 1, sizeof *route_of);
    for (uint32_t i = 0; route_of && i < graph->node_count; i++) {
        const struct sl_node *node = &graph->nodes[i];
        const struct sl_route *route = sl_platform_route(graph->platform, node->from, node->to);
        route_of[i] = route ? (uint32_t)(route - graph->platform->routes) : SL_NONE;
    }
    return route_of;
}

static enum sl_status run(struct sl_composition *sums, struct sl_trials_job *job,
                          struct adder *adders, const struct sl_graph *graph, struct sl_error *err)
{
    const uint32_t *route_of = find_routes(graph, &sums->arena);
    for (uint32_t t = 0; t < job->threads; t++) {
        adders[t] = (struct adder){.program = job->program, .graph = graph, .route_of = route_of};
        job->states[t] = &adders[t];
        if (!route_of || !sums_init(&adders[t].sums, graph->platform))
            return SL_FAIL(err, SL_SYSTEM, "out of memory for chains");
    }
    enum sl_status status = sl_trials_run(job, err);
    for (uint32_t t = 0; status == SL_OK && t < job->threads; t++)
        add(sums, &adders[t].sums, graph->platform);
    return status;
}

enum sl_status sl_composition_gather(struct sl_composition *sums, const struct sl_program *program,
                                     uint64_t seed, const uint32_t *numbers, uint32_t count,
                                     struct sl_pool *pool, struct sl_error *err)
{
    const struct sl_graph *graph = sl_program_graph(program);
    struct sl_trials_job job = {
        .program = program,
        .seed = seed,
        .trials = count,
        .numbers = numbers,
        .pool = pool,
        .threads = sl_trials_threads(pool, count),
        .visit = visit,
    };
    job.states = calloc(job.threads, sizeof *job.states);
    struct adder *adders = calloc(job.threads, sizeof *adders);
    enum sl_status status = sums_init(sums, graph->platform) && job.states && adders
                                ? run(sums, &job, adders, graph, err)
                                : SL_FAIL(err, SL_SYSTEM, "out of memory for chains");
    for (uint32_t t = 0; adders && t < job.threads; t++)
        sl_composition_free(&adders[t].sums);
    free(adders);
    free(job.states);
    return status;
}

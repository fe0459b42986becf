/* A trial without chance: constants in the place of distributions, factors and guards. */
#include "mean_run.h"
#include "keysort.h"
#include "order_model.h"
#include <stdlib.h>

static enum sl_status set_constants(struct sl_graph *copy, const struct sl_graph *graph,
                                    const struct sl_order_durations *means, struct sl_error *err)
{
    const struct sl_dist *unit;
    enum sl_status status =
        sl_dist_parse(&unit, "1ps", SL_DIST_TIME, NULL, (struct sl_place){0}, &copy->arena, err);
    for (uint32_t i = 0; i < graph->node_count && status == SL_OK; i++) {
        if (!graph->nodes[i].dist)
            continue;
        struct sl_node *node = sl_graph_edit_node(copy, i, err);
        if (!node)
            return SL_SYSTEM;
        node->dist = unit;
        node->scale = (double)means->hold_ps[i];
        node->latency_scale = (double)means->latency_ps[i];
        node->times = node->steps = NULL;
        node->steps_mean = 1;
    }
    copy->factor_count = 0;
    for (uint32_t g = 0; g < copy->guard_count; g++) {
        copy->guards[g].probability = copy->guards[g].probability >= 0.5 ? 1 : 0;
        copy->guards[g].factor = NULL;
    }
    return status;
}

static enum sl_status make_constant(struct sl_graph **constant, const struct sl_graph *graph,
                                    struct sl_error *err)
{
    struct sl_order_durations means;
    *constant = sl_graph_copy(graph);
    enum sl_status status = sl_order_durations_make(&means, graph, err);
    if (status == SL_OK && !*constant)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for a run at means");
    if (status == SL_OK)
        status = set_constants(*constant, graph, &means, err);
    sl_order_durations_free(&means);
    return status == SL_OK ? sl_graph_finish(*constant, err) : status;
}

static bool sort_starts(struct sl_mean_run *run, const struct sl_graph *graph)
{
    uint32_t nodes = graph->node_count;
    size_t room = (size_t)nodes + 1;
    struct sl_keyed *keyed = malloc(2 * room * sizeof *keyed);
    if (!keyed)
        return false;
    for (uint32_t t = 0; t < nodes; t++) {
        uint32_t i = graph->topo[t];
        keyed[t] = (struct sl_keyed){run->start_ps[i] < 0 ? INT64_MAX : run->start_ps[i], i};
    }
    sl_sort_keyed(keyed, keyed + room, nodes);
    for (uint32_t i = 0; i < nodes; i++)
        run->order[i] = keyed[i].value;
    free(keyed);
    return true;
}

static enum sl_status keep(struct sl_mean_run *run, const struct sl_trial *trial,
                           const struct sl_graph *graph, struct sl_error *err)
{
    uint32_t nodes = graph->node_count;
    size_t room = (size_t)nodes + 1;
    run->start_ps = sl_arena_array(&run->arena, room, sizeof *run->start_ps);
    run->finish_ps = sl_arena_array(&run->arena, room, sizeof *run->finish_ps);
    run->state = sl_arena_array(&run->arena, room, sizeof *run->state);
    run->order = sl_arena_array(&run->arena, room, sizeof *run->order);
    if (!run->start_ps || !run->finish_ps || !run->order || !run->state)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a run at means");
    for (uint32_t i = 0; i < nodes; i++) {
        bool ran = trial->state[i] == SL_RAN || trial->start_ps[i] >= 0;
        run->state[i] = trial->state[i];
        run->finish_ps[i] = trial->finish_ps[i];
        run->start_ps[i] = ran ? trial->start_ps[i] : trial->finish_ps[i];
    }
    run->makespan_ps = trial->makespan_ps;
    return sort_starts(run, graph) ? SL_OK
                                   : SL_FAIL(err, SL_SYSTEM, "out of memory for a run at means");
}

enum sl_status sl_mean_run(struct sl_mean_run *run, const struct sl_graph *graph,
                           const struct sl_engine_options *options, struct sl_error *err)
{
    *run = (struct sl_mean_run){0};
    struct sl_graph *constant;
    struct sl_program *program = NULL;
    struct sl_worker *worker = NULL;
    const struct sl_trial *trial;
    enum sl_status status = make_constant(&constant, graph, err);
    if (status == SL_OK)
        status = sl_program_create(&program, constant, options, err);
    if (status == SL_OK)
        status = sl_worker_create(&worker, program, err);
    if (status == SL_OK)
        status = sl_worker_run(worker, 1, 0, 0, &trial, err);
    if (status == SL_OK)
        status = keep(run, trial, graph, err);
    sl_worker_free(worker);
    sl_program_free(program);
    sl_graph_free(constant);
    return status;
}

void sl_mean_run_free(struct sl_mean_run *run)
{
    sl_arena_free(&run->arena);
    *run = (struct sl_mean_run){0};
}

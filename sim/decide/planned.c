/* A plan's works over its first trials. */
#include "config.h"

#include "planned.h"
#include <math.h>
#include <string.h>

#define MOST_STARTS 4000000u /* trials x works */
#define PS_PER_US   1e6

struct visit {
    struct sl_planned *planned;
    struct sl_beside_work *beside; /* scratch */
    uint32_t trials, visited;
};

static bool is_work(const struct sl_node *node)
{
    return node->demands.count > 0 && node->dist;
}

static void find_class(struct sl_planned *planned, struct sl_planned_work *work, bool *too_many)
{
    uint32_t klass = planned->graph->nodes[work->node].klass, at = 0;
    if (klass == SL_NONE)
        return;
    while (at < planned->class_count && planned->classes[at] != klass)
        at++;
    if (at == SL_BESIDE_CLASSES) {
        *too_many = true;
        return;
    }
    if (at == planned->class_count)
        planned->classes[planned->class_count++] = klass;
    work->klass = at;
}

static enum sl_status list_works(struct sl_planned *planned, struct sl_error *err)
{
    const struct sl_graph *graph = planned->graph;
    size_t nodes = (size_t)graph->node_count + 1;
    bool too_many = false;
    planned->works = sl_arena_array(&planned->arena, nodes, sizeof *planned->works);
    planned->work_of = sl_arena_array(&planned->arena, nodes, sizeof *planned->work_of);
    if (!planned->works || !planned->work_of)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct sl_node *node = &graph->nodes[i];
        planned->work_of[i] = SL_NONE;
        if (!is_work(node))
            continue;
        struct sl_planned_work *work = &planned->works[planned->count];
        *work = (struct sl_planned_work){i, SL_NONE, sl_node_groups(graph, node), 0, 0};
        find_class(planned, work, &too_many);
        planned->work_of[i] = planned->count++;
    }
    if (too_many)
        planned->class_count = 0;
    for (uint32_t w = 0; too_many && w < planned->count; w++)
        planned->works[w].klass = SL_NONE;
    return SL_OK;
}

static uint32_t part_of(const struct visit *visit)
{
    return (uint32_t)((uint64_t)visit->visited * SL_BESIDE_PARTS / visit->trials);
}

static enum sl_status visit(void *state, const struct sl_trial *record, struct sl_error *err)
{
    struct visit *visit = state;
    struct sl_planned *planned = visit->planned;
    uint32_t part = part_of(visit), count = 0;
    visit->visited++;
    if (record->outcome != SL_DONE)
        return SL_OK;
    double *starts = planned->start_us + (size_t)planned->trials++ * planned->count;
    planned->mean_us += (double)record->makespan_ps / PS_PER_US;
    for (uint32_t w = 0; w < planned->count; w++) {
        struct sl_planned_work *work = &planned->works[w];
        bool ran = record->state[work->node] == SL_RAN;
        starts[w] = ran ? (double)record->start_ps[work->node] / PS_PER_US : (double)NAN;
        if (!ran)
            continue;
        work->isolated_us += (double)record->duration_ps[work->node] / PS_PER_US;
        visit->beside[count++] =
            (struct sl_beside_work){.from_ns = record->start_ps[work->node] / 1000,
                                    .to_ns = record->free_ps[work->node] / 1000,
                                    .isolated_ns = (double)record->duration_ps[work->node] / 1000,
                                    .groups = work->groups,
                                    .klass = work->klass};
    }
    return sl_beside_add(planned->beside, part, visit->beside, count, err);
}

/* Sums become means. */
static void reduce(struct sl_planned *planned)
{
    planned->mean_us /= planned->trials;
    for (uint32_t w = 0; w < planned->count; w++) {
        uint32_t ran = 0;
        double start_us = 0;
        for (uint32_t t = 0; t < planned->trials; t++) {
            double at = planned->start_us[(size_t)t * planned->count + w];
            start_us += isnan(at) ? 0 : at;
            ran += isnan(at) ? 0 : 1;
        }
        planned->works[w].isolated_us = planned->works[w].isolated_us / ran; /* NAN: 0 / 0 */
        planned->works[w].start_us = start_us / ran;
    }
}

static enum sl_status run(struct sl_planned *planned, const struct sl_program *program,
                          uint64_t seed, uint32_t trials, struct sl_error *err)
{
    struct visit state = {.planned = planned, .trials = trials};
    struct sl_worker *worker = NULL;
    uint32_t done = 0;
    uint32_t *numbers = sl_arena_array(&planned->arena, (size_t)trials + 1, sizeof *numbers);
    planned->start_us = sl_arena_array(&planned->arena, (size_t)trials * planned->count + 1,
                                       sizeof *planned->start_us);
    state.beside =
        sl_arena_array(&planned->arena, (size_t)planned->count + 1, sizeof *state.beside);
    if (!numbers || !planned->start_us || !state.beside)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t t = 0; t < trials; t++)
        numbers[t] = t;
    enum sl_status status = sl_worker_create(&worker, program, err);
    if (status == SL_OK)
        status = sl_worker_run_all(worker, seed, numbers, trials, 0, visit, &state, &done, err);
    sl_worker_free(worker);
    return status;
}

enum sl_status sl_planned_make(struct sl_planned *planned, const struct sl_program *program,
                               uint64_t seed, uint32_t trials, struct sl_error *err)
{
    *planned = (struct sl_planned){.graph = sl_program_graph(program)};
    enum sl_status status = list_works(planned, err);
    if (status == SL_OK)
        status = sl_beside_create(&planned->beside, planned->class_count, SL_BESIDE_PARTS, err);
    if (status != SL_OK)
        return status;
    uint32_t most = planned->count > 0 ? MOST_STARTS / planned->count + 1 : trials;
    status = run(planned, program, seed, trials < most ? trials : most, err);
    if (status == SL_OK && planned->trials == 0)
        return SL_FAIL(err, SL_NO, "no trial of the plan completes");
    if (status == SL_OK)
        reduce(planned);
    return status;
}

void sl_planned_free(struct sl_planned *planned)
{
    sl_beside_free(planned->beside);
    sl_arena_free(&planned->arena);
}

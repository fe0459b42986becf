/* From trial records to a cell's arrays and sums.
 *
 * Each thread writes the trials that it ran into arrays indexed by trial, and keeps integer sums of
 * its own; integer addition does not depend on order, so neither does the result. */
#include "cellparts.h"
#include "node_sums.h"
#include "tallies.h"
#include <stdlib.h>
#include <string.h>

/* What one thread gathers. */
struct collector {
    struct sl_cell *cell;
    struct sl_measurer *measurer;
    bool first; /* it adds to the cell's own sums by node: others are merged into them */
    struct sl_node_sums nodes;
    uint8_t *kind; /* by node; nodes themselves are far apart */
    int64_t *chain_kind_cause_ps, *overlap_ps, *class_busy_ps;
    int64_t makespan_sum; /* bounds every other sum of times */
    uint32_t deadlocked, first_deadlock;
    void *tallies[SL_TALLIES]; /* parts; NULL: nothing to do */
    char deadlock[512];
    bool hypothetical;
    bool opened; /* its thread got a trial */
    struct sl_arena arena;
};

static enum sl_status collector_init(struct collector *collector, struct sl_error *err)
{
    const struct sl_cell *cell = collector->cell;
    uint32_t n = cell->plan.graph->node_count;
    size_t classes = cell->plan.graph->platform->kappa.classes.count;
    struct sl_arena *arena = &collector->arena;
    collector->first_deadlock = SL_NONE;
    collector->kind = sl_arena_array(arena, (size_t)n + 1, sizeof *collector->kind);
    collector->chain_kind_cause_ps =
        sl_arena_array(arena, (size_t)SL_CHAIN_ROWS * SL_CAUSES, sizeof(int64_t));
    collector->overlap_ps = sl_arena_array(arena, classes * classes + 1, sizeof(int64_t));
    collector->class_busy_ps = sl_arena_array(arena, classes + 1, sizeof(int64_t));
    if (!sl_node_sums_init(&collector->nodes, n, collector->first ? &cell->nodes : NULL, arena) ||
        !collector->kind || !collector->chain_kind_cause_ps || !collector->overlap_ps ||
        !collector->class_busy_ps)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the sums of %u nodes", (unsigned)n);
    for (uint32_t i = 0; i < n; i++)
        collector->kind[i] = (uint8_t)cell->plan.graph->nodes[i].kind;
    return sl_measurer_create(&collector->measurer, cell->plan.graph, err);
}

static enum sl_status open_tallies(struct collector *collector, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (size_t k = 0; k < SL_TALLIES && status == SL_OK; k++)
        status =
            sl_tallies[k]->open(&collector->tallies[k], collector->cell, &collector->arena, err);
    return status;
}

static enum sl_status open_collector(void *state, struct sl_error *err)
{
    struct collector *collector = state;
    enum sl_status status = collector_init(collector, err);
    if (status == SL_OK)
        status = open_tallies(collector, err);
    collector->opened = status == SL_OK;
    return status;
}

static void collector_free(struct collector *collector)
{
    for (size_t k = 0; k < SL_TALLIES; k++)
        if (collector->tallies[k] && sl_tallies[k]->close)
            sl_tallies[k]->close(collector->tallies[k]);
    sl_measurer_free(collector->measurer);
    sl_arena_free(&collector->arena);
}

static void collect_waits(struct collector *collector, const struct sl_trial *record)
{
    struct sl_cell *cell = collector->cell;
    int64_t bound = cell->scenario->starvation_bound_ps;
    sl_node_sums_add(&collector->nodes, record, bound < 0 ? INT64_MAX : bound,
                     &cell->max_wait_ps[record->trial], &cell->starved[record->trial]);
}

static void collect_chain(struct collector *collector, const struct sl_trial *record)
{
    int64_t *sums = collector->chain_kind_cause_ps, *waits = sums + SL_NODE_KINDS * SL_CAUSES;
    for (uint32_t k = 0; k < record->chain_count; k++) {
        struct sl_chain_place at = sl_trial_chain_place(record, k);
        if (at.wait_ps)
            waits[sl_trial_wait_cause(record, at.run)] += at.wait_ps;
        if (!at.ran)
            continue;
        uint32_t node = sl_trial_node(record, collector->nodes.nodes, at.run);
        int64_t length = at.end_ps - at.begin_ps;
        sums[collector->kind[node] * SL_CAUSES + record->cause[at.run]] += length;
        sl_node_sums_add_chain(&collector->nodes, record->trial, node, length);
    }
}

static void collect_overlap(struct collector *collector, const struct sl_trial *record)
{
    size_t classes = collector->cell->plan.graph->platform->kappa.classes.count;
    for (size_t k = 0; k < classes * classes; k++)
        collector->overlap_ps[k] += record->overlap_ps[k];
    for (size_t c = 0; c < classes; c++)
        collector->class_busy_ps[c] += record->class_busy_ps[c];
}

static enum sl_status collect_times(struct collector *collector, const struct sl_trial *record,
                                    struct sl_error *err)
{
    struct sl_cell *cell = collector->cell;
    struct sl_stalls stalls;
    struct sl_bounds bounds;
    enum sl_status status = sl_measure_stalls(collector->measurer, record,
                                              cell->scenario->objective.busy, &stalls, err);
    if (status != SL_OK)
        return status;
    sl_measure_bounds(collector->measurer, record, &bounds);
    memcpy(&cell->stall_ps[(size_t)record->trial * SL_STALLS], stalls.idle_ps,
           sizeof stalls.idle_ps);
    cell->bound_path_ps[record->trial] = bounds.path_ps;
    cell->bound_load_ps[record->trial] = bounds.load_ps;
    return SL_OK;
}

static void collect_deadlock(struct collector *collector, const struct sl_trial *record)
{
    /* What was ready and never started waited too, perhaps for bytes. */
    for (uint32_t i = 0; i < collector->cell->plan.graph->node_count; i++)
        collector->nodes.short_of_capacity[i] |= record->ready_ps[i] >= 0 &&
                                                 record->start_ps[i] < 0 &&
                                                 record->state[i] == SL_UNFINISHED;
    /* A thread's trials come in rising order, so the first it meets is its smallest. */
    if (collector->deadlocked++ == 0) {
        collector->first_deadlock = record->trial;
        snprintf(collector->deadlock, sizeof collector->deadlock, "%s",
                 record->deadlock ? record->deadlock : "");
    }
}

static enum sl_status collect_tallies(struct collector *collector, const struct sl_trial *record,
                                      struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (size_t k = 0; k < SL_TALLIES && status == SL_OK; k++)
        if (collector->tallies[k])
            status = sl_tallies[k]->visit(collector->tallies[k], record, err);
    return status;
}

static enum sl_status sum_overflow(struct sl_error *err)
{
    return SL_FAIL(err, SL_INVALID,
                   "the makespans of all trials sum to more than 106 days of simulated time, above "
                   "the range of 64-bit picoseconds; run fewer trials");
}

static enum sl_status collect(void *state, const struct sl_trial *record, struct sl_error *err)
{
    struct collector *collector = state;
    struct sl_cell *cell = collector->cell;
    size_t domains = cell->plan.graph->platform->domain_names.count;
    size_t at = (size_t)record->trial * domains;
    cell->metric_ps[record->trial] = record->makespan_ps;
    for (size_t d = 0; d < domains; d++) {
        cell->peak_bytes[at + d] = record->peak_bytes[d];
        cell->staging_byte_s[at + d] = record->staging_byte_s[d];
    }
    collector->hypothetical |= record->hypothetical;
    if (record->outcome == SL_DEADLOCK) {
        cell->metric_ps[record->trial] = INT64_MAX;
        collect_deadlock(collector, record);
        return collect_tallies(collector, record, err);
    }
    int64_t all;
    if (__builtin_add_overflow(collector->makespan_sum, record->makespan_ps,
                               &collector->makespan_sum) ||
        __builtin_add_overflow(collector->makespan_sum, cell->makespan_sum_ps, &all))
        return sum_overflow(err);
    collect_waits(collector, record);
    collect_overlap(collector, record);
    collect_chain(collector, record);
    enum sl_status status = collect_times(collector, record, err);
    return status == SL_OK ? collect_tallies(collector, record, err) : status;
}

static void mark_domains(struct sl_cell *cell, const struct sl_node *node)
{
    const struct sl_graph *graph = cell->plan.graph;
    for (uint32_t k = 0; k < node->takes.count; k++) {
        uint32_t holding = graph->holdings_pool[node->takes.first + k];
        cell->limit_mattered[graph->holdings[holding].domain] = true;
    }
    for (uint32_t k = 0; k < node->workspace.count; k++)
        cell->limit_mattered[graph->amounts[node->workspace.first + k].domain] = true;
    for (uint32_t k = 0; k < node->staging.count; k++)
        cell->limit_mattered[graph->amounts[node->staging.first + k].domain] = true;
}

static void add_sums(struct sl_cell *cell, const struct collector *collector)
{
    const struct sl_graph *graph = cell->plan.graph;
    size_t classes = graph->platform->kappa.classes.count;
    cell->node_runs += sl_node_sums_merge(&cell->nodes, &collector->nodes);
    for (size_t k = 0; k < (size_t)SL_CHAIN_ROWS * SL_CAUSES; k++)
        cell->chain_kind_cause_ps[k] += collector->chain_kind_cause_ps[k];
    for (size_t k = 0; k < classes * classes; k++)
        cell->overlap_ps[k] += collector->overlap_ps[k];
    for (size_t c = 0; c < classes; c++)
        cell->class_busy_ps[c] += collector->class_busy_ps[c];
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (collector->nodes.short_of_capacity[i])
            mark_domains(cell, &graph->nodes[i]);
    cell->hypothetical |= collector->hypothetical;
    cell->deadlocked += collector->deadlocked;
}

enum sl_status sl_cell_add_makespans(struct sl_cell *cell, int64_t sum_ps, struct sl_error *err)
{
    return __builtin_add_overflow(cell->makespan_sum_ps, sum_ps, &cell->makespan_sum_ps)
               ? sum_overflow(err)
               : SL_OK;
}

static enum sl_status merge(struct sl_cell *cell, const struct collector *collectors,
                            uint32_t count, struct sl_error *err)
{
    bool known = cell->deadlocked > 0;    /* in an earlier lot, which has smaller trials */
    const struct collector *first = NULL; /* with the smallest deadlocked trial */
    enum sl_status status = SL_OK;
    for (uint32_t t = 0; t < count && status == SL_OK; t++)
        status = sl_cell_add_makespans(cell, collectors[t].makespan_sum, err);
    if (status != SL_OK)
        return status;
    for (uint32_t t = 0; t < count; t++) {
        if (!collectors[t].opened)
            continue;
        add_sums(cell, &collectors[t]);
        if (collectors[t].deadlocked > 0 &&
            (!first || collectors[t].first_deadlock < first->first_deadlock))
            first = &collectors[t];
    }
    if (first && !known)
        snprintf(cell->reason, sizeof cell->reason, "trial %u: %.450s",
                 (unsigned)first->first_deadlock, first->deadlock);
    return SL_OK;
}

static enum sl_status merge_tallies(struct sl_cell *cell, const struct collector *collectors,
                                    uint32_t count, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (size_t k = 0; k < SL_TALLIES; k++)
        for (uint32_t t = 0; t < count && status == SL_OK; t++)
            if (collectors[t].tallies[k])
                status = sl_tallies[k]->add(cell, collectors[t].tallies[k], err);
    return status;
}

enum sl_status sl_cell_finish_tallies(struct sl_cell *cell, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (size_t k = 0; k < SL_TALLIES && status == SL_OK; k++)
        if (sl_tallies[k]->finish)
            status = sl_tallies[k]->finish(cell, err);
    return status;
}

static bool reserve_sums(struct sl_cell *cell)
{
    struct sl_arena *arena = &cell->arena;
    size_t classes = cell->plan.graph->platform->kappa.classes.count;
    size_t domains = cell->plan.graph->platform->domain_names.count;
    cell->chain_kind_cause_ps =
        sl_arena_array(arena, (size_t)SL_CHAIN_ROWS * SL_CAUSES, sizeof(int64_t));
    cell->overlap_ps = sl_arena_array(arena, classes * classes + 1, sizeof(int64_t));
    cell->class_busy_ps = sl_arena_array(arena, classes + 1, sizeof(int64_t));
    cell->limit_mattered = sl_arena_array(arena, domains + 1, sizeof(bool));
    return sl_node_totals_init(&cell->nodes, cell->plan.graph->node_count, arena) &&
           cell->chain_kind_cause_ps && cell->overlap_ps && cell->class_busy_ps &&
           cell->limit_mattered;
}

enum sl_status sl_cell_begin(struct sl_cell *cell, struct sl_error *err)
{
    enum sl_status status = reserve_sums(cell)
                                ? SL_OK
                                : SL_FAIL(err, SL_SYSTEM, "out of memory for the sums of %u nodes",
                                          (unsigned)cell->plan.graph->node_count);
    for (size_t k = 0; k < SL_TALLIES && status == SL_OK; k++)
        status = sl_tallies[k]->begin(cell, err);
    return status;
}

enum sl_status sl_cell_grow_tallies(struct sl_cell *cell, uint32_t had, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (size_t k = 0; k < SL_TALLIES && status == SL_OK; k++)
        if (sl_tallies[k]->grow)
            status = sl_tallies[k]->grow(cell, had, err);
    return status;
}

enum sl_status sl_cell_collect(struct sl_cell *cell, uint32_t had, struct sl_trials_job *job,
                               struct sl_error *err)
{
    enum sl_status status = SL_OK;
    struct collector *collectors = calloc(job->threads, sizeof *collectors);
    void **states = calloc(job->threads, sizeof *states);
    if (!collectors || !states)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (status == SL_OK) {
        for (uint32_t t = 0; t < job->threads; t++) {
            collectors[t].cell = cell;
            collectors[t].first = t == 0;
            states[t] = &collectors[t];
        }
        job->program = cell->program;
        job->first = had;
        job->trials = cell->trials - had;
        job->open = open_collector;
        job->visit = collect;
        job->states = states;
        job->flags = 0;
        status = sl_trials_run(job, err);
    }
    if (status == SL_OK)
        status = merge(cell, collectors, job->threads, err);
    if (status == SL_OK)
        status = merge_tallies(cell, collectors, job->threads, err);
    for (uint32_t t = 0; collectors && t < job->threads; t++)
        collector_free(&collectors[t]);
    free(collectors);
    free(states);
    return status;
}

static enum sl_status collect_metric(void *state, const struct sl_trial *record,
                                     struct sl_error *err)
{
    (void)err;
    struct sl_cell *cell = state;
    cell->metric_optimistic_ps[record->trial] =
        record->outcome == SL_DEADLOCK ? INT64_MAX : record->makespan_ps;
    return SL_OK;
}

enum sl_status sl_cell_collect_optimistic(struct sl_cell *cell, struct sl_trials_job *job,
                                          struct sl_error *err)
{
    struct sl_engine_options engine = cell->plan.engine;
    engine.corner = SL_CORNER_OPTIMISTIC;
    struct sl_program *program = NULL;
    void **states = calloc(job->threads, sizeof *states);
    cell->metric_optimistic_ps = sl_arena_array(&cell->arena, cell->trials, sizeof(int64_t));
    enum sl_status status = SL_OK;
    if (!states || !cell->metric_optimistic_ps)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (status == SL_OK)
        status = sl_program_create(&program, cell->plan.graph, &engine, err);
    if (status == SL_OK) {
        for (uint32_t t = 0; t < job->threads; t++)
            states[t] = cell; /* threads write different trials only */
        job->program = program;
        job->open = NULL;
        job->visit = collect_metric;
        job->states = states;
        job->flags = 0;
        status = sl_trials_run(job, err);
    }
    sl_program_free(program);
    free(states);
    return status;
}

/* Windows [ready, latest start] of every node: at means, and as each trial realised them.
 *
 *     per trial:  r = ready,   d = finish - start,   end = makespan,   slack = latest start - r
 *
 * A pass over the graph per trial costs a good part of the trial itself, so only the first trials
 * take part. */
#include <config.h>

#include "cellparts.h"
#include "tallies.h"
#include "windows.h"

struct count {
    int64_t ready_ps; /* summed; at most the sum of makespans, which is checked */
    uint32_t ran, negative, exposed, late;
};

struct part {
    struct sl_cell *cell;
    struct sl_windows *windows;
    int64_t *duration_ps;
    uint8_t *roles;
    struct count *counts; /* by node */
    uint32_t completed;
};

/* A fallback of the node, or of the one whose deadline limits it, is still to be had. */
static bool guarded(const struct sl_graph *graph, const uint8_t *roles, uint32_t node,
                    uint32_t limit)
{
    return graph->nodes[node].fallback.i != SL_NONE ||
           (limit != SL_NONE && roles[limit] == SL_WINDOW_RUNS &&
            graph->nodes[limit].fallback.i != SL_NONE);
}

static enum sl_status make_windows(struct sl_windows **windows, int64_t **duration_ps,
                                   uint8_t **roles, const struct sl_graph *graph,
                                   struct sl_arena *arena, struct sl_error *err)
{
    *duration_ps = sl_arena_array(arena, (size_t)graph->node_count + 1, sizeof **duration_ps);
    *roles = sl_arena_array(arena, (size_t)graph->node_count + 1, sizeof **roles);
    if (!*duration_ps || !*roles)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for windows");
    return sl_windows_create(windows, graph, err);
}

static enum sl_status windows_at_means(struct sl_cell *cell, struct sl_error *err)
{
    const struct sl_graph *graph = cell->plan.graph;
    struct sl_windows *windows = NULL;
    int64_t *duration_ps;
    uint8_t *roles;
    struct sl_arena arena = {0};
    enum sl_status status = make_windows(&windows, &duration_ps, &roles, graph, &arena, err);
    if (status == SL_OK) {
        sl_windows_means(graph, duration_ps, roles);
        int64_t end = sl_windows_ready(windows, duration_ps, roles);
        sl_windows_latest(windows, duration_ps, roles, end);
    }
    for (uint32_t i = 0; status == SL_OK && i < graph->node_count; i++) {
        struct sl_node_window *window = &cell->windows[i];
        window->idle = roles[i] != SL_WINDOW_RUNS;
        window->mean_ready_ps = windows->ready_ps[i];
        window->mean_latest_ps = windows->latest_start_ps[i];
        window->mean_limit = windows->limit[i];
        window->mean_exposed = !window->idle && window->mean_latest_ps < window->mean_ready_ps &&
                               !guarded(graph, roles, i, window->mean_limit);
    }
    sl_windows_free(windows);
    sl_arena_free(&arena);
    return status;
}

static enum sl_status begin(struct sl_cell *cell, struct sl_error *err)
{
    uint32_t n = cell->plan.graph->node_count;
    cell->windows = sl_arena_array(&cell->arena, (size_t)n + 1, sizeof *cell->windows);
    if (!cell->windows)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the windows of %u nodes", (unsigned)n);
    return windows_at_means(cell, err);
}

static enum sl_status grow(struct sl_cell *cell, uint32_t had, struct sl_error *err)
{
    uint32_t n = cell->plan.graph->node_count;
    uint32_t kept_before = sl_tally_first_trials(had, n);
    uint32_t kept = sl_tally_first_trials(cell->trials, n);
    cell->slack_trials = kept;
    cell->slack_ps =
        sl_cell_more_rows(cell, cell->slack_ps, kept_before, kept, n * sizeof *cell->slack_ps);
    if (!cell->slack_ps)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the windows of %u nodes", (unsigned)n);
    for (size_t k = (size_t)kept_before * n; k < (size_t)kept * n; k++)
        cell->slack_ps[k] = SL_SLACK_DID_NOT_RUN;
    return SL_OK;
}

static enum sl_status open_part(void **out, struct sl_cell *cell, struct sl_arena *arena,
                                struct sl_error *err)
{
    const struct sl_graph *graph = cell->plan.graph;
    struct part *part = *out = sl_arena_alloc(arena, sizeof *part);
    if (part)
        part->counts = sl_arena_array(arena, (size_t)graph->node_count + 1, sizeof *part->counts);
    if (!part || !part->counts)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for windows");
    part->cell = cell;
    return make_windows(&part->windows, &part->duration_ps, &part->roles, graph, arena, err);
}

static void read_record(struct part *part, const struct sl_trial *record)
{
    static const uint8_t role_of[] = {
        [SL_UNFINISHED] = SL_WINDOW_PASSES,
        [SL_RAN] = SL_WINDOW_RUNS,
        [SL_SKIPPED] = SL_WINDOW_PASSES,
        [SL_CANCELLED] = SL_WINDOW_REPLACED,
    };
    for (uint32_t i = 0; i < part->cell->plan.graph->node_count; i++) {
        part->roles[i] = role_of[record->state[i]];
        part->duration_ps[i] = record->finish_ps[i] - record->start_ps[i];
    }
}

static int64_t difference(int64_t a, int64_t b)
{
    int64_t result;
    if (__builtin_sub_overflow(a, b, &result))
        return a < b ? INT64_MIN + 1 : INT64_MAX;
    return result;
}

static enum sl_status visit(void *state, const struct sl_trial *record, struct sl_error *err)
{
    (void)err;
    struct part *part = state;
    struct sl_cell *cell = part->cell;
    const struct sl_graph *graph = cell->plan.graph;
    if (record->trial >= cell->slack_trials || record->outcome != SL_DONE)
        return SL_OK;
    read_record(part, record);
    sl_windows_latest(part->windows, part->duration_ps, record->all_ran ? NULL : part->roles,
                      record->makespan_ps);
    int64_t *slacks = &cell->slack_ps[(size_t)record->trial * graph->node_count];
    part->completed++;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (part->roles[i] != SL_WINDOW_RUNS)
            continue;
        struct count *count = &part->counts[i];
        int64_t ready = record->ready_ps[i], latest = part->windows->latest_start_ps[i];
        slacks[i] = difference(latest, ready);
        count->ran++;
        count->ready_ps += ready;
        count->late += latest < record->start_ps[i];
        if (latest < ready) {
            count->negative++;
            count->exposed += !guarded(graph, part->roles, i, part->windows->limit[i]);
        }
    }
    return SL_OK;
}

static enum sl_status add(struct sl_cell *cell, const void *state, struct sl_error *err)
{
    (void)err;
    const struct part *part = state;
    cell->window_trials += part->completed;
    for (uint32_t i = 0; i < cell->plan.graph->node_count; i++) {
        struct sl_node_window *window = &cell->windows[i];
        const struct count *count = &part->counts[i];
        window->ready_sum_ps += count->ready_ps;
        window->ran += count->ran;
        window->negative += count->negative;
        window->exposed += count->exposed;
        window->late += count->late;
    }
    return SL_OK;
}

static void exchange(struct sl_cell *cell, struct sl_portion *portion)
{
    uint32_t n = cell->plan.graph->node_count;
    sl_wire_sum_u32(&portion->wire, &cell->window_trials, 1);
    for (uint32_t i = 0; i < n; i++) {
        struct sl_node_window *window = &cell->windows[i];
        sl_wire_sum_i64(&portion->wire, &window->ready_sum_ps, 1);
        sl_wire_sum_u32(&portion->wire, &window->ran, 1);
        sl_wire_sum_u32(&portion->wire, &window->negative, 1);
        sl_wire_sum_u32(&portion->wire, &window->exposed, 1);
        sl_wire_sum_u32(&portion->wire, &window->late, 1);
    }
    sl_portion_rows(portion, cell->slack_ps,
                    sl_tally_first_trials(portion->first + portion->trials, n),
                    n * sizeof *cell->slack_ps);
}

static void close_part(void *state)
{
    struct part *part = state;
    sl_windows_free(part->windows);
}

/* Estimates look shares up: those of the numbers of trials that some node has. */
static enum sl_status finish(struct sl_cell *cell, struct sl_error *err)
{
    struct sl_proportions *shares = &cell->window_shares;
    bool ok = sl_proportions_open(shares, cell->window_trials, SL_LEVEL_CONFIDENCE, &cell->arena);
    for (uint32_t i = 0; ok && i < cell->plan.graph->node_count; i++) {
        (void)sl_proportions_at(shares, cell->windows[i].negative);
        (void)sl_proportions_at(shares, cell->windows[i].exposed);
    }
    return ok ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory for windows");
}

const struct sl_tally sl_tally_windows = {.begin = begin,
                                          .grow = grow,
                                          .open = open_part,
                                          .visit = visit,
                                          .add = add,
                                          .exchange = exchange,
                                          .close = close_part,
                                          .finish = finish};

/* Every resource's time over the first trials: busy, idle by cause, drained.  Each trial's parts
 * sum to its makespan, which sl_measure_stalls sees to. */
#include "tallies.h"

struct part {
    struct sl_cell *cell;
    struct sl_measurer *measurer;
    struct sl_stalls *sums; /* by resource; at most the sum of makespans, which is checked */
    uint32_t trials;
};

static uint32_t resource_count(const struct sl_cell *cell)
{
    return cell->plan.graph->platform->resource_names.count;
}

static enum sl_status begin(struct sl_cell *cell, struct sl_error *err)
{
    uint32_t resources = resource_count(cell);
    cell->resource_stalls =
        sl_arena_array(&cell->arena, (size_t)resources + 1, sizeof *cell->resource_stalls);
    return cell->resource_stalls
               ? SL_OK
               : SL_FAIL(err, SL_SYSTEM, "out of memory for the time of %u resources", resources);
}

static enum sl_status open_part(void **out, struct sl_cell *cell, struct sl_arena *arena,
                                struct sl_error *err)
{
    uint32_t resources = resource_count(cell);
    struct part *part = *out = sl_arena_alloc(arena, sizeof *part);
    if (part)
        part->sums = sl_arena_array(arena, (size_t)resources + 1, sizeof *part->sums);
    if (!part || !part->sums)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the time of %u resources", resources);
    part->cell = cell;
    return sl_measurer_create(&part->measurer, cell->plan.graph, err);
}

static enum sl_status visit(void *state, const struct sl_trial *record, struct sl_error *err)
{
    struct part *part = state;
    uint32_t resources = resource_count(part->cell);
    uint32_t most =
        sl_tally_first_trials(part->cell->trials, part->cell->plan.graph->node_count + resources);
    if (record->trial >= most || record->outcome != SL_DONE)
        return SL_OK;
    part->trials++;
    for (uint32_t r = 0; r < resources; r++) {
        struct sl_stalls stalls;
        enum sl_status status = sl_measure_stalls(part->measurer, record, r, &stalls, err);
        if (status != SL_OK)
            return status;
        part->sums[r].busy_ps += stalls.busy_ps;
        for (unsigned k = 0; k < SL_STALLS; k++)
            part->sums[r].idle_ps[k] += stalls.idle_ps[k];
    }
    return SL_OK;
}

static enum sl_status add(struct sl_cell *cell, const void *state, struct sl_error *err)
{
    (void)err;
    const struct part *part = state;
    cell->stall_trials += part->trials;
    for (uint32_t r = 0; r < resource_count(cell); r++) {
        cell->resource_stalls[r].busy_ps += part->sums[r].busy_ps;
        for (unsigned k = 0; k < SL_STALLS; k++)
            cell->resource_stalls[r].idle_ps[k] += part->sums[r].idle_ps[k];
    }
    return SL_OK;
}

static void exchange(struct sl_cell *cell, struct sl_portion *portion)
{
    sl_wire_sum_u32(&portion->wire, &cell->stall_trials, 1);
    for (uint32_t r = 0; r < resource_count(cell); r++) {
        sl_wire_sum_i64(&portion->wire, &cell->resource_stalls[r].busy_ps, 1);
        sl_wire_sum_i64(&portion->wire, cell->resource_stalls[r].idle_ps, SL_STALLS);
    }
}

static void close_part(void *state)
{
    struct part *part = state;
    sl_measurer_free(part->measurer);
}

const struct sl_tally sl_tally_stalls = {
    .begin = begin, .open = open_part, .visit = visit, .add = add, .exchange = exchange, .close = close_part};

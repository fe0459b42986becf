/* What overlaps saved and cost, by pair of classes, over the first trials. */
#include "tallies.h"

struct part {
    struct sl_cell *cell;
    struct sl_class_pairs *pairs;
    struct sl_pair_sums *sums; /* class x class */
    uint32_t most, trials;
};

static size_t pair_count(const struct sl_cell *cell)
{
    size_t classes = cell->plan.graph->platform->kappa.classes.count;
    return classes <= SL_CLASS_PAIRS_MOST ? classes * classes : 0;
}

static enum sl_status begin(struct sl_cell *cell, struct sl_error *err)
{
    cell->pairs = sl_arena_array(&cell->arena, pair_count(cell) + 1, sizeof *cell->pairs);
    return cell->pairs ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory for pairs of classes");
}

static enum sl_status open_part(void **out, struct sl_cell *cell, struct sl_arena *arena,
                                struct sl_error *err)
{
    size_t count = pair_count(cell);
    if (count == 0)
        return SL_OK;
    struct part *part = *out = sl_arena_alloc(arena, sizeof *part);
    if (part)
        part->sums = sl_arena_array(arena, count, sizeof *part->sums);
    if (!part || !part->sums)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for pairs of classes");
    part->cell = cell;
    enum sl_status status =
        sl_class_pairs_create(&part->pairs, cell->plan.graph, cell->plan.engine.corner, err);
    if (status != SL_OK)
        return status;
    size_t work = sl_class_pairs_work(part->pairs);
    part->most =
        sl_tally_first_trials(cell->trials, work < UINT32_MAX ? (uint32_t)work : UINT32_MAX);
    return SL_OK;
}

static enum sl_status visit(void *state, const struct sl_trial *record, struct sl_error *err)
{
    struct part *part = state;
    if (record->trial >= part->most || record->outcome != SL_DONE)
        return SL_OK;
    part->trials++;
    return sl_class_pairs_measure(part->pairs, record, part->sums, err);
}

static enum sl_status add(struct sl_cell *cell, const void *state, struct sl_error *err)
{
    (void)err;
    const struct part *part = state;
    cell->pair_trials += part->trials;
    for (size_t k = 0; k < pair_count(cell); k++) {
        cell->pairs[k].overlap_ps += part->sums[k].overlap_ps;
        cell->pairs[k].saved_ps += part->sums[k].saved_ps;
        cell->pairs[k].inflation_ps += part->sums[k].inflation_ps;
    }
    return SL_OK;
}

static void exchange(struct sl_cell *cell, struct sl_portion *portion)
{
    sl_wire_sum_u32(&portion->wire, &cell->pair_trials, 1);
    for (size_t k = 0; k < pair_count(cell); k++) {
        sl_wire_sum_i64(&portion->wire, &cell->pairs[k].overlap_ps, 1);
        sl_wire_sum_i64(&portion->wire, &cell->pairs[k].saved_ps, 1);
        sl_wire_sum_i64(&portion->wire, &cell->pairs[k].inflation_ps, 1);
    }
}

static void close_part(void *state)
{
    struct part *part = state;
    sl_class_pairs_free(part->pairs);
}

const struct sl_tally sl_tally_class_pairs = {
    .begin = begin, .open = open_part, .visit = visit, .add = add, .exchange = exchange, .close = close_part};

/* What left while running, by object: its copies at home together. */
#include "cellparts.h"
#include "evictor.h"
#include "tallies.h"

struct part {
    const struct sl_cell *cell;
    struct sl_object_evictions *objects;
    uint32_t livelocked;
};

static bool may_leave(const struct sl_evict_copy *copy)
{
    return copy->back != SL_NONE;
}

static enum sl_status begin(struct sl_cell *cell, struct sl_error *err)
{
    const struct sl_graph *graph = cell->plan.graph;
    const struct sl_evictor *evictor = cell->plan.engine.evict.worth ? graph->evictor : NULL;
    if (!evictor)
        return SL_OK;
    uint32_t *place = sl_arena_array(&cell->arena, (size_t)graph->object_count + 1, sizeof *place);
    cell->evictions =
        sl_arena_array(&cell->arena, (size_t)graph->object_count + 1, sizeof *cell->evictions);
    cell->eviction_of =
        sl_arena_array(&cell->arena, (size_t)evictor->copy_count + 1, sizeof(uint32_t));
    if (!place || !cell->evictions || !cell->eviction_of)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for evictions");
    for (uint32_t c = 0; c < evictor->copy_count; c++) {
        const struct sl_evict_copy *copy = &evictor->copies[c];
        uint32_t object = graph->holdings[copy->holding].object.i;
        cell->eviction_of[c] = SL_NONE;
        if (!may_leave(copy))
            continue;
        if (!place[object]) {
            cell->evictions[cell->eviction_count].object = object;
            cell->evictions[cell->eviction_count].recomputed = copy->refuge == SL_NONE;
            place[object] = ++cell->eviction_count;
        }
        cell->eviction_of[c] = place[object] - 1;
    }
    return SL_OK;
}

static enum sl_status open_part(void **out, struct sl_cell *cell, struct sl_arena *arena,
                                struct sl_error *err)
{
    if (cell->eviction_count == 0)
        return SL_OK;
    struct part *part = *out = sl_arena_alloc(arena, sizeof *part);
    if (part)
        *part = (struct part){
            cell, sl_arena_array(arena, cell->eviction_count, sizeof *part->objects), 0};
    return part && part->objects ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory for evictions");
}

static enum sl_status visit(void *state, const struct sl_trial *record, struct sl_error *err)
{
    (void)err;
    struct part *part = state;
    part->livelocked += record->livelock;
    for (uint32_t c = 0; c < part->cell->plan.graph->evictor->copy_count; c++) {
        if (part->cell->eviction_of[c] == SL_NONE)
            continue;
        struct sl_copy_record *sum = &part->objects[part->cell->eviction_of[c]].sum;
        const struct sl_copy_record *copy = &record->copies[c];
        sum->evicted += copy->evicted;
        sum->moved += copy->moved;
        sum->returned += copy->returned;
        sum->thrashed += copy->thrashed;
        sum->returning_ps += copy->returning_ps;
    }
    return SL_OK;
}

static enum sl_status add(struct sl_cell *cell, const void *state, struct sl_error *err)
{
    (void)err;
    const struct part *part = state;
    cell->livelocked += part->livelocked;
    for (uint32_t k = 0; k < cell->eviction_count; k++) {
        struct sl_copy_record *sum = &cell->evictions[k].sum;
        const struct sl_copy_record *more = &part->objects[k].sum;
        sum->evicted += more->evicted;
        sum->moved += more->moved;
        sum->returned += more->returned;
        sum->thrashed += more->thrashed;
        sum->returning_ps += more->returning_ps;
    }
    return SL_OK;
}

static void exchange(struct sl_cell *cell, struct sl_portion *portion)
{
    sl_wire_sum_u32(&portion->wire, &cell->livelocked, 1);
    for (uint32_t k = 0; k < cell->eviction_count; k++) {
        struct sl_copy_record *sum = &cell->evictions[k].sum;
        sl_wire_sum_u64(&portion->wire, &sum->evicted, 1);
        sl_wire_sum_u64(&portion->wire, &sum->moved, 1);
        sl_wire_sum_u64(&portion->wire, &sum->returned, 1);
        sl_wire_sum_u64(&portion->wire, &sum->thrashed, 1);
        sl_wire_sum_i64(&portion->wire, &sum->returning_ps, 1);
    }
}

const struct sl_tally sl_tally_evictions = {
    .begin = begin, .open = open_part, .visit = visit, .add = add, .exchange = exchange};

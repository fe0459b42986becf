/* Fallbacks and guards: how often a node was cancelled, why, and whether its fallback ran. */
#include "cellparts.h"
#include "tallies.h"

struct part {
    struct sl_cell *cell;
    struct sl_fallback_use *fallbacks;
    struct sl_guard_use *guards;
    uint32_t *place; /* by guard of the graph: index in `guards` */
    bool *fails;        /* by guard, in the trial at hand */
};

static bool *guards_in_use(const struct sl_graph *graph, struct sl_arena *arena, uint32_t *count)
{
    bool *used = sl_arena_array(arena, (size_t)graph->guard_count + 1, sizeof *used);
    for (uint32_t i = 0; used && i < graph->node_count; i++)
        for (uint32_t k = 0; k < graph->nodes[i].guards.count; k++)
            used[graph->guard_terms[graph->nodes[i].guards.first + k].guard] = true;
    for (uint32_t g = 0; used && g < graph->guard_count; g++)
        *count += used[g];
    return used;
}

static enum sl_status begin(struct sl_cell *cell, struct sl_error *err)
{
    const struct sl_graph *graph = cell->plan.graph;
    uint32_t guards = 0, fallbacks = 0;
    bool *used = guards_in_use(graph, &cell->arena, &guards);
    for (uint32_t i = 0; i < graph->node_count; i++)
        fallbacks += graph->nodes[i].fallback.i != SL_NONE;
    cell->guards = sl_arena_array(&cell->arena, (size_t)guards + 1, sizeof *cell->guards);
    cell->fallbacks = sl_arena_array(&cell->arena, (size_t)fallbacks + 1, sizeof *cell->fallbacks);
    if (!used || !cell->guards || !cell->fallbacks)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for fallbacks");
    for (uint32_t g = 0; g < graph->guard_count; g++)
        if (used[g])
            cell->guards[cell->guard_count++].guard = g;
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].fallback.i != SL_NONE)
            cell->fallbacks[cell->fallback_count++].primary = i;
    return SL_OK;
}

static enum sl_status open_part(void **out, struct sl_cell *cell, struct sl_arena *arena,
                                struct sl_error *err)
{
    const struct sl_graph *graph = cell->plan.graph;
    if (cell->guard_count == 0 && cell->fallback_count == 0)
        return SL_OK;
    struct part *part = *out = sl_arena_alloc(arena, sizeof *part);
    if (!part)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for fallbacks");
    part->cell = cell;
    part->fallbacks =
        sl_arena_array(arena, (size_t)cell->fallback_count + 1, sizeof *part->fallbacks);
    part->guards = sl_arena_array(arena, (size_t)cell->guard_count + 1, sizeof *part->guards);
    part->fails = sl_arena_array(arena, (size_t)cell->guard_count + 1, sizeof *part->fails);
    part->place = sl_arena_array(arena, (size_t)graph->guard_count + 1, sizeof *part->place);
    if (!part->fallbacks || !part->guards || !part->fails || !part->place)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for fallbacks");
    for (uint32_t g = 0; g < cell->guard_count; g++)
        part->place[cell->guards[g].guard] = g;
    return SL_OK;
}

static void count_guards(struct part *part, const struct sl_trial *record)
{
    const struct sl_graph *graph = part->cell->plan.graph;
    for (uint32_t i = 0; i < graph->node_count; i++)
        for (uint32_t k = 0; k < graph->nodes[i].guards.count; k++) {
            const struct sl_guard_term *term =
                &graph->guard_terms[graph->nodes[i].guards.first + k];
            uint32_t g = part->place[term->guard];
            bool holds = record->draw_holds[sl_program_guard_draw(part->cell->program, i, k)];
            part->fails[g] |= !holds;
            part->guards[g].left_out += holds == term->negated;
        }
    for (uint32_t g = 0; g < part->cell->guard_count; g++) {
        part->guards[g].failed += part->fails[g];
        part->fails[g] = false;
    }
}

static enum sl_status visit(void *state, const struct sl_trial *record, struct sl_error *err)
{
    (void)err;
    struct part *part = state;
    if (record->guard_holds)
        count_guards(part, record);
    for (uint32_t k = 0; k < part->cell->fallback_count; k++) {
        uint32_t primary = part->cell->fallbacks[k].primary;
        struct sl_fallback_use *use = &part->fallbacks[k];
        if (record->state[primary] != SL_CANCELLED)
            continue;
        if (record->cause[primary] == SL_CAUSE_GUARD)
            use->guard_failed++;
        else
            use->late++;
        uint32_t taker = sl_tally_taker(part->cell->plan.graph, record, primary);
        use->delivered += taker != SL_NONE && record->state[taker] == SL_RAN;
    }
    return SL_OK;
}

static enum sl_status add(struct sl_cell *cell, const void *state, struct sl_error *err)
{
    (void)err;
    const struct part *part = state;
    for (uint32_t k = 0; k < cell->fallback_count; k++) {
        cell->fallbacks[k].late += part->fallbacks[k].late;
        cell->fallbacks[k].guard_failed += part->fallbacks[k].guard_failed;
        cell->fallbacks[k].delivered += part->fallbacks[k].delivered;
    }
    for (uint32_t g = 0; g < cell->guard_count; g++) {
        cell->guards[g].failed += part->guards[g].failed;
        cell->guards[g].left_out += part->guards[g].left_out;
    }
    return SL_OK;
}

static void exchange(struct sl_cell *cell, struct sl_portion *portion)
{
    for (uint32_t k = 0; k < cell->fallback_count; k++) {
        sl_wire_sum_u32(&portion->wire, &cell->fallbacks[k].late, 1);
        sl_wire_sum_u32(&portion->wire, &cell->fallbacks[k].guard_failed, 1);
        sl_wire_sum_u32(&portion->wire, &cell->fallbacks[k].delivered, 1);
    }
    for (uint32_t g = 0; g < cell->guard_count; g++) {
        sl_wire_sum_u32(&portion->wire, &cell->guards[g].failed, 1);
        sl_wire_sum_u64(&portion->wire, &cell->guards[g].left_out, 1);
    }
}

static enum sl_status finish(struct sl_cell *cell, struct sl_error *err)
{
    (void)err;
    for (uint32_t k = 0; k < cell->fallback_count; k++) {
        struct sl_fallback_use *use = &cell->fallbacks[k];
        use->share =
            sl_proportion((size_t)use->late + use->guard_failed, cell->trials, SL_LEVEL_CONFIDENCE);
    }
    for (uint32_t g = 0; g < cell->guard_count; g++)
        cell->guards[g].share =
            sl_proportion(cell->guards[g].failed, cell->trials, SL_LEVEL_CONFIDENCE);
    return SL_OK;
}

const struct sl_tally sl_tally_fallbacks = {
    .begin = begin, .open = open_part, .visit = visit, .add = add, .exchange = exchange, .finish = finish};

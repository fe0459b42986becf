/* Packing contention: cells (class, set of groups) and the islands that they form, and the pairs
 * that must not run together. */
#include "program.h"
#include <stdlib.h>
#include <string.h>

#define MOST_PAIRS (1u << 22) /* of cells and resources; beyond that, bounds are coarse */

static uint32_t find_cell(struct sl_program *p, uint32_t klass, uint64_t groups)
{
    for (uint32_t c = 0; c < p->cell_count; c++)
        if (p->cells[c].klass == klass && p->cells[c].groups == groups)
            return c;
    p->cells[p->cell_count] = (struct cell_static){.klass = klass, .groups = groups};
    return p->cell_count++;
}

static int by_groups_then_class(const void *left, const void *right)
{
    const struct cell_static *a = left, *b = right;
    if (a->island != b->island)
        return a->island < b->island ? -1 : 1;
    if (a->groups != b->groups)
        return a->groups < b->groups ? -1 : 1;
    return (a->klass > b->klass) - (a->klass < b->klass);
}

/* Islands are the connected components of cells by shared groups: spread the least index. */
static void join_islands(struct sl_program *p)
{
    for (uint32_t c = 0; c < p->cell_count; c++)
        p->cells[c].island = c;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t a = 0; a < p->cell_count; a++)
            for (uint32_t b = 0; b < p->cell_count; b++)
                if (p->cells[a].groups & p->cells[b].groups &&
                    p->cells[b].island < p->cells[a].island) {
                    p->cells[a].island = p->cells[b].island;
                    changed = true;
                }
    }
    qsort(p->cells, p->cell_count, sizeof *p->cells, by_groups_then_class);
    uint32_t last = SL_NONE;
    for (uint32_t c = 0; c < p->cell_count; c++) {
        if (p->cells[c].island != last) {
            last = p->cells[c].island;
            p->islands[p->island_count++].cells = (struct range){c, 0};
        }
        p->islands[p->island_count - 1].cells.count++;
        p->cells[c].island = p->island_count - 1;
        p->cells[c].hash = sl_hash_index(c);
    }
}

/* How many nodes of each cell can run at once: each holds a unit of its scarcest resource. */
static enum sl_status bound_running(struct sl_program *p, struct sl_error *err)
{
    const struct sl_graph *g = p->graph;
    size_t pairs = (size_t)p->cell_count * p->resource_count;
    bool *seen = pairs <= MOST_PAIRS ? calloc(pairs + 1, sizeof *seen) : NULL;
    if (!seen && pairs <= MOST_PAIRS)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t i = 0; seen && i < p->n; i++) {
        if (p->hot[i].cell == SL_NONE)
            continue;
        const struct sl_demand *demand = &g->demands[g->nodes[i].demands.first];
        uint32_t scarcest = demand->resource;
        for (uint32_t k = 1; k < g->nodes[i].demands.count; k++)
            if (g->platform->resources[demand[k].resource].servers <
                g->platform->resources[scarcest].servers)
                scarcest = demand[k].resource;
        size_t pair = (size_t)p->hot[i].cell * p->resource_count + scarcest;
        if (!seen[pair])
            p->cells[p->hot[i].cell].most += g->platform->resources[scarcest].servers;
        seen[pair] = true;
    }
    for (uint32_t c = 0; c < p->cell_count; c++)
        if (!seen || p->cells[c].most > p->cells[c].heap.count)
            p->cells[c].most = p->cells[c].heap.count;
    free(seen);
    return SL_OK;
}

/* Where the counts of an island fit into 63 bits they are its state, and need no comparison. */
static void make_exact(struct sl_program *p, struct island_static *island)
{
    unsigned shift = 0;
    for (uint32_t j = 0; j < island->cells.count; j++)
        for (uint64_t most = p->cells[island->cells.first + j].most; most; most >>= 1)
            shift++;
    island->exact = shift <= 63;
    shift = 0;
    for (uint32_t j = 0; island->exact && j < island->cells.count; j++) {
        struct cell_static *cell = &p->cells[island->cells.first + j];
        cell->hash = UINT64_C(1) << shift;
        for (uint64_t most = cell->most; most; most >>= 1)
            cell->state_bits |= UINT64_C(1) << shift++;
    }
}

static void place_lanes(struct sl_program *p)
{
    for (uint32_t k = 0; k < p->island_count; k++) {
        struct island_static *island = &p->islands[k];
        island->first_lane = p->lane_count;
        island->uniform = true;
        for (uint32_t j = 0; j < island->cells.count; j++) {
            struct cell_static *cell = &p->cells[island->cells.first + j];
            cell->lane = p->lane_count + j;
            island->uniform &= cell->groups == p->cells[island->cells.first].groups;
        }
        p->lane_count += (island->cells.count + SL_LANES - 1) / SL_LANES * SL_LANES;
    }
}

/* All cells of a uniform island contend with each other, and no two have one class. */
static bool gather_crowds(struct sl_program *p)
{
    const struct sl_kappa *kappa = &p->graph->platform->kappa;
    for (uint32_t k = 0; k < p->island_count; k++) {
        struct island_static *island = &p->islands[k];
        uint32_t count = island->cells.count;
        if (!island->uniform || !sl_kappa_crowd_serves(kappa, count))
            continue;
        island->crowd = sl_arena_array(&p->arena, 1, sizeof *island->crowd);
        uint32_t *classes = sl_arena_array(&p->arena, count, sizeof *classes);
        if (!island->crowd || !classes)
            return false;
        for (uint32_t j = 0; j < count; j++)
            classes[j] = p->cells[island->cells.first + j].klass;
        if (!sl_kappa_crowd_create(island->crowd, kappa, classes, count, p->options.corner,
                                   &p->arena))
            return false;
    }
    return true;
}

/* Whether the compact form serves, and whether its states tell the times of all classes. */
static void choose_form(struct sl_program *p)
{
    if (p->island_count != 1 || !p->islands[0].uniform || !p->islands[0].exact ||
        p->cell_count > SL_COMPACT_CELLS ||
        p->cells[p->cell_count - 1].state_bits >> SL_COMPACT_BITS)
        return;
    p->compact = p->class_states = true;
    for (uint32_t i = 0; i < p->n; i++)
        p->class_states &=
            p->hot[i].klass == SL_NONE || p->hot[i].cell != SL_NONE || !p->graph->nodes[i].dist;
}

enum sl_status sl_program_pack_cells(struct sl_program *p, struct sl_error *err)
{
    const struct sl_kappa *kappa = &p->graph->platform->kappa;
    /* All are 1.  Without evidence the overlaps must be seen all the same: they are hypothetical.
     */
    if (sl_kappa_is_trivial(kappa) &&
        (sl_kappa_has_evidence(kappa) || kappa->unknown == SL_UNKNOWN_NUMBER))
        return SL_OK;
    /* There are at most as many cells as nodes; tables of that size would be wasteful. */
    uint32_t most = p->n < 65536 ? p->n : 65536;
    p->cells = sl_arena_array(&p->arena, most + 1, sizeof *p->cells);
    p->islands = sl_arena_array(&p->arena, most + 1, sizeof *p->islands);
    if (!p->cells || !p->islands)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t i = 0; i < p->n; i++) {
        uint64_t groups = sl_node_groups(p->graph, &p->graph->nodes[i]);
        if (p->hot[i].klass == SL_NONE || !groups || !p->graph->nodes[i].dist)
            continue;
        if (p->cell_count == most)
            return SL_FAIL(err, SL_INVALID, "more than %u contention cells", most);
        (void)find_cell(p, p->hot[i].klass, groups);
    }
    join_islands(p);
    place_lanes(p);
    if (!gather_crowds(p))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t i = 0; i < p->n; i++) {
        uint64_t groups = sl_node_groups(p->graph, &p->graph->nodes[i]);
        if (p->hot[i].klass == SL_NONE || !groups || !p->graph->nodes[i].dist)
            continue;
        p->hot[i].cell = find_cell(p, p->hot[i].klass, groups);
        p->cells[p->hot[i].cell].heap.count++;
    }
    for (uint32_t c = 0; c < p->cell_count; c++) {
        p->cells[c].heap.first = p->heap_places;
        p->heap_places += p->cells[c].heap.count;
    }
    enum sl_status status = bound_running(p, err);
    if (status)
        return status;
    for (uint32_t k = 0; k < p->island_count; k++)
        make_exact(p, &p->islands[k]);
    choose_form(p);
    return SL_OK;
}

/* What a portion of trials gave a cell, as bytes: one function for both directions. */
#include "portion.h"
#include "cellparts.h"
#include "node_sums.h"
#include "tallies.h"

static void exchange_nodes(struct sl_cell *cell, struct sl_wire *wire)
{
    struct sl_node_totals *nodes = &cell->nodes;
    size_t n = cell->plan.graph->node_count;
    sl_wire_sum_u32(wire, nodes->on_chain, n);
    sl_wire_sum_i64(wire, nodes->chain_ps, n);
    sl_wire_sum_u32(wire, nodes->ran, n);
    sl_wire_sum_u64(wire, nodes->runs, n);
    sl_wire_sum_i64(wire, nodes->wait_ps, n);
    sl_wire_sum_u32(wire, nodes->starved, n);
    sl_wire_sum_u64(wire, nodes->bypassed, n);
    sl_wire_sum_i64(wire, nodes->run_ps, n);
    sl_wire_sum_i64(wire, nodes->hold_ps, n);
    sl_wire_sum_i64(wire, nodes->isolated_ps, n);
    for (size_t i = 0; i < n; i++) {
        struct sl_wait wait = nodes->longest_wait[i];
        sl_wire_copy(wire, &wait, sizeof wait);
        sl_wait_keep_longest(&nodes->longest_wait[i], &wait);
    }
}

static void exchange_trials(struct sl_cell *cell, struct sl_portion *portion)
{
    size_t domains = cell->plan.graph->platform->domain_names.count;
    uint32_t all = cell->trials;
    sl_portion_rows(portion, cell->metric_ps, all, sizeof(int64_t));
    sl_portion_rows(portion, cell->bound_path_ps, all, sizeof(int64_t));
    sl_portion_rows(portion, cell->bound_load_ps, all, sizeof(int64_t));
    sl_portion_rows(portion, cell->max_wait_ps, all, sizeof(int64_t));
    sl_portion_rows(portion, cell->starved, all, sizeof(uint32_t));
    sl_portion_rows(portion, cell->stall_ps, all, SL_STALLS * sizeof(int64_t));
    sl_portion_rows(portion, cell->peak_bytes, all, domains * sizeof(int64_t));
    sl_portion_rows(portion, cell->staging_byte_s, all, domains * sizeof(double));
}

static void exchange_sums(struct sl_cell *cell, struct sl_wire *wire)
{
    size_t classes = cell->plan.graph->platform->kappa.classes.count;
    sl_wire_sum_i64(wire, cell->chain_kind_cause_ps, SL_CHAIN_PARTS);
    sl_wire_sum_i64(wire, cell->overlap_ps, classes * classes);
    sl_wire_sum_i64(wire, cell->class_busy_ps, classes);
    sl_wire_any(wire, cell->limit_mattered, cell->plan.graph->platform->domain_names.count);
    sl_wire_any(wire, &cell->hypothetical, 1);
    sl_wire_sum_u64(wire, &cell->node_runs, 1);
}

/* Portions are added in rising order: the first one with a deadlock has the smallest such trial. */
static void exchange_deadlocks(struct sl_cell *cell, struct sl_wire *wire)
{
    bool known = cell->deadlocked > 0;
    sl_wire_sum_u32(wire, &cell->deadlocked, 1);
    const char *reason = sl_wire_text(wire, cell->reason);
    if (wire->reading && !known && cell->deadlocked > 0)
        snprintf(cell->reason, sizeof cell->reason, "%s", reason);
}

static enum sl_status exchange(struct sl_cell *cell, struct sl_portion *portion,
                               struct sl_error *err)
{
    struct sl_wire *wire = &portion->wire;
    int64_t makespans = cell->makespan_sum_ps;
    sl_wire_copy(wire, &makespans, sizeof makespans);
    /* They bound all other sums, which need no look therefore. */
    enum sl_status status =
        wire->reading && !wire->broken ? sl_cell_add_makespans(cell, makespans, err) : SL_OK;
    if (status != SL_OK)
        return status;
    exchange_trials(cell, portion);
    exchange_nodes(cell, wire);
    exchange_sums(cell, wire);
    exchange_deadlocks(cell, wire);
    for (size_t k = 0; k < SL_TALLIES; k++)
        sl_tallies[k]->exchange(cell, portion);
    if (wire->reading && wire->at != wire->size)
        wire->broken = true;
    return wire->broken ? SL_FAIL(err, SL_SYSTEM,
                                  wire->reading ? "a portion of trials arrived damaged"
                                                : "out of memory for a portion of trials")
                        : SL_OK;
}

enum sl_status sl_cell_pack_portion(struct sl_cell *cell, uint32_t first, uint32_t trials,
                                    unsigned char **bytes, size_t *size, struct sl_error *err)
{
    struct sl_portion portion = {.first = first, .trials = trials};
    enum sl_status status = exchange(cell, &portion, err);
    if (status != SL_OK) {
        sl_wire_free(&portion.wire);
        return status;
    }
    *bytes = portion.wire.bytes;
    *size = portion.wire.size;
    return SL_OK;
}

enum sl_status sl_cell_unpack_portion(struct sl_cell *cell, uint32_t first, uint32_t trials,
                                      unsigned char *bytes, size_t size, struct sl_error *err)
{
    struct sl_portion portion = {sl_wire_reading(bytes, size), first, trials};
    return exchange(cell, &portion, err);
}

/* Waits for forbidden peers, of the trials that completed. */
#include "tallies.h"

static enum sl_status begin(struct sl_cell *cell, struct sl_error *err)
{
    return sl_peer_waits_open(&cell->peer_sums, cell->plan.graph, err);
}

static enum sl_status open_part(void **out, struct sl_cell *cell, struct sl_arena *arena,
                                struct sl_error *err)
{
    struct sl_peer_waits *waits = *out = sl_arena_alloc(arena, sizeof *waits);
    if (!waits)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for waits by pair");
    return sl_peer_waits_open(waits, cell->plan.graph, err);
}

static enum sl_status visit(void *part, const struct sl_trial *record, struct sl_error *err)
{
    return record->outcome == SL_DONE ? sl_peer_waits_add(part, record, err) : SL_OK;
}

static enum sl_status add(struct sl_cell *cell, const void *part, struct sl_error *err)
{
    return sl_peer_waits_merge(&cell->peer_sums, part, err);
}

static void exchange(struct sl_cell *cell, struct sl_portion *portion)
{
    sl_peer_waits_exchange(&cell->peer_sums, &portion->wire);
}

static void close_part(void *part)
{
    sl_peer_waits_free(part);
}

static enum sl_status finish(struct sl_cell *cell, struct sl_error *err)
{
    return sl_peer_waits_list(&cell->peer_sums, &cell->arena, &cell->peer_waits,
                              &cell->peer_wait_count, err);
}

const struct sl_tally sl_tally_peers = {.begin = begin,
                                        .open = open_part,
                                        .visit = visit,
                                        .add = add, .exchange = exchange,
                                        .close = close_part,
                                        .finish = finish};

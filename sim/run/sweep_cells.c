/* Cells side by side.
 *
 * Cells are opened in the order of the flow and finish in any.  A finished one waits until all
 * before it were taken, so that who takes them sees one order whatever the threads; what planning
 * and finishing had to say waits with it. */
#include <config.h>

#include "cellparts.h"
#include "clock.h"
#include "sweepparts.h"
#include <stdatomic.h>
#include <stdlib.h>

/* A cell from opening to being taken. */
struct slot {
    struct runs *runs;
    uint64_t number; /* in the order of the flow */
    uint32_t index, seat;
    struct sl_cell cell;
    struct sl_scenario *scenario;
    struct sl_diags diags;
    struct sl_error err;
    enum sl_status status;
    _Atomic uint64_t share; /* of sweep->cell_trials, done */
    atomic_bool finished;
};

struct runs {
    struct sl_sweep *sweep;
    const struct sl_cell_flow *flow;
    struct slot *slots; /* of cell number n: n modulo their count */
    uint32_t slot_count;
    pthread_mutex_t opening; /* by one thread at a time */
    _Atomic uint64_t opened, taken;
    atomic_bool exhausted;
    _Atomic uint64_t end; /* first cell that is not wanted: one before it failed */
    bool interrupted;
    int64_t asked_ns;
    enum sl_status status; /* of the run, known to the thread that takes */
    struct sl_error *err;
};

static struct sl_pool *pool_of(const struct runs *runs)
{
    return runs->sweep->request->options.pool;
}

static void end_at(struct runs *runs, uint64_t number)
{
    uint64_t end = atomic_load(&runs->end);
    while (number < end && !atomic_compare_exchange_weak(&runs->end, &end, number)) {
    }
}

static struct slot *slot_of(const struct runs *runs, uint64_t number)
{
    return &runs->slots[number % runs->slot_count];
}

/* ---- progress -------------------------------------------------------------------------------- */

/* By the calling thread, whose the callback is. */
static void ask(struct runs *runs)
{
    const struct sl_sweep *sweep = runs->sweep;
    const struct sl_run_options *options = &sweep->request->options;
    uint64_t done = sweep->trials_before;
    runs->asked_ns = sl_clock_coarse_ns();
    if (!options->progress || runs->interrupted)
        return;
    for (uint64_t k = atomic_load(&runs->taken); k < atomic_load(&runs->opened); k++)
        done += atomic_load(&slot_of(runs, k)->share);
    if (options->progress(options->user, done, sweep->trials_total, sweep->cells_before,
                          sweep->cells_total))
        return;
    runs->interrupted = true;
    end_at(runs, 0);
}

static bool pass_progress(void *user, uint64_t done, uint64_t total, uint32_t cells_done,
                          uint32_t cells_total)
{
    (void)cells_done;
    (void)cells_total;
    struct slot *slot = user;
    struct runs *runs = slot->runs;
    double part = total ? (double)done / (double)total : 0;
    atomic_store(&slot->share, (uint64_t)((double)runs->sweep->cell_trials * part));
    if (slot->seat == 0)
        ask(runs);
    return slot->number < atomic_load(&runs->end);
}

/* ---- running --------------------------------------------------------------------------------- */

/* *slot NULL: none is to be opened, ever or now. */
static enum sl_lot_state open_slot(struct runs *runs, uint32_t seat, struct slot **slot)
{
    enum sl_lot_state state = SL_LOT_OVER;
    *slot = NULL;
    pthread_mutex_lock(&runs->opening);
    uint64_t number = atomic_load(&runs->opened);
    if (!atomic_load(&runs->exhausted) && number < atomic_load(&runs->end)) {
        uint32_t index = SL_NONE;
        state = SL_LOT_LATER;
        if (number - atomic_load(&runs->taken) < runs->slot_count) {
            index = runs->flow->next(runs->flow->user);
            atomic_store(&runs->exhausted, index == SL_NONE);
            state = index == SL_NONE ? SL_LOT_OVER : SL_LOT_MORE;
        }
        if (index != SL_NONE) {
            *slot = slot_of(runs, number);
            **slot = (struct slot){.runs = runs, .number = number, .index = index, .seat = seat};
            atomic_store(&runs->opened, number + 1);
        }
    }
    pthread_mutex_unlock(&runs->opening);
    return state;
}

static void run_slot(struct slot *slot)
{
    struct runs *runs = slot->runs;
    struct sl_sweep *sweep = runs->sweep;
    struct sl_run_options options = sweep->request->options;
    options.helpers = sweep->helpers;
    options.progress = pass_progress;
    options.user = slot;
    enum sl_status status =
        sl_sweep_take_scenario(sweep, slot->index, &slot->scenario, &slot->diags, &slot->err);
    if (status == SL_OK)
        status = sl_sweep_open_cell(sweep, slot->index, slot->scenario, &slot->cell, &slot->diags,
                                    &slot->err);
    if (status == SL_OK)
        status = sl_cell_run_trials(&slot->cell, &options, &slot->err);
    if (status == SL_OK)
        status = sl_cell_finish(&slot->cell, &options, &slot->diags, &slot->err);
    slot->status = status;
    if (status != SL_OK)
        end_at(runs, slot->number);
    atomic_store(&slot->finished, true);
}

/* ---- taking ---------------------------------------------------------------------------------- */

static void empty_slot(struct runs *runs, struct slot *slot)
{
    sl_cell_free(&slot->cell);
    sl_sweep_give_scenario(runs->sweep, slot->scenario);
    sl_diags_free(&slot->diags);
    atomic_store(&slot->finished, false);
    atomic_fetch_add(&runs->taken, 1);
}

static void take(struct runs *runs, struct slot *slot)
{
    struct sl_sweep *sweep = runs->sweep;
    sl_sweep_tell(sweep->diags, &slot->diags);
    runs->status = slot->status;
    if (slot->status != SL_OK && runs->err && runs->err->status == SL_OK)
        *runs->err = slot->err;
    if (slot->status == SL_OK)
        runs->status = runs->flow->take(runs->flow->user, &slot->cell, runs->err);
    if (runs->status != SL_OK)
        end_at(runs, 0);
    sweep->trials_before += sweep->cell_trials;
    sweep->cells_before++;
    empty_slot(runs, slot);
}

static void take_finished(struct runs *runs)
{
    bool any = false;
    while (runs->status == SL_OK && atomic_load(&runs->taken) < atomic_load(&runs->opened)) {
        struct slot *slot = slot_of(runs, atomic_load(&runs->taken));
        if (!atomic_load(&slot->finished))
            break;
        take(runs, slot);
        any = true;
    }
    if (any)
        sl_pool_wake(pool_of(runs)); /* there is room for more */
}

static bool is_through(const struct runs *runs)
{
    uint64_t opened = atomic_load(&runs->opened);
    return runs->status != SL_OK ||
           (atomic_load(&runs->taken) == opened &&
            (atomic_load(&runs->exhausted) || atomic_load(&runs->end) <= opened));
}

static enum sl_lot_state run_some(void *user, uint32_t seat)
{
    struct runs *runs = user;
    struct slot *slot;
    if (seat == 0) {
        take_finished(runs);
        if (sl_clock_coarse_ns() - runs->asked_ns >= SL_PROGRESS_WAIT_NS)
            ask(runs);
        if (is_through(runs))
            return SL_LOT_OVER;
    }
    enum sl_lot_state state = open_slot(runs, seat, &slot);
    if (slot) {
        run_slot(slot);
        if (seat != 0)
            sl_pool_wake(pool_of(runs)); /* the one who takes */
    }
    return seat == 0 && state == SL_LOT_OVER ? SL_LOT_LATER : state;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static uint32_t slots_for(const struct sl_sweep *sweep, uint32_t threads)
{
    double room = sl_machine_bytes() / 2 / sl_cell_bytes(&sweep->base, sweep->cell_trials);
    uint32_t slots = 2 * threads - 1;
    if (room >= slots)
        return slots;
    return room > 1 ? (uint32_t)room : 1;
}

enum sl_status sl_sweep_run_cells(struct sl_sweep *sweep, const struct sl_cell_flow *flow,
                                  struct sl_error *err)
{
    struct sl_pool *pool = sweep->request->options.pool;
    uint32_t threads = sl_trials_threads(pool, flow->most);
    struct runs runs = {.sweep = sweep,
                        .flow = flow,
                        .slot_count = slots_for(sweep, threads),
                        .opening = PTHREAD_MUTEX_INITIALIZER,
                        .end = UINT64_MAX,
                        .asked_ns = sl_clock_coarse_ns(),
                        .err = err};
    runs.slots = calloc(runs.slot_count, sizeof *runs.slots);
    if (!runs.slots)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for %u cells", (unsigned)runs.slot_count);
    const struct sl_lot lot = {.seats = threads, .run = run_some, .user = &runs};
    sl_pool_run(pool, &lot);
    if (runs.status == SL_OK)
        ask(&runs); /* an interrupt during the last short cells is not lost */
    while (atomic_load(&runs.taken) < atomic_load(&runs.opened))
        empty_slot(&runs, slot_of(&runs, atomic_load(&runs.taken)));
    free(runs.slots);
    pthread_mutex_destroy(&runs.opening);
    if (runs.status == SL_OK && runs.interrupted)
        return SL_FAIL(err, SL_INTERRUPTED, "interrupted");
    return runs.status;
}

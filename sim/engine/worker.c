/* A worker: all memory of a trial, taken at creation, and the frame of one trial: reset, draws,
 * the loop, then the invariants that must hold at its end. */
#include "common.h"
#include "crowd.h"
#include "events.h"
#include "evict.h"
#include "plain.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void sl_worker_fault(struct sl_worker *w, const char *format, ...)
{
    if (w->fault)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(w->fault_text, sizeof w->fault_text, format, args);
    va_end(args);
    w->fault = w->fault_text;
}

/* Allocates `count` elements into *pointer; false when out of memory. */
static bool take(struct sl_worker *w, void *pointer, uint64_t count, size_t size)
{
    void *memory = sl_arena_array(&w->arena, (size_t)count + 1, size);
    memcpy(pointer, &memory, sizeof memory);
    return memory != NULL;
}
#define TAKE(field, count) take(w, &w->field, (count), sizeof *w->field)

static bool take_record(struct sl_worker *w)
{
    const struct sl_program *p = w->p;
    uint64_t n = p->n, c = p->class_count, m = p->domain_count;
    if (w->evict) {
        n += w->evict->run_capacity;
        if (!TAKE(behind_node, n))
            return false;
    }
    return TAKE(ready, n) && TAKE(start, n) && TAKE(finish, n) && TAKE(free, n) &&
           TAKE(duration, n) && TAKE(latency, n) && TAKE(lag, n) && TAKE(state, n) &&
           TAKE(cause, n) && TAKE(by_free, n) && TAKE(behind, n) && TAKE(bypassed, n) &&
           TAKE(chain, n) &&
           TAKE(peak, m) && TAKE(pressure, m) && TAKE(staging_pressure, m) &&
           TAKE(busy, p->resource_count + 1) && TAKE(overlap, c * c) && TAKE(class_busy, c);
}

static bool take_run(struct sl_worker *w)
{
    const struct sl_program *p = w->p;
    uint64_t n = p->n, r = p->resource_count + 1, m = p->domain_count;
    uint64_t h = p->graph->holding_count, d = (uint64_t)p->draw_count + SL_DRAWS_AT_ONCE;
    return TAKE(run, n) && TAKE(heap, 2 * n + p->opening_count) && TAKE(resources, r) &&
           TAKE(items, p->queue_places) && TAKE(dirty, r) && TAKE(free_ready, n) &&
           TAKE(skips, n) && TAKE(open, r) && TAKE(first, r) && TAKE(write, r) &&
           TAKE(stamp_resource, r) && TAKE(stamp_domain, m) && TAKE(started, n) &&
           TAKE(log, p->log_places) && TAKE(domains, m) && TAKE(fragmentation, m) &&
           TAKE(held, h) && TAKE(holder, h) && TAKE(starters, n) && TAKE(batch, n) &&
           TAKE(class_counts, p->class_count) && TAKE(overlap_running, p->overlap_kinds) &&
           TAKE(classes, p->class_count) && TAKE(class_since, p->class_count) &&
           TAKE(quiet, p->class_count) && TAKE(activated, n) && TAKE(undecided, n) &&
           TAKE(heir_first, n) && TAKE(heir_next, n) && TAKE(u, d) && TAKE(u2, d) &&
           TAKE(value, d) && TAKE(multiplier, d) && TAKE(factor_value, p->factor_count) &&
           TAKE(raw, p->regime_count ? n : 0) && TAKE(guard_holds, p->guards ? n : 0) &&
           TAKE(draw_holds, p->guard_count) &&
           TAKE(regimes, p->factor_count) && TAKE(waits, 2 * n) && TAKE(mark, 2 * n) &&
           TAKE(queue, 2 * n) && TAKE(origin, 2 * n) && TAKE(deadlock, SL_DEADLOCK_TEXT);
}

void sl_worker_fill_record(struct sl_worker *w)
{
    struct sl_trial *t = &w->record;
    t->ready_ps = w->ready;
    t->start_ps = w->start;
    t->finish_ps = w->finish;
    t->free_ps = w->free;
    t->duration_ps = w->duration;
    t->state = w->state;
    t->cause = w->cause;
    t->behind_run = w->behind;
    t->behind = w->behind_node ? w->behind_node : w->behind;
    t->behind_by_free = w->by_free;
    t->lag_ps = w->lag;
    t->guard_holds = w->p->guards ? w->guard_holds : NULL;
    t->draw_holds = w->draw_holds;
    t->bypassed = w->bypassed;
    t->chain = w->chain;
    t->peak_bytes = w->peak;
    t->pressure_byte_s = w->pressure;
    t->staging_byte_s = w->staging_pressure;
    t->busy_ps = w->busy;
    t->overlap_ps = w->overlap;
    t->class_busy_ps = w->class_busy;
}

enum sl_status sl_worker_create(struct sl_worker **worker, const struct sl_program *program,
                                struct sl_error *err)
{
    *worker = NULL;
    struct sl_worker *w = calloc(1, sizeof *w);
    if (!w)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    w->p = program;
    if (sl_evict_create(w) || !take_record(w) || !take_run(w) || sl_contend_create(w) ||
        !sl_crowd_create(w) || !sl_plain_create(w) || !sl_common_create(w)) {
        sl_worker_free(w);
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a trial of %u nodes", program->n);
    }
    memcpy(w->duration, program->fixed_duration, program->n * sizeof *w->duration);
    if (program->any_latency)
        memcpy(w->latency, program->fixed_latency, program->n * sizeof *w->latency);
    sl_worker_fill_record(w);
    *worker = w;
    return SL_OK;
}

void sl_worker_free(struct sl_worker *worker)
{
    if (!worker)
        return;
    free(worker->steps);
    sl_arena_free(&worker->arena);
    free(worker);
}

static void reset_resources(struct sl_worker *w)
{
    const struct sl_program *p = w->p;
    for (uint32_t r = 0; r <= p->resource_count; r++) {
        uint32_t first = p->resources[r].queue.first;
        w->resources[r] = (struct resource_run){.free = p->resources[r].units,
                                                .each = p->resources[r].min_units,
                                                .head = first,
                                                .tail = first};
        w->items[first] = w->first[r] = SL_LAST_ITEM;
        w->busy[r] = 0;
    }
}

/* Of the general loop alone. */
static void reset_nodes(struct sl_worker *w)
{
    memcpy(w->run, w->p->template, w->p->n * sizeof *w->run);
    memset(w->state, SL_UNFINISHED, w->p->n);
    w->record.free_ps = w->free;
}

void sl_worker_reset(struct sl_worker *w, uint32_t trial, unsigned flags)
{
    const struct sl_program *p = w->p;
    size_t classes = p->class_count;
    if (p->any_complex) {
        memset(w->bypassed, 0, p->n * sizeof *w->bypassed);
        memset(w->stamp_resource, 0, (p->resource_count + 1) * sizeof *w->stamp_resource);
        memset(w->stamp_domain, 0, p->domain_count * sizeof *w->stamp_domain);
    }
    memset(w->overlap, 0, classes * classes * sizeof *w->overlap);
    memset(w->class_busy, 0, classes * sizeof *w->class_busy);
    memset(w->classes, 0, classes * sizeof *w->classes);
    for (size_t k = 0; k < classes; k++)
        w->class_since[k] = INT64_MAX;
    memset(w->overlap_running, 0, p->overlap_kinds * sizeof *w->overlap_running);
    memset(w->list_waiting, 0, sizeof w->list_waiting);
    memset(w->open_count, 0, sizeof w->open_count);
    sl_crowd_begin(w);
    clear_events(w);
    w->dirty_count = w->free_count = w->skip_count = w->started_count = 0;
    w->log_count = w->starter_count = w->batch_count = w->quiet_count = 0;
    w->scan = w->passed = w->complex_waiting = 0;
    w->round = 1;
    w->now = 0;
    w->stamp = 0;
    w->step_count = 0;
    w->scan_needed = false;
    w->fault = NULL;
    w->record.trial = trial;
    w->record.bypasses = w->record.speculative_bypasses = 0;
    w->record.hypothetical = w->record.livelock = w->stopped = false;
    w->record.deadlock = NULL;
    w->record.chain_count = 0;
    w->record_levels = flags & SL_RECORD_LEVELS;
    for (uint32_t i = 0; p->fallback && i < p->n; i++) {
        w->activated[i] = false;
        w->undecided[i] = p->primaries[i];
        w->heir_first[i] = w->heir_next[i] = SL_NONE;
    }
    reset_resources(w);
}

/* Nodes that never got somewhere have times of -1; the loop writes only what happens. */
static void blank_unfinished(struct sl_worker *w)
{
    for (uint32_t i = 0; i < w->p->n; i++) {
        if (w->stopped && w->run[i].phase > PHASE_WAITING && w->run[i].phase < PHASE_PASSED)
            w->state[i] = SL_UNFINISHED; /* it was running */
        if (w->state[i] == SL_RAN)
            continue;
        w->start[i] = w->free[i] = -1;
        if (w->run[i].phase != PHASE_WAITING)
            w->ready[i] = -1;
        if (w->state[i] == SL_UNFINISHED) {
            w->finish[i] = -1;
            w->cause[i] = SL_CAUSE_NONE;
            w->behind[i] = SL_NONE;
            w->lag[i] = 0;
            w->by_free[i] = 0;
        }
    }
}

void sl_worker_mirror_overlaps(const struct sl_worker *w, int64_t *overlap)
{
    size_t n = w->p->class_count;
    for (size_t a = 0; a < n; a++)
        for (size_t b = a + 1; b < n; b++)
            overlap[a * n + b] = overlap[b * n + a] += overlap[a * n + b];
}

/* What the general loop leaves open. */
static void finish_nodes(struct sl_worker *w)
{
    const struct sl_program *p = w->p;
    w->record.run_count = p->n;
    bool all_ran = w->passed == p->n, done = w->passed == p->planned && !w->stopped;
    int64_t makespan = -1, latent_end = w->evict ? sl_evict_record(w) : 0;
    uint32_t last = SL_NONE;
    for (uint32_t i = 0; i < p->planned; i++) {
        all_ran &= w->state[i] == SL_RAN;
        bool later = w->finish[i] > makespan;
        makespan = later ? w->finish[i] : makespan;
        last = later ? i : last;
    }
    if (latent_end > makespan) {
        makespan = latent_end;
        last = SL_NONE;
        for (uint32_t i = p->n; i < w->record.run_count && last == SL_NONE; i++)
            last = w->finish[i] == makespan ? i : SL_NONE;
    }
    w->record.all_ran = all_ran;
    if (!all_ran)
        blank_unfinished(w);
    if (w->evict)
        sl_evict_name_causes(w);
    w->record.makespan_ps = done ? makespan : INT64_MAX;
    w->record.last_run = done ? last : SL_NONE;
}

static void finish_record(struct sl_worker *w)
{
    sl_worker_mirror_overlaps(w, w->overlap);
    w->record.outcome = w->record.makespan_ps == INT64_MAX ? SL_DEADLOCK : SL_DONE;
    w->record.steps = w->steps;
    w->record.step_count = w->step_count;
}

/* Everything borrowed is back: units, and bytes up to the holdings still held. */
static void check_returned(struct sl_worker *w)
{
    const struct sl_program *p = w->p;
    for (uint32_t r = 0; r < p->resource_count; r++)
        if (w->resources[r].free != p->resources[r].units || w->resources[r].users)
            sl_worker_fault(w, "internal: units of '%s' were lost",
                            p->graph->platform->resource_names.names[r]);
    if (!sl_chain_walk(&w->record, w->chain, &w->record.chain_count))
        sl_worker_fault(w, "internal: the critical chain does not cover the makespan of %lld ps",
                        (long long)w->record.makespan_ps);
}

/* What breaks is the engine's, else the input asks for more than picoseconds can tell. */
static bool is_internal(const char *fault)
{
    return strncmp(fault, "internal:", 9) == 0;
}

/* False: the trial did not end, and the general loop has to run it from its beginning. */
static bool run_shorter(struct sl_worker *w)
{
    return w->plain ? sl_plain_run(w) : sl_common_run(w);
}

static void run_general(struct sl_worker *w)
{
    sl_contend_begin(w);
    if (w->evict)
        sl_evict_begin(w);
    sl_instant_loop(w);
    if (!w->fault && (w->passed < w->p->planned || w->stopped))
        sl_deadlock_report(w); /* before the levels are counted down */
    if (w->p->class_states)
        sl_compact_end(w);
    if (!w->fault)
        finish_nodes(w);
}

enum sl_status sl_worker_run(struct sl_worker *worker, uint64_t seed, uint32_t trial,
                             unsigned flags, const struct sl_trial **record, struct sl_error *err)
{
    struct sl_worker *w = worker;
    bool shorter = (w->plain || w->common) && !(flags & SL_GENERAL_LOOP);
    *record = NULL;
    sl_worker_reset(w, trial, flags);
    if (!shorter)
        reset_nodes(w); /* first: guards' draws say which are skipped */
    sl_draws_fill(w, seed, trial);
    sl_capacity_begin(w);
    if (shorter && !w->fault && !run_shorter(w)) {
        shorter = false;
        sl_worker_reset(w, trial, flags);
        reset_nodes(w);
        sl_capacity_begin(w);
    }
    if (!shorter && !w->fault)
        run_general(w);
    sl_capacity_end(w);
    if (!w->fault)
        finish_record(w);
    if (!w->fault && w->record.outcome == SL_DONE)
        check_returned(w);
    if (w->out_of_memory)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the record of trial %u", trial);
    if (w->fault)
        return SL_FAIL(err, is_internal(w->fault) ? SL_SYSTEM : SL_INVALID, "%s (trial %u)",
                       w->fault, trial);
    *record = &w->record;
    return SL_OK;
}

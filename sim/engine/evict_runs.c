/* Runs of latent nodes: their calls, and their places in the record beyond all nodes, more of them
 * when they run out; and what copies did, step by step. */
#include "evict.h"
#include <string.h>

static bool more(struct sl_worker *w, void *array, size_t size, size_t old, size_t new)
{
    void *from, *to = sl_arena_array(&w->arena, new, size);
    memcpy(&from, array, sizeof from);
    if (!to)
        return false;
    if (old)
        memcpy(to, from, old * size);
    memcpy(array, &to, sizeof to);
    return true;
}
#define MORE(array) more(w, &(array), sizeof *(array), old, new)

/* Doubles the places: the only memory that a trial takes, once for all later ones. */
static bool grow(struct sl_worker *w)
{
    struct evict_run *e = w->evict;
    size_t old = (size_t)w->p->n + e->run_capacity, new = old + e->run_capacity;
    if (e->run_capacity > UINT32_MAX / 4)
        return false;
    if (!MORE(w->ready) || !MORE(w->start) || !MORE(w->finish) || !MORE(w->free) ||
        !MORE(w->duration) || !MORE(w->lag) || !MORE(w->state) || !MORE(w->cause) ||
        !MORE(w->by_free) || !MORE(w->behind) || !MORE(w->behind_node) || !MORE(w->bypassed) ||
        !MORE(w->chain))
        return false;
    old = e->run_capacity;
    new = 2 * old;
    if (!MORE(e->run_node))
        return false;
    e->run_capacity *= 2;
    return true;
}

/* What let the call be made.  If its reason has been ready for some time, that is the end of a run:
 * the one that freed the units its reason waited for, else the latest one told. */
static void blame_call(struct sl_worker *w, uint32_t latent, uint32_t reason)
{
    const struct node_run *why = &w->run[reason];
    struct node_run *run = &w->run[latent];
    bool waits = why->phase == PHASE_WAITING, late = why->ready < w->now;
    uint32_t freed_by = waits && late ? sl_waiting_freed_by(w, reason) : SL_NONE;
    uint32_t finisher = w->evict->finisher;
    run->behind = why->behind;
    run->cause = why->cause;
    if (freed_by != SL_NONE) {
        run->behind = freed_by;
        run->cause = SL_CAUSE_QUEUE;
    } else if (late && finisher != SL_NONE && w->finish[finisher] == w->now) {
        run->behind = finisher; /* otherwise what it gathers has gone, or was taken from it */
        run->cause = waits ? SL_CAUSE_CAPACITY : SL_CAUSE_DATA;
    }
}

void sl_evict_call(struct sl_worker *w, uint32_t latent, uint32_t reason)
{
    struct evict_run *e = w->evict;
    e->active[latent] = true;
    e->number[latent] = e->number[reason];
    sl_draws_latent(w, latent, e->instance[latent - w->p->planned]++);
    w->run[latent] = (struct node_run){.ready = w->now, .phase = PHASE_TIMER};
    blame_call(w, latent, reason);
    sl_instant_push(w, w->now, EVENT_READY, latent);
}

void sl_run_open(struct sl_worker *w, uint32_t latent)
{
    struct evict_run *e = w->evict;
    if (e->run_count == e->run_capacity && !grow(w)) {
        w->out_of_memory = w->stopped = true;
        return;
    }
    uint32_t run = w->p->n + e->run_count;
    e->run_node[e->run_count++] = latent;
    e->run_index[latent - w->p->planned] = run;
    w->ready[run] = w->ready[latent];
    w->start[run] = w->now;
    w->duration[run] = w->duration[latent];
    w->lag[run] = w->lag[latent];
    w->cause[run] = w->cause[latent];
    w->by_free[run] = w->by_free[latent];
    w->behind[run] = w->behind[latent];
    w->bypassed[run] = w->bypassed[latent];
    w->bypassed[latent] = 0;
    w->state[run] = SL_RAN;
    w->free[run] = w->finish[run] = -1;
}

void sl_run_freed(struct sl_worker *w, uint32_t latent)
{
    w->free[sl_run_of(w, latent)] = w->now;
}

void sl_run_close(struct sl_worker *w, uint32_t latent)
{
    w->finish[sl_run_of(w, latent)] = w->now;
}

void sl_evict_note(struct sl_worker *w, uint32_t c, enum sl_copy_change change, uint32_t run)
{
    struct evict_run *e = w->evict;
    size_t old = e->step_capacity, new = old ? 2 * old : 64;
    if (!w->record_levels)
        return;
    if (e->step_count == old && !MORE(e->steps)) {
        w->out_of_memory = w->stopped = true;
        return;
    }
    e->step_capacity = e->step_count == old ? new : old;
    e->steps[e->step_count++] = (struct sl_copy_step){w->now, c, change, run};
}

int64_t sl_evict_record(struct sl_worker *w)
{
    const struct evict_run *e = w->evict;
    struct sl_trial *t = &w->record;
    int64_t last = 0;
    for (uint32_t k = 0; k < e->run_count; k++) {
        int64_t end = w->finish[w->p->n + k];
        last = end > last ? end : last;
    }
    for (uint32_t i = w->p->planned; i < w->p->n; i++) { /* as nodes they did not run */
        w->state[i] = SL_SKIPPED;
        w->run[i].phase = PHASE_PASSED;
        w->finish[i] = w->lag[i] = 0;
        w->cause[i] = SL_CAUSE_NONE;
        w->behind[i] = SL_NONE;
        w->by_free[i] = 0;
    }
    sl_worker_fill_record(w); /* arrays may have moved */
    t->run_count = w->p->n + e->run_count;
    t->run_node = e->run_node;
    t->copies = e->record;
    t->copy_steps = e->steps;
    t->copy_step_count = e->step_count;
    return last;
}

void sl_evict_name_causes(struct sl_worker *w)
{
    for (uint32_t i = 0; i < w->record.run_count; i++)
        w->behind_node[i] = sl_trial_node(&w->record, w->p->n, w->behind[i]);
}

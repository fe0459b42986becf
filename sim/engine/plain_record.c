/* What the loop of the plain path leaves to passes over arrays, which the compiler can make vectors
 * of, and the times of classes and resources, which it sums up from those of the states. */
#include "isa.h"
#include "plain.h"
#include <string.h>

/* ---- nodes ----------------------------------------------------------------------------------- */

/* At -O2 GCC leaves loops of unknown length as they are. */
#pragma GCC push_options
#pragma GCC optimize("O3")

static SL_ALWAYS_INLINE void finishes_body(struct sl_worker *w, uint32_t n)
{
    const int64_t *restrict start = w->start, *restrict duration = w->duration;
    int64_t *restrict finish = w->finish;
    for (uint32_t i = 0; i < n; i++)
        finish[i] = start[i] + duration[i];
}
SL_FOR_EACH_ISA(finishes, (struct sl_worker * w, uint32_t n), (w, n))
#pragma GCC pop_options

/* What each node waited for last: one that did not start when it was ready waited for its queue. */
static SL_ALWAYS_INLINE void name_causes(struct sl_worker *w, bool brisk)
{
    const struct plain_wait *restrict waits = w->plain->waits;
    const uint32_t *restrict freed_by = w->plain->freed_by, *restrict from = w->p->plain->from;
    const uint8_t *restrict ready_cause = w->p->plain->cause;
    const int64_t *restrict start = w->start, *restrict finish = w->finish;
    int64_t *restrict ready = w->ready;
    uint8_t *restrict cause = w->cause, *restrict by_free = w->by_free;
    uint32_t *restrict behind = w->behind;
    for (uint32_t i = 0, n = w->p->n; i < n; i++) { /* without a branch */
        uint32_t latest = waits[i].latest, met_by = from[latest];
        if (brisk)
            ready[i] = met_by == SL_NONE ? 0 : finish[met_by];
        uint8_t waited = start[i] != ready[i];
        by_free[i] = waited;
        cause[i] = (uint8_t)(ready_cause[latest] + waited * (SL_CAUSE_QUEUE - ready_cause[latest]));
        behind[i] = met_by ^ ((met_by ^ freed_by[i]) & -(uint32_t)waited);
    }
}

/* A latency lies between the time at which a node's place is free and its finish. */
static void add_latencies(struct sl_worker *w)
{
    for (uint32_t i = 0; i < w->p->n; i++) {
        w->free[i] = w->finish[i];
        w->finish[i] += w->latency[i];
    }
}

static void fill_lags(struct sl_worker *w)
{
    for (uint32_t i = 0; i < w->p->n; i++)
        if (w->by_free[i])
            w->lag[i] = 0;
        else
            w->lag[i] = w->start[i] - (w->behind[i] == SL_NONE ? 0 : w->finish[w->behind[i]]);
}

/* ---- classes and resources ------------------------------------------------------------------- */

/* How many nodes run of each resource, or of each class. */
struct tally {
    uint32_t index[SL_PLAIN_BITS], nodes[SL_PLAIN_BITS], count;
};

static void count_nodes(struct tally *tally, uint32_t index, uint32_t nodes)
{
    uint32_t k = 0;
    if (index == SL_NONE)
        return;
    while (k < tally->count && tally->index[k] != index)
        k++;
    if (k == tally->count) {
        tally->index[tally->count++] = index;
        tally->nodes[k] = 0;
    }
    tally->nodes[k] += nodes;
}

/* Adds a state's time to all that runs in it: resources, classes, and pairs of classes. */
static void add_state(struct sl_worker *w, uint32_t state, int64_t time)
{
    const struct sl_plain *plain = w->p->plain;
    struct tally resources = {.count = 0}, classes = {.count = 0};
    for (uint32_t k = 0; k < plain->cell_count; k++) {
        const struct plain_cell *cell = &plain->cells[k];
        uint32_t nodes = (state & cell->mask) / cell->share;
        if (!nodes)
            continue;
        count_nodes(&resources, cell->resource, nodes);
        count_nodes(&classes, cell->klass, nodes);
    }
    for (uint32_t k = 0; k < resources.count; k++)
        w->busy[resources.index[k]] += time;
    for (uint32_t k = 0; k < classes.count; k++) {
        int64_t *row = w->overlap + (size_t)classes.index[k] * w->p->class_count;
        w->class_busy[classes.index[k]] += time;
        if (classes.nodes[k] > 1)
            row[classes.index[k]] += time;
        for (uint32_t j = 0; j < k; j++)
            row[classes.index[j]] += time;
    }
}

void sl_plain_record(struct sl_worker *w)
{
    const struct sl_program *p = w->p;
    finishes(w, p->n);
    if (p->any_latency)
        add_latencies(w);
    if (p->plain->brisk) {
        name_causes(w, true);
        memset(w->lag, 0, p->n * sizeof *w->lag);
    } else {
        name_causes(w, false);
        fill_lags(w);
    }
    sl_worker_record_all(w);
    for (uint32_t s = 1; s < p->plain->states; s++)
        if (w->plain->state_ps[s])
            add_state(w, s, w->plain->state_ps[s]);
}

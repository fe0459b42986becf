/* How long each contention class runs, and each pair of classes together. */
#ifndef SL_CLASSES_H
#define SL_CLASSES_H
#include "worker.h"

/* The path of a plain node through an instant is one piece of code. */
#define HOT inline __attribute__((always_inline))

static HOT void class_started(struct sl_worker *w, uint32_t klass)
{
    struct class_run *run = &w->classes[klass];
    run->count++;
    if (run->count == 2)
        run->since_two = w->now;
    /* Otherwise it runs already, or stopped and started again within this instant. */
    if (w->class_since[klass] == INT64_MAX)
        w->class_since[klass] = w->now;
}

static HOT void class_stopped(struct sl_worker *w, uint32_t klass)
{
    struct class_run *run = &w->classes[klass];
    run->count--;
    if (run->count == 1)
        w->overlap[(size_t)klass * w->p->class_count + klass] += w->now - run->since_two;
    if (!run->count && !run->queued) {
        run->queued = true;
        w->quiet[w->quiet_count++] = klass;
    }
}

/* A class that really stopped adds its interval with every other one that still runs to its own
 * row; sl_worker_run adds the matrix to its mirror at the end.  Without a branch per class: one
 * that does not run has begun at the end of time. */
static inline void close_class(struct sl_worker *w, uint32_t klass)
{
    uint32_t n = w->p->class_count;
    const int64_t *since = w->class_since;
    int64_t *row = w->overlap + (size_t)klass * n;
    int64_t now = w->now, own = since[klass], diagonal = row[klass];
    w->class_busy[klass] += now - own;
    for (uint32_t k = 0; k < n; k++) {
        int64_t both = since[k] > own ? since[k] : own;
        row[k] += now > both ? now - both : 0;
    }
    row[klass] = diagonal;
    w->class_since[klass] = INT64_MAX;
}

static inline void close_classes(struct sl_worker *w)
{
    for (uint32_t k = 0; k < w->quiet_count; k++) {
        uint32_t klass = w->quiet[k];
        w->classes[klass].queued = false;
        if (!w->classes[klass].count)
            close_class(w, klass);
    }
    w->quiet_count = 0;
}
#endif

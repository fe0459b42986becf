/* What a plan does side by side and in which order, over trials of its own: what a measurement of
 * it is held against. */
#ifndef SL_PLANNED_H
#define SL_PLANNED_H
#include "beside.h"
#include "policy.h"

/* Works are the nodes that occupy a resource for some time; others are in no timeline. */
struct sl_planned_work {
    uint32_t node;      /* of the graph */
    uint32_t klass;     /* index in `classes`; SL_NONE */
    uint64_t groups;    /* in which it contends */
    double isolated_us; /* mean over the trials in which it ran; NAN: it never did */
    double start_us;    /* mean */
};
struct sl_planned {
    const struct sl_graph *graph;
    struct sl_arena arena;
    struct sl_planned_work *works;
    uint32_t count;
    uint32_t *work_of;                   /* by node; SL_NONE */
    uint32_t classes[SL_BESIDE_CLASSES]; /* of the platform */
    uint32_t class_count;                /* 0: there are none, or more than fit */
    uint32_t trials;                     /* that completed */
    double *start_us;                    /* trial x work; NAN: it did not run */
    double mean_us;                      /* of their makespans */
    struct sl_beside *beside;            /* of these trials: overlaps */
};

/* Runs the first `trials` trials, fewer where there are many works.  SL_NO: none completed.
 * `graph`, which is the program's, outlives it; sl_planned_free releases in every case. */
enum sl_status sl_planned_make(struct sl_planned *planned, const struct sl_program *program,
                               uint64_t seed, uint32_t trials, struct sl_error *err) SL_NODISCARD;
void sl_planned_free(struct sl_planned *planned);
#endif

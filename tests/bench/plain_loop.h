/* What the plain loops over a layered graph share.  Private to them. */
#ifndef SL_PLAIN_LOOP_H
#define SL_PLAIN_LOOP_H
#include "plain_heap.h"
#include "plain_loops.h"
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

enum { MAX_CLASSES = 8 };

struct plain_loop {
    const struct layered *g;
    gsl_rng *rng;
    struct plain_heap heap;
    uint32_t *left, *queue[MAX_CLASSES], head[MAX_CLASSES], tail[MAX_CLASSES], running[MAX_CLASSES];
    double remaining[MAX_CLASSES];
    uint32_t *pred_start, *pred;
    double *finish;          /* of the longest path */
    struct plain_full *full; /* NULL: not loaded */
};

static inline double plain_draw(const struct plain_loop *l, uint32_t node)
{
    return l->g->median_us[node] * exp(WORKLOAD_SIGMA * gsl_ran_gaussian_ziggurat(l->rng, 1.0));
}

/* plain_full.c */
void plain_full_free(struct plain_full *f); /* NULL: nothing */
#endif

/* Plain loops as described in plain_loops.h. */
#include <config.h>

#include "plain_loop.h"
#include <stdlib.h>
#include <string.h>

#define IDLE UINT32_MAX

static void loop_reset(struct plain_loop *l)
{
    memcpy(l->left, l->g->indegree, l->g->n * sizeof *l->left);
    memset(l->head, 0, sizeof l->head);
    memset(l->tail, 0, sizeof l->tail);
    for (uint32_t r = 0; r < MAX_CLASSES; r++) {
        l->running[r] = IDLE;
        l->remaining[r] = INFINITY;
    }
    for (uint32_t i = 0; i < l->g->n; i++)
        if (!l->g->indegree[i])
            l->queue[l->g->resource[i]][l->tail[l->g->resource[i]]++] = i;
}

static void loop_release(struct plain_loop *l, uint32_t node)
{
    for (uint32_t e = l->g->succ_start[node]; e < l->g->succ_start[node + 1]; e++) {
        uint32_t j = l->g->succ[e], r = l->g->resource[j];
        if (--l->left[j] == 0)
            l->queue[r][l->tail[r]++] = j;
    }
}

double plain_loop_fifo(struct plain_loop *l)
{
    double now = 0;
    loop_reset(l);
    for (;;) {
        for (uint32_t r = 0; r < l->g->classes; r++)
            if (l->running[r] == IDLE && l->head[r] < l->tail[r]) {
                uint32_t node = l->running[r] = l->queue[r][l->head[r]++];
                plain_heap_push(&l->heap, now + plain_draw(l, node), node);
            }
        if (!l->heap.count)
            return now;
        struct event e = plain_heap_pop(&l->heap);
        now = e.t;
        l->running[l->g->resource[e.item]] = IDLE;
        loop_release(l, e.item);
    }
}

double plain_loop_kappa(struct plain_loop *l)
{
    double now = 0;
    uint32_t active = 0;
    loop_reset(l);
    for (;;) {
        for (uint32_t r = 0; r < l->g->classes; r++)
            if (l->running[r] == IDLE && l->head[r] < l->tail[r]) {
                l->running[r] = l->queue[r][l->head[r]++];
                l->remaining[r] = plain_draw(l, l->running[r]);
                active++;
            }
        if (!active)
            return now;
        uint32_t first = 0;
        for (uint32_t r = 1; r < l->g->classes; r++)
            if (l->remaining[r] < l->remaining[first])
                first = r;
        double kappa = active > 2 ? active / 2.0 : 1.0, work = l->remaining[first];
        now += work * kappa;
        for (uint32_t r = 0; r < l->g->classes; r++)
            l->remaining[r] -= work;
        uint32_t node = l->running[first];
        l->running[first] = IDLE;
        l->remaining[first] = INFINITY;
        active--;
        loop_release(l, node);
    }
}

double plain_loop_longest_path(struct plain_loop *l)
{
    double free_at[MAX_CLASSES] = {0}, last = 0;
    for (uint32_t i = 0; i < l->g->n; i++) {
        uint32_t r = l->g->resource[i];
        double start = free_at[r];
        for (uint32_t p = l->pred_start[i]; p < l->pred_start[i + 1]; p++)
            start = fmax(start, l->finish[l->pred[p]]);
        free_at[r] = l->finish[i] = start + plain_draw(l, i);
        last = fmax(last, free_at[r]);
    }
    return last;
}

static void link_predecessors(struct plain_loop *l)
{
    const struct layered *g = l->g;
    l->pred_start = workload_array((size_t)g->n + 2, sizeof *l->pred_start);
    l->pred = workload_array(g->succ_start[g->n], sizeof *l->pred);
    l->finish = workload_array(g->n, sizeof *l->finish);
    for (uint32_t i = 0; i < g->n; i++)
        l->pred_start[i + 2] = l->pred_start[i + 1] + g->indegree[i];
    for (uint32_t i = 0; i < g->n; i++)
        for (uint32_t e = g->succ_start[i]; e < g->succ_start[i + 1]; e++)
            l->pred[l->pred_start[g->succ[e] + 1]++] = i;
}

struct plain_loop *plain_loop_create(const struct layered *g)
{
    struct plain_loop *l = workload_array(1, sizeof *l);
    l->g = g;
    l->rng = workload_must(gsl_rng_alloc(gsl_rng_mt19937));
    l->heap.events = workload_array(g->n, sizeof *l->heap.events);
    l->left = workload_array(g->n, sizeof *l->left);
    for (uint32_t r = 0; r < g->classes; r++)
        l->queue[r] = workload_array(g->n, sizeof *l->queue[r]);
    link_predecessors(l);
    return l;
}

void plain_loop_free(struct plain_loop *l)
{
    for (uint32_t r = 0; r < MAX_CLASSES; r++)
        free(l->queue[r]);
    free(l->pred_start);
    free(l->pred);
    free(l->finish);
    free(l->heap.events);
    free(l->left);
    plain_full_free(l->full);
    gsl_rng_free(l->rng);
    free(l);
}

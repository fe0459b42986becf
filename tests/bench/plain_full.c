/* The loop by hand for w1-full, as described in plain_loops.h: priorities, bytes and slowdowns. */
#include <config.h>

#include "plain_loop.h"
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 4, SETS = 1 << CLASSES };

struct plain_full {
    const struct full_load *load;
    double kappa[SETS][CLASSES]; /* by who runs, bit by bit */
    uint64_t *waiting[CLASSES];  /* ascending: priority, number of arrival, node */
    uint32_t *readers;           /* of a node's object that have not ended */
    uint64_t arrived;
    uint32_t free_mib;
    uint32_t active; /* who runs, bit by bit */
};

static uint32_t node_of(uint64_t item)
{
    return (uint32_t)item;
}

static void full_join(struct plain_loop *l, uint32_t node)
{
    struct plain_full *f = l->full;
    uint32_t r = l->g->resource[node], at = l->tail[r]++;
    uint64_t item = (uint64_t)(3 - f->load->priority[node]) << 62 | f->arrived++ << 32 | node;
    for (; at > l->head[r] && f->waiting[r][at - 1] > item; at--)
        f->waiting[r][at] = f->waiting[r][at - 1];
    f->waiting[r][at] = item;
}

/* Who waits longest in the order of all resources, and has not been tried: its resource. */
static uint32_t next_to_try(const struct plain_loop *l, const uint32_t *cursor)
{
    const struct plain_full *f = l->full;
    uint32_t first = CLASSES;
    uint64_t least = UINT64_MAX;
    for (uint32_t r = 0; r < CLASSES; r++)
        if (!(f->active >> r & 1) && cursor[r] < l->tail[r] && f->waiting[r][cursor[r]] < least) {
            least = f->waiting[r][cursor[r]];
            first = r;
        }
    return first;
}

static void full_start(struct plain_loop *l)
{
    struct plain_full *f = l->full;
    uint32_t cursor[CLASSES], r;
    memcpy(cursor, l->head, sizeof cursor);
    while ((r = next_to_try(l, cursor)) < CLASSES) {
        uint32_t at = cursor[r]++, node = node_of(f->waiting[r][at]);
        uint32_t mib = f->load->workspace_mib[node] + f->load->object_mib[node];
        if (mib > f->free_mib)
            continue;
        f->free_mib -= mib;
        f->active |= 1u << r;
        for (; at > l->head[r]; at--)
            f->waiting[r][at] = f->waiting[r][at - 1];
        l->head[r]++;
        l->running[r] = node;
        l->remaining[r] = plain_draw(l, node);
    }
}

static void full_end(struct plain_loop *l, uint32_t r)
{
    struct plain_full *f = l->full;
    uint32_t node = l->running[r];
    f->active &= ~(1u << r);
    f->free_mib += f->load->workspace_mib[node];
    for (uint32_t p = l->pred_start[node]; p < l->pred_start[node + 1]; p++)
        if (--f->readers[l->pred[p]] == 0)
            f->free_mib += f->load->object_mib[l->pred[p]];
    for (uint32_t e = l->g->succ_start[node]; e < l->g->succ_start[node + 1]; e++)
        if (--l->left[l->g->succ[e]] == 0)
            full_join(l, l->g->succ[e]);
}

static void full_reset(struct plain_loop *l)
{
    const struct layered *g = l->g;
    memcpy(l->left, g->indegree, g->n * sizeof *l->left);
    memset(l->head, 0, sizeof l->head);
    memset(l->tail, 0, sizeof l->tail);
    l->full->arrived = 0;
    l->full->free_mib = FULL_CAPACITY_MIB;
    for (uint32_t i = 0; i < g->n; i++)
        l->full->readers[i] = g->succ_start[i + 1] - g->succ_start[i];
    for (uint32_t i = 0; i < g->n; i++)
        if (!g->indegree[i])
            full_join(l, i);
}

/* Runs on until the first node ends; its resource goes to *first.  Returns how long that takes. */
static double until_first_end(struct plain_loop *l, uint32_t *first)
{
    const struct plain_full *f = l->full;
    const double *kappa = f->kappa[f->active];
    double soonest = INFINITY;
    for (uint32_t r = 0; r < CLASSES; r++)
        if (f->active >> r & 1 && l->remaining[r] * kappa[r] < soonest) {
            soonest = l->remaining[r] * kappa[r];
            *first = r;
        }
    for (uint32_t r = 0; r < CLASSES; r++)
        l->remaining[r] -= soonest / kappa[r];
    return soonest;
}

double plain_loop_full(struct plain_loop *l)
{
    double now = 0;
    uint32_t first = 0;
    full_reset(l);
    for (full_start(l); l->full->active; full_start(l)) {
        now += until_first_end(l, &first);
        full_end(l, first);
    }
    return now;
}

void plain_loop_load(struct plain_loop *l, const struct full_load *load)
{
    const struct layered *g = l->g;
    struct plain_full *f = workload_array(1, sizeof *f);
    f->load = load;
    f->readers = workload_array(g->n, sizeof *f->readers);
    for (uint32_t r = 0; r < CLASSES; r++)
        f->waiting[r] = workload_array(g->n, sizeof *f->waiting[r]);
    for (uint32_t set = 0; set < SETS; set++)
        for (uint32_t a = 0; a < CLASSES; a++) {
            f->kappa[set][a] = 1;
            for (uint32_t b = 0; b < CLASSES; b++)
                if (a != b && set >> b & 1)
                    f->kappa[set][a] += load->kappa[a][b] - 1;
        }
    l->full = f;
}

void plain_full_free(struct plain_full *f)
{
    for (uint32_t r = 0; f && r < CLASSES; r++)
        free(f->waiting[r]);
    if (f)
        free(f->readers);
    free(f);
}

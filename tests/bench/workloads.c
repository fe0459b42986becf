/* Graphs of workloads.h.  Random numbers come from a fixed linear congruence, so a workload is the
 * same everywhere. */
#include <config.h>

#include "workloads.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t lcg_state;

void workload_seed(uint64_t seed)
{
    lcg_state = seed;
}

double workload_uniform(void)
{
    lcg_state = lcg_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(lcg_state >> 11) * 0x1p-53;
}

uint32_t workload_below(uint32_t bound)
{
    return (uint32_t)(workload_uniform() * bound);
}

void *workload_must(void *memory)
{
    if (!memory) {
        fputs("out of memory\n", stderr);
        exit(4);
    }
    return memory;
}

void *workload_array(size_t count, size_t size)
{
    return workload_must(calloc(count + 1, size));
}

/* ---- layered graphs -------------------------------------------------------------------------- */

struct parents {
    uint32_t count, of[3];
};

static void choose_parents(uint32_t i, struct parents *parents)
{
    uint32_t layer = i / WORKLOAD_LAYER;
    parents->count = 0;
    if (layer == 0)
        return;
    double u = workload_uniform();
    uint32_t wanted = u < 0.25 ? 1 : u < 0.75 ? 2 : 3;
    while (parents->count < wanted) {
        uint32_t back = workload_uniform() < 0.8 ? 1 : 1 + workload_below(4);
        uint32_t from =
            (layer > back ? layer - back : 0) * WORKLOAD_LAYER + workload_below(WORKLOAD_LAYER);
        bool known = false;
        for (uint32_t k = 0; k < parents->count; k++)
            known |= parents->of[k] == from;
        if (!known)
            parents->of[parents->count++] = from;
    }
}

/* Fills succ_start, succ and indegree. */
static void link_successors(struct layered *g, const struct parents *parents)
{
    for (uint32_t i = 0; i < g->n; i++) {
        g->indegree[i] = parents[i].count;
        for (uint32_t k = 0; k < parents[i].count; k++)
            g->succ_start[parents[i].of[k] + 2]++;
    }
    for (uint32_t i = 0; i < g->n; i++)
        g->succ_start[i + 1] += g->succ_start[i];
    for (uint32_t i = 0; i < g->n; i++)
        for (uint32_t k = 0; k < parents[i].count; k++)
            g->succ[g->succ_start[parents[i].of[k] + 1]++] = i;
}

static struct layered allocate(uint32_t n, uint32_t classes)
{
    return (struct layered){.n = n,
                            .classes = classes,
                            .succ_start = workload_array((size_t)n + 2, sizeof(uint32_t)),
                            .succ = workload_array(3 * (size_t)n, sizeof(uint32_t)),
                            .indegree = workload_array(n, sizeof(uint32_t)),
                            .resource = workload_array(n, sizeof(uint32_t)),
                            .median_us = workload_array(n, sizeof(double))};
}

void layered_free(struct layered *g)
{
    free(g->succ_start);
    free(g->succ);
    free(g->indegree);
    free(g->resource);
    free(g->median_us);
}

/* FIFO by ready time at median durations: order[k] is the k-th node to start. */
static void start_order(const struct layered *g, uint32_t *order)
{
    enum { MOST = 8 };
    uint32_t *queue[MOST], head[MOST] = {0}, tail[MOST] = {0}, running[MOST], started = 0;
    uint32_t *left = workload_array(g->n, sizeof *left);
    double finish[MOST], now = 0;
    memcpy(left, g->indegree, g->n * sizeof *left);
    for (uint32_t r = 0; r < g->classes; r++) {
        queue[r] = workload_array(g->n, sizeof *queue[r]);
        finish[r] = INFINITY;
    }
    for (uint32_t i = 0; i < g->n; i++)
        if (!left[i])
            queue[g->resource[i]][tail[g->resource[i]]++] = i;
    for (;;) {
        uint32_t first = 0;
        for (uint32_t r = 0; r < g->classes; r++) {
            if (finish[r] == INFINITY && head[r] < tail[r]) {
                uint32_t node = running[r] = order[started++] = queue[r][head[r]++];
                finish[r] = now + g->median_us[node];
            }
            if (finish[r] < finish[first])
                first = r;
        }
        if (finish[first] == INFINITY)
            break;
        now = finish[first];
        finish[first] = INFINITY;
        for (uint32_t e = g->succ_start[running[first]]; e < g->succ_start[running[first] + 1]; e++)
            if (--left[g->succ[e]] == 0) {
                uint32_t r = g->resource[g->succ[e]];
                queue[r][tail[r]++] = g->succ[e];
            }
    }
    for (uint32_t r = 0; r < g->classes; r++)
        free(queue[r]);
    free(left);
}

/* The same graph with node order[k] as node k. */
static struct layered renumbered(const struct layered *g, const struct parents *parents,
                                 const uint32_t *order)
{
    struct layered to = allocate(g->n, g->classes);
    uint32_t *place = workload_array(g->n, sizeof *place);
    struct parents *moved = workload_array(g->n, sizeof *moved);
    for (uint32_t k = 0; k < g->n; k++)
        place[order[k]] = k;
    for (uint32_t k = 0; k < g->n; k++) {
        to.resource[k] = g->resource[order[k]];
        to.median_us[k] = g->median_us[order[k]];
        moved[k] = parents[order[k]];
        for (uint32_t j = 0; j < moved[k].count; j++)
            moved[k].of[j] = place[moved[k].of[j]];
    }
    link_successors(&to, moved);
    free(place);
    free(moved);
    return to;
}

struct layered layered_make(uint32_t n, uint32_t classes)
{
    static const double medians[4] = {1, 2, 2, 3};
    struct layered drawn = allocate(n, classes);
    struct parents *parents = workload_array(n, sizeof *parents);
    workload_seed(12345 + n + classes);
    for (uint32_t i = 0; i < n; i++) {
        choose_parents(i, &parents[i]);
        double u = workload_uniform();
        uint32_t kind = u < 0.5 ? 0 : u < 0.7 ? 1 : u < 0.9 ? 2 : 3;
        drawn.median_us[i] = medians[kind] * (0.5 + workload_uniform());
        drawn.resource[i] = classes == 8 ? 2 * kind + (workload_uniform() < 0.5) : kind;
    }
    link_successors(&drawn, parents);
    uint32_t *order = workload_array(n, sizeof *order);
    start_order(&drawn, order);
    struct layered g = renumbered(&drawn, parents, order);
    layered_free(&drawn);
    free(parents);
    free(order);
    return g;
}

/* ---- w1-full --------------------------------------------------------------------------------- */

struct full_load full_load_make(const struct layered *g)
{
    struct full_load load = {workload_array(g->n, sizeof(uint32_t)),
                             workload_array(g->n, sizeof(uint32_t)),
                             workload_array(g->n, sizeof(uint32_t)),
                             {{0}}};
    for (uint32_t i = 0; i < g->n; i++) {
        load.workspace_mib[i] = 8 + workload_below(57);
        load.priority[i] = workload_below(4);
        if (g->resource[i] == 1 && g->succ_start[i] < g->succ_start[i + 1])
            load.object_mib[i] = 1 + workload_below(8);
    }
    for (uint32_t a = 0; a < g->classes; a++)
        for (uint32_t b = 0; b < g->classes; b++)
            if (a != b)
                load.kappa[a][b] = round((1.05 + 0.3 * workload_uniform()) * 1000) / 1000;
    return load;
}

void full_load_free(struct full_load *load)
{
    free(load->priority);
    free(load->workspace_mib);
    free(load->object_mib);
}

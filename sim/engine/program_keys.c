/* Packing the waiting orders: isolated means, upward ranks and the dense rank of each node's key
 * within its list, so that the loop compares integers only. */
#include "program.h"
#include "sort.h"
#include <math.h>
#include <stdlib.h>

struct keyed {
    long double key; /* 64 bits of mantissa: exact for every picosecond */
    enum sl_order order;
    uint32_t node;
};

static int by_list_then_key(const void *left, const void *right)
{
    const struct keyed *a = left, *b = right;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

/* rank(i) = mean(i) + max over successors (lag + rank): the longest way to the end at isolated
 * means.  Lane order counts as precedence. */
static void upward_ranks(const struct sl_program *p, double *rank)
{
    const struct sl_graph *g = p->graph;
    for (uint32_t k = p->n; k-- > 0;) {
        uint32_t i = g->topo[k];
        double longest = 0;
        for (uint32_t s = 0; s < p->hot[i].succ_count; s++) {
            uint32_t at = p->hot[i].succ_first + s;
            double way = (double)p->succ_lag[at] + rank[p->succ[at].to];
            if (way > longest)
                longest = way;
        }
        rank[i] = p->mean_ps[i] + longest;
    }
}

static enum sl_order order_of(const struct sl_program *p, uint32_t i)
{
    uint32_t r = p->hot[i].resource;
    return p->resources[r == SL_NONE ? p->resource_count : r].order;
}

static long double key_of(const struct sl_program *p, uint32_t i, const double *rank)
{
    const struct sl_node *node = &p->graph->nodes[i];
    switch (order_of(p, i)) {
    case SL_ORDER_PRIORITY:
        return -(long double)node->priority;
    case SL_ORDER_EDF:
        return (long double)node->deadline_ps;
    case SL_ORDER_SJF:
        return (long double)p->mean_ps[i];
    case SL_ORDER_CRITICAL_PATH:
        return -(long double)rank[i];
    case SL_ORDER_ISSUE:
        return (long double)i;
    default:
        return 0;
    }
}

enum sl_status sl_program_pack_keys(struct sl_program *p, struct sl_error *err)
{
    p->mean_ps = sl_arena_array(&p->arena, p->n + 1, sizeof *p->mean_ps);
    double *rank = malloc(((size_t)p->n + 1) * sizeof *rank);
    struct keyed *keyed = malloc(((size_t)p->n + 1) * sizeof *keyed);
    if (!p->mean_ps || !rank || !keyed) {
        free(rank);
        free(keyed);
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    }
    for (uint32_t i = 0; i < p->n; i++)
        p->mean_ps[i] = sl_node_mean_hold(p->graph, (sl_node_id){i}) +
                        sl_node_mean_latency(p->graph, (sl_node_id){i});
    upward_ranks(p, rank);
    for (uint32_t i = 0; i < p->n; i++)
        keyed[i] = (struct keyed){key_of(p, i, rank), order_of(p, i), i};
    sl_sort(keyed, p->n, sizeof *keyed, by_list_then_key);
    /* Equal upward ranks go by node index, before the ready time: part of the key.  No key of one
     * list is that of another: common_pack.c compares them. */
    uint32_t dense = 0;
    for (uint32_t k = 0; k < p->n; k++) {
        dense += k && (keyed[k].key != keyed[k - 1].key || keyed[k].order != keyed[k - 1].order ||
                       keyed[k].order == SL_ORDER_CRITICAL_PATH);
        p->hot[keyed[k].node].key = dense;
    }
    free(rank);
    free(keyed);
    return SL_OK;
}

/* Barriers that order nothing, and barriers that order too much.
 *
 * Without barrier b, let p < s be what edges, lanes and data flow still order.  b is redundant when
 * p < s for all its predecessors p and successors s.  It is broad when it orders some p and s that
 * need no order: neither p < s, nor a lifetime that is written out, directly or through others.
 * Both cannot be.
 *
 * Some barriers have a reason that the graph alone does not tell, and are not judged: those with a
 * guard, a fallback, a release or a deadline, with a lag or a `next` edge, and those that name what
 * they protect (object or inputs of the barrier, object of an edge at it).  That a reclamation
 * comes after it is a reason as well: it protects what is reclaimed. */
#include <config.h>

#include "barrier_order.h"
#include "units.h"
#include <stdlib.h>
#include <string.h>

enum { NAMED = 3 };

static bool edge_has_reason(const struct sl_edge *edge)
{
    return edge->lag_ps > 0 || edge->next > 0 ||
           (edge->object.i != SL_NONE &&
            (edge->type == SL_EDGE_BARRIER || edge->type == SL_EDGE_LIFETIME));
}

static bool is_plain(const struct sl_legality *l, uint32_t index)
{
    const struct sl_graph *graph = l->graph;
    const struct sl_node *node = &graph->nodes[index];
    if (node->kind != SL_BARRIER || sl_may_be_left_out(l, index) || node->object.i != SL_NONE ||
        node->inputs.count > 0 || node->release_ps > 0 || node->deadline_ps != INT64_MAX)
        return false;
    for (uint32_t k = graph->pred_start[index]; k < graph->pred_start[index + 1]; k++)
        if (edge_has_reason(&graph->edges[graph->pred_edges[k]]))
            return false;
    for (uint32_t k = graph->succ_start[index]; k < graph->succ_start[index + 1]; k++)
        if (edge_has_reason(&graph->edges[graph->succ_edges[k]]))
            return false;
    return true;
}

/* ---- redundant ------------------------------------------------------------------------------- */

static bool note_pair(void *user, uint32_t before, uint32_t after)
{
    (void)before, (void)after;
    *(bool *)user = true;
    return false;
}

/* Marks the barriers that order something; those that do not stay out of the order, so that of two
 * that stand for each other one remains. */
static void find_ordering(struct sl_barrier_order *b, bool *orders)
{
    b->sets.left_out = b->untrusted;
    for (uint32_t i = 0; i < b->l->graph->node_count && b->l->budget > 0 && !b->failed; i++) {
        if (!is_plain(b->l, i))
            continue;
        sl_barrier_collect(b, i, false);
        if (b->before.count == 0 || b->after.count == 0)
            continue;
        sl_barrier_take_out(b, i);
        if (!sl_barrier_visit_unordered(b, note_pair, &orders[i]))
            orders[i] = true; /* not known */
        if (orders[i])
            sl_barrier_put_back(b, i);
    }
}

static void report_redundant(struct sl_legality *l, uint32_t barrier)
{
    const char *name = l->graph->nodes[barrier].name;
    sl_report_node(l, barrier,
                   "barrier '%s' orders nothing: without it edges, lanes and data flow still put "
                   "what comes before it before what comes after it",
                   name);
    sl_diags_suggest(l->diags, "leave '%s' out, or name in column object what it protects", name);
}

/* ---- broad ----------------------------------------------------------------------------------- */

struct breadth {
    struct sl_barrier_order *b;
    uint64_t pairs;
    uint32_t before[NAMED], after[NAMED];
    double *load_ps; /* per resource */
};

static uint32_t first_resource(const struct sl_graph *graph, uint32_t node)
{
    struct sl_span demands = graph->nodes[node].demands;
    return demands.count > 0 ? graph->demands[demands.first].resource : SL_NONE;
}

static bool add_pair(void *user, uint32_t before, uint32_t after)
{
    struct breadth *breadth = user;
    const struct sl_graph *graph = breadth->b->l->graph;
    const uint32_t pair[] = {before, after};
    enum sl_node_kind first = graph->nodes[before].kind, second = graph->nodes[after].kind;
    if (first == SL_BARRIER || second == SL_BARRIER || first == SL_RECLAMATION ||
        second == SL_RECLAMATION)
        return true;
    if (breadth->pairs < NAMED) {
        breadth->before[breadth->pairs] = before;
        breadth->after[breadth->pairs] = after;
    }
    breadth->pairs++;
    uint32_t resources[] = {first_resource(graph, before), first_resource(graph, after)};
    if (resources[0] == resources[1] || resources[0] == SL_NONE || resources[1] == SL_NONE)
        return true;
    for (int k = 0; k < 2; k++)
        if (sl_barrier_meet(breadth->b, pair[k]))
            breadth->load_ps[resources[k]] += sl_node_mean_hold(graph, (sl_node_id){pair[k]});
    return true;
}

/* "; it keeps 36.0 ms of 'compute' and 12.0 ms of 'd2h' apart", of the two largest loads. */
static void say_load(const struct breadth *breadth, char *text, size_t size)
{
    const struct sl_names *names = &breadth->b->l->scenario->platform.resource_names;
    const double *load = breadth->load_ps;
    uint32_t most[2] = {SL_NONE, SL_NONE};
    char first[32], second[32];
    text[0] = '\0';
    for (uint32_t r = 0; r < names->count; r++) {
        if (load[r] > 0 && (most[0] == SL_NONE || load[r] > load[most[0]])) {
            most[1] = most[0];
            most[0] = r;
        } else if (load[r] > 0 && (most[1] == SL_NONE || load[r] > load[most[1]])) {
            most[1] = r;
        }
    }
    if (most[1] != SL_NONE)
        snprintf(text, size, "; it keeps %s of '%s' and %s of '%s' apart",
                 sl_format_time(first, sizeof first, load[most[0]]), names->names[most[0]],
                 sl_format_time(second, sizeof second, load[most[1]]), names->names[most[1]]);
}

static void report_broad(const struct breadth *breadth, uint32_t barrier)
{
    struct sl_legality *l = breadth->b->l;
    const struct sl_node *nodes = l->graph->nodes;
    char pairs[500] = "", load[200];
    size_t used = 0;
    uint32_t named = breadth->pairs < NAMED ? (uint32_t)breadth->pairs : NAMED;
    for (uint32_t k = 0; k < named && used < sizeof pairs; k++)
        used += (size_t)snprintf(pairs + used, sizeof pairs - used, "%s'%s' before '%s'",
                                 k > 0 ? ", " : "", nodes[breadth->before[k]].name,
                                 nodes[breadth->after[k]].name);
    say_load(breadth, load, sizeof load);
    sl_report_node(
        l, barrier, "barrier '%s' orders %llu pair%s of nodes that need no order: %s%s%s",
        nodes[barrier].name, (unsigned long long)breadth->pairs, breadth->pairs == 1 ? "" : "s",
        pairs, breadth->pairs > named ? " ..." : "", load);
    for (uint32_t k = 0; k < named; k++) {
        sl_report_also_node(l, breadth->before[k]);
        sl_report_also_node(l, breadth->after[k]);
    }
    sl_diags_suggest(
        l->diags,
        "put edges between the nodes that need each other in the place of '%s', or name "
        "in column object what it protects",
        nodes[barrier].name);
}

static void find_broad(struct sl_barrier_order *b, const bool *orders, double *load_ps)
{
    const struct sl_graph *graph = b->l->graph;
    size_t resources = b->l->scenario->platform.resource_names.count;
    b->sets.left_out = NULL;
    /* What some runs leave out is needed in others. */
    for (uint32_t i = 0; i < graph->node_count; i++)
        b->sets.opaque[i] &= graph->nodes[i].kind == SL_BARRIER;
    for (uint32_t i = 0; i < graph->node_count && b->l->budget > 0 && !b->failed; i++) {
        struct breadth breadth = {.b = b, .load_ps = load_ps};
        if (!orders[i])
            continue;
        sl_barrier_collect(b, i, true);
        sl_barrier_new_round(b);
        memset(load_ps, 0, resources * sizeof *load_ps);
        sl_barrier_take_out(b, i);
        if (sl_barrier_visit_unordered(b, add_pair, &breadth) && breadth.pairs > 0)
            report_broad(&breadth, i);
        sl_barrier_put_back(b, i);
    }
}

/* ---- rules ----------------------------------------------------------------------------------- */

static void check_barriers(struct sl_legality *l, bool broad)
{
    bool any = false;
    for (uint32_t i = 0; i < l->graph->node_count && !any; i++)
        any = is_plain(l, i);
    if (!any)
        return;
    struct sl_barrier_order order;
    bool *orders = calloc((size_t)l->graph->node_count + 1, sizeof *orders);
    double *load_ps =
        calloc((size_t)l->scenario->platform.resource_names.count + 1, sizeof *load_ps);
    bool ready = sl_barrier_order_open(&order, l) && orders && load_ps;
    if (ready)
        find_ordering(&order, orders);
    for (uint32_t i = 0; ready && !broad && i < l->graph->node_count; i++)
        if (order.sets.opaque[i] && is_plain(l, i))
            report_redundant(l, i);
    if (ready && broad)
        find_broad(&order, orders, load_ps);
    if (!ready || order.failed)
        sl_diags_add(l->diags, SL_ERROR, "out-of-memory", (struct sl_place){0}, "out of memory");
    sl_barrier_order_close(&order);
    free(orders);
    free(load_ps);
}

void sl_check_redundant_barriers(struct sl_legality *l)
{
    check_barriers(l, false);
}

void sl_check_broad_barriers(struct sl_legality *l)
{
    check_barriers(l, true);
}

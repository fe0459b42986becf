/* Violations around barriers, lanes, overlap and windows, and what nobody stated.  Each looks for a
 * place where the rest of the scenario does not make up for what it breaks, so that the scenario is
 * certainly not legal. */
#include <config.h>

#include "draft_query.h"
#include "injections.h"

/* ---- barriers, lanes, overlap and windows ---------------------------------------------------- */

static bool is_plain_edge(const struct draft *d, unsigned edge)
{
    const struct draft_edge *e = &d->edges[edge];
    return !e->next && draft_is_certain(d, e->from) && draft_is_certain(d, e->to) &&
           d->nodes[e->from].kind != SL_BARRIER && d->nodes[e->to].kind != SL_BARRIER;
}

static bool repeat_by_barrier(struct draft *d, struct dice *dice)
{
    unsigned e = draft_pick_edge(dice, d, is_plain_edge);
    if (e == SL_NONE || d->node_count == DRAFT_NODES)
        return false;
    unsigned barrier = draft_node(d, SL_BARRIER, "meeting");
    draft_edge(d, d->edges[e].from, barrier, SL_EDGE_BARRIER, SL_NONE);
    draft_edge(d, barrier, d->edges[e].to, SL_EDGE_BARRIER, SL_NONE);
    return true;
}

/* Two nodes that do `shape` for 1 ms and have nothing to do with anything else. */
static bool add_pair(struct draft *d, enum draft_shape shape, unsigned pair[2])
{
    static const char *const names[] = {"left", "right"};
    if (d->node_count + 5 > DRAFT_NODES)
        return false;
    for (unsigned k = 0; k < 2; k++) {
        pair[k] = draft_node(d, SL_COMPUTE, names[k]);
        d->nodes[pair[k]].shape = shape;
        d->nodes[pair[k]].mean_ns = 1000000;
    }
    return true;
}

/* Two chains of which neither needs the other. */
static bool join_by_barrier(struct draft *d, struct dice *dice)
{
    unsigned before[2];
    (void)dice;
    if (!add_pair(d, CONSTANT, before))
        return false;
    unsigned barrier = draft_node(d, SL_BARRIER, "everybody");
    for (unsigned k = 0; k < 2; k++) {
        unsigned after = draft_node(d, SL_COMPUTE, k ? "right.2" : "left.2");
        draft_edge(d, before[k], after, SL_EDGE_DATA, SL_NONE);
        draft_edge(d, before[k], barrier, SL_EDGE_BARRIER, SL_NONE);
        draft_edge(d, barrier, after, SL_EDGE_BARRIER, SL_NONE);
    }
    return true;
}

static unsigned engine_of(const struct draft *d, unsigned n)
{
    const struct draft_node *node = &d->nodes[n];
    if (!sl_node_moves(node->kind))
        return node->resource;
    return node->to == HBM ? H2D : d->engine_out;
}

static bool is_in_mixed_lane(const struct draft *d, unsigned n)
{
    for (unsigned i = 0; d->nodes[n].lane && i < d->node_count; i++)
        if (d->nodes[i].lane && strcmp(d->nodes[i].lane, d->nodes[n].lane) == 0 &&
            engine_of(d, i) != SL_NONE && engine_of(d, n) != SL_NONE &&
            engine_of(d, i) != engine_of(d, n))
            return true;
    return false;
}

static bool plan_over_streams(struct draft *d, struct dice *dice)
{
    if (draft_pick_node(dice, d, is_in_mixed_lane) == SL_NONE)
        return false;
    d->policies = "  - {name: as-given, action: as-given}\n  - {name: retain, action: retain}\n";
    return true;
}

static struct draft_overlap *add_overlap(struct draft *d, unsigned a, unsigned b, bool allowed)
{
    struct draft_overlap *row = &d->overlaps[d->overlap_count++];
    *row = (struct draft_overlap){.allowed = allowed};
    memcpy(row->a, d->nodes[a].name, sizeof row->a);
    memcpy(row->b, d->nodes[b].name, sizeof row->b);
    return row;
}

/* Both take 1 ms from the start and are due at 1.5 ms. */
static bool forbid_what_must_overlap(struct draft *d, struct dice *dice)
{
    unsigned pair[2];
    (void)dice;
    if (d->overlap_count == DRAFT_OVERLAPS || !add_pair(d, CONSTANT, pair))
        return false;
    d->nodes[pair[0]].deadline_ns = d->nodes[pair[1]].deadline_ns = 1500000;
    add_overlap(d, pair[0], pair[1], false);
    return true;
}

static bool permit_without_proof(struct draft *d, struct dice *dice)
{
    unsigned a = dice_below(dice, d->node_count), b = dice_below(dice, d->node_count);
    if (d->overlap_count == DRAFT_OVERLAPS || a == b)
        return false;
    add_overlap(d, a, b, true);
    return true;
}

/* Due at 0.8 ms: a lucky run, of 0.5 ms, makes it. */
static bool add_narrow_window(struct draft *d, struct dice *dice)
{
    unsigned pair[2];
    if (!add_pair(d, UNIFORM, pair))
        return false;
    d->nodes[pair[dice_below(dice, 2)]].deadline_ns = 800000;
    return true;
}

/* ---- assumptions ----------------------------------------------------------------------------- */

static bool is_timed(const struct draft *d, unsigned n)
{
    return d->nodes[n].shape != TAKES_NO_TIME;
}

static bool forget_evidence(struct draft *d, struct dice *dice)
{
    unsigned n = draft_pick_node(dice, d, is_timed);
    if (n != SL_NONE)
        d->nodes[n].no_evidence = true;
    return n != SL_NONE;
}

static bool forget_reserve(struct draft *d, struct dice *dice)
{
    unsigned m = dice_below(dice, DRAFT_DOMAINS);
    if (d->domains[m].capacity_mib < 0)
        return false;
    d->domains[m].no_reserve = true;
    return true;
}

static bool forget_tail(struct draft *d, struct dice *dice)
{
    (void)dice;
    return d->no_tail = true;
}

static bool uses_gpu(const struct draft *d, unsigned n)
{
    return d->nodes[n].resource == GPU;
}

static bool forget_priorities(struct draft *d, struct dice *dice)
{
    if (draft_pick_node(dice, d, uses_gpu) == SL_NONE)
        return false;
    d->resources[GPU].settings = ", order: priority";
    for (unsigned i = 0; i < d->node_count; i++)
        d->nodes[i].priority = 0;
    return true;
}

static bool forget_route_evidence(struct draft *d, struct dice *dice)
{
    (void)dice;
    return d->no_route_evidence = true;
}

static const struct injection rows[] = {
    {"barrier-redundant", "a barrier beside an edge", repeat_by_barrier},
    {"barrier-broad", "a barrier across two chains", join_by_barrier},
    {"mechanism-in-policy", "a policy that plans over mixed lanes", plan_over_streams},
    {"overlap-forced", "two short deadlines, kept apart", forbid_what_must_overlap},
    {"overlap-unproven", "a permission without proof", permit_without_proof},
    {"negative-window", "a deadline before the mean", add_narrow_window},
    {"no-evidence", "a duration without evidence", forget_evidence},
    {"assumed-reserve", "no reserve", forget_reserve},
    {"assumed-tail", "no tail", forget_tail},
    {"assumed-bandwidth", "a route without evidence", forget_route_evidence},
    {"assumed-priority", "an order by priorities that nobody states", forget_priorities},
};
const struct injections inject_remarks = {rows, sizeof rows / sizeof *rows};

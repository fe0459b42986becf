/* Violations of order, of what may be left out or done again, and of demands.  Each looks for a
 * place where the rest of the scenario does not make up for what it breaks, so that the scenario is
 * certainly not legal. */
#include <config.h>

#include "draft_query.h"
#include "injections.h"

/* ---- order ----------------------------------------------------------------------------------- */

static bool is_same_iteration(const struct draft *d, unsigned edge)
{
    return d->edges[edge].next == 0;
}

static bool add_back_edge(struct draft *d, struct dice *dice)
{
    unsigned e = draft_pick_edge(dice, d, is_same_iteration);
    if (e == SL_NONE)
        return false;
    draft_edge(d, d->edges[e].to, d->edges[e].from, SL_EDGE_ORDERING, SL_NONE);
    return true;
}

/* Nothing that takes no time or may be left out, and no factor that could make it short. */
static bool has_certain_time(const struct draft *d, unsigned node)
{
    const struct draft_node *n = &d->nodes[node];
    return n->shape == CONSTANT && n->mean_ns > 1000 && draft_is_certain(d, node) && !n->klass;
}

static bool move_deadline_ahead(struct draft *d, struct dice *dice)
{
    unsigned n = draft_pick_node(dice, d, has_certain_time);
    if (n != SL_NONE)
        d->nodes[n].deadline_ns = 1 + dice_below(dice, 900);
    return n != SL_NONE;
}

/* ---- recomputation, guards, fallbacks -------------------------------------------------------- */

static bool is_remake(const struct draft *d, unsigned n)
{
    return d->nodes[n].kind == SL_REMATERIALIZATION;
}

static bool doubt_equivalence(struct draft *d, struct dice *dice)
{
    unsigned n = draft_pick_node(dice, d, is_remake);
    if (n != SL_NONE)
        d->objects[d->nodes[n].outputs.items[0]].equivalence =
            dice_chance(dice, 50) ? "unknown" : NULL;
    return n != SL_NONE;
}

static bool misname_origin(struct draft *d, struct dice *dice)
{
    unsigned n = draft_pick_node(dice, d, is_remake);
    if (n == SL_NONE)
        return false;
    unsigned o = d->nodes[n].outputs.items[0], other = dice_below(dice, d->node_count);
    while (draft_writes(d, other, o))
        other = (other + 1) % d->node_count;
    d->objects[o].reconstruct = other;
    return true;
}

static bool is_remake_with_inputs(const struct draft *d, unsigned n)
{
    return is_remake(d, n) && d->nodes[n].inputs.count > 0 &&
           d->objects[d->nodes[n].outputs.items[0]].reconstruct != SL_NONE;
}

static bool forget_input_of_remake(struct draft *d, struct dice *dice)
{
    unsigned n = draft_pick_node(dice, d, is_remake_with_inputs);
    if (n != SL_NONE)
        d->nodes[n].inputs.count--;
    return n != SL_NONE;
}

static bool has_certain_source(const struct draft *d, unsigned o)
{
    return draft_has_one_source(d, o) && draft_is_certain(d, draft_only_writer(d, o)) &&
           d->nodes[draft_only_writer(d, o)].kind == SL_COMPUTE;
}

static bool guard_producer(struct draft *d, struct dice *dice)
{
    unsigned o = draft_pick_object(dice, d, has_certain_source);
    if (o == SL_NONE)
        return false;
    struct draft_node *writer = &d->nodes[draft_only_writer(d, o)];
    writer->guard = 0;
    writer->guard_negated = dice_chance(dice, 50);
    return true;
}

/* One of a pair of which one makes the value, where some reader runs in any case. */
static bool is_alternative(const struct draft *d, unsigned n)
{
    if (d->nodes[n].guard == SL_NONE || d->nodes[n].outputs.count != 1 ||
        d->nodes[n].fallback != SL_NONE)
        return false;
    unsigned o = d->nodes[n].outputs.items[0], writers = 0, guarded = 0;
    for (unsigned i = 0; i < d->node_count; i++) {
        writers += draft_writes(d, i, o) || draft_moves(d, i, o);
        guarded += draft_writes(d, i, o) && d->nodes[i].guard == d->nodes[n].guard &&
                   !draft_reads(d, i, o);
    }
    return writers == 2 && guarded == 2 && d->objects[o].initial == SL_NONE &&
           draft_certain_reader(d, o, n + 1) != SL_NONE;
}

static bool forget_alternative(struct draft *d, struct dice *dice)
{
    unsigned n = draft_pick_node(dice, d, is_alternative);
    if (n != SL_NONE)
        d->nodes[n].outputs.count = 0;
    return n != SL_NONE;
}

static bool has_fallback(const struct draft *d, unsigned n)
{
    return d->nodes[n].fallback != SL_NONE;
}

static bool forget_deadline(struct draft *d, struct dice *dice)
{
    unsigned n = draft_pick_node(dice, d, has_fallback);
    if (n != SL_NONE) {
        d->nodes[n].deadline_ns = 0;
        d->nodes[n].guard = SL_NONE;
    }
    return n != SL_NONE;
}

/* ---- demands and capacity -------------------------------------------------------------------- */

static bool is_limited(const struct draft *d, unsigned n)
{
    unsigned r = d->nodes[n].resource;
    return r != SL_NONE && d->resources[r].servers > 0;
}

static bool demand_more_units(struct draft *d, struct dice *dice)
{
    unsigned n = draft_pick_node(dice, d, is_limited);
    if (n != SL_NONE)
        d->nodes[n].units = d->resources[d->nodes[n].resource].servers + 1 + dice_below(dice, 3);
    return n != SL_NONE;
}

static bool has_workspace(const struct draft *d, unsigned n)
{
    return d->nodes[n].workspace[HBM] > 0;
}

static bool shrink_below_workspace(struct draft *d, struct dice *dice)
{
    unsigned n = draft_pick_node(dice, d, has_workspace);
    if (n != SL_NONE)
        d->domains[HBM].capacity_mib = d->nodes[n].workspace[HBM] - 1;
    return n != SL_NONE;
}

/* Bytes at home of what one node reads and writes, its workspace and staging, in MiB. */
static unsigned need_of(const struct draft *d, unsigned n)
{
    const struct draft_node *node = &d->nodes[n];
    unsigned need = node->workspace[HBM] + node->staging[HBM];
    for (unsigned o = 0; o < d->object_count; o++)
        if (d->objects[o].alias_of == SL_NONE && (draft_reads(d, n, o) || draft_writes(d, n, o)))
            need += (d->objects[o].mib + 3) / 4 * 4;
    return need;
}

/* A buffer that is there from the start fills what the most demanding node needs, of those that no
 * fallback may make unnecessary. */
static bool fill_domain(struct draft *d, struct dice *dice)
{
    unsigned most = 0;
    for (unsigned n = 0; n < d->node_count; n++)
        if (d->nodes[n].fallback == SL_NONE && !draft_stands_by(d, n) && need_of(d, n) > most)
            most = need_of(d, n);
    if (most == 0 || d->object_count == DRAFT_OBJECTS)
        return false;
    unsigned o = draft_object(d, "buffer", most);
    d->objects[o].initial = HBM;
    d->objects[o].persist = dice_chance(dice, 50);
    d->domains[HBM].capacity_mib = most + dice_below(dice, most);
    return true;
}

static bool is_barrier(const struct draft *d, unsigned n)
{
    return d->nodes[n].kind == SL_BARRIER;
}

static bool load_barrier(struct draft *d, struct dice *dice)
{
    unsigned n = draft_pick_node(dice, d, is_barrier);
    if (n == SL_NONE)
        return false;
    if (dice_chance(dice, 50))
        d->nodes[n].workspace[PINNED] = 1;
    else
        d->nodes[n].shape = CONSTANT;
    d->nodes[n].mean_ns = 1000;
    return true;
}

static const struct injection rows[] = {
    {"precedence-cycle", "an edge against another one", add_back_edge},
    {"deadline-too-early", "a deadline before the node's own duration", move_deadline_ahead},
    {"remat-not-equivalent", "another origin", misname_origin},
    {"remat-not-equivalent", "an input less", forget_input_of_remake},
    {"remat-unknown-equivalence", "unknown or unstated", doubt_equivalence},
    {"guard-without-input", "a guard on the only producer", guard_producer},
    {"guard-without-input", "one of two alternatives makes nothing", forget_alternative},
    {"fallback-unreachable", "neither guard nor deadline", forget_deadline},
    {"demand-above-capacity", "more units than servers", demand_more_units},
    {"demand-above-capacity", "less capacity than a workspace", shrink_below_workspace},
    {"peak-unavoidable", "a buffer fills what a node needs", fill_domain},
    {"barrier-demands", "a duration or a workspace", load_barrier},
};
const struct injections inject_runs = {rows, sizeof rows / sizeof *rows};

/* Violations of contents, lifetimes, places and moves.  Each looks for a place where the rest of
 * the scenario does not make up for what it breaks, so that the scenario is certainly not legal. */
#include <config.h>

#include "draft_query.h"
#include "injections.h"

/* ---- contents and lifetimes ------------------------------------------------------------------ */

static bool forget_output(struct draft *d, struct dice *dice)
{
    unsigned o = draft_pick_object(dice, d, draft_has_one_source);
    if (o == SL_NONE)
        return false;
    draft_drop_object(d, &d->nodes[draft_only_writer(d, o)].outputs, o);
    d->objects[o].reconstruct = SL_NONE;
    return true;
}

static bool is_read_first(const struct draft *d, unsigned o)
{
    if (d->objects[o].initial != HBM)
        return false;
    for (unsigned i = 0; i < d->node_count; i++) {
        if (draft_moves(d, i, o) || (d->nodes[i].kind == SL_BARRIER && d->nodes[i].object == o))
            return false;
        if (draft_reads(d, i, o))
            return d->nodes[i].kind == SL_COMPUTE;
        if (draft_writes(d, i, o))
            return false;
    }
    return false;
}

static bool forget_initial(struct draft *d, struct dice *dice)
{
    unsigned o = draft_pick_object(dice, d, is_read_first);
    if (o != SL_NONE)
        d->objects[o].initial = SL_NONE;
    return o != SL_NONE;
}

/* A room in front of a certain first writer, of an object with one such room. */
static unsigned first_writer(const struct draft *d, unsigned room)
{
    unsigned o = d->nodes[room].object;
    for (unsigned i = room + 1; i < d->node_count; i++)
        if (draft_writes(d, i, o) || draft_moves(d, i, o))
            return draft_writes(d, i, o) && draft_is_certain(d, i) ? i : SL_NONE;
    return SL_NONE;
}

static bool is_only_allocation(const struct draft *d, unsigned n)
{
    return d->nodes[n].kind == SL_ALLOCATION && first_writer(d, n) != SL_NONE &&
           draft_count(d, SL_ALLOCATION, d->nodes[n].object) == 1;
}

static bool is_only_mapping(const struct draft *d, unsigned n)
{
    return d->nodes[n].kind == SL_MAPPING && first_writer(d, n) != SL_NONE &&
           draft_count(d, SL_MAPPING, d->nodes[n].object) == 1;
}

static bool put_room_behind(struct draft *d, unsigned room)
{
    if (room == SL_NONE)
        return false;
    unsigned writer = first_writer(d, room);
    for (unsigned e = d->edge_count; e-- > 0;)
        if (d->edges[e].from == room || d->edges[e].to == room)
            draft_drop_edge(d, e);
    draft_edge(d, writer, room, SL_EDGE_ORDERING, SL_NONE);
    return true;
}

static bool put_allocation_behind(struct draft *d, struct dice *dice)
{
    return put_room_behind(d, draft_pick_node(dice, d, is_only_allocation));
}

static bool put_mapping_behind(struct draft *d, struct dice *dice)
{
    return put_room_behind(d, draft_pick_node(dice, d, is_only_mapping));
}

/* The stated edge is all that puts the reader before the reclamation. */
static bool is_needed(const struct draft *d, unsigned edge, enum sl_node_kind kind)
{
    const struct draft_edge *e = &d->edges[edge];
    if (e->next || e->type != SL_EDGE_LIFETIME || d->nodes[e->to].kind != SL_RECLAMATION ||
        d->nodes[e->from].kind != kind || !draft_is_certain(d, e->from) ||
        !draft_reads(d, e->from, d->nodes[e->to].object) || draft_source(&d->nodes[e->to]) != HBM)
        return false;
    struct draft without = *d;
    for (unsigned k = without.edge_count; k-- > 0;)
        if (without.edges[k].from == e->from && without.edges[k].to == e->to)
            draft_drop_edge(&without, k);
    return !draft_reaches_by_flow(&without, e->from, e->to);
}

static bool is_reader_edge(const struct draft *d, unsigned edge)
{
    return is_needed(d, edge, SL_COMPUTE) && draft_is_quiet(d, d->edges[edge].from);
}

static bool is_remat_edge(const struct draft *d, unsigned edge)
{
    return is_needed(d, edge, SL_REMATERIALIZATION);
}

static void drop_edges(struct draft *d, unsigned from, unsigned to)
{
    for (unsigned k = d->edge_count; k-- > 0;)
        if (d->edges[k].from == from && d->edges[k].to == to)
            draft_drop_edge(d, k);
}

static bool forget_reader(struct draft *d, struct dice *dice)
{
    unsigned e = draft_pick_edge(dice, d, is_reader_edge);
    if (e != SL_NONE)
        drop_edges(d, d->edges[e].from, d->edges[e].to);
    return e != SL_NONE;
}

/* Order through a node that its deadline may cancel is none: the reclamation then waits for its
 * fallback alone. */
static bool order_through_deadline(struct draft *d, struct dice *dice)
{
    unsigned e = draft_pick_edge(dice, d, is_reader_edge);
    if (e == SL_NONE || d->node_count + 2 > DRAFT_NODES)
        return false;
    unsigned from = d->edges[e].from, to = d->edges[e].to;
    unsigned exact = draft_node(d, SL_COMPUTE, "exact"), rough = draft_node(d, SL_COMPUTE, "rough");
    d->nodes[exact].deadline_ns = INT64_C(1000000000000);
    d->nodes[exact].fallback = rough;
    drop_edges(d, from, to);
    draft_edge(d, from, exact, SL_EDGE_ORDERING, SL_NONE);
    draft_edge(d, exact, to, SL_EDGE_ORDERING, SL_NONE);
    return true;
}

static bool turn_edge(struct draft *d, unsigned edge)
{
    if (edge == SL_NONE)
        return false;
    unsigned from = d->edges[edge].from, to = d->edges[edge].to;
    drop_edges(d, from, to);
    draft_edge(d, to, from, SL_EDGE_ORDERING, SL_NONE);
    return true;
}

static bool read_behind_reclamation(struct draft *d, struct dice *dice)
{
    return turn_edge(d, draft_pick_edge(dice, d, is_reader_edge));
}

/* What the rematerialization makes must not lead back to the reclamation of its input. */
static bool remake_behind_reclamation(struct draft *d, struct dice *dice)
{
    return turn_edge(d, draft_pick_edge(dice, d, is_remat_edge));
}

/* A second node that does the same, between the same neighbours. */
static bool repeat(struct draft *d, unsigned node)
{
    if (node == SL_NONE || d->node_count == DRAFT_NODES)
        return false;
    unsigned twin = draft_node(d, d->nodes[node].kind, "twin");
    d->nodes[twin].object = d->nodes[node].object;
    d->nodes[twin].from = d->nodes[node].from;
    d->nodes[twin].to = d->nodes[node].to;
    for (unsigned e = 0, count = d->edge_count; e < count; e++) {
        struct draft_edge edge = d->edges[e];
        if (edge.next || (edge.from != node && edge.to != node))
            continue;
        edge.from = edge.from == node ? twin : edge.from;
        edge.to = edge.to == node ? twin : edge.to;
        draft_edge(d, edge.from, edge.to, edge.type, edge.object);
    }
    return true;
}

static bool is_allocation(const struct draft *d, unsigned n)
{
    return d->nodes[n].kind == SL_ALLOCATION;
}

static bool is_reclamation(const struct draft *d, unsigned n)
{
    return d->nodes[n].kind == SL_RECLAMATION;
}

static bool allocate_twice(struct draft *d, struct dice *dice)
{
    return repeat(d, draft_pick_node(dice, d, is_allocation));
}

static bool reclaim_twice(struct draft *d, struct dice *dice)
{
    return repeat(d, draft_pick_node(dice, d, is_reclamation));
}

/* The one reclamation of an object with an allocation of its own. */
static bool is_only_reclamation(const struct draft *d, unsigned n)
{
    unsigned o = d->nodes[n].object;
    return is_reclamation(d, n) && draft_count(d, SL_RECLAMATION, o) == 1 &&
           draft_count(d, SL_ALLOCATION, o) == 1 && !d->objects[o].persist;
}

static bool forget_reclamation(struct draft *d, struct dice *dice)
{
    unsigned n = draft_pick_node(dice, d, is_only_reclamation);
    if (n != SL_NONE)
        draft_drop_node(d, n);
    return n != SL_NONE;
}

/* ---- places, names and moves ----------------------------------------------------------------- */

static bool is_used(const struct draft *d, unsigned o)
{
    for (unsigned i = 0; i < d->node_count; i++)
        if (draft_reads(d, i, o) || draft_writes(d, i, o))
            return d->objects[o].alias_of == SL_NONE;
    return false;
}

static bool forbid_home(struct draft *d, struct dice *dice)
{
    unsigned o = draft_pick_object(dice, d, is_used);
    if (o != SL_NONE)
        d->objects[o].placements = "pinned";
    return o != SL_NONE;
}

static bool is_alias(const struct draft *d, unsigned o)
{
    return d->objects[o].alias_of != SL_NONE;
}

static bool enlarge_alias(struct draft *d, struct dice *dice)
{
    unsigned o = draft_pick_object(dice, d, is_alias);
    if (o != SL_NONE)
        d->objects[o].mib += 1 + dice_below(dice, 64);
    return o != SL_NONE;
}

static bool has_alias_and_end(const struct draft *d, unsigned o)
{
    return is_alias(d, o) && draft_count(d, SL_RECLAMATION, d->objects[o].alias_of) > 0;
}

static bool reclaim_alias(struct draft *d, struct dice *dice)
{
    unsigned o = draft_pick_object(dice, d, has_alias_and_end);
    for (unsigned i = 0; o != SL_NONE && i < d->node_count; i++)
        if (is_reclamation(d, i) && d->nodes[i].object == d->objects[o].alias_of) {
            d->nodes[i].object = o;
            return true;
        }
    return false;
}

/* The last move of an object, a prefetch, that does not last. */
static bool is_last_prefetch(const struct draft *d, unsigned n)
{
    if (d->nodes[n].kind != SL_PREFETCH || d->objects[d->nodes[n].object].persist)
        return false;
    for (unsigned i = n + 1; i < d->node_count; i++)
        if (draft_moves(d, i, d->nodes[n].object))
            return false;
    return true;
}

static bool read_no_more(struct draft *d, struct dice *dice)
{
    unsigned n = draft_pick_node(dice, d, is_last_prefetch);
    if (n == SL_NONE)
        return false;
    unsigned o = d->nodes[n].object;
    for (unsigned e = d->edge_count; e-- > 0;) /* no use in a later iteration either */
        if (d->edges[e].from == n && d->edges[e].next)
            draft_drop_edge(d, e);
    for (unsigned i = 0; i < d->node_count; i++) {
        if (i > n || !draft_reaches(d, i, n))
            draft_drop_object(d, &d->nodes[i].inputs, o);
        if (d->nodes[i].kind == SL_BARRIER && d->nodes[i].object == o)
            d->nodes[i].object = SL_NONE;
    }
    return true;
}

/* Reclamation at home between an offload and the prefetch that brings the object back; the prefetch
 * is the last, and another reclamation follows. */
static bool is_relief(const struct draft *d, unsigned n)
{
    unsigned o = d->nodes[n].object, out = SL_NONE, back = SL_NONE, later = 0;
    if (!is_reclamation(d, n) || draft_source(&d->nodes[n]) != HBM)
        return false;
    for (unsigned i = 0; i < d->node_count; i++) {
        if (i < n && draft_moves(d, i, o))
            out = d->nodes[i].kind == SL_OFFLOAD ? i : SL_NONE;
        if (i > n && draft_moves(d, i, o) && back == SL_NONE)
            back = i;
        later += i > n && is_reclamation(d, i) && d->nodes[i].object == o &&
                 draft_source(&d->nodes[i]) == HBM;
    }
    return out != SL_NONE && back != SL_NONE && d->nodes[back].to == HBM && later > 0;
}

static bool keep_copy(struct draft *d, struct dice *dice)
{
    unsigned n = draft_pick_node(dice, d, is_relief);
    if (n != SL_NONE)
        draft_drop_node(d, n);
    return n != SL_NONE;
}

static const struct injection rows[] = {
    {"use-before-valid", "the only writer forgets its output", forget_output},
    {"use-before-valid", "what was read first is not initial", forget_initial},
    {"use-before-allocation", "the allocation follows the first writer", put_allocation_behind},
    {"use-before-mapping", "the mapping follows the first writer", put_mapping_behind},
    {"use-after-reclaim", "a reader follows the reclamation", read_behind_reclamation},
    {"reclaim-not-ordered", "the edge from a reader is missing", forget_reader},
    {"reclaim-not-ordered", "order through a node with a deadline", order_through_deadline},
    {"double-allocation", "a second allocation", allocate_twice},
    {"double-reclamation", "a second reclamation", reclaim_twice},
    {"never-reclaimed", "no reclamation", forget_reclamation},
    {"illegal-placement", "no placement at home", forbid_home},
    {"alias-conflict", "an alias larger than its root", enlarge_alias},
    {"alias-conflict", "a reclamation of an alias", reclaim_alias},
    {"move-without-consumer", "nobody reads what was fetched", read_no_more},
    {"move-without-window", "no reclamation while it is away", keep_copy},
    {"remat-inputs-gone", "an input is reclaimed before", remake_behind_reclamation},
};
const struct injections inject_lifetimes = {rows, sizeof rows / sizeof *rows};

/* The violations.  Each looks for a place where the rest of the scenario does not make up for what
 * it breaks, so that the scenario is certainly not legal afterwards. */
#include <config.h>

#include "injections.h"

/* ---- looking around -------------------------------------------------------------------------- */

/* True when stated edges and lanes put `from` before `to`; a cancelled node passes nothing on. */
static bool reaches(const struct draft *d, unsigned from, unsigned to)
{
    bool seen[DRAFT_NODES] = {false};
    unsigned stack[DRAFT_NODES], depth = 0;
    seen[from] = true;
    stack[depth++] = from;
    while (depth > 0) {
        unsigned at = stack[--depth];
        bool lane_told = false;
        for (unsigned i = 0; i < d->node_count; i++) {
            bool next = false;
            for (unsigned e = 0; e < d->edge_count && !next; e++)
                next = d->edges[e].from == at && d->edges[e].to == i && !d->edges[e].next;
            if (i > at && !lane_told && d->nodes[at].lane && d->nodes[i].lane &&
                strcmp(d->nodes[at].lane, d->nodes[i].lane) == 0)
                next = lane_told = true;
            if (!next || seen[i])
                continue;
            seen[i] = true;
            if (i == to)
                return true;
            stack[depth++] = i;
        }
    }
    return false;
}

static bool lists(const struct draft *d, const struct draft_list *list, unsigned root)
{
    for (unsigned i = 0; i < list->count; i++)
        if (draft_root(d, list->items[i]) == root)
            return true;
    return false;
}

static bool reads(const struct draft *d, unsigned node, unsigned root)
{
    return lists(d, &d->nodes[node].inputs, root);
}

static bool writes(const struct draft *d, unsigned node, unsigned root)
{
    return lists(d, &d->nodes[node].outputs, root);
}

static bool moves(const struct draft *d, unsigned node, unsigned root)
{
    return sl_node_moves(d->nodes[node].kind) && d->nodes[node].object == root;
}

static bool stands_by(const struct draft *d, unsigned node)
{
    for (unsigned i = 0; i < d->node_count; i++)
        if (d->nodes[i].fallback == node)
            return true;
    return false;
}

/* It runs in every trial. */
static bool is_certain(const struct draft *d, unsigned node)
{
    return d->nodes[node].guard == SL_NONE && d->nodes[node].fallback == SL_NONE &&
           !stands_by(d, node);
}

static unsigned count_nodes(const struct draft *d, enum sl_node_kind kind, unsigned root)
{
    unsigned count = 0;
    for (unsigned i = 0; i < d->node_count; i++)
        count += d->nodes[i].kind == kind && d->nodes[i].object == root;
    return count;
}

static unsigned source(const struct draft_node *node)
{
    return node->from == SL_NONE ? HBM : node->from;
}

/* Data flow puts nothing behind the node: it writes nothing, and nobody writes or moves what it
 * reads later. */
static bool is_quiet(const struct draft *d, unsigned node)
{
    if (d->nodes[node].outputs.count)
        return false;
    for (unsigned i = node + 1; i < d->node_count; i++)
        for (unsigned k = 0; k < d->nodes[node].inputs.count; k++) {
            unsigned o = draft_root(d, d->nodes[node].inputs.items[k]);
            if (writes(d, i, o) || moves(d, i, o))
                return false;
        }
    return true;
}

typedef bool fits(const struct draft *d, unsigned index);

static unsigned pick(struct dice *dice, const struct draft *d, unsigned count, fits *fit)
{
    unsigned first = count ? dice_below(dice, count) : 0;
    for (unsigned k = 0; k < count; k++)
        if (fit(d, (first + k) % count))
            return (first + k) % count;
    return SL_NONE;
}

static unsigned pick_node(struct dice *dice, const struct draft *d, fits *fit)
{
    return pick(dice, d, d->node_count, fit);
}

static unsigned pick_object(struct dice *dice, const struct draft *d, fits *fit)
{
    return pick(dice, d, d->object_count, fit);
}

static unsigned pick_edge(struct dice *dice, const struct draft *d, fits *fit)
{
    return pick(dice, d, d->edge_count, fit);
}

static void drop_from(const struct draft *d, struct draft_list *list, unsigned root)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < list->count; i++)
        if (draft_root(d, list->items[i]) != root)
            list->items[kept++] = list->items[i];
    list->count = kept;
}

/* ---- order ----------------------------------------------------------------------------------- */

static bool is_same_iteration(const struct draft *d, unsigned edge)
{
    return d->edges[edge].next == 0;
}

static bool add_back_edge(struct draft *d, struct dice *dice)
{
    unsigned e = pick_edge(dice, d, is_same_iteration);
    if (e == SL_NONE)
        return false;
    draft_edge(d, d->edges[e].to, d->edges[e].from, SL_EDGE_ORDERING, SL_NONE);
    return true;
}

/* Nothing that takes no time or may be left out, and no factor that could make it short. */
static bool has_certain_time(const struct draft *d, unsigned node)
{
    const struct draft_node *n = &d->nodes[node];
    return n->shape == CONSTANT && n->mean_ns > 1000 && is_certain(d, node) && !n->klass;
}

static bool move_deadline_ahead(struct draft *d, struct dice *dice)
{
    unsigned n = pick_node(dice, d, has_certain_time);
    if (n != SL_NONE)
        d->nodes[n].deadline_ns = 1 + dice_below(dice, 900);
    return n != SL_NONE;
}

/* ---- contents and lifetimes ------------------------------------------------------------------ */

static unsigned only_writer(const struct draft *d, unsigned root)
{
    unsigned writer = SL_NONE, count = 0;
    for (unsigned i = 0; i < d->node_count; i++)
        if (writes(d, i, root) || moves(d, i, root)) {
            writer = i;
            count += 1 + moves(d, i, root);
        }
    return count == 1 ? writer : SL_NONE;
}

static unsigned certain_reader(const struct draft *d, unsigned root, unsigned after)
{
    for (unsigned i = after; i < d->node_count; i++)
        if (reads(d, i, root) && d->nodes[i].kind == SL_COMPUTE && is_certain(d, i))
            return i;
    return SL_NONE;
}

static bool has_one_source(const struct draft *d, unsigned o)
{
    unsigned writer = d->objects[o].alias_of == SL_NONE ? only_writer(d, o) : SL_NONE;
    return writer != SL_NONE && d->objects[o].initial == SL_NONE && !reads(d, writer, o) &&
           certain_reader(d, o, writer + 1) != SL_NONE;
}

static bool forget_output(struct draft *d, struct dice *dice)
{
    unsigned o = pick_object(dice, d, has_one_source);
    if (o == SL_NONE)
        return false;
    drop_from(d, &d->nodes[only_writer(d, o)].outputs, o);
    d->objects[o].reconstruct = SL_NONE;
    return true;
}

static bool is_read_first(const struct draft *d, unsigned o)
{
    if (d->objects[o].initial != HBM)
        return false;
    for (unsigned i = 0; i < d->node_count; i++) {
        if (moves(d, i, o) || (d->nodes[i].kind == SL_BARRIER && d->nodes[i].object == o))
            return false;
        if (reads(d, i, o))
            return d->nodes[i].kind == SL_COMPUTE;
        if (writes(d, i, o))
            return false;
    }
    return false;
}

static bool forget_initial(struct draft *d, struct dice *dice)
{
    unsigned o = pick_object(dice, d, is_read_first);
    if (o != SL_NONE)
        d->objects[o].initial = SL_NONE;
    return o != SL_NONE;
}

/* A room in front of a certain first writer, of an object with one such room. */
static unsigned first_writer(const struct draft *d, unsigned room)
{
    unsigned o = d->nodes[room].object;
    for (unsigned i = room + 1; i < d->node_count; i++)
        if (writes(d, i, o) || moves(d, i, o))
            return writes(d, i, o) && is_certain(d, i) ? i : SL_NONE;
    return SL_NONE;
}

static bool is_only_allocation(const struct draft *d, unsigned n)
{
    return d->nodes[n].kind == SL_ALLOCATION && first_writer(d, n) != SL_NONE &&
           count_nodes(d, SL_ALLOCATION, d->nodes[n].object) == 1;
}

static bool is_only_mapping(const struct draft *d, unsigned n)
{
    return d->nodes[n].kind == SL_MAPPING && first_writer(d, n) != SL_NONE &&
           count_nodes(d, SL_MAPPING, d->nodes[n].object) == 1;
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
    return put_room_behind(d, pick_node(dice, d, is_only_allocation));
}

static bool put_mapping_behind(struct draft *d, struct dice *dice)
{
    return put_room_behind(d, pick_node(dice, d, is_only_mapping));
}

/* The stated edge is all that puts the reader before the reclamation. */
static bool is_needed(const struct draft *d, unsigned edge, enum sl_node_kind kind)
{
    const struct draft_edge *e = &d->edges[edge];
    if (e->next || e->type != SL_EDGE_LIFETIME || d->nodes[e->to].kind != SL_RECLAMATION ||
        d->nodes[e->from].kind != kind || !is_certain(d, e->from) ||
        !reads(d, e->from, d->nodes[e->to].object) || source(&d->nodes[e->to]) != HBM)
        return false;
    struct draft without = *d;
    for (unsigned k = without.edge_count; k-- > 0;)
        if (without.edges[k].from == e->from && without.edges[k].to == e->to)
            draft_drop_edge(&without, k);
    return !reaches(&without, e->from, e->to);
}

static bool is_reader_edge(const struct draft *d, unsigned edge)
{
    return is_needed(d, edge, SL_COMPUTE) && is_quiet(d, d->edges[edge].from);
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
    unsigned e = pick_edge(dice, d, is_reader_edge);
    if (e != SL_NONE)
        drop_edges(d, d->edges[e].from, d->edges[e].to);
    return e != SL_NONE;
}

/* Order through a node that its deadline may cancel is none: the reclamation then waits for its
 * fallback alone. */
static bool order_through_deadline(struct draft *d, struct dice *dice)
{
    unsigned e = pick_edge(dice, d, is_reader_edge);
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
    return turn_edge(d, pick_edge(dice, d, is_reader_edge));
}

/* What the rematerialization makes must not lead back to the reclamation of its input. */
static bool remake_behind_reclamation(struct draft *d, struct dice *dice)
{
    return turn_edge(d, pick_edge(dice, d, is_remat_edge));
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
    return repeat(d, pick_node(dice, d, is_allocation));
}

static bool reclaim_twice(struct draft *d, struct dice *dice)
{
    return repeat(d, pick_node(dice, d, is_reclamation));
}

/* The one reclamation of an object with an allocation of its own. */
static bool is_only_reclamation(const struct draft *d, unsigned n)
{
    unsigned o = d->nodes[n].object;
    return is_reclamation(d, n) && count_nodes(d, SL_RECLAMATION, o) == 1 &&
           count_nodes(d, SL_ALLOCATION, o) == 1 && !d->objects[o].persist;
}

static bool forget_reclamation(struct draft *d, struct dice *dice)
{
    unsigned n = pick_node(dice, d, is_only_reclamation);
    if (n != SL_NONE)
        draft_drop_node(d, n);
    return n != SL_NONE;
}

/* ---- places, names and moves ----------------------------------------------------------------- */

static bool is_used(const struct draft *d, unsigned o)
{
    for (unsigned i = 0; i < d->node_count; i++)
        if (reads(d, i, o) || writes(d, i, o))
            return d->objects[o].alias_of == SL_NONE;
    return false;
}

static bool forbid_home(struct draft *d, struct dice *dice)
{
    unsigned o = pick_object(dice, d, is_used);
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
    unsigned o = pick_object(dice, d, is_alias);
    if (o != SL_NONE)
        d->objects[o].mib += 1 + dice_below(dice, 64);
    return o != SL_NONE;
}

static bool has_alias_and_end(const struct draft *d, unsigned o)
{
    return is_alias(d, o) && count_nodes(d, SL_RECLAMATION, d->objects[o].alias_of) > 0;
}

static bool reclaim_alias(struct draft *d, struct dice *dice)
{
    unsigned o = pick_object(dice, d, has_alias_and_end);
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
        if (moves(d, i, d->nodes[n].object))
            return false;
    return true;
}

static bool read_no_more(struct draft *d, struct dice *dice)
{
    unsigned n = pick_node(dice, d, is_last_prefetch);
    if (n == SL_NONE)
        return false;
    unsigned o = d->nodes[n].object;
    for (unsigned i = 0; i < d->node_count; i++) {
        if (i > n || !reaches(d, i, n))
            drop_from(d, &d->nodes[i].inputs, o);
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
    if (!is_reclamation(d, n) || source(&d->nodes[n]) != HBM)
        return false;
    for (unsigned i = 0; i < d->node_count; i++) {
        if (i < n && moves(d, i, o))
            out = d->nodes[i].kind == SL_OFFLOAD ? i : SL_NONE;
        if (i > n && moves(d, i, o) && back == SL_NONE)
            back = i;
        later +=
            i > n && is_reclamation(d, i) && d->nodes[i].object == o && source(&d->nodes[i]) == HBM;
    }
    return out != SL_NONE && back != SL_NONE && d->nodes[back].to == HBM && later > 0;
}

static bool keep_copy(struct draft *d, struct dice *dice)
{
    unsigned n = pick_node(dice, d, is_relief);
    if (n != SL_NONE)
        draft_drop_node(d, n);
    return n != SL_NONE;
}

/* ---- recomputation, guards, fallbacks -------------------------------------------------------- */

static bool is_remake(const struct draft *d, unsigned n)
{
    return d->nodes[n].kind == SL_REMATERIALIZATION;
}

static bool doubt_equivalence(struct draft *d, struct dice *dice)
{
    unsigned n = pick_node(dice, d, is_remake);
    if (n != SL_NONE)
        d->objects[d->nodes[n].outputs.items[0]].equivalence =
            dice_chance(dice, 50) ? "unknown" : NULL;
    return n != SL_NONE;
}

static bool misname_origin(struct draft *d, struct dice *dice)
{
    unsigned n = pick_node(dice, d, is_remake);
    if (n == SL_NONE)
        return false;
    unsigned o = d->nodes[n].outputs.items[0], other = dice_below(dice, d->node_count);
    while (writes(d, other, o))
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
    unsigned n = pick_node(dice, d, is_remake_with_inputs);
    if (n != SL_NONE)
        d->nodes[n].inputs.count--;
    return n != SL_NONE;
}

static bool has_certain_source(const struct draft *d, unsigned o)
{
    return has_one_source(d, o) && is_certain(d, only_writer(d, o)) &&
           d->nodes[only_writer(d, o)].kind == SL_COMPUTE;
}

static bool guard_producer(struct draft *d, struct dice *dice)
{
    unsigned o = pick_object(dice, d, has_certain_source);
    if (o == SL_NONE)
        return false;
    struct draft_node *writer = &d->nodes[only_writer(d, o)];
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
        writers += writes(d, i, o) || moves(d, i, o);
        guarded += writes(d, i, o) && d->nodes[i].guard == d->nodes[n].guard && !reads(d, i, o);
    }
    return writers == 2 && guarded == 2 && d->objects[o].initial == SL_NONE &&
           certain_reader(d, o, n + 1) != SL_NONE;
}

static bool forget_alternative(struct draft *d, struct dice *dice)
{
    unsigned n = pick_node(dice, d, is_alternative);
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
    unsigned n = pick_node(dice, d, has_fallback);
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
    unsigned n = pick_node(dice, d, is_limited);
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
    unsigned n = pick_node(dice, d, has_workspace);
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
        if (d->objects[o].alias_of == SL_NONE && (reads(d, n, o) || writes(d, n, o)))
            need += (d->objects[o].mib + 3) / 4 * 4;
    return need;
}

/* A buffer that is there from the start fills what the most demanding node needs, of those that no
 * fallback may make unnecessary. */
static bool fill_domain(struct draft *d, struct dice *dice)
{
    unsigned most = 0;
    for (unsigned n = 0; n < d->node_count; n++)
        if (d->nodes[n].fallback == SL_NONE && !stands_by(d, n) && need_of(d, n) > most)
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
    unsigned n = pick_node(dice, d, is_barrier);
    if (n == SL_NONE)
        return false;
    if (dice_chance(dice, 50))
        d->nodes[n].workspace[PINNED] = 1;
    else
        d->nodes[n].shape = CONSTANT;
    d->nodes[n].mean_ns = 1000;
    return true;
}

/* ---- barriers, lanes, overlap and windows -----------------------------------------------------
 */

static bool is_plain_edge(const struct draft *d, unsigned edge)
{
    const struct draft_edge *e = &d->edges[edge];
    return !e->next && is_certain(d, e->from) && is_certain(d, e->to) && !is_barrier(d, e->from) &&
           !is_barrier(d, e->to);
}

static bool repeat_by_barrier(struct draft *d, struct dice *dice)
{
    unsigned e = pick_edge(dice, d, is_plain_edge);
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
    if (pick_node(dice, d, is_in_mixed_lane) == SL_NONE)
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
    unsigned n = pick_node(dice, d, is_timed);
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
    if (pick_node(dice, d, uses_gpu) == SL_NONE)
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

const struct injection injections[] = {
    {"precedence-cycle", "an edge against another one", add_back_edge},
    {"deadline-too-early", "a deadline before the node's own duration", move_deadline_ahead},
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
const unsigned injection_count = sizeof injections / sizeof *injections;

/* Questions about a draft. */
#include <config.h>

#include "draft_query.h"

static bool lists(const struct draft *d, const struct draft_list *list, unsigned root)
{
    for (unsigned i = 0; i < list->count; i++)
        if (draft_root(d, list->items[i]) == root)
            return true;
    return false;
}

bool draft_reads(const struct draft *d, unsigned node, unsigned root)
{
    return lists(d, &d->nodes[node].inputs, root);
}

bool draft_writes(const struct draft *d, unsigned node, unsigned root)
{
    return lists(d, &d->nodes[node].outputs, root);
}

bool draft_moves(const struct draft *d, unsigned node, unsigned root)
{
    return sl_node_moves(d->nodes[node].kind) && d->nodes[node].object == root;
}

/* Both rows use an object that one of them makes: data flow orders them, directly or not. */
static bool flows(const struct draft *d, unsigned from, unsigned to)
{
    for (unsigned o = 0; from < to && o < d->object_count; o++) {
        bool makes = draft_writes(d, from, o) || draft_moves(d, from, o);
        bool remakes = draft_writes(d, to, o) || draft_moves(d, to, o);
        if ((makes && (remakes || draft_reads(d, to, o))) || (remakes && draft_reads(d, from, o)))
            return true;
    }
    return false;
}

static bool reaches(const struct draft *d, unsigned from, unsigned to, bool by_flow)
{
    bool seen[DRAFT_NODES] = {false};
    unsigned stack[DRAFT_NODES], depth = 0;
    seen[from] = true;
    stack[depth++] = from;
    while (depth > 0) {
        unsigned at = stack[--depth];
        bool lane_told = false;
        for (unsigned i = 0; i < d->node_count; i++) {
            bool next = by_flow && flows(d, at, i);
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

bool draft_reaches(const struct draft *d, unsigned from, unsigned to)
{
    return reaches(d, from, to, false);
}

bool draft_reaches_by_flow(const struct draft *d, unsigned from, unsigned to)
{
    return reaches(d, from, to, true);
}

bool draft_stands_by(const struct draft *d, unsigned node)
{
    for (unsigned i = 0; i < d->node_count; i++)
        if (d->nodes[i].fallback == node)
            return true;
    return false;
}

/* It runs in every trial. */
bool draft_is_certain(const struct draft *d, unsigned node)
{
    return d->nodes[node].guard == SL_NONE && d->nodes[node].fallback == SL_NONE &&
           !draft_stands_by(d, node);
}

unsigned draft_count(const struct draft *d, enum sl_node_kind kind, unsigned root)
{
    unsigned count = 0;
    for (unsigned i = 0; i < d->node_count; i++)
        count += d->nodes[i].kind == kind && d->nodes[i].object == root;
    return count;
}

unsigned draft_source(const struct draft_node *node)
{
    return node->from == SL_NONE ? HBM : node->from;
}

/* Data flow puts nothing behind the node: it writes nothing, and nobody writes or moves what it
 * reads later. */
bool draft_is_quiet(const struct draft *d, unsigned node)
{
    if (d->nodes[node].outputs.count)
        return false;
    for (unsigned i = node + 1; i < d->node_count; i++)
        for (unsigned k = 0; k < d->nodes[node].inputs.count; k++) {
            unsigned o = draft_root(d, d->nodes[node].inputs.items[k]);
            if (draft_writes(d, i, o) || draft_moves(d, i, o))
                return false;
        }
    return true;
}

unsigned draft_only_writer(const struct draft *d, unsigned root)
{
    unsigned writer = SL_NONE, count = 0;
    for (unsigned i = 0; i < d->node_count; i++)
        if (draft_writes(d, i, root) || draft_moves(d, i, root)) {
            writer = i;
            count += 1 + draft_moves(d, i, root);
        }
    return count == 1 ? writer : SL_NONE;
}

unsigned draft_certain_reader(const struct draft *d, unsigned root, unsigned after)
{
    for (unsigned i = after; i < d->node_count; i++)
        if (draft_reads(d, i, root) && d->nodes[i].kind == SL_COMPUTE && draft_is_certain(d, i))
            return i;
    return SL_NONE;
}

bool draft_has_one_source(const struct draft *d, unsigned o)
{
    unsigned writer = d->objects[o].alias_of == SL_NONE ? draft_only_writer(d, o) : SL_NONE;
    return writer != SL_NONE && d->objects[o].initial == SL_NONE && !draft_reads(d, writer, o) &&
           draft_certain_reader(d, o, writer + 1) != SL_NONE;
}

static unsigned pick(struct dice *dice, const struct draft *d, unsigned count, draft_fits *fit)
{
    unsigned first = count ? dice_below(dice, count) : 0;
    for (unsigned k = 0; k < count; k++)
        if (fit(d, (first + k) % count))
            return (first + k) % count;
    return SL_NONE;
}

unsigned draft_pick_node(struct dice *dice, const struct draft *d, draft_fits *fit)
{
    return pick(dice, d, d->node_count, fit);
}

unsigned draft_pick_object(struct dice *dice, const struct draft *d, draft_fits *fit)
{
    return pick(dice, d, d->object_count, fit);
}

unsigned draft_pick_edge(struct dice *dice, const struct draft *d, draft_fits *fit)
{
    return pick(dice, d, d->edge_count, fit);
}

void draft_drop_object(const struct draft *d, struct draft_list *list, unsigned root)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < list->count; i++)
        if (draft_root(d, list->items[i]) != root)
            list->items[kept++] = list->items[i];
    list->count = kept;
}

/* Copies of objects along the plan: who makes one, who uses it, what takes its bytes.
 *
 * A copy begins with an allocation, with the first write, or with a move into its domain; a move or
 * a recomputation always makes a new one.  It ends at a reclamation that the graph writes out,
 * where a newer copy begins, or with its last use or hold.  Bytes are demanded by the node that
 * makes the copy, or by an allocation node in front of it where the domain declares a cost. */
#include "attempt.h"
#include <stdlib.h>

struct derivation {
    struct sl_attempt *a;
    bool *ends; /* per object and domain: the graph holds reclamations of it */
};

static size_t place_of(const struct sl_attempt *a, uint32_t object, uint32_t domain)
{
    return (size_t)object * a->facts->domain_count + domain;
}

static enum sl_status need_edge(void *user, uint32_t from, uint32_t to, enum sl_edge_type type,
                                uint32_t object)
{
    struct derivation *d = user;
    return sl_editor_edge(&d->a->editor, from, to, type, object, NULL);
}

/* Puts a node in front of a list of users, unless it is there already. */
static enum sl_status add_user(struct sl_attempt *a, uint32_t *head, uint32_t node)
{
    if (a->user_count == 0)
        a->user_count = 1;
    if (*head && a->users[*head].node == node)
        return SL_OK;
    if (!sl_grow((void **)&a->users, &a->user_capacity, a->user_count + 1, sizeof *a->users))
        return SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    a->users[a->user_count] = (struct sl_user){node, *head};
    *head = a->user_count++;
    return SL_OK;
}

/* True when the bytes are demanded by a node of their own in front of the writer. */
static bool has_cost(const struct sl_attempt *a, uint32_t domain)
{
    return sl_cost_find(a->facts->platform, SL_COST_ALLOCATION, domain) ||
           sl_cost_find(a->facts->platform, SL_COST_MAPPING, domain);
}

static bool makes_room(const struct sl_attempt *a, uint32_t node)
{
    return node != SL_NONE && (a->graph->nodes[node].kind == SL_ALLOCATION ||
                               a->graph->nodes[node].kind == SL_MAPPING);
}

static enum sl_status take(struct sl_attempt *a, struct sl_copy *copy, uint32_t node)
{
    if (has_cost(a, copy->domain) && !makes_room(a, node))
        return node == copy->taker ? SL_OK : add_user(a, &copy->stand_ins, node);
    return sl_graph_node_holding(a->graph, node, SL_TAKES, copy->holding, a->err);
}

static enum sl_status begin_copy(struct sl_attempt *a, uint32_t object, uint32_t domain,
                                 uint32_t taker, uint32_t *index)
{
    size_t place = place_of(a, object, domain);
    struct sl_holding holding = {.kind = SL_HOLD_OBJECT,
                                 .domain = domain,
                                 .bytes = a->graph->objects[object].bytes,
                                 .object = {object},
                                 .initial = taker == SL_NONE};
    struct sl_copy copy = {.object = object,
                           .domain = domain,
                           .taker = taker,
                           .reclaimer = SL_NONE,
                           .previous = a->made[place],
                           .number = 1};
    if (copy.previous != SL_NONE)
        copy.number = a->copies[copy.previous].number + 1;
    enum sl_status status = sl_graph_add_holding(a->graph, &holding, &copy.holding, a->err);
    if (status)
        return status;
    if (!sl_grow((void **)&a->copies, &a->copy_capacity, a->copy_count + 1, sizeof *a->copies))
        return SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    *index = a->copy_count;
    a->copies[a->copy_count++] = copy;
    a->live[place] = a->made[place] = *index;
    return taker == SL_NONE ? SL_OK : take(a, &a->copies[*index], taker);
}

static enum sl_status not_there(struct sl_attempt *a, uint32_t node, uint32_t object,
                                uint32_t domain)
{
    return SL_FAIL_AT(a->err, SL_NO, a->graph->nodes[node].place,
                      "node '%s' reads object '%s' in '%s', where nothing wrote it or brought it "
                      "before [use-before-valid]",
                      a->graph->nodes[node].name, a->graph->objects[object].name,
                      a->facts->platform->domain_names.names[domain]);
}

static enum sl_status read_copy(struct derivation *d, uint32_t node, uint32_t object,
                                uint32_t domain)
{
    struct sl_attempt *a = d->a;
    uint32_t live = a->live[place_of(a, object, domain)];
    if (live == SL_NONE)
        return not_there(a, node, object, domain);
    struct sl_copy *copy = &a->copies[live];
    copy->read = true;
    enum sl_status status = add_user(a, &copy->users, node);
    if (status)
        return status;
    return sl_flow_read(a->graph, &a->pool, &copy->flow, node, object, need_edge, d, a->err);
}

/* What the node holds by lifetime-hold edges.  A copy that is not there any more, or not yet,
 * cannot be held. */
static enum sl_status hold_copies(struct sl_attempt *a, uint32_t node)
{
    const struct sl_facts *facts = a->facts;
    enum sl_status status = SL_OK;
    if (node >= facts->graph->node_count)
        return SL_OK; /* planning's own nodes hold nothing */
    for (uint32_t h = facts->hold_start[node]; h < facts->hold_start[node + 1] && !status; h++) {
        uint32_t object = facts->holds[h].object, home = facts->home[object];
        uint32_t live = home == SL_NONE ? SL_NONE : a->live[place_of(a, object, home)];
        if (live != SL_NONE)
            status = add_user(a, &a->copies[live].users, node);
    }
    return status;
}

/* A move or a recomputation makes the copy anew, unless an allocation just made room for it or the
 * graph itself says where copies end. */
static bool renews(const struct derivation *d, uint32_t node, const struct sl_copy *copy)
{
    const struct sl_attempt *a = d->a;
    enum sl_node_kind kind = a->graph->nodes[node].kind;
    if (!sl_node_moves(kind) && kind != SL_REMATERIALIZATION)
        return false;
    if (makes_room(a, copy->taker) && !copy->read)
        return false;
    if (copy->taker == node || (copy->users && a->users[copy->users].node == node))
        return false;
    for (uint32_t at = copy->flow.writers; at; at = a->pool.entries[at].next)
        if (sl_nodes_alternate(a->graph, a->pool.entries[at].node, node))
            return false;
    return !d->ends[place_of(a, copy->object, copy->domain)];
}

/* True when the copy's taker may not have run, or a reclamation that a guard may skip came before.
 */
static bool may_lack_bytes(const struct sl_attempt *a, const struct sl_copy *copy, uint32_t node)
{
    if (copy->reclaimer != SL_NONE)
        return true;
    return copy->taker != SL_NONE && copy->taker != node &&
           copy->taker < a->facts->graph->node_count && a->facts->optional[copy->taker];
}

static enum sl_status write_copy(struct derivation *d, uint32_t node, uint32_t object,
                                 uint32_t domain, enum sl_edge_type type)
{
    struct sl_attempt *a = d->a;
    uint32_t live = a->live[place_of(a, object, domain)];
    enum sl_status status = SL_OK;
    if (live == SL_NONE || renews(d, node, &a->copies[live]))
        status = begin_copy(a, object, domain, node, &live);
    else if (may_lack_bytes(a, &a->copies[live], node))
        status = take(a, &a->copies[live], node);
    if (status == SL_OK)
        status = add_user(a, &a->copies[live].users, node);
    if (status)
        return status;
    return sl_flow_write(a->graph, &a->pool, &a->copies[live].flow, node, object, type, need_edge,
                         d, a->err);
}

static enum sl_status end_copy(struct derivation *d, uint32_t node, uint32_t object,
                               uint32_t domain)
{
    struct sl_attempt *a = d->a;
    size_t place = place_of(a, object, domain);
    if (a->live[place] == SL_NONE)
        return SL_OK;
    struct sl_copy *copy = &a->copies[a->live[place]];
    /* Where this one may not run, a later use or reclamation still finds the copy. */
    if (!a->facts->optional[node])
        a->live[place] = SL_NONE;
    copy->reclaimer = node;
    enum sl_status status = SL_OK;
    for (uint32_t at = copy->users; at && status == SL_OK; at = a->users[at].next)
        status =
            sl_editor_edge(&a->editor, a->users[at].node, node, SL_EDGE_LIFETIME, object, NULL);
    if (status == SL_OK)
        status = sl_graph_node_holding(a->graph, node, SL_GIVES, copy->holding, a->err);
    return status;
}

static enum sl_status visit(void *user, uint32_t node, uint32_t object, uint32_t domain,
                            enum sl_mention what)
{
    struct derivation *d = user;
    if (d->a->graph->objects[object].shared)
        return SL_OK; /* its blocks are the engine's matter */
    if (domain == SL_NONE)
        return SL_FAIL_AT(d->a->err, SL_NO, d->a->graph->objects[object].place,
                          "object '%s' has no home: state home or placements",
                          d->a->graph->objects[object].name);
    switch (what) {
    case SL_MENTION_READ:
        return read_copy(d, node, object, domain);
    case SL_MENTION_ROOM:
        return write_copy(d, node, object, domain, SL_EDGE_STORAGE);
    case SL_MENTION_WRITE:
        return write_copy(d, node, object, domain, SL_EDGE_DATA);
    case SL_MENTION_RECLAIM:
        break;
    }
    return end_copy(d, node, object, domain);
}

static enum sl_status note_end(void *user, uint32_t node, uint32_t object, uint32_t domain,
                               enum sl_mention what)
{
    struct derivation *d = user;
    (void)node;
    if (what == SL_MENTION_RECLAIM && domain != SL_NONE)
        d->ends[place_of(d->a, object, domain)] = true;
    return SL_OK;
}

static enum sl_status begin_initial(struct sl_attempt *a)
{
    enum sl_status status = SL_OK;
    for (uint32_t o = 0; o < a->facts->object_count && status == SL_OK; o++) {
        uint32_t copy, initial = a->graph->objects[o].initial;
        if (initial != SL_NONE && a->graph->objects[o].alias_of.i == SL_NONE)
            status = begin_copy(a, o, initial, SL_NONE, &copy);
    }
    return status;
}

/* Persistent copies stay, and so do initial ones that nothing ever touches, or that the next
 * iteration needs. */
static void keep_copies(struct sl_attempt *a)
{
    for (uint32_t c = 0; c < a->copy_count; c++) {
        struct sl_copy *copy = &a->copies[c];
        const struct sl_object *object = &a->graph->objects[copy->object];
        uint32_t lasting =
            object->initial != SL_NONE ? object->initial : a->facts->home[copy->object];
        bool lasts =
            object->persist || (a->facts->scenario->iterations > 1 && object->initial != SL_NONE);
        bool last = a->live[place_of(a, copy->object, copy->domain)] == c;
        copy->kept = (lasts && last && copy->domain == lasting) || copy->users == 0;
    }
}

/* Staging is held like an object, from the node that declares it to the end of another. */
static enum sl_status hold_staging(struct sl_attempt *a)
{
    enum sl_status status = SL_OK;
    for (uint32_t n = 0; n < a->graph->node_count; n++) {
        struct sl_span staging = a->graph->nodes[n].staging;
        uint32_t until = a->graph->nodes[n].staging_until.i;
        for (uint32_t k = 0; k < staging.count && status == SL_OK; k++) {
            struct sl_amount amount = a->graph->amounts[staging.first + k];
            struct sl_holding holding = {
                SL_HOLD_STAGING, amount.domain, amount.bytes, {SL_NONE}, false};
            uint32_t index;
            status = sl_graph_add_holding(a->graph, &holding, &index, a->err);
            if (status == SL_OK)
                status = sl_graph_node_holding(a->graph, n, SL_TAKES, index, a->err);
            if (status == SL_OK)
                status = sl_graph_node_holding(a->graph, until == SL_NONE ? n : until, SL_GIVES,
                                               index, a->err);
        }
    }
    return status;
}

enum sl_status sl_copies_derive(struct sl_attempt *a)
{
    size_t places = (size_t)a->facts->object_count * a->facts->domain_count + 1;
    struct derivation d = {a, calloc(places, sizeof *d.ends)};
    a->live = malloc(places * sizeof *a->live);
    a->made = malloc(places * sizeof *a->made);
    enum sl_status status = SL_OK;
    if (!d.ends || !a->live || !a->made)
        status = SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    for (size_t i = 0; i < places && status == SL_OK; i++)
        a->live[i] = a->made[i] = SL_NONE;
    for (uint32_t n = a->head; n != SL_NONE && status == SL_OK; n = a->next[n])
        status = sl_mentions(a->graph, n, note_end, &d);
    if (status == SL_OK)
        status = begin_initial(a);
    for (uint32_t n = a->head; n != SL_NONE && status == SL_OK; n = a->next[n]) {
        status = hold_copies(a, n);
        if (status == SL_OK)
            status = sl_mentions(a->graph, n, visit, &d);
    }
    if (status == SL_OK) {
        keep_copies(a);
        status = hold_staging(a);
    }
    free(d.ends);
    return status;
}

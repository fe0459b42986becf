/* Copies that outlive an iteration: the last copy of an object in a domain, if nothing gives it
 * back, is the first one of the next iteration.
 *
 * What happens to such a copy goes on across the border: the next iteration's first readers follow
 * this one's last writers, its first writers follow this one's last readers and writers, and so
 * does whoever gives the copy back there, because another one of the object comes after it. */
#include "flow.h"
#include "unroll.h"
#include <stdlib.h>

static size_t place_of(const struct sl_graph *graph, uint32_t object, uint32_t domain)
{
    return (size_t)object * graph->platform->domain_names.count + domain;
}

static size_t place_count(const struct sl_graph *graph)
{
    return (size_t)graph->object_count * graph->platform->domain_names.count;
}

static bool is_copy(const struct sl_holding *holding)
{
    return holding->kind == SL_HOLD_OBJECT && holding->object.i != SL_NONE;
}

/* first[place] and last[place]: holdings of an object in a domain, in the order of the plan. */
static void find_ends(const struct sl_graph *graph, uint32_t *first, uint32_t *last)
{
    for (size_t k = 0; k < place_count(graph); k++)
        first[k] = last[k] = SL_NONE;
    for (uint32_t h = 0; h < graph->holding_count; h++) {
        const struct sl_holding *holding = &graph->holdings[h];
        if (!is_copy(holding))
            continue;
        size_t place = place_of(graph, holding->object.i, holding->domain);
        if (first[place] == SL_NONE)
            first[place] = h;
        last[place] = h;
    }
}

static enum sl_status not_there(const struct sl_graph *graph, const struct sl_holding *holding,
                                struct sl_error *err)
{
    const struct sl_object *object = &graph->objects[holding->object.i];
    return SL_FAIL_AT(
        err, SL_NO, object->place,
        "object '%s' is in '%s' at the start of an iteration and not at its end: there "
        "is no second iteration (do not reclaim it, or bring it back)",
        object->name, graph->platform->domain_names.names[holding->domain]);
}

enum sl_status sl_carry_find(struct sl_carry *carry, const struct sl_graph *graph,
                             struct sl_error *err)
{
    size_t places = place_count(graph) + 1;
    uint32_t *first = malloc(places * sizeof *first), *last;
    bool *given = calloc((size_t)graph->holding_count + 1, sizeof *given);
    carry->from = malloc(((size_t)graph->holding_count + 1) * sizeof *carry->from);
    carry->shared = calloc(places, sizeof *carry->shared);
    carry->last = last = malloc(places * sizeof *last);
    enum sl_status status = SL_OK;
    if (!first || !last || !given || !carry->from || !carry->shared) {
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for iterations");
        goto out;
    }
    find_ends(graph, first, last);
    for (uint32_t n = 0; n < graph->node_count; n++)
        for (uint32_t k = 0; k < graph->nodes[n].gives.count; k++)
            given[graph->holdings_pool[graph->nodes[n].gives.first + k]] = true;
    /* What nobody gives back is the same for all iterations; of an object's copies, below. */
    for (uint32_t h = 0; h < graph->holding_count; h++)
        carry->from[h] = is_copy(&graph->holdings[h]) || given[h] ? SL_NONE : h;
    for (size_t place = 0; place + 1 < places && status == SL_OK; place++) {
        if (first[place] == SL_NONE)
            continue;
        carry->shared[place] = !given[last[place]];
        if (carry->shared[place])
            carry->from[first[place]] = last[place];
        else if (graph->holdings[first[place]].initial)
            status = not_there(graph, &graph->holdings[first[place]], err);
    }
out:
    free(first);
    free(given);
    return status;
}

void sl_carry_free(struct sl_carry *carry)
{
    free(carry->from);
    free(carry->shared);
    free(carry->last);
    *carry = (struct sl_carry){0};
}

/* ---- order across the border -----------------------------------------------------------------
 */

struct entry {
    uint32_t node, next;
    enum sl_edge_type type;
};

/* Users of one copy: up to and with the first value's writers, and since the last value's. */
struct border {
    uint32_t first_readers, first_writers, last_writers, last_readers; /* heads; 0: empty */
    uint32_t holders; /* nodes until whose end a lifetime-hold edge keeps a copy there */
    bool past_first;  /* a second value was written */
};

struct borders {
    struct sl_editor *editor;
    const struct sl_carry *carry;
    struct border *items;  /* per object and domain */
    struct entry *entries; /* entry 0 is not used */
    uint32_t count, capacity;
    struct sl_pairs pairs; /* edges so far */
};

static bool push(struct borders *b, uint32_t *head, uint32_t node, enum sl_edge_type type)
{
    if (b->count == 0)
        b->count = 1;
    if (!sl_grow((void **)&b->entries, &b->capacity, b->count + 1, sizeof *b->entries))
        return false;
    b->entries[b->count] = (struct entry){node, *head, type};
    *head = b->count++;
    return true;
}

static bool note_read(struct borders *b, struct border *border, uint32_t node)
{
    return push(b, &border->last_readers, node, SL_EDGE_DATA) &&
           (border->first_writers || push(b, &border->first_readers, node, SL_EDGE_DATA));
}

static bool note_write(struct borders *b, struct border *border, uint32_t node,
                       enum sl_edge_type type)
{
    bool alternative = false;
    for (uint32_t at = border->last_writers; at && !alternative; at = b->entries[at].next)
        alternative = sl_nodes_alternate(b->editor->graph, b->entries[at].node, node);
    if (!alternative) {
        border->past_first = border->first_writers != 0;
        border->last_writers = border->last_readers = 0;
    }
    return push(b, &border->last_writers, node, type) &&
           (border->past_first || push(b, &border->first_writers, node, type));
}

static enum sl_status note_use(void *user, uint32_t node, uint32_t object, uint32_t domain,
                               enum sl_mention what)
{
    struct borders *b = user;
    if (domain == SL_NONE || what == SL_MENTION_RECLAIM)
        return SL_OK;
    size_t place = place_of(b->editor->graph, object, domain);
    if (!b->carry->shared[place])
        return SL_OK;
    bool ok = what == SL_MENTION_READ
                  ? note_read(b, &b->items[place], node)
                  : note_write(b, &b->items[place], node,
                               what == SL_MENTION_ROOM ? SL_EDGE_STORAGE : SL_EDGE_DATA);
    return ok ? SL_OK : SL_FAIL(b->editor->err, SL_SYSTEM, "out of memory for iterations");
}

static enum sl_status note_holders(struct borders *b)
{
    const struct sl_graph *graph = b->editor->graph;
    for (uint32_t e = 0; e < graph->edge_count; e++) {
        const struct sl_edge *edge = &graph->edges[e];
        if (edge->type != SL_EDGE_LIFETIME || edge->next > 0 || edge->object.i == SL_NONE ||
            graph->nodes[edge->to.i].kind == SL_RECLAMATION)
            continue;
        uint32_t object = sl_object_root(graph, edge->object).i;
        uint32_t home = sl_object_home(graph, object);
        if (home == SL_NONE || !b->carry->shared[place_of(graph, object, home)])
            continue;
        struct border *border = &b->items[place_of(graph, object, home)];
        if (!push(b, &border->holders, edge->to.i, SL_EDGE_LIFETIME))
            return SL_FAIL(b->editor->err, SL_SYSTEM, "out of memory for iterations");
    }
    return SL_OK;
}

static enum sl_status add_edge(struct borders *b, uint32_t object, uint32_t from, uint32_t to,
                               enum sl_edge_type type)
{
    struct sl_graph *graph = b->editor->graph;
    bool added;
    if (!sl_pairs_add(&b->pairs, from, to, &added))
        return SL_FAIL(b->editor->err, SL_SYSTEM, "out of memory for iterations");
    if (!added)
        return SL_OK;
    struct sl_edge edge = {.from = {from}, .to = {to}, .type = type, .object = {object}, .next = 1};
    enum sl_status status = sl_graph_add_edge(graph, &edge, b->editor->err);
    if (status)
        return status;
    return sl_editor_note(b->editor, SL_EDIT_ADD_EDGE, to, object,
                          "an iteration uses the copy that the one before left",
                          "%s edge from %s to %s of the next iteration", sl_edge_type_name(type),
                          graph->nodes[from].name, graph->nodes[to].name);
}

/* Edges from every entry of one list to every entry of another. */
static enum sl_status connect(struct borders *b, uint32_t object, uint32_t from, uint32_t to,
                              bool by_writer)
{
    enum sl_status status = SL_OK;
    for (uint32_t x = from; x && status == SL_OK; x = b->entries[x].next)
        for (uint32_t y = to; y && status == SL_OK; y = b->entries[y].next)
            status = add_edge(b, object, b->entries[x].node, b->entries[y].node,
                              by_writer ? b->entries[x].type : SL_EDGE_ORDERING);
    return status;
}

static enum sl_status connect_all(struct borders *b)
{
    const struct sl_graph *graph = b->editor->graph;
    uint32_t domains = graph->platform->domain_names.count;
    enum sl_status status = SL_OK;
    for (size_t place = 0; place < place_count(graph) && status == SL_OK; place++) {
        const struct border *border = &b->items[place];
        uint32_t object = (uint32_t)(place / domains);
        status = connect(b, object, border->last_writers, border->first_readers, true);
        if (status == SL_OK)
            status = connect(b, object, border->last_readers, border->first_writers, false);
        if (status == SL_OK)
            status = connect(b, object, border->last_writers, border->first_writers, false);
    }
    return status;
}

/* Who gives the copy back: a single reclamation, or a new one behind the users that did. */
static enum sl_status find_reclamation(struct borders *b, const struct sl_givers *givers,
                                       uint32_t holding, uint32_t *reclamation)
{
    uint32_t at = givers->head[holding];
    if (at && !givers->next[at] &&
        b->editor->graph->nodes[givers->node[at]].kind == SL_RECLAMATION) {
        *reclamation = givers->node[at];
        return SL_OK;
    }
    return sl_givers_follow(givers, b->editor, holding, reclamation);
}

/* A copy that the next iteration gives back goes after this one's last users and holders. */
static enum sl_status order_reclamations(struct borders *b)
{
    struct sl_graph *graph = b->editor->graph;
    struct sl_givers givers = {0};
    uint32_t holdings = graph->holding_count;
    enum sl_status status = SL_OK;
    if (!sl_givers_list(&givers, graph))
        status = SL_FAIL(b->editor->err, SL_SYSTEM, "out of memory for iterations");
    for (uint32_t h = 0; h < holdings && status == SL_OK; h++) {
        uint32_t reclamation, object = graph->holdings[h].object.i;
        if (b->carry->from[h] == SL_NONE || b->carry->from[h] == h || !givers.head[h])
            continue;
        const struct border *border = &b->items[place_of(graph, object, graph->holdings[h].domain)];
        status = find_reclamation(b, &givers, h, &reclamation);
        const uint32_t lists[] = {border->last_writers, border->last_readers, border->holders};
        for (int l = 0; l < 3; l++)
            for (uint32_t at = lists[l]; at && status == SL_OK; at = b->entries[at].next)
                status = add_edge(b, object, b->entries[at].node, reclamation, SL_EDGE_LIFETIME);
    }
    sl_givers_free(&givers);
    return status;
}

enum sl_status sl_carry_order(struct sl_editor *editor, const struct sl_carry *carry)
{
    const struct sl_graph *graph = editor->graph;
    struct borders b = {
        .editor = editor, .carry = carry, .items = calloc(place_count(graph) + 1, sizeof *b.items)};
    enum sl_status status = SL_OK;
    if (!b.items)
        status = SL_FAIL(editor->err, SL_SYSTEM, "out of memory for iterations");
    for (uint32_t t = 0; t < graph->node_count && status == SL_OK; t++)
        status = sl_mentions(graph, graph->topo[t], note_use, &b);
    if (status == SL_OK)
        status = note_holders(&b);
    if (status == SL_OK)
        status = connect_all(&b);
    if (status == SL_OK)
        status = order_reclamations(&b);
    free(b.items);
    free(b.entries);
    sl_pairs_free(&b.pairs);
    return status;
}

/* Reclaim immediate: a copy's bytes go back as soon as its last users are done.  The other parts of
 * this role decide which copies end in a gap at all; where one does, its end is this.
 *
 *     reclaim_ready = max over readers, aliases, transfers and protecting barriers of their finish
 *
 * Users that others follow anyway are left out.  When a single node remains, it gives the bytes
 * back at its own finish; otherwise a reclamation node of no duration waits for all that remain.  A
 * declared cost of reclamation, or a last user that may not run, asks for the node as well. */
#include "attempt.h"
#include <stdlib.h>

#define SEARCH_EDGES 256 /* edges followed to find that one user follows another */

struct place {
    uint32_t label, node;
};

struct reduction {
    struct sl_attempt *a;
    uint32_t *pred_start, *pred_edges; /* before any reclamation was added */
    uint32_t *lane_previous;
    uint32_t *segment;      /* stretch of a lane in which each node follows those before; SL_NONE */
    uint32_t *segment_met;  /* round in which a user there was kept: it follows all before it */
    uint32_t *stamp, round; /* nodes met while searching back from this copy's users */
    uint32_t *stack;
    uint32_t *users, count, capacity;
    struct place *places; /* of the users */
    uint32_t place_capacity;
};

/* A cancelled node does not wait for its predecessors, and who follows it then does neither. */
static bool may_be_cancelled(const struct sl_graph *graph, uint32_t node)
{
    return graph->nodes[node].fallback.i != SL_NONE;
}

/* Marks what precedes `from`, as far back as `oldest` in the plan and within the search's bound. */
static void search_back(struct reduction *r, uint32_t from, uint32_t oldest)
{
    const struct sl_graph *graph = r->a->graph;
    uint32_t depth = 0, followed = 0;
    r->stack[depth++] = from;
    while (depth > 0 && followed < SEARCH_EDGES) {
        uint32_t node = r->stack[--depth];
        uint32_t first = r->pred_start[node], count = r->pred_start[node + 1] - first;
        if (may_be_cancelled(graph, node))
            continue;
        for (uint32_t k = 0; k <= count && followed < SEARCH_EDGES; k++, followed++) {
            uint32_t other =
                k < count ? graph->edges[r->pred_edges[first + k]].from.i : r->lane_previous[node];
            if (other == SL_NONE || r->stamp[other] == r->round ||
                r->a->label[other] < r->a->label[oldest])
                continue;
            r->stamp[other] = r->round;
            r->stack[depth++] = other;
        }
    }
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* A copy may have none, and qsort takes no NULL even of nothing. */
static void sort_users(struct reduction *r)
{
    if (r->count > 0)
        qsort(r->users, r->count, sizeof *r->users, compare);
}

/* Collects the copy's users without repetition; false when out of memory. */
static bool collect(struct reduction *r, const struct sl_copy *copy)
{
    const struct sl_attempt *a = r->a;
    r->count = 0;
    for (uint32_t at = copy->users; at; at = a->users[at].next) {
        if (!sl_grow((void **)&r->users, &r->capacity, r->count + 1, sizeof *r->users))
            return false;
        r->users[r->count++] = a->users[at].node;
    }
    sort_users(r);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->count; i++)
        if (kept == 0 || r->users[kept - 1] != r->users[i])
            r->users[kept++] = r->users[i];
    r->count = kept;
    return sl_grow((void **)&r->places, &r->place_capacity, kept, sizeof *r->places);
}

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->label != y->label)
        return x->label > y->label ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Leaves out users that another user follows: from the last of the plan to the first, each one that
 * no search has met is kept and searched back from. */
static void reduce(struct reduction *r)
{
    const struct sl_attempt *a = r->a;
    for (uint32_t i = 0; i < r->count; i++)
        r->places[i] = (struct place){a->label[r->users[i]], r->users[i]};
    qsort(r->places, r->count, sizeof *r->places, compare_places);
    uint32_t oldest = r->places[r->count - 1].node, kept = 0;
    r->round++;
    for (uint32_t i = 0; i < r->count; i++) {
        uint32_t user = r->places[i].node;
        uint32_t segment = r->segment[user];
        if (r->stamp[user] == r->round ||
            (segment != SL_NONE && r->segment_met[segment] == r->round))
            continue;
        if (segment != SL_NONE)
            r->segment_met[segment] = r->round;
        r->users[kept++] = user;
        search_back(r, user, oldest);
    }
    r->count = kept;
    sort_users(r);
}

static enum sl_status add_reclamation(struct reduction *r, struct sl_copy *copy, bool numbered,
                                      const struct sl_api_cost *cost)
{
    struct sl_attempt *a = r->a;
    const char *object = a->graph->objects[copy->object].name;
    const char *domain = a->facts->platform->domain_names.names[copy->domain];
    struct sl_node node = sl_node_default();
    node.kind = SL_RECLAMATION;
    node.object.i = copy->object;
    node.from = copy->domain;
    node.name = numbered
                    ? sl_editor_text(&a->editor, "reclaim:%s@%s#%u", object, domain, copy->number)
                    : sl_editor_text(&a->editor, "reclaim:%s@%s", object, domain);
    if (!node.name)
        return SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    enum sl_status status = SL_OK;
    if (cost && cost->resource != SL_NONE)
        status = sl_graph_push_demand(a->graph, &node.demands,
                                      (struct sl_demand){cost->resource, 1}, a->err);
    node.dist = cost ? cost->duration : NULL;
    uint32_t last = r->users[0];
    for (uint32_t i = 1; i < r->count; i++)
        last = a->label[r->users[i]] > a->label[last] ? r->users[i] : last;
    if (status == SL_OK)
        status = sl_editor_node(&a->editor, &node, &copy->reclaimer);
    if (status == SL_OK)
        status = sl_sequence_insert(a, copy->reclaimer, last, a->slot[last]);
    for (uint32_t i = 0; i < r->count && status == SL_OK; i++)
        status = sl_editor_edge(&a->editor, r->users[i], copy->reclaimer, SL_EDGE_LIFETIME,
                                copy->object, NULL);
    if (status == SL_OK)
        status = sl_editor_note(&a->editor, SL_EDIT_ADD_NODE, copy->reclaimer, copy->object,
                                cost ? "reclaiming costs time here"
                                     : "several nodes may be the last to use this copy",
                                "reclaim %s in %s", object, domain);
    return status;
}

static enum sl_status end_copy(struct reduction *r, struct sl_copy *copy)
{
    struct sl_attempt *a = r->a;
    const struct sl_api_cost *cost =
        sl_cost_find(a->facts->platform, SL_COST_RECLAMATION, copy->domain);
    if (!collect(r, copy))
        return SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    reduce(r);
    uint32_t only = r->count == 1 ? r->users[0] : SL_NONE;
    bool optional =
        only != SL_NONE && (a->graph->nodes[only].guards.count > 0 ||
                            (only < a->facts->graph->node_count && a->facts->optional[only]));
    bool numbered =
        copy->number > 1 ||
        a->copies[a->made[(size_t)copy->object * a->facts->domain_count + copy->domain]].number > 1;
    enum sl_status status = SL_OK;
    if (only != SL_NONE && !cost && !optional)
        copy->reclaimer = only;
    else
        status = add_reclamation(r, copy, numbered, cost);
    if (status == SL_OK)
        status = sl_graph_node_holding(a->graph, copy->reclaimer, SL_GIVES, copy->holding, a->err);
    return status;
}

/* "An object has at most one copy per domain": the next one waits for the bytes of the last. */
static enum sl_status order_copies(struct sl_attempt *a)
{
    enum sl_status status = SL_OK;
    for (uint32_t c = 0; c < a->copy_count && status == SL_OK; c++) {
        const struct sl_copy *copy = &a->copies[c];
        if (copy->previous == SL_NONE || copy->taker == SL_NONE ||
            a->copies[copy->previous].reclaimer == SL_NONE)
            continue;
        status = sl_editor_edge(&a->editor, a->copies[copy->previous].reclaimer, copy->taker,
                                SL_EDGE_STORAGE, copy->object, NULL);
    }
    return status;
}

static void find_lanes(struct reduction *r, uint32_t *last)
{
    const struct sl_attempt *a = r->a;
    uint32_t segments = 0;
    for (uint32_t l = 0; l < a->graph->lane_names.count; l++)
        last[l] = SL_NONE;
    for (uint32_t n = a->head; n != SL_NONE; n = a->next[n]) {
        uint32_t lane = a->graph->nodes[n].lane;
        uint32_t before = lane == SL_NONE ? SL_NONE : last[lane];
        r->lane_previous[n] = before;
        r->segment[n] = SL_NONE;
        if (lane == SL_NONE)
            continue;
        r->segment[n] =
            before == SL_NONE || may_be_cancelled(a->graph, n) ? segments++ : r->segment[before];
        last[lane] = n;
    }
}

enum sl_status sl_copies_end(struct sl_attempt *a)
{
    sl_sequence_relabel(a);
    struct reduction r = {.a = a};
    size_t size = (size_t)a->graph->node_count + 1;
    uint32_t *last = malloc(((size_t)a->graph->lane_names.count + 1) * sizeof *last);
    r.lane_previous = malloc(size * sizeof *r.lane_previous);
    r.segment = malloc(size * sizeof *r.segment);
    r.segment_met = calloc(size, sizeof *r.segment_met);
    r.stamp = calloc(size, sizeof *r.stamp);
    r.stack = malloc((size + SEARCH_EDGES) * sizeof *r.stack);
    enum sl_status status = SL_OK;
    if (!last || !r.lane_previous || !r.segment || !r.segment_met || !r.stamp || !r.stack ||
        !sl_graph_preds(a->graph, &r.pred_start, &r.pred_edges))
        status = SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    else
        find_lanes(&r, last);
    for (uint32_t c = 0; c < a->copy_count && status == SL_OK; c++)
        if (!a->copies[c].kept && a->copies[c].reclaimer == SL_NONE)
            status = end_copy(&r, &a->copies[c]);
    if (status == SL_OK)
        status = order_copies(a);
    free(last);
    free(r.lane_previous);
    free(r.segment);
    free(r.segment_met);
    free(r.stamp);
    free(r.stack);
    free(r.users);
    free(r.places);
    free(r.pred_start);
    free(r.pred_edges);
    return status;
}

const struct sl_part sl_reclaim_immediate = {
    .role = "reclaim",
    .name = "immediate",
    .description = "as soon as the last users are done",
    .parameters = "none",
    .example = "reclaim: immediate",
    .place = sl_copies_end,
};

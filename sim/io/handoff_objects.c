/* The hand-off's objects: where they lie, which copies the plan makes, and what must be done before
 * one is given back. */
#include "handoff_parts.h"

/* In the order of the plan. */
static bool is_before(const struct sl_handoff *h, uint32_t a, uint32_t b)
{
    return h->uses.position[a] < h->uses.position[b];
}

/* The first node that takes the bytes; SL_NONE: they are there from the start. */
static uint32_t first_taker(const struct sl_handoff *h, uint32_t holding)
{
    const struct proof_uses *uses = &h->uses;
    uint32_t first = SL_NONE;
    for (uint32_t k = uses->taker_first[holding]; k < uses->taker_first[holding + 1]; k++)
        if (first == SL_NONE || is_before(h, uses->takers[k], first))
            first = uses->takers[k];
    return first;
}

/* An object has one copy at a time in a domain, so that a use is of the copy taken last before it.
 */
uint32_t sl_handoff_used(const struct sl_handoff *h, const struct proof_use *use)
{
    const struct proof_uses *uses = &h->uses;
    uint32_t best = SL_NONE, best_taker = SL_NONE;
    for (uint32_t k = uses->place_first[use->place]; k < uses->place_first[use->place + 1]; k++) {
        uint32_t holding = uses->holdings[k], taker = first_taker(h, holding);
        if (taker != SL_NONE && is_before(h, use->node, taker))
            continue;
        bool later =
            best == SL_NONE ||
            (taker != SL_NONE && (best_taker == SL_NONE || is_before(h, best_taker, taker)));
        if (later) {
            best = holding;
            best_taker = taker;
        }
    }
    return best;
}

static void put_nodes_of(struct sl_handoff *h, const char *key, const uint32_t *first,
                         const uint32_t *nodes, uint32_t holding)
{
    sl_json_open_array(h->gen, key);
    for (uint32_t k = first[holding]; k < first[holding + 1]; k++)
        sl_json_text(h->gen, NULL, sl_handoff_node(h, nodes[k]));
    yajl_gen_array_close(h->gen);
}

/* The users of a copy by their role: it may be given back when all of them have finished. */
static void put_reclaim_ready(struct sl_handoff *h, uint32_t holding)
{
    static const char *const keys[SL_TERMS] = {"readers_finished", "alias_uses_finished",
                                               "transfers_finished",
                                               "protecting_barriers_finished"};
    sl_json_open_map(h->gen, "reclaim_ready");
    for (int term = 0; term < SL_TERMS; term++) {
        uint32_t last = SL_NONE;
        sl_json_open_array(h->gen, keys[term]);
        for (uint32_t k = h->user_first[holding]; k < h->user_first[holding + 1]; k++) {
            const struct proof_use *use = &h->uses.uses[h->users[k]];
            if ((int)use->term != term || use->node == last)
                continue;
            last = use->node;
            sl_json_text(h->gen, NULL, sl_handoff_node(h, last));
        }
        yajl_gen_array_close(h->gen);
    }
    yajl_gen_map_close(h->gen);
}

static void put_copy(struct sl_handoff *h, uint32_t holding)
{
    const struct sl_holding *held = &h->graph->holdings[holding];
    sl_json_open_map(h->gen, NULL);
    sl_json_text(h->gen, "domain", sl_handoff_domain(h, held->domain));
    sl_json_integer(h->gen, "bytes", sl_handoff_bytes(h, holding));
    sl_json_bool(h->gen, "initial", held->initial);
    put_nodes_of(h, "taken_at_start_of", h->uses.taker_first, h->uses.takers, holding);
    put_nodes_of(h, "given_back_at_finish_of", h->uses.giver_first, h->uses.givers, holding);
    put_reclaim_ready(h, holding);
    yajl_gen_map_close(h->gen);
}

static void put_copies(struct sl_handoff *h, uint32_t object)
{
    sl_json_open_array(h->gen, "copies");
    for (uint32_t k = h->copy_first[object]; k < h->copy_first[object + 1]; k++)
        put_copy(h, h->copies[k]);
    yajl_gen_array_close(h->gen);
}

static void put_object(struct sl_handoff *h, uint32_t index)
{
    static const char *const equivalences[] = {NULL, "bitwise", "tolerance", "unknown"};
    const struct sl_graph *graph = h->graph;
    const struct sl_object *object = &graph->objects[index];
    yajl_gen gen = h->gen;
    sl_json_open_map(gen, NULL);
    sl_json_text(gen, "object", object->name);
    sl_json_integer(gen, "bytes", object->bytes);
    sl_json_text(gen, "alias_of",
                 object->alias_of.i == SL_NONE
                     ? NULL
                     : graph->objects[sl_object_root(graph, (sl_object_id){index}).i].name);
    sl_json_text(gen, "home", sl_handoff_domain(h, sl_object_home(graph, index)));
    sl_json_open_array(gen, "placements");
    for (uint32_t k = 0; k < object->placements.count; k++)
        sl_json_text(gen, NULL,
                     sl_handoff_domain(h, graph->domains_pool[object->placements.first + k]));
    yajl_gen_array_close(gen);
    sl_json_text(gen, "initial", sl_handoff_domain(h, object->initial));
    sl_json_bool(gen, "persist", object->persist);
    sl_json_text(gen, "reconstruct", sl_handoff_node(h, object->reconstruct.i));
    sl_json_text(gen, "equivalence", equivalences[object->equivalence]);
    sl_json_text(gen, "reclaim_when", object->reclaim_when);
    sl_handoff_evidence(gen, object->evidence, object->evidence_text);
    if (object->size)
        sl_json_text(gen, "bytes_per_job", sl_expr_text(object->size));
    if (object->shared)
        sl_json_bool(gen, "shared_by_blocks", true);
    put_copies(h, index);
    yajl_gen_map_close(gen);
}

void sl_handoff_put_objects(struct sl_handoff *h)
{
    sl_json_open_array(h->gen, "objects");
    for (uint32_t o = 0; o < h->graph->object_count; o++)
        put_object(h, o);
    yajl_gen_array_close(h->gen);
}

/* Lists in CSR form of the items that `owner` gives to one of `owners` (SL_NONE: to none). */
static bool list_by(struct sl_handoff *h, uint32_t owners, uint32_t items, const uint32_t *owner,
                    uint32_t **first, uint32_t **list)
{
    *first = sl_arena_array(&h->arena, (size_t)owners + 3, sizeof **first);
    *list = sl_arena_array(&h->arena, (size_t)items + 1, sizeof **list);
    if (!*first || !*list)
        return false;
    for (uint32_t i = 0; i < items; i++)
        if (owner[i] != SL_NONE)
            (*first)[owner[i] + 2]++;
    for (uint32_t o = 2; o < owners + 3; o++)
        (*first)[o] += (*first)[o - 1];
    for (uint32_t i = 0; i < items; i++)
        if (owner[i] != SL_NONE)
            (*list)[(*first)[owner[i] + 1]++] = i;
    return true;
}

bool sl_handoff_gather_copies(struct sl_handoff *h)
{
    const struct sl_graph *graph = h->graph;
    uint32_t holdings = graph->holding_count,
             most = holdings > h->uses.use_count ? holdings : h->uses.use_count;
    uint32_t *owner = sl_arena_array(&h->arena, (size_t)most + 1, sizeof *owner);
    h->copy_number = sl_arena_array(&h->arena, (size_t)holdings + 1, sizeof *h->copy_number);
    if (!owner || !h->copy_number)
        return false;
    for (uint32_t k = 0; k < holdings; k++) {
        const struct sl_holding *held = &graph->holdings[k];
        owner[k] = held->kind == SL_HOLD_OBJECT && held->object.i != SL_NONE
                       ? sl_object_root(graph, held->object).i
                       : SL_NONE;
    }
    if (!list_by(h, graph->object_count, holdings, owner, &h->copy_first, &h->copies))
        return false;
    for (uint32_t o = 0; o < graph->object_count; o++)
        for (uint32_t k = h->copy_first[o]; k < h->copy_first[o + 1]; k++)
            h->copy_number[h->copies[k]] = k - h->copy_first[o];
    for (uint32_t u = 0; u < h->uses.use_count; u++)
        owner[u] = sl_handoff_used(h, &h->uses.uses[u]);
    return list_by(h, holdings, h->uses.use_count, owner, &h->user_first, &h->users);
}

/* Run-time eviction in a plan: which copies may leave, and the latent nodes by which they do.
 *
 *     attempt: copies and their users  --sl_evictions_note-->  node.uses, carried by renumbering
 * and unrolling finished plan  --sl_evictions_arrange-->  ways (evict_ways.c), latent nodes,
 * graph->evictor */
#include "evictions.h"
#include <stdlib.h>
#include <string.h>

static const char *const ways[] = {"offload", "remat", "cheapest", NULL};
static const char *const pins[] = {"gathered", "running", NULL};

const struct sl_param sl_evict_params[SL_EVICT_PARAMS] = {
    {.key = "evict.by",
     .type = SL_PARAM_WORD,
     .offset = offsetof(struct sl_rule, evict_by),
     .words = ways},
    {.key = "evict.pins",
     .type = SL_PARAM_WORD,
     .offset = offsetof(struct sl_rule, evict_pins),
     .words = pins},
    {.key = "evict.livelock",
     .type = SL_PARAM_INTEGER,
     .offset = offsetof(struct sl_rule, livelock),
     .min = 1,
     .max = 1e9},
};

enum sl_status sl_evictions_note(struct sl_attempt *a)
{
    enum sl_status status = SL_OK;
    for (uint32_t c = 0; c < a->copy_count; c++) {
        const struct sl_copy *copy = &a->copies[c];
        if (copy->domain != a->facts->home[copy->object] ||
            (a->facts->by_user[copy->object] && !a->graph->objects[copy->object].persist))
            continue;
        for (uint32_t at = copy->users; at && status == SL_OK; at = a->users[at].next)
            if (a->users[at].node != copy->taker)
                status = sl_graph_node_holding(a->graph, a->users[at].node, SL_USES, copy->holding,
                                               a->err);
    }
    return status;
}

/* ---- what is known of the holdings ------------------------------------------------------------
 */

static bool node_writes(const struct sl_graph *graph, const struct sl_node *node,
                        const struct sl_holding *holding)
{
    for (uint32_t k = 0; k < node->outputs.count; k++)
        if (sl_object_root(graph, graph->objects_pool[node->outputs.first + k]).i ==
            holding->object.i)
            return true;
    return sl_node_moves(node->kind) && node->to == holding->domain;
}

/* Users of each holding in plan order. */
static void list_users(struct sl_leavers *l)
{
    const struct sl_graph *graph = l->plan->graph;
    uint32_t at = 0;
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t t = 0; t < graph->node_count; t++) {
            uint32_t n = graph->topo[t];
            struct sl_span uses = graph->nodes[n].uses;
            for (uint32_t k = 0; k < uses.count; k++) {
                uint32_t h = graph->holdings_pool[uses.first + k];
                struct sl_leaver *leaver = &l->items[h];
                if (pass == 1)
                    l->users[leaver->users.first + leaver->users.count] = (struct sl_evict_user){
                        n, node_writes(graph, &graph->nodes[n], &graph->holdings[h])};
                leaver->users.count++;
                leaver->needed_until = t;
                leaver->stays |= graph->nodes[n].kind == SL_BARRIER;
            }
        }
        for (uint32_t h = 0; h < graph->holding_count && pass == 0; h++) {
            l->items[h].users.first = at;
            at += l->items[h].users.count;
            l->items[h].users.count = 0;
        }
    }
}

static void list_ends(struct sl_leavers *l)
{
    const struct sl_graph *graph = l->plan->graph;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        struct sl_span takes = graph->nodes[n].takes, gives = graph->nodes[n].gives;
        for (uint32_t k = 0; k < takes.count; k++) {
            struct sl_leaver *leaver = &l->items[graph->holdings_pool[takes.first + k]];
            leaver->taker = n;
            leaver->taker_count++;
        }
        for (uint32_t k = 0; k < gives.count; k++) {
            struct sl_leaver *leaver = &l->items[graph->holdings_pool[gives.first + k]];
            leaver->giver = n;
            leaver->giver_count++;
        }
    }
}

/* Persistent objects, and those that a lifetime-hold edge keeps. */
static void find_staying(struct sl_leavers *l)
{
    const struct sl_graph *graph = l->plan->graph;
    bool *held = calloc((size_t)graph->object_count + 1, sizeof *held);
    for (uint32_t e = 0; held && e < graph->edge_count; e++) {
        const struct sl_edge *edge = &graph->edges[e];
        if (edge->type == SL_EDGE_LIFETIME && edge->object.i != SL_NONE &&
            graph->nodes[edge->to.i].kind != SL_RECLAMATION)
            held[sl_object_root(graph, edge->object).i] = true;
    }
    for (uint32_t h = 0; h < graph->holding_count; h++) {
        const struct sl_holding *holding = &graph->holdings[h];
        uint32_t object = holding->object.i;
        if (holding->kind != SL_HOLD_OBJECT || object == SL_NONE ||
            holding->domain != l->facts->home[object]) {
            l->items[h].stays = true;
            continue;
        }
        l->items[h].stays |= !held || held[object] || graph->objects[object].persist;
        l->copies_at_home[object]++;
    }
    free(held);
}

static enum sl_status gather(struct sl_leavers *l)
{
    const struct sl_graph *graph = l->plan->graph;
    size_t uses = 0;
    for (uint32_t n = 0; n < graph->node_count; n++)
        uses += graph->nodes[n].uses.count;
    l->place = malloc(((size_t)graph->node_count + 1) * sizeof *l->place);
    l->items = malloc(((size_t)graph->holding_count + 1) * sizeof *l->items);
    l->users = malloc((uses + 1) * sizeof *l->users);
    l->copies_at_home = calloc((size_t)graph->object_count + 1, sizeof *l->copies_at_home);
    if (!l->place || !l->items || !l->users || !l->copies_at_home)
        return SL_FAIL(l->err, SL_SYSTEM, "out of memory for evictions");
    for (uint32_t t = 0; t < graph->node_count; t++)
        l->place[graph->topo[t]] = t;
    for (uint32_t h = 0; h < graph->holding_count; h++)
        l->items[h] = (struct sl_leaver){
            .taker = SL_NONE, .giver = SL_NONE, .refuge = SL_NONE, .maker = SL_NONE};
    list_users(l);
    list_ends(l);
    find_staying(l);
    return SL_OK;
}

/* ---- latent nodes ------------------------------------------------------------------------------
 */

struct arrangement {
    struct sl_leavers *l;
    struct sl_graph *graph;
    struct sl_editor editor;
    struct sl_evictor *evictor;
    uint32_t *clone_of; /* per node of the plan: its latent recomputation */
    uint32_t pool_count;
};

static enum sl_status add_move(struct arrangement *a, uint32_t h, const char *verb, uint32_t from,
                               uint32_t to, uint32_t takes, uint32_t *index)
{
    struct sl_graph *graph = a->graph;
    const struct sl_object *object = &graph->objects[graph->holdings[h].object.i];
    struct sl_node node = sl_node_default();
    node.kind = from == graph->holdings[h].domain ? SL_OFFLOAD : SL_PREFETCH;
    node.object = graph->holdings[h].object;
    node.derived = true;
    node.place = object->place;
    node.name = sl_editor_text(&a->editor, "%s:%s", verb, object->name);
    if (!node.name)
        return SL_FAIL(a->l->err, SL_SYSTEM, "out of memory for evictions");
    enum sl_status status = sl_graph_route_node(
        graph, &node, sl_platform_route(graph->platform, from, to), object->bytes, a->l->err);
    if (status == SL_OK)
        status = sl_graph_push_holding(graph, &node.takes, takes, a->l->err);
    if (status == SL_OK)
        status = sl_editor_node(&a->editor, &node, index);
    if (status == SL_OK)
        status = sl_editor_note(&a->editor, SL_EDIT_ADD_NODE, *index, node.object.i,
                                "when bytes are wanted while running", "%s %s from %s to %s", verb,
                                object->name, graph->platform->domain_names.names[from],
                                graph->platform->domain_names.names[to]);
    return status;
}

/* The copy elsewhere that a movement brought this one from and would give back; it is kept while it
 * is valid.  SL_NONE: there is none. */
static uint32_t origin_of(const struct arrangement *a, uint32_t h)
{
    const struct sl_leaver *leaver = &a->l->items[h];
    if (leaver->taker == SL_NONE || !sl_node_moves(a->graph->nodes[leaver->taker].kind))
        return SL_NONE;
    struct sl_span gives = a->graph->nodes[leaver->taker].gives;
    for (uint32_t k = 0; k < gives.count; k++) {
        uint32_t other = a->graph->holdings_pool[gives.first + k];
        if (a->graph->holdings[other].object.i == a->graph->holdings[h].object.i &&
            a->graph->holdings[other].domain == leaver->refuge &&
            a->l->items[other].giver_count == 1)
            return other;
    }
    return SL_NONE;
}

static enum sl_status add_moves(struct arrangement *a, uint32_t h, struct sl_evict_copy *copy)
{
    const struct sl_leaver *leaver = &a->l->items[h];
    struct sl_holding refuge = a->graph->holdings[h];
    uint32_t home = refuge.domain;
    enum sl_status status = SL_OK;
    copy->refuge = origin_of(a, h);
    if (copy->refuge != SL_NONE) {
        a->evictor->kept[copy->refuge] = true;
    } else {
        refuge.domain = leaver->refuge;
        refuge.initial = false;
        status = sl_graph_add_holding(a->graph, &refuge, &copy->refuge, a->l->err);
    }
    if (status == SL_OK)
        status = add_move(a, h, "evict", home, leaver->refuge, copy->refuge, &copy->out);
    if (status == SL_OK)
        status = add_move(a, h, "refetch", leaver->refuge, home, h, &copy->back);
    return status;
}

static enum sl_status add_clone(struct arrangement *a, uint32_t h, struct sl_evict_copy *copy)
{
    struct sl_graph *graph = a->graph;
    uint32_t maker = a->l->items[h].maker;
    enum sl_status status = SL_OK;
    if (a->clone_of[maker] == SL_NONE) {
        const struct sl_node *source = &graph->nodes[maker];
        struct sl_node clone = *source;
        clone.name = sl_editor_text(&a->editor, "remake:%s", source->name);
        clone.key = sl_editor_text(&a->editor, "%s#evict", source->key);
        if (!clone.name || !clone.key)
            return SL_FAIL(a->l->err, SL_SYSTEM, "out of memory for evictions");
        clone.kind = SL_REMATERIALIZATION;
        clone.lane = SL_NONE;
        clone.release_ps = 0;
        clone.deadline_ps = INT64_MAX;
        clone.fallback.i = clone.staging_until.i = clone.first.i = SL_NONE;
        clone.takes = clone.gives = clone.uses = (struct sl_span){0};
        clone.derived = true;
        for (uint32_t k = 0; k < source->staging.count && status == SL_OK; k++)
            status = sl_graph_push_amount(graph, &clone.workspace,
                                          graph->amounts[source->staging.first + k], a->l->err);
        clone.staging = (struct sl_span){0};
        if (status == SL_OK)
            status = sl_editor_node(&a->editor, &clone, &a->clone_of[maker]);
        if (status == SL_OK)
            status = sl_editor_note(&a->editor, SL_EDIT_ADD_NODE, a->clone_of[maker],
                                    graph->holdings[h].object.i,
                                    "when what it made was dropped while running", "run %s again",
                                    graph->nodes[maker].name);
    }
    copy->back = a->clone_of[maker];
    if (status == SL_OK)
        status = sl_graph_node_holding(graph, copy->back, SL_TAKES, h, a->l->err);
    return status;
}

static enum sl_status add_latent(struct arrangement *a)
{
    struct sl_evictor *evictor = a->evictor;
    uint32_t holdings = a->graph->holding_count;
    enum sl_status status = SL_OK;
    for (uint32_t h = 0; h < holdings && status == SL_OK; h++) {
        const struct sl_leaver *leaver = &a->l->items[h];
        uint32_t c = evictor->copy_of[h];
        if (c != SL_NONE && leaver->refuge != SL_NONE)
            status = add_moves(a, h, &evictor->copies[c]);
        else if (c != SL_NONE && leaver->maker != SL_NONE)
            status = add_clone(a, h, &evictor->copies[c]);
    }
    return status;
}

/* ---- the evictor --------------------------------------------------------------------------------
 */

static bool may_leave(const struct sl_leaver *leaver)
{
    return leaver->refuge != SL_NONE || leaver->maker != SL_NONE;
}

/* Numbers the copies: those that may leave, and what recomputations read. */
static void number_copies(struct arrangement *a, uint32_t holdings)
{
    struct sl_evictor *evictor = a->evictor;
    for (uint32_t h = 0; h < holdings; h++)
        evictor->copy_of[h] = may_leave(&a->l->items[h]) ? 0 : SL_NONE;
    for (uint32_t h = 0; h < holdings; h++) {
        uint32_t maker = a->l->items[h].maker;
        struct sl_span uses = {0};
        if (maker != SL_NONE)
            uses = a->graph->nodes[maker].uses;
        for (uint32_t k = 0; k < uses.count; k++)
            evictor->copy_of[a->graph->holdings_pool[uses.first + k]] = 0;
    }
    for (uint32_t h = 0; h < holdings; h++)
        if (evictor->copy_of[h] != SL_NONE) {
            evictor->copy_of[h] = evictor->copy_count;
            evictor->copies[evictor->copy_count++] =
                (struct sl_evict_copy){.holding = h,
                                       .out = SL_NONE,
                                       .back = SL_NONE,
                                       .refuge = SL_NONE,
                                       .users = a->l->items[h].users};
        }
}

static struct sl_span put(struct arrangement *a, struct sl_span holdings)
{
    struct sl_evictor *evictor = a->evictor;
    struct sl_span span = {a->pool_count, 0};
    for (uint32_t k = 0; k < holdings.count; k++) {
        uint32_t c = evictor->copy_of[a->graph->holdings_pool[holdings.first + k]];
        if (c != SL_NONE)
            evictor->pool[a->pool_count + span.count++] = c;
    }
    a->pool_count += span.count;
    return span;
}

/* Latent recomputations that read each copy. */
static void list_clones(struct arrangement *a, uint32_t nodes)
{
    struct sl_evictor *evictor = a->evictor;
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t n = 0; n < nodes; n++) {
            struct sl_span reads = {0};
            if (a->clone_of[n] != SL_NONE)
                reads = evictor->latents[a->clone_of[n] - nodes].reads;
            for (uint32_t k = 0; k < reads.count; k++) {
                struct sl_span *clones = &evictor->copies[evictor->pool[reads.first + k]].clones;
                if (pass == 1)
                    evictor->pool[clones->first + clones->count] = a->clone_of[n];
                clones->count++;
            }
        }
        for (uint32_t c = 0; c < evictor->copy_count && pass == 0; c++) {
            evictor->copies[c].clones.first = a->pool_count;
            a->pool_count += evictor->copies[c].clones.count;
            evictor->copies[c].clones.count = 0;
        }
    }
}

static void list_latents(struct arrangement *a, uint32_t nodes)
{
    struct sl_evictor *evictor = a->evictor;
    for (uint32_t n = 0; n < nodes; n++)
        evictor->uses[n] = put(a, a->graph->nodes[n].uses);
    for (uint32_t c = 0; c < evictor->copy_count; c++) {
        const struct sl_evict_copy *copy = &evictor->copies[c];
        if (copy->out == SL_NONE)
            continue;
        evictor->pool[a->pool_count] = c;
        struct sl_latent move = {.moves = {a->pool_count++, 1}, .original = SL_NONE};
        evictor->latents[copy->out - nodes] = evictor->latents[copy->back - nodes] = move;
    }
    for (uint32_t n = 0; n < nodes; n++)
        if (a->clone_of[n] != SL_NONE) {
            struct sl_latent *latent = &evictor->latents[a->clone_of[n] - nodes];
            latent->moves = put(a, a->graph->nodes[a->clone_of[n]].takes);
            latent->reads = put(a, a->graph->nodes[n].uses);
            latent->original = n;
        }
    list_clones(a, nodes);
}

static enum sl_status reserve(struct arrangement *a)
{
    const struct sl_graph *graph = a->graph;
    struct sl_arena *arena = &a->graph->arena;
    size_t holdings = (size_t)graph->holding_count + 1, nodes = (size_t)graph->node_count + 1,
           uses = 0;
    struct sl_evictor *evictor = a->evictor = sl_arena_alloc(arena, sizeof *evictor);
    for (uint32_t n = 0; n < graph->node_count; n++)
        uses += graph->nodes[n].uses.count;
    a->clone_of = malloc(nodes * sizeof *a->clone_of);
    if (!evictor || !a->clone_of)
        return SL_FAIL(a->l->err, SL_SYSTEM, "out of memory for evictions");
    memset(a->clone_of, 0xff, nodes * sizeof *a->clone_of);
    *evictor = (struct sl_evictor){.first_latent = graph->node_count};
    evictor->copies = sl_arena_array(arena, holdings, sizeof *evictor->copies);
    evictor->latents = sl_arena_array(arena, 2 * holdings, sizeof *evictor->latents);
    evictor->users = sl_arena_array(arena, uses + 1, sizeof *evictor->users);
    evictor->pool = sl_arena_array(arena, 3 * uses + 2 * holdings, sizeof *evictor->pool);
    evictor->copy_of = sl_arena_array(arena, 2 * holdings, sizeof *evictor->copy_of);
    evictor->kept = sl_arena_array(arena, 2 * holdings, sizeof *evictor->kept);
    evictor->uses = sl_arena_array(arena, nodes, sizeof *evictor->uses);
    if (!evictor->copies || !evictor->latents || !evictor->users || !evictor->pool ||
        !evictor->copy_of || !evictor->kept || !evictor->uses)
        return SL_FAIL(a->l->err, SL_SYSTEM, "out of memory for evictions");
    memset(evictor->copy_of, 0xff, 2 * holdings * sizeof *evictor->copy_of);
    memcpy(evictor->users, a->l->users, uses * sizeof *evictor->users);
    return SL_OK;
}

static enum sl_status arrange(struct arrangement *a)
{
    uint32_t nodes = a->graph->node_count;
    enum sl_status status = reserve(a);
    if (status)
        return status;
    number_copies(a, a->graph->holding_count);
    status = add_latent(a);
    if (status || a->graph->node_count == nodes)
        return status; /* nothing can leave */
    list_latents(a, nodes);
    a->graph->evictor = a->evictor;
    return sl_graph_finish(a->graph, a->l->err);
}

enum sl_status sl_evictions_arrange(struct sl_plan *plan, const struct sl_facts *facts,
                                    const struct sl_rule *rule, const struct sl_policy_spec *policy,
                                    struct sl_diags *diags, struct sl_error *err)
{
    struct sl_leavers l = {
        .plan = plan, .facts = facts, .rule = rule, .policy = policy, .err = err};
    struct arrangement a = {
        .l = &l,
        .graph = plan->graph,
        .editor = {.graph = plan->graph, .plan = plan, .err = err},
    };
    enum sl_status status = gather(&l);
    if (status == SL_OK)
        status = sl_leavers_decide(&l);
    if (status == SL_OK) {
        sl_leavers_warn(&l, diags);
        status = arrange(&a);
    }
    sl_pairs_free(&a.editor.pairs);
    free(a.clone_of);
    free(l.place);
    free(l.items);
    free(l.users);
    free(l.copies_at_home);
    return status;
}

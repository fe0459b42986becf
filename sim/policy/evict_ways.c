/* How copies may leave while running: to a domain that they can come back from, or by being dropped
 * and computed again.
 *
 * What is computed again may be wanted as long as something that reads it is; over all of that time
 * none of its own inputs may be overwritten. */
#include "evictions.h"
#include <stdlib.h>
#include <string.h>

static bool names(const struct sl_graph *graph, struct sl_span list, uint32_t object)
{
    for (uint32_t k = 0; k < list.count; k++)
        if (sl_object_root(graph, graph->objects_pool[list.first + k]).i == object)
            return true;
    return false;
}

uint32_t sl_leavers_used_by(const struct sl_leavers *l, uint32_t node, uint32_t object)
{
    const struct sl_graph *graph = l->plan->graph;
    struct sl_span uses = graph->nodes[node].uses;
    for (uint32_t k = 0; k < uses.count; k++) {
        uint32_t h = graph->holdings_pool[uses.first + k];
        if (graph->holdings[h].object.i == object)
            return h;
    }
    return SL_NONE;
}

/* The domain that it came from by a movement, else where the policy sends it, else the first where
 * it may lie; with routes both ways. */
static uint32_t refuge_of(const struct sl_leavers *l, uint32_t h)
{
    const struct sl_graph *graph = l->plan->graph;
    const struct sl_holding *holding = &graph->holdings[h];
    const struct sl_object *object = &graph->objects[holding->object.i];
    uint32_t taker = l->items[h].taker, home = holding->domain, listed = object->placements.count;
    const uint32_t first[] = {taker != SL_NONE && sl_node_moves(graph->nodes[taker].kind)
                                  ? graph->nodes[taker].from
                                  : SL_NONE,
                              l->facts->journeys[holding->object.i].refuge};
    for (uint32_t k = 0; k < 2 + (listed ? listed : l->facts->domain_count); k++) {
        uint32_t domain = k < 2    ? first[k]
                          : listed ? graph->domains_pool[object->placements.first + k - 2]
                                   : k - 2;
        if (domain != SL_NONE && domain != home &&
            sl_platform_route(graph->platform, home, domain) &&
            sl_platform_route(graph->platform, domain, home))
            return domain;
    }
    return SL_NONE;
}

/* Place of the first node behind `after` that overwrites the copy; UINT32_MAX: none does. */
static uint32_t next_writer(const struct sl_leavers *l, uint32_t h, uint32_t after)
{
    struct sl_span users = l->items[h].users;
    for (uint32_t k = 0; k < users.count; k++) {
        const struct sl_evict_user *user = &l->users[users.first + k];
        if (user->writes && l->place[user->node] > after)
            return l->place[user->node];
    }
    return UINT32_MAX;
}

/* The run of the reconstruct node in the copy's iteration; SL_NONE. */
static uint32_t maker_of(const struct sl_leavers *l, uint32_t h)
{
    const struct sl_graph *graph = l->plan->graph;
    const struct sl_object *object = &graph->objects[graph->holdings[h].object.i];
    uint32_t made = object->reconstruct.i, taker = l->items[h].taker;
    if (made == SL_NONE || taker == SL_NONE || object->equivalence == SL_EQ_UNKNOWN ||
        object->equivalence == SL_EQ_UNSTATED)
        return SL_NONE;
    if (sl_node_first(graph, taker) == made)
        return taker;
    return l->facts->scenario->iterations > 1 ? SL_NONE : made;
}

/* Whether running `maker` again gives the copy's value as long as it is needed. */
static bool can_remake(const struct sl_leavers *l, uint32_t h, uint32_t maker)
{
    const struct sl_graph *graph = l->plan->graph;
    const struct sl_node *node = &graph->nodes[maker];
    uint32_t object = graph->holdings[h].object.i;
    if (node->guards.count > 0 || node->fallback.i != SL_NONE ||
        !names(graph, node->outputs, object) || next_writer(l, h, 0) != UINT32_MAX)
        return false;
    for (uint32_t k = 0; k < node->inputs.count; k++) {
        uint32_t input = sl_object_root(graph, graph->objects_pool[node->inputs.first + k]).i;
        uint32_t used = sl_leavers_used_by(l, maker, input);
        if (used == SL_NONE || names(graph, node->outputs, input) ||
            l->copies_at_home[input] > l->facts->scenario->iterations ||
            next_writer(l, used, l->place[maker]) <= l->items[h].needed_until)
            return false;
    }
    return true;
}

static void need_inputs(struct sl_leavers *l, uint32_t h, uint32_t maker)
{
    const struct sl_graph *graph = l->plan->graph;
    const struct sl_node *node = &graph->nodes[maker];
    for (uint32_t k = 0; k < node->inputs.count; k++) {
        uint32_t input = sl_object_root(graph, graph->objects_pool[node->inputs.first + k]).i;
        struct sl_leaver *used = &l->items[sl_leavers_used_by(l, maker, input)];
        if (used->needed_until < l->items[h].needed_until)
            used->needed_until = l->items[h].needed_until;
    }
}

/* Expected time over the route from one domain to another, ps. */
static double move_mean(const struct sl_leavers *l, uint32_t object, enum sl_node_kind kind,
                        uint32_t from, uint32_t to)
{
    const struct sl_platform *platform = l->plan->graph->platform;
    struct sl_way way = {.hops = 1};
    way.routes[0] = (uint16_t)(sl_platform_route(platform, from, to) - platform->routes);
    return sl_hop_mean(l->facts, object, kind, &way, 0);
}

/* Whether the copy may leave if there is a way. */
static bool is_asked(const struct sl_leaver *leaver)
{
    return !leaver->stays && leaver->taker_count <= 1 && leaver->giver_count > 0 &&
           leaver->users.count > 0;
}

static void decide(struct sl_leavers *l, uint32_t h)
{
    const struct sl_graph *graph = l->plan->graph;
    const struct sl_holding *holding = &graph->holdings[h];
    struct sl_leaver *leaver = &l->items[h];
    if (!is_asked(leaver))
        return;
    uint32_t refuge = l->rule->evict_by == SL_EVICT_REMAT ? SL_NONE : refuge_of(l, h);
    uint32_t maker = l->rule->evict_by == SL_EVICT_OFFLOAD ? SL_NONE : maker_of(l, h);
    if (maker != SL_NONE && !can_remake(l, h, maker))
        maker = SL_NONE;
    if (refuge != SL_NONE && maker != SL_NONE) {
        double move = move_mean(l, holding->object.i, SL_OFFLOAD, holding->domain, refuge) +
                      move_mean(l, holding->object.i, SL_PREFETCH, refuge, holding->domain);
        if (sl_node_mean_hold(graph, (sl_node_id){maker}) <= move)
            refuge = SL_NONE;
        else
            maker = SL_NONE;
    }
    leaver->refuge = refuge;
    leaver->maker = maker;
    if (maker != SL_NONE)
        need_inputs(l, h, maker);
}

struct made {
    uint32_t place, holding;
};

static int latest_first(const void *a, const void *b)
{
    const struct made *x = a, *y = b;
    if (x->place != y->place)
        return x->place > y->place ? -1 : 1;
    return x->holding < y->holding ? -1 : x->holding > y->holding;
}

enum sl_status sl_leavers_decide(struct sl_leavers *l)
{
    uint32_t count = l->plan->graph->holding_count;
    struct made *order = malloc(((size_t)count + 1) * sizeof *order);
    if (!order)
        return SL_FAIL(l->err, SL_SYSTEM, "out of memory for evictions");
    /* What reads a copy is decided before it. */
    for (uint32_t h = 0; h < count; h++) {
        uint32_t maker = l->items[h].stays ? SL_NONE : maker_of(l, h);
        order[h] = (struct made){maker == SL_NONE ? 0 : l->place[maker], h};
    }
    qsort(order, count, sizeof *order, latest_first);
    for (uint32_t k = 0; k < count; k++)
        decide(l, order[k].holding);
    free(order);
    return SL_OK;
}

/* A copy that is computed again needs no place. */
static bool has_place(const struct sl_leavers *l, uint32_t h)
{
    const struct sl_leaver *leaver = &l->items[h];
    if (leaver->refuge == SL_NONE)
        return leaver->maker != SL_NONE;
    const struct sl_graph *graph = l->plan->graph;
    const struct sl_domain *domain = &graph->platform->domains[leaver->refuge];
    return domain->capacity < 0 ||
           graph->objects[graph->holdings[h].object.i].bytes <= domain->capacity - domain->reserve;
}

void sl_leavers_warn(const struct sl_leavers *l, struct sl_diags *diags)
{
    static const char *const no_way[] = {
        [SL_EVICT_OFFLOAD] = "no object has another placement with direct routes there and back",
        [SL_EVICT_REMAT] = "no object can be computed again as long as it is needed",
        [SL_EVICT_CHEAPEST] = ("no object has another placement with direct routes there and back, "
                               "or can be computed again as long as it is needed")};
    const char *code = "unused-parameter", *why = "all objects have to stay";
    for (uint32_t h = 0; h < l->plan->graph->holding_count; h++) {
        if (has_place(l, h))
            return;
        if (l->items[h].refuge != SL_NONE) {
            code = "does-not-fit";
            why = "no object that may leave fits where it would go";
        } else if (is_asked(&l->items[h]) && strcmp(code, "does-not-fit") != 0) {
            code = l->rule->evict_by == SL_EVICT_REMAT ? "not-rematerializable" : "no-route";
            why = no_way[l->rule->evict_by];
        }
    }
    sl_policy_warn(diags, code, l->rule->place, "policy '%s': evict changes nothing: %s",
                   l->policy->name, why);
}

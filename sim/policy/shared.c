/* Objects that jobs share by blocks: the nodes by which blocks come home and leave it.
 *
 * For each tier of the chain into which one spills, `spill:OBJECT:TIER`, which no edge joins to
 * anything, since it runs when somebody wants room in the tier above; and in front of the node that
 * makes what is missing `fetch:OBJECT:TIER`, which goes home or, where no route does, to the
 * highest tier of the chain to which one leads, and on from there as `fetch:OBJECT:TIER:VIA`.  All
 * are made for one block; the engine knows how many there are (doc/semantics.md, "Shared objects").
 */
#include "attempt.h"
#include "units.h"
#include <stdlib.h>
#include <string.h>

bool sl_shared_when(const struct sl_part *when)
{
    return when == &sl_prefetch_demand || when == &sl_prefetch_lookahead ||
           when == &sl_prefetch_asap;
}

bool sl_list_has(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; *at; at += strspn(at, ";")) {
        size_t item = strcspn(at, ";");
        if (item == length && memcmp(at, name, length) == 0)
            return true;
        at += item;
    }
    return false;
}

static bool is_cache(const struct sl_graph *graph, uint32_t object)
{
    return graph->objects[object].shared && graph->objects[object].alias_of.i == SL_NONE;
}

/* The tiers through which the object's blocks leave, its home first. */
struct chain {
    uint32_t object, count, tiers[SL_CACHE_TIERS];
};

static struct chain chain_of(const struct sl_graph *graph, uint32_t object, const char *spill)
{
    const struct sl_names *domains = &graph->platform->domain_names;
    struct chain chain = {object, 1, {sl_object_home(graph, object)}};
    for (uint32_t k = 1, tier; (tier = sl_object_tier(graph, object, k)) != SL_NONE; k++)
        if (chain.count < SL_CACHE_TIERS && (!spill || sl_list_has(spill, domains->names[tier])))
            chain.tiers[chain.count++] = tier;
    return chain;
}

static enum sl_status find_route(const struct sl_attempt *a, uint32_t object, uint32_t from,
                                 uint32_t to, const struct sl_route **route)
{
    const struct sl_platform *platform = a->facts->platform;
    const struct sl_object *o = &a->graph->objects[object];
    *route = sl_platform_route(platform, from, to);
    if (!*route)
        return SL_FAIL_AT(a->err, SL_NO, o->place,
                          "'%s' spills blocks between '%s' and '%s', and there is no route from "
                          "'%s' to '%s' (cache.spill says between which placements, or none)",
                          o->name, platform->domain_names.names[from],
                          platform->domain_names.names[to], platform->domain_names.names[from],
                          platform->domain_names.names[to]);
    if ((*route)->staging.domain != SL_NONE)
        return SL_FAIL_AT(a->err, SL_NO, (*route)->place,
                          "blocks of '%s' cannot go through the staging buckets of this route, "
                          "since how many there are varies by job: state a route without staging",
                          o->name);
    return SL_OK;
}

/* name: of this node; why, what: for the plan's list of edits. */
struct move {
    enum sl_node_kind kind;
    const char *name, *why, *what;
    int64_t release_ps;
    uint32_t ahead; /* as in sl_node */
};

static enum sl_status add_node(struct sl_attempt *a, const struct move *move, uint32_t object,
                               const struct sl_route *route, uint32_t *index)
{
    const struct sl_object *o = &a->graph->objects[object];
    struct sl_node node = sl_node_default();
    node.name = move->name;
    node.kind = move->kind;
    node.object.i = object;
    node.release_ps = move->release_ps;
    node.ahead = move->ahead;
    node.place = o->place;
    if (!node.name || !move->what)
        return SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    enum sl_status status = sl_graph_route_node(a->graph, &node, route, o->bytes, a->err);
    if (status == SL_OK)
        status = sl_editor_node(&a->editor, &node, index);
    return status ? status
                  : sl_editor_note(&a->editor, SL_EDIT_ADD_NODE, *index, object, move->why, "%s",
                                   move->what);
}

/* The node that makes what is missing. */
static uint32_t maker_of(const struct sl_graph *graph, uint32_t object)
{
    for (uint32_t i = 0; i < graph->node_count; i++)
        for (uint32_t k = 0; k < graph->nodes[i].outputs.count; k++) {
            sl_object_id output = graph->objects_pool[graph->nodes[i].outputs.first + k];
            if (sl_object_root(graph, output).i == object)
                return i;
        }
    return SL_NONE;
}

/* A fetch in turn waits for all that its maker waits for, but for its resource and other fetches of
 * the object. */
static enum sl_status wait_as(struct sl_attempt *a, uint32_t fetch, uint32_t maker, uint32_t object)
{
    uint32_t *start, *edges, lane = a->graph->nodes[maker].lane;
    enum sl_status status = SL_OK;
    if (!sl_graph_preds(a->graph, &start, &edges))
        status = SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    for (uint32_t k = status ? 0 : start[maker]; !status && k < start[maker + 1]; k++) {
        const struct sl_edge edge = a->graph->edges[edges[k]];
        const struct sl_node *before = &a->graph->nodes[edge.from.i];
        if (before->kind == SL_PREFETCH && before->object.i == object)
            continue;
        status = sl_editor_lagged_edge(&a->editor, edge.from.i, fetch, SL_EDGE_ORDERING, object,
                                       edge.lag_ps);
    }
    for (uint32_t n = a->prev[maker]; lane != SL_NONE && n != SL_NONE && !status; n = a->prev[n])
        if (a->graph->nodes[n].lane == lane) {
            status = sl_editor_edge(&a->editor, n, fetch, SL_EDGE_ORDERING, object, NULL);
            break;
        }
    free(start);
    free(edges);
    return status;
}

static enum sl_status add_spill(struct sl_attempt *a, const struct chain *chain, uint32_t at)
{
    const char *object = a->graph->objects[chain->object].name;
    const char *to = a->facts->platform->domain_names.names[chain->tiers[at]];
    const struct sl_route *route;
    uint32_t spill;
    struct move move = {.kind = SL_OFFLOAD,
                        .ahead = SL_NONE,
                        .name = sl_editor_text(&a->editor, "spill:%s:%s", object, to),
                        .what = sl_editor_text(&a->editor, "spill blocks of %s to %s", object, to),
                        .why = "blocks that nobody uses leave when bytes are wanted"};
    enum sl_status status =
        find_route(a, chain->object, chain->tiers[at - 1], chain->tiers[at], &route);
    if (status == SL_OK)
        status = add_node(a, &move, chain->object, route, &spill);
    return status ? status : sl_sequence_insert(a, spill, a->tail, spill);
}

/* The highest tier of the chain to which a route leads from the one at that place, as a place; the
 * one above it where there is none, which will be said. */
static uint32_t next_hop(const struct sl_attempt *a, const struct chain *chain, uint32_t at)
{
    uint32_t to = 0;
    while (to + 1 < at &&
           !sl_platform_route(a->facts->platform, chain->tiers[at], chain->tiers[to]))
        to++;
    return to;
}

/* Names of what a hop says in the plan. */
static struct move hop_move(struct sl_attempt *a, const struct chain *chain, uint32_t origin,
                            uint32_t at, uint32_t to)
{
    const char *const *names = a->facts->platform->domain_names.names;
    const char *object = a->graph->objects[chain->object].name, *from = names[chain->tiers[at]];
    struct move move = {.kind = SL_PREFETCH, .ahead = SL_NONE, .why = "jobs find blocks there"};
    move.name = at == origin ? sl_editor_text(&a->editor, "fetch:%s:%s", object, from)
                             : sl_editor_text(&a->editor, "fetch:%s:%s:%s", object,
                                              names[chain->tiers[origin]], from);
    move.what = to ? sl_editor_text(&a->editor, "fetch blocks of %s from %s to %s", object, from,
                                    names[chain->tiers[to]])
                   : sl_editor_text(&a->editor, "fetch blocks of %s from %s", object, from);
    return move;
}

/* One hop of what was found in the tier at `origin`, from that at `at` to that at `to`, behind the
 * one before it; the first is called for so many jobs `ahead`, as in sl_node. */
static enum sl_status add_hop(struct sl_attempt *a, const struct chain *chain, uint32_t origin,
                              uint32_t at, uint32_t to, uint32_t ahead, uint32_t *fetch)
{
    uint32_t o = chain->object, maker = maker_of(a->graph, o), before = *fetch;
    const struct sl_route *route;
    bool first = at == origin, early = ahead == SL_NONE;
    struct move move = hop_move(a, chain, origin, at, to);
    move.release_ps = early || !first ? 0 : a->graph->nodes[maker].release_ps;
    move.ahead = first ? ahead : SL_NONE;
    enum sl_status status = find_route(a, o, chain->tiers[at], chain->tiers[to], &route);
    if (status == SL_OK)
        status = add_node(a, &move, o, route, fetch);
    if (status == SL_OK && first && !early)
        status = wait_as(a, *fetch, maker, o);
    if (status == SL_OK && !first)
        status = sl_editor_edge(&a->editor, before, *fetch, SL_EDGE_DATA, o, NULL);
    if (status == SL_OK && !to)
        status = sl_editor_edge(&a->editor, *fetch, maker, SL_EDGE_DATA, o, NULL);
    return status ? status : sl_sequence_insert(a, *fetch, a->prev[maker], maker);
}

/* How early its blocks are fetched: as the first rule says that is for it, or else the policy. */
static uint32_t ahead_of(const struct sl_attempt *a, uint32_t object)
{
    const struct sl_rule *rule = sl_rule_for(a->rules, a->graph, object);
    if (!rule)
        rule = &a->rules->items[a->rules->count - 1];
    if (rule->when == &sl_prefetch_asap)
        return SL_NONE;
    return rule->when == &sl_prefetch_lookahead ? (uint32_t)rule->lookahead : 0;
}

static int64_t usable(const struct sl_attempt *a, uint32_t domain)
{
    const struct sl_domain *d = &a->facts->platform->domains[domain];
    return d->capacity < 0 ? INT64_MAX : d->capacity - d->reserve;
}

/* Jobs that fetch hold what they found, and what has come to a tier on the way: where that has less
 * room than the home, for whose bytes jobs are let in, they may hold all of it and want more. */
static void warn_narrow(const struct sl_attempt *a, const struct chain *chain, uint32_t from,
                        uint32_t way)
{
    const struct sl_names *domains = &a->facts->platform->domain_names;
    int64_t home = usable(a, chain->tiers[0]), room = usable(a, chain->tiers[way]);
    char has[32], wants[32];
    if (room < home && home != INT64_MAX)
        sl_policy_warn(
            a->diags, "may-deadlock", a->facts->platform->domains[chain->tiers[way]].place,
            "blocks of '%s' come home from '%s' through '%s', of which %s are usable, "
            "less than the %s of '%s': jobs can hold all of it while each wants more, "
            "and deadlock (it should be no smaller than the home, or a route lead from "
            "'%s' to '%s')",
            a->graph->objects[chain->object].name, domains->names[chain->tiers[from]],
            domains->names[chain->tiers[way]], sl_format_bytes(has, sizeof has, (double)room),
            sl_format_bytes(wants, sizeof wants, (double)home), domains->names[chain->tiers[0]],
            domains->names[chain->tiers[from]], domains->names[chain->tiers[0]]);
}

static enum sl_status arrange(struct sl_attempt *a, const struct chain *chain)
{
    uint32_t ahead = ahead_of(a, chain->object);
    enum sl_status status = SL_OK;
    for (uint32_t t = 1; t < chain->count && status == SL_OK; t++) {
        uint32_t fetch = SL_NONE;
        status = add_spill(a, chain, t);
        for (uint32_t at = t, to; at && status == SL_OK; at = to) {
            to = next_hop(a, chain, at);
            status = add_hop(a, chain, t, at, to, ahead, &fetch);
            if (to)
                warn_narrow(a, chain, t, to);
        }
    }
    return status;
}

static bool spills_to(const struct sl_scenario *scenario, uint32_t tier)
{
    const char *domain = scenario->graph->platform->domain_names.names[tier];
    bool any = scenario->policy_count == 0;
    for (uint32_t p = 0; p < scenario->policy_count && !any; p++)
        any = sl_policy_spills(&scenario->policies[p], domain);
    return any;
}

void sl_shared_check(const struct sl_scenario *scenario, struct sl_diags *diags)
{
    const struct sl_graph *graph = scenario->graph;
    for (uint32_t a = 0; a < scenario->axis_count; a++)
        if (strstr(scenario->axes[a].path, "cache")) /* it may say where to */
            return;
    for (uint32_t o = 0; o < graph->object_count; o++) {
        const struct sl_object *object = &graph->objects[o];
        uint32_t tier;
        if (!is_cache(graph, o))
            continue;
        for (uint32_t k = 1; (tier = sl_object_tier(graph, o, k)) != SL_NONE; k++)
            if (!spills_to(scenario, tier))
                sl_policy_warn(diags, "unused-parameter", object->place,
                               "placement '%s' of '%s' changes nothing: no policy has it in its "
                               "cache.spill, the tiers through which blocks leave",
                               graph->platform->domain_names.names[tier], object->name);
    }
}

/* Each tier that the policy names has to be one of some object. */
static enum sl_status check_names(const struct sl_attempt *a, const char *spill,
                                  const struct sl_policy_spec *policy)
{
    const struct sl_names *domains = &a->facts->platform->domain_names;
    for (uint32_t d = 0; spill && d < domains->count; d++) {
        bool tier = !sl_list_has(spill, domains->names[d]);
        for (uint32_t o = 0; o < a->facts->object_count && !tier; o++) {
            struct chain chain = chain_of(a->graph, o, domains->names[d]);
            tier = is_cache(a->graph, o) && chain.count > 1;
        }
        if (!tier)
            return SL_FAIL_AT(a->err, SL_INVALID, policy->place,
                              "policy '%s': cache.spill: no object that is shared by blocks has "
                              "'%s' among its placements behind its home",
                              policy->name, domains->names[d]);
    }
    return SL_OK;
}

enum sl_status sl_shared_arrange(struct sl_attempt *a, const struct sl_policy_spec *policy)
{
    const struct sl_rule *rule = &a->rules->items[a->rules->count - 1];
    bool drops = rule->spill && strcmp(rule->spill, "none") == 0;
    enum sl_status status = drops ? SL_OK : check_names(a, rule->spill, policy);
    for (uint32_t o = 0; o < a->facts->object_count && !drops && status == SL_OK; o++) {
        struct chain chain = chain_of(a->graph, o, rule->spill);
        if (is_cache(a->graph, o))
            status = arrange(a, &chain);
    }
    if (status == SL_OK)
        sl_sequence_relabel(a);
    return status;
}

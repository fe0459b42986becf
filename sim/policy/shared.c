/* Objects that jobs share by blocks: the nodes by which blocks come home and leave it.
 *
 * For each one that spills, `fetch:OBJECT:TIER` in front of the node that makes what is missing,
 * and `spill:OBJECT:TIER`, which no edge joins to anything, since it runs when a job wants room.
 * Both are made for one block; the engine knows how many there are (doc/semantics.md, "Shared
 * objects"). */
#include "attempt.h"
#include <stdlib.h>
#include <string.h>

bool sl_shared_when(const struct sl_part *when)
{
    return when == &sl_prefetch_demand || when == &sl_prefetch_lookahead ||
           when == &sl_prefetch_asap;
}

/* The lower tier to which the object's blocks leave; SL_NONE: they are dropped. */
static uint32_t spill_tier(const struct sl_graph *graph, uint32_t object, const char *spill)
{
    const struct sl_names *domains = &graph->platform->domain_names;
    uint32_t tier = SL_NONE;
    for (uint32_t k = 1; (tier = sl_object_tier(graph, object, k)) != SL_NONE; k++)
        if (!spill || strcmp(domains->names[tier], spill) == 0)
            break;
    return tier;
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
                          "'%s' to '%s' (or state cache: {spill: none})",
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

static enum sl_status add_node(struct sl_attempt *a, enum sl_node_kind kind, uint32_t object,
                               const struct sl_route *route, uint32_t tier, int64_t release_ps,
                               uint32_t *index)
{
    const struct sl_object *o = &a->graph->objects[object];
    bool fetches = kind == SL_PREFETCH;
    const char *verb = fetches ? "fetch" : "spill";
    const char *domain = a->facts->platform->domain_names.names[tier];
    struct sl_node node = sl_node_default();
    node.name = sl_editor_text(&a->editor, "%s:%s:%s", verb, o->name, domain);
    node.kind = kind;
    node.object.i = object;
    node.release_ps = release_ps;
    node.place = o->place;
    if (!node.name)
        return SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    enum sl_status status = sl_graph_route_node(a->graph, &node, route, o->bytes, a->err);
    if (status == SL_OK)
        status = sl_editor_node(&a->editor, &node, index);
    return status ? status
                  : sl_editor_note(&a->editor, SL_EDIT_ADD_NODE, *index, object,
                                   fetches ? "jobs find blocks there"
                                           : "blocks that nobody uses leave when bytes are wanted",
                                   "%s blocks of %s %s %s", verb, o->name, fetches ? "from" : "to",
                                   domain);
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

/* A fetch in turn waits for all that its maker waits for, but for its resource. */
static enum sl_status wait_as(struct sl_attempt *a, uint32_t fetch, uint32_t maker, uint32_t object)
{
    uint32_t *start, *edges, lane = a->graph->nodes[maker].lane;
    enum sl_status status = SL_OK;
    if (!sl_graph_preds(a->graph, &start, &edges))
        status = SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    for (uint32_t k = status ? 0 : start[maker]; !status && k < start[maker + 1]; k++) {
        const struct sl_edge edge = a->graph->edges[edges[k]];
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

static enum sl_status arrange(struct sl_attempt *a, const struct sl_rule *rule, uint32_t object,
                              uint32_t tier)
{
    uint32_t home = sl_object_home(a->graph, object), maker = maker_of(a->graph, object);
    uint32_t fetch, spill;
    const struct sl_route *in, *out;
    bool early = rule->when == &sl_prefetch_asap;
    enum sl_status status = find_route(a, object, home, tier, &out);
    if (status == SL_OK)
        status = find_route(a, object, tier, home, &in);
    if (status == SL_OK)
        status = add_node(a, SL_OFFLOAD, object, out, tier, 0, &spill);
    if (status == SL_OK)
        status = add_node(a, SL_PREFETCH, object, in, tier,
                          early ? 0 : a->graph->nodes[maker].release_ps, &fetch);
    if (status == SL_OK && !early)
        status = wait_as(a, fetch, maker, object);
    if (status == SL_OK)
        status = sl_editor_edge(&a->editor, fetch, maker, SL_EDGE_DATA, object, NULL);
    if (status == SL_OK)
        status = sl_sequence_insert(a, fetch, a->prev[maker], maker);
    return status ? status : sl_sequence_insert(a, spill, a->tail, spill);
}

static bool spills_to(const struct sl_scenario *scenario, uint32_t object, uint32_t tier)
{
    bool any = scenario->policy_count == 0;
    for (uint32_t p = 0; p < scenario->policy_count && !any; p++)
        any = spill_tier(scenario->graph, object, sl_policy_spill(&scenario->policies[p])) == tier;
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
        if (!object->shared || object->alias_of.i != SL_NONE)
            continue;
        for (uint32_t k = 1; (tier = sl_object_tier(graph, o, k)) != SL_NONE; k++)
            if (!spills_to(scenario, o, tier))
                sl_policy_warn(diags, "unused-parameter", object->place,
                               "placement '%s' of '%s' changes nothing: no policy has it as its "
                               "cache.spill, the one tier to which blocks leave; from there they "
                               "are dropped",
                               graph->platform->domain_names.names[tier], object->name);
    }
}

enum sl_status sl_shared_arrange(struct sl_attempt *a, const struct sl_policy_spec *policy)
{
    const struct sl_rule *rule = &a->rules->items[a->rules->count - 1];
    bool drops = rule->spill && strcmp(rule->spill, "none") == 0, any = drops || !rule->spill;
    enum sl_status status = SL_OK;
    for (uint32_t o = 0; o < a->facts->object_count && !drops && status == SL_OK; o++) {
        const struct sl_object *object = &a->graph->objects[o];
        if (!object->shared || object->alias_of.i != SL_NONE)
            continue;
        uint32_t tier = spill_tier(a->graph, o, rule->spill);
        any |= tier != SL_NONE;
        if (tier != SL_NONE)
            status = arrange(a, rule, o, tier);
    }
    if (status == SL_OK && !any)
        status = SL_FAIL_AT(a->err, SL_INVALID, policy->place,
                            "policy '%s': cache.spill: no object that is shared by blocks has '%s' "
                            "among its placements behind its home",
                            policy->name, rule->spill);
    if (status == SL_OK)
        sl_sequence_relabel(a);
    return status;
}

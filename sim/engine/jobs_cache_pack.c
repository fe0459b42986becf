/* What the plan says of objects that jobs share by blocks: their tiers, who makes, brings, spills
 * and uses them. */
#include "jobs_parts.h"

static enum sl_status refuse(const struct sl_graph *g, const struct job_cache *cache,
                             const char *why, struct sl_error *err)
{
    const struct sl_object *object = &g->objects[cache->object];
    return SL_FAIL_AT(err, SL_NO, object->place, "'%s' is shared by blocks: %s", object->name, why);
}

static enum sl_status add_tier(const struct sl_graph *g, struct job_cache *cache, uint32_t domain,
                               struct sl_error *err)
{
    const struct sl_object *object = &g->objects[cache->object];
    if (cache->tiers == SL_CACHE_TIERS)
        return refuse(g, cache, "it has more than 8 placements", err);
    cache->domain[cache->tiers] = domain;
    cache->spill[cache->tiers] = SL_NONE;
    cache->bytes[cache->tiers++] =
        sl_rounded_bytes(object->bytes, g->platform->domains[domain].rounding);
    return SL_OK;
}

static enum sl_status pack_tiers(const struct sl_graph *g, struct job_cache *cache,
                                 struct sl_error *err)
{
    const struct sl_object *object = &g->objects[cache->object];
    if (sl_object_home(g, cache->object) == SL_NONE)
        return refuse(g, cache, "state the placements in which its blocks may lie", err);
    if (object->size && sl_expr_varies(object->size))
        return refuse(g, cache, "the size of a block cannot vary by job", err);
    enum sl_status status = SL_OK;
    for (uint32_t k = 0, tier; !status && (tier = sl_object_tier(g, cache->object, k)) != SL_NONE;
         k++)
        status = add_tier(g, cache, tier, err);
    return status;
}

static bool lists(const struct sl_graph *g, struct sl_span span, uint32_t object)
{
    for (uint32_t k = 0; k < span.count; k++)
        if (sl_object_root(g, g->objects_pool[span.first + k]).i == object)
            return true;
    return false;
}

static uint32_t tier_of(const struct job_cache *cache, uint32_t domain)
{
    uint32_t tier = 0;
    while (tier < cache->tiers && cache->domain[tier] != domain)
        tier++;
    return tier;
}

static bool has_edges(const struct sl_graph *g, uint32_t node)
{
    return g->pred_start[node] < g->pred_start[node + 1] ||
           g->succ_start[node] < g->succ_start[node + 1];
}

/* ---- moves ----------------------------------------------------------------------------------- */

static bool moves_it(const struct sl_graph *g, const struct job_cache *cache, uint32_t i,
                     enum sl_node_kind kind)
{
    const struct sl_node *node = &g->nodes[i];
    return node->kind == kind && node->object.i != SL_NONE &&
           sl_object_root(g, node->object).i == cache->object;
}

/* The tier in which what the node fetches was found: where the fetches that it follows begin. */
static uint32_t origin_of(const struct sl_graph *g, const struct job_cache *cache, uint32_t i)
{
    for (uint32_t e = g->pred_start[i]; e < g->pred_start[i + 1]; e++) {
        uint32_t before = g->edges[g->pred_edges[e]].from.i;
        if (moves_it(g, cache, before, SL_PREFETCH) && g->nodes[before].to == g->nodes[i].from)
            return origin_of(g, cache, before);
    }
    return tier_of(cache, g->nodes[i].from);
}

static enum sl_status add_hop(const struct sl_graph *g, struct job_cache *cache, uint32_t i,
                              struct cache_use *use, struct sl_error *err)
{
    use->tier = origin_of(g, cache, i);
    if (use->tier == cache->tiers)
        return refuse(g, cache, "a node moves it from where it never is", err);
    for (uint32_t k = 0; k < cache->hop_count; k++)
        if (cache->hops[k].tier == use->tier &&
            tier_of(cache, g->nodes[cache->hops[k].node].from) == use->from)
            return refuse(g, cache, "two nodes fetch the same blocks from the same domain", err);
    if (use->from == use->tier && cache->called && g->nodes[i].ahead != cache->ahead)
        return refuse(g, cache, "its fetches from different tiers are not called together", err);
    if (use->from == use->tier) {
        cache->called = true;
        cache->ahead = g->nodes[i].ahead;
    }
    cache->hops[cache->hop_count++] = (struct cache_hop){i, use->tier};
    return SL_OK;
}

/* A move of blocks: a prefetch to a higher tier, in a job, or an offload to a lower one, outside of
 * jobs. */
static enum sl_status pack_move(const struct sl_graph *g, struct job_cache *cache, uint32_t i,
                                struct cache_use *use, struct sl_error *err)
{
    const struct sl_node *node = &g->nodes[i];
    bool spill = node->kind == SL_OFFLOAD;
    use->from = tier_of(cache, node->from);
    use->to = tier_of(cache, node->to);
    use->role = spill ? CACHE_SPILL : CACHE_FETCH;
    bool down = use->from < use->to, inside = use->from < cache->tiers && use->to < cache->tiers;
    if (!inside || down != spill || !sl_platform_route(g->platform, node->from, node->to))
        return refuse(g, cache,
                      "a prefetch moves it along a route to a placement that is before that in "
                      "which it was, and an offload to one behind it",
                      err);
    if (!spill)
        return add_hop(g, cache, i, use, err);
    if (cache->spill[use->from] != SL_NONE)
        return refuse(g, cache, "two nodes spill it from the same domain", err);
    cache->spill[use->from] = i;
    cache->below[use->from] = use->to;
    if (has_edges(g, i) || node->guards.count)
        return refuse(g, cache, "the node that spills its blocks belongs to no job", err);
    return SL_OK;
}

/* The hop of what was found in `tier` that leaves `from`; SL_NONE. */
static uint32_t hop_from(const struct sl_graph *g, const struct job_cache *cache, uint32_t tier,
                         uint32_t from)
{
    for (uint32_t k = 0; k < cache->hop_count; k++)
        if (cache->hops[k].tier == tier &&
            tier_of(cache, g->nodes[cache->hops[k].node].from) == from)
            return cache->hops[k].node;
    return SL_NONE;
}

/* Spills lead from the home from tier to tier, and fetches from each of those back. */
static enum sl_status pack_chain(const struct sl_graph *g, struct job_cache *cache,
                                 struct sl_error *err)
{
    uint32_t spills = 0, hops = 0;
    for (uint32_t t = 0; cache->spill[t] != SL_NONE; t = cache->below[t]) {
        uint32_t below = cache->below[t];
        cache->depth[below] = ++spills;
        for (uint32_t at = below; at; hops++) {
            uint32_t node = hop_from(g, cache, below, at);
            if (node == SL_NONE)
                return refuse(g, cache, "what is spilled must be brought back by prefetches", err);
            at = tier_of(cache, g->nodes[node].to);
        }
    }
    for (uint32_t t = 0; t < cache->tiers; t++)
        spills -= cache->spill[t] != SL_NONE;
    if (spills || hops != cache->hop_count)
        return refuse(g, cache, "a node moves it from where it never is", err);
    return SL_OK;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Whether and how a node mentions it; *mentions false: not at all. */
static enum sl_status pack_use(const struct sl_graph *g, struct job_cache *cache, uint32_t i,
                               struct cache_use *use, bool *mentions, struct sl_error *err)
{
    const struct sl_node *node = &g->nodes[i];
    *mentions = true;
    use->role = CACHE_USE;
    if (node->object.i != SL_NONE && sl_object_root(g, node->object).i == cache->object) {
        if (node->kind == SL_PREFETCH || node->kind == SL_OFFLOAD)
            return pack_move(g, cache, i, use, err);
        return refuse(g, cache, "no other node than a prefetch or an offload may move or hold it",
                      err);
    }
    if (lists(g, node->outputs, cache->object)) {
        if (cache->maker != SL_NONE)
            return refuse(g, cache, "two nodes make it", err);
        cache->maker = i;
        use->role = CACHE_MAKE;
    } else {
        *mentions = lists(g, node->inputs, cache->object);
    }
    return SL_OK;
}

static enum sl_status pack_cache(struct sl_jobs_program *p, uint32_t c, struct sl_error *err)
{
    const struct sl_graph *g = p->base->graph;
    struct job_cache *cache = &p->caches[c];
    enum sl_status status = pack_tiers(g, cache, err);
    for (uint32_t i = 0; !status && i < p->n; i++) {
        struct cache_use use = {.cache = c};
        bool mentions;
        status = pack_use(g, cache, i, &use, &mentions, err);
        if (status || !mentions)
            continue;
        p->cache_uses[(size_t)i * p->cache_count + p->cache_use_count[i]++] = use;
        cache->mentions += use.role != CACHE_SPILL;
    }
    if (status)
        return status;
    if (cache->maker == SL_NONE)
        return refuse(g, cache, "no node makes it", err);
    if ((status = pack_chain(g, cache, err)))
        return status;
    for (uint32_t h = 0; h < g->holding_count; h++)
        if (g->holdings[h].object.i != SL_NONE &&
            sl_object_root(g, g->holdings[h].object).i == cache->object)
            return refuse(g, cache, "the plan holds it for a job of its own", err);
    return SL_OK;
}

/* ---- what depends on their counts ------------------------------------------------------------ */

static bool uses_counts(const struct sl_expr *expr, const struct job_cache *cache)
{
    for (uint32_t v = 0; expr && v < SL_CACHE_VALUES(cache->tiers); v++)
        if (sl_expr_uses(expr, cache->first_value + v))
            return true;
    return false;
}

static bool mentions(const struct sl_jobs_program *p, uint32_t node, uint32_t cache)
{
    const struct cache_use *uses = job_cache_uses(p, node);
    for (uint32_t k = 0; k < p->cache_use_count[node]; k++)
        if (uses[k].cache == cache && uses[k].role != CACHE_SPILL)
            return true;
    return false;
}

/* Counts are known when a node that mentions the object is ready; the duration of others, and
 * sizes, cannot depend on them. */
static enum sl_status check_counts(struct sl_jobs_program *p, uint32_t c, struct sl_error *err)
{
    const struct sl_graph *g = p->base->graph;
    for (uint32_t k = 0; k < p->times_count; k++) {
        const struct sl_node *node = &g->nodes[p->times[k].node];
        if (!uses_counts(node->times, &p->caches[c]))
            continue;
        if (!mentions(p, p->times[k].node, c))
            return SL_FAIL_AT(
                err, SL_NO, node->place,
                "the duration of '%s' depends on counts of '%s', so it has to have it "
                "among its inputs or outputs",
                node->name, g->objects[p->caches[c].object].name);
        p->times[k].late = p->any_late = true;
    }
    for (uint32_t o = 0; o < g->object_count; o++)
        if (uses_counts(g->objects[o].size, &p->caches[c]))
            return SL_FAIL_AT(err, SL_NO, g->objects[o].place,
                              "the size of '%s' cannot depend on counts of '%s'",
                              g->objects[o].name, g->objects[p->caches[c].object].name);
    return SL_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Spills are of no job: there they have passed. */
static void set_apart(struct sl_jobs_program *p, uint32_t spill)
{
    struct sl_program *base = p->base;
    uint32_t kept = 0;
    p->template[spill].phase = PHASE_PASSED;
    p->template[spill].skip = RUN_SKIP;
    p->job_nodes--;
    for (uint32_t k = 0; k < base->root_count; k++)
        if (base->roots[k] != spill)
            base->roots[kept++] = base->roots[k];
    base->root_count = kept;
}

static void set_spills_apart(struct sl_jobs_program *p)
{
    for (uint32_t c = 0; c < p->cache_count; c++)
        for (uint32_t t = 0; t < p->caches[c].tiers; t++)
            if (p->caches[c].spill[t] != SL_NONE)
                set_apart(p, p->caches[c].spill[t]);
}

enum sl_status sl_jobs_cache_pack(struct sl_jobs_program *p, struct sl_error *err)
{
    const struct sl_graph *g = p->base->graph;
    p->job_nodes = p->n;
    p->value_count = p->options.parameter_count;
    for (uint32_t o = 0; o < g->object_count; o++)
        p->cache_count += g->objects[o].shared && g->objects[o].alias_of.i == SL_NONE;
    if (!p->cache_count)
        return SL_OK;
    p->caches = sl_arena_array(&p->arena, p->cache_count, sizeof *p->caches);
    p->cache_use_count = sl_arena_array(&p->arena, p->n, sizeof *p->cache_use_count);
    p->cache_uses = sl_arena_array(&p->arena, (size_t)p->n * p->cache_count, sizeof *p->cache_uses);
    if (!p->caches || !p->cache_use_count || !p->cache_uses)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t o = 0, c = 0; o < g->object_count; o++) {
        if (!g->objects[o].shared || g->objects[o].alias_of.i != SL_NONE)
            continue;
        struct job_cache *cache = &p->caches[c];
        *cache = (struct job_cache){.object = o, .maker = SL_NONE, .ahead = SL_NONE};
        enum sl_status status = pack_cache(p, c++, err);
        if (status)
            return status;
        cache->first_value = p->value_count;
        p->value_count += SL_CACHE_VALUES(cache->tiers);
        if ((status = check_counts(p, c - 1, err)))
            return status;
    }
    set_spills_apart(p);
    return SL_OK;
}

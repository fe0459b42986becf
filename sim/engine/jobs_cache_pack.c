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
    cache->fetch[cache->tiers] = SL_NONE;
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

/* A move of blocks: a prefetch to the home, in a job, or an offload from it, outside of jobs. */
static enum sl_status pack_move(const struct sl_graph *g, struct job_cache *cache, uint32_t i,
                                struct cache_use *use, struct sl_error *err)
{
    const struct sl_node *node = &g->nodes[i];
    bool spill = node->kind == SL_OFFLOAD;
    use->tier = tier_of(cache, spill ? node->to : node->from);
    use->role = spill ? CACHE_SPILL : CACHE_FETCH;
    if ((spill ? node->from : node->to) != cache->domain[0] || !use->tier ||
        use->tier == cache->tiers || !sl_platform_route(g->platform, node->from, node->to))
        return refuse(g, cache, "it moves along a route between its home and another placement",
                      err);
    uint32_t *slot = spill ? &cache->spill : &cache->fetch[use->tier];
    if (*slot != SL_NONE)
        return refuse(g, cache, "two nodes move it from and to the same domains", err);
    *slot = i;
    if (!spill)
        return SL_OK;
    cache->spill_tier = use->tier;
    if (has_edges(g, i) || node->guards.count)
        return refuse(g, cache, "the node that spills its blocks belongs to no job", err);
    return SL_OK;
}

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
    if (cache->spill != SL_NONE && cache->fetch[cache->spill_tier] == SL_NONE)
        return refuse(g, cache, "what is spilled must be brought back by a prefetch", err);
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
static void set_spills_apart(struct sl_jobs_program *p)
{
    struct sl_program *base = p->base;
    for (uint32_t c = 0; c < p->cache_count; c++) {
        uint32_t spill = p->caches[c].spill, kept = 0;
        if (spill == SL_NONE)
            continue;
        p->template[spill].phase = PHASE_PASSED;
        p->template[spill].skip = RUN_SKIP;
        p->job_nodes--;
        for (uint32_t k = 0; k < base->root_count; k++)
            if (base->roots[k] != spill)
                base->roots[kept++] = base->roots[k];
        base->root_count = kept;
    }
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
        *cache = (struct job_cache){.object = o, .maker = SL_NONE, .spill = SL_NONE};
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

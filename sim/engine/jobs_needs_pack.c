/* The claims of a plan on the domain by which jobs are admitted, the chains that they form, and the
 * list of every node. */
#include "guards.h"
#include "jobs_parts.h"
#include "sort.h"
#include "units.h"
#include <stdlib.h>
#include <string.h>

enum {
    MOST_NODES = 1 << 14, /* whose precedence is kept as a bit each */
    MOST_ITEMS = 1 << 23, /* of all lists */
    WORD_BITS = 64
};

/* A claim begins with one of its takers and is over before a node that comes behind one of its
 * closers; behind all of them, where it has `all`. */
struct plan_claim {
    struct job_claim claim;
    const uint32_t *takers, *closers;
    uint32_t taker_count, closer_count;
    bool all;
    uint32_t first, index; /* position in topological order of the first taker; among all claims */
};

struct packing {
    struct sl_jobs_program *p;
    struct sl_arena arena;
    uint32_t domain, words;
    uint64_t *before; /* per node a row of bits: the nodes that have passed before it starts */
    uint32_t *position;
    struct plan_claim *claims;
    uint32_t count;
    uint32_t *pool; /* where takers and closers are put */
};

/* ---- precedence ------------------------------------------------------------------------------ */

static bool is_before(const struct packing *k, uint32_t a, uint32_t b)
{
    return k->before[(size_t)b * k->words + a / WORD_BITS] >> a % WORD_BITS & 1;
}

static void add_before(struct packing *k, uint32_t node, uint32_t earlier)
{
    uint64_t *row = k->before + (size_t)node * k->words;
    const uint64_t *from = k->before + (size_t)earlier * k->words;
    for (uint32_t v = 0; v < k->words; v++)
        row[v] |= from[v];
    row[earlier / WORD_BITS] |= UINT64_C(1) << earlier % WORD_BITS;
}

static void order_nodes(struct packing *k)
{
    const struct sl_program *base = k->p->base;
    const struct sl_graph *g = base->graph;
    for (uint32_t t = 0; t < base->n; t++) {
        uint32_t i = g->topo[t];
        k->position[i] = t;
        for (uint32_t e = g->pred_start[i]; e < g->pred_start[i + 1]; e++)
            add_before(k, i, g->edges[g->pred_edges[e]].from.i);
        if (base->lane_before[i] != SL_NONE)
            add_before(k, i, base->lane_before[i]);
    }
}

static bool over_before(const struct packing *k, const struct plan_claim *claim, uint32_t node)
{
    for (uint32_t c = 0; c < claim->closer_count; c++)
        if (is_before(k, claim->closers[c], node) != claim->all)
            return !claim->all;
    return claim->all;
}

static bool begins_after(const struct packing *k, const struct plan_claim *claim, uint32_t node)
{
    for (uint32_t t = 0; t < claim->taker_count; t++)
        if (!is_before(k, node, claim->takers[t]))
            return false;
    return true;
}

static bool precedes(const struct packing *k, const struct plan_claim *a,
                     const struct plan_claim *b)
{
    for (uint32_t t = 0; t < b->taker_count; t++)
        if (!over_before(k, a, b->takers[t]))
            return false;
    return true;
}

/* ---- claims ---------------------------------------------------------------------------------- */

/* Its takers and closers stand at the pool's free end. */
static void add_claim(struct packing *k, struct plan_claim claim)
{
    const uint32_t *end = claim.closers + claim.closer_count, *taken = claim.takers;
    claim.first = UINT32_MAX;
    for (uint32_t t = 0; t < claim.taker_count; t++)
        if (k->position[taken[t]] < claim.first)
            claim.first = k->position[taken[t]];
    claim.index = k->count;
    k->claims[k->count++] = claim;
    k->pool += end - k->pool;
}

static int64_t workspace_of(const struct packing *k, uint32_t i)
{
    const struct sl_program *base = k->p->base;
    int64_t bytes = 0;
    for (uint32_t a = 0; a < base->amount[i].count; a++) {
        const struct amount *amount = &base->amounts[base->amount[i].first + a];
        if (amount->domain == k->domain && amount->holding == SL_NONE)
            bytes = job_bytes_add(bytes, amount->bytes);
    }
    return bytes;
}

static void add_workspaces(struct packing *k)
{
    for (uint32_t i = 0; i < k->p->n; i++) {
        int64_t bytes = workspace_of(k, i);
        if (!bytes)
            continue;
        k->pool[0] = i;
        add_claim(k, (struct plan_claim){.claim = {bytes, SL_NONE, SL_NONE, 0, false},
                                         .takers = k->pool,
                                         .closers = k->pool,
                                         .taker_count = 1,
                                         .closer_count = 1});
    }
}

static bool fetches(const struct sl_jobs_program *p, uint32_t node)
{
    for (uint32_t u = 0; p->cache_count && u < p->cache_use_count[node]; u++)
        if (job_cache_uses(p, node)[u].role == CACHE_FETCH)
            return true;
    return false;
}

/* Whoever took the holding, that giver gives it back, and nobody takes it again: each taker is the
 * giver itself or comes before it, and where it runs, the giver does. */
static bool closes(const struct packing *k, uint32_t giver, const struct plan_claim *claim,
                   bool staging)
{
    const struct sl_graph *g = k->p->base->graph;
    for (uint32_t t = 0; t < claim->taker_count; t++) {
        uint32_t taker = claim->takers[t];
        if (taker == giver)
            continue;
        bool runs = !fetches(k->p, giver) && sl_guards_include(g, taker, giver);
        if (!is_before(k, taker, giver) || !(runs || staging))
            return false;
    }
    return true;
}

static bool is_sized(const struct sl_jobs_program *p, uint32_t holding)
{
    bool sized = false;
    for (uint32_t s = 0; s < p->sized_count && !sized; s++)
        sized = p->sized[s] == holding;
    return sized;
}

/* Its takers stand at the pool's free end. */
static void add_holding(struct packing *k, uint32_t h, uint32_t takers)
{
    const struct sl_program *base = k->p->base;
    bool staging = base->graph->holdings[h].kind == SL_HOLD_STAGING;
    uint32_t *closers = k->pool + takers;
    struct plan_claim claim = {
        .claim = {base->holding_bytes[h], is_sized(k->p, h) ? h : SL_NONE, SL_NONE, 0, false},
        .takers = k->pool,
        .closers = closers,
        .taker_count = takers};
    for (uint32_t n = 0; n < base->giver[h].count; n++) {
        uint32_t giver = base->givers[base->giver[h].first + n];
        if (closes(k, giver, &claim, staging))
            closers[claim.closer_count++] = giver;
    }
    add_claim(k, claim);
}

/* Holdings that are there at the start belong to no job. */
static void add_holdings(struct packing *k)
{
    const struct sl_program *base = k->p->base;
    for (uint32_t h = 0; h < base->graph->holding_count; h++) {
        uint32_t takers = 0;
        if (base->graph->holdings[h].domain != k->domain || base->graph->holdings[h].initial)
            continue;
        for (uint32_t i = 0; i < base->n; i++)
            for (uint32_t a = 0; a < base->amount[i].count; a++)
                if (base->amounts[base->amount[i].first + a].holding == h)
                    k->pool[takers++] = i;
        if (takers)
            add_holding(k, h, takers);
    }
}

/* As many bytes as the job's blocks have in that tier, until all nodes that mention the object, or
 * all that fetch it to there, have passed. */
static void add_blocks(struct packing *k, uint32_t c, uint32_t tier, bool fetched)
{
    const struct sl_jobs_program *p = k->p;
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t u = 0; u < p->cache_use_count[i]; u++) {
            const struct cache_use *use = &job_cache_uses(p, i)[u];
            if (use->cache == c &&
                (fetched ? use->role == CACHE_FETCH && use->to == tier : use->role != CACHE_SPILL))
                k->pool[count++] = i;
        }
    if (count)
        add_claim(k,
                  (struct plan_claim){.claim = {p->caches[c].bytes[tier], SL_NONE, c, 0, fetched},
                                      .takers = k->pool,
                                      .closers = k->pool,
                                      .taker_count = count,
                                      .closer_count = count,
                                      .all = true});
}

static void add_caches(struct packing *k)
{
    for (uint32_t c = 0; c < k->p->cache_count; c++)
        for (uint32_t t = 0; t < k->p->caches[c].tiers; t++) {
            if (k->p->caches[c].domain[t] != k->domain)
                continue;
            add_blocks(k, c, t, false);
            add_blocks(k, c, t, true); /* what it fetches may have come meanwhile, and be twice */
        }
}

/* ---- chains and lists ------------------------------------------------------------------------ */

static int by_first_taker(const void *left, const void *right)
{
    const struct plan_claim *a = left, *b = right;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static int by_chain(const void *left, const void *right)
{
    const struct plan_claim *a = left, *b = right;
    if (a->claim.chain != b->claim.chain)
        return a->claim.chain < b->claim.chain ? -1 : 1;
    return by_first_taker(left, right);
}

/* Each claim goes behind the first chain whose last claim precedes it, or begins another one. */
static bool form_chains(struct packing *k)
{
    uint32_t chains = 0;
    const struct plan_claim **last = sl_arena_array(&k->arena, (size_t)k->count + 1, sizeof *last);
    if (!last)
        return false;
    sl_sort(k->claims, k->count, sizeof *k->claims, by_first_taker);
    for (uint32_t c = 0; c < k->count; c++) {
        uint32_t chain = 0;
        while (chain < chains && !precedes(k, last[chain], &k->claims[c]))
            chain++;
        chains += chain == chains;
        last[chain] = &k->claims[c];
        k->claims[c].claim.chain = chain;
    }
    sl_sort(k->claims, k->count, sizeof *k->claims, by_chain);
    return true;
}

/* The list with the items that stand behind all others; an equal one that there is already serves.
 */
static void put_list(struct job_needs *needs, uint32_t node, uint32_t first, uint32_t count)
{
    uint32_t l = 0;
    while (l < needs->list_count &&
           (needs->lists[l].count != count ||
            (count && memcmp(needs->items + needs->lists[l].first, needs->items + first,
                             count * sizeof *needs->items) != 0)))
        l++;
    if (l == needs->list_count)
        needs->lists[needs->list_count++] = (struct range){first, count};
    needs->list[node] = l;
    needs->left[l]++;
}

static enum sl_status form_lists(struct packing *k, struct sl_error *err)
{
    struct job_needs *needs = &k->p->needs;
    uint64_t count = 0;
    for (uint32_t i = 0; i < k->p->n; i++) {
        needs->list[i] = SL_NONE;
        if (k->p->template[i].phase == PHASE_PASSED)
            continue; /* a spill */
        uint64_t first = count;
        if (!sl_grow((void **)&needs->items, &needs->item_places, (uint32_t)first + k->count,
                     sizeof *needs->items))
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
        for (uint32_t c = 0; c < k->count; c++)
            if (!over_before(k, &k->claims[c], i) && !begins_after(k, &k->claims[c], i))
                needs->items[count++] = c;
        uint32_t lists = needs->list_count;
        put_list(needs, i, (uint32_t)first, (uint32_t)(count - first));
        if (needs->list_count == lists)
            count = first;
        if (count + k->count > MOST_ITEMS)
            return SL_FAIL(
                err, SL_NO, "admission by memory: %u claims on '%s' of %u nodes are too many",
                k->count, k->p->base->graph->platform->domain_names.names[k->domain], k->p->n);
    }
    return SL_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool open_packing(struct packing *k, struct sl_jobs_program *p)
{
    const struct sl_program *base = p->base;
    uint64_t claims = (uint64_t)p->n + base->graph->holding_count + 2 * (uint64_t)p->cache_count;
    uint64_t nodes = p->n + 2 * (uint64_t)p->n * p->cache_count;
    for (uint32_t i = 0; i < p->n; i++)
        nodes += base->amount[i].count + base->gives[i].count;
    k->p = p;
    k->domain = p->options.memory;
    k->words = (p->n + WORD_BITS - 1) / WORD_BITS;
    k->before = sl_arena_array(&k->arena, (size_t)p->n * k->words, sizeof *k->before);
    k->position = sl_arena_array(&k->arena, p->n, sizeof *k->position);
    k->claims = sl_arena_array(&k->arena, claims + 1, sizeof *k->claims);
    k->pool = sl_arena_array(&k->arena, nodes + 1, sizeof *k->pool);
    struct job_needs *needs = &p->needs;
    needs->lists = sl_arena_array(&p->arena, p->n, sizeof *needs->lists);
    needs->list = sl_arena_array(&p->arena, p->n, sizeof *needs->list);
    needs->left = sl_arena_array(&p->arena, p->n, sizeof *needs->left);
    needs->bytes = sl_arena_array(&p->arena, p->n, sizeof *needs->bytes);
    return k->before && k->position && k->claims && k->pool && needs->lists && needs->list &&
           needs->left && needs->bytes;
}

static bool keep_claims(struct packing *k)
{
    struct job_needs *needs = &k->p->needs;
    needs->claims = sl_arena_array(&k->p->arena, (size_t)k->count + 1, sizeof *needs->claims);
    for (uint32_t c = 0; needs->claims && c < k->count; c++) {
        needs->claims[c] = k->claims[c].claim;
        needs->varies |= needs->claims[c].holding != SL_NONE || needs->claims[c].cache != SL_NONE;
    }
    return needs->claims != NULL;
}

/* What all jobs need alike, and whether there is as much. */
static enum sl_status check_needs(struct sl_jobs_program *p, struct sl_error *err)
{
    struct job_needs *needs = &p->needs;
    const struct sl_program *base = p->base;
    int64_t most = 0, room = base->domain_limit[needs->domain] - base->initial_level[needs->domain];
    for (uint32_t l = 0; l < needs->list_count && !needs->varies; l++) {
        needs->bytes[l] = sl_jobs_needs_of(p, l, NULL, NULL, false);
        most = needs->bytes[l] > most ? needs->bytes[l] : most;
    }
    if (most <= room)
        return SL_OK;
    char needed[32], usable[32];
    sl_format_bytes(needed, sizeof needed, (double)most);
    sl_format_bytes(usable, sizeof usable, (double)room);
    return SL_FAIL(err, SL_NO,
                   "admission by memory: a job may need %s of '%s' at once, and %s are usable, so "
                   "that none could be admitted",
                   needed, base->graph->platform->domain_names.names[needs->domain], usable);
}

static enum sl_status check_caches(const struct sl_jobs_program *p, struct sl_error *err)
{
    for (uint32_t c = 0; c < p->cache_count; c++)
        for (uint32_t t = 0; t < p->caches[c].tiers; t++)
            if (p->caches[c].domain[t] == p->needs.domain &&
                p->options.engine.cache_order == SL_CACHE_NONE)
                return SL_FAIL(err, SL_NO,
                               "admission by memory: blocks of '%s' never leave '%s', so that a "
                               "job's own blocks are not all that it needs there",
                               p->base->graph->objects[p->caches[c].object].name,
                               p->base->graph->platform->domain_names.names[p->needs.domain]);
    return SL_OK;
}

enum sl_status sl_jobs_needs_pack(struct sl_jobs_program *p, struct sl_error *err)
{
    struct packing k = {0};
    if (!p->options.by_memory)
        return SL_OK;
    p->needs.on = true;
    p->needs.domain = p->options.memory;
    enum sl_status status = check_caches(p, err);
    if (status)
        return status;
    if (p->n > MOST_NODES)
        return SL_FAIL(err, SL_NO, "admission by memory is for plans of up to %d nodes, not %u",
                       MOST_NODES, p->n);
    if (!open_packing(&k, p))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (!status) {
        order_nodes(&k);
        add_workspaces(&k);
        add_holdings(&k);
        add_caches(&k);
        status = form_chains(&k) && keep_claims(&k) ? form_lists(&k, err)
                                                    : SL_FAIL(err, SL_SYSTEM, "out of memory");
    }
    sl_arena_free(&k.arena);
    return status ? status : check_needs(p, err);
}

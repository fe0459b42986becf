/* Packing capacity: what bytes a node must find at its start and what it gives back. */
#include "evictor.h"
#include "program.h"
#include <stdlib.h>

static enum sl_status pack_domains(struct sl_program *p, struct sl_error *err)
{
    const struct sl_platform *platform = p->graph->platform;
    p->domain_limit = sl_arena_array(&p->arena, p->domain_count + 1, sizeof *p->domain_limit);
    p->initial_level = sl_arena_array(&p->arena, p->domain_count + 1, sizeof *p->initial_level);
    if (!p->domain_limit || !p->initial_level)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t m = 0; m < p->domain_count; m++) {
        const struct sl_domain *domain = &platform->domains[m];
        p->domain_limit[m] = domain->capacity < 0 ? INT64_MAX : domain->capacity - domain->reserve;
    }
    return SL_OK;
}

static enum sl_status pack_holdings(struct sl_program *p, struct sl_error *err)
{
    const struct sl_graph *g = p->graph;
    double total = 0;
    p->holding_bytes = sl_arena_array(&p->arena, g->holding_count + 1, sizeof *p->holding_bytes);
    if (!p->holding_bytes)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t h = 0; h < g->holding_count; h++) {
        const struct sl_holding *holding = &g->holdings[h];
        if (holding->domain >= p->domain_count || holding->bytes < 0)
            return SL_FAIL(err, SL_INVALID, "holding %u has no domain or negative bytes", h);
        total += (double)holding->bytes;
        if (total > 0x1p61)
            return SL_FAIL(err, SL_INVALID, "the bytes of all holdings exceed 2^61");
        p->holding_bytes[h] =
            holding->kind == SL_HOLD_OBJECT
                ? sl_rounded_bytes(holding->bytes, g->platform->domains[holding->domain].rounding)
                : holding->bytes;
        if (holding->initial)
            p->initial_level[holding->domain] += p->holding_bytes[h];
    }
    for (uint32_t m = 0; m < p->domain_count; m++)
        if (p->initial_level[m] > p->domain_limit[m])
            return SL_FAIL(err, SL_NO,
                           "what domain '%s' holds at the start (%lld bytes) exceeds its capacity "
                           "less reserve (%lld bytes)",
                           g->platform->domain_names.names[m], (long long)p->initial_level[m],
                           (long long)p->domain_limit[m]);
    return SL_OK;
}

static void insert_amount(struct sl_program *p, struct range *range, struct amount amount)
{
    uint32_t at = range->first + range->count++;
    for (; at > range->first && p->amounts[at - 1].domain > amount.domain; at--)
        p->amounts[at] = p->amounts[at - 1];
    p->amounts[at] = amount;
}

static bool mentions_shared(const struct sl_graph *g, const struct sl_node *node)
{
    const struct sl_span lists[] = {node->inputs, node->outputs};
    bool shared = node->object.i != SL_NONE && g->objects[sl_object_root(g, node->object).i].shared;
    for (size_t l = 0; l < 2; l++)
        for (uint32_t k = 0; k < lists[l].count; k++)
            shared |= g->objects[sl_object_root(g, g->objects_pool[lists[l].first + k]).i].shared;
    return shared;
}

static enum sl_status pack_node_bytes(struct sl_program *p, uint32_t i, uint32_t first,
                                      struct sl_error *err)
{
    const struct sl_graph *g = p->graph;
    const struct sl_node *node = &g->nodes[i];
    if (node->workspace.count || node->takes.count) /* pages that stay zero take no memory */
        p->amount[i].first = first;
    for (uint32_t k = 0; k < node->workspace.count; k++) {
        const struct sl_amount *want = &g->amounts[node->workspace.first + k];
        if (want->domain >= p->domain_count || want->bytes < 0 || want->bytes > INT64_MAX >> 2)
            return SL_FAIL_AT(err, SL_INVALID, node->place, "the workspace of '%s' is wrong",
                              node->name);
        if (want->bytes)
            insert_amount(p, &p->amount[i],
                          (struct amount){want->bytes, want->domain, SL_NONE, PART_WORKSPACE});
    }
    for (uint32_t k = 0; k < node->takes.count; k++) {
        uint32_t h = g->holdings_pool[node->takes.first + k];
        if (h >= g->holding_count)
            return SL_FAIL_AT(err, SL_INVALID, node->place, "'%s' takes an unknown holding",
                              node->name);
        insert_amount(
            p, &p->amount[i],
            (struct amount){p->holding_bytes[h], g->holdings[h].domain, h,
                            g->holdings[h].kind == SL_HOLD_STAGING ? PART_STAGING : PART_OBJECTS});
    }
    for (uint32_t k = 0; k < node->gives.count; k++)
        if (g->holdings_pool[node->gives.first + k] >= g->holding_count)
            return SL_FAIL_AT(err, SL_INVALID, node->place, "'%s' gives an unknown holding",
                              node->name);
    if (p->amount[i].count)
        p->hot[i].flags |= NODE_BYTES;
    if (node->gives.count) {
        p->gives[i] = (struct range){node->gives.first, node->gives.count};
        p->hot[i].flags |= NODE_GIVES;
    }
    if (mentions_shared(g, node))
        p->hot[i].flags |= NODE_SHARED | NODE_BYTES | NODE_GIVES | NODE_TAKES | NODE_VARIES;
    p->log_places += p->amount[i].count + node->gives.count + 1;
    return SL_OK;
}

/* What a node has to find is always the same where nobody else takes its holdings, before or in its
 * stead, and none may leave while running. */
static bool pack_needs(struct sl_program *p)
{
    uint32_t *takers = calloc((size_t)p->graph->holding_count + 1, sizeof *takers);
    for (uint32_t i = 0; takers && i < p->n; i++)
        for (uint32_t k = 0; k < p->amount[i].count; k++) {
            uint32_t h = p->amounts[p->amount[i].first + k].holding;
            if (h != SL_NONE)
                takers[h] += 1 + p->graph->holdings[h].initial;
        }
    for (uint32_t i = 0; takers && i < p->n; i++) {
        const struct amount *amounts = p->amounts + p->amount[i].first;
        bool varies = p->evictor != NULL;
        for (uint32_t k = 0; k < p->amount[i].count; k++) {
            varies |= amounts[k].domain != amounts[0].domain;
            if (amounts[k].holding != SL_NONE)
                p->hot[i].flags |= NODE_TAKES;
            varies |= amounts[k].holding != SL_NONE && takers[amounts[k].holding] > 1;
            p->need[i].bytes += amounts[k].bytes;
            p->need[i].domain = amounts[0].domain;
        }
        if (varies)
            p->hot[i].flags |= NODE_VARIES;
    }
    free(takers);
    return takers != NULL;
}

/* Who gives each holding back, for the report of a deadlock. */
static bool pack_givers(struct sl_program *p)
{
    uint32_t holdings = p->graph->holding_count, at = 0;
    uint64_t total = 0;
    for (uint32_t i = 0; i < p->n; i++)
        total += p->gives[i].count;
    p->giver = sl_arena_array(&p->arena, (size_t)holdings + 1, sizeof *p->giver);
    p->givers = sl_arena_array(&p->arena, total + 1, sizeof *p->givers);
    if (!p->giver || !p->givers)
        return false;
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t k = 0; k < p->gives[i].count; k++)
            p->giver[p->give_holdings[p->gives[i].first + k]].count++;
    for (uint32_t h = 0; h < holdings; h++) {
        p->giver[h].first = at;
        at += p->giver[h].count;
        p->giver[h].count = 0;
    }
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t k = 0; k < p->gives[i].count; k++) {
            struct range *range = &p->giver[p->give_holdings[p->gives[i].first + k]];
            p->givers[range->first + range->count++] = i;
        }
    return true;
}

/* Nodes that have to do with copies that may leave; a copy may be given back more than once a pass.
 */
static void flag_evictions(struct sl_program *p)
{
    for (uint32_t i = p->planned; i < p->n; i++)
        p->hot[i].flags |= NODE_EVICT | NODE_LATENT;
    if (!p->evictor)
        return;
    for (uint32_t i = 0; i < p->planned; i++) {
        bool has = p->evictor->uses[i].count > 0;
        for (uint32_t k = 0; k < p->amount[i].count; k++) {
            uint32_t h = p->amounts[p->amount[i].first + k].holding;
            has |= h != SL_NONE && p->evictor->copy_of[h] != SL_NONE;
        }
        for (uint32_t k = 0; k < p->gives[i].count; k++)
            has |= p->evictor->copy_of[p->give_holdings[p->gives[i].first + k]] != SL_NONE;
        if (has)
            p->hot[i].flags |= NODE_EVICT;
    }
    p->log_places += 4 * p->evictor->copy_count;
}

enum sl_status sl_program_pack_capacity(struct sl_program *p, struct sl_error *err)
{
    enum sl_status status;
    if ((status = pack_domains(p, err)) || (status = pack_holdings(p, err)))
        return status;
    uint64_t total = 0;
    for (uint32_t i = 0; i < p->n; i++)
        total += p->graph->nodes[i].workspace.count + p->graph->nodes[i].takes.count;
    p->amount = sl_arena_array(&p->arena, p->n + 1, sizeof *p->amount);
    p->gives = sl_arena_array(&p->arena, p->n + 1, sizeof *p->gives);
    p->amounts = sl_arena_array(&p->arena, total + 1, sizeof *p->amounts);
    p->need = sl_arena_array(&p->arena, p->n + 1, sizeof *p->need);
    if (!p->amount || !p->gives || !p->amounts || !p->need)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    p->give_holdings = p->graph->holdings_pool;
    uint32_t first = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        if ((status = pack_node_bytes(p, i, first, err)))
            return status;
        first += p->amount[i].count;
    }
    flag_evictions(p);
    if (!pack_needs(p) || !pack_givers(p))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    return SL_OK;
}

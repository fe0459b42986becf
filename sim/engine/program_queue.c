/* Packing resources: which waiting list a node joins, issue orders, and the resources whose nodes
 * demand nothing else, so that one sorted queue decides exactly what the full scan would. */
#include "program.h"
#include <stdlib.h>
#include <string.h>

/* The pseudo resource of nodes that demand none: they wait in the fifo list. */
static uint32_t list_resource(const struct sl_program *p, uint32_t node)
{
    uint32_t r = p->hot[node].resource;
    return r == SL_NONE ? p->resource_count : r;
}

static void copy_resources(struct sl_program *p)
{
    const struct sl_platform *platform = p->graph->platform;
    for (uint32_t r = 0; r < p->resource_count; r++) {
        const struct sl_resource *from = &platform->resources[r];
        struct resource_static *to = &p->resources[r];
        to->units = from->servers == SL_UNLIMITED ? SL_FREE_ALWAYS : from->servers;
        to->order = p->options.dispatch_given ? p->options.dispatch : from->order;
        to->strict = from->admission == SL_STRICT;
        to->aging_ps = p->options.aging_given ? p->options.aging_ps : from->aging_ps;
        if (to->order != SL_ORDER_PRIORITY || to->aging_ps < 0)
            to->aging_ps = 0;
        to->simple = to->order != SL_ORDER_ISSUE && !to->aging_ps && !from->batch.most;
        to->min_units = SL_FREE_ALWAYS;
    }
    struct resource_static *none = &p->resources[p->resource_count];
    *none = (struct resource_static){.units = SL_FREE_ALWAYS, .order = SL_ORDER_FIFO};
}

static enum sl_status copy_demands(struct sl_program *p, struct sl_error *err)
{
    const struct sl_graph *g = p->graph;
    for (uint32_t i = 0; i < p->n; i++) {
        const struct sl_node *node = &g->nodes[i];
        p->demand[i] = (struct range){node->demands.first, node->demands.count};
        p->log_places += node->demands.count;
        for (uint32_t k = 0; k < node->demands.count; k++) {
            const struct sl_demand *d = &g->demands[node->demands.first + k];
            if (d->resource >= p->resource_count || !d->units)
                return SL_FAIL_AT(err, SL_INVALID, node->place,
                                  "'%s' demands no units, or of an unknown resource", node->name);
            for (uint32_t j = 0; j < k; j++)
                if (g->demands[node->demands.first + j].resource == d->resource)
                    return SL_FAIL_AT(err, SL_INVALID, node->place,
                                      "'%s' demands one resource twice", node->name);
        }
        if (node->demands.count) {
            p->hot[i].resource = g->demands[node->demands.first].resource;
            p->hot[i].units = g->demands[node->demands.first].units;
        }
    }
    return SL_OK;
}

/* A node with one of these waits in a list that is scanned in order: of the primaries of one
 * fallback the last to start matters. */
static const uint32_t held_back = NODE_BYTES | NODE_OVERLAP | NODE_PRIMARY | NODE_EVICT;

/* A resource is simple when no other demand of its nodes can ever hold one back or let a later one
 * pass an earlier one.  Strict admission matters once two nodes fit beside each other. */
static void find_simple(struct sl_program *p)
{
    for (uint32_t i = 0; i < p->n; i++) {
        const struct node_hot *hot = &p->hot[i];
        for (uint32_t k = 0; k < p->demand[i].count; k++) {
            const struct sl_demand *d = &p->demands[p->demand[i].first + k];
            struct resource_static *r = &p->resources[d->resource];
            if (p->demand[i].count > 1 || hot->flags & held_back ||
                (r->min_units != SL_FREE_ALWAYS && r->min_units != d->units))
                r->simple = false;
            if (d->units < r->min_units)
                r->min_units = d->units;
        }
    }
    for (uint32_t r = 0; r < p->resource_count; r++) {
        struct resource_static *res = &p->resources[r];
        if (res->strict && res->units / res->min_units > 1)
            res->simple = false;
    }
}

static void flag_nodes(struct sl_program *p)
{
    for (uint32_t i = 0; i < p->n; i++) {
        struct node_hot *hot = &p->hot[i];
        const struct resource_static *r = &p->resources[list_resource(p, i)];
        if (hot->resource == SL_NONE && !(hot->flags & held_back))
            hot->flags |= NODE_FREE;
        else if (r->simple)
            hot->flags |= NODE_SIMPLE;
        else
            p->any_complex = true;
        if (r->order == SL_ORDER_ISSUE && !(hot->flags & NODE_LATENT))
            hot->flags |= NODE_ISSUE;
        if (r->strict)
            hot->flags |= NODE_STRICT;
        if (p->demand[i].count > 1)
            hot->flags |= NODE_MANY;
    }
}

/* Half of a mask is for resources, half for domains. */
static bool pack_masks(struct sl_program *p)
{
    enum { HALF = 32 };
    for (uint32_t i = 0; i < p->n; i++) {
        uint64_t mask = 0;
        for (uint32_t k = 0; k < p->demand[i].count; k++)
            mask |= UINT64_C(1) << p->demands[p->demand[i].first + k].resource % HALF;
        for (uint32_t k = 0; k < p->amount[i].count; k++)
            mask |= UINT64_C(1) << (HALF + p->amounts[p->amount[i].first + k].domain % HALF);
        p->need[i].mask = mask;
    }
    return p->resource_count <= HALF && p->domain_count <= HALF;
}

/* Sublists' places, and each resource's nodes in issue (index) order. */
static void place_queues(struct sl_program *p)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (!(p->hot[i].flags & NODE_FREE))
            p->resources[list_resource(p, i)].queue.count++;
    uint32_t nodes = 0;
    for (uint32_t r = 0; r <= p->resource_count; r++) {
        struct resource_static *res = &p->resources[r];
        res->issue.first = nodes;
        res->queue.first = nodes + r;
        nodes += res->queue.count;
    }
    p->queue_places = nodes + p->resource_count + 1;
    /* Latent nodes have no place in the order of issue. */
    for (uint32_t i = 0; i < p->planned; i++) {
        struct range *issue = &p->resources[list_resource(p, i)].issue;
        p->issue_nodes[issue->first + issue->count++] = i;
    }
}

static void make_lists(struct sl_program *p)
{
    uint32_t at = 0;
    for (unsigned order = 0; order <= SL_ORDER_ISSUE; order++) {
        struct list_static *list = &p->lists[order];
        list->sublists.first = at;
        for (uint32_t r = 0; r <= p->resource_count; r++) {
            const struct resource_static *res = &p->resources[r];
            if (res->simple || res->order != order || !res->queue.count)
                continue;
            p->resources[r].sublist = at;
            p->list_resources[at++] = r;
            list->every |= res->strict || res->aging_ps || (order == SL_ORDER_ISSUE && p->evictor);
            list->aging |= res->aging_ps != 0;
        }
        list->tracked = !list->every && !p->evictor;
        list->sublists.count = at - list->sublists.first;
        if (list->sublists.count)
            p->orders[p->order_count++] = (enum sl_order)order;
    }
    for (uint32_t i = 0; i < p->n; i++) {
        bool listed = !(p->hot[i].flags & (NODE_FREE | NODE_SIMPLE));
        if (listed && p->lists[p->resources[list_resource(p, i)].order].tracked)
            p->hot[i].flags |= NODE_TRACKED;
    }
}

enum sl_status sl_program_pack_resources(struct sl_program *p, struct sl_error *err)
{
    p->demands = p->graph->demands;
    p->resources = sl_arena_array(&p->arena, p->resource_count + 1, sizeof *p->resources);
    p->demand = sl_arena_array(&p->arena, p->n + 1, sizeof *p->demand);
    p->issue_nodes = sl_arena_array(&p->arena, p->n + 1, sizeof *p->issue_nodes);
    p->list_resources = sl_arena_array(&p->arena, p->resource_count + 1, sizeof *p->list_resources);
    if (!p->resources || !p->demand || !p->issue_nodes || !p->list_resources)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    copy_resources(p);
    enum sl_status status = copy_demands(p, err);
    if (status)
        return status;
    find_simple(p);
    flag_nodes(p);
    place_queues(p);
    make_lists(p);
    p->separate_needs = pack_masks(p);
    return SL_OK;
}

/* In which queue the runs of a node wait, and what can hold up those behind its first. */
#include "jobs_parts.h"
#include "sort.h"
#include "waitlist.h"
#include <stdlib.h>

/* What decides in which queue a node waits. */
struct waiter {
    const struct sl_program *base;
    uint32_t list, node,
        alone;       /* alone: one past the node, where it shares its queue with no other */
    double priority; /* where it ages: runs of equal ones stay in their order */
};

static int by_demands(const struct waiter *a, const struct waiter *b)
{
    const struct sl_program *base = a->base;
    const struct range *x = &base->demand[a->node], *y = &base->demand[b->node];
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    for (uint32_t k = 0; k < x->count; k++) {
        const struct sl_demand *d = &base->demands[x->first + k], *e = &base->demands[y->first + k];
        if (d->resource != e->resource)
            return d->resource < e->resource ? -1 : 1;
        if (d->units != e->units)
            return d->units < e->units ? -1 : 1;
    }
    return 0;
}

static int by_workspace(const struct waiter *a, const struct waiter *b)
{
    const struct sl_program *base = a->base;
    const struct range *x = &base->amount[a->node], *y = &base->amount[b->node];
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    for (uint32_t k = 0; k < x->count; k++) {
        const struct amount *d = &base->amounts[x->first + k], *e = &base->amounts[y->first + k];
        if (d->domain != e->domain)
            return d->domain < e->domain ? -1 : 1;
        if (d->bytes != e->bytes)
            return d->bytes < e->bytes ? -1 : 1;
    }
    return 0;
}

static int by_queue(const struct waiter *a, const struct waiter *b)
{
    if (a->list != b->list)
        return a->list < b->list ? -1 : 1;
    if (a->alone != b->alone)
        return a->alone < b->alone ? -1 : 1;
    if (a->priority != b->priority)
        return a->priority < b->priority ? -1 : 1;
    int order = by_demands(a, b);
    return order ? order : by_workspace(a, b);
}

static int by_queue_then_node(const void *left, const void *right)
{
    const struct waiter *a = left, *b = right;
    int order = by_queue(a, b);
    return order ? order : (a->node > b->node) - (a->node < b->node);
}

/* Nodes that take each holding; NULL: out of memory. */
static uint32_t *count_takers(const struct sl_program *base)
{
    uint32_t *takers = calloc((size_t)base->graph->holding_count + 1, sizeof *takers);
    for (uint32_t i = 0; takers && i < base->n; i++)
        for (uint32_t k = 0; k < base->amount[i].count; k++) {
            uint32_t h = base->amounts[base->amount[i].first + k].holding;
            if (h != SL_NONE && !base->graph->holdings[h].initial)
                takers[h]++;
        }
    return takers;
}

/* Whether a holding is there already depends on the job where several of its nodes take it, and so
 * may how many bytes it has. */
static void flag_shared_takes(const struct sl_program *base, const uint32_t *takers, bool *singly)
{
    for (uint32_t i = 0; i < base->n; i++)
        for (uint32_t k = 0; k < base->amount[i].count; k++) {
            uint32_t h = base->amounts[base->amount[i].first + k].holding;
            singly[i] |= h != SL_NONE && (takers[h] > 1 || sl_jobs_size_of(base->graph, h));
        }
}

static bool find_singly(const struct sl_program *base, bool *singly)
{
    uint32_t *takers = count_takers(base);
    for (uint32_t i = 0; takers && i < base->n; i++)
        singly[i] = base->hot[i].flags & (NODE_ISSUE | NODE_OVERLAP | NODE_SHARED);
    if (takers)
        flag_shared_takes(base, takers, singly);
    free(takers);
    return takers != NULL;
}

/* Behind the first that fails in a strict list, all that demand the same resource are blocked. */
static bool first_blocks(const struct sl_program *base, uint32_t node)
{
    return base->hot[node].flags & NODE_STRICT && base->demand[node].count > 0;
}

static uint32_t add_queue(struct sl_jobs_program *p, uint32_t node, bool simple, bool singly)
{
    const struct sl_program *base = p->base;
    p->queues[p->queue_count] = (struct job_queue){
        .order = base->resources[sublist_of(base, node)].order,
        .node = node,
        .resource = base->hot[node].resource,
        .simple = simple,
        .singly = singly,
        .domain = SL_NONE,
    };
    return p->queue_count++;
}

/* Nodes of one simple resource wait in one queue; where it has no limit, in none. */
static void join_simple_queue(struct sl_jobs_program *p, uint32_t i)
{
    uint32_t r = p->nodes[i].resource;
    if (p->base->resources[r].units == SL_FREE_ALWAYS)
        return;
    if (p->simple_queue[r] == SL_NONE)
        p->simple_queue[r] = add_queue(p, i, true, false);
    p->nodes[i].queue = p->simple_queue[r];
    p->queues[p->nodes[i].queue].nodes++;
}

static uint32_t list_waiters(struct sl_jobs_program *p, struct waiter *waiters, const bool *singly)
{
    const struct sl_program *base = p->base;
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t list = sublist_of(base, i);
        if (base->hot[i].flags & NODE_SIMPLE)
            join_simple_queue(p, i);
        if (base->hot[i].flags & (NODE_SIMPLE | NODE_FREE))
            continue;
        bool alone = singly[i] || base->hot[i].flags & NODE_TAKES || sl_jobs_batching(base, i);
        waiters[count++] = (struct waiter){
            .base = base,
            .list = list,
            .node = i,
            .alone = alone ? i + 1 : 0,
            .priority = base->resources[list].aging_ps ? base->graph->nodes[i].priority : 0,
        };
    }
    return count;
}

/* Those that have begun wait for their next step in a queue of their own, behind the first. */
static void queue_batches(struct sl_jobs_program *p, uint32_t node)
{
    const struct sl_batching *batching = sl_jobs_batching(p->base, node);
    p->nodes[node].flags |= NODE_BATCH;
    p->queues[p->queue_count - 1].batching = batching;
    p->any_batch = true;
    p->any_batch_waits |= batching->wait_ps > 0;
    if (!batching->continuous)
        return;
    struct job_queue *again = &p->queues[add_queue(p, node, false, false)];
    again->nodes = 1;
    again->batching = batching;
    again->again = true;
}

bool sl_jobs_queues_pack(struct sl_jobs_program *p)
{
    struct waiter *waiters = malloc((size_t)p->n * sizeof *waiters);
    bool *singly = malloc((size_t)p->n * sizeof *singly);
    bool ok = waiters && singly && find_singly(p->base, singly);
    for (uint32_t r = 0; r < p->base->resource_count; r++)
        p->simple_queue[r] = SL_NONE;
    uint32_t count = ok ? list_waiters(p, waiters, singly) : 0;
    if (count)
        sl_sort(waiters, count, sizeof *waiters, by_queue_then_node);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t i = waiters[k].node;
        if (!k || by_queue(&waiters[k - 1], &waiters[k]))
            add_queue(p, i, false, singly[i] && !first_blocks(p->base, i));
        p->nodes[i].queue = p->queue_count - 1;
        p->queues[p->queue_count - 1].nodes++;
        if (sl_jobs_batching(p->base, i))
            queue_batches(p, i);
    }
    free(waiters);
    free(singly);
    return ok;
}

/* ---- what they wait for ---------------------------------------------------------------------- */

/* What it takes is there for none of its runs before they start. */
static bool takes_alone(const struct sl_program *base, const uint32_t *takers, uint32_t node)
{
    bool alone = true;
    for (uint32_t k = 0; k < base->amount[node].count; k++) {
        uint32_t h = base->amounts[base->amount[node].first + k].holding;
        alone &= h == SL_NONE || takers[h] <= 1;
    }
    return alone;
}

/* A domain of which it takes bytes: if there is one, of which jobs take different numbers. */
static uint32_t domain_of(const struct sl_program *base, uint32_t node)
{
    uint32_t domain = SL_NONE;
    for (uint32_t k = 0; k < base->amount[node].count; k++) {
        const struct amount *amount = &base->amounts[base->amount[node].first + k];
        uint32_t h = amount->holding;
        if (domain == SL_NONE || (h != SL_NONE && sl_jobs_size_of(base->graph, h)))
            domain = amount->domain;
    }
    return domain;
}

/* What a node wants of shared objects is known when it joins a list: a fetch may join one later
 * than it was ready, and is tried by itself. */
static uint32_t domain_of_shared(const struct sl_jobs_program *p, uint32_t node, uint32_t domain)
{
    const struct cache_use *uses = job_cache_uses(p, node);
    for (uint32_t k = 0; k < p->cache_use_count[node]; k++) {
        if (uses[k].role == CACHE_FETCH || uses[k].role == CACHE_SPILL)
            return SL_NONE;
        if (uses[k].role == CACHE_MAKE)
            domain = p->caches[uses[k].cache].domain[uses[k].to];
    }
    return domain;
}

static bool has_domain(const struct sl_jobs_program *p, const struct job_queue *queue)
{
    uint32_t flags = p->base->hot[queue->node].flags;
    bool apart = queue->batching && (queue->again || !queue->batching->continuous);
    if (queue->simple || apart || flags & (NODE_ISSUE | NODE_OVERLAP | NODE_STRICT))
        return false;
    /* Blocks that leave make room while a scan lasts, and yet equal demands fail alike in it. */
    return !p->cache_count || queue->singly;
}

bool sl_jobs_queues_bytes(struct sl_jobs_program *p)
{
    uint32_t *takers = count_takers(p->base);
    for (uint32_t q = 0; takers && q < p->queue_count; q++) {
        struct job_queue *queue = &p->queues[q];
        if (!has_domain(p, queue) || !takes_alone(p->base, takers, queue->node))
            continue;
        queue->domain = domain_of(p->base, queue->node);
        if (p->cache_count)
            queue->domain = domain_of_shared(p, queue->node, queue->domain);
    }
    free(takers);
    return takers != NULL;
}

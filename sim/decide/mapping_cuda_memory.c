/* Memory and copies: pools, granularity, who waits for whose bytes, and what a copy needs.
 *
 * Waits for bytes cannot be left to the run once work is queued: a call that allocates either finds
 * room, or makes its stream wait for a release that was submitted before it, or fails (CUDA C++
 * Programming Guide, "Stream Ordered Memory Allocator").  So the releases that each taker needs are
 * chosen from the plan's order at means, and become events. */
#include <config.h>

#include "mapping_cuda.h"
#include <stdlib.h>

/* Mapped physical memory comes in multiples of this on devices so far (CUDA Driver API,
 * cuMemGetAllocationGranularity: to be asked for; 2 MiB). */
#define MAPPING_GRANULARITY INT64_C(2097152)

/* What takes and gives back bytes of one domain, in the order at means. */
struct release {
    int64_t at_ps, bytes;
    uint32_t node;
};
struct ledger {
    uint32_t domain;
    bool *held;               /* by holding */
    struct release *releases; /* by finish */
    uint32_t release_count;
    int64_t limit, taken, given; /* given: by the releases that all so far wait for */
    uint64_t waits;
};

static int64_t bytes_of(const struct cuda_mapping *m, uint32_t holding)
{
    const struct sl_holding *held = &m->graph->holdings[holding];
    return held->kind == SL_HOLD_OBJECT
               ? sl_rounded_bytes(held->bytes, m->graph->platform->domains[held->domain].rounding)
               : held->bytes;
}

static int64_t workspace_of(const struct cuda_mapping *m, uint32_t node, uint32_t domain)
{
    const struct sl_node *what = &m->graph->nodes[node];
    int64_t sum = 0;
    for (uint32_t k = 0; k < what->workspace.count; k++) {
        const struct sl_amount *amount = &m->graph->amounts[what->workspace.first + k];
        sum += amount->domain == domain ? amount->bytes : 0;
    }
    return sum;
}

/* Bytes that its start takes, or its finish gives back; `held` follows. */
static int64_t move_holdings(const struct cuda_mapping *m, struct ledger *l, struct sl_span list,
                             bool take)
{
    int64_t sum = 0;
    for (uint32_t k = 0; k < list.count; k++) {
        uint32_t h = m->graph->holdings_pool[list.first + k];
        if (m->graph->holdings[h].domain != l->domain || l->held[h] == take)
            continue;
        l->held[h] = take;
        sum += bytes_of(m, h);
    }
    return sum;
}

static int by_time(const void *a, const void *b)
{
    const struct release *x = a, *y = b;
    if (x->at_ps != y->at_ps)
        return x->at_ps < y->at_ps ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Finishes in the order at means, with what each gives back. */
static bool list_releases(struct cuda_mapping *m, struct ledger *l)
{
    uint32_t holdings = m->graph->holding_count;
    l->held = sl_arena_array(&m->arena, (size_t)holdings + 1, sizeof *l->held);
    l->releases = sl_arena_array(&m->arena, (size_t)m->planned + 1, sizeof *l->releases);
    if (!l->held || !l->releases)
        return false;
    for (uint32_t h = 0; h < holdings; h++) /* who gives first is who gives at all */
        l->held[h] = true;
    for (uint32_t k = 0; k < m->planned; k++) {
        uint32_t node = m->mean.order[k];
        if (m->mean.state[node] == SL_RAN)
            l->releases[l->release_count++] = (struct release){m->mean.finish_ps[node], 0, node};
    }
    qsort(l->releases, l->release_count, sizeof *l->releases, by_time);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < l->release_count; k++) {
        struct release r = l->releases[k];
        r.bytes = move_holdings(m, l, m->graph->nodes[r.node].gives, false) +
                  workspace_of(m, r.node, l->domain);
        if (r.bytes > 0)
            l->releases[kept++] = r;
    }
    l->release_count = kept;
    for (uint32_t h = 0; h < holdings; h++)
        l->held[h] = m->graph->holdings[h].initial;
    return true;
}

/* The first releases of the order that make room for all that was taken so far. */
static void wait_for_room(struct cuda_mapping *m, struct ledger *l, uint32_t node)
{
    int64_t missing = l->taken - l->limit, given = 0;
    for (uint32_t k = 0; k < l->release_count && given < missing; k++) {
        const struct release *r = &l->releases[k];
        if (r->at_ps > m->mean.start_ps[node])
            break;
        given += r->bytes;
        if (r->node == node || sl_cuda_ordered(m, r->node, node))
            continue;
        sl_cuda_edge(m, r->node, node, SL_EDGE_CAPACITY, "its bytes are those that are given back");
        l->waits++;
    }
}

static void plan_domain(struct cuda_mapping *m, uint32_t domain)
{
    const struct sl_domain *has = &m->graph->platform->domains[domain];
    struct ledger l = {.domain = domain, .limit = has->capacity - has->reserve};
    if (has->capacity < 0)
        return;
    if (!list_releases(m, &l)) {
        m->failed = true;
        return;
    }
    for (uint32_t h = 0; h < m->graph->holding_count; h++)
        l.taken += m->graph->holdings[h].initial && m->graph->holdings[h].domain == domain
                       ? bytes_of(m, h)
                       : 0;
    for (uint32_t k = 0; k < m->planned && !m->failed; k++) {
        uint32_t node = m->mean.order[k];
        sl_cuda_follow(m, node);
        if (m->mean.state[node] != SL_RAN)
            continue;
        int64_t takes =
            move_holdings(m, &l, m->graph->nodes[node].takes, true) + workspace_of(m, node, domain);
        l.taken += takes;
        if (takes > 0)
            wait_for_room(m, &l, node);
    }
    if (l.waits > 0)
        sl_cuda_wish(
            m, SL_TRUTH_YES, l.waits,
            CUDA_TEXT(m, "a node waits for bytes of %s",
                      m->graph->platform->domain_names.names[domain]),
            "an event behind the reclamation whose bytes it takes, chosen by the order at mean "
            "durations",
            "which release ends a wait is fixed at submission; the schedule is computed again "
            "with it");
}

static bool is_multiple(const struct cuda_mapping *m, uint32_t domain, int64_t unit)
{
    for (uint32_t h = 0; h < m->graph->holding_count; h++)
        if (m->graph->holdings[h].domain == domain && bytes_of(m, h) % unit != 0)
            return false;
    return true;
}

/* Memory that is mapped by the plan itself comes in pages of the driver. */
static void judge_device(struct cuda_mapping *m, uint32_t domain, bool maps)
{
    const char *name = m->graph->platform->domain_names.names[domain];
    uint64_t copies = 0;
    for (uint32_t h = 0; h < m->graph->holding_count; h++)
        copies += m->graph->holdings[h].domain == domain;
    if (copies == 0)
        return;
    const char *wish = CUDA_TEXT(m, "copies of objects in %s are taken and given back", name);
    if (!maps) {
        sl_cuda_wish(
            m, SL_TRUTH_YES, copies, wish,
            "cudaMallocAsync and cudaFreeAsync in the stream of the taker and behind the last "
            "user, from one pool that is as large as the limit and keeps its memory "
            "(cudaMemPoolAttrReleaseThreshold)",
            "cudaMalloc and cudaFree would make all streams wait");
        return;
    }
    sl_cuda_wish(m, SL_TRUTH_YES, copies, wish,
                 "cuMemAddressReserve once, cuMemCreate and cuMemMap per copy",
                 "mapping calls are the host's: they are not ordered by streams");
    if (is_multiple(m, domain, MAPPING_GRANULARITY))
        return;
    struct sl_reply_limit *limit = SL_REPLY_ADD(m->reply->limits);
    m->failed |= !limit;
    if (limit)
        *limit = (struct sl_reply_limit){.resource = SL_NONE,
                                         .domain = domain,
                                         .capacity = -1,
                                         .rounding = MAPPING_GRANULARITY,
                                         .reason = "physical memory is mapped in pieces of 2 MiB "
                                                   "(cuMemGetAllocationGranularity)"};
}

static void judge_pinned(struct cuda_mapping *m, uint32_t domain)
{
    const char *name = m->graph->platform->domain_names.names[domain];
    bool limited = m->graph->platform->domains[domain].capacity >= 0;
    uint64_t copies = 0;
    for (uint32_t h = 0; h < m->graph->holding_count; h++)
        copies += m->graph->holdings[h].domain == domain;
    if (copies > 0)
        sl_cuda_wish(
            m, limited ? SL_TRUTH_YES : SL_TRUTH_UNKNOWN, copies,
            CUDA_TEXT(m, "copies and staging in %s are taken and given back", name),
            "one pool of page-locked memory, allocated before the run (cudaHostAlloc) and handed "
            "out by the host",
            limited
                ? "cudaHostAlloc and cudaFreeHost wait for the device: none of them during a run"
                : "the scenario states no capacity for the pool");
}

void sl_cuda_plan_memory(struct cuda_mapping *m)
{
    const struct sl_graph *graph = m->graph;
    bool maps = false, on_demand = m->planned < graph->node_count;
    for (uint32_t i = 0; i < graph->node_count; i++)
        maps |= graph->nodes[i].kind == SL_MAPPING;
    for (uint32_t d = 0; d < graph->platform->domain_names.count && !m->failed; d++) {
        enum cuda_memory memory = sl_cuda_memory(m, d);
        if (memory == CUDA_DEVICE)
            judge_device(m, d, maps);
        else if (memory == CUDA_PINNED)
            judge_pinned(m, d);
        if (!on_demand && !sl_cuda_has_jobs(m)) /* else the host decides while it runs */
            plan_domain(m, d);
    }
}

/* ---- copies -----------------------------------------------------------------------------------
 */

static bool is_host_memory(enum cuda_memory memory)
{
    return memory == CUDA_PINNED || memory == CUDA_PAGEABLE;
}

static void judge_route(struct cuda_mapping *m, const struct sl_route *route)
{
    const struct sl_names *names = &m->graph->platform->domain_names;
    enum cuda_memory from = sl_cuda_memory(m, route->from), to = sl_cuda_memory(m, route->to);
    uint64_t moves = 0;
    for (uint32_t i = 0; i < m->graph->node_count; i++)
        moves += sl_node_moves(m->graph->nodes[i].kind) && m->graph->nodes[i].from == route->from &&
                 m->graph->nodes[i].to == route->to;
    if (moves == 0)
        return;
    const char *wish = CUDA_TEXT(m, "moves from %.60s to %.60s run beside kernels",
                                 names->names[route->from], names->names[route->to]);
    bool staged = route->staging.domain != SL_NONE;
    if (from == CUDA_STORAGE || to == CUDA_STORAGE)
        sl_cuda_wish(m, SL_TRUTH_YES, moves, wish,
                     "host threads that read and write through page-locked buffers, or cuFile",
                     NULL);
    else if (is_host_memory(from) && is_host_memory(to))
        sl_cuda_wish(
            m, SL_TRUTH_YES, moves, wish,
            "memcpy by a thread of the host that the stream for the direction calls in its "
            "order (cudaLaunchHostFunc)",
            "a core copies, no engine: a cudaMemcpyAsync from host memory to host memory "
            "is synchronous to the host (CUDA Runtime API, \"API synchronization "
            "behavior\")");
    else if ((from == CUDA_PAGEABLE || to == CUDA_PAGEABLE) && !staged &&
             (from == CUDA_DEVICE || to == CUDA_DEVICE))
        sl_cuda_wish(
            m, SL_TRUTH_NO, moves, wish, NULL,
            "a copy of pageable memory goes through the driver's staging and holds up the host "
            "(CUDA Runtime API, \"API synchronization behavior\"): put it through a page-locked "
            "pool");
    else
        sl_cuda_wish(
            m, SL_TRUTH_YES, moves, wish,
            from == CUDA_DEVICE && to == CUDA_DEVICE ? "cudaMemcpyPeerAsync on a stream of its own"
            : staged ? "cudaMemcpyAsync bucket by bucket through a page-locked pool"
                     : "cudaMemcpyAsync of page-locked memory on a stream for the direction",
            NULL);
}

/* A resource of routes between host memories alone is a core. */
static bool is_engine(const struct cuda_mapping *m, uint32_t resource)
{
    const struct sl_platform *platform = m->graph->platform;
    if (resource == SL_NONE || m->places[resource] != CUDA_COPIES)
        return false;
    for (uint32_t k = 0; k < platform->route_count; k++) {
        const struct sl_route *route = &platform->routes[k];
        if (route->resource == resource && !(is_host_memory(sl_cuda_memory(m, route->from)) &&
                                             is_host_memory(sl_cuda_memory(m, route->to))))
            return true;
    }
    return false;
}

/* Copies of both directions run at once where there are two engines. */
void sl_cuda_judge_copies(struct cuda_mapping *m)
{
    const struct sl_platform *platform = m->graph->platform;
    uint32_t engines = 0;
    for (uint32_t k = 0; k < platform->route_count; k++)
        judge_route(m, &platform->routes[k]);
    for (uint32_t s = 0; s < m->stream_count; s++)
        engines += is_engine(m, m->streams[s].resource);
    if (engines < 2)
        return;
    sl_cuda_wish(m, SL_TRUTH_YES, engines, "copies of different directions run beside each other",
                 "a copy engine for each direction",
                 "needs cudaDeviceProp.asyncEngineCount of at least 2, as all data-centre devices "
                 "have");
}

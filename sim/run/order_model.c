/* Packing a graph for schedule generation, and turning it around in time. */
#include "order_model.h"
#include "peak_bound.h"
#include "windows.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NODES 20000u /* a schedule costs up to their square */
#define MOST_PS    0x1p60 /* of all durations, lags and releases together */

enum sl_status sl_order_durations_make(struct sl_order_durations *durations,
                                       const struct sl_graph *graph, struct sl_error *err)
{
    size_t n = (size_t)graph->node_count + 1;
    *durations = (struct sl_order_durations){malloc(n * sizeof *durations->hold_ps),
                                             malloc(n * sizeof *durations->latency_ps), malloc(n)};
    if (!durations->hold_ps || !durations->latency_ps || !durations->roles)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for an order's durations");
    sl_windows_means(graph, durations->hold_ps, durations->roles);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        double latency = sl_node_mean_latency(graph, (sl_node_id){i});
        int64_t span = durations->hold_ps[i];
        durations->latency_ps[i] = latency < (double)span ? llround(latency) : span;
        durations->hold_ps[i] = span - durations->latency_ps[i];
    }
    return SL_OK;
}

void sl_order_durations_free(struct sl_order_durations *durations)
{
    free(durations->hold_ps);
    free(durations->latency_ps);
    free(durations->roles);
    *durations = (struct sl_order_durations){0};
}

static bool allocate(struct sl_order_model *m, size_t links, size_t uses)
{
    size_t n = (size_t)m->node_count + 1, stocks = (size_t)m->stock_count + 1;
    struct sl_arena *arena = &m->arena;
    return (m->runs = sl_arena_array(arena, n, sizeof *m->runs)) &&
           (m->span_ps = sl_arena_array(arena, n, sizeof *m->span_ps)) &&
           (m->latency_ps = sl_arena_array(arena, n, sizeof *m->latency_ps)) &&
           (m->release_ps = sl_arena_array(arena, n, sizeof *m->release_ps)) &&
           (m->deadline_ps = sl_arena_array(arena, n, sizeof *m->deadline_ps)) &&
           (m->topo = sl_arena_array(arena, n, sizeof *m->topo)) &&
           (m->link_start = sl_arena_array(arena, n + 1, sizeof *m->link_start)) &&
           (m->links = sl_arena_array(arena, links + 1, sizeof *m->links)) &&
           (m->before = sl_arena_array(arena, n, sizeof *m->before)) &&
           (m->use_start = sl_arena_array(arena, n, sizeof *m->use_start)) &&
           (m->uses = sl_arena_array(arena, uses + 1, sizeof *m->uses)) &&
           (m->limit = sl_arena_array(arena, stocks, sizeof *m->limit)) &&
           (m->initial = sl_arena_array(arena, stocks, sizeof *m->initial));
}

/* ---- stocks and uses ------------------------------------------------------------------------ */

/* Numbers the stocks: resources with servers to count, then domains with a capacity. */
static bool number_stocks(struct sl_order_model *m)
{
    const struct sl_platform *platform = m->graph->platform;
    uint32_t resources = platform->resource_names.count, domains = platform->domain_names.count;
    m->stock_of_resource =
        sl_arena_array(&m->arena, (size_t)resources + 1, sizeof *m->stock_of_resource);
    m->stock_of_domain = sl_arena_array(&m->arena, (size_t)domains + 1, sizeof *m->stock_of_domain);
    if (!m->stock_of_resource || !m->stock_of_domain)
        return false;
    for (uint32_t r = 0; r < resources; r++)
        m->stock_of_resource[r] =
            platform->resources[r].servers == SL_UNLIMITED ? SL_NONE : m->stock_count++;
    for (uint32_t d = 0; d < domains; d++)
        m->stock_of_domain[d] = platform->domains[d].capacity < 0 ? SL_NONE : m->stock_count++;
    return true;
}

/* A domain that is fragmented has room for fewer bytes: fewer by the mean of the draws. */
static void set_limits(struct sl_order_model *m)
{
    const struct sl_platform *platform = m->graph->platform;
    for (uint32_t r = 0; r < platform->resource_names.count; r++)
        if (m->stock_of_resource[r] != SL_NONE)
            m->limit[m->stock_of_resource[r]] = platform->resources[r].servers;
    for (uint32_t d = 0; d < platform->domain_names.count; d++) {
        const struct sl_domain *domain = &platform->domains[d];
        if (m->stock_of_domain[d] == SL_NONE)
            continue;
        int64_t limit = domain->capacity - domain->reserve;
        double f = domain->fragmentation ? sl_dist_mean(domain->fragmentation) : 1;
        m->limit[m->stock_of_domain[d]] =
            f > 1 && isfinite(f) ? (int64_t)((double)limit / f) : limit;
    }
}

/* Adds to the node's use of a stock, which comes once in its list. */
static void add_use(struct sl_order_model *m, uint32_t node, uint32_t stock, int64_t end_ps,
                    int64_t during, int64_t after)
{
    struct sl_order_use *use = &m->uses[m->use_start[node]];
    struct sl_order_use *end = &m->uses[m->use_start[node + 1]];
    while (use < end && use->stock != stock)
        use++;
    if (use == end) {
        m->use_start[node + 1]++;
        *use = (struct sl_order_use){.stock = stock, .end_ps = end_ps};
    }
    use->during += during;
    use->after += after;
}

/* Of several nodes that may take a holding the first one takes it, and the last of its givers gives
 * it back, in topological order. */
static void find_ends(const struct sl_order_model *m, uint32_t *taker, uint32_t *giver)
{
    const struct sl_graph *graph = m->graph;
    for (uint32_t h = 0; h < graph->holding_count; h++)
        taker[h] = giver[h] = SL_NONE;
    for (uint32_t k = 0; k < graph->node_count; k++) {
        uint32_t i = graph->topo[k];
        const struct sl_node *node = &graph->nodes[i];
        if (!m->runs[i])
            continue;
        for (uint32_t t = 0; t < node->takes.count; t++) {
            uint32_t h = graph->holdings_pool[node->takes.first + t];
            if (taker[h] == SL_NONE && !graph->holdings[h].initial)
                taker[h] = i;
        }
        for (uint32_t g = 0; g < node->gives.count; g++)
            giver[graph->holdings_pool[node->gives.first + g]] = i;
    }
}

static int64_t counted(const struct sl_graph *graph, const struct sl_holding *holding)
{
    return holding->kind == SL_HOLD_OBJECT
               ? (int64_t)sl_bytes_counted(graph, holding->bytes, holding->domain)
               : holding->bytes;
}

static void add_node_uses(struct sl_order_model *m, uint32_t i, const uint32_t *taker,
                          const uint32_t *giver)
{
    const struct sl_graph *graph = m->graph;
    const struct sl_node *node = &graph->nodes[i];
    int64_t hold = m->span_ps[i] - m->latency_ps[i], span = m->span_ps[i];
    for (uint32_t k = 0; k < node->demands.count; k++) {
        const struct sl_demand *demand = &graph->demands[node->demands.first + k];
        uint32_t stock = m->stock_of_resource[demand->resource];
        if (stock != SL_NONE)
            add_use(m, i, stock, hold, demand->units, 0);
    }
    for (uint32_t k = 0; k < node->workspace.count; k++) {
        const struct sl_amount *amount = &graph->amounts[node->workspace.first + k];
        uint32_t stock = m->stock_of_domain[amount->domain];
        if (stock != SL_NONE)
            add_use(m, i, stock, span, amount->bytes, 0);
    }
    for (uint32_t k = 0; k < node->takes.count; k++) {
        uint32_t h = graph->holdings_pool[node->takes.first + k];
        uint32_t stock = m->stock_of_domain[graph->holdings[h].domain];
        int64_t bytes = counted(graph, &graph->holdings[h]);
        if (stock != SL_NONE && taker[h] == i)
            add_use(m, i, stock, span, bytes, bytes);
    }
    for (uint32_t k = 0; k < node->gives.count; k++) {
        uint32_t h = graph->holdings_pool[node->gives.first + k];
        uint32_t stock = m->stock_of_domain[graph->holdings[h].domain];
        bool held = taker[h] != SL_NONE || graph->holdings[h].initial;
        if (stock != SL_NONE && giver[h] == i && held)
            add_use(m, i, stock, span, 0, -counted(graph, &graph->holdings[h]));
    }
}

static bool pack_uses(struct sl_order_model *m)
{
    const struct sl_graph *graph = m->graph;
    size_t holdings = (size_t)graph->holding_count + 1;
    uint32_t *taker = malloc(holdings * sizeof *taker), *giver = malloc(holdings * sizeof *giver);
    bool ok = taker && giver;
    if (ok)
        find_ends(m, taker, giver);
    for (uint32_t i = 0; ok && i < m->node_count; i++) {
        m->use_start[i + 1] = m->use_start[i];
        if (m->runs[i])
            add_node_uses(m, i, taker, giver);
    }
    for (uint32_t h = 0; ok && h < graph->holding_count; h++) {
        uint32_t stock = m->stock_of_domain[graph->holdings[h].domain];
        if (graph->holdings[h].initial && stock != SL_NONE)
            m->initial[stock] += counted(graph, &graph->holdings[h]);
    }
    free(taker);
    free(giver);
    return ok;
}

/* ---- nodes and links ------------------------------------------------------------------------ */

static bool pack_nodes(struct sl_order_model *m, const struct sl_order_durations *durations)
{
    const struct sl_graph *graph = m->graph;
    double sum = 0;
    for (uint32_t i = 0; i < m->node_count; i++) {
        const struct sl_node *node = &graph->nodes[i];
        m->deadline_ps[i] = INT64_MAX;
        m->runs[i] = durations->roles[i] == SL_WINDOW_RUNS;
        if (!m->runs[i])
            continue;
        m->latency_ps[i] = durations->latency_ps[i];
        m->span_ps[i] = durations->hold_ps[i] + durations->latency_ps[i];
        m->release_ps[i] = node->release_ps;
        m->deadline_ps[i] = node->deadline_ps;
        sum += (double)m->span_ps[i] + (double)m->release_ps[i];
    }
    for (uint32_t e = 0; e < graph->edge_count; e++)
        sum += (double)graph->edges[e].lag_ps;
    return sum < MOST_PS;
}

static void put_link(struct sl_order_model *m, uint32_t from, uint32_t to, int64_t lag_ps,
                     bool counting)
{
    if (counting)
        m->link_start[from + 2]++;
    else
        m->links[m->link_start[from + 1]++] = (struct sl_order_link){to, lag_ps};
}

/* One behind the other: no earlier start than the one before, or with a single server, than that
 * one's units are free. */
static void issue_links(struct sl_order_model *m, uint32_t *last, bool counting)
{
    const struct sl_graph *graph = m->graph;
    const struct sl_platform *platform = graph->platform;
    for (uint32_t r = 0; r < platform->resource_names.count; r++)
        last[r] = SL_NONE;
    for (uint32_t i = 0; i < m->node_count; i++) {
        const struct sl_span *demands = &graph->nodes[i].demands;
        uint32_t r = demands->count > 0 ? graph->demands[demands->first].resource : SL_NONE;
        if (r == SL_NONE || !m->runs[i] || platform->resources[r].order != SL_ORDER_ISSUE)
            continue;
        if (last[r] != SL_NONE) {
            bool single = platform->resources[r].servers == 1;
            put_link(m, last[r], i, -(single ? m->latency_ps : m->span_ps)[last[r]], counting);
        }
        last[r] = i;
    }
}

static void each_link(struct sl_order_model *m, uint32_t *last, bool keep_issue, bool counting)
{
    const struct sl_graph *graph = m->graph;
    for (uint32_t lane = 0; lane < graph->lane_names.count; lane++)
        last[lane] = SL_NONE;
    for (uint32_t e = 0; e < graph->edge_count; e++)
        if (graph->edges[e].next == 0)
            put_link(m, graph->edges[e].from.i, graph->edges[e].to.i, graph->edges[e].lag_ps,
                     counting);
    for (uint32_t i = 0; i < m->node_count; i++) {
        uint32_t lane = graph->nodes[i].lane;
        if (lane == SL_NONE)
            continue;
        if (last[lane] != SL_NONE)
            put_link(m, last[lane], i, 0, counting);
        last[lane] = i;
    }
    if (keep_issue)
        issue_links(m, last, counting);
}

static void count_before(struct sl_order_model *m)
{
    for (uint32_t l = 0; l < m->link_start[m->node_count]; l++)
        m->before[m->links[l].node]++;
}

/* Counts are kept two places ahead, so that filling leaves each list's start in its place. */
static bool pack_links(struct sl_order_model *m, bool keep_issue)
{
    uint32_t lanes = m->graph->lane_names.count;
    uint32_t resources = m->graph->platform->resource_names.count;
    uint32_t *last = malloc(((size_t)(lanes > resources ? lanes : resources) + 1) * sizeof *last);
    if (!last)
        return false;
    each_link(m, last, keep_issue, true);
    for (uint32_t i = 2; i < m->node_count + 2; i++)
        m->link_start[i] += m->link_start[i - 1];
    each_link(m, last, keep_issue, false);
    free(last);
    count_before(m);
    return true;
}

/* Kahn's algorithm; false where some nodes wait for each other, or memory is out. */
static bool order_nodes(struct sl_order_model *m)
{
    uint32_t n = m->node_count, placed = 0;
    uint32_t *waits = sl_arena_array(&m->arena, (size_t)n + 1, sizeof *waits);
    if (!waits)
        return false;
    memcpy(waits, m->before, n * sizeof *waits);
    for (uint32_t k = 0; k < n; k++)
        if (waits[m->graph->topo[k]] == 0)
            m->topo[placed++] = m->graph->topo[k];
    for (uint32_t k = 0; k < placed; k++)
        for (uint32_t l = m->link_start[m->topo[k]]; l < m->link_start[m->topo[k] + 1]; l++)
            if (--waits[m->links[l].node] == 0)
                m->topo[placed++] = m->links[l].node;
    return placed == n;
}

enum sl_status sl_order_model_make(struct sl_order_model *model, const struct sl_graph *graph,
                                   const struct sl_order_durations *durations, bool keep_issue,
                                   struct sl_error *err)
{
    *model = (struct sl_order_model){.graph = graph, .node_count = graph->node_count};
    if (graph->node_count > MOST_NODES)
        return SL_FAIL(err, SL_NO, "an order is looked for among at most %u nodes; there are %u",
                       MOST_NODES, graph->node_count);
    size_t uses = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct sl_node *node = &graph->nodes[i];
        uses += (size_t)node->demands.count + node->workspace.count + node->takes.count +
                node->gives.count;
    }
    bool ok = number_stocks(model) &&
              allocate(model, (size_t)graph->edge_count + 2 * (size_t)graph->node_count, uses);
    if (ok && !pack_nodes(model, durations))
        return SL_FAIL(err, SL_NO, "the durations are too long to look for an order");
    if (!ok || !pack_links(model, keep_issue) || !pack_uses(model))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for an order");
    set_limits(model);
    if (!order_nodes(model))
        return SL_FAIL(err, SL_NO, "the order of submission is against that of the edges");
    return SL_OK;
}

static void turn_links(struct sl_order_model *turned, const struct sl_order_model *model)
{
    uint32_t n = model->node_count;
    for (uint32_t i = 0; i < n; i++)
        turned->link_start[i + 2] = model->before[i];
    for (uint32_t i = 2; i < n + 2; i++)
        turned->link_start[i] += turned->link_start[i - 1];
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t l = model->link_start[i]; l < model->link_start[i + 1]; l++) {
            const struct sl_order_link *link = &model->links[l];
            turned->links[turned->link_start[link->node + 1]++] =
                (struct sl_order_link){i, link->lag_ps};
        }
    count_before(turned);
}

enum sl_status sl_order_model_turn(struct sl_order_model *turned,
                                   const struct sl_order_model *model, struct sl_error *err)
{
    uint32_t n = model->node_count;
    *turned = (struct sl_order_model){
        .graph = model->graph, .node_count = n, .stock_count = model->stock_count};
    if (!allocate(turned, model->link_start[n], model->use_start[n]))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for an order");
    turn_links(turned, model);
    memcpy(turned->limit, model->limit, model->stock_count * sizeof *turned->limit);
    memcpy(turned->initial, model->initial, model->stock_count * sizeof *turned->initial);
    for (uint32_t i = 0; i < n; i++) {
        turned->topo[i] = model->topo[n - 1 - i];
        turned->runs[i] = model->runs[i];
        turned->span_ps[i] = model->span_ps[i];
        turned->deadline_ps[i] = INT64_MAX;
        turned->use_start[i + 1] = model->use_start[i + 1];
        for (uint32_t u = model->use_start[i]; u < model->use_start[i + 1]; u++) {
            const struct sl_order_use *use = &model->uses[u];
            turned->uses[u] = (struct sl_order_use){
                .stock = use->stock,
                .begin_ps = model->span_ps[i] - use->end_ps,
                .end_ps = model->span_ps[i] - use->begin_ps,
                .during = use->during - use->after,
                .after = -use->after,
            };
            turned->initial[use->stock] += use->after;
        }
    }
    return SL_OK;
}

void sl_order_model_free(struct sl_order_model *model)
{
    sl_arena_free(&model->arena);
    *model = (struct sl_order_model){0};
}

/* ---- bounds --------------------------------------------------------------------------------- */

void sl_order_heads(const struct sl_order_model *m, int64_t *head_ps)
{
    memcpy(head_ps, m->release_ps, m->node_count * sizeof *head_ps);
    for (uint32_t k = 0; k < m->node_count; k++) {
        uint32_t i = m->topo[k];
        for (uint32_t l = m->link_start[i]; l < m->link_start[i + 1]; l++) {
            int64_t at = head_ps[i] + m->span_ps[i] + m->links[l].lag_ps;
            if (at > head_ps[m->links[l].node])
                head_ps[m->links[l].node] = at;
        }
    }
}

void sl_order_tails(const struct sl_order_model *m, int64_t *tail_ps)
{
    for (uint32_t k = m->node_count; k-- > 0;) {
        uint32_t i = m->topo[k];
        int64_t behind = 0;
        for (uint32_t l = m->link_start[i]; l < m->link_start[i + 1]; l++) {
            int64_t tail = m->links[l].lag_ps + tail_ps[m->links[l].node];
            behind = tail > behind ? tail : behind;
        }
        tail_ps[i] = m->span_ps[i] + behind;
    }
}

void sl_order_latest(const struct sl_order_model *m, int64_t end_ps, int64_t *latest_ps)
{
    for (uint32_t k = m->node_count; k-- > 0;) {
        uint32_t i = m->topo[k];
        int64_t finish = m->deadline_ps[i] < end_ps ? m->deadline_ps[i] : end_ps;
        for (uint32_t l = m->link_start[i]; l < m->link_start[i + 1]; l++) {
            int64_t before = latest_ps[m->links[l].node] - m->links[l].lag_ps;
            finish = before < finish ? before : finish;
        }
        latest_ps[i] = finish - m->span_ps[i];
    }
}

int64_t sl_order_bound(const struct sl_order_model *m, const int64_t *head_ps,
                       const int64_t *tail_ps)
{
    int64_t bound = 0;
    for (uint32_t i = 0; i < m->node_count; i++)
        if (head_ps[i] + tail_ps[i] > bound)
            bound = head_ps[i] + tail_ps[i];
    for (uint32_t r = 0; r < m->graph->platform->resource_names.count; r++) {
        uint32_t stock = m->stock_of_resource[r];
        int64_t head = INT64_MAX, behind = INT64_MAX;
        double work = 0;
        for (uint32_t i = 0; stock != SL_NONE && i < m->node_count; i++)
            for (uint32_t u = m->use_start[i]; u < m->use_start[i + 1]; u++) {
                const struct sl_order_use *use = &m->uses[u];
                if (use->stock != stock || use->end_ps == 0)
                    continue;
                work += (double)use->during * (double)use->end_ps;
                head = head_ps[i] < head ? head_ps[i] : head;
                int64_t rest = tail_ps[i] - use->end_ps;
                behind = rest < behind ? rest : behind;
            }
        if (work > 0) {
            int64_t load = head + (int64_t)(work / (double)m->limit[stock]) + behind;
            bound = load > bound ? load : bound;
        }
    }
    return bound;
}

/* The rules as a machine of states: timers (a heap by time) and the waiting lists, one sorted array
 * per order.  An instant is what has ended, what became ready, one scan, and again while something
 * of no length has started. */
#include "config.h"

#include "replay_rules.h"
#include <stdlib.h>
#include <string.h>

enum what { END_OF_HOLD, FINISH, READY };

struct timer {
    int64_t t;
    uint32_t node;
    enum what what;
};

enum { LISTS = SL_ORDER_ISSUE + 1 };

struct list {
    uint32_t *nodes; /* waiting, sorted */
    uint32_t count;
};

struct sl_replay_rules {
    const struct sl_replay_plan *plan;
    void (*start)(void *user, uint32_t node);
    void *user;
    struct sl_arena arena;
    struct sl_replay_times *times;
    uint32_t *pending;
    bool *begun;
    int64_t *free;                         /* units by resource; INT64_MAX / 2: unlimited */
    int64_t *level;                        /* bytes by domain */
    bool *held;                            /* by holding */
    bool *resource_wanted, *domain_wanted; /* by those that stay behind in a scan */
    uint32_t *issue_head; /* by resource: the first node not begun, in the order of index */
    struct timer *timers;
    uint32_t timer_count;
    struct list lists[LISTS];
    uint32_t running, left;
    int64_t makespan;
    bool scan_needed;
};

/* ---- timers ---------------------------------------------------------------------------------- */

/* What falls on one instant is all done before its scan, so that its order doesn't show. */
static bool sooner(const struct timer *a, const struct timer *b)
{
    return a->t != b->t ? a->t < b->t : a->node < b->node;
}

static void push_timer(struct sl_replay_rules *rules, struct timer timer)
{
    struct timer *heap = rules->timers;
    uint32_t at = rules->timer_count++;
    for (; at > 0 && sooner(&timer, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = timer;
}

static struct timer pop_timer(struct sl_replay_rules *rules)
{
    struct timer *heap = rules->timers;
    struct timer first = heap[0], last = heap[--rules->timer_count];
    uint32_t at = 0;
    for (uint32_t child; (child = 2 * at + 1) < rules->timer_count; at = child) {
        child += child + 1 < rules->timer_count && sooner(&heap[child + 1], &heap[child]);
        if (!sooner(&heap[child], &last))
            break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return first;
}

int64_t sl_replay_rules_due(const struct sl_replay_rules *rules)
{
    return rules->timer_count ? rules->timers[0].t : INT64_MAX;
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void finish(struct sl_replay_rules *rules, uint32_t index, int64_t now)
{
    const struct sl_replay_plan *plan = rules->plan;
    const struct sl_replay_node *node = &plan->nodes[index];
    rules->left--;
    rules->makespan = now > rules->makespan ? now : rules->makespan;
    rules->scan_needed = true;
    for (uint32_t k = 0; k < node->amounts.count; k++) {
        const struct sl_replay_amount *amount = &plan->amounts[node->amounts.first + k];
        if (amount->holding == SL_NONE)
            rules->level[amount->domain] -= amount->bytes;
    }
    for (uint32_t k = 0; k < node->gives.count; k++) {
        uint32_t h = plan->gives[node->gives.first + k];
        if (!rules->held[h])
            continue;
        rules->held[h] = false;
        rules->level[plan->holdings[h].domain] -= plan->holdings[h].bytes;
    }
    for (uint32_t k = 0; k < node->followers.count; k++) {
        const struct sl_replay_edge *edge = &plan->edges[node->followers.first + k];
        int64_t *ready = &rules->times[edge->to].ready_ns;
        *ready = now + edge->lag_ns > *ready ? now + edge->lag_ns : *ready;
        if (--rules->pending[edge->to] == 0)
            push_timer(rules, (struct timer){*ready, edge->to, READY});
    }
}

static void end_hold(struct sl_replay_rules *rules, uint32_t index, int64_t now)
{
    const struct sl_replay_node *node = &rules->plan->nodes[index];
    for (uint32_t k = 0; k < node->demands.count; k++) {
        const struct sl_demand *demand = &rules->plan->demands[node->demands.first + k];
        if (rules->plan->resources[demand->resource].servers != SL_UNLIMITED)
            rules->free[demand->resource] += demand->units;
    }
    rules->times[index].end_ns = now;
    rules->scan_needed = true;
    if (node->latency_ns > 0)
        push_timer(rules, (struct timer){now + node->latency_ns, index, FINISH});
    else
        finish(rules, index, now);
}

void sl_replay_rules_end(struct sl_replay_rules *rules, uint32_t node, int64_t now)
{
    rules->running--;
    push_timer(rules, (struct timer){now, node, END_OF_HOLD});
}

/* ---- waiting --------------------------------------------------------------------------------- */

static bool before(const struct sl_replay_rules *rules, uint32_t a, uint32_t b)
{
    const struct sl_replay_node *nodes = rules->plan->nodes;
    int64_t ready_a = rules->times[a].ready_ns, ready_b = rules->times[b].ready_ns;
    if (nodes[a].key != nodes[b].key)
        return nodes[a].key < nodes[b].key;
    return ready_a != ready_b ? ready_a < ready_b : a < b;
}

static void join(struct sl_replay_rules *rules, uint32_t node)
{
    struct list *list = &rules->lists[rules->plan->nodes[node].order];
    uint32_t at = list->count++;
    for (; at > 0 && before(rules, node, list->nodes[at - 1]); at--)
        list->nodes[at] = list->nodes[at - 1];
    list->nodes[at] = node;
    rules->scan_needed = true;
}

static uint32_t list_resource(const struct sl_replay_plan *plan, uint32_t node)
{
    const struct sl_span *demands = &plan->nodes[node].demands;
    return demands->count ? plan->demands[demands->first].resource : SL_NONE;
}

/* The place of a resource's issue order: the first node, by index, that waits for it first and has
 * not begun. */
static uint32_t issue_head(struct sl_replay_rules *rules, uint32_t resource)
{
    uint32_t *head = &rules->issue_head[resource];
    while (*head < rules->plan->node_count &&
           (rules->begun[*head] || list_resource(rules->plan, *head) != resource))
        (*head)++;
    return *head;
}

static bool has_turn(struct sl_replay_rules *rules, uint32_t index)
{
    const struct sl_replay_node *node = &rules->plan->nodes[index];
    uint32_t resource = list_resource(rules->plan, index);
    return node->order != SL_ORDER_ISSUE || resource == SL_NONE ||
           issue_head(rules, resource) == index;
}

static bool is_blocked(const struct sl_replay_rules *rules, const struct sl_replay_node *node)
{
    for (uint32_t k = 0; k < node->demands.count; k++)
        if (rules->resource_wanted[rules->plan->demands[node->demands.first + k].resource])
            return true;
    for (uint32_t k = 0; k < node->amounts.count; k++)
        if (rules->domain_wanted[rules->plan->amounts[node->amounts.first + k].domain])
            return true;
    return false;
}

static bool has_units(const struct sl_replay_rules *rules, const struct sl_replay_node *node)
{
    for (uint32_t k = 0; k < node->demands.count; k++) {
        const struct sl_demand *demand = &rules->plan->demands[node->demands.first + k];
        if (rules->free[demand->resource] < demand->units)
            return false;
    }
    return true;
}

/* Amounts are sorted by domain; what is held already is not wanted again. */
static bool has_room(const struct sl_replay_rules *rules, const struct sl_replay_node *node)
{
    const struct sl_replay_amount *amounts = rules->plan->amounts + node->amounts.first;
    for (uint32_t k = 0; k < node->amounts.count;) {
        uint32_t domain = amounts[k].domain;
        int64_t want = 0;
        for (; k < node->amounts.count && amounts[k].domain == domain; k++)
            if (amounts[k].holding == SL_NONE || !rules->held[amounts[k].holding])
                want += amounts[k].bytes;
        if (want > rules->plan->limits[domain] - rules->level[domain])
            return false;
    }
    return true;
}

static void want(struct sl_replay_rules *rules, const struct sl_replay_node *node)
{
    for (uint32_t k = 0; k < node->demands.count; k++)
        rules->resource_wanted[rules->plan->demands[node->demands.first + k].resource] = true;
    for (uint32_t k = 0; k < node->amounts.count; k++)
        rules->domain_wanted[rules->plan->amounts[node->amounts.first + k].domain] = true;
}

/* ---- starts ---------------------------------------------------------------------------------- */

static void take_bytes(struct sl_replay_rules *rules, const struct sl_replay_node *node)
{
    for (uint32_t k = 0; k < node->amounts.count; k++) {
        const struct sl_replay_amount *amount = &rules->plan->amounts[node->amounts.first + k];
        if (amount->holding != SL_NONE) {
            if (rules->held[amount->holding])
                continue;
            rules->held[amount->holding] = true;
        }
        rules->level[amount->domain] += amount->bytes;
    }
}

static void begin(struct sl_replay_rules *rules, uint32_t index, int64_t now)
{
    const struct sl_replay_node *node = &rules->plan->nodes[index];
    for (uint32_t k = 0; k < node->demands.count; k++) {
        const struct sl_demand *demand = &rules->plan->demands[node->demands.first + k];
        if (rules->plan->resources[demand->resource].servers != SL_UNLIMITED)
            rules->free[demand->resource] -= demand->units;
    }
    take_bytes(rules, node);
    rules->begun[index] = true;
    rules->scan_needed = true;
    if (node->act == SL_REPLAY_WORK) {
        rules->running++;
        rules->start(rules->user, index);
        return;
    }
    rules->times[index].start_ns = now;
    push_timer(rules, (struct timer){now + (node->act == SL_REPLAY_DELAY ? node->hold_ns : 0),
                                     index, END_OF_HOLD});
}

static bool can_begin(struct sl_replay_rules *rules, uint32_t index)
{
    const struct sl_replay_node *node = &rules->plan->nodes[index];
    return has_turn(rules, index) && !(node->strict && is_blocked(rules, node)) &&
           has_units(rules, node) && has_room(rules, node);
}

static void scan(struct sl_replay_rules *rules, int64_t now)
{
    const struct sl_replay_plan *plan = rules->plan;
    rules->scan_needed = false;
    for (int order = 0; order < LISTS; order++) {
        struct list *list = &rules->lists[order];
        uint32_t kept = 0;
        memset(rules->resource_wanted, 0, plan->resource_count * sizeof *rules->resource_wanted);
        memset(rules->domain_wanted, 0, plan->domain_count * sizeof *rules->domain_wanted);
        for (uint32_t at = 0; at < list->count; at++) {
            uint32_t node = list->nodes[at];
            if (can_begin(rules, node)) {
                begin(rules, node, now);
            } else {
                want(rules, &plan->nodes[node]);
                list->nodes[kept++] = node;
            }
        }
        list->count = kept;
    }
}

/* Instant by instant: what fell due while nobody looked happened then. */
void sl_replay_rules_settle(struct sl_replay_rules *rules, int64_t now)
{
    while (sl_replay_rules_due(rules) <= now) {
        int64_t t = sl_replay_rules_due(rules);
        while (sl_replay_rules_due(rules) == t) {
            struct timer timer = pop_timer(rules);
            if (timer.what == END_OF_HOLD)
                end_hold(rules, timer.node, t);
            else if (timer.what == FINISH)
                finish(rules, timer.node, t);
            else
                join(rules, timer.node);
        }
        if (rules->scan_needed)
            scan(rules, t);
    }
}

/* ---- life ------------------------------------------------------------------------------------ */

static bool take_memory(struct sl_replay_rules *rules)
{
    const struct sl_replay_plan *plan = rules->plan;
    struct sl_arena *arena = &rules->arena;
    size_t nodes = (size_t)plan->node_count + 1, resources = (size_t)plan->resource_count + 1;
    size_t domains = (size_t)plan->domain_count + 1;
    bool listed = true;
    rules->pending = sl_arena_array(arena, nodes, sizeof *rules->pending);
    rules->begun = sl_arena_array(arena, nodes, sizeof *rules->begun);
    rules->timers = sl_arena_array(arena, nodes, sizeof *rules->timers); /* one each at most */
    rules->held = sl_arena_array(arena, (size_t)plan->holding_count + 1, sizeof *rules->held);
    rules->free = sl_arena_array(arena, resources, sizeof *rules->free);
    rules->issue_head = sl_arena_array(arena, resources, sizeof *rules->issue_head);
    rules->resource_wanted = sl_arena_array(arena, resources, sizeof *rules->resource_wanted);
    rules->level = sl_arena_array(arena, domains, sizeof *rules->level);
    rules->domain_wanted = sl_arena_array(arena, domains, sizeof *rules->domain_wanted);
    for (int order = 0; order < LISTS; order++) {
        rules->lists[order].nodes = sl_arena_array(arena, nodes, sizeof(uint32_t));
        listed &= rules->lists[order].nodes != NULL;
    }
    return listed && rules->pending && rules->begun && rules->timers && rules->held &&
           rules->free && rules->issue_head && rules->resource_wanted && rules->level &&
           rules->domain_wanted;
}

enum sl_status sl_replay_rules_create(struct sl_replay_rules **made,
                                      const struct sl_replay_plan *plan,
                                      void (*start)(void *user, uint32_t node), void *user,
                                      struct sl_error *err)
{
    struct sl_replay_rules *rules = calloc(1, sizeof *rules);
    *made = rules;
    if (rules) {
        rules->plan = plan;
        rules->start = start;
        rules->user = user;
        if (take_memory(rules))
            return SL_OK;
    }
    sl_replay_rules_free(rules);
    *made = NULL;
    return SL_FAIL(err, SL_SYSTEM, "out of memory");
}

void sl_replay_rules_free(struct sl_replay_rules *rules)
{
    if (!rules)
        return;
    sl_arena_free(&rules->arena);
    free(rules);
}

void sl_replay_rules_reset(struct sl_replay_rules *rules, struct sl_replay_times *times)
{
    const struct sl_replay_plan *plan = rules->plan;
    rules->times = times;
    rules->timer_count = rules->running = 0;
    rules->left = plan->node_count;
    rules->makespan = 0;
    for (int order = 0; order < LISTS; order++)
        rules->lists[order].count = 0;
    for (uint32_t r = 0; r < plan->resource_count; r++) {
        rules->issue_head[r] = 0;
        rules->free[r] = plan->resources[r].servers;
    }
    memset(rules->level, 0, plan->domain_count * sizeof *rules->level);
    for (uint32_t h = 0; h < plan->holding_count; h++) {
        rules->held[h] = plan->holdings[h].initial;
        if (rules->held[h])
            rules->level[plan->holdings[h].domain] += plan->holdings[h].bytes;
    }
    for (uint32_t i = 0; i < plan->node_count; i++) {
        times[i] = (struct sl_replay_times){plan->nodes[i].release_ns, -1, -1};
        rules->pending[i] = plan->nodes[i].pending;
        rules->begun[i] = false;
        if (rules->pending[i] == 0)
            push_timer(rules, (struct timer){times[i].ready_ns, i, READY});
    }
}

uint32_t sl_replay_rules_running(const struct sl_replay_rules *rules)
{
    return rules->running;
}

uint32_t sl_replay_rules_left(const struct sl_replay_rules *rules)
{
    return rules->left;
}

int64_t sl_replay_rules_makespan(const struct sl_replay_rules *rules)
{
    return rules->makespan;
}

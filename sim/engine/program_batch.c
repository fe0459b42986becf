/* Whether a plan's order is fixed, and then the plan by place in topological order.
 *
 * Fixed: every node starts when its last condition is met, in every trial, if only bytes suffice.
 * So nothing else may hold one up or change what it does - contention, guards, fallbacks, rules of
 * overlap, regimes, copies that leave - and units never lack: a limited resource has enough for all
 * of its users at once, or a path of edges and lanes leads from each of them to the next one in
 * topological order, so that one has ended when the next is ready.  Under issue order the index
 * must rise along that path, or a node would wait for its turn. */
#include "batch.h"
#include <stdlib.h>
#include <string.h>

/* ---- the predicate -----------------------------------------------------------------------------
 */

/* What rules a plan out at a glance. */
static const char *plain_refusal(const struct sl_program *p)
{
    uint32_t flags = 0;
    for (uint32_t i = 0; i < p->n; i++)
        flags |= p->hot[i].flags;
    if (p->planned < p->n || p->evictor)
        return "copies may leave while nodes run";
    if (p->cell_count)
        return "nodes contend";
    if (flags & NODE_GUARD)
        return "guards may skip nodes";
    if (flags & (NODE_PRIMARY | NODE_FALLBACK))
        return "fallbacks may take over";
    if (flags & NODE_OVERLAP)
        return "some nodes must not run beside others";
    return flags & NODE_REGIME ? "a factor changes its level while nodes run" : NULL;
}

/* The units of resource r that a node demands; 0: none. */
static uint32_t demanded(const struct sl_program *p, uint32_t node, uint32_t r)
{
    const struct range *range = &p->demand[node];
    for (uint32_t k = 0; k < range->count; k++)
        if (p->demands[range->first + k].resource == r)
            return p->demands[range->first + k].units;
    return 0;
}

/* Whether the users of r are a chain.  `reached` is scratch, by node: how many of them lead to it,
 * itself included, where all before the last lead to the last. */
static bool is_chain(struct sl_program *p, uint32_t r, uint32_t *reached)
{
    const struct resource_static *resource = &p->resources[r];
    const struct sl_node *nodes = p->graph->nodes;
    uint32_t count = 0, last = SL_NONE;
    memset(reached, 0, p->n * sizeof *reached);
    for (uint32_t k = 0; k < p->n; k++) {
        uint32_t node = p->graph->topo[k], units = demanded(p, node, r);
        bool turns = resource->order == SL_ORDER_ISSUE && last != SL_NONE && last > node;
        if (units && (reached[node] != count || turns || units > (uint64_t)resource->units)) {
            if (last != SL_NONE)
                p->batch_refusal =
                    sl_arena_printf(&p->arena, "on '%s' '%s' need not end before '%s' may start",
                                    p->graph->platform->resource_names.names[r], nodes[last].name,
                                    nodes[node].name);
            return false;
        }
        if (units) {
            reached[node] = ++count;
            last = node;
        }
        const struct succ *succ = p->succ + p->hot[node].succ_first;
        for (uint32_t s = 0; s < p->hot[node].succ_count; s++)
            if (reached[node] > reached[succ[s].to])
                reached[succ[s].to] = reached[node];
    }
    return true;
}

/* Finds the chains; false when the order is not fixed.  `units` is scratch, by resource: of all
 * users together. */
static bool find_chains(struct sl_program *p, struct batch_plan *plan, uint32_t *reached,
                        uint64_t *units)
{
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t k = 0; k < p->demand[i].count; k++) {
            const struct sl_demand *d = &p->demands[p->demand[i].first + k];
            units[d->resource] += d->units;
        }
    for (uint32_t r = 0; r < p->resource_count; r++) {
        const struct resource_static *resource = &p->resources[r];
        if (units[r] <= (uint64_t)resource->units && resource->order != SL_ORDER_ISSUE)
            continue;
        if (!is_chain(p, r, reached))
            return false;
        plan->is_chain[r] = true;
        plan->chain_resource[plan->chain_count++] = r;
    }
    return true;
}

/* True when the bytes of all nodes together may exceed what a domain has. */
static bool may_lack(const struct sl_program *p, int64_t *need)
{
    const struct sl_graph *g = p->graph;
    for (uint32_t h = 0; h < g->holding_count; h++)
        need[g->holdings[h].domain] += p->holding_bytes[h];
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t k = 0; k < p->amount[i].count; k++) {
            const struct amount *amount = &p->amounts[p->amount[i].first + k];
            if (amount->holding == SL_NONE &&
                __builtin_add_overflow(need[amount->domain], amount->bytes, &need[amount->domain]))
                return true;
        }
    for (uint32_t m = 0; m < p->domain_count; m++)
        if (p->domain_limit[m] != INT64_MAX &&
            (need[m] > p->domain_limit[m] || g->platform->domains[m].fragmentation))
            return true;
    return false;
}

/* ---- packing -----------------------------------------------------------------------------------
 */

/* Allocates from the plan's arena; false when out of memory. */
static bool take(struct batch_plan *plan, void *pointer, uint64_t count, size_t size)
{
    void *memory = sl_arena_array(&plan->arena, (size_t)count + 1, size);
    memcpy(pointer, &memory, sizeof memory);
    return memory != NULL;
}
#define TAKE(field, count) take(plan, &plan->field, (count), sizeof *plan->field)

/* A condition of a node, until it is sorted. */
struct condition {
    int64_t lag_ps;
    uint64_t why;
    uint32_t from;
};

/* In a tie the first binds: the order of causes, then of nodes. */
static int by_cause_then_node(const void *left, const void *right)
{
    uint64_t a = ((const struct condition *)left)->why, b = ((const struct condition *)right)->why;
    return (a > b) - (a < b);
}

/* Places, and how many conditions each has: its predecessors, a release, or that it waits for
 * nothing.  Returns their number, 0 for too many. */
static uint32_t place_nodes(const struct sl_program *p, struct batch_plan *plan, uint32_t *place)
{
    uint64_t total = 0;
    plan->in_order = true;
    for (uint32_t k = 0; k < p->n; k++) {
        uint32_t node = p->graph->topo[k];
        const struct node_run *run = &p->template[node];
        plan->node[k + 1] = node;
        plan->in_order &= node == k;
        place[node] = k + 1;
        plan->first[k + 1] = (uint32_t)total;
        total += run->pending + (!run->pending || run->ready);
        if (total > UINT32_MAX / 2)
            return 0;
    }
    plan->first[p->n + 1] = (uint32_t)total;
    plan->place_count = p->n;
    return (uint32_t)total;
}

/* `filled` is scratch, by node. */
static void gather_conditions(const struct sl_program *p, const struct batch_plan *plan,
                              const uint32_t *place, uint32_t *filled, struct condition *conditions)
{
    memset(filled, 0, p->n * sizeof *filled);
    for (uint32_t i = 0; i < p->n; i++) {
        const struct node_run *run = &p->template[i];
        if (!run->pending || run->ready)
            conditions[plan->first[place[i]] + filled[i]++] =
                (struct condition){run->ready, SL_BATCH_WHY(run->cause, SL_NONE), 0};
    }
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t s = 0; s < p->hot[i].succ_count; s++) {
            uint32_t at = p->hot[i].succ_first + s, to = p->succ[at].to;
            conditions[plan->first[place[to]] + filled[to]++] =
                (struct condition){p->succ_lag[at], SL_BATCH_WHY(p->succ[at].cause, i), place[i]};
        }
}

static bool pack_conditions(const struct sl_program *p, struct batch_plan *plan, uint32_t *place,
                            uint32_t *filled)
{
    if (!TAKE(node, p->n + 1) || !TAKE(first, p->n + 2))
        return false;
    uint32_t total = place_nodes(p, plan, place);
    struct condition *conditions = malloc(((size_t)total + 1) * sizeof *conditions);
    if (!conditions || !TAKE(from, total) || !TAKE(lag_ps, total) || !TAKE(why, total) ||
        (p->n && !total)) {
        free(conditions);
        return false;
    }
    gather_conditions(p, plan, place, filled, conditions);
    for (uint32_t k = 1; k <= p->n; k++)
        qsort(conditions + plan->first[k], plan->first[k + 1] - plan->first[k], sizeof *conditions,
              by_cause_then_node);
    for (uint32_t c = 0; c < total; c++) {
        plan->why[c] = conditions[c].why;
        plan->lag_ps[c] = conditions[c].lag_ps;
        plan->any_lag |= conditions[c].lag_ps != 0;
        plan->from[c] = conditions[c].from;
    }
    free(conditions);
    return true;
}

/* The chain of the node's first demand that has one; SL_NONE. */
static uint32_t chain_of(const struct sl_program *p, const struct batch_plan *plan, uint32_t node)
{
    for (uint32_t k = 0; k < p->demand[node].count; k++)
        for (uint32_t c = 0; c < plan->chain_count; c++)
            if (p->demands[p->demand[node].first + k].resource == plan->chain_resource[c])
                return c;
    return SL_NONE;
}

/* A class that runs for some time. */
static bool is_timed(const struct sl_program *p, uint32_t node)
{
    return p->hot[node].klass != SL_NONE && p->graph->nodes[node].dist;
}

/* Whether each class has all its nodes on one chain; `chain` is scratch, by class. */
static bool classes_by_chain(const struct sl_program *p, const struct batch_plan *plan,
                             uint32_t *chain)
{
    memset(chain, 0xff, p->class_count * sizeof *chain);
    for (uint32_t i = 0; i < p->n; i++) {
        if (!is_timed(p, i))
            continue;
        uint32_t *known = &chain[p->hot[i].klass], c = chain_of(p, plan, i);
        if (c == SL_NONE || (*known != SL_NONE && *known != c))
            return false;
        *known = c;
    }
    return true;
}

static bool is_of_one_class(const struct batch_plan *plan, const struct range *timed)
{
    const uint32_t *places = plan->timed_places + timed->first;
    for (uint32_t k = 1; k < timed->count; k++)
        if (plan->klass[places[k]] != plan->klass[places[0]])
            return false;
    return true;
}

/* The nodes of a chain; those of them that have their class there. */
static void list_chain(const struct sl_program *p, struct batch_plan *plan, uint32_t c,
                       uint32_t *user_count, uint32_t *place_count)
{
    struct range *users = &plan->users[c], *timed = &plan->timed[plan->timed_count];
    *users = (struct range){*user_count, 0};
    *timed = (struct range){*place_count, 0};
    for (uint32_t place = 1; place <= p->n; place++) {
        uint32_t node = plan->node[place];
        if (demanded(p, node, plan->chain_resource[c]))
            plan->user_nodes[users->first + users->count++] = node;
        if (plan->classes_by_chain && is_timed(p, node) && chain_of(p, plan, node) == c)
            plan->timed_places[timed->first + timed->count++] = place;
    }
    *user_count += users->count;
    plan->own_class[c] = SL_NONE;
    if (!timed->count)
        return;
    if (timed->count == users->count && is_of_one_class(plan, timed))
        plan->own_class[c] = plan->klass[plan->timed_places[timed->first]];
    plan->timed_places[timed->first + timed->count] = p->n + 1;
    *place_count += timed->count + 1;
    plan->timed_count++;
}

static bool has_few_chains(const struct batch_plan *plan)
{
    bool few = plan->timed_count > 0 && plan->timed_count <= SL_BATCH_CHAINS;
    for (uint32_t c = 0; c < plan->timed_count && few; c++)
        few = is_of_one_class(plan, &plan->timed[c]);
    return few;
}

static bool pack_chains(const struct sl_program *p, struct batch_plan *plan)
{
    uint64_t users = 0, timed = plan->chain_count;
    uint32_t user_count = 0, place_count = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        users += p->demand[i].count;
        timed += is_timed(p, i);
    }
    if (!TAKE(users, plan->chain_count) || !TAKE(user_nodes, users) ||
        !TAKE(own_class, plan->chain_count) || !TAKE(timed, plan->chain_count) ||
        !TAKE(timed_places, timed) || !TAKE(klass, p->n + 2))
        return false;
    for (uint32_t place = 1; place <= p->n; place++)
        if (is_timed(p, plan->node[place]))
            plan->klass[place] = p->hot[plan->node[place]].klass;
    for (uint32_t c = 0; c < plan->chain_count; c++)
        list_chain(p, plan, c, &user_count, &place_count);
    plan->few_chains = has_few_chains(plan);
    return true;
}

/* Nodes with bytes, with units of no chain, or with a class that is not on one chain. */
static bool is_replayed(const struct sl_program *p, const struct batch_plan *plan, uint32_t node)
{
    bool replayed = p->hot[node].flags & (NODE_BYTES | NODE_GIVES) ||
                    (!plan->classes_by_chain && is_timed(p, node));
    for (uint32_t k = 0; k < p->demand[node].count; k++)
        replayed |= !plan->is_chain[p->demands[p->demand[node].first + k].resource];
    return replayed;
}

static bool pack_replayed(const struct sl_program *p, struct batch_plan *plan)
{
    for (uint32_t i = 0; i < p->n; i++)
        plan->replayed_count += is_replayed(p, plan, i);
    if (!TAKE(replayed, plan->replayed_count))
        return false;
    plan->replayed_count = 0;
    for (uint32_t k = 1; k <= p->n; k++)
        if (is_replayed(p, plan, plan->node[k]))
            plan->replayed[plan->replayed_count++] = k;
    return true;
}

/* Packs a plan whose chains are found; false when out of memory. */
static bool pack(const struct sl_program *p, struct batch_plan *plan, uint32_t *scratch)
{
    uint32_t *chain = malloc(((size_t)p->class_count + 1) * sizeof *chain);
    int64_t *need = calloc((size_t)p->domain_count + 1, sizeof *need);
    bool ok = chain && need && pack_conditions(p, plan, scratch, scratch + p->n);
    if (ok) {
        plan->classes_by_chain = classes_by_chain(p, plan, chain);
        plan->may_lack = may_lack(p, need);
        ok = pack_chains(p, plan) && pack_replayed(p, plan);
    }
    free(chain);
    free(need);
    return ok;
}

void sl_batch_plan_free(struct batch_plan *plan)
{
    if (plan)
        sl_arena_free(&plan->arena);
    free(plan);
}

enum sl_status sl_program_pack_batch(struct sl_program *p, struct sl_error *err)
{
    p->batch_refusal = plain_refusal(p);
    if (p->batch_refusal)
        return SL_OK;
    struct batch_plan *plan = calloc(1, sizeof *plan);
    uint32_t *scratch = malloc(((size_t)p->n + 1) * 2 * sizeof *scratch);
    uint64_t *units = calloc((size_t)p->resource_count + 1, sizeof *units);
    bool ok = plan && scratch && units && TAKE(is_chain, p->resource_count) &&
              TAKE(chain_resource, p->resource_count);
    if (ok && find_chains(p, plan, scratch, units)) {
        ok = pack(p, plan, scratch);
        p->batch = ok ? plan : NULL;
    }
    if (!p->batch)
        sl_batch_plan_free(plan);
    free(scratch);
    free(units);
    return ok ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
}

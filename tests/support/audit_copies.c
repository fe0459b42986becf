/* Audit of memory: every copy is there and valid while it is used, nobody writes what another one
 * uses at the time, conflicting uses keep the order of the rows, and the levels of every domain are
 * the bytes of what is held. */
#include <config.h>

#include "record_audit.h"
#include <stdlib.h>
#include <string.h>

#define NEVER INT64_MAX

/* From the start of what takes it to the finish of what gives it back, and the iteration of that
 * taker: later ones may use what is carried over. */
struct stretch {
    int64_t begin, end;
    uint32_t iteration;
};

/* A node that ran and a copy that it reads, writes, or only needs room for. */
enum way { READS, WRITES, NEEDS_ROOM };
struct use {
    uint32_t copy, node; /* copy: object x domains + domain */
    enum way way;
    uint32_t holding; /* that covers it; SL_NONE */
};
struct uses {
    struct use *items;
    uint32_t count, capacity;
};

static void add_use(struct uses *uses, uint32_t copy, uint32_t node, enum way way)
{
    if (!sl_grow((void **)&uses->items, &uses->capacity, uses->count + 1, sizeof *uses->items))
        abort();
    uses->items[uses->count++] = (struct use){copy, node, way, SL_NONE};
}

static int compare_uses(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    if (x->copy != y->copy)
        return x->copy < y->copy ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static struct uses gather(const struct audit *a)
{
    const struct sl_graph *g = a->graph;
    uint32_t domains = g->platform->domain_names.count;
    struct uses uses = {0};
    for (uint32_t i = 0; i < g->node_count; i++) {
        const struct sl_node *node = &g->nodes[i];
        if (!audit_ran(a, i))
            continue;
        const struct sl_span lists[] = {node->inputs, node->outputs};
        for (uint32_t l = 0; l < 2; l++)
            for (uint32_t k = 0; k < lists[l].count; k++) {
                uint32_t o = sl_object_root(g, g->objects_pool[lists[l].first + k]).i;
                add_use(&uses, o * domains + g->objects[o].home, i, l ? WRITES : READS);
            }
        if (node->object.i == SL_NONE || node->kind == SL_RECLAMATION)
            continue;
        uint32_t o = sl_object_root(g, node->object).i, home = g->objects[o].home;
        if (sl_node_moves(node->kind))
            add_use(&uses, o * domains + node->from, i, READS);
        add_use(&uses, o * domains + (node->to == SL_NONE ? home : node->to), i,
                sl_node_moves(node->kind)  ? WRITES
                : node->kind == SL_BARRIER ? READS
                                           : NEEDS_ROOM);
    }
    if (uses.count > 0)
        qsort(uses.items, uses.count, sizeof *uses.items, compare_uses);
    return uses;
}

static struct stretch begin_of(const struct audit *a, uint32_t holding)
{
    const struct sl_graph *g = a->graph;
    struct stretch stretch = {g->holdings[holding].initial ? 0 : NEVER, NEVER, 0};
    for (uint32_t i = 0; i < g->node_count; i++)
        for (uint32_t k = 0; audit_ran(a, i) && k < g->nodes[i].takes.count; k++)
            if (g->holdings_pool[g->nodes[i].takes.first + k] == holding &&
                a->trial->start_ps[i] < stretch.begin) {
                stretch.begin = a->trial->start_ps[i];
                stretch.iteration = audit_iteration(a, i);
            }
    return stretch;
}

/* Who is skipped or cancelled gives back staging that waited for its end, but no object. */
static struct stretch *find_stretches(const struct audit *a)
{
    const struct sl_graph *g = a->graph;
    struct stretch *all = malloc((g->holding_count + 1u) * sizeof *all);
    for (uint32_t h = 0; h < g->holding_count; h++)
        all[h] = begin_of(a, h);
    for (uint32_t i = 0; i < g->node_count; i++)
        for (uint32_t k = 0; k < g->nodes[i].gives.count; k++) {
            uint32_t h = g->holdings_pool[g->nodes[i].gives.first + k];
            bool gives = audit_ran(a, i) || (a->trial->state[i] != SL_UNFINISHED &&
                                             g->holdings[h].kind == SL_HOLD_STAGING);
            int64_t t = a->trial->finish_ps[i];
            if (gives && all[h].begin != NEVER && t >= all[h].begin && t < all[h].end)
                all[h].end = t;
        }
    return all;
}

/* ---- copies ---------------------------------------------------------------------------------- */

struct span_of_uses {
    struct use *uses; /* of one copy */
    uint32_t count;
};

/* The holding is there all the time; it is of the node's own iteration or of one before. */
static bool covers(const struct audit *a, uint32_t h, const struct stretch *held,
                   const struct use *use)
{
    const struct sl_holding *holding = &a->graph->holdings[h];
    uint32_t domains = a->graph->platform->domain_names.count;
    return holding->kind == SL_HOLD_OBJECT &&
           holding->object.i * domains + holding->domain == use->copy &&
           held->iteration <= audit_iteration(a, use->node) &&
           held->begin <= a->trial->start_ps[use->node] &&
           a->trial->finish_ps[use->node] <= held->end;
}

/* Something was written into this holding before, or it was valid from the start. */
static bool is_valid(const struct audit *a, const struct span_of_uses *all, uint32_t holding,
                     const struct stretch *held, const struct use *use)
{
    if (a->graph->holdings[holding].initial)
        return true;
    for (uint32_t i = 0; i < all->count; i++) {
        uint32_t writer = all->uses[i].node;
        if (all->uses[i].way == WRITES && writer != use->node &&
            a->trial->start_ps[writer] >= held->begin &&
            a->trial->finish_ps[writer] <= a->trial->start_ps[use->node])
            return true;
    }
    return false;
}

/* Chunk i of one hop and chunk k of the next touch different bytes of the copy between them. */
static bool are_other_chunks(const struct audit *a, uint32_t x, uint32_t y)
{
    const struct sl_node *nodes[2] = {&a->graph->nodes[x], &a->graph->nodes[y]};
    unsigned long chunk[2];
    for (int i = 0; i < 2; i++) {
        const char *number = strrchr(nodes[i]->name, '/');
        chunk[i] = number ? strtoul(number + 1, NULL, 10) : 1;
    }
    return nodes[0]->derived && nodes[1]->derived && chunk[0] != chunk[1] &&
           (nodes[0]->to == nodes[1]->from || nodes[1]->to == nodes[0]->from);
}

static void check_conflicts(struct audit *a, const struct span_of_uses *all)
{
    const struct sl_trial *t = a->trial;
    for (uint32_t i = 0; i < all->count; i++)
        for (uint32_t k = 0; k < i; k++) {
            uint32_t x = all->uses[k].node, y = all->uses[i].node; /* x < y: rows */
            if (x == y || (all->uses[i].way != WRITES && all->uses[k].way != WRITES) ||
                (audit_iteration(a, x) != audit_iteration(a, y) &&
                 all->uses[i].holding != all->uses[k].holding))
                continue;
            if (are_other_chunks(a, x, y))
                continue;
            bool both_given = !a->graph->nodes[x].derived && !a->graph->nodes[y].derived;
            if ((t->start_ps[x] < t->finish_ps[y] && t->start_ps[y] < t->finish_ps[x]) ||
                (both_given && t->start_ps[y] < t->finish_ps[x]))
                audit_fault(
                    a, "'%s' and '%s' use an object that one of them writes, and are not in order",
                    a->graph->nodes[x].name, a->graph->nodes[y].name);
        }
}

/* The last iteration's of the copies that will do: where one ends at the instant at which the next
 * begins, a node without duration is in both. */
static void choose_copy(struct audit *a, const struct span_of_uses *all, const struct stretch *held,
                        struct use *use)
{
    uint32_t domains = a->graph->platform->domain_names.count;
    bool contents = use->way == READS && a->graph->nodes[use->node].kind != SL_BARRIER;
    bool there = false;
    for (uint32_t h = 0; h < a->graph->holding_count; h++) {
        if (!covers(a, h, &held[h], use))
            continue;
        there = true;
        if ((!contents || is_valid(a, all, h, &held[h], use)) &&
            (use->holding == SL_NONE || held[h].iteration > held[use->holding].iteration))
            use->holding = h;
    }
    if (use->holding == SL_NONE)
        audit_fault(a,
                    there ? "'%s' reads '%s' before it is valid"
                          : "'%s' uses '%s', of which no copy is there all the time",
                    a->graph->nodes[use->node].name, a->graph->objects[use->copy / domains].name);
}

static void check_copy(struct audit *a, const struct span_of_uses *all, const struct stretch *held)
{
    for (uint32_t i = 0; i < all->count; i++)
        choose_copy(a, all, held, &all->uses[i]);
    check_conflicts(a, all);
}

/* What is still held in the end: persistent objects, what was there and nobody touched, and what
 * the next iteration would begin with. */
static void check_rest(struct audit *a, const struct stretch *held)
{
    for (uint32_t h = 0; h < a->graph->holding_count && a->trial->outcome == SL_DONE; h++) {
        const struct sl_holding *holding = &a->graph->holdings[h];
        if (held[h].begin == NEVER || held[h].end != NEVER)
            continue;
        if (holding->kind == SL_HOLD_STAGING)
            audit_fault(a, "staging is never released");
        else if (!holding->initial && !a->graph->objects[holding->object.i].persist &&
                 (a->iterations == 1 || a->graph->objects[holding->object.i].initial == SL_NONE))
            audit_fault(a, "a copy of '%s' is never reclaimed",
                        a->graph->objects[holding->object.i].name);
    }
}

/* ---- levels ---------------------------------------------------------------------------------- */

enum part { OBJECTS, WORKSPACE, STAGING, PARTS };
struct change {
    int64_t t_ps, bytes;
    uint32_t domain;
    enum part part;
};
struct changes {
    struct change *items;
    uint32_t count, capacity;
};

static void add_change(struct changes *all, int64_t t_ps, uint32_t domain, enum part part,
                       int64_t bytes)
{
    if (!sl_grow((void **)&all->items, &all->capacity, all->count + 1, sizeof *all->items))
        abort();
    all->items[all->count++] = (struct change){t_ps, bytes, domain, part};
}

static int compare_changes(const void *a, const void *b)
{
    int64_t x = ((const struct change *)a)->t_ps, y = ((const struct change *)b)->t_ps;
    return x < y ? -1 : x > y;
}

static struct changes gather_changes(const struct audit *a, const struct stretch *held)
{
    const struct sl_graph *g = a->graph;
    struct changes all = {0};
    for (uint32_t h = 0; h < g->holding_count; h++) {
        const struct sl_holding *holding = &g->holdings[h];
        bool staging = holding->kind == SL_HOLD_STAGING;
        int64_t unit = staging ? 1 : g->platform->domains[holding->domain].rounding;
        int64_t bytes = (holding->bytes + unit - 1) / unit * unit;
        if (held[h].begin == NEVER)
            continue;
        add_change(&all, held[h].begin, holding->domain, staging ? STAGING : OBJECTS, bytes);
        if (held[h].end != NEVER)
            add_change(&all, held[h].end, holding->domain, staging ? STAGING : OBJECTS, -bytes);
    }
    for (uint32_t i = 0; i < g->node_count; i++)
        for (uint32_t k = 0; audit_ran(a, i) && k < g->nodes[i].workspace.count; k++) {
            const struct sl_amount *amount = &g->amounts[g->nodes[i].workspace.first + k];
            add_change(&all, a->trial->start_ps[i], amount->domain, WORKSPACE, amount->bytes);
            add_change(&all, a->trial->finish_ps[i], amount->domain, WORKSPACE, -amount->bytes);
        }
    qsort(all.items, all.count, sizeof *all.items, compare_changes);
    return all;
}

static void check_step(struct audit *a, const struct sl_level_step *step)
{
    const struct sl_domain *domain = &a->graph->platform->domains[step->domain];
    int64_t level = step->object_bytes + step->workspace_bytes + step->staging_bytes;
    if (step->object_bytes < 0 || step->workspace_bytes < 0 || step->staging_bytes < 0 ||
        (domain->capacity >= 0 && level > domain->capacity - domain->reserve))
        audit_fault(a, "the level of domain %u left its range at %lld ps", step->domain,
                    (long long)step->t_ps);
}

/* After all changes of each point in time, the recorded levels are the bytes that are held. */
static void check_levels(struct audit *a, const struct stretch *held)
{
    struct changes changes = gather_changes(a, held);
    int64_t expected[16][PARTS] = {{0}}, recorded[16][PARTS] = {{0}};
    uint32_t at = 0;
    size_t step = 0;
    while (at < changes.count || step < a->trial->step_count) {
        int64_t now = at < changes.count ? changes.items[at].t_ps : NEVER;
        if (step < a->trial->step_count && a->trial->steps[step].t_ps < now)
            now = a->trial->steps[step].t_ps;
        for (; at < changes.count && changes.items[at].t_ps == now; at++)
            expected[changes.items[at].domain][changes.items[at].part] += changes.items[at].bytes;
        for (; step < a->trial->step_count && a->trial->steps[step].t_ps == now; step++) {
            const struct sl_level_step *s = &a->trial->steps[step];
            const int64_t levels[] = {s->object_bytes, s->workspace_bytes, s->staging_bytes};
            check_step(a, s);
            memcpy(recorded[s->domain], levels, sizeof levels);
        }
        if (memcmp(expected, recorded, sizeof expected) != 0)
            audit_fault(a, "the levels at %lld ps are not the bytes that are held", (long long)now);
    }
    free(changes.items);
}

void audit_copies(struct audit *a)
{
    struct uses uses = gather(a);
    struct stretch *held = find_stretches(a);
    for (uint32_t first = 0, end; first < uses.count; first = end) {
        for (end = first + 1; end < uses.count && uses.items[end].copy == uses.items[first].copy;)
            end++;
        check_copy(a, &(struct span_of_uses){&uses.items[first], end - first}, held);
    }
    check_rest(a, held);
    check_levels(a, held);
    free(uses.items);
    free(held);
}

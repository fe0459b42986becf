/* Which rows of two devices differ. */
#include "config.h"

#include "swap.h"
#include "text.h"
#include <string.h>

static enum sl_status no_memory(struct sl_error *err)
{
    return SL_FAIL(err, SL_SYSTEM, "out of memory for the rows of two devices");
}

/* ---- finding -----------------------------------------------------------------------------------
 */

static const char *name_at(const struct sl_names *names, uint32_t index)
{
    return index == SL_NONE ? "" : names->names[index];
}

static const struct sl_route *other_route(const struct sl_swaps *s, const struct sl_route *route)
{
    const struct sl_names *from = &s->from->platform.domain_names,
                          *to = &s->to->platform.domain_names;
    uint32_t a = sl_names_find(to, from->names[route->from]);
    uint32_t b = sl_names_find(to, from->names[route->to]);
    return a == SL_NONE || b == SL_NONE ? NULL : sl_platform_route(&s->to->platform, a, b);
}

static bool same_dist(const struct sl_dist *a, const struct sl_dist *b)
{
    return a == b || (a && b && sl_dist_mean(a) == sl_dist_mean(b) &&
                      sl_dist_quantile(a, 0.9) == sl_dist_quantile(b, 0.9));
}

static bool same_route(const struct sl_route *a, const struct sl_route *b)
{
    return a->bandwidth == b->bandwidth && a->overhead_ps == b->overhead_ps &&
           a->latency_ps == b->latency_ps && a->chunk == b->chunk && a->pipeline == b->pipeline &&
           same_dist(a->noise, b->noise);
}

/* Whether its time is a route's, which is swapped as such. */
static bool is_moved(const struct sl_scenario *scenario, const struct sl_node *node)
{
    return sl_platform_route(&scenario->platform, node->from, node->to) != NULL;
}

static bool same_cost(const struct sl_node *a, const struct sl_node *b)
{
    bool same_times =
        a->times == b->times || (a->times && b->times && a->times_mean == b->times_mean);
    return a->scale == b->scale && a->latency_scale == b->latency_scale && same_times &&
           same_dist(a->dist, b->dist);
}

static bool class_differs(const struct sl_swaps *s, uint32_t klass)
{
    for (uint32_t i = 0; i < s->from->graph->node_count; i++) {
        const struct sl_node *node = &s->from->graph->nodes[i];
        if (node->klass == klass && !is_moved(s->from, node) &&
            !same_cost(node, &s->to->graph->nodes[i]))
            return true;
    }
    return false;
}

static bool add(struct sl_swaps *s, enum sl_swap_what what, uint32_t index, uint32_t other,
                const char *name)
{
    s->items[s->count] = (struct sl_swap){what, index, other, name};
    s->count += name != NULL;
    return name != NULL;
}

static const char *row_name(const struct sl_kappa *kappa, const struct sl_kappa_row *row,
                            struct sl_arena *arena)
{
    const char *text =
        sl_arena_printf(arena, "kappa of %s beside ", kappa->classes.names[row->victim]);
    for (uint32_t i = 0; text && i < row->set_size; i++)
        text =
            sl_arena_printf(arena, "%s%s%s", text, i ? "+" : "", kappa->classes.names[row->set[i]]);
    return text;
}

/* The row of the same classes by name; classes of a set are in the order of indices, which may be
 * another one. */
static uint32_t other_row(const struct sl_kappa *from, const struct sl_kappa *to,
                          const struct sl_kappa_row *row)
{
    uint32_t victim = sl_names_find(&to->classes, from->classes.names[row->victim]);
    for (uint32_t r = 0; victim != SL_NONE && r < to->row_count; r++) {
        const struct sl_kappa_row *other = &to->rows[r];
        uint32_t left = row->set_size;
        bool used[SL_KAPPA_SET_MAX] = {false};
        if (other->victim != victim || other->set_size != row->set_size)
            continue;
        for (uint32_t i = 0; i < row->set_size; i++)
            for (uint32_t k = 0; k < row->set_size; k++)
                if (!used[k] && strcmp(from->classes.names[row->set[i]],
                                       to->classes.names[other->set[k]]) == 0) {
                    used[k] = true;
                    left--;
                    break;
                }
        if (left == 0)
            return r;
    }
    return SL_NONE;
}

/* Nodes that planning adds are of a node's class or of a route's. */
static bool is_used(const struct sl_swaps *s, const char *klass)
{
    const struct sl_graph *graph = s->from->graph;
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (strcmp(klass, name_at(&graph->platform->kappa.classes, graph->nodes[i].klass)) == 0)
            return true;
    const struct sl_platform *const platforms[] = {&s->from->platform, &s->to->platform};
    for (int side = 0; side < 2; side++)
        for (uint32_t r = 0; r < platforms[side]->route_count; r++)
            if (strcmp(klass, name_at(&platforms[side]->kappa.classes,
                                      platforms[side]->routes[r].klass)) == 0)
                return true;
    return false;
}

static bool find_classes(struct sl_swaps *s, struct sl_arena *arena)
{
    const struct sl_names *classes = &s->from->platform.kappa.classes;
    for (uint32_t c = 0; c < classes->count; c++)
        if (class_differs(s, c) &&
            !add(s, SL_SWAP_CLASS, c, SL_NONE,
                 sl_arena_printf(arena, "durations of %s", classes->names[c])))
            return false;
    return !class_differs(s, SL_NONE) ||
           add(s, SL_SWAP_CLASS, SL_NONE, SL_NONE, "durations without a class");
}

static bool find_routes(struct sl_swaps *s, struct sl_arena *arena)
{
    const struct sl_platform *platform = &s->from->platform;
    for (uint32_t r = 0; r < platform->route_count; r++) {
        const struct sl_route *route = &platform->routes[r], *other = other_route(s, route);
        if (other && !same_route(route, other) &&
            !add(s, SL_SWAP_ROUTE, r, (uint32_t)(other - s->to->platform.routes),
                 sl_arena_printf(arena, "route %s->%s", platform->domain_names.names[route->from],
                                 platform->domain_names.names[route->to])))
            return false;
    }
    return true;
}

static bool find_kappas(struct sl_swaps *s, struct sl_arena *arena)
{
    const struct sl_kappa *from = &s->from->platform.kappa, *to = &s->to->platform.kappa;
    for (uint32_t r = 0; r < from->row_count; r++) {
        uint32_t other = other_row(from, to, &from->rows[r]);
        if (other != SL_NONE && from->rows[r].kappa != to->rows[other].kappa &&
            !add(s, SL_SWAP_KAPPA, r, other, row_name(from, &from->rows[r], arena)))
            return false;
    }
    return true;
}

static const char *stand_in(const struct sl_kappa *kappa, struct sl_arena *arena)
{
    return kappa->unknown == SL_UNKNOWN_NUMBER
               ? sl_arena_printf(arena, "%.4g", kappa->unknown_value)
           : kappa->unknown == SL_UNKNOWN_FORBID ? "forbidden"
                                                 : "both corners";
}

/* How slowdowns of more than a pair are composed, and what stands for pairs without one.  A rule
 * that goes by demands on links brings them along, and is in no row. */
static bool find_rules(struct sl_swaps *s, struct sl_arena *arena)
{
    const struct sl_kappa *from = &s->from->platform.kappa, *to = &s->to->platform.kappa;
    bool plain = from->demand_count == 0 && to->demand_count == 0;
    if (plain && from->rule != to->rule &&
        !add(s, SL_SWAP_RULE, SL_NONE, SL_NONE,
             sl_arena_printf(arena, "composition by %s instead of %s", to->rule->name,
                             from->rule->name)))
        return false;
    bool same = from->unknown == to->unknown &&
                (from->unknown != SL_UNKNOWN_NUMBER || from->unknown_value == to->unknown_value);
    if (same)
        return true;
    const char *before = stand_in(from, arena), *after = stand_in(to, arena);
    return before && after &&
           add(s, SL_SWAP_UNKNOWN, SL_NONE, SL_NONE,
               sl_arena_printf(arena, "pairs without a slowdown: %s instead of %s", after, before));
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_factor(const struct sl_factor *a, const struct sl_factor *b)
{
    return a->is_regime == b->is_regime && a->scope == b->scope && a->p == b->p &&
           a->level == b->level && a->dwell_ps == b->dwell_ps && same_dist(a->draw, b->draw) &&
           same_text(a->classes, b->classes) && same_text(a->nodes, b->nodes) &&
           same_text(a->routes, b->routes) && same_text(a->with, b->with);
}

/* Whether it may multiply something: one that goes by classes alone does so if these are used. */
static bool may_apply(const struct sl_swaps *s, const struct sl_factor *factor)
{
    if (factor->nodes || factor->routes)
        return true;
    const struct sl_scenario *const sides[] = {s->from, s->to};
    for (int side = 0; factor->classes && side < 2; side++) {
        const struct sl_names *classes = &sides[side]->platform.kappa.classes;
        for (uint32_t c = 0; c < classes->count; c++)
            if (sl_glob_any(factor->classes, classes->names[c]) && is_used(s, classes->names[c]))
                return true;
    }
    return false;
}

static uint32_t find_factor(const struct sl_graph *graph, const char *name)
{
    for (uint32_t f = 0; f < graph->factor_count; f++)
        if (strcmp(graph->factors[f].name, name) == 0)
            return f;
    return SL_NONE;
}

static bool add_factor(struct sl_swaps *s, uint32_t index, uint32_t other, struct sl_arena *arena)
{
    const struct sl_factor *old = index == SL_NONE ? NULL : &s->from->graph->factors[index];
    const struct sl_factor *now = other == SL_NONE ? NULL : &s->to->graph->factors[other];
    if ((old && now && same_factor(old, now)) ||
        !((old && may_apply(s, old)) || (now && may_apply(s, now))))
        return true;
    return add(s, SL_SWAP_FACTOR, index, other,
               sl_arena_printf(arena, "factor %s", old ? old->name : now->name));
}

/* A factor that only one of the two has counts as 1 on the other one. */
static bool find_factors(struct sl_swaps *s, struct sl_arena *arena)
{
    const struct sl_graph *from = s->from->graph, *to = s->to->graph;
    for (uint32_t f = 0; f < from->factor_count; f++)
        if (!add_factor(s, f, find_factor(to, from->factors[f].name), arena))
            return false;
    for (uint32_t f = 0; f < to->factor_count; f++)
        if (find_factor(from, to->factors[f].name) == SL_NONE && !add_factor(s, SL_NONE, f, arena))
            return false;
    return true;
}

static bool note(struct sl_swaps *s, const char *text)
{
    s->others[s->other_count] = text;
    s->other_count += text != NULL;
    return text != NULL;
}

static bool all_used(const struct sl_swaps *s, const struct sl_kappa *kappa,
                     const struct sl_kappa_row *row)
{
    bool used = is_used(s, kappa->classes.names[row->victim]);
    for (uint32_t i = 0; used && i < row->set_size; i++)
        used = is_used(s, kappa->classes.names[row->set[i]]);
    return used;
}

/* Slowdowns that only one of the two tables has. */
static bool find_unmatched(struct sl_swaps *s, struct sl_arena *arena)
{
    const struct sl_kappa *from = &s->from->platform.kappa, *to = &s->to->platform.kappa;
    for (uint32_t r = 0; r < from->row_count; r++)
        if (other_row(from, to, &from->rows[r]) == SL_NONE &&
            !note(s, row_name(from, &from->rows[r], arena)))
            return false;
    for (uint32_t r = 0; r < to->row_count; r++) {
        if (other_row(to, from, &to->rows[r]) != SL_NONE || !all_used(s, to, &to->rows[r]))
            continue;
        const char *name = row_name(to, &to->rows[r], arena);
        if (!name || !note(s, sl_arena_printf(arena, "%s (not in the old device's table)", name)))
            return false;
    }
    return true;
}

/* Bytes of memory, and how they are given out. */
static bool find_domains(struct sl_swaps *s, struct sl_arena *arena)
{
    const struct sl_platform *from = &s->from->platform, *to = &s->to->platform;
    for (uint32_t d = 0; d < from->domain_names.count; d++) {
        const char *name = from->domain_names.names[d];
        uint32_t other = sl_names_find(&to->domain_names, name);
        const struct sl_domain *old = &from->domains[d],
                               *new = other == SL_NONE ? old : &to->domains[other];
        if ((old->capacity != new->capacity || old->reserve != new->reserve) &&
            !note(s, sl_arena_printf(arena, "bytes of %s", name)))
            return false;
        if ((old->rounding != new->rounding ||
             !same_dist(old->fragmentation, new->fragmentation)) &&
            !note(s, sl_arena_printf(arena, "rounding and fragmentation of %s", name)))
            return false;
    }
    return true;
}

static bool find_resources(struct sl_swaps *s, struct sl_arena *arena)
{
    const struct sl_platform *from = &s->from->platform, *to = &s->to->platform;
    for (uint32_t r = 0; r < from->resource_names.count; r++) {
        const char *name = from->resource_names.names[r];
        uint32_t other = sl_names_find(&to->resource_names, name);
        const struct sl_resource *old = &from->resources[r],
                                 *new = other == SL_NONE ? old : &to->resources[other];
        if (old->servers != new->servers && !note(s, sl_arena_printf(arena, "servers of %s", name)))
            return false;
        if ((old->order != new->order || old->admission != new->admission ||
             old->aging_ps != new->aging_ps) &&
            !note(s, sl_arena_printf(arena, "waiting order of %s", name)))
            return false;
    }
    return true;
}

/* Routes of one device alone, and the pools through which both have copies pass. */
static bool find_staging(struct sl_swaps *s, struct sl_arena *arena)
{
    const struct sl_platform *from = &s->from->platform;
    for (uint32_t r = 0; r < from->route_count; r++) {
        const struct sl_route *route = &from->routes[r], *other = other_route(s, route);
        bool same = other && route->staging.bucket == other->staging.bucket &&
                    route->staging.buckets == other->staging.buckets &&
                    route->staging.fill == other->staging.fill;
        if (!same && !note(s, sl_arena_printf(arena,
                                              other ? "buckets of route %s->%s"
                                                    : "route %s->%s (not on the new device)",
                                              from->domain_names.names[route->from],
                                              from->domain_names.names[route->to])))
            return false;
    }
    return true;
}

/* What calls cost, one for one in the order of the files. */
static bool same_calls(const struct sl_platform *from, const struct sl_platform *to)
{
    bool same = from->cost_count == to->cost_count;
    for (uint32_t c = 0; same && c < from->cost_count; c++) {
        const struct sl_api_cost *old = &from->costs[c], *new = &to->costs[c];
        same = old->what == new->what &&same_dist(old->duration, new->duration) &&
               strcmp(name_at(&from->domain_names, old->domain),
                      name_at(&to->domain_names, new->domain)) == 0 &&
               strcmp(name_at(&from->resource_names, old->resource),
                      name_at(&to->resource_names, new->resource)) == 0;
    }
    return same;
}

/* What differs, by name, and is not swapped. */
static bool find_others(struct sl_swaps *s, struct sl_arena *arena)
{
    const struct sl_platform *from = &s->from->platform, *to = &s->to->platform;
    if (!find_domains(s, arena) || !find_resources(s, arena) || !find_staging(s, arena))
        return false;
    if (!same_calls(from, to) && !note(s, "what calls cost (section costs)"))
        return false;
    bool demands = from->kappa.demand_count > 0 || to->kappa.demand_count > 0;
    if (demands && from->kappa.rule != to->kappa.rule &&
        !note(s,
              sl_arena_printf(arena, "composition by %s, with its demands", to->kappa.rule->name)))
        return false;
    return find_unmatched(s, arena);
}

static bool same_graphs(const struct sl_graph *a, const struct sl_graph *b)
{
    bool same = a->node_count == b->node_count;
    for (uint32_t i = 0; same && i < a->node_count; i++)
        same = strcmp(a->nodes[i].name, b->nodes[i].name) == 0 &&
               strcmp(name_at(&a->platform->kappa.classes, a->nodes[i].klass),
                      name_at(&b->platform->kappa.classes, b->nodes[i].klass)) == 0;
    return same;
}

enum sl_status sl_swaps_find(struct sl_swaps *swaps, const struct sl_scenario *from,
                             const struct sl_scenario *to, struct sl_arena *arena,
                             struct sl_error *err)
{
    const struct sl_platform *platform = &from->platform;
    size_t most = (size_t)platform->kappa.classes.count + platform->route_count +
                  platform->kappa.row_count + from->graph->factor_count + to->graph->factor_count +
                  4;
    size_t others = 2 * ((size_t)platform->domain_names.count + platform->resource_names.count) +
                    platform->route_count + platform->kappa.row_count +
                    to->platform.kappa.row_count + 3;
    *swaps = (struct sl_swaps){.from = from, .to = to};
    if (!same_graphs(from->graph, to->graph))
        return SL_FAIL(err, SL_INVALID, "on the other device the scenario has other nodes");
    swaps->items = sl_arena_array(arena, most, sizeof *swaps->items);
    swaps->others = sl_arena_array(arena, others, sizeof *swaps->others);
    if (!swaps->items || !swaps->others || !find_classes(swaps, arena) ||
        !find_routes(swaps, arena) || !find_kappas(swaps, arena) || !find_rules(swaps, arena) ||
        !find_factors(swaps, arena) || !find_others(swaps, arena))
        return no_memory(err);
    return SL_OK;
}

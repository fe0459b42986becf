/* What of a plan can be changed, and which changes are known not to act before any trial. */
#include "cellparts.h"
#include "proof_progress.h"
#include "sensitivity_parts.h"
#include <math.h>
#include <string.h>

static const double steps_percent[] = {-20, -5, -1, 1, 5, 20};
enum { STEPS = sizeof steps_percent / sizeof *steps_percent };

const char *sl_lever_kind_name(enum sl_lever_kind kind)
{
    static const char *const names[SL_LEVER_KINDS] = {"class", "route",    "lag",
                                                      "kappa", "capacity", "speedup"};
    return names[kind];
}

const char *sl_lever_unit(enum sl_lever_kind kind)
{
    return kind == SL_LEVER_KAPPA ? "kappa" : kind == SL_LEVER_CAPACITY ? "bytes" : "factor";
}

const char *sl_route_name(const struct sl_platform *platform, uint32_t route,
                          struct sl_arena *arena)
{
    const struct sl_route *r = &platform->routes[route];
    return sl_arena_printf(arena, "%s->%s", platform->domain_names.names[r->from],
                           platform->domain_names.names[r->to]);
}

const char *sl_kappa_row_name(const struct sl_kappa *kappa, uint32_t index, struct sl_arena *arena)
{
    const struct sl_kappa_row *row = &kappa->rows[index];
    const char *name = sl_arena_printf(arena, "%s beside ", kappa->classes.names[row->victim]);
    for (uint32_t k = 0; name && k < row->set_size; k++)
        name = sl_arena_printf(arena, "%s%s%s", name, k > 0 ? "+" : "",
                               kappa->classes.names[row->set[k]]);
    return name;
}

/* ---- what cannot act ------------------------------------------------------------------------- */

struct maker {
    struct sl_sensitivity *sensitivity;
    struct sl_capacity_need *needs; /* by domain */
    bool *has_class, *has_route;    /* nodes of it that take time */
    struct sl_arena arena;
};

static void find_parts(struct maker *maker)
{
    const struct sl_graph *graph = maker->sensitivity->cell->plan.graph;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct sl_node *node = &graph->nodes[i];
        if (!node->dist || (sl_node_mean_scale(node) == 0 && node->latency_scale == 0))
            continue;
        if (node->klass != SL_NONE)
            maker->has_class[node->klass] = true;
        const struct sl_route *route = sl_platform_route(graph->platform, node->from, node->to);
        if (route)
            maker->has_route[route - graph->platform->routes] = true;
    }
}

static const char *class_absence(const struct maker *maker, uint32_t klass)
{
    return maker->has_class[klass] ? NULL : "the plan has no node of it";
}

static const char *route_absence(const struct maker *maker, uint32_t route)
{
    return maker->has_route[route] ? NULL : "the plan does not use it";
}

static const char *lag_absence(const struct sl_graph *graph, uint32_t type)
{
    for (uint32_t e = 0; e < graph->edge_count; e++)
        if (graph->edges[e].type == type && graph->edges[e].lag_ps > 0 && graph->edges[e].next == 0)
            return NULL;
    return "the plan has no such lag";
}

static bool side_by_side(const struct sl_cell *cell, uint32_t a, uint32_t b)
{
    return cell->overlap_ps[(size_t)a * cell->plan.graph->platform->kappa.classes.count + b] > 0;
}

/* A row acts only while its victim and all of its set run.  It also sets the largest kappa, which a
 * hypothetical run uses. */
static const char *kappa_absence(const struct maker *maker, uint32_t index)
{
    const struct sl_cell *cell = maker->sensitivity->cell;
    const struct sl_kappa *kappa = &cell->plan.graph->platform->kappa;
    const struct sl_kappa_row *row = &kappa->rows[index];
    if (cell->hypothetical)
        return NULL;
    if (!maker->has_class[row->victim])
        return "the plan has no node of the class";
    for (uint32_t k = 0; k < row->set_size; k++) {
        if (!maker->has_class[row->set[k]])
            return "the plan has no node of the other class";
        if (cell->deadlocked == 0 && !side_by_side(cell, row->victim, row->set[k]))
            return "the two never run side by side in any trial";
    }
    return NULL;
}

/* Less capacity changes nothing down to the largest peak of any trial: what was taken still fits,
 * and what did not fit fits no more.  With fragmentation the peak is rounded. */
static const char *capacity_idle(const struct sl_cell *cell, const struct sl_capacity_need *needs,
                                 uint32_t index, double after)
{
    const struct sl_domain *domain = &cell->plan.graph->platform->domains[index];
    const struct sl_capacity_need *need = &needs[index];
    double limit = after - (double)domain->reserve;
    if (!need->drawn && need->held_bytes + need->workspace_bytes <= fmin(limit, need->limit_bytes))
        return "no order of the plan can wait for its bytes";
    double peak = (double)sl_cell_largest_peak(cell, index) + (domain->fragmentation ? 1 : 0);
    if (after < (double)domain->capacity && cell->deadlocked == 0 && peak <= limit)
        return "no trial comes near: its largest peak fits";
    return NULL;
}

/* ---- levers ---------------------------------------------------------------------------------- */

static struct sl_lever *add_lever(struct maker *maker, enum sl_lever_kind kind, uint32_t index,
                                  const char *name, uint32_t effects)
{
    struct sl_sensitivity *s = maker->sensitivity;
    struct sl_effect *places = sl_arena_array(&s->arena, effects, sizeof *places);
    if (!name || !places ||
        !sl_grow((void **)&s->levers, &s->lever_capacity, s->lever_count + 1, sizeof *s->levers))
        return NULL;
    struct sl_lever *lever = &s->levers[s->lever_count++];
    *lever = (struct sl_lever){.kind = kind,
                               .index = index,
                               .name = name,
                               .effects = places,
                               .effect_count = effects,
                               .chain_share = (double)NAN,
                               .elasticity = (double)NAN,
                               .slope = {{NAN, NAN, NAN}, NAN, false}};
    return lever;
}

/* What an effect makes of a value. */
static double changed_value(enum sl_lever_kind kind, double before, double percent)
{
    double after = before * (1 + percent / 100);
    if (kind == SL_LEVER_KAPPA)
        return fmin(fmax(after, 1), SL_KAPPA_MAX);
    return kind == SL_LEVER_CAPACITY ? rint(after) : after;
}

/* `why` not NULL: none of its changes can act. */
static bool add_steps(struct maker *maker, enum sl_lever_kind kind, uint32_t index,
                      const char *name, double before, const char *why)
{
    struct sl_lever *lever = add_lever(maker, kind, index, name, STEPS);
    if (!lever)
        return false;
    for (int e = 0; e < STEPS; e++) {
        struct sl_effect *effect = &lever->effects[e];
        effect->percent = steps_percent[e];
        effect->before = before;
        effect->after = changed_value(kind, before, steps_percent[e]);
        effect->note = why;
        if (!why && effect->after == before)
            effect->note = "kappa is 1 already";
        else if (!why && kind == SL_LEVER_CAPACITY)
            effect->note =
                capacity_idle(maker->sensitivity->cell, maker->needs, index, effect->after);
        effect->state = effect->note ? SL_EFFECT_CANNOT : SL_EFFECT_WAITS;
    }
    return true;
}

static bool add_all(struct maker *maker)
{
    struct sl_sensitivity *s = maker->sensitivity;
    const struct sl_graph *graph = s->cell->plan.graph;
    const struct sl_platform *platform = graph->platform;
    bool ok = true;
    for (uint32_t c = 0; ok && c < platform->kappa.classes.count; c++)
        ok = add_steps(maker, SL_LEVER_CLASS, c, platform->kappa.classes.names[c], 1,
                       class_absence(maker, c));
    for (uint32_t r = 0; ok && r < platform->route_count; r++)
        ok = add_steps(maker, SL_LEVER_ROUTE, r, sl_route_name(platform, r, &s->arena), 1,
                       route_absence(maker, r));
    for (uint32_t type = 0; ok && type < SL_EDGE_TYPES; type++)
        ok = add_steps(maker, SL_LEVER_LAG, type, sl_edge_type_name((enum sl_edge_type)type), 1,
                       lag_absence(graph, type));
    for (uint32_t r = 0; ok && r < platform->kappa.row_count; r++)
        ok = add_steps(maker, SL_LEVER_KAPPA, r, sl_kappa_row_name(&platform->kappa, r, &s->arena),
                       platform->kappa.rows[r].kappa, kappa_absence(maker, r));
    for (uint32_t d = 0; ok && d < platform->domain_names.count; d++)
        if (platform->domains[d].capacity > 0)
            ok = add_steps(maker, SL_LEVER_CAPACITY, d, platform->domain_names.names[d],
                           (double)platform->domains[d].capacity, NULL);
    return ok;
}

/* ---- speedups -------------------------------------------------------------------------------- */

/* "FROM->TO" */
static uint32_t route_named(const struct sl_platform *platform, const char *name)
{
    for (uint32_t r = 0; r < platform->route_count; r++) {
        const char *from = platform->domain_names.names[platform->routes[r].from];
        const char *to = platform->domain_names.names[platform->routes[r].to];
        size_t length = strlen(from);
        if (strncmp(name, from, length) == 0 && strncmp(name + length, "->", 2) == 0 &&
            strcmp(name + length + 2, to) == 0)
            return r;
    }
    return SL_NONE;
}

static const char *speedup_absence(const struct maker *maker)
{
    const struct sl_sensitivity *s = maker->sensitivity;
    const struct sl_platform *platform = s->cell->plan.graph->platform;
    const char *why = NULL;
    for (uint32_t k = 0; k < s->speedup_count; k++) {
        uint32_t klass = sl_names_find(&platform->kappa.classes, s->speedups[k].name);
        why = klass != SL_NONE ? class_absence(maker, klass)
                               : route_absence(maker, route_named(platform, s->speedups[k].name));
        if (!why)
            return NULL;
    }
    return s->speedup_count > 1 ? "the plan has no node of any of them" : why;
}

static bool add_speedup(struct maker *maker)
{
    struct sl_sensitivity *s = maker->sensitivity;
    const char *name = "";
    for (uint32_t k = 0; name && k < s->speedup_count; k++)
        name = sl_arena_printf(&s->arena, "%s%s%s=%g%%", name, k > 0 ? ";" : "",
                               s->speedups[k].name, 100 * s->speedups[k].share);
    struct sl_lever *lever = add_lever(maker, SL_LEVER_SPEEDUP, 0, name, 2);
    if (!lever)
        return false;
    double share = s->speedup_count == 1 ? s->speedups[0].share : (double)NAN;
    for (int e = 0; e < 2; e++)
        lever->effects[e] = (struct sl_effect){
            .percent = -100 * share, .replanned = e == 1, .before = 1, .after = 1 - share};
    lever->effects[0].note = speedup_absence(maker);
    if (lever->effects[0].note)
        lever->effects[0].state = SL_EFFECT_CANNOT;
    return true;
}

static enum sl_status maker_init(struct maker *maker, struct sl_error *err)
{
    const struct sl_graph *graph = maker->sensitivity->cell->plan.graph;
    const struct sl_platform *platform = graph->platform;
    struct sl_arena *arena = &maker->arena;
    maker->needs =
        sl_arena_array(arena, (size_t)platform->domain_names.count + 1, sizeof *maker->needs);
    maker->has_class =
        sl_arena_array(arena, (size_t)platform->kappa.classes.count + 1, sizeof(bool));
    maker->has_route = sl_arena_array(arena, (size_t)platform->route_count + 1, sizeof(bool));
    if (!maker->needs || !maker->has_class || !maker->has_route)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the changes of a plan");
    find_parts(maker);
    return sl_capacity_needs(graph, maker->needs, err);
}

enum sl_status sl_levers_make(struct sl_sensitivity *s, bool steps, struct sl_error *err)
{
    struct maker maker = {.sensitivity = s};
    enum sl_status status = maker_init(&maker, err);
    if (status == SL_OK &&
        !((!steps || add_all(&maker)) && (s->speedup_count == 0 || add_speedup(&maker))))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for the changes of a plan");
    sl_arena_free(&maker.arena);
    return status;
}

void sl_lever_apply(const struct sl_sensitivity *s, const struct sl_lever *lever,
                    const struct sl_effect *effect, struct sl_change *change)
{
    const struct sl_platform *platform = s->cell->plan.graph->platform;
    double factor = effect->after / effect->before;
    switch (lever->kind) {
    case SL_LEVER_CLASS:
        change->classes[lever->index] = factor;
        break;
    case SL_LEVER_ROUTE:
        change->routes[lever->index] = factor;
        break;
    case SL_LEVER_LAG:
        change->lags[lever->index] = factor;
        break;
    case SL_LEVER_KAPPA:
        change->kappas[lever->index] = factor;
        break;
    case SL_LEVER_CAPACITY:
        change->capacities[lever->index] = factor;
        break;
    default:
        for (uint32_t k = 0; k < s->speedup_count; k++) {
            uint32_t klass = sl_names_find(&platform->kappa.classes, s->speedups[k].name);
            uint32_t route = route_named(platform, s->speedups[k].name);
            if (klass != SL_NONE)
                change->classes[klass] *= 1 - s->speedups[k].share;
            else
                change->routes[route] *= 1 - s->speedups[k].share;
        }
        break;
    }
}

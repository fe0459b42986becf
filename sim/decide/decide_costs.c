/* The costs that a plan uses, each with its evidence: durations by class, routes, declared API
 * costs, lags, factors, and the rows of kappa whose classes the plan has; and what is not known. */
#include "config.h"

#include "class_groups.h"
#include "decide_parts.h"
#include "sensitivity.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const evidence_words[] = {"measured", "bounded", "assumed", "published",
                                             "unknown"};

const char *sl_evidence_word(const char *text)
{
    for (size_t i = 0; text && i < sizeof evidence_words / sizeof *evidence_words; i++) {
        size_t length = strlen(evidence_words[i]);
        if (strncmp(text, evidence_words[i], length) == 0 &&
            (!text[length] || strchr(": ", text[length])))
            return evidence_words[i];
    }
    return NULL;
}

uint64_t sl_decide_cost_key(const char *what, const char *name)
{
    return sl_hash_text(what) * 31 + sl_hash_text(name);
}

/* Durations or lags of one name and evidence that differ: of more of them one row has the range. */
#define MOST_ALIKE 16

/* Costs by what, name, evidence and figures together. */
struct finder {
    const struct sl_cell *cell;
    const struct sl_graph *graph;
    struct sl_arena *arena;
    struct sl_names keys, names;  /* with the figures; without them */
    struct sl_decide_cost *costs; /* malloc'ed, by key */
    uint32_t *name_of;            /* by cost: its index in `names` */
    uint32_t count, capacity, name_capacity;
    bool failed;
};

/* What tells costs of one name apart. */
struct figure_key {
    const char *text;
    uint64_t hash;
    double scale;
};

/* The row of such a cost; *fresh: it is new, and wants its figures. */
static struct sl_decide_cost *cost_of(struct finder *f, const char *what, const char *name,
                                      const char *evidence, struct figure_key figure, bool *fresh)
{
    struct sl_arena scratch = {0};
    const char *kind =
        sl_arena_printf(&scratch, "%s\n%s\n%s", what, name, evidence ? evidence : "");
    const char *key =
        kind ? sl_arena_printf(&scratch, "%s\n%s\n%llx\n%a", kind, figure.text ? figure.text : "",
                               (unsigned long long)figure.hash, figure.scale)
             : NULL;
    uint32_t index = key ? sl_names_add(&f->keys, key) : SL_NONE;
    uint32_t alike = key ? sl_names_add(&f->names, kind) : SL_NONE;
    sl_arena_free(&scratch);
    if (index == SL_NONE || alike == SL_NONE ||
        !sl_grow((void **)&f->costs, &f->capacity, index + 1, sizeof *f->costs) ||
        !sl_grow((void **)&f->name_of, &f->name_capacity, index + 1, sizeof *f->name_of)) {
        f->failed = true;
        return NULL;
    }
    struct sl_decide_cost *cost = &f->costs[index];
    *fresh = index == f->count;
    if (*fresh) {
        f->count++;
        f->name_of[index] = alike;
        sl_shape_init(&cost->row, &sl_shape_cost);
        cost->chain_ps = NAN;
        cost->row.what = what;
        cost->row.name = sl_arena_strdup(f->arena, name);
        cost->row.source = evidence ? sl_arena_strdup(f->arena, evidence) : NULL;
        f->failed |= !cost->row.name || (evidence && !cost->row.source);
    }
    return f->failed ? NULL : cost;
}

/* "measured: source" of a word and what stands behind it. */
static const char *join(struct finder *f, enum sl_evidence word, const char *source)
{
    if (word == SL_EVIDENCE_NONE)
        return NULL;
    const char *text = evidence_words[word - SL_MEASURED];
    if (source && *source)
        text = sl_arena_printf(f->arena, "%s: %s", text, source);
    f->failed |= !text;
    return text;
}

/* ---- durations --------------------------------------------------------------------------------
 */

static const struct sl_api_cost *find_api(const struct sl_platform *platform,
                                          const struct sl_node *node, uint32_t domain)
{
    for (uint32_t c = 0; c < platform->cost_count; c++) {
        const struct sl_api_cost *cost = &platform->costs[c];
        bool kind = (cost->what == SL_COST_ALLOCATION && node->kind == SL_ALLOCATION) ||
                    (cost->what == SL_COST_MAPPING && node->kind == SL_MAPPING) ||
                    (cost->what == SL_COST_RECLAMATION && node->kind == SL_RECLAMATION);
        if (kind && (cost->domain == SL_NONE || cost->domain == domain))
            return cost;
    }
    return NULL;
}

static struct sl_decide_cost *cost_of_route(struct finder *f, const struct sl_route *route)
{
    const struct sl_platform *platform = f->graph->platform;
    const char *name = sl_route_name(platform, (uint32_t)(route - platform->routes), f->arena);
    bool fresh = false;
    struct sl_decide_cost *cost =
        name ? cost_of(f, "route", name, route->evidence, (struct figure_key){0}, &fresh) : NULL;
    f->failed |= !cost;
    if (cost && fresh)
        f->failed |= !sl_cost_of_route(&cost->row, f->cell->scenario, route, f->arena);
    return cost;
}

static struct sl_decide_cost *cost_of_api(struct finder *f, const struct sl_node *node)
{
    const struct sl_platform *platform = f->graph->platform;
    uint32_t domain = node->to != SL_NONE ? node->to : node->from;
    const struct sl_api_cost *api = find_api(platform, node, domain);
    const char *of = domain == SL_NONE ? NULL : platform->domain_names.names[domain];
    bool fresh = false;
    struct sl_decide_cost *cost =
        cost_of(f, "api", sl_node_kind_name(node->kind), api ? api->evidence : NULL,
                (struct figure_key){.text = of}, &fresh);
    if (cost && fresh) {
        cost->row.of = of;
        f->failed |= !sl_cost_of_api(&cost->row, f->cell->scenario, api, f->arena);
    }
    return cost;
}

/* A movement that takes what its route says, whatever it states of itself: its figure is the
 * route's, and so is the evidence, unless the node marks it as unknown. */
static bool is_routes(const struct finder *f, const struct sl_node *node,
                      const struct sl_route *route, const char *evidence)
{
    const struct sl_dist *of_route = route->noise ? route->noise : f->graph->one;
    if (node->derived || !evidence)
        return true;
    return route->evidence && (strcmp(route->evidence, evidence) == 0 ||
                               (node->dist == of_route && node->evidence != SL_UNKNOWN));
}

static struct sl_decide_cost *cost_of_node(struct finder *f, const struct sl_node *node)
{
    const struct sl_platform *platform = f->graph->platform;
    const struct sl_route *route =
        sl_node_moves(node->kind) ? sl_platform_route(platform, node->from, node->to) : NULL;
    const char *evidence = join(f, node->evidence, node->evidence_text);
    if (route && is_routes(f, node, route, evidence))
        return cost_of_route(f, route);
    if (node->derived &&
        (node->kind == SL_ALLOCATION || node->kind == SL_MAPPING || node->kind == SL_RECLAMATION))
        return cost_of_api(f, node);
    const char *name = node->klass == SL_NONE ? sl_node_kind_name(node->kind)
                                              : platform->kappa.classes.names[node->klass];
    bool fresh = false;
    struct figure_key figure = {node->work, sl_hash_text(sl_dist_text(node->dist)),
                                sl_node_mean_scale(node) * node->steps_mean};
    struct sl_decide_cost *cost = cost_of(f, "duration", name, evidence, figure, &fresh);
    if (cost && fresh)
        f->failed |= !sl_cost_of_duration(&cost->row, f->cell->scenario, f->graph, node, f->arena);
    return cost;
}

static void find_durations(struct finder *f)
{
    const struct sl_node_totals *totals = &f->cell->nodes;
    for (uint32_t i = 0; i < f->graph->node_count && !f->failed; i++) {
        const struct sl_node *node = &f->graph->nodes[i];
        if (!node->dist)
            continue;
        struct sl_decide_cost *cost = cost_of_node(f, node);
        if (!cost)
            return;
        cost->row.uses++;
        if (totals->chain_ps)
            cost->chain_ps =
                (isnan(cost->chain_ps) ? 0 : cost->chain_ps) + (double)totals->chain_ps[i];
        if (!isnan(node->confidence) && !(cost->row.confidence < node->confidence))
            cost->row.confidence = node->confidence; /* the least of them */
    }
}

/* ---- what is no duration -----------------------------------------------------------------------
 */

/* Lags that the scenario states; those of policies are choices. */
static void find_lags(struct finder *f)
{
    const struct sl_graph *stated = f->cell->scenario->graph;
    for (uint32_t e = 0; e < stated->edge_count && !f->failed; e++) {
        const struct sl_edge *edge = &stated->edges[e];
        bool fresh = false;
        if (edge->lag_ps == 0)
            continue;
        struct sl_decide_cost *cost = cost_of(
            f, "lag", sl_edge_type_name(edge->type), join(f, edge->evidence, edge->evidence_text),
            (struct figure_key){.hash = (uint64_t)edge->lag_ps}, &fresh);
        if (cost && fresh)
            f->failed |= !sl_cost_of_lag(&cost->row, f->cell->scenario, edge, f->arena);
        if (cost)
            cost->row.uses++;
    }
}

static void find_factors(struct finder *f)
{
    for (uint32_t k = 0; k < f->graph->factor_count && !f->failed; k++) {
        const struct sl_factor *factor = &f->graph->factors[k];
        uint64_t uses = 0;
        bool fresh = false;
        for (uint32_t i = 0; i < f->graph->node_count; i++)
            uses += f->graph->nodes[i].dist && sl_factor_applies(f->graph, factor, (sl_node_id){i});
        struct sl_decide_cost *cost = uses > 0
                                          ? cost_of(f, "factor", factor->name, factor->evidence,
                                                    (struct figure_key){0}, &fresh)
                                          : NULL;
        if (cost && fresh)
            f->failed |= !sl_cost_of_factor(&cost->row, f->cell->scenario, factor, f->arena);
        if (cost)
            cost->row.uses = uses;
    }
}

/* How many nodes of each class meet contention. */
static uint64_t *count_classes(struct finder *f)
{
    uint32_t classes = f->graph->platform->kappa.classes.count;
    uint64_t *counts = sl_arena_array(f->arena, (size_t)classes + 1, sizeof *counts);
    f->failed |= !counts;
    for (uint32_t i = 0; counts && i < f->graph->node_count; i++) {
        const struct sl_node *node = &f->graph->nodes[i];
        if (node->klass != SL_NONE && sl_node_groups(f->graph, node))
            counts[node->klass]++;
    }
    return counts;
}

static void find_kappas(struct finder *f)
{
    const struct sl_kappa *kappa = &f->graph->platform->kappa;
    const uint64_t *counts = count_classes(f);
    for (uint32_t r = 0; counts && r < kappa->row_count && !f->failed; r++) {
        const struct sl_kappa_row *row = &kappa->rows[r];
        bool used = counts[row->victim] > 0;
        for (uint32_t k = 0; k < row->set_size; k++)
            used =
                used && counts[row->set[k]] > 0 && sl_decide_met(f->cell, row->victim, row->set[k]);
        const char *name = used ? sl_kappa_row_name(kappa, r, f->arena) : NULL;
        bool fresh = false;
        struct sl_decide_cost *cost =
            name ? cost_of(f, "kappa", name, row->evidence, (struct figure_key){0}, &fresh) : NULL;
        if (cost)
            cost->row.uses = counts[row->victim];
        if (cost && fresh)
            sl_cost_of_kappa(&cost->row, f->cell->scenario, row);
        f->failed |= used && !cost;
    }
}

/* A number that the scenario states for every pair without a row is a cost that nobody knows. */
static void find_stand_ins(struct finder *f)
{
    const struct sl_kappa *kappa = &f->graph->platform->kappa;
    const uint64_t *groups = sl_class_groups(f->graph, f->arena);
    char name[300], evidence[100];
    f->failed |= !groups;
    if (kappa->unknown != SL_UNKNOWN_NUMBER || f->failed)
        return;
    snprintf(evidence, sizeof evidence, "unknown: 'unknown_kappa: %.6g' stands for it",
             kappa->unknown_value);
    for (uint32_t a = 0; a < kappa->classes.count && !f->failed; a++)
        for (uint32_t b = a; b < kappa->classes.count && !f->failed; b++) {
            bool fresh = false;
            struct sl_decide_cost *cost =
                sl_decide_unknown_pair(f->cell, groups, a, b)
                    ? cost_of(f, "kappa", sl_decide_pair_name(kappa, a, b, name), evidence,
                              (struct figure_key){0}, &fresh)
                    : NULL;
            if (cost)
                cost->row.uses++;
            if (cost)
                cost->row.kappa.value = kappa->unknown_value;
        }
}

/* ---- many of one name --------------------------------------------------------------------------
 */

static void widen(struct sl_record_cost *row, const struct sl_record_cost *by)
{
    double uses = (double)row->uses, more = (double)by->uses;
    if (!isnan(by->mean_us)) {
        row->least_us = fmin(row->least_us, by->mean_us);
        row->most_us = fmax(row->most_us, by->mean_us);
    }
    row->mean_us = (uses * row->mean_us + more * by->mean_us) / (uses + more);
    row->uses += by->uses;
    row->confidence = fmin(row->confidence, by->confidence);
    row->table = row->table && by->table && strcmp(row->table, by->table) == 0 ? row->table : NULL;
}

/* One row, with the range of its means, in the place of more than MOST_ALIKE of one name. */
static void merge_many(struct finder *f)
{
    uint32_t *alike = calloc((size_t)f->names.count + 1, sizeof *alike);
    uint32_t *first = malloc(((size_t)f->names.count + 1) * sizeof *first);
    uint32_t kept = 0;
    f->failed |= !alike || !first;
    for (uint32_t i = 0; i < f->count && !f->failed; i++)
        alike[f->name_of[i]]++;
    for (uint32_t n = 0; n < f->names.count && !f->failed; n++)
        first[n] = SL_NONE;
    for (uint32_t i = 0; i < f->count && !f->failed; i++) {
        uint32_t name = f->name_of[i];
        struct sl_decide_cost *cost = &f->costs[i];
        if (alike[name] > MOST_ALIKE && first[name] != SL_NONE) {
            struct sl_decide_cost *all = &f->costs[first[name]];
            widen(&all->row, &cost->row);
            all->chain_ps += isnan(cost->chain_ps) ? 0 : cost->chain_ps;
            continue;
        }
        first[name] = kept;
        f->costs[kept] = *cost;
        if (alike[name] > MOST_ALIKE) {
            struct sl_record_cost *row = &f->costs[kept].row;
            row->of = row->law = NULL;
            row->median_us = SL_NO_ESTIMATE;
            row->least_us = row->most_us = row->mean_us;
        }
        kept++;
    }
    f->count = f->failed ? f->count : kept;
    free(alike);
    free(first);
}

enum sl_status sl_decide_find_costs(const struct sl_cell *cell, struct sl_arena *arena,
                                    struct sl_decide_cost **costs, uint32_t *count,
                                    struct sl_error *err)
{
    struct finder f = {.cell = cell, .graph = cell->plan.graph, .arena = arena};
    find_durations(&f);
    find_lags(&f);
    find_factors(&f);
    find_kappas(&f);
    find_stand_ins(&f);
    merge_many(&f);
    *count = f.count;
    *costs = sl_arena_array(arena, (size_t)f.count + 1, sizeof **costs);
    f.failed |= !*costs;
    if (!f.failed && f.count > 0)
        memcpy(*costs, f.costs, f.count * sizeof **costs);
    free(f.costs);
    free(f.name_of);
    sl_names_free(&f.keys);
    sl_names_free(&f.names);
    return f.failed ? sl_decide_no_memory(err) : SL_OK;
}

/* ---- into the record ----------------------------------------------------------------------------
 */

static bool put_cost(struct sl_record *record, const struct sl_decide_cost *cost, double chain_ps)
{
    bool good = true;
    struct sl_record_cost *item = sl_record_add(record, &record->costs, &sl_shape_cost);
    if (!item)
        return false;
    *item = cost->row;
    item->name = sl_record_keep(record, cost->row.name, &good);
    item->of = sl_record_keep(record, cost->row.of, &good);
    item->law = sl_record_keep(record, cost->row.law, &good);
    item->table = sl_record_keep(record, cost->row.table, &good);
    item->source = sl_record_keep(record, cost->row.source, &good);
    item->evidence = sl_evidence_word(cost->row.source);
    item->chain_share = chain_ps > 0 ? cost->chain_ps / chain_ps : NAN;
    return good;
}

static int compare_texts(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int most_time_first(const void *a, const void *b)
{
    const struct sl_decide_cost *x = a, *y = b;
    double p = isnan(x->chain_ps) ? -1 : x->chain_ps, q = isnan(y->chain_ps) ? -1 : y->chain_ps;
    int by = (p < q) - (p > q);
    by = by ? by : strcmp(x->row.what, y->row.what);
    by = by ? by : strcmp(x->row.name, y->row.name);
    by = by ? by : compare_texts(x->row.of, y->row.of);
    return by ? by : compare_texts(x->row.source, y->row.source);
}

enum sl_status sl_decide_costs(struct sl_decision *decision, const struct sl_cell *cell,
                               struct sl_error *err)
{
    struct sl_record *record = decision->record;
    struct sl_decide_cost *costs = NULL;
    uint32_t count = 0;
    double chain_ps = 0;
    enum sl_status status = sl_decide_find_costs(cell, &decision->arena, &costs, &count, err);
    if (status != SL_OK)
        return status;
    for (unsigned i = 0; cell->chain_kind_cause_ps && i < SL_CHAIN_PARTS; i++)
        chain_ps += (double)cell->chain_kind_cause_ps[i];
    qsort(costs, count, sizeof *costs, most_time_first);
    bool good = true;
    for (uint32_t i = 0; i < count && good; i++)
        good = put_cost(record, &costs[i], chain_ps);
    return good ? SL_OK : sl_decide_no_memory(err);
}

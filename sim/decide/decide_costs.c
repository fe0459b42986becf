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

/* Costs by what, name and evidence together. */
struct finder {
    const struct sl_cell *cell;
    const struct sl_graph *graph;
    struct sl_arena *arena;
    struct sl_names keys;
    struct sl_decide_cost *costs; /* malloc'ed, by key */
    uint32_t count, capacity;
    bool failed;
};

static struct sl_decide_cost *cost_of(struct finder *f, const char *what, const char *name,
                                      const char *evidence)
{
    struct sl_arena scratch = {0};
    const char *key = sl_arena_printf(&scratch, "%s\n%s\n%s", what, name, evidence ? evidence : "");
    uint32_t index = key ? sl_names_add(&f->keys, key) : SL_NONE;
    sl_arena_free(&scratch);
    if (index == SL_NONE ||
        !sl_grow((void **)&f->costs, &f->capacity, index + 1, sizeof *f->costs)) {
        f->failed = true;
        return NULL;
    }
    struct sl_decide_cost *cost = &f->costs[index];
    if (index == f->count) {
        f->count++;
        *cost = (struct sl_decide_cost){what,
                                        sl_arena_strdup(f->arena, name),
                                        evidence ? sl_arena_strdup(f->arena, evidence) : NULL,
                                        NAN,
                                        0,
                                        NAN};
        f->failed |= !cost->name || (evidence && !cost->evidence);
    }
    return cost;
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

static const char *api_evidence(const struct sl_platform *platform, const struct sl_node *node,
                                uint32_t domain)
{
    for (uint32_t c = 0; c < platform->cost_count; c++) {
        const struct sl_api_cost *cost = &platform->costs[c];
        bool kind = (cost->what == SL_COST_ALLOCATION && node->kind == SL_ALLOCATION) ||
                    (cost->what == SL_COST_MAPPING && node->kind == SL_MAPPING) ||
                    (cost->what == SL_COST_RECLAMATION && node->kind == SL_RECLAMATION);
        if (kind && (cost->domain == SL_NONE || cost->domain == domain))
            return cost->evidence;
    }
    return NULL;
}

static struct sl_decide_cost *cost_of_node(struct finder *f, const struct sl_node *node)
{
    const struct sl_platform *platform = f->graph->platform;
    const struct sl_route *route =
        sl_node_moves(node->kind) ? sl_platform_route(platform, node->from, node->to) : NULL;
    if (route && (node->derived || node->evidence == SL_EVIDENCE_NONE)) {
        const char *name = sl_route_name(platform, (uint32_t)(route - platform->routes), f->arena);
        f->failed |= !name;
        return name ? cost_of(f, "route", name, route->evidence) : NULL;
    }
    bool api = node->derived && (node->kind == SL_ALLOCATION || node->kind == SL_MAPPING ||
                                 node->kind == SL_RECLAMATION);
    if (api) {
        uint32_t domain = node->to != SL_NONE ? node->to : node->from;
        return cost_of(f, "api", sl_node_kind_name(node->kind),
                       api_evidence(platform, node, domain));
    }
    const char *name = node->klass == SL_NONE ? sl_node_kind_name(node->kind)
                                              : platform->kappa.classes.names[node->klass];
    return cost_of(f, "duration", name, join(f, node->evidence, node->evidence_text));
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
        cost->uses++;
        if (totals->chain_ps)
            cost->chain_ps =
                (isnan(cost->chain_ps) ? 0 : cost->chain_ps) + (double)totals->chain_ps[i];
        if (!isnan(node->confidence) && !(cost->confidence < node->confidence))
            cost->confidence = node->confidence; /* the least of them */
    }
}

/* Lags that the scenario states; those of policies are choices. */
static void find_lags(struct finder *f)
{
    const struct sl_graph *stated = f->cell->scenario->graph;
    for (uint32_t e = 0; e < stated->edge_count && !f->failed; e++) {
        const struct sl_edge *edge = &stated->edges[e];
        if (edge->lag_ps == 0)
            continue;
        struct sl_decide_cost *cost = cost_of(f, "lag", sl_edge_type_name(edge->type),
                                              join(f, edge->evidence, edge->evidence_text));
        if (cost)
            cost->uses++;
    }
}

static void find_factors(struct finder *f)
{
    for (uint32_t k = 0; k < f->graph->factor_count && !f->failed; k++) {
        const struct sl_factor *factor = &f->graph->factors[k];
        uint64_t uses = 0;
        for (uint32_t i = 0; i < f->graph->node_count; i++)
            uses += f->graph->nodes[i].dist && sl_factor_applies(f->graph, factor, (sl_node_id){i});
        struct sl_decide_cost *cost =
            uses > 0 ? cost_of(f, "factor", factor->name, factor->evidence) : NULL;
        if (cost)
            cost->uses = uses;
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

static bool meet(const struct sl_cell *cell, uint32_t a, uint32_t b)
{
    uint32_t classes = cell->plan.graph->platform->kappa.classes.count;
    return !cell->overlap_ps || cell->overlap_ps[(size_t)a * classes + b] > 0;
}

static void find_kappas(struct finder *f)
{
    const struct sl_kappa *kappa = &f->graph->platform->kappa;
    const uint64_t *counts = count_classes(f);
    for (uint32_t r = 0; counts && r < kappa->row_count && !f->failed; r++) {
        const struct sl_kappa_row *row = &kappa->rows[r];
        bool used = counts[row->victim] > 0;
        for (uint32_t k = 0; k < row->set_size; k++)
            used = used && counts[row->set[k]] > 0 && meet(f->cell, row->victim, row->set[k]);
        const char *name = used ? sl_kappa_row_name(kappa, r, f->arena) : NULL;
        struct sl_decide_cost *cost = name ? cost_of(f, "kappa", name, row->evidence) : NULL;
        if (cost)
            cost->uses = counts[row->victim];
        f->failed |= used && !cost;
    }
}

/* "gemm beside copy.h2d" */
static const char *pair_name(const struct sl_kappa *kappa, uint32_t a, uint32_t b, char name[300])
{
    snprintf(name, 300, "%.140s beside %.140s", kappa->classes.names[a], kappa->classes.names[b]);
    return name;
}

/* Ran side by side in a common group, and the table does not say what they do to each other. */
static bool is_unknown_pair(const struct sl_cell *cell, const uint64_t *groups, uint32_t a,
                            uint32_t b)
{
    const struct sl_kappa *kappa = &cell->plan.graph->platform->kappa;
    bool unknown = !sl_kappa_has_evidence(kappa) || sl_kappa_unknown_pair(kappa, a, b) ||
                   sl_kappa_unknown_pair(kappa, b, a);
    return unknown && groups[a] & groups[b] && meet(cell, a, b);
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
            struct sl_decide_cost *cost =
                is_unknown_pair(f->cell, groups, a, b)
                    ? cost_of(f, "kappa", pair_name(kappa, a, b, name), evidence)
                    : NULL;
            if (cost)
                cost->uses++;
        }
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
    *count = f.count;
    *costs = sl_arena_array(arena, (size_t)f.count + 1, sizeof **costs);
    f.failed |= !*costs;
    if (!f.failed && f.count > 0)
        memcpy(*costs, f.costs, f.count * sizeof **costs);
    free(f.costs);
    sl_names_free(&f.keys);
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
    *item = (struct sl_record_cost){
        .what = cost->what,
        .name = sl_record_keep(record, cost->name, &good),
        .uses = cost->uses,
        .evidence = sl_evidence_word(cost->evidence),
        .source = sl_record_keep(record, cost->evidence, &good),
        .confidence = cost->confidence,
        .chain_share = chain_ps > 0 ? cost->chain_ps / chain_ps : NAN,
    };
    return good;
}

static bool put_unknown(struct sl_record *record, const char *what, const char *name,
                        const char *detail)
{
    bool good = true;
    struct sl_record_unknown *item = sl_record_add(record, &record->unknowns, &sl_shape_unknown);
    if (item)
        *item = (struct sl_record_unknown){what, sl_record_keep(record, name, &good),
                                           sl_record_keep(record, detail, &good)};
    return item && good;
}

/* How pairs without evidence were run. */
static const char *treatment(const struct sl_kappa *kappa, char text[120])
{
    if (kappa->unknown == SL_UNKNOWN_NUMBER)
        snprintf(text, 120, "run at the stated %.3g", kappa->unknown_value);
    else if (kappa->largest > 1)
        snprintf(text, 120, "run at both corners, 1 and %.3g", kappa->largest);
    else
        snprintf(text, 120, "run at 1: no table says how large a kappa may be");
    return text;
}

static bool put_pairs(struct sl_record *record, const struct sl_cell *cell)
{
    const struct sl_graph *graph = cell->plan.graph;
    const struct sl_kappa *kappa = &graph->platform->kappa;
    uint32_t classes = kappa->classes.count;
    char name[300], how[120];
    const uint64_t *groups = sl_class_groups(graph, &record->arena);
    bool good = groups;
    if (kappa->unknown == SL_UNKNOWN_FORBID && !cell->hypothetical)
        return true;
    for (uint32_t a = 0; a < classes && good; a++)
        for (uint32_t b = a; b < classes && good; b++)
            if (is_unknown_pair(cell, groups, a, b))
                good = put_unknown(record, "kappa", pair_name(kappa, a, b, name),
                                   treatment(kappa, how));
    if (good && cell->hypothetical && record->unknowns.count == 0)
        good = put_unknown(record, "kappa", "some pair of classes", treatment(kappa, how));
    return good;
}

static bool put_unknowns(struct sl_record *record, const struct sl_cell *cell)
{
    const struct sl_kappa *kappa = &cell->plan.graph->platform->kappa;
    bool good = put_pairs(record, cell);
    for (uint32_t i = 0; i < record->costs.count && good; i++) {
        const struct sl_record_cost *cost = &record->costs.items[i];
        bool named = strcmp(cost->what, "kappa") == 0 && cost->evidence; /* a pair, above */
        if (!cost->evidence || (strcmp(cost->evidence, "unknown") == 0 && !named))
            good = put_unknown(record, cost->what, cost->name,
                               cost->evidence ? "marked unknown" : "no evidence is stated");
    }
    if (good && kappa->rule && !kappa->rule->uses_pairs && kappa->demand_count > 0)
        good = put_unknown(record, "demand", "kappa.demands",
                           "shares of links, for which no evidence can be stated");
    return good;
}

static int most_time_first(const void *a, const void *b)
{
    const struct sl_decide_cost *x = a, *y = b;
    double p = isnan(x->chain_ps) ? -1 : x->chain_ps, q = isnan(y->chain_ps) ? -1 : y->chain_ps;
    int by = (p < q) - (p > q);
    by = by ? by : strcmp(x->what, y->what);
    by = by ? by : strcmp(x->name, y->name);
    return by ? by : strcmp(x->evidence ? x->evidence : "", y->evidence ? y->evidence : "");
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
    good = good && put_unknowns(record, cell);
    return good ? SL_OK : sl_decide_no_memory(err);
}

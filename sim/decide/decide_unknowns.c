/* What is not known of a plan: pairs of classes without a kappa, and costs without evidence. */
#include "config.h"

#include "class_groups.h"
#include "decide_parts.h"
#include <string.h>

bool sl_decide_met(const struct sl_cell *cell, uint32_t a, uint32_t b)
{
    uint32_t classes = cell->plan.graph->platform->kappa.classes.count;
    return !cell->overlap_ps || cell->overlap_ps[(size_t)a * classes + b] > 0;
}

const char *sl_decide_pair_name(const struct sl_kappa *kappa, uint32_t a, uint32_t b,
                                char name[300])
{
    snprintf(name, 300, "%.140s beside %.140s", kappa->classes.names[a], kappa->classes.names[b]);
    return name;
}

bool sl_decide_unknown_pair(const struct sl_cell *cell, const uint64_t *groups, uint32_t a,
                            uint32_t b)
{
    const struct sl_kappa *kappa = &cell->plan.graph->platform->kappa;
    bool unknown = !sl_kappa_has_evidence(kappa) || sl_kappa_unknown_pair(kappa, a, b) ||
                   sl_kappa_unknown_pair(kappa, b, a);
    return unknown && groups[a] & groups[b] && sl_decide_met(cell, a, b);
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
            if (sl_decide_unknown_pair(cell, groups, a, b))
                good = put_unknown(record, "kappa", sl_decide_pair_name(kappa, a, b, name),
                                   treatment(kappa, how));
    if (good && cell->hypothetical && record->unknowns.count == 0)
        good = put_unknown(record, "kappa", "some pair of classes", treatment(kappa, how));
    return good;
}

/* A name that several rows have is told once. */
static bool is_told(const struct sl_record *record, const struct sl_record_cost *cost)
{
    for (uint32_t i = 0; i < record->unknowns.count; i++)
        if (strcmp(record->unknowns.items[i].what, cost->what) == 0 &&
            strcmp(record->unknowns.items[i].name, cost->name) == 0)
            return true;
    return false;
}

enum sl_status sl_decide_unknowns(struct sl_decision *decision, const struct sl_cell *cell,
                                  struct sl_error *err)
{
    struct sl_record *record = decision->record;
    const struct sl_kappa *kappa = &cell->plan.graph->platform->kappa;
    bool good = put_pairs(record, cell);
    for (uint32_t i = 0; i < record->costs.count && good; i++) {
        const struct sl_record_cost *cost = &record->costs.items[i];
        bool named = strcmp(cost->what, "kappa") == 0 && cost->evidence; /* a pair, above */
        bool open = !cost->evidence || (strcmp(cost->evidence, "unknown") == 0 && !named);
        if (open && !is_told(record, cost))
            good = put_unknown(record, cost->what, cost->name,
                               cost->evidence ? "marked unknown" : "no evidence is stated");
    }
    if (good && kappa->rule && !kappa->rule->uses_pairs && kappa->demand_count > 0)
        good = put_unknown(record, "demand", "kappa.demands",
                           "shares of links, for which no evidence can be stated");
    return good ? SL_OK : sl_decide_no_memory(err);
}

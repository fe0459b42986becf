/* Finished cells: what of them is kept until all have run. */
#include "config.h"

#include "cell_facts.h"
#include "decide_parts.h"
#include "grouping.h"
#include "order_figures.h"
#include "sort.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double *by_trial(struct sl_arena *arena, const struct sl_cell *cell,
                              enum sl_measure measure)
{
    const struct sl_order_item item = {.measure = measure, .domain = SL_NONE};
    double *values = sl_arena_array(arena, (size_t)cell->trials + 1, sizeof *values);
    for (uint32_t t = 0; values && t < cell->trials; t++)
        values[t] = sl_order_trial_value(&item, cell, t);
    return values;
}

static bool keep_trials(struct sl_arena *arena, const struct sl_cell *cell,
                        struct sl_decide_cell *kept)
{
    if (!cell->metric_ps || (cell->jobs && !cell->jobs->estimated))
        return true;
    kept->mean_us = by_trial(arena, cell, SL_MEASURE_MEAN);
    kept->tail_us = cell->jobs ? by_trial(arena, cell, SL_MEASURE_TAIL) : kept->mean_us;
    kept->median_us = cell->jobs ? by_trial(arena, cell, SL_MEASURE_MEDIAN) : kept->mean_us;
    return kept->mean_us && kept->tail_us && kept->median_us;
}

static bool keep_domains(struct sl_arena *arena, const struct sl_cell *cell,
                         struct sl_decide_cell *kept)
{
    uint32_t domains = cell->scenario->platform.domain_names.count;
    kept->peak_bytes = sl_arena_array(arena, (size_t)domains + 1, sizeof *kept->peak_bytes);
    kept->staging_byte_s = sl_arena_array(arena, (size_t)domains + 1, sizeof(double));
    if (!kept->peak_bytes || !kept->staging_byte_s)
        return false;
    for (uint32_t d = 0; d < domains; d++) {
        kept->peak_bytes[d] = cell->peak_bytes ? (double)sl_peak_of(cell, d) : NAN;
        kept->staging_byte_s[d] = cell->staging_byte_s ? sl_staging_of(cell, d) : NAN;
    }
    int64_t longest = 0;
    for (uint32_t t = 0; cell->max_wait_ps && t < cell->trials; t++)
        longest = cell->max_wait_ps[t] > longest ? cell->max_wait_ps[t] : longest;
    kept->max_wait_us = cell->max_wait_ps ? sl_us_of(longest) : NAN;
    return true;
}

/* "prefetch.lookahead=2" of policies' axes that apply. */
static bool name_point(struct sl_arena *arena, const struct sl_cell *cell,
                       struct sl_decide_cell *kept)
{
    const char *text = NULL;
    kept->axis_texts = sl_arena_array(arena, (size_t)cell->spec.axis_count + 1, sizeof(char *));
    for (uint32_t a = 0; kept->axis_texts && a < cell->spec.axis_count; a++) {
        const char *path = cell->scenario->axes[a].path, *value = cell->spec.axis_texts[a];
        kept->axis_texts[a] = sl_arena_strdup(arena, value);
        if (!kept->axis_texts[a])
            return false;
        if (!sl_axis_is_policys(path) || !*value)
            continue;
        text = sl_arena_printf(arena, "%s%s%s=%s", text ? text : "", text ? " " : "",
                               sl_axis_short(path), value);
        if (!text)
            return false;
    }
    kept->point = text;
    return kept->axis_texts;
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static enum sl_status keep_costs(struct sl_arena *arena, const struct sl_cell *cell,
                                 struct sl_decide_cell *kept, struct sl_error *err)
{
    struct sl_decide_cost *costs = NULL;
    if (!cell->plan.graph)
        return SL_OK;
    enum sl_status status = sl_decide_find_costs(cell, arena, &costs, &kept->cost_count, err);
    if (status != SL_OK)
        return status;
    kept->cost_keys = sl_arena_array(arena, (size_t)kept->cost_count + 1, sizeof(uint64_t));
    if (!kept->cost_keys)
        return sl_decide_no_memory(err);
    for (uint32_t i = 0; i < kept->cost_count; i++)
        kept->cost_keys[i] = sl_decide_cost_key(costs[i].row.what, costs[i].row.name);
    qsort(kept->cost_keys, kept->cost_count, sizeof *kept->cost_keys, compare_keys);
    return SL_OK;
}

enum sl_status sl_decide_keep(struct sl_decision *decision, const struct sl_cell *cell,
                              struct sl_decide_cell *kept, struct sl_error *err)
{
    struct sl_arena *arena = &decision->arena;
    *kept = (struct sl_decide_cell){
        .policy = sl_arena_strdup(arena, cell->spec.policy),
        .verdict = cell->verdict,
        .reason = sl_arena_strdup(arena, cell->reason),
        .trials = cell->trials,
        .hypothetical = cell->hypothetical,
        .jobs = cell->jobs,
        .median = cell->metric_ps ? cell->median : SL_NO_ESTIMATE,
        .tail = sl_decide_tail(cell),
        .deadline_miss = cell->metric_ps ? sl_deadline_miss(cell) : SL_NO_ESTIMATE,
    };
    if (!kept->policy || !kept->reason || !keep_trials(arena, cell, kept) ||
        !keep_domains(arena, cell, kept) || !name_point(arena, cell, kept))
        return sl_decide_no_memory(err);
    return keep_costs(arena, cell, kept, err);
}

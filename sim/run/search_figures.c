/* How good a plan is, from its trials so far. */
#include "quantile.h"
#include "searchparts.h"
#include "tallies.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The domain that most bytes of the gaps live in. */
static uint32_t main_home(const struct sl_space *space)
{
    uint32_t domains = space->scenario->platform.domain_names.count, best = 0;
    double most = -1;
    for (uint32_t d = 0; d < domains; d++) {
        double bytes = 0;
        for (uint32_t g = 0; g < space->gap_count; g++)
            bytes += space->gaps[g].home == d ? (double)space->gaps[g].bytes : 0;
        if (bytes > most) {
            most = bytes;
            best = d;
        }
    }
    return best;
}

enum sl_status sl_search_goal_set(struct sl_search_goal *goal, const struct sl_space *space,
                                  struct sl_arena *arena, struct sl_error *err)
{
    const struct sl_scenario *scenario = space->scenario;
    uint32_t count = scenario->objective.order_count;
    *goal = (struct sl_search_goal){.scenario = scenario, .pareto = count == 0};
    goal->levels = count < SL_SEARCH_LEVELS ? count : SL_SEARCH_LEVELS;
    for (uint32_t k = 0; k < goal->levels; k++)
        goal->order[k] = scenario->objective.order[k];
    if (!goal->pareto)
        return SL_OK;
    goal->order[goal->levels++] = (struct sl_order_item){SL_MEASURE_TAIL, SL_NONE, "tail"};
    if (scenario->platform.domain_names.count == 0)
        return SL_OK;
    uint32_t home = main_home(space);
    const char *domain = scenario->platform.domain_names.names[home];
    const char *peak = sl_arena_printf(arena, "peak.%s", domain);
    const char *staging = sl_arena_printf(arena, "staging.%s", domain);
    if (!peak || !staging)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a search");
    goal->order[goal->levels++] = (struct sl_order_item){SL_MEASURE_PEAK, home, peak};
    goal->order[goal->levels++] = (struct sl_order_item){SL_MEASURE_STAGING, home, staging};
    return SL_OK;
}

bool sl_samples_reserve(struct sl_samples *samples, const struct sl_scenario *scenario,
                        uint32_t trials)
{
    size_t domains = scenario->platform.domain_names.count;
    if (!samples->peak_bytes) {
        samples->peak_bytes = calloc(domains + 1, sizeof *samples->peak_bytes);
        samples->staging_byte_s = calloc(domains + 1, sizeof *samples->staging_byte_s);
        samples->kept = calloc((size_t)scenario->objective.constraint_count + 1, sizeof(uint32_t));
    }
    return samples->peak_bytes && samples->staging_byte_s && samples->kept &&
           sl_grow((void **)&samples->metric_ps, &samples->capacity, trials + 1,
                   sizeof *samples->metric_ps);
}

void sl_samples_clear(struct sl_samples *samples, const struct sl_scenario *scenario)
{
    size_t domains = scenario->platform.domain_names.count;
    samples->count = samples->missed = 0;
    samples->unfinished = 0;
    samples->longest_wait_ps = 0;
    memset(samples->peak_bytes, 0, domains * sizeof *samples->peak_bytes);
    memset(samples->staging_byte_s, 0, domains * sizeof *samples->staging_byte_s);
    memset(samples->kept, 0, scenario->objective.constraint_count * sizeof *samples->kept);
}

void sl_samples_free(struct sl_samples *samples)
{
    free(samples->metric_ps);
    free(samples->peak_bytes);
    free(samples->staging_byte_s);
    free(samples->kept);
    *samples = (struct sl_samples){0};
}

static uint32_t domain_of(const struct sl_scenario *scenario, const char *left)
{
    return strncmp(left, "peak.", 5) == 0
               ? sl_names_find(&scenario->platform.domain_names, left + 5)
               : SL_NONE;
}

static int64_t longest_wait(const struct sl_graph *graph, const struct sl_trial *record)
{
    int64_t longest = 0;
    for (uint32_t n = 0; n < graph->node_count; n++)
        if (record->state[n] == SL_RAN && record->start_ps[n] - record->ready_ps[n] > longest)
            longest = record->start_ps[n] - record->ready_ps[n];
    return longest;
}

static bool misses(const struct sl_graph *graph, const struct sl_trial *record)
{
    for (uint32_t n = 0; n < graph->node_count; n++) {
        if (graph->nodes[n].deadline_ps == INT64_MAX)
            continue;
        uint32_t taker = sl_tally_taker(graph, record, n);
        if (taker == SL_NONE || (taker != n && record->state[taker] != SL_RAN))
            return true;
        if (record->state[taker] == SL_RAN &&
            record->finish_ps[taker] > graph->nodes[n].deadline_ps)
            return true;
    }
    return false;
}

static double share_left(const struct sl_graph *graph, const struct sl_trial *record)
{
    uint32_t left = 0;
    for (uint32_t n = 0; n < graph->node_count; n++)
        left += record->state[n] == SL_UNFINISHED;
    return (double)left / graph->node_count;
}

void sl_samples_add(struct sl_samples *samples, const struct sl_scenario *scenario,
                    const struct sl_graph *graph, const struct sl_trial *record)
{
    bool stuck = record->outcome == SL_DEADLOCK;
    int64_t wait = longest_wait(graph, record);
    samples->metric_ps[samples->count++] = record->makespan_ps;
    samples->unfinished += stuck ? share_left(graph, record) : 0;
    samples->missed += stuck || misses(graph, record);
    if (wait > samples->longest_wait_ps)
        samples->longest_wait_ps = wait;
    for (uint32_t d = 0; d < scenario->platform.domain_names.count; d++) {
        if (record->peak_bytes[d] > samples->peak_bytes[d])
            samples->peak_bytes[d] = record->peak_bytes[d];
        samples->staging_byte_s[d] += record->staging_byte_s[d];
    }
    for (uint32_t k = 0; k < scenario->objective.constraint_count; k++) {
        const struct sl_constraint *constraint = &scenario->objective.constraints[k];
        uint32_t domain = domain_of(scenario, constraint->left);
        int64_t value = domain != SL_NONE                           ? record->peak_bytes[domain]
                        : strcmp(constraint->left, "max_wait") == 0 ? wait
                                                                    : record->makespan_ps;
        samples->kept[k] += (double)value <= constraint->limit;
    }
}

/* Figures of the metric, ps. */
struct metrics {
    double quantile, worst, median, mean;
};

static enum sl_status find_metrics(const struct sl_samples *samples, double q,
                                   struct metrics *metrics, struct sl_error *err)
{
    uint32_t n = samples->count;
    int64_t *sorted = malloc(((size_t)n + 1) * sizeof *sorted);
    if (!sorted)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the figures of a plan");
    memcpy(sorted, samples->metric_ps, n * sizeof *sorted);
    sl_sort_integers(sorted, n);
    double sum = 0, worst = 0, count = ceil(2 * (1 - q) * n - 1e-9);
    uint32_t of = count < 1 ? 1 : count > n ? n : (uint32_t)count;
    for (uint32_t i = 0; i < n; i++) {
        sum += (double)sorted[i];
        worst += i >= n - of ? (double)sorted[i] : 0;
    }
    metrics->quantile = (double)sorted[sl_quantile_rank(n, q) - 1];
    metrics->median = (double)sorted[sl_quantile_rank(n, 0.5) - 1];
    metrics->mean = sum / n;
    metrics->worst = worst / of;
    free(sorted);
    return SL_OK;
}

/* How far a constraint is broken, as a share of its limit. */
static double excess(const struct sl_scenario *scenario, const struct sl_samples *samples,
                     const struct metrics *metrics, uint32_t k)
{
    const struct sl_constraint *constraint = &scenario->objective.constraints[k];
    uint32_t domain = domain_of(scenario, constraint->left);
    double value = metrics->mean;
    if (constraint->probability > 0) {
        double kept = (double)samples->kept[k] / samples->count;
        return kept < constraint->probability ? constraint->probability - kept : 0;
    }
    if (domain != SL_NONE)
        value = (double)samples->peak_bytes[domain];
    else if (strcmp(constraint->left, "max_wait") == 0)
        value = (double)samples->longest_wait_ps;
    else if (strcmp(constraint->left, "deadline_miss") == 0)
        value = (double)samples->missed / samples->count;
    else if (strcmp(constraint->left, "tail") == 0)
        value = metrics->quantile;
    else if (strcmp(constraint->left, "median") == 0)
        value = metrics->median;
    double over = value - constraint->limit;
    return over > 0 ? over / (constraint->limit > 0 ? constraint->limit : 1) : 0;
}

static double value_of(const struct sl_order_item *item, const struct sl_samples *samples,
                       const struct metrics *metrics, bool exact)
{
    switch (item->measure) {
    case SL_MEASURE_TAIL:
        return exact ? metrics->quantile : metrics->worst;
    case SL_MEASURE_MEDIAN:
        return metrics->median;
    case SL_MEASURE_MEAN:
        return metrics->mean;
    case SL_MEASURE_MAX_WAIT:
        return (double)samples->longest_wait_ps;
    case SL_MEASURE_DEADLINE_MISS:
        return (double)samples->missed / samples->count;
    case SL_MEASURE_PEAK:
        return (double)samples->peak_bytes[item->domain];
    case SL_MEASURE_STAGING:
        return samples->staging_byte_s[item->domain] / samples->count;
    }
    return 0;
}

enum sl_status sl_search_figure(const struct sl_search_goal *goal, const struct sl_samples *samples,
                                bool exact, struct sl_search_figures *figures, struct sl_error *err)
{
    const struct sl_scenario *scenario = goal->scenario;
    struct metrics metrics = {0};
    *figures = (struct sl_search_figures){.trials = samples->count};
    figures->stuck = samples->unfinished / samples->count;
    if (figures->stuck > 0)
        return SL_OK;
    enum sl_status status = find_metrics(samples, scenario->objective.tail, &metrics, err);
    if (status != SL_OK)
        return status;
    for (uint32_t k = 0; k < scenario->objective.constraint_count; k++)
        figures->violation += excess(scenario, samples, &metrics, k);
    for (uint32_t k = 0; k < goal->levels; k++)
        figures->values[k] = value_of(&goal->order[k], samples, &metrics, exact);
    return SL_OK;
}

static int compare_numbers(double a, double b)
{
    return a < b ? -1 : a > b;
}

int sl_search_compare(const struct sl_search_figures *a, const struct sl_search_figures *b,
                      uint32_t levels)
{
    int order = compare_numbers(a->stuck, b->stuck);
    if (order == 0)
        order = compare_numbers(a->violation, b->violation);
    for (uint32_t k = 0; k < levels && order == 0; k++)
        order = compare_numbers(a->values[k], b->values[k]);
    return order;
}

/* Measured beside projected, figure by figure. */
#include "config.h"

#include "replay_verdict.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL     0.95
#define PS_PER_US 1e6

/* ---- the planned order ----------------------------------------------------------------------- */

static int by_start(const void *left, const void *right)
{
    const struct sl_bar *a = left, *b = right;
    if (a->start_ps != b->start_ps)
        return a->start_ps < b->start_ps ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

uint32_t *sl_replay_planned_order(const struct sl_replay_plan *plan, const struct sl_cell *cell)
{
    uint32_t *order = malloc(((size_t)plan->node_count + 1) * sizeof *order);
    uint32_t *places = calloc((size_t)plan->resource_count + 1, sizeof *places);
    struct sl_bar *bars = malloc(((size_t)cell->median_bar_count + 1) * sizeof *bars);
    if (!order || !places || !bars) {
        free(order);
        order = NULL;
        goto out;
    }
    memcpy(bars, cell->median_bars, cell->median_bar_count * sizeof *bars);
    qsort(bars, cell->median_bar_count, sizeof *bars, by_start);
    for (uint32_t i = 0; i < plan->node_count; i++)
        order[i] = SL_NONE;
    for (uint32_t k = 0; k < cell->median_bar_count; k++) {
        const struct sl_replay_node *node = &plan->nodes[bars[k].node];
        if (node->act == SL_REPLAY_WORK)
            order[bars[k].node] = places[plan->demands[node->demands.first].resource]++;
    }
out:
    free(places);
    free(bars);
    return order;
}

/* ---- figures --------------------------------------------------------------------------------- */

const double sl_replay_quantile_of[SL_REPLAY_QUANTILES] = {0.5, 0.9, 0.99};

static struct sl_replay_match match(struct sl_estimate projected, struct sl_estimate measured)
{
    return (struct sl_replay_match){
        .projected = projected,
        .error = projected.value / measured.value - 1,
        .agree = measured.lo <= projected.hi && projected.lo <= measured.hi,
    };
}

static void compare_quantiles(struct sl_replay_verdict *verdict,
                              const struct sl_replay_tally *tally, const struct sl_cell *cell)
{
    static const char *const names[SL_REPLAY_QUANTILES] = {"median", "p90", "p99"};
    const struct sl_estimate projected[SL_REPLAY_QUANTILES] = {cell->median, cell->p90, cell->p99};
    for (int i = 0; i < SL_REPLAY_QUANTILES; i++) {
        struct sl_replay_quantile *row = &verdict->quantiles[i];
        row->name = names[i];
        row->measured = sl_quantile(sl_replay_tally_makespans_us(tally),
                                    sl_replay_tally_count(tally), sl_replay_quantile_of[i], LEVEL);
        row->calibrated = match(projected[i], row->measured);
        row->seen =
            match(verdict->beside ? verdict->beside->seen[i] : SL_NO_ESTIMATE, row->measured);
        row->drift = projected[i].value / row->seen.projected.value - 1;
    }
}

static int by_share(const void *left, const void *right)
{
    const struct sl_replay_deviation *a = left, *b = right;
    double size_a = fabs(a->share), size_b = fabs(b->share);
    if (size_a != size_b)
        return size_a > size_b ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

static bool compare_nodes(struct sl_replay_verdict *verdict, const struct sl_replay_tally *tally,
                          const struct sl_replay_plan *plan, const struct sl_cell *cell)
{
    const double *makespans_us = sl_replay_tally_makespans_us(tally);
    double makespan_us = makespans_us[sl_replay_tally_count(tally) / 2];
    verdict->deviations =
        sl_arena_array(&verdict->arena, (size_t)plan->node_count + 1, sizeof *verdict->deviations);
    if (!verdict->deviations)
        return false;
    for (uint32_t i = 0; i < plan->node_count; i++) {
        if (plan->nodes[i].act != SL_REPLAY_WORK)
            continue;
        struct sl_replay_deviation *d = &verdict->deviations[verdict->deviation_count++];
        d->node = i;
        d->projected_us = (double)cell->nodes.hold_ps[i] / (double)cell->nodes.ran[i] / PS_PER_US;
        d->measured_us = sl_replay_tally_hold_ns(tally, i) / 1e3;
        d->share = (d->measured_us - d->projected_us) / makespan_us;
    }
    qsort(verdict->deviations, verdict->deviation_count, sizeof *verdict->deviations, by_share);
    return true;
}

static bool compare_overlaps(struct sl_replay_verdict *verdict, const struct sl_replay_tally *tally,
                             const struct sl_cell *cell)
{
    uint32_t count, all = cell->plan.graph->platform->kappa.classes.count;
    const uint32_t *classes = sl_replay_tally_classes(tally, &count);
    double completed = cell->trials - cell->deadlocked;
    verdict->overlaps = sl_arena_array(&verdict->arena, (size_t)count * (count + 1) / 2 + 1,
                                       sizeof *verdict->overlaps);
    if (!verdict->overlaps)
        return false;
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = a; b < count; b++) {
            struct sl_replay_overlap row = {classes[a], classes[b], 0, 0};
            row.projected_us =
                (double)cell->overlap_ps[(size_t)row.a * all + row.b] / completed / PS_PER_US;
            row.measured_us = sl_replay_tally_overlap_ns(tally, a, b) / 1e3;
            if (row.projected_us > 0 || row.measured_us > 0)
                verdict->overlaps[verdict->overlap_count++] = row;
        }
    return true;
}

/* "memcpy+stream" and what the simulator takes for it. */
static bool describe_set(struct sl_replay_slowdown *row, const struct sl_kappa *kappa,
                         const uint32_t *classes, uint32_t count, struct sl_arena *arena)
{
    uint32_t *counts = sl_arena_array(arena, (size_t)kappa->classes.count + 1, sizeof *counts);
    bool hypothetical = false;
    row->others = counts ? "" : NULL;
    for (uint32_t c = 0; row->others && c < count; c++)
        for (uint32_t k = 0; row->others && k < row->seen.others[c]; k++) {
            counts[classes[c]]++;
            row->others = sl_arena_printf(arena, "%s%s%s", row->others, row->others[0] ? "+" : "",
                                          kappa->classes.names[classes[c]]);
        }
    if (!row->others)
        return false;
    row->used = row->seen.other_count == 0 ? 1
                                           : sl_kappa_eval(kappa, row->seen.klass, counts,
                                                           SL_CORNER_PESSIMISTIC, &hypothetical);
    return true;
}

static bool compare_slowdowns(struct sl_replay_verdict *verdict,
                              const struct sl_replay_tally *tally, const struct sl_cell *cell)
{
    const struct sl_kappa *kappa = &cell->plan.graph->platform->kappa;
    uint32_t count, class_count;
    const uint32_t *classes = sl_replay_tally_classes(tally, &class_count);
    const struct sl_slowdown *seen = sl_replay_tally_kappas(tally, &verdict->arena, &count);
    verdict->slowdowns =
        sl_arena_array(&verdict->arena, (size_t)count + 1, sizeof *verdict->slowdowns);
    if (!seen || !verdict->slowdowns)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct sl_replay_slowdown *row = &verdict->slowdowns[verdict->slowdown_count++];
        row->seen = seen[i];
        if (!describe_set(row, kappa, classes, class_count, &verdict->arena))
            return false;
    }
    return true;
}

static bool compare_orders(struct sl_replay_verdict *verdict, const struct sl_replay_tally *tally,
                           const struct sl_replay_plan *plan)
{
    verdict->orders =
        sl_arena_array(&verdict->arena, (size_t)plan->resource_count + 1, sizeof *verdict->orders);
    if (!verdict->orders)
        return false;
    for (uint32_t r = 0; r < plan->resource_count; r++) {
        struct sl_replay_order row = {r, 0, sl_replay_tally_in_order(tally, r),
                                      sl_replay_tally_misplaced(tally, r)};
        for (uint32_t i = 0; i < plan->node_count; i++)
            row.nodes += plan->nodes[i].act == SL_REPLAY_WORK &&
                         plan->demands[plan->nodes[i].demands.first].resource == r;
        if (row.nodes > 0)
            verdict->orders[verdict->order_count++] = row;
    }
    return true;
}

enum sl_status sl_replay_verdict_make(struct sl_replay_verdict *verdict,
                                      struct sl_replay_tally *tally,
                                      const struct sl_replay_plan *plan, const struct sl_cell *cell,
                                      const struct sl_replay_beside *beside, struct sl_error *err)
{
    *verdict = (struct sl_replay_verdict){.beside = beside};
    sl_replay_tally_sort(tally);
    compare_quantiles(verdict, tally, cell);
    if (compare_nodes(verdict, tally, plan, cell) && compare_overlaps(verdict, tally, cell) &&
        compare_slowdowns(verdict, tally, cell) && compare_orders(verdict, tally, plan))
        return SL_OK;
    return SL_FAIL(err, SL_SYSTEM, "out of memory");
}

void sl_replay_verdict_free(struct sl_replay_verdict *verdict)
{
    sl_arena_free(&verdict->arena);
}

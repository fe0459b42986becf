/* The realized order of starts beside the plan's.
 *
 * Of two works whose starts lie closer than a twentieth of the shorter one's isolated duration
 * neither is first.  The plan orders a pair in which the same one is first in 95% of its trials at
 * least.  Such a pair is inverted where the other one is first in more repetitions than the plan's
 * own variation explains: the lower limit of that share lies above the upper one of the same share
 * of trials, at an error of 5% for all pairs together.  Pairs are those within so many places in
 * the order of mean starts that there are at most MOST_PAIRS. */
#include "config.h"

#include "measuring.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PAIRS (1u << 20)
#define MOST_LOOKS 200000000u /* pairs x repetitions; of more repetitions every k-th is taken */
#define MOST_TOLD  10
#define CLOSE      0.05 /* of the shorter work */
#define ORDERED    0.95 /* of the trials */
#define ERROR      0.05 /* of all pairs together */
#define LEAST_BROKEN                                                                               \
    0.01 /* of the repetitions, before a broken edge is no accident of the clock                   \
          */

struct order {
    struct sl_measuring *measure;
    uint32_t *places; /* works by mean start */
    uint32_t count, reach;
    uint32_t runs;         /* that are looked at */
    double *starts, *ends; /* run x work; NAN: not seen */
    uint32_t told;
};

/* How often the first, and the second, of two works is first. */
struct tally {
    uint32_t first, second, both;
};

static const struct sl_planned_work *work_at(const struct order *o, uint32_t work)
{
    return &o->measure->planned->works[work];
}

static const char *name_of(const struct order *o, uint32_t work)
{
    return o->measure->planned->graph->nodes[work_at(o, work)->node].name;
}

static double closeness(const struct order *o, uint32_t a, uint32_t b)
{
    return CLOSE * fmin(work_at(o, a)->isolated_us, work_at(o, b)->isolated_us);
}

static struct tally count(const double *starts, uint32_t rows, uint32_t works, uint32_t a,
                          uint32_t b, double close)
{
    struct tally tally = {0};
    for (uint32_t r = 0; r < rows; r++) {
        double of_a = starts[(size_t)r * works + a], of_b = starts[(size_t)r * works + b];
        tally.first += of_b - of_a > close; /* NAN compares false */
        tally.second += of_a - of_b > close;
        tally.both += !isnan(of_a) && !isnan(of_b);
    }
    return tally;
}

/* ---- preparing ------------------------------------------------------------------------------- */

struct placed {
    double start_us;
    uint32_t work;
};

static int by_start(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    if (a->start_us != b->start_us)
        return a->start_us < b->start_us ? -1 : 1;
    return (a->work > b->work) - (a->work < b->work);
}

static bool place_works(struct order *o)
{
    const struct sl_planned *planned = o->measure->planned;
    struct placed *placed =
        sl_arena_array(&o->measure->arena, (size_t)planned->count + 1, sizeof *placed);
    o->places = sl_arena_array(&o->measure->arena, (size_t)planned->count + 1, sizeof *o->places);
    if (!placed || !o->places)
        return false;
    for (uint32_t w = 0; w < planned->count; w++)
        if (!isnan(planned->works[w].start_us))
            placed[o->count++] = (struct placed){planned->works[w].start_us, w};
    qsort(placed, o->count, sizeof *placed, by_start);
    for (uint32_t k = 0; k < o->count; k++)
        o->places[k] = placed[k].work;
    o->reach = o->count > 0 ? MOST_PAIRS / o->count : 0;
    o->reach = o->reach < o->count ? o->reach + 1 : o->count;
    return true;
}

static bool place_runs(struct order *o)
{
    const struct sl_realized *realized = o->measure->realized;
    uint32_t works = o->measure->planned->count;
    uint64_t looks = (uint64_t)o->count * o->reach + 1;
    uint32_t most = (uint32_t)(MOST_LOOKS / looks) + 20;
    uint32_t stride = (realized->run_count + most - 1) / most;
    o->runs = (realized->run_count + stride - 1) / stride;
    o->starts = sl_arena_array(&o->measure->arena, (size_t)o->runs * works + 1, sizeof(double));
    o->ends = sl_arena_array(&o->measure->arena, (size_t)o->runs * works + 1, sizeof(double));
    if (!o->starts || !o->ends)
        return false;
    for (size_t i = 0; i < (size_t)o->runs * works; i++)
        o->starts[i] = o->ends[i] = NAN;
    for (uint32_t r = 0; r < o->runs; r++) {
        const struct sl_realized_run *run = &realized->runs[(size_t)r * stride];
        for (uint32_t k = 0; k < run->count; k++) {
            const struct sl_realized_work *work = &realized->works[run->first + k];
            uint32_t w = o->measure->work_of[work->name];
            if (w == SL_NONE)
                continue;
            o->starts[(size_t)r * works + w] = (double)work->from_ps / 1e6;
            o->ends[(size_t)r * works + w] = (double)work->to_ps / 1e6;
        }
    }
    return true;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static bool tell(struct order *o, const char *text)
{
    return text && (o->told++ >= MOST_TOLD ||
                    sl_record_add_text(o->measure->record,
                                       &o->measure->record->measurement.deviations, text));
}

/* Whether `other` is first in more repetitions than the plan explains. */
static bool is_inverted(uint32_t planned, uint32_t trials, uint32_t seen, uint32_t runs,
                        double level)
{
    if (seen == 0 || (double)seen * trials <= (double)planned * runs)
        return false;
    return sl_proportion(seen, runs, level).lo > sl_proportion(planned, trials, level).hi;
}

static bool judge_pair(struct order *o, uint32_t a, uint32_t b, double level)
{
    const struct sl_planned *planned = o->measure->planned;
    struct sl_record_measurement *out = &o->measure->record->measurement;
    double close = closeness(o, a, b);
    struct tally plan = count(planned->start_us, planned->trials, planned->count, a, b, close);
    if (plan.both == 0 ||
        (double)(plan.first > plan.second ? plan.first : plan.second) < ORDERED * plan.both)
        return true;
    struct tally seen = count(o->starts, o->runs, planned->count, a, b, close);
    if (seen.both == 0)
        return true;
    bool forward = plan.first > plan.second;
    uint32_t other_planned = forward ? plan.second : plan.first;
    uint32_t other_seen = forward ? seen.second : seen.first;
    out->order_pairs++;
    if (!is_inverted(other_planned, plan.both, other_seen, seen.both, level))
        return true;
    out->order_inversions++;
    if (o->told >= MOST_TOLD)
        return true;
    return tell(o,
                sl_arena_printf(&o->measure->arena,
                                "%s starts before %s in %.3g%% of the repetitions, in %.3g%% of "
                                "the plan's trials",
                                name_of(o, forward ? b : a), name_of(o, forward ? a : b),
                                100.0 * other_seen / seen.both, 100.0 * other_planned / plan.both));
}

static bool judge_pairs(struct order *o)
{
    double level = 1 - ERROR / fmax(1, (double)o->count * o->reach);
    for (uint32_t k = 0; k < o->count; k++)
        for (uint32_t j = k + 1; j < o->count && j - k < o->reach; j++)
            if (!judge_pair(o, o->places[k], o->places[j], level))
                return false;
    return true;
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* A work that starts before one has ended that it depends on: no variation explains that. */
static bool judge_edges(struct order *o, uint32_t *broken)
{
    const struct sl_planned *planned = o->measure->planned;
    const struct sl_graph *graph = planned->graph;
    for (uint32_t e = 0; e < graph->edge_count; e++) {
        const struct sl_edge *edge = &graph->edges[e];
        uint32_t a = planned->work_of[edge->from.i], b = planned->work_of[edge->to.i];
        uint32_t early = 0, both = 0;
        if (a == SL_NONE || b == SL_NONE || edge->next > 0)
            continue;
        double close = closeness(o, a, b);
        for (uint32_t r = 0; r < o->runs; r++) {
            size_t row = (size_t)r * planned->count;
            early += o->ends[row + a] - o->starts[row + b] > close;
            both += !isnan(o->ends[row + a]) && !isnan(o->starts[row + b]);
        }
        if (early == 0 || early < LEAST_BROKEN * both)
            continue;
        ++*broken;
        if (o->told < MOST_TOLD &&
            !tell(o, sl_arena_printf(&o->measure->arena,
                                     "%s starts before %s has ended, which it depends on, in "
                                     "%.3g%% of the repetitions",
                                     name_of(o, b), name_of(o, a), 100.0 * early / both)))
            return false;
    }
    return true;
}

enum sl_status sl_measuring_order(struct sl_measuring *measure, struct sl_error *err)
{
    struct order o = {.measure = measure};
    struct sl_record_measurement *out = &measure->record->measurement;
    uint32_t broken = 0;
    if (!measure->realized->has_works)
        return SL_OK; /* not known */
    if (!place_works(&o) || !place_runs(&o) || !judge_edges(&o, &broken) || !judge_pairs(&o))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    out->order_agrees =
        broken > 0 || (double)out->order_inversions > measure->tolerance * (double)out->order_pairs
            ? SL_TRUTH_NO
        : out->matched == 0 ? SL_TRUTH_UNKNOWN
                            : SL_TRUTH_YES;
    return SL_OK;
}

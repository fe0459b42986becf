/* Measured slowdowns and overlaps beside the model's, by class. */
#include "config.h"

#include "measuring.h"
#include "record_shape.h"
#include <math.h>
#include <string.h>

/* Overlaps that differ by less of the run are not told apart. */
#define LEAST_SHARE 0.01

struct contention {
    struct sl_measuring *measure;
    struct sl_beside *beside; /* of what was measured */
    double mean_us;           /* of the runs */
    bool told[SL_BESIDE_CLASSES][SL_BESIDE_CLASSES];
};

enum sl_truth sl_measuring_agrees(double model, struct sl_estimate measured, double tolerance,
                                  double least)
{
    double once = 1 + tolerance, twice = once * once;
    double lo = fmin(model / once, model - least), hi = fmax(model * once, model + least);
    double low = fmin(model / twice, model - 2 * least),
           high = fmax(model * twice, model + 2 * least);
    if (isnan(model) || isnan(measured.lo) || isnan(measured.hi))
        return SL_TRUTH_UNKNOWN;
    if (measured.hi < lo || measured.lo > hi)
        return SL_TRUTH_NO;
    return measured.value >= lo && measured.value <= hi && measured.lo >= low && measured.hi <= high
               ? SL_TRUTH_YES
               : SL_TRUTH_UNKNOWN;
}

static enum sl_truth worse(enum sl_truth a, enum sl_truth b)
{
    if (a == SL_TRUTH_NO || b == SL_TRUTH_NO)
        return SL_TRUTH_NO;
    return a == SL_TRUTH_YES ? b : SL_TRUTH_UNKNOWN;
}

static const char *class_name(const struct contention *c, uint32_t klass)
{
    const struct sl_planned *planned = c->measure->planned;
    return planned->graph->platform->kappa.classes.names[planned->classes[klass]];
}

/* ---- what was measured ----------------------------------------------------------------------- */

static enum sl_status add_runs(struct contention *c, struct sl_error *err)
{
    const struct sl_realized *realized = c->measure->realized;
    const struct sl_planned *planned = c->measure->planned;
    struct sl_beside_work *works =
        sl_arena_array(&c->measure->arena, (size_t)realized->work_count + 1, sizeof *works);
    enum sl_status status = works ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t r = 0; status == SL_OK && r < realized->run_count; r++) {
        const struct sl_realized_run *run = &realized->runs[r];
        uint32_t part = (uint32_t)((uint64_t)r * SL_BESIDE_PARTS / realized->run_count), count = 0;
        for (uint32_t k = 0; k < run->count; k++) {
            const struct sl_realized_work *work = &realized->works[run->first + k];
            uint32_t w = c->measure->work_of[work->name];
            if (w == SL_NONE || isnan(planned->works[w].isolated_us))
                continue;
            works[count++] =
                (struct sl_beside_work){.from_ns = work->from_ps / 1000,
                                        .to_ns = work->to_ps / 1000,
                                        .isolated_ns = 1000 * planned->works[w].isolated_us,
                                        .groups = planned->works[w].groups,
                                        .klass = planned->works[w].klass};
        }
        c->mean_us += run->time_us / realized->run_count;
        status = sl_beside_add(c->beside, part, works, count, err);
    }
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The model's kappa of a class beside others; NAN: it has none. */
static double model_kappa(const struct contention *c, uint32_t klass, const uint8_t *others)
{
    const struct sl_planned *planned = c->measure->planned;
    const struct sl_kappa *kappa = &planned->graph->platform->kappa;
    uint32_t *counts =
        sl_arena_array(&c->measure->arena, (size_t)kappa->classes.count + 1, sizeof *counts);
    bool hypothetical = false;
    for (uint32_t k = 0; counts && k < planned->class_count; k++)
        counts[planned->classes[k]] = others[k];
    double value = counts ? sl_kappa_eval(kappa, planned->classes[klass], counts,
                                          SL_CORNER_PESSIMISTIC, &hypothetical)
                          : (double)NAN;
    return hypothetical ? (double)NAN : value;
}

/* Whether some works of the classes contend at all. */
static bool share_group(const struct sl_planned *planned, uint32_t a, uint32_t b)
{
    uint64_t of_a = 0, of_b = 0;
    for (uint32_t w = 0; w < planned->count; w++) {
        of_a |= planned->works[w].klass == a ? planned->works[w].groups : 0;
        of_b |= planned->works[w].klass == b ? planned->works[w].groups : 0;
    }
    return (of_a & of_b) != 0;
}

static const char *overlap_note(const struct contention *c, struct sl_estimate measured_ns,
                                double model_us, enum sl_truth *agrees)
{
    double run_ns = 1000 * c->mean_us, share = model_us / c->measure->planned->mean_us;
    struct sl_estimate seen = {measured_ns.value / run_ns, measured_ns.lo / run_ns,
                               measured_ns.hi / run_ns};
    *agrees = sl_measuring_agrees(share, seen, c->measure->tolerance, LEAST_SHARE);
    return sl_arena_printf(&c->measure->record->arena,
                           "overlap %.3g%% [%.3g%%, %.3g%%] of the run, %.3g%% by the model",
                           100 * seen.value, 100 * seen.lo, 100 * seen.hi, 100 * share);
}

/* Overlap of a pair into its row, and whether it agrees. */
static bool put_overlap(struct contention *c, struct sl_record_contention *row, uint32_t a,
                        uint32_t b)
{
    struct sl_estimate model = sl_beside_overlap_ns(c->measure->planned->beside, a, b);
    struct sl_estimate measured = sl_beside_overlap_ns(c->beside, a, b);
    enum sl_truth agrees;
    row->model_overlap_us = model.value / 1000;
    row->measured_overlap_us = measured.value / 1000;
    const char *text = overlap_note(c, measured, row->model_overlap_us, &agrees);
    row->agrees = worse(row->agrees, agrees);
    row->note = text && row->note
                    ? sl_arena_printf(&c->measure->record->arena, "%s; %s", row->note, text)
                    : text;
    c->told[a][b] = true;
    return row->note != NULL;
}

static const char *name_others(const struct contention *c, const uint8_t *others, uint32_t *only)
{
    const char *text = "";
    uint32_t kinds = 0;
    for (uint32_t k = 0; text && k < c->measure->planned->class_count; k++) {
        kinds += others[k] > 0;
        *only = others[k] > 0 ? k : *only;
        for (uint32_t i = 0; text && i < others[k]; i++)
            text = sl_arena_printf(&c->measure->arena, "%s%s%s", text, *text ? "+" : "",
                                   class_name(c, k));
    }
    *only = kinds == 1 ? *only : SL_NONE;
    return text;
}

static const char *remark_on(const struct sl_slowdown *slowdown, double model)
{
    if (isnan(model))
        return "the model has no such slowdown: the overlap is hypothetical";
    if (isnan(slowdown->kappa))
        return "the runs do not tell this slowdown apart from others";
    return slowdown->seen_alone
               ? NULL
               : "never alone: against its isolated durations, so that a slower machine is in it";
}

static bool put_slowdown(struct contention *c, const struct sl_slowdown *slowdown)
{
    struct sl_record *record = c->measure->record;
    uint32_t only = SL_NONE;
    const char *others = name_others(c, slowdown->others, &only);
    struct sl_record_contention *row =
        others ? sl_record_add(record, &record->measurement.contention, &sl_shape_contention)
               : NULL;
    if (!row)
        return false;
    row->pair =
        sl_arena_printf(&record->arena, "%s beside %s", class_name(c, slowdown->klass), others);
    row->model = model_kappa(c, slowdown->klass, slowdown->others);
    row->measured = slowdown->slowdown;
    row->agrees = sl_measuring_agrees(row->model, row->measured, c->measure->tolerance, 0);
    row->note = remark_on(slowdown, row->model);
    return row->pair && (only == SL_NONE || put_overlap(c, row, slowdown->klass, only));
}

/* A class beside another, by the model or in fact, of which no slowdown was told. */
static bool put_pair(struct contention *c, uint32_t a, uint32_t b)
{
    struct sl_record *record = c->measure->record;
    const struct sl_planned *planned = c->measure->planned;
    double model_us = sl_beside_overlap_ns(planned->beside, a, b).value / 1000;
    double measured_us = sl_beside_overlap_ns(c->beside, a, b).value / 1000;
    uint8_t others[SL_BESIDE_CLASSES] = {0};
    if (c->told[a][b] ||
        !(model_us > LEAST_SHARE * planned->mean_us || measured_us > LEAST_SHARE * c->mean_us))
        return true;
    struct sl_record_contention *row =
        sl_record_add(record, &record->measurement.contention, &sl_shape_contention);
    if (!row)
        return false;
    others[b] = 1;
    bool contend = share_group(planned, a, b);
    c->told[b][a] |= !contend; /* one row says it of both */
    row->pair = sl_arena_printf(&record->arena, "%s beside %s", class_name(c, a), class_name(c, b));
    row->model = contend ? model_kappa(c, a, others) : 1;
    row->agrees = contend ? SL_TRUTH_UNKNOWN : SL_TRUTH_YES;
    row->note = contend ? "no slowdown was measured" : "they share nothing, by the model";
    return row->pair && put_overlap(c, row, a, b);
}

static bool put_rows(struct contention *c)
{
    uint32_t count, classes = c->measure->planned->class_count;
    const struct sl_slowdown *slowdowns =
        sl_beside_slowdowns(c->beside, &c->measure->arena, &count);
    bool good = slowdowns != NULL;
    for (uint32_t i = 0; good && i < count; i++)
        good = slowdowns[i].other_count == 0 || put_slowdown(c, &slowdowns[i]);
    for (uint32_t a = 0; good && a < classes; a++)
        for (uint32_t b = 0; good && b < classes; b++)
            good = put_pair(c, a, b);
    return good;
}

enum sl_status sl_measuring_contention(struct sl_measuring *measure, struct sl_error *err)
{
    struct contention c = {.measure = measure};
    enum sl_status status =
        sl_beside_create(&c.beside, measure->planned->class_count, SL_BESIDE_PARTS, err);
    if (status == SL_OK)
        status = add_runs(&c, err);
    if (status == SL_OK && !put_rows(&c))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    sl_beside_free(c.beside);
    return status;
}

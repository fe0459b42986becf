/* Sensitivity for people: what moves the tail most, what does nothing, and where a change goes the
 * wrong way. */
#include "report_sensitivity.h"
#include "grouping.h"
#include "kept.h"
#include "sensitivity_csv.h"
#include "table.h"
#include <math.h>
#include <stdlib.h>

#define SHOWN       12 /* levers of the table; the folder and --json have all */
#define NAMES_SHOWN 6  /* of a list of those without effect */

struct report {
    struct sl_arena arena;
    FILE *out;
    const struct sl_sensitivity *s;
    char tail[16]; /* "p99" */
};

static const char *kept(const char *text)
{
    return sl_kept(text);
}

/* "-4.61 ms [-5.2 ms, -3.9 ms]"; or why there is none. */
static const char *change_text(struct report *report, const struct sl_effect *effect,
                               enum sl_effect_figure figure)
{
    const struct sl_difference *difference = &effect->figures[figure];
    struct sl_arena *arena = &report->arena;
    struct sl_estimate e = difference->estimate;
    switch (effect->state) {
    case SL_EFFECT_NONE:
    case SL_EFFECT_CANNOT:
        return "none";
    case SL_EFFECT_REFUSED:
        return "refused";
    default:
        break;
    }
    if (effect->deadlocked > 0 && !isfinite(e.value))
        return kept(sl_arena_printf(arena, "%.3g%% deadlock",
                                    100.0 * effect->deadlocked / report->s->cell->trials));
    if (isnan(e.value))
        return kept(
            sl_arena_printf(arena, "needs %s trials", sl_grouped(arena, difference->needs)));
    if (isnan(e.lo))
        return kept(sl_arena_printf(arena, "%s%s, no interval", e.value > 0 ? "+" : "",
                                    sl_time_text(arena, e.value)));
    return kept(sl_arena_printf(arena, "%s%s [%s, %s]", e.value > 0 ? "+" : "",
                                sl_time_text(arena, e.value), sl_time_text(arena, e.lo),
                                sl_time_text(arena, e.hi)));
}

static const struct sl_effect *effect_at(const struct sl_lever *lever, double percent)
{
    for (uint32_t e = 0; e < lever->effect_count; e++)
        if (lever->effects[e].percent == percent)
            return &lever->effects[e];
    return NULL;
}

/* "+0.502% [+0.49%, +0.51%] (20%)": the step that it comes from. */
static const char *slope_text(struct report *report, const struct sl_slope *slope)
{
    struct sl_estimate e = slope->estimate;
    if (slope->kinked)
        return "kink";
    if (isnan(e.value))
        return "-";
    if (e.lo == 0 && e.hi == 0)
        return kept(sl_arena_printf(&report->arena, "0%% (%g%%)", slope->step));
    if (e.lo <= 0 && e.hi >= 0)
        return kept(sl_arena_printf(&report->arena, "within noise (%g%%)", slope->step));
    return kept(sl_arena_printf(&report->arena, "%+.3g%% [%+.3g%%, %+.3g%%] (%g%%)", e.value, e.lo,
                                e.hi, slope->step));
}

static bool has_effect(const struct sl_lever *lever)
{
    for (uint32_t e = 0; e < lever->effect_count; e++)
        if (lever->effects[e].state == SL_EFFECT_SOME ||
            lever->effects[e].state == SL_EFFECT_REFUSED)
            return true;
    return false;
}

static bool any_effect(const struct sl_sensitivity *s)
{
    for (uint32_t k = 0; k < s->lever_count; k++)
        if (s->levers[k].kind != SL_LEVER_SPEEDUP && has_effect(&s->levers[k]))
            return true;
    return false;
}

static int heavier(const void *a, const void *b)
{
    const struct sl_lever *x = *(const struct sl_lever *const *)a,
                          *y = *(const struct sl_lever *const *)b;
    double p = sl_lever_weight(x), q = sl_lever_weight(y);
    if (p != q)
        return p > q ? -1 : 1;
    return (x > y) - (x < y);
}

/* Those with an effect, the largest on the tail first; the caller frees them. */
static const struct sl_lever **by_weight(const struct sl_sensitivity *s, size_t *count)
{
    const struct sl_lever **found = calloc((size_t)s->lever_count + 1, sizeof *found);
    *count = 0;
    for (uint32_t k = 0; found && k < s->lever_count; k++)
        if (s->levers[k].kind != SL_LEVER_SPEEDUP && has_effect(&s->levers[k]))
            found[(*count)++] = &s->levers[k];
    if (found)
        qsort(found, *count, sizeof *found, heavier);
    else
        sl_report_lost();
    return found;
}

static void print_levers(struct report *report)
{
    const struct sl_sensitivity *s = report->s;
    size_t count;
    const struct sl_lever **found = by_weight(s, &count);
    struct sl_table table = sl_table_make(&report->arena, s->order_fixed ? "lrrrrr" : "lrrrr");
    sl_table_add(&table, "  change of");
    sl_table_add(&table, "%s at -20%% (95%% interval)", report->tail);
    sl_table_add(&table, "at +20%%");
    sl_table_add(&table, "per 1%% (from)");
    sl_table_add(&table, "chain share");
    if (s->order_fixed)
        sl_table_add(&table, "elasticity (local)");
    for (size_t k = 0; found && k < count && k < SHOWN; k++) {
        sl_table_add(&table, "  %s %s", sl_lever_kind_name(found[k]->kind), found[k]->name);
        sl_table_add(&table, "%s", change_text(report, effect_at(found[k], -20), SL_EFFECT_TAIL));
        sl_table_add(&table, "%s", change_text(report, effect_at(found[k], 20), SL_EFFECT_TAIL));
        sl_table_add(&table, "%s", slope_text(report, &found[k]->slope));
        sl_table_add(&table, isnan(found[k]->chain_share) ? "-" : "%.3g%%",
                     100 * found[k]->chain_share);
        if (s->order_fixed)
            sl_table_add(&table, isnan(found[k]->elasticity) ? "-" : "%.3g", found[k]->elasticity);
    }
    if (count > 0)
        sl_table_print(&table, report->out);
    if (count > SHOWN)
        fprintf(report->out, "  and %s others with an effect\n",
                sl_grouped(&report->arena, count - SHOWN));
    sl_table_free(&table);
    free(found);
}

static void print_idle(struct report *report)
{
    const struct sl_sensitivity *s = report->s;
    bool headed = false;
    for (int kind = 0; kind < SL_LEVER_SPEEDUP; kind++) {
        uint32_t count = 0;
        for (uint32_t k = 0; k < s->lever_count; k++) {
            const struct sl_lever *lever = &s->levers[k];
            if ((int)lever->kind != kind || has_effect(lever))
                continue;
            if (!headed)
                fputs("no effect in any trial, at any of these changes:\n", report->out);
            headed = true;
            if (count == 0)
                fprintf(report->out, "  %s ", sl_lever_kind_name(lever->kind));
            if (count < NAMES_SHOWN)
                fprintf(report->out, "%s%s", count > 0 ? ", " : "", lever->name);
            count++;
        }
        if (count > NAMES_SHOWN)
            fprintf(report->out, " and %s more", sl_grouped(&report->arena, count - NAMES_SHOWN));
        if (count > 0)
            putc('\n', report->out);
    }
}

static void print_nothing(struct report *report)
{
    const struct sl_sensitivity *s = report->s;
    bool zero = s->base_us[SL_EFFECT_MEAN] == 0;
    fprintf(report->out, "  nothing moves it: %s\n",
            zero ? "the metric is 0 in every trial, and a factor on 0 is 0"
                 : "none of the changes is noticed by any trial");
}

static const char *figure_name(const struct report *report, enum sl_effect_figure figure)
{
    return figure == SL_EFFECT_TAIL ? report->tail : sl_effect_figure_name(figure);
}

/* Of several in one lever the one that goes wrong by most. */
static const struct sl_effect *worst_anomaly(const struct sl_lever *lever, uint32_t *count)
{
    const struct sl_effect *worst = NULL;
    *count = 0;
    for (uint32_t e = 0; e < lever->effect_count; e++) {
        const struct sl_effect *effect = &lever->effects[e];
        if (!effect->anomaly)
            continue;
        ++*count;
        if (!worst || fabs(effect->anomaly_us.value) > fabs(worst->anomaly_us.value))
            worst = effect;
    }
    return worst;
}

/* "scheduling anomaly: class copy -5% makes the p99 99.9 us [...] longer". */
static void print_anomalies(struct report *report)
{
    const struct sl_sensitivity *s = report->s;
    for (uint32_t k = 0; k < s->lever_count; k++) {
        const struct sl_lever *lever = &s->levers[k];
        uint32_t count;
        const struct sl_effect *effect = worst_anomaly(lever, &count);
        if (!effect)
            continue;
        struct sl_estimate us = effect->anomaly_us;
        bool longer = us.value > 0;
        fprintf(report->out, "scheduling anomaly: %s %s", sl_lever_kind_name(lever->kind),
                lever->name);
        if (lever->kind != SL_LEVER_SPEEDUP)
            fprintf(report->out, " %+g%%", effect->percent);
        if (effect->anomaly == SL_ANOMALY_TURN)
            fprintf(report->out, " against %+g%%", effect->anomaly_percent);
        fprintf(report->out, " makes the %s %s [%s, %s] %s%s",
                figure_name(report, effect->anomaly_figure),
                sl_time_text(&report->arena, fabs(us.value)),
                sl_time_text(&report->arena, longer ? us.lo : -us.hi),
                sl_time_text(&report->arena, longer ? us.hi : -us.lo),
                longer ? "longer" : "shorter", effect->replanned ? ", replanned" : "");
        if (count > 1)
            fprintf(report->out, "; so do %u other changes of it", count - 1);
        putc('\n', report->out);
    }
}

/* Where trials are too few to be paired in the tail, its intervals gain nothing from common draws.
 */
static void print_method(struct report *report)
{
    const struct sl_sensitivity *s = report->s;
    size_t needs = sl_paired_bootstrap_min_n(s->tail);
    bool limits = false;
    for (uint32_t k = 0; k < s->lever_count; k++)
        for (uint32_t e = 0; e < s->levers[k].effect_count; e++)
            limits |= s->levers[k].effects[e].state == SL_EFFECT_SOME &&
                      s->levers[k].effects[e].figures[SL_EFFECT_TAIL].method == SL_PAIRED_LIMITS;
    if (!limits || s->cell->trials >= needs)
        return;
    fprintf(report->out,
            "intervals of %s: limits of each run combined, so that common draws do not narrow them",
            report->tail);
    if (needs < SIZE_MAX)
        fprintf(report->out, "; %s trials would pair them", sl_grouped(&report->arena, needs));
    putc('\n', report->out);
}

static void print_derivatives(struct report *report)
{
    const struct sl_sensitivity *s = report->s;
    fprintf(
        report->out,
        "per 1%%: of re-simulated quantiles, %s with so many %% more against as many less; the "
        "largest step\n  that the smaller ones do not speak against (kink: 1%% less and 1%% more "
        "differ in slope)\n",
        report->tail);
    if (s->chain_trials > 0)
        fprintf(report->out,
                "chain share: of the realized chains nearest to %s (%s of them), for orientation\n",
                report->tail, sl_grouped(&report->arena, s->chain_trials));
    if (s->order_fixed)
        fputs(
            "elasticity: of the realized chains, not re-simulated and without an interval: the "
            "start "
            "order of\n  this plan is fixed, so that the chain share is the local effect of 1% in "
            "%\n",
            report->out);
    else
        fprintf(report->out, "no chain elasticities: a change may reorder this plan (%s)\n",
                s->order_reason);
}

/* The least change of a lever that the plan does not survive; NULL: it survives all. */
static const struct sl_effect *least_breaking(const struct sl_lever *lever)
{
    const struct sl_effect *least = NULL;
    for (uint32_t e = 0; e < lever->effect_count; e++) {
        const struct sl_effect *effect = &lever->effects[e];
        bool breaks = effect->state == SL_EFFECT_REFUSED || effect->deadlocked > 0;
        if (breaks && (!least || fabs(effect->percent) < fabs(least->percent)))
            least = effect;
    }
    return least;
}

static void print_breaking(struct report *report)
{
    const struct sl_sensitivity *s = report->s;
    if (s->cell->deadlocked > 0)
        return; /* it does not survive as it is */
    for (uint32_t k = 0; k < s->lever_count; k++) {
        const struct sl_lever *lever = &s->levers[k];
        const struct sl_effect *effect = least_breaking(lever);
        if (!effect)
            continue;
        fprintf(report->out, "%s %s", sl_lever_kind_name(lever->kind), lever->name);
        if (lever->kind != SL_LEVER_SPEEDUP)
            fprintf(report->out, " %+g%%", effect->percent);
        fputs(effect->replanned ? ", replanned, " : " ", report->out);
        if (effect->state == SL_EFFECT_REFUSED)
            fprintf(report->out, "is refused: %s\n", effect->note);
        else
            fprintf(report->out, "deadlocks in %.3g%% of trials\n",
                    100.0 * effect->deadlocked / s->cell->trials);
    }
}

static void print_speedups(struct report *report)
{
    const struct sl_sensitivity *s = report->s;
    for (uint32_t k = 0; k < s->lever_count; k++) {
        const struct sl_lever *lever = &s->levers[k];
        if (lever->kind != SL_LEVER_SPEEDUP)
            continue;
        fprintf(report->out, "\nspeedup %s, on the same draws (95%% intervals):\n", lever->name);
        struct sl_table table = sl_table_make(&report->arena, "lrrr");
        sl_table_add(&table, "  plan");
        for (int f = 0; f < SL_EFFECT_FIGURES; f++)
            sl_table_add(&table, "%s", figure_name(report, (enum sl_effect_figure)f));
        for (uint32_t e = 0; e < lever->effect_count; e++) {
            const struct sl_effect *effect = &lever->effects[e];
            sl_table_add(&table, "  %s", effect->replanned ? "replanned" : "kept");
            for (int f = 0; f < SL_EFFECT_FIGURES; f++)
                sl_table_add(&table, "%s", change_text(report, effect, (enum sl_effect_figure)f));
        }
        sl_table_print(&table, report->out);
        sl_table_free(&table);
        for (uint32_t e = 0; e < lever->effect_count; e++)
            if (lever->effects[e].state == SL_EFFECT_NONE ||
                lever->effects[e].state == SL_EFFECT_CANNOT)
                fprintf(report->out, "  %s, it changes nothing in any trial%s%s\n",
                        lever->effects[e].replanned ? "replanned" : "with the plan kept",
                        lever->effects[e].note ? ": " : "",
                        lever->effects[e].note ? lever->effects[e].note : "");
    }
}

enum sl_status sl_report_sensitivity(FILE *out, const struct sl_sensitivity *s,
                                     struct sl_error *err)
{
    struct report report = {.out = out, .s = s};
    sl_quantile_name(report.tail, s->tail);
    if (s->lever_count > (s->speedup_count > 0)) {
        fprintf(out, "\nsensitivity of the kept plan, on the same draws%s:\n",
                s->cell->hypothetical ? " (at the pessimistic corner)" : "");
        if (any_effect(s)) {
            print_levers(&report);
            print_derivatives(&report);
        } else {
            print_nothing(&report);
        }
        print_idle(&report);
    }
    print_speedups(&report);
    print_method(&report);
    print_breaking(&report);
    print_anomalies(&report);
    sl_report_free(&report.arena);
    return ferror(out) ? SL_FAIL(err, SL_SYSTEM, "standard output: write error") : SL_OK;
}

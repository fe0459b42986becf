/* The page: results side by side, alternatives, and what the schedules spend their time on. */
#include "config.h"

#include "decision_page.h"
#include <math.h>
#include <string.h>

#define SHOWN_CHAIN 8

/* ---- results
 * ------------------------------------------------------------------------------------- */

static const struct sl_record_result *result_of(const struct sl_record *record, int i)
{
    const struct sl_record_result *results[] = {&record->projected, &record->runtime_feasible,
                                                &record->measured};
    return results[i];
}

enum row { SOURCE, COUNT, MEDIAN, TAIL, BASE_TAIL, TAIL_BY, MEDIAN_BY, TARGET_BY, WAIT, ROWS };

static void put_cell(FILE *out, const struct sl_record_result *result, enum row row)
{
    const char *unit = result->unit ? result->unit : "us";
    switch (row) {
    case SOURCE:
        sl_page_text(out, result->source.kind);
        break;
    case COUNT:
        fprintf(out, "%llu %s", (unsigned long long)result->count, result->counted);
        if (result->failed)
            fprintf(out, ", %llu failed", (unsigned long long)result->failed);
        break;
    case MEDIAN:
        sl_page_estimate(out, result->median, unit);
        break;
    case TAIL:
        sl_page_estimate(out, result->tail, unit);
        break;
    case BASE_TAIL:
        sl_page_estimate(out, result->baseline_tail, unit);
        break;
    case TAIL_BY:
        sl_page_difference(out, result->tail_difference, unit);
        break;
    case MEDIAN_BY:
        sl_page_difference(out, result->median_difference, unit);
        break;
    case TARGET_BY:
        if (!result->target) {
            fputs("-", out);
            break;
        }
        sl_page_text(out, result->target);
        fputs(" ", out);
        sl_page_difference(out, result->target_difference,
                           result->target_unit ? result->target_unit : "");
        break;
    default:
        sl_page_quantity(out, result->max_wait_us, "us");
        fputs(result->longest_wait ? ", of " : "", out);
        sl_page_text(out, result->longest_wait);
        fputs(result->wait_behind ? ", behind " : "", out);
        sl_page_text(out, result->wait_behind);
        break;
    }
}

static void put_name(FILE *out, const struct sl_record *record, enum row row)
{
    static const char *const names[ROWS] = {"source",
                                            "count",
                                            "median",
                                            NULL,
                                            NULL,
                                            NULL,
                                            "median less the baseline's",
                                            "target less the baseline's",
                                            "longest wait"};
    if (names[row]) {
        fputs(names[row], out);
        return;
    }
    fputs(row == BASE_TAIL ? "baseline's " : "", out);
    sl_page_tail_name(out, record->objective.tail);
    fputs(row == TAIL_BY ? " less the baseline's" : "", out);
}

static void put_peaks(FILE *out, const struct sl_record *record)
{
    for (uint32_t d = 0; d < record->environment.domains.count; d++) {
        const char *domain = record->environment.domains.items[d].domain;
        fputs("| peak of ", out);
        sl_page_text(out, domain);
        for (int i = 0; i < 3; i++) {
            const struct sl_record_result *result = result_of(record, i);
            double bytes = NAN;
            for (uint32_t k = 0; result->present && k < result->peaks.count; k++)
                if (strcmp(result->peaks.items[k].domain, domain) == 0)
                    bytes = result->peaks.items[k].bytes;
            fputs(" | ", out);
            sl_page_quantity(out, bytes, "bytes");
        }
        fputs(" |\n", out);
    }
}

void sl_page_results(FILE *out, const struct sl_record *record)
{
    fputs("\n## Results\n\nProjected, runtime-feasible and measured figures come from three "
          "different sources; none fills in for another.\n\n"
          "| | projected | runtime-feasible | measured |\n| --- | --- | --- | --- |\n",
          out);
    for (int row = 0; row < ROWS; row++) {
        fputs("| ", out);
        put_name(out, record, (enum row)row);
        for (int i = 0; i < 3; i++) {
            fputs(" | ", out);
            if (result_of(record, i)->present)
                put_cell(out, result_of(record, i), (enum row)row);
            else
                fputs(row == SOURCE ? "absent" : "-", out);
        }
        fputs(" |\n", out);
    }
    put_peaks(out, record);
}

/* ---- alternatives
 * -------------------------------------------------------------------------------- */

void sl_page_alternatives(FILE *out, const struct sl_record *record)
{
    fputs("\n## Alternatives\n\n", out);
    sl_page_text(out, record->selection.why);
    if (record->selection.winner) {
        fputs("; the sweep's own winner is ", out);
        sl_page_text(out, record->selection.winner);
    }
    for (uint32_t i = 0; i < record->selection.tied.count; i++) {
        fputs(i == 0 ? "; not told apart from it: " : ", ", out);
        sl_page_text(out, record->selection.tied.items[i]);
    }
    fputs(".\n", out);
    if (record->alternatives.count == 0)
        return;
    fputs("\nRegret: what each would cost in the ", out);
    sl_page_tail_name(out, record->objective.tail);
    fputs(", on the same draws.\n\n| policy | standing | ", out);
    sl_page_tail_name(out, record->objective.tail);
    fputs(" | regret | evidence |\n| --- | --- | --- | --- | --- |\n", out);
    for (uint32_t i = 0; i < record->alternatives.count; i++) {
        const struct sl_record_alternative *item = &record->alternatives.items[i];
        fputs("| ", out);
        sl_page_text(out, item->policy);
        if (item->point) {
            fputs(", ", out);
            sl_page_text(out, item->point);
        }
        fprintf(out, " | %s | ", item->standing);
        sl_page_estimate(out, item->tail_us, "us");
        fputs(" | ", out);
        sl_page_difference(out, item->regret_us, "us");
        fputs(" | ", out);
        sl_page_text(out, item->evidence);
        fputs(" |\n", out);
    }
}

/* ---- schedules
 * ----------------------------------------------------------------------------------- */

static double chain_us(const struct sl_record_schedule *schedule, const char *kind,
                       const char *cause)
{
    for (uint32_t i = 0; i < schedule->chain.count; i++)
        if (strcmp(schedule->chain.items[i].kind, kind) == 0 &&
            strcmp(schedule->chain.items[i].cause, cause) == 0)
            return schedule->chain.items[i].us;
    return 0;
}

static void put_chain(FILE *out, const struct sl_record *record)
{
    const struct sl_record_schedule *base = &record->baseline, *now = &record->selected;
    const struct sl_record_schedule *from = now->present ? now : base;
    for (uint32_t i = 0; i < from->chain.count && i < SHOWN_CHAIN; i++) {
        const struct sl_record_chain *link = &from->chain.items[i];
        fprintf(out, "| chain: %s, by %s | ", link->kind, link->cause);
        sl_page_quantity(out, base->present ? chain_us(base, link->kind, link->cause) : NAN, "us");
        fputs(" | ", out);
        sl_page_quantity(out, now->present ? chain_us(now, link->kind, link->cause) : NAN, "us");
        fputs(" |\n", out);
    }
}

static double stall_us(const struct sl_record_schedule *schedule, const char *cause)
{
    if (!schedule->present)
        return NAN;
    for (uint32_t i = 0; i < schedule->stalls.count; i++)
        if (strcmp(schedule->stalls.items[i].cause, cause) == 0)
            return schedule->stalls.items[i].us;
    return 0;
}

/* Stalls that either has. */
static void put_stalls(FILE *out, const struct sl_record *record)
{
    const struct sl_record_schedule *both[] = {&record->baseline, &record->selected};
    for (int s = 0; s < 2; s++)
        for (uint32_t i = 0; i < both[s]->stalls.count; i++) {
            const char *cause = both[s]->stalls.items[i].cause;
            if (s == 1 && stall_us(both[0], cause) > 0)
                continue;
            fprintf(out, "| idle, by %s | ", cause);
            sl_page_quantity(out, stall_us(both[0], cause), "us");
            fputs(" | ", out);
            sl_page_quantity(out, stall_us(both[1], cause), "us");
            fputs(" |\n", out);
        }
}

static void put_pair(FILE *out, const char *name, double base, double now, const char *unit)
{
    fprintf(out, "| %s | ", name);
    sl_page_quantity(out, base, unit);
    fputs(" | ", out);
    sl_page_quantity(out, now, unit);
    fputs(" |\n", out);
}

static void put_pressure(FILE *out, const struct sl_record *record)
{
    const struct sl_record_schedule *base = &record->baseline, *now = &record->selected;
    char name[200];
    for (uint32_t d = 0; d < record->environment.domains.count; d++) {
        const struct sl_record_pressure none = {NULL, NAN, NAN, NAN};
        const struct sl_record_pressure *b =
            d < base->pressure.count ? &base->pressure.items[d] : &none;
        const struct sl_record_pressure *n =
            d < now->pressure.count ? &now->pressure.items[d] : &none;
        const char *domain = record->environment.domains.items[d].domain;
        snprintf(name, sizeof name, "peak of %.100s", domain);
        put_pair(out, name, b->peak_bytes, n->peak_bytes, "bytes");
        snprintf(name, sizeof name, "pressure-time of %.100s", domain);
        put_pair(out, name, b->pressure_byte_s / 0x1p30, n->pressure_byte_s / 0x1p30, "GiB s");
        snprintf(name, sizeof name, "staging-time of %.100s", domain);
        put_pair(out, name, b->staging_byte_s / 0x1p30, n->staging_byte_s / 0x1p30, "GiB s");
    }
}

void sl_page_schedules(FILE *out, const struct sl_record *record)
{
    const struct sl_record_schedule *base = &record->baseline, *now = &record->selected;
    if (!base->present && !now->present)
        return;
    fputs("\n## What the schedules spend\n\n| mean per trial | ", out);
    sl_page_text(out, base->present ? base->policy : "no baseline");
    if (base->scenario) {
        fputs(" of ", out);
        sl_page_text(out, base->scenario);
    }
    fputs(base->present ? " (baseline) | " : " | ", out);
    sl_page_text(out, now->present ? now->policy : "nothing selected");
    fputs(" |\n| --- | --- | --- |\n", out);
    put_pair(out, "mean", base->mean_us.value, now->mean_us.value, "us");
    put_pair(out, "lower bound", base->bound_us, now->bound_us, "us");
    put_chain(out, record);
    put_stalls(out, record);
    put_pressure(out, record);
    put_pair(out, "longest wait of all trials", base->max_wait_us, now->max_wait_us, "us");
}

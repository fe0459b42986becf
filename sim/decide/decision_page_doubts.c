/* The page: what a runtime and a measurement say, and what may be wrong. */
#include "config.h"

#include "decision_page.h"
#include <math.h>

#define SHOWN_ITEMS 20

static const char *word(enum sl_truth truth)
{
    return truth == SL_TRUTH_YES ? "yes" : truth == SL_TRUTH_NO ? "**no**" : "not known";
}

static void put_more(FILE *out, uint32_t count)
{
    if (count > SHOWN_ITEMS)
        fprintf(out, "- and %u more\n", count - SHOWN_ITEMS);
}

static void put_constraints(FILE *out, const struct sl_record_mechanism *mechanism)
{
    for (uint32_t i = 0; i < mechanism->constraints.count && i < SHOWN_ITEMS; i++) {
        const struct sl_record_constraint *constraint = &mechanism->constraints.items[i];
        fputs("- inserted ", out);
        sl_page_text(out, constraint->type);
        if (constraint->from) {
            fputs(", ", out);
            sl_page_text(out, constraint->from);
            fputs(" before ", out);
            sl_page_text(out, constraint->to);
        }
        if (constraint->subject) {
            fputs(", ", out);
            sl_page_text(out, constraint->subject);
        }
        fputs(": ", out);
        sl_page_text(out, constraint->reason);
        fputs(constraint->applied ? "\n" : " (not applied)\n", out);
    }
    put_more(out, mechanism->constraints.count);
}

void sl_page_mechanism(FILE *out, const struct sl_record *record)
{
    const struct sl_record_mechanism *mechanism = &record->mechanism;
    if (!mechanism->present)
        return;
    fputs("\n## Mechanism mapping\n\nBy ", out);
    sl_page_text(out, mechanism->by);
    fprintf(out, "; feasible: %s", word(mechanism->feasible));
    if (mechanism->why) {
        fputs(" (", out);
        sl_page_text(out, mechanism->why);
        fputs(")", out);
    }
    if (mechanism->baseline_why) {
        fputs("; the baseline cannot be run: ", out);
        sl_page_text(out, mechanism->baseline_why);
    }
    if (!isnan(mechanism->overhead_us)) {
        fputs("; overhead ", out);
        sl_page_quantity(out, mechanism->overhead_us, "us");
    }
    fprintf(out,
            "; recomputed: %s.\n\n| wish | mechanism | realizable | note |\n"
            "| --- | --- | --- | --- |\n",
            mechanism->recomputed ? "yes" : "no");
    for (uint32_t i = 0; i < mechanism->mappings.count; i++) {
        const struct sl_record_mapping *mapping = &mechanism->mappings.items[i];
        fputs("| ", out);
        sl_page_text(out, mapping->wish);
        fputs(" | ", out);
        sl_page_text(out, mapping->mechanism ? mapping->mechanism : "-");
        fprintf(out, " | %s | ", word(mapping->realizable));
        sl_page_text(out, mapping->note);
        fputs(" |\n", out);
    }
    fputs("\n", out);
    put_constraints(out, mechanism);
    for (uint32_t i = 0; i < mechanism->assumptions.count; i++) {
        fputs("- assumption: ", out);
        sl_page_text(out, mechanism->assumptions.items[i].assumption);
        const struct sl_record_assumption *assumption = &mechanism->assumptions.items[i];
        bool measured =
            assumption->holds == SL_TRUTH_UNKNOWN && !sl_gate_is_open(record, assumption);
        fprintf(out, ": %s%s\n", word(assumption->holds),
                measured ? " to the runtime; the measurement holds what they take" : "");
    }
    for (uint32_t i = 0; i < mechanism->deviations.count && i < SHOWN_ITEMS; i++) {
        fputs("- deviation: ", out);
        sl_page_text(out, mechanism->deviations.items[i].what);
        fputs(": ", out);
        sl_page_text(out, mechanism->deviations.items[i].realized);
        fputs(" (expected: ", out);
        sl_page_text(out, mechanism->deviations.items[i].expected);
        fputs(")\n", out);
    }
}

void sl_page_measurement(FILE *out, const struct sl_record *record)
{
    const struct sl_record_measurement *measurement = &record->measurement;
    if (!measurement->present)
        return;
    fprintf(out, "\n## Measurement\n\nRepresentative: %s", word(measurement->representative));
    if (measurement->representative_why) {
        fputs(" (", out);
        sl_page_text(out, measurement->representative_why);
        fputs(")", out);
    }
    fprintf(out, "; %llu of %llu planned actions found, %u unexpected; order as planned: %s",
            (unsigned long long)measurement->matched, (unsigned long long)measurement->planned,
            measurement->unexpected.count, word(measurement->order_agrees));
    if (!isnan(measurement->projection_error))
        fprintf(out, "; the projection is off by %+.2g%%", 100 * measurement->projection_error);
    fputs(".\n", out);
    if (measurement->contention.count == 0)
        return;
    fputs("\n| side by side | kappa by the model | measured | agree |\n| --- | --- | --- | --- |\n",
          out);
    for (uint32_t i = 0; i < measurement->contention.count; i++) {
        const struct sl_record_contention *pair = &measurement->contention.items[i];
        fputs("| ", out);
        sl_page_text(out, pair->pair);
        fputs(" | ", out);
        sl_page_quantity(out, pair->model, "");
        fputs(" | ", out);
        sl_page_estimate(out, pair->measured, "");
        fprintf(out, " | %s |\n", word(pair->agrees));
    }
}

void sl_page_doubts(FILE *out, const struct sl_record *record)
{
    const struct sl_record_fallback *fallback = &record->fallback;
    fputs("\n## What would falsify it\n\n", out);
    for (uint32_t i = 0; i < record->falsifiers.count; i++) {
        const struct sl_record_falsifier *item = &record->falsifiers.items[i];
        fputs("- ", out);
        sl_page_text(out, item->measurement);
        if (!isnan(item->lo) && !isnan(item->hi))
            fprintf(out, " [%.3g, %.3g]", item->lo, item->hi);
        if (item->then) {
            fputs("; then ", out);
            sl_page_text(out, item->then);
        }
        fputs("\n", out);
    }
    fputs(record->falsifiers.count == 0 ? "Nothing was computed.\n" : "", out);
    if (record->drifts) {
        fputs("\nDrifts of calibrated figures: ", out);
        sl_page_text(out, record->drifts);
        fputs(".\n", out);
    }
    fputs("\nFallback: ", out);
    sl_page_text(out, fallback->policy ? fallback->policy : "none");
    if (fallback->policy && !isnan(fallback->cost_us.value)) {
        fputs(", at ", out);
        sl_page_difference(out, fallback->cost_us, "us");
    }
    if (fallback->why) {
        fputs(" (", out);
        sl_page_text(out, fallback->why);
        fputs(")", out);
    }
    fputs(".\n\n## Residual risks\n\n", out);
    for (uint32_t i = 0; i < record->risks.count; i++) {
        fprintf(out, "- %s: ", record->risks.items[i].risk);
        sl_page_text(out, record->risks.items[i].detail);
        fputs("\n", out);
    }
}

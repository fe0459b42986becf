/* `decide --measured`: a measurement into a record, and what it says beside the projection. */
#include "config.h"

#include "decide_more.h"
#include "decide_report.h"
#include "gate.h"
#include "kept.h"
#include "measuring.h"
#include "table.h"
#include <inttypes.h>
#include <string.h>

enum { NAMED = 5 }; /* of a list of names */

static const char *interval_text(struct sl_arena *arena, struct sl_estimate e)
{
    if (isnan(e.value))
        return "-";
    const char *text =
        isnan(e.lo) || isnan(e.hi)
            ? sl_estimate_text(arena, e.value)
            : sl_arena_printf(arena, "%s [%s, %s]", sl_estimate_text(arena, e.value),
                              sl_estimate_text(arena, e.lo), sl_estimate_text(arena, e.hi));
    return text ? text : "";
}

static void add_row(struct sl_table *table, const char *name, struct sl_estimate projected,
                    struct sl_estimate feasible, struct sl_estimate measured)
{
    sl_table_add(table, "%s", name);
    sl_table_add(table, "%s", interval_text(table->arena, projected));
    sl_table_add(table, "%s", interval_text(table->arena, feasible));
    sl_table_add(table, "%s", interval_text(table->arena, measured));
}

static void print_results(FILE *out, const struct sl_record *record, struct sl_arena *arena)
{
    const struct sl_record_result *p = &record->projected, *f = &record->runtime_feasible,
                                  *m = &record->measured;
    const char *tail = sl_arena_printf(arena, "p%.4g", 100 * record->objective.tail);
    struct sl_table table = sl_table_make(arena, "llll");
    sl_table_add(&table, "%s", m->metric ? m->metric : "");
    sl_table_add(&table, "projected [95%%]");
    sl_table_add(&table, "runtime-feasible");
    sl_table_add(&table, "measured");
    add_row(&table, "median", p->median, f->median, m->median);
    add_row(&table, tail ? tail : "tail", p->tail, f->tail, m->tail);
    add_row(&table, "median less the baseline's", p->median_difference, f->median_difference,
            m->median_difference);
    add_row(&table, "tail less the baseline's", p->tail_difference, f->tail_difference,
            m->tail_difference);
    sl_table_print(&table, out);
    sl_table_free(&table);
    fprintf(out, "%" PRIu64 " %s count, %" PRIu64 " were rejected", m->count, m->counted,
            m->failed);
    if (!isnan(record->measurement.cold_us))
        fprintf(out, "; a cold first one of %s is set apart",
                sl_time_text(arena, record->measurement.cold_us));
    putc('\n', out);
}

static const char *truth_text(enum sl_truth truth)
{
    return truth == SL_TRUTH_YES ? "yes" : truth == SL_TRUTH_NO ? "no" : "open";
}

static void print_contention(FILE *out, const struct sl_record *record, struct sl_arena *arena)
{
    const struct sl_record_measurement *m = &record->measurement;
    if (m->contention.count == 0)
        return;
    struct sl_table table = sl_table_make(arena, "lrllrrl");
    static const char *const heads[] = {"slowdown of", "model",        "measured [95%]", "agrees",
                                        "overlap",     "by the model", "remark"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        sl_table_add(&table, "%s", heads[i]);
    for (uint32_t i = 0; i < m->contention.count; i++) {
        const struct sl_record_contention *row = &m->contention.items[i];
        sl_table_add(&table, "%s", row->pair);
        sl_table_add(&table, "%s", sl_number_text(arena, row->model, "%.3f"));
        if (isnan(row->measured.value))
            sl_table_add(&table, "-");
        else
            sl_table_add(&table, "%.3f [%.3f, %.3f]", row->measured.value, row->measured.lo,
                         row->measured.hi);
        sl_table_add(&table, "%s", truth_text(row->agrees));
        sl_table_add(&table, "%s", sl_time_text(arena, row->measured_overlap_us));
        sl_table_add(&table, "%s", sl_time_text(arena, row->model_overlap_us));
        sl_table_add(&table, "%s", row->note ? row->note : "");
    }
    putc('\n', out);
    sl_table_print(&table, out);
    sl_table_free(&table);
    fprintf(out, "close enough is %.3g%% of the model, the interval within twice that\n",
            100 * m->contention_tolerance);
}

static void print_names(FILE *out, const char *what, const struct sl_record_texts *names)
{
    if (names->count == 0)
        return;
    fprintf(out, "%s: ", what);
    for (uint32_t i = 0; i < names->count && i < NAMED; i++)
        fprintf(out, "%s%s", i ? ", " : "", names->items[i]);
    if (names->count > NAMED)
        fprintf(out, " and %u more", names->count - NAMED);
    putc('\n', out);
}

static void print_rest(FILE *out, const struct sl_record *record)
{
    const struct sl_record_measurement *m = &record->measurement;
    fprintf(out,
            "\norder: %" PRIu64 " of %" PRIu64 " planned pairs start the other way round\n"
            "actions: %" PRIu64 " of %" PRIu64 " planned ones were measured\n",
            m->order_inversions, m->order_pairs, m->matched, m->planned);
    for (uint32_t i = 0; i < m->deviations.count && i < NAMED; i++)
        fprintf(out, "  %s\n", m->deviations.items[i]);
    print_names(out, "planned, not measured", &m->missing);
    print_names(out, "measured, not planned", &m->unexpected);
    fprintf(out, "representative: %s, %s\n", truth_text(m->representative), m->representative_why);
    if (!isnan(m->projection_error))
        fprintf(out, "at the speeds of works alone beside, the median is %+.1f%% off the model's\n",
                100 * m->projection_error);
    putc('\n', out);
}

static void print_text(const struct sl_record *record, const char *path)
{
    struct sl_arena arena = {0};
    print_results(stdout, record, &arena);
    print_contention(stdout, record, &arena);
    print_rest(stdout, record);
    sl_report_free(&arena);
    sl_report_decision(stdout, record, path);
    if (record->status < SL_RECORD_MEASURED)
        printf("the status stays %s: 'slackline feasibility' comes before a measurement\n",
               sl_record_status_name(record->status));
}

/* An accepted or rejected decision is closed: what is measured later is another decision's. */
static enum sl_status check_open(const struct sl_record *record, struct sl_error *err)
{
    if (record->status < SL_RECORD_ACCEPTED)
        return SL_OK;
    return SL_FAIL(err, SL_NO,
                   "the decision is %s already, and stays so; decide again ('slackline decide "
                   "--force') to measure it anew",
                   sl_record_status_name(record->status));
}

enum sl_status sl_decide_measured(const struct sl_decide_more *more, const char *operand,
                                  const char *line, struct sl_error *err)
{
    const struct sl_measure_request request = {more->measured, more->baseline,
                                               more->tolerance > 0 ? more->tolerance
                                                                   : SL_MEASURE_TOLERANCE};
    struct sl_record record;
    struct sl_record_lock lock = {0};
    struct sl_diags diags = {0};
    char path[4096];
    sl_record_init(&record);
    enum sl_status status = sl_decide_lock(&lock, operand, err);
    if (status == SL_OK)
        status = sl_decide_read_record(&record, operand, more->scenario, path, err);
    if (status == SL_OK)
        status = check_open(&record, err);
    if (status == SL_OK)
        status = sl_record_measure(&record, &request, &diags, err);
    if (diags.errors > 0)
        sl_diags_print(&diags, stderr);
    sl_diags_free(&diags);
    if (status == SL_OK)
        status = sl_decide_rewrite(&record, path, line, err);
    sl_decide_unlock(&lock);
    if (status == SL_OK && more->json)
        status = sl_record_print_json(&record, stdout, err);
    else if (status == SL_OK)
        print_text(&record, path);
    if (status == SL_OK && sl_gate_count(&record, SL_GATE_PASS) < SL_GATE_CONDITIONS)
        status = SL_NO;
    sl_record_free(&record);
    return status;
}

/* `slackline feasibility`: what a runtime, or a built-in mapping, makes of a decided plan. */
#include "config.h"

#include "decide.h"
#include "decide_more.h"
#include "decide_report.h"
#include "feasibility.h"
#include "gate.h"
#include "kept.h"
#include "progress.h"
#include "runargs.h"
#include "table.h"
#include "text.h"
#include "thread_pool.h"
#include <math.h>
#include <string.h>
#include <unistd.h>

enum {
    KEY_REPLY = SL_KEY_JSON + 1,
    KEY_BASELINE_REPLY,
    KEY_MAPPING,
    KEY_WRITE_REPLY,
    KEY_SCENARIO
};

struct feasibility {
    struct sl_run_args args;
    struct sl_feasibility_request request;
    struct sl_feasibility found;
    struct sl_record record;
    struct sl_record_lock lock;
    struct sl_diags diags;
    const char *scenario; /* where it lies now; NULL: as in the record */
    char path[4096];      /* of the record */
};

static enum sl_status take_mapping(struct feasibility *f, const char *value, struct sl_error *err)
{
    const char *names[16];
    size_t count = 0;
    for (; count < sl_mapping_count() && count < 16; count++) {
        names[count] = sl_mapping_get(count)->name;
        if (strcmp(names[count], value) == 0) {
            f->request.mapping = sl_mapping_get(count);
            return SL_OK;
        }
    }
    char hint[256] = "";
    sl_suggest(hint, sizeof hint, value, names, count);
    return SL_FAIL(err, SL_USAGE, "--mapping: unknown mapping '%s'%s", value, hint);
}

static enum sl_status take(void *user, int key, const char *value, struct sl_error *err)
{
    struct feasibility *f = user;
    switch (key) {
    case KEY_REPLY:
        f->request.reply = value;
        return SL_OK;
    case KEY_BASELINE_REPLY:
        f->request.baseline_reply = value;
        return SL_OK;
    case KEY_MAPPING:
        return take_mapping(f, value, err);
    case KEY_WRITE_REPLY:
        f->request.write_reply = value;
        return SL_OK;
    case KEY_SCENARIO:
        f->scenario = value;
        return SL_OK;
    default:
        return sl_run_args_take(&f->args, key, value, err);
    }
}

static enum sl_status check(const struct feasibility *f, struct sl_error *err)
{
    const struct sl_feasibility_request *r = &f->request;
    if (!r->reply == !r->mapping)
        return SL_FAIL(err, SL_USAGE,
                       "who answers? --reply FILE, or --mapping NAME ('slackline list mappings' "
                       "shows all)");
    if (r->mapping && r->baseline_reply)
        return SL_FAIL(err, SL_USAGE, "--baseline-reply goes with --reply: a mapping answers both");
    if (r->reply && r->write_reply)
        return SL_FAIL(err, SL_USAGE, "--write-reply goes with --mapping");
    if (r->write_reply && access(r->write_reply, F_OK) == 0)
        return SL_FAIL(err, SL_USAGE, "'%s' exists already", r->write_reply);
    return SL_OK;
}

/* ---- the report -------------------------------------------------------------------------------
 */

static void put_line(const char *what, const char *text)
{
    printf("%s: ", what);
    sl_put_clean(text, stdout);
}

static void put_wishes(struct feasibility *f)
{
    const struct sl_record_mechanism *mechanism = &f->record.mechanism;
    static const char *const words[SL_TRUTHS] = {"may not be realized", "realized",
                                                 "cannot be realized"};
    for (uint32_t k = 0; k < mechanism->mappings.count; k++) {
        const struct sl_record_mapping *mapping = &mechanism->mappings.items[k];
        if (mapping->realizable == SL_TRUTH_YES)
            continue;
        put_line(words[mapping->realizable], mapping->wish);
        if (mapping->note) {
            fputs("\n  ", stdout);
            sl_put_clean(mapping->note, stdout);
        }
        putchar('\n');
    }
    for (uint32_t k = 0; k < mechanism->assumptions.count; k++) {
        const struct sl_record_assumption *assumption = &mechanism->assumptions.items[k];
        if (assumption->holds == SL_TRUTH_YES)
            continue;
        put_line(assumption->holds == SL_TRUTH_NO ? "does not hold" : "is not settled",
                 assumption->assumption);
        putchar('\n');
    }
    for (uint32_t k = 0; k < mechanism->deviations.count; k++) {
        const struct sl_record_deviation *deviation = &mechanism->deviations.items[k];
        if (!sl_gate_is_unsettled(&f->record, deviation))
            continue;
        put_line("deviates from", deviation->what);
        putchar('\n');
        put_line("  instead", deviation->realized);
        putchar('\n');
    }
}

static void add_row(struct sl_arena *arena, struct sl_table *table, const char *figure,
                    struct sl_estimate projected, struct sl_estimate feasible,
                    struct sl_estimate change)
{
    sl_table_add(table, "%s", figure);
    sl_table_add(table, "%s", sl_estimate_text(arena, projected.value));
    sl_table_add(table, "%s", sl_estimate_text(arena, feasible.value));
    sl_table_add(table, "%s%s",
                 change.value < 0   ? "-"
                 : change.value > 0 ? "+"
                                    : "",
                 sl_time_text(arena, fabs(change.value)));
    sl_table_add_interval(table, change, 1e-3, "%.3g");
}

/* From readiness by the plan's own graph on. */
static void put_longest_wait(const struct sl_record *r)
{
    const struct sl_record_result *feasible = &r->runtime_feasible;
    char projected[SL_GATE_TEXT], now[SL_GATE_TEXT];
    if (isnan(feasible->max_wait_us) || isnan(r->projected.max_wait_us))
        return;
    printf("longest wait: %s, projected %s",
           feasible->max_wait_us > 0 ? sl_gate_quantity(now, feasible->max_wait_us, "us") : "none",
           r->projected.max_wait_us > 0
               ? sl_gate_quantity(projected, r->projected.max_wait_us, "us")
               : "none");
    if (feasible->longest_wait) {
        fputs(": ", stdout);
        sl_put_clean(feasible->longest_wait, stdout);
        fputs(" behind ", stdout);
        sl_put_clean(feasible->wait_behind ? feasible->wait_behind : "nothing known", stdout);
    }
    putchar('\n');
}

static void put_figures(struct feasibility *f)
{
    struct sl_arena arena = {0};
    struct sl_table table = sl_table_make(&arena, "lrrrl");
    const struct sl_record *r = &f->record;
    char tail[32];
    snprintf(tail, sizeof tail, "p%g", r->objective.tail * 100);
    sl_table_add(&table, "figure");
    sl_table_add(&table, "projected");
    sl_table_add(&table, "feasible");
    sl_table_add(&table, "change");
    sl_table_add(&table, "95%%, ms");
    add_row(&arena, &table, "median", r->projected.median, r->runtime_feasible.median,
            r->mechanism.median_change_us);
    add_row(&arena, &table, tail, r->projected.tail, r->runtime_feasible.tail,
            r->mechanism.tail_change_us);
    sl_table_print(&table, stdout);
    sl_table_free(&table);
    put_longest_wait(r);
    if (r->runtime_feasible.failed > 0)
        printf("%llu of %llu trials deadlock\n", (unsigned long long)r->runtime_feasible.failed,
               (unsigned long long)r->runtime_feasible.count);
    sl_report_free(&arena);
}

static void put_overhead(double us)
{
    struct sl_arena arena = {0};
    printf("overhead: %s of calls in one run, spread over its nodes\n", sl_time_text(&arena, us));
    sl_report_free(&arena);
}

static uint32_t count_unrealizable(const struct sl_record_mechanism *mechanism)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < mechanism->mappings.count; k++)
        count += mechanism->mappings.items[k].realizable == SL_TRUTH_NO;
    return count;
}

static void report(struct feasibility *f)
{
    const struct sl_record *r = &f->record;
    const struct sl_feasibility *found = &f->found;
    bool feasible = r->mechanism.feasible == SL_TRUTH_YES;
    sl_put_clean(r->mechanism.by, stdout);
    printf(": %s", feasible ? "feasible" : "not feasible");
    if (feasible && count_unrealizable(&r->mechanism) > 0)
        printf(" but for %u of its %u wishes, which cannot be realized",
               count_unrealizable(&r->mechanism), r->mechanism.mappings.count);
    if (!feasible) {
        fputs(": ", stdout);
        sl_put_clean(r->mechanism.why ? r->mechanism.why : "no reason given", stdout);
    }
    if (r->mechanism.baseline_why) {
        printf("\nthe baseline cannot be run: ");
        sl_put_clean(r->mechanism.baseline_why, stdout);
    }
    printf("\ninserted: %llu edges, %llu queues, %llu limits; %llu nodes are not cancelled\n",
           (unsigned long long)found->edges, (unsigned long long)found->queues,
           (unsigned long long)found->limits, (unsigned long long)found->kept);
    if (feasible) {
        printf("order: %llu of %llu pairs of a queue start the other way round than planned\n",
               (unsigned long long)found->inversions, (unsigned long long)found->pairs);
        if (found->unknown_overheads > 0)
            printf("overhead: not known of %llu nodes; nothing is added for them\n",
                   (unsigned long long)found->unknown_overheads);
        if (r->mechanism.overhead_us > 0)
            put_overhead(r->mechanism.overhead_us);
        putchar('\n');
        put_figures(f);
        putchar('\n');
    }
    put_wishes(f);
    sl_report_status(stdout, r, f->path);
}

/* ---- running ----------------------------------------------------------------------------------
 */

static enum sl_status answer(struct feasibility *f, const char *operand, const char *line,
                             struct sl_error *err)
{
    enum sl_status status = sl_decide_lock(&f->lock, operand, err);
    if (status == SL_OK)
        status = sl_decide_read_record(&f->record, operand, f->scenario, f->path, err);
    if (status == SL_OK && f->record.status >= SL_RECORD_ACCEPTED)
        return SL_FAIL(err, SL_USAGE,
                       "%s is %s, which is final: 'slackline decide --force' decides anew, and "
                       "keeps this record beside",
                       f->path, sl_record_status_name(f->record.status));
    if (status == SL_OK)
        status = sl_pool_create(&f->args.options.pool, f->args.threads, err);
    f->request.options = f->args.options;
    f->request.options.progress = sl_progress;
    if (status == SL_OK) {
        sl_progress_start("schedules");
        status = sl_record_feasibility(&f->record, &f->request, &f->found, &f->diags, err);
        sl_progress_end();
    }
    sl_pool_free(f->args.options.pool);
    return status == SL_OK ? sl_decide_rewrite(&f->record, f->path, line, err) : status;
}

static enum sl_status finish(struct feasibility *f, struct sl_error *err)
{
    if (!f->args.json) {
        report(f);
    } else {
        enum sl_status status = sl_record_print_json(&f->record, stdout, err);
        if (status != SL_OK)
            return status;
    }
    return f->record.mechanism.feasible == SL_TRUTH_YES && f->record.status != SL_RECORD_REJECTED
               ? SL_OK
               : SL_NO;
}

static enum sl_status run_feasibility(const struct sl_command *command, int argc, char **argv)
{
    struct feasibility f = {0};
    struct sl_error err = {0};
    bool done = false;
    int first = 0;
    const char *line = sl_run_args_command(&f.args, argc, argv);
    enum sl_status status = sl_options_read(command, argc, argv, take, &f, &first, &done);
    sl_record_init(&f.record);
    if (status == SL_OK && !done) {
        status = line ? check(&f, &err) : SL_FAIL(&err, SL_SYSTEM, "out of memory");
        if (status == SL_OK)
            status = answer(&f, argv[first], line, &err);
        sl_decide_unlock(&f.lock);
        size_t errors = f.diags.errors;
        if (status != SL_OK && errors > 0)
            sl_diags_print(&f.diags, stderr);
        if (status == SL_OK)
            status = finish(&f, &err);
        if (err.status != SL_OK && (errors == 0 || status == SL_SYSTEM))
            status = sl_report_error(command->name, &err);
    }
    sl_diags_free(&f.diags);
    sl_record_free(&f.record);
    sl_arena_free(&f.args.arena);
    return status;
}

static const struct sl_option options[] = {
    {KEY_REPLY, "reply", "FILE", "the runtime's answer to the hand-off, JSON"},
    {KEY_BASELINE_REPLY, "baseline-reply", "FILE", "its answer to the baseline's hand-off"},
    {KEY_MAPPING, "mapping", "NAME", "answer by a built-in mapping instead (cuda)"},
    {KEY_WRITE_REPLY, "write-reply", "FILE",
     "write the mapping's answer, as a reply to start from"},
    {KEY_SCENARIO, "scenario", "DIR", "where the record's scenario lies now"},
    {SL_KEY_THREADS, "threads", "T", "worker threads (default: one per core)"},
    {SL_KEY_JSON, "json", NULL, "print the record as JSON"},
};

const struct sl_command sl_command_feasibility = {
    .name = "feasibility",
    .summary = "Take a runtime's answer to a decided plan into its record",
    .operands = "RECORD",
    .description =
        "Reads a decision record and what a runtime, or a built-in mapping, answers to the\n"
        "hand-off of its plan (the format handoff of 'slackline export'): constraints, order of\n"
        "queues, overheads, deviations.  Simulates the plan with all of them on the draws of the\n"
        "projection, and writes mechanism and runtime-feasible result into the record and its\n"
        "page.  Exits with 1 where the plan is not feasible (the runtime says no, a cycle, no\n"
        "room, a deadlock in every trial), or where the gate rejects it with what came back.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .operand_min = 1,
    .operand_max = 1,
    .run = run_feasibility,
};

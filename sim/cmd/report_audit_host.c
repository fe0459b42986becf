/* An audit for people: calls that hold the host up, memory, steps, and what the trace lacks. */
#include "config.h"

#include "report_audit.h"
#include "table.h"
#include <inttypes.h>

enum { SHOWN_STEPS = 12, SHOWN_ODD = 4 };

static void print_calls(FILE *out, struct sl_report_audit *report)
{
    const struct sl_audit *audit = report->audit;
    if (audit->call_count == 0)
        return;
    fputs("\nCalls that allocate, map or wait\n", out);
    struct sl_table table = sl_table_make(&report->arena, "llrrrrr");
    static const char *const heads[] = {
        "  call", "purpose", "count", "time", "median", "longest", "while no device has work"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        sl_table_add(&table, "%s", heads[i]);
    for (uint32_t i = 0; i < audit->call_count; i++) {
        const struct sl_audit_call *call = &audit->calls[i];
        sl_table_add(&table, "  %s", sl_audit_short_name(report, call->name));
        sl_table_add(&table, "%s", sl_call_class_name(call->class));
        sl_table_add(&table, "%s", sl_grouped(&report->arena, call->spread.count));
        sl_table_add(&table, "%s", sl_audit_time(report, call->spread.sum_ps));
        sl_table_add(&table, "%s", sl_audit_time(report, call->spread.median_ps));
        sl_table_add(&table, "%s", sl_audit_time(report, call->spread.most_ps));
        sl_table_add(&table, "%s", sl_audit_time(report, call->idle_ps));
    }
    sl_table_print(&table, out);
    sl_table_free(&table);
}

static const char *stated_bytes(struct sl_report_audit *report, int64_t bytes)
{
    return bytes < 0 ? "not stated" : sl_bytes_text(&report->arena, (double)bytes);
}

static void print_memories(FILE *out, struct sl_report_audit *report)
{
    const struct sl_audit *audit = report->audit;
    if (audit->memory_count == 0)
        return;
    fputs("\nMemory\n", out);
    for (uint32_t i = 0; i < audit->memory_count; i++) {
        const struct sl_audit_memory *memory = &audit->memories[i];
        if (memory->device_type == 0)
            fputs("  host: ", out);
        else
            fprintf(out, "  device %d: ", memory->device);
        fprintf(out, "most allocated %s, most reserved %s; most above the beginning %s at %s\n",
                stated_bytes(report, memory->peak_allocated_bytes),
                stated_bytes(report, memory->peak_reserved_bytes),
                sl_bytes_text(&report->arena, (double)memory->peak_delta_bytes),
                sl_audit_time(report, memory->peak_delta_ps));
        fprintf(
            out,
            "    %s allocations; lifetimes of %s: median %s, p95 %s, longest %s; %s (%s) stay\n",
            sl_grouped(&report->arena, memory->allocations),
            sl_grouped(&report->arena, memory->lifetimes.count),
            sl_audit_time(report, memory->lifetimes.median_ps),
            sl_audit_time(report, memory->lifetimes.p95_ps),
            sl_audit_time(report, memory->lifetimes.most_ps),
            sl_grouped(&report->arena, memory->kept),
            sl_bytes_text(&report->arena, (double)memory->kept_bytes));
    }
}

static void print_step_rows(FILE *out, struct sl_report_audit *report)
{
    const struct sl_audit *audit = report->audit;
    struct sl_table table = sl_table_make(&report->arena, "rlrrrrl");
    static const char *const heads[] = {
        "  step", "name", "from", "host time", "until all is through", "works", ""};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        sl_table_add(&table, "%s", heads[i]);
    for (uint32_t i = 0; i < audit->step_count && i < SHOWN_STEPS; i++) {
        const struct sl_audit_step *step = &audit->steps[i];
        sl_table_add(&table, "%u", step->number);
        sl_table_add(&table, "%s", sl_audit_short_name(report, audit->timeline->name[step->event]));
        sl_table_add(&table, "%s", sl_audit_time(report, step->from_ps));
        sl_table_add(&table, "%s", sl_audit_time(report, step->to_ps - step->from_ps));
        sl_table_add(&table, "%s", sl_audit_time(report, step->finish_ps - step->from_ps));
        sl_table_add(&table, "%s", sl_grouped(&report->arena, step->works));
        sl_table_add(&table, "%s", i == 0 && audit->cold ? "cold: set apart" : "");
    }
    sl_table_print(&table, out);
    sl_table_free(&table);
    if (audit->step_count > SHOWN_STEPS)
        fprintf(out, "  and %s more\n",
                sl_grouped(&report->arena, audit->step_count - SHOWN_STEPS));
}

static void print_order(FILE *out, struct sl_report_audit *report)
{
    const struct sl_audit *audit = report->audit;
    if (audit->step_count < 2)
        return;
    if (audit->alike_count == audit->step_count) {
        fputs("  the works of each stream come in the same order in all steps\n", out);
        return;
    }
    fprintf(out, "  the works of each stream come in one order in %u of %u steps (as in step %u)\n",
            audit->alike_count, audit->step_count, audit->steps[audit->usual_step].number);
    uint32_t shown = 0;
    for (uint32_t i = 0; i < audit->step_count && shown < SHOWN_ODD; i++) {
        const struct sl_audit_step *step = &audit->steps[i];
        if (step->odd_lane == SL_NONE)
            continue;
        fprintf(out, "  step %u, stream %s, work %u: ", step->number,
                sl_audit_lane(report, step->odd_lane), step->odd_at);
        sl_put_clean(sl_audit_short_name(report, step->odd_found), out);
        fputs("\n    instead of ", out);
        sl_put_clean(sl_audit_short_name(report, step->odd_expected), out);
        putc('\n', out);
        shown++;
    }
}

static void print_steps(FILE *out, struct sl_report_audit *report)
{
    const struct sl_audit *audit = report->audit;
    if (audit->step_count == 0)
        return;
    fputs("\nSteps: ranges named ", out);
    sl_put_clean(audit->steps_name, out);
    putc('\n', out);
    print_step_rows(out, report);
    if (audit->step_count > 1)
        fprintf(out, "  %u %ssteps: median %s, p95 %s, worst %s\n", audit->warm.count,
                audit->cold ? "warm " : "", sl_audit_time(report, audit->warm.median_ps),
                sl_audit_time(report, audit->warm.p95_ps),
                sl_audit_time(report, audit->warm.most_ps));
    print_order(out, report);
}

static bool has_kind(const struct sl_timeline *t, enum sl_event_kind kind)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (t->kind[i] == kind)
            return true;
    return false;
}

/* Names, not zeros. */
static void print_absent(FILE *out, const struct sl_report_audit *report)
{
    const struct sl_audit *audit = report->audit;
    const struct sl_timeline *t = audit->timeline;
    fputs("\nNot in this trace:\n", out);
    if (audit->work_count == 0)
        fputs("  works of a device (in this scope)\n", out);
    if (audit->work_count > audit->launched_count)
        fprintf(out, "  launches of %u works: their waits are not known\n",
                audit->work_count - audit->launched_count);
    if (!has_kind(t, SL_EVENT_CALL))
        fputs("  calls of the runtime: allocations and synchronisation are not known\n", out);
    if (t->memory_count == 0)
        fputs(
            "  changes of memory: pressure and lifetimes are not known (PyTorch records them with "
            "profile_memory=True)\n",
            out);
    if (audit->step_count == 0)
        fputs("  steps: no range repeats over it (--range NAME names one)\n", out);
    if (!audit->has_stream_waits)
        fputs("  which events streams wait for: waits of ready works are not split further\n", out);
    fputs("  which works are recomputation: no profiler marks it\n", out);
}

void sl_report_audit_host(FILE *out, struct sl_report_audit *report)
{
    print_calls(out, report);
    print_memories(out, report);
    print_steps(out, report);
    print_absent(out, report);
}

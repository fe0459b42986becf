/* An audit for people: what a device did, and why it stood still. */
#include "config.h"

#include "kept.h"
#include "report_audit.h"
#include "table.h"
#include "units.h"
#include <inttypes.h>
#include <string.h>

enum { SHOWN = 8 };

const char *sl_audit_short_name(struct sl_report_audit *report, uint32_t name)
{
    if (name == SL_NONE)
        return "(no further work)";
    char text[64];
    snprintf(text, sizeof text, "%s", report->audit->timeline->names.names[name]);
    size_t length = strlen(text);
    if (length > 60) {
        length = 57;
        while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80)
            length--; /* not within a character */
        memcpy(text + length, "...", 4);
    }
    const char *copy = sl_arena_strdup(&report->arena, text);
    return sl_kept(copy);
}

const char *sl_audit_time(struct sl_report_audit *report, int64_t ps)
{
    return sl_time_text(&report->arena, sl_us_of(ps));
}

const char *sl_audit_lane(struct sl_report_audit *report, uint32_t lane)
{
    const struct sl_lane *l = &report->audit->timeline->lanes[lane];
    const char *text =
        sl_arena_printf(&report->arena, "%" PRId64 ":%" PRId64, l->process, l->number);
    return sl_kept(text);
}

static double percent(int64_t part, int64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

/* From the first work's start to the last one's end. */
static int64_t span_of(const struct sl_audit *audit)
{
    const struct sl_intervals *busy = &audit->busy;
    return busy->count > 0 ? busy->items[busy->count - 1].to_ps - busy->items[0].from_ps : 0;
}

static void print_head(FILE *out, struct sl_report_audit *report)
{
    const struct sl_audit *audit = report->audit;
    const struct sl_timeline *t = audit->timeline;
    sl_put_clean(report->trace, out);
    fprintf(out, ": %s", report->importer->name);
    if (t->device_name && *t->device_name) {
        fputs(", ", out);
        sl_put_clean(t->device_name, out);
    }
    fprintf(out, "; %s records, %s events, %s of them works of a device in scope\n",
            sl_grouped(&report->arena, t->read), sl_grouped(&report->arena, t->count),
            sl_grouped(&report->arena, audit->work_count));
    if (audit->from_ps > 0 || audit->to_ps < INT64_MAX)
        fprintf(out, "scope: what is launched from %s to %s of the trace\n",
                sl_audit_time(report, audit->from_ps), sl_audit_time(report, audit->to_ps));
}

static void print_import(FILE *out, struct sl_report_audit *report)
{
    const struct sl_timeline *t = report->audit->timeline;
    for (int i = 0; i < SL_HAZARDS; i++)
        if (t->hazards[i] > 0)
            fprintf(out, "  %s %s [%s]\n", sl_grouped(&report->arena, t->hazards[i]),
                    sl_hazard_text((enum sl_trace_hazard)i),
                    sl_hazard_name((enum sl_trace_hazard)i));
    if (t->left_out.count == 0)
        return;
    fputs("  left out:", out);
    for (uint32_t i = 0; i < t->left_out.count; i++) {
        fprintf(out, "%s %s ", i > 0 ? "," : "",
                sl_grouped(&report->arena, t->left_out.items[i].count));
        sl_put_clean(t->names.names[t->left_out.items[i].name], out);
    }
    putc('\n', out);
}

/* Of one device the line above says it all. */
static void print_devices(FILE *out, struct sl_report_audit *report)
{
    const struct sl_audit *audit = report->audit;
    if (audit->device_count < 2)
        return;
    struct sl_table table = sl_table_make(&report->arena, "lrrrr");
    sl_table_add(&table, "  device");
    sl_table_add(&table, "works");
    sl_table_add(&table, "busy");
    sl_table_add(&table, "of the span");
    sl_table_add(&table, "compute");
    for (uint32_t i = 0; i < audit->device_count; i++) {
        const struct sl_audit_device *device = &audit->devices[i];
        sl_table_add(&table, "  %" PRId64, device->number);
        sl_table_add(&table, "%s", sl_grouped(&report->arena, device->works));
        sl_table_add(&table, "%s", sl_audit_time(report, device->busy_ps));
        sl_table_add(&table, "%.3g%%", percent(device->busy_ps, span_of(audit)));
        sl_table_add(&table, "%s", sl_audit_time(report, device->compute_ps));
    }
    sl_table_print(&table, out);
    sl_table_free(&table);
}

static void print_streams(FILE *out, struct sl_report_audit *report)
{
    const struct sl_audit *audit = report->audit;
    struct sl_table table = sl_table_make(&report->arena, "lrrr");
    sl_table_add(&table, "  stream");
    sl_table_add(&table, "works");
    sl_table_add(&table, "time");
    sl_table_add(&table, "of the span");
    for (uint32_t i = 0; i < audit->stream_count; i++) {
        const struct sl_audit_stream *stream = &audit->streams[i];
        sl_table_add(&table, "  %s", sl_audit_lane(report, stream->lane));
        sl_table_add(&table, "%s", sl_grouped(&report->arena, stream->works));
        sl_table_add(&table, "%s", sl_audit_time(report, stream->busy_sum_ps));
        sl_table_add(&table, "%.3g%%", percent(stream->busy_sum_ps, span_of(audit)));
    }
    sl_table_print(&table, out);
    sl_table_free(&table);
}

/* What of a class's time no computation hid. */
static void print_classes(FILE *out, struct sl_report_audit *report)
{
    const struct sl_audit *audit = report->audit;
    struct sl_table table = sl_table_make(&report->arena, "lrrrr");
    sl_table_add(&table, "  class");
    sl_table_add(&table, "busy");
    sl_table_add(&table, "of the span");
    sl_table_add(&table, "beside compute");
    sl_table_add(&table, "exposed");
    for (int c = 0; c < SL_WORK_CLASSES; c++) {
        int64_t busy = sl_intervals_length(&audit->busy_of[c]);
        int64_t hidden = audit->together_ps[c][SL_WORK_COMPUTE];
        if (audit->busy_of[c].count == 0)
            continue;
        sl_table_add(&table, "  %s", sl_work_class_name((enum sl_work_class)c));
        sl_table_add(&table, "%s", sl_audit_time(report, busy));
        sl_table_add(&table, "%.3g%%", percent(busy, span_of(audit)));
        sl_table_add(&table, "%s", c == SL_WORK_COMPUTE ? "" : sl_audit_time(report, hidden));
        sl_table_add(&table, "%s",
                     c == SL_WORK_COMPUTE ? "" : sl_audit_time(report, busy - hidden));
    }
    sl_table_print(&table, out);
    sl_table_free(&table);
}

static void print_copies(FILE *out, struct sl_report_audit *report)
{
    const struct sl_audit *audit = report->audit;
    struct sl_table table = sl_table_make(&report->arena, "lrrrr");
    sl_table_add(&table, "  copies");
    sl_table_add(&table, "count");
    sl_table_add(&table, "bytes");
    sl_table_add(&table, "time");
    sl_table_add(&table, "rate");
    for (uint32_t i = 0; i < audit->copies_count && i < SHOWN; i++) {
        const struct sl_audit_copies *copies = &audit->copies[i];
        double rate =
            copies->time_ps > 0 ? (double)copies->bytes / ((double)copies->time_ps * 1e-12) : 0;
        bool known = copies->without_bytes < copies->works;
        sl_table_add(&table, "  %s", sl_audit_short_name(report, copies->name));
        sl_table_add(&table, "%s", sl_grouped(&report->arena, copies->works));
        sl_table_add(&table, "%s",
                     known ? sl_bytes_text(&report->arena, (double)copies->bytes) : "not stated");
        sl_table_add(&table, "%s", sl_audit_time(report, copies->time_ps));
        if (known && rate > 0)
            sl_table_add(&table, "%.3g GB/s", rate / 1e9);
        else
            sl_table_add(&table, "%s", "");
    }
    if (audit->copies_count > 0)
        sl_table_print(&table, out);
    if (audit->copies_count > SHOWN)
        fprintf(out, "  and %u more kinds of copies\n", audit->copies_count - SHOWN);
    sl_table_free(&table);
}

static void print_pairs(FILE *out, struct sl_report_audit *report)
{
    const struct sl_audit *audit = report->audit;
    bool any = false;
    for (int a = 0; a < SL_WORK_CLASSES; a++)
        for (int b = a; b < SL_WORK_CLASSES; b++) {
            if (audit->together_ps[a][b] == 0)
                continue;
            fprintf(out, "%s %s and %s %s",
                    any ? ";" : "side by side:", sl_work_class_name((enum sl_work_class)a),
                    a == b ? "another" : sl_work_class_name((enum sl_work_class)b),
                    sl_audit_time(report, audit->together_ps[a][b]));
            any = true;
        }
    fputs(any ? "\n" : "side by side: nothing\n", out);
}

static void print_work(FILE *out, struct sl_report_audit *report)
{
    const struct sl_audit *audit = report->audit;
    int64_t span = span_of(audit), busy = sl_intervals_length(&audit->busy);
    fprintf(out, "\nDevice work: busy %s of %s (%.3g%%)%s\n", sl_audit_time(report, busy),
            sl_audit_time(report, span), percent(busy, span),
            audit->device_count > 1 ? ", on any device" : "");
    print_devices(out, report);
    print_streams(out, report);
    print_classes(out, report);
    print_copies(out, report);
    print_pairs(out, report);
}

static void add_spread(struct sl_table *table, struct sl_report_audit *report, const char *what,
                       const struct sl_spread *spread)
{
    sl_table_add(table, "  %s", what);
    sl_table_add(table, "%s", sl_audit_time(report, spread->median_ps));
    sl_table_add(table, "%s", sl_audit_time(report, spread->p95_ps));
    sl_table_add(table, "%s", sl_audit_time(report, spread->most_ps));
}

static void print_queue(FILE *out, struct sl_report_audit *report)
{
    const struct sl_audit *audit = report->audit;
    if (audit->launched_count == 0) {
        fputs("\nWaits of works: not known, the trace has no launch of any\n", out);
        return;
    }
    fprintf(out, "\nWaits of works, from the end of the call that launched them (%s of %s works)\n",
            sl_grouped(&report->arena, audit->launched_count),
            sl_grouped(&report->arena, audit->work_count));
    struct sl_table table = sl_table_make(&report->arena, "lrrr");
    sl_table_add(&table, "  ");
    sl_table_add(&table, "median");
    sl_table_add(&table, "p95");
    sl_table_add(&table, "longest");
    add_spread(&table, report, "to the start", &audit->queue);
    add_spread(&table, report, "behind works of the stream", &audit->behind);
    add_spread(&table, report, "ready, for other things", &audit->delay);
    if (audit->has_stream_waits)
        add_spread(&table, report, "  of it for events of other streams", &audit->event);
    sl_table_print(&table, out);
    sl_table_free(&table);
}

/* Indices of the longest of `count` by `length`, longest first, of equals the first; fewer than
 * SHOWN where fewer are longer than 0. */
static uint32_t pick_longest(const struct sl_audit *audit, uint32_t count,
                             int64_t (*length)(const struct sl_audit *, uint32_t),
                             uint32_t longest[SHOWN])
{
    uint32_t picked = 0;
    for (uint32_t i = 0; i < count; i++) {
        int64_t own = length(audit, i);
        if (own <= 0 || (picked == SHOWN && own <= length(audit, longest[SHOWN - 1])))
            continue;
        uint32_t at = picked < SHOWN ? picked++ : SHOWN - 1;
        for (; at > 0 && length(audit, longest[at - 1]) < own; at--)
            longest[at] = longest[at - 1];
        longest[at] = i;
    }
    return picked;
}

static int64_t delay_length(const struct sl_audit *audit, uint32_t i)
{
    return audit->works[i].delay_ps;
}

static int64_t gap_length(const struct sl_audit *audit, uint32_t i)
{
    return audit->gaps[i].to_ps - audit->gaps[i].from_ps;
}

static void print_long_waits(FILE *out, struct sl_report_audit *report)
{
    const struct sl_audit *audit = report->audit;
    const struct sl_timeline *t = audit->timeline;
    uint32_t longest[SHOWN], count = pick_longest(audit, audit->work_count, delay_length, longest);
    struct sl_table table = sl_table_make(&report->arena, "rrll");
    sl_table_add(&table, "  longest ready");
    sl_table_add(&table, "start at");
    sl_table_add(&table, "stream");
    sl_table_add(&table, "work");
    for (uint32_t i = 0; i < count; i++) {
        const struct sl_audit_work *work = &audit->works[longest[i]];
        sl_table_add(&table, "%s", sl_audit_time(report, work->delay_ps));
        sl_table_add(&table, "%s", sl_audit_time(report, t->start_ps[work->event]));
        sl_table_add(&table, "%s", sl_audit_lane(report, t->lane[work->event]));
        sl_table_add(&table, "%s", sl_audit_short_name(report, t->name[work->event]));
    }
    if (count > 0)
        sl_table_print(&table, out);
    sl_table_free(&table);
}

static void print_gaps(FILE *out, struct sl_report_audit *report)
{
    const struct sl_audit *audit = report->audit;
    const struct sl_timeline *t = audit->timeline;
    int64_t idle = audit->idle_unlaunched_ps + audit->idle_launched_ps + audit->idle_unknown_ps;
    if (audit->gap_count == 0)
        return;
    fprintf(out, "\nNo device has work: %s in %s gaps\n", sl_audit_time(report, idle),
            sl_grouped(&report->arena, audit->gap_count));
    fprintf(out, "  the next work is not launched yet  %s\n",
            sl_audit_time(report, audit->idle_unlaunched_ps));
    fprintf(out, "  it is launched and does not start  %s\n",
            sl_audit_time(report, audit->idle_launched_ps));
    if (audit->idle_unknown_ps > 0)
        fprintf(out, "  its launch is not in the trace     %s\n",
                sl_audit_time(report, audit->idle_unknown_ps));
    uint32_t longest[SHOWN], count = pick_longest(audit, audit->gap_count, gap_length, longest);
    struct sl_table table = sl_table_make(&report->arena, "rrrl");
    sl_table_add(&table, "  longest gaps");
    sl_table_add(&table, "not launched");
    sl_table_add(&table, "end at");
    sl_table_add(&table, "next work");
    for (uint32_t i = 0; i < count; i++) {
        const struct sl_audit_gap *gap = &audit->gaps[longest[i]];
        sl_table_add(&table, "%s", sl_audit_time(report, gap->to_ps - gap->from_ps));
        sl_table_add(&table, "%s",
                     gap->unlaunched_ps < 0 ? "-" : sl_audit_time(report, gap->unlaunched_ps));
        sl_table_add(&table, "%s", sl_audit_time(report, gap->to_ps));
        sl_table_add(&table, "%s",
                     sl_audit_short_name(report, t->name[audit->works[gap->next].event]));
    }
    sl_table_print(&table, out);
    sl_table_free(&table);
}

void sl_report_audit(FILE *out, struct sl_report_audit *report)
{
    print_head(out, report);
    print_import(out, report);
    if (report->audit->work_count > 0) {
        print_work(out, report);
        print_queue(out, report);
        print_long_waits(out, report);
        print_gaps(out, report);
    }
    sl_report_audit_host(out, report);
    sl_report_free(&report->arena);
}

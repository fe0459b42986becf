/* A decision record on a terminal: what was found, and what the gate says. */
#include "config.h"

#include "decide_report.h"
#include "gate.h"
#include "kept.h"
#include "table.h"
#include <string.h>

#define EVIDENCE_WIDTH 100

static const char *shorten(struct sl_arena *arena, const char *text)
{
    const char *end = strstr(text, "; ");
    size_t length = end ? (size_t)(end - text) : strlen(text);
    bool cut = length > EVIDENCE_WIDTH;
    size_t shown = cut ? EVIDENCE_WIDTH : length;
    while (cut && shown > 0 && ((unsigned char)text[shown] & 0xC0) == 0x80)
        shown--;
    const char *copy = sl_arena_printf(arena, "%.*s%s", (int)shown, text, cut || end ? " ..." : "");
    return sl_kept(copy);
}

static void print_names(FILE *out, const struct sl_record *record, enum sl_gate_outcome_kind kind)
{
    const char *joint = " (";
    for (uint32_t i = 0; i < record->gate.count; i++) {
        if (record->gate.items[i].outcome != kind)
            continue;
        fprintf(out, "%s%s", joint, record->gate.items[i].condition);
        joint = ", ";
    }
    fputs(*joint == ',' ? ")" : "", out);
}

static void print_end(FILE *out, const struct sl_record *record)
{
    for (uint32_t i = 0; i < record->inputs.count; i++)
        if (strcmp(record->inputs.items[i].role, SL_RECORD_PREDECESSOR) == 0) {
            fputs("in the place of: ", out);
            sl_put_clean(record->inputs.items[i].path, out);
            putc('\n', out);
        }
    bool tied = record->selection.how == SL_SELECTION_TIED;
    if (record->status == SL_RECORD_HYPOTHESIS &&
        (tied || record->selection.how == SL_SELECTION_NONE) && record->selection.why) {
        fputs("it stays a hypothesis: ", out);
        sl_put_clean(record->selection.why, out);
        putc('\n', out);
    }
    if (record->status >= SL_RECORD_ACCEPTED)
        fprintf(out,
                "%s is final: with new evidence 'slackline decide --force' decides anew, and keeps "
                "this record beside\n",
                sl_record_status_name(record->status));
}

void sl_report_status(FILE *out, const struct sl_record *record, const char *path)
{
    print_end(out, record);
    fprintf(out, "record: %s\nstatus: %s; gate: %u pass, %u fail", path,
            sl_record_status_name(record->status), sl_gate_count(record, SL_GATE_PASS),
            sl_gate_count(record, SL_GATE_FAIL));
    print_names(out, record, SL_GATE_FAIL);
    fprintf(out, ", %u unknown", sl_gate_count(record, SL_GATE_UNKNOWN));
    print_names(out, record, SL_GATE_UNKNOWN);
    putc('\n', out);
}

void sl_report_decision(FILE *out, const struct sl_record *record, const char *path)
{
    struct sl_arena arena = {0};
    struct sl_table table = sl_table_make(&arena, "lll");
    sl_put_clean(record->finding, out);
    fputs(".\n\n", out);
    sl_table_add(&table, "condition");
    sl_table_add(&table, "outcome");
    sl_table_add(&table, "evidence");
    for (uint32_t i = 0; i < record->gate.count; i++) {
        const struct sl_gate_outcome *outcome = &record->gate.items[i];
        sl_table_add(&table, "%s", outcome->condition);
        sl_table_add(&table, "%s", sl_gate_outcome_name(outcome->outcome));
        sl_table_add(&table, "%s", shorten(&arena, outcome->evidence));
    }
    sl_table_print(&table, out);
    sl_table_free(&table);
    sl_report_free(&arena);
    putc('\n', out);
    sl_report_status(out, record, path);
}

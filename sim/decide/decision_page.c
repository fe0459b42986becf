/* decision.md: the record as a page, its finding first. */
#include "config.h"

#include "decide.h"
#include "decision_page.h"
#include "outfile.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

static bool is_word(unsigned char c)
{
    return isalnum(c) || c >= 0x80;
}

/* Whether Markdown reads more into the character than it is: markup anywhere, and between others
 * that make links, entities, emphasis or, at the beginning, a block. */
static bool is_markup(const char *text, const char *at)
{
    unsigned char c = (unsigned char)*at, next = (unsigned char)at[1];
    bool first = at == text;
    if (strchr("|<*`\\~", c))
        return true;
    if (c == ']')
        return next == '(' || next == '[' || next == ':';
    if (c == '&')
        return next == '#' || isalpha(next);
    if (c == '_')
        return first || !is_word((unsigned char)at[-1]) || !is_word(next);
    return first && (c == '#' || c == '>' || c == '=' || ((c == '-' || c == '+') && next == ' '));
}

void sl_page_text(FILE *out, const char *text)
{
    for (const char *at = text; at && *at; at++) {
        unsigned char c = (unsigned char)*at;
        if (c == '\n' || c == '\t')
            putc(' ', out);
        else if (c < 0x20 || c == 0x7F)
            putc('?', out);
        else
            fprintf(out, "%s%c", is_markup(text, at) ? "\\" : "", c);
    }
}

void sl_page_quantity(FILE *out, double value, const char *unit)
{
    char text[SL_GATE_TEXT];
    if (isnan(value))
        fputs("-", out);
    else if (isinf(value))
        fputs(value > 0 ? "inf" : "-inf", out);
    else
        fputs(sl_gate_quantity(text, value, unit), out);
}

void sl_page_estimate(FILE *out, struct sl_estimate estimate, const char *unit)
{
    sl_page_quantity(out, estimate.value, unit);
    if (isnan(estimate.value) || isnan(estimate.lo) || isnan(estimate.hi))
        return;
    fputs(" [", out);
    sl_page_quantity(out, estimate.lo, unit);
    fputs(", ", out);
    sl_page_quantity(out, estimate.hi, unit);
    fputs("]", out);
}

void sl_page_difference(FILE *out, struct sl_estimate difference, const char *unit)
{
    if (difference.value > 0)
        putc('+', out);
    sl_page_estimate(out, difference, unit);
}

void sl_page_tail_name(FILE *out, double q)
{
    if (q == 0.5)
        fputs("median", out);
    else
        fprintf(out, "p%.4g", 100 * q);
}

static void put_head(FILE *out, const struct sl_record *record)
{
    fputs("# ", out);
    sl_page_text(out, record->selection.policy ? record->selection.policy : "No policy");
    fputs(" for ", out);
    sl_page_text(out, record->workload.scenario);
    for (uint32_t i = 0; i < record->environment.point.count; i++) {
        fputs(i == 0 ? ", at " : ", ", out);
        sl_page_text(out, record->environment.point.items[i].axis);
        fputs(" ", out);
        sl_page_text(out, record->environment.point.items[i].value);
    }
    fputs("\n\n", out);
    sl_page_text(out, record->finding);
    fprintf(out, ".\n\nStatus: **%s**. ", sl_record_status_name(record->status));
    sl_page_text(out, record->workload.description);
    fputs("\n\n", out);
}

static void put_gate(FILE *out, const struct sl_record *record)
{
    fputs("## Acceptance gate\n\n| | condition | outcome | evidence |\n| --- | --- | --- | --- |\n",
          out);
    for (uint32_t i = 0; i < record->gate.count; i++) {
        const struct sl_gate_outcome *outcome = &record->gate.items[i];
        fprintf(out, "| %u | ", i + 1);
        sl_page_text(out,
                     i < SL_GATE_CONDITIONS ? sl_gate_condition(i)->condition : outcome->condition);
        fprintf(out, " | %s%s%s | ", outcome->outcome == SL_GATE_PASS ? "" : "**",
                sl_gate_outcome_name(outcome->outcome),
                outcome->outcome == SL_GATE_PASS ? "" : "**");
        sl_page_text(out, outcome->evidence);
        fputs(" |\n", out);
    }
}

static void put_objective(FILE *out, const struct sl_record *record)
{
    const struct sl_record_objective *objective = &record->objective;
    fputs("\n## Objective and environment\n\nTarget: ", out);
    sl_page_text(out, objective->metric);
    fputs("; order: ", out);
    for (uint32_t i = 0; i < objective->order.count; i++) {
        fputs(i > 0 ? ", " : "", out);
        sl_page_text(out, objective->order.items[i]);
    }
    fputs(objective->order.count == 0 ? "none stated" : "", out);
    fputs("; tail: ", out);
    sl_page_tail_name(out, objective->tail);
    fprintf(out, "%s; a gain counts from %.3g%%", objective->tail_stated ? "" : " (assumed)",
            100 * objective->min_gain);
    for (uint32_t i = 0; i < objective->constraints.count; i++) {
        fputs(i == 0 ? "; constraints: " : ", ", out);
        sl_page_text(out, objective->constraints.items[i]);
    }
    fputs(".\nMachine: ", out);
    sl_page_text(out, record->environment.device ? record->environment.device
                                                 : "stated by the scenario");
    for (uint32_t i = 0; i < record->environment.domains.count; i++) {
        const struct sl_record_domain *domain = &record->environment.domains.items[i];
        fputs("; ", out);
        sl_page_text(out, domain->domain);
        fputs(" ", out);
        sl_page_quantity(out, domain->capacity_bytes, "bytes");
        if (isnan(domain->capacity_bytes))
            continue;
        fputs(" less ", out);
        sl_page_quantity(out, domain->reserve_bytes, "bytes");
    }
    for (uint32_t i = 0; i < record->environment.settings.count; i++) {
        fputs(i == 0 ? ". Settings: " : ", ", out);
        sl_page_text(out, record->environment.settings.items[i]);
    }
    fputs(".\n", out);
}

static void put_workflow(FILE *out, const struct sl_record *record)
{
    fputs("\n## Decision workflow\n\n| | step | done | by |\n| --- | --- | --- | --- |\n", out);
    for (uint32_t i = 0; i < record->workflow.count; i++) {
        const struct sl_record_step *step = &record->workflow.items[i];
        fprintf(out, "| %u | ", i + 1);
        sl_page_text(out, step->step);
        fprintf(out, " | %s | ", step->done == SL_TRUTH_YES ? "yes" : "no");
        sl_page_text(out, step->by);
        if (step->note) {
            fputs(": ", out);
            sl_page_text(out, step->note);
        }
        fputs(" |\n", out);
    }
}

static void put_history(FILE *out, const struct sl_record *record)
{
    fputs("\n## History\n\n| date | status | by | evidence |\n| --- | --- | --- | --- |\n", out);
    for (uint32_t i = 0; i < record->history.count; i++) {
        const struct sl_record_event *event = &record->history.items[i];
        fputs("| ", out);
        sl_page_text(out, event->date);
        fprintf(out, " | %s | ", sl_record_status_name(event->to));
        sl_page_text(out, event->by);
        fputs(" | ", out);
        sl_page_text(out, event->evidence);
        fputs(" |\n", out);
    }
    fputs("\n## Inputs\n\n| role | file | SHA-256 |\n| --- | --- | --- |\n", out);
    for (uint32_t i = 0; i < record->inputs.count; i++) {
        const struct sl_record_input *input = &record->inputs.items[i];
        fprintf(out, "| %s | ", input->role);
        sl_page_text(out, input->path);
        fprintf(out, " | %.16s... |\n", input->sha256);
    }
    fprintf(out, "\nslackline %s; seed %llu, %llu trials of each run.\n", record->version,
            (unsigned long long)record->fresh_seed, (unsigned long long)record->trials);
}

enum sl_status sl_decision_page(const struct sl_record *record, FILE *out)
{
    put_head(out, record);
    put_gate(out, record);
    sl_page_results(out, record);
    sl_page_alternatives(out, record);
    sl_page_schedules(out, record);
    sl_page_plan(out, record);
    sl_page_costs(out, record);
    sl_page_proofs(out, record);
    sl_page_mechanism(out, record);
    sl_page_measurement(out, record);
    sl_page_doubts(out, record);
    put_objective(out, record);
    put_workflow(out, record);
    put_history(out, record);
    return ferror(out) ? SL_SYSTEM : SL_OK;
}

enum sl_status sl_decision_page_write(const struct sl_record *record, const char *path,
                                      struct sl_error *err)
{
    struct sl_outfile file;
    enum sl_status status = sl_outfile_open(&file, path, err);
    if (status != SL_OK)
        return status;
    enum sl_status printed = sl_decision_page(record, file.stream);
    status = sl_outfile_commit(&file, err); /* fails where the printing did, and says why */
    return status == SL_OK ? printed : status;
}

/* What follows from a record: its risks, the gate, the checklist, and one sentence. */
#include "config.h"

#include "decide_parts.h"
#include "gate.h"
#include <math.h>
#include <string.h>

/* "lowers the p99 by 12.3 ms [12.0 ms, 12.6 ms]" of a result, NULL without a baseline. */
static const char *gain(struct sl_record *record, const struct sl_record_result *result, bool *good)
{
    char by[SL_GATE_TEXT], interval[2 * SL_GATE_TEXT], tail[32];
    if (!result->present || !result->target || isnan(result->target_difference.value))
        return NULL;
    const char *unit = result->target_unit ? result->target_unit : "";
    struct sl_estimate d = result->target_difference;
    bool lower = d.value <= 0, still = d.value == 0;
    snprintf(tail, sizeof tail, "p%.4g", 100 * result->tail_quantile);
    sl_gate_quantity(by, fabs(d.value), unit);
    sl_gate_interval(interval, lower ? (struct sl_estimate){-d.value, -d.hi, -d.lo} : d, unit);
    const char *what = strcmp(result->target, "tail") == 0 ? tail : result->target;
    if (isinf(d.value)) /* one of the two deadlocks too often */
        return sl_record_text(record, good, "has %s finite %s", lower ? "a" : "no", what);
    if (still)
        return sl_record_text(record, good, "leaves the %s where it is %s", what, interval);
    return sl_record_text(record, good, "%s the %s by %s %s", lower ? "lowers" : "raises", what, by,
                          interval);
}

static const char *list_outcomes(struct sl_record *record, enum sl_gate_outcome_kind kind,
                                 bool *good)
{
    const char *text = "";
    for (uint32_t i = 0; text && i < record->gate.count; i++)
        if (record->gate.items[i].outcome == kind)
            text = sl_arena_printf(&record->arena, "%s%s%s", text, *text ? ", " : "",
                                   record->gate.items[i].condition);
    *good &= text != NULL;
    return text ? text : "";
}

/* ", it is not told apart from 'b' and 1 more" */
static const char *not_told_apart(struct sl_record *record, bool *good)
{
    const struct sl_record_texts *tied = &record->selection.tied;
    if (record->selection.how != SL_SELECTION_TIED)
        return "";
    if (tied->count == 0)
        return ", it is not told apart from others by so few trials";
    return tied->count == 1
               ? sl_record_text(record, good, ", it is not told apart from '%.200s'",
                                tied->items[0])
               : sl_record_text(record, good, ", it is not told apart from '%.200s' and %u more",
                                tied->items[0], tied->count - 1);
}

/* The last part of a path: a scenario's folder as people call it. */
static const char *folder_name(struct sl_record *record, const char *path, bool *good)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    size_t from = end;
    while (from > 0 && path[from - 1] != '/')
        from--;
    bool name = from < end && path[from] != '.';
    return name ? sl_record_text(record, good, "%.*s", (int)(end - from), path + from) : path;
}

/* Of the same scenario with other settings. */
static const char *with_settings(struct sl_record *record, const char *policy, bool *good)
{
    const struct sl_record_texts *settings = &record->environment.baseline_settings;
    if (settings->count == 0)
        return sl_record_text(record, good, "'%s' with the scenario's own settings", policy);
    if (settings->count == 1)
        return sl_record_text(record, good, "'%s' with %s", policy, settings->items[0]);
    return sl_record_text(record, good, "'%s' with %s and %u more", policy, settings->items[0],
                          settings->count - 1);
}

/* "'keep'"; with a baseline of another scenario of which one it is: "'as-given' of 'before'". */
static const char *name_of(struct sl_record *record, bool baseline, bool *good)
{
    const char *policy = baseline ? record->baseline.policy : record->selection.policy;
    const char *other = record->baseline.present ? record->baseline.scenario : NULL;
    if (!policy)
        return "the baseline";
    if (!other || !record->workload.folder)
        return sl_record_text(record, good, "'%s'", policy);
    const char *own = folder_name(record, record->workload.folder, good);
    const char *its = folder_name(record, other, good);
    if (!*good)
        return "";
    if (strcmp(record->workload.folder, other) == 0)
        return baseline ? with_settings(record, policy, good)
                        : sl_record_text(record, good, "'%s'", policy);
    if (strcmp(own, its) == 0) {
        own = record->workload.folder;
        its = other;
    }
    return sl_record_text(record, good, "'%s' of '%s'", policy, baseline ? its : own);
}

static const char *verdict(struct sl_record *record, bool against, bool *good)
{
    if (sl_gate_count(record, SL_GATE_FAIL) > 0)
        return sl_record_text(record, good, "the gate rejects it: %s",
                              list_outcomes(record, SL_GATE_FAIL, good));
    const char *level = not_told_apart(record, good);
    if (sl_gate_count(record, SL_GATE_UNKNOWN) > 0)
        return sl_record_text(record, good, "%s speaks against it%s, and %s %s not known yet",
                              against ? "this" : "nothing", level,
                              list_outcomes(record, SL_GATE_UNKNOWN, good),
                              sl_gate_count(record, SL_GATE_UNKNOWN) == 1 ? "is" : "are");
    return "the gate accepts it";
}

/* What the runtime leaves of a projected gain, where that is not the least one any more; NULL.
 * Without the baseline as the same runtime runs it, it is held against the projected one. */
static const char *lost_gain(struct sl_record *record, bool *good)
{
    const struct sl_record_result *projected = &record->projected;
    const struct sl_record_result *feasible = &record->runtime_feasible;
    char figure[SL_GATE_TEXT], base[SL_GATE_TEXT], tail[32];
    if (!feasible->present || !projected->target || record->measured.present)
        return NULL;
    bool is_tail = strcmp(projected->target, "tail") == 0;
    bool compared = feasible->target && !isnan(feasible->target_difference.value);
    double of = compared ? feasible->target_baseline.value : projected->target_baseline.value;
    double value = is_tail ? feasible->tail.value : feasible->median.value;
    double limit = of * (1 - record->objective.min_gain);
    if ((!is_tail && strcmp(projected->target, "median") != 0) || !(value >= limit) ||
        !(projected->target_difference.value <
          -record->objective.min_gain * projected->target_baseline.value))
        return NULL;
    snprintf(tail, sizeof tail, "p%.4g", 100 * projected->tail_quantile);
    return sl_record_text(record, good,
                          "has with what the runtime inserts a %s of %s, where %s has %s%s",
                          is_tail ? tail : "median", sl_gate_quantity(figure, value, "us"),
                          name_of(record, true, good), sl_gate_quantity(base, of, "us"),
                          compared ? "" : " as projected");
}

static const char *find(struct sl_record *record, bool *good)
{
    const char *policy = record->selection.policy, *by = NULL, *whose = NULL;
    if (!policy)
        return sl_record_text(record, good, "No policy is selected: %s", record->selection.why);
    if (sl_gate_keeps_baseline(record))
        return sl_record_text(record, good, "Keep the baseline '%s': %s", policy,
                              verdict(record, false, good));
    by = lost_gain(record, good);
    if (by)
        return sl_record_text(record, good, "%s %s; %s", name_of(record, false, good), by,
                              verdict(record, true, good));
    by = gain(record, &record->measured, good);
    whose = by ? "as measured" : NULL;
    if (!by) {
        by = gain(record, &record->projected, good);
        whose = by ? "as projected" : NULL;
    }
    if (!by)
        return sl_record_text(record, good, "%s: %s", name_of(record, false, good),
                              verdict(record, false, good));
    return sl_record_text(record, good, "%s %s against %s, %s; %s", name_of(record, false, good),
                          by, name_of(record, true, good), whose, verdict(record, false, good));
}

/* What a runtime left open is an unknown of the decision, as long as it is the runtime's answer; it
 * stands behind all others. */
static bool note_unsettled(struct sl_record *record)
{
    uint32_t kept = 0;
    bool good = true;
    for (uint32_t i = 0; i < record->unknowns.count; i++)
        if (strcmp(record->unknowns.items[i].what, SL_UNKNOWN_OF_RUNTIME) != 0)
            record->unknowns.items[kept++] = record->unknowns.items[i];
    record->unknowns.count = kept;
    for (uint32_t i = 0; good && i < record->mechanism.assumptions.count; i++) {
        const struct sl_record_assumption *from = &record->mechanism.assumptions.items[i];
        if (!sl_gate_is_open(record, from))
            continue;
        struct sl_record_unknown *item =
            sl_record_add(record, &record->unknowns, &sl_shape_unknown);
        good = item;
        if (item)
            *item = (struct sl_record_unknown){SL_UNKNOWN_OF_RUNTIME, from->assumption,
                                               from->detail ? from->detail : "not settled"};
    }
    return good;
}

enum sl_status sl_decide_conclude(struct sl_record *record, struct sl_error *err)
{
    bool good = true;
    if (!note_unsettled(record))
        return sl_decide_no_memory(err);
    enum sl_status status = sl_decide_risks(record, err);
    if (status == SL_OK)
        status = sl_workflow_update(record, err);
    if (status == SL_OK)
        status = sl_gate_update(record, err);
    if (status == SL_OK)
        record->finding = find(record, &good);
    return status != SL_OK ? status : good ? SL_OK : sl_decide_no_memory(err);
}

/* A record that took another's place names it and its hash, under the seal. */
static const char *begun(struct sl_record *record, const char **sha256, bool *good)
{
    const struct sl_record_input *before = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < record->inputs.count; i++) {
        const struct sl_record_input *input = &record->inputs.items[i];
        if (strcmp(input->role, SL_RECORD_PREDECESSOR) == 0)
            before = input;
        else if (count++ == 0)
            *sha256 = input->sha256;
    }
    const char *text = sl_record_text(record, good, "scenario '%s', %u input files",
                                      record->workload.scenario, count);
    if (!before || !*good)
        return text;
    const char *name = strrchr(before->path, '/');
    return sl_record_text(record, good, "%s; in the place of %s, SHA-256 %s", text,
                          name ? name + 1 : before->path, before->sha256);
}

/* What each step rests on: a sentence, and the hash of the file or run behind it. */
static const char *ground(struct sl_record *record, enum sl_record_status to, const char **sha256,
                          bool *good)
{
    switch (to) {
    case SL_RECORD_HYPOTHESIS:
        return begun(record, sha256, good);
    case SL_RECORD_POLICY_SELECTED:
        *sha256 = record->projected.source.sha256;
        return record->selection.why;
    case SL_RECORD_RUNTIME_FEASIBLE:
        *sha256 = record->mechanism.sha256;
        return sl_record_text(record, good, "%s says that it is feasible", record->mechanism.by);
    case SL_RECORD_MEASURED:
        *sha256 = record->measured.source.sha256;
        return sl_record_text(record, good, "%llu %s measured",
                              (unsigned long long)record->measured.count, record->measured.counted);
    case SL_RECORD_ACCEPTED:
        return "all ten conditions of the gate pass";
    default:
        return sl_record_text(record, good, "the gate fails: %s",
                              list_outcomes(record, SL_GATE_FAIL, good));
    }
}

/* The next status that the record is ready for; the present one: none. */
static enum sl_record_status next_status(const struct sl_record *record)
{
    if (record->history.count == 0)
        return SL_RECORD_HYPOTHESIS;
    if (record->status >= SL_RECORD_ACCEPTED)
        return record->status;
    if (sl_gate_count(record, SL_GATE_FAIL) > 0)
        return SL_RECORD_REJECTED;
    enum sl_record_status next = record->status + 1;
    return sl_record_may_advance(record, next) ? next : record->status;
}

static bool has_section(const char *changes, const char *section)
{
    size_t length = strlen(section);
    for (const char *at = strstr(changes, section); at; at = strstr(at + 1, section))
        if ((at == changes || at[-1] == ' ') && (!at[length] || at[length] == ','))
            return true;
    return false;
}

/* What is held otherwise than before, in the same status: another answer, another measurement, or a
 * decision made again that came out otherwise. */
static enum sl_status amend(struct sl_record *record, const char *changes, const char *by,
                            struct sl_error *err)
{
    const struct sl_record_mechanism *mechanism = &record->mechanism;
    const char *text = "decided again", *sha256 = record->projected.source.sha256;
    bool good = true;
    if (has_section(changes, "measured") && record->measured.present) {
        sha256 = record->measured.source.sha256;
        text = sl_record_text(record, &good, "%llu %s measured",
                              (unsigned long long)record->measured.count, record->measured.counted);
    } else if (has_section(changes, "mechanism") && mechanism->present) {
        sha256 = mechanism->sha256;
        text = sl_record_text(record, &good, "%s answers: %s", mechanism->by,
                              mechanism->feasible == SL_TRUTH_YES  ? "feasible"
                              : mechanism->feasible == SL_TRUTH_NO ? "not feasible"
                                                                   : "it does not say");
    }
    text = sl_record_text(record, &good, "%s; changed: %s", text, changes);
    return good ? sl_record_amend(record, by, text, sha256, err) : sl_decide_no_memory(err);
}

/* Before the status moves: what has changed is an entry of its own, unless the next step says it.
 */
static enum sl_status note_changes(struct sl_record *record, const char *by, struct sl_error *err)
{
    enum sl_record_status next = next_status(record);
    const char *changes = sl_record_changes(record);
    if (!changes)
        return sl_decide_no_memory(err);
    bool said = next != record->status && next != SL_RECORD_REJECTED && next != SL_RECORD_ACCEPTED;
    return record->history.count == 0 || !*changes || said ? SL_OK
                                                           : amend(record, changes, by, err);
}

enum sl_status sl_decide_settle(struct sl_record *record, const char *by, struct sl_error *err)
{
    enum sl_status status = note_changes(record, by, err);
    while (status == SL_OK) {
        enum sl_record_status next = next_status(record);
        const char *sha256 = NULL;
        bool good = true;
        if (record->history.count > 0 && next == record->status)
            return SL_OK;
        const char *evidence = ground(record, next, &sha256, &good);
        if (!good)
            return sl_decide_no_memory(err);
        status = sl_record_advance(record, next, by, evidence, sha256, err);
    }
    return status;
}

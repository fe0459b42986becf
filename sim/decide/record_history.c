/* The status of a record: forward only, each step with the evidence that it needs, each entry
 * sealed together with all before it. */
#include "config.h"

#include "record_history.h"
#include "record_seal.h"
#include "record_shape.h"
#include <errno.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A seal says nothing of who wrote the entry; it tells that one was changed or taken out. */
static void seal_of(const char *before, const struct sl_record_event *event, char hex[65])
{
    SHA2_CTX context;
    const char *parts[] = {before,
                           event->date,
                           sl_record_status_name(event->from),
                           sl_record_status_name(event->to),
                           event->by,
                           event->evidence,
                           event->sha256 ? event->sha256 : "",
                           event->body};
    SHA256Init(&context);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        SHA256Update(&context, (const uint8_t *)parts[i], strlen(parts[i]) + 1);
    SHA256End(&context, hex);
}

/* Whether a status may follow another: one step, or to rejected from any that is no end. */
static bool may_follow(enum sl_record_status from, enum sl_record_status to)
{
    if (from == SL_RECORD_ACCEPTED || from == SL_RECORD_REJECTED)
        return false;
    return to == SL_RECORD_REJECTED || (to != SL_RECORD_HYPOTHESIS && to == from + 1);
}

void sl_record_check_history(const struct sl_record *record, const struct sl_yaml *places,
                             struct sl_diags *diags)
{
    const char *before = "";
    enum sl_record_status at = SL_RECORD_HYPOTHESIS;
    for (uint32_t i = 0; i < record->history.count; i++) {
        const struct sl_record_event *event = &record->history.items[i];
        struct sl_place place = places->items[i]->place;
        char hex[65];
        bool follows =
            i == 0 ? event->from == SL_RECORD_HYPOTHESIS && event->to == SL_RECORD_HYPOTHESIS
                   : event->from == at && (event->to == at || may_follow(at, event->to));
        if (!follows)
            sl_diags_add(diags, SL_ERROR, "history-leaps", place,
                         "entry %u goes from %s to %s, after %s", i + 1,
                         sl_record_status_name(event->from), sl_record_status_name(event->to),
                         i == 0 ? "nothing" : sl_record_status_name(at));
        seal_of(before, event, hex);
        if (strcmp(hex, event->seal) != 0)
            sl_diags_add(diags, SL_ERROR, "history-rewritten", place,
                         "the seal of entry %u does not fit: it, or one before it, was changed",
                         i + 1);
        before = event->seal;
        at = event->to;
    }
    if (record->status != at)
        sl_diags_add(diags, SL_ERROR, "history-leaps", places->place,
                     "the status is %s, but the history ends with %s",
                     sl_record_status_name(record->status),
                     record->history.count == 0 ? "nothing" : sl_record_status_name(at));
}

void sl_record_now(char date[32])
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    char *end = NULL;
    errno = 0;
    long long stated = epoch && *epoch ? strtoll(epoch, &end, 10) : -1;
    bool usable = end && !*end && errno == 0 && stated >= 0;
    time_t now = usable ? (time_t)stated : time(NULL);
    struct tm utc;
    strcpy(date, "");
    if (gmtime_r(&now, &utc))
        strftime(date, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

static uint32_t count_outcomes(const struct sl_record *record, enum sl_gate_outcome_kind kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < record->gate.count; i++)
        count += record->gate.items[i].outcome == kind;
    return count;
}

/* What a step lacks; NULL: nothing. */
static const char *lacking(const struct sl_record *record, enum sl_record_status to)
{
    switch (to) {
    case SL_RECORD_POLICY_SELECTED:
        if (record->selection.how == SL_SELECTION_NONE || !record->selection.policy)
            return "no policy is selected";
        if (record->selection.how == SL_SELECTION_TIED)
            return "the policy is not told apart from others";
        return !record->projected.present ? "there is no projection"
               : !record->proofs.present  ? "there are no proofs"
                                          : NULL;
    case SL_RECORD_RUNTIME_FEASIBLE:
        if (!record->mechanism.present)
            return "no runtime has answered";
        if (record->mechanism.feasible != SL_TRUTH_YES)
            return "the runtime does not say that it is feasible";
        return !record->mechanism.recomputed || !record->runtime_feasible.present
                   ? "the schedule was not recomputed with what the runtime inserts"
                   : NULL;
    case SL_RECORD_MEASURED:
        return !record->measurement.present || !record->measured.present ? "nothing was measured"
                                                                         : NULL;
    case SL_RECORD_ACCEPTED:
        if (!record->measured.present)
            return "nothing was measured";
        return record->gate.count != SL_GATE_CONDITIONS ||
                       count_outcomes(record, SL_GATE_PASS) != SL_GATE_CONDITIONS
                   ? "not every condition of the gate passes"
                   : NULL;
    case SL_RECORD_REJECTED:
        return count_outcomes(record, SL_GATE_FAIL) == 0 ? "no condition of the gate fails" : NULL;
    default:
        return NULL;
    }
}

bool sl_record_may_advance(const struct sl_record *record, enum sl_record_status to)
{
    bool first = record->history.count == 0;
    bool next = first ? to == SL_RECORD_HYPOTHESIS : may_follow(record->status, to);
    return next && !lacking(record, to);
}

static const char *keep(struct sl_record *record, const char *text, bool *good)
{
    const char *copy = text ? sl_arena_strdup(&record->arena, text) : NULL;
    *good &= !text || copy;
    return copy;
}

/* Seals what the record holds now, and appends an entry. */
static enum sl_status append(struct sl_record *record, const struct sl_record_event *what,
                             struct sl_error *err)
{
    bool first = record->history.count == 0, good = sl_record_seal(record);
    const char *before = first ? "" : record->history.items[record->history.count - 1].seal;
    char date[32], body[65], hex[65];
    struct sl_record_event *event =
        good ? sl_record_add(record, &record->history, &sl_shape_event) : NULL;
    if (!event)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    sl_record_now(date);
    sl_record_body(record, body);
    *event = (struct sl_record_event){.date = keep(record, date, &good),
                                      .from = what->from,
                                      .to = what->to,
                                      .by = keep(record, what->by, &good),
                                      .evidence = keep(record, what->evidence, &good),
                                      .sha256 = keep(record, what->sha256, &good),
                                      .body = keep(record, body, &good)};
    if (good) {
        seal_of(before, event, hex);
        event->seal = keep(record, hex, &good);
        good = good && sl_record_seal_end(record, event->seal);
    }
    if (!good)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    record->status = what->to;
    return SL_OK;
}

enum sl_status sl_record_advance(struct sl_record *record, enum sl_record_status to, const char *by,
                                 const char *evidence, const char *sha256, struct sl_error *err)
{
    bool first = record->history.count == 0;
    const struct sl_record_event event = {
        .from = record->status, .to = to, .by = by, .evidence = evidence, .sha256 = sha256};
    if (first ? to != SL_RECORD_HYPOTHESIS : !may_follow(record->status, to))
        return SL_FAIL(err, SL_NO, "the status cannot go from %s to %s",
                       first ? "nothing" : sl_record_status_name(record->status),
                       sl_record_status_name(to));
    const char *lacks = lacking(record, to);
    if (lacks)
        return SL_FAIL(err, SL_NO, "the status cannot become %s: %s", sl_record_status_name(to),
                       lacks);
    return append(record, &event, err);
}

enum sl_status sl_record_amend(struct sl_record *record, const char *by, const char *evidence,
                               const char *sha256, struct sl_error *err)
{
    const struct sl_record_event event = {.from = record->status,
                                          .to = record->status,
                                          .by = by,
                                          .evidence = evidence,
                                          .sha256 = sha256};
    if (record->history.count == 0)
        return SL_FAIL(err, SL_NO, "there is nothing to amend: the record has no history");
    return append(record, &event, err);
}

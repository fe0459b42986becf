/* The decision workflow's eleven steps, as a checklist: each is done when the record holds what the
 * step makes, whoever made it. */
#include "config.h"

#include "decide_parts.h"
#include <math.h>
#include <string.h>

static enum sl_truth truth(bool done)
{
    return done ? SL_TRUTH_YES : SL_TRUTH_NO;
}

static bool is_illegal(const struct sl_record *record)
{
    for (uint32_t i = 0; i < record->findings.count; i++)
        if (strcmp(record->findings.items[i].severity, "error") == 0)
            return true;
    return false;
}

static bool costs_have_evidence(const struct sl_record *record)
{
    bool all = record->costs.count > 0;
    for (uint32_t i = 0; i < record->costs.count; i++)
        all = all && record->costs.items[i].evidence;
    return all;
}

static uint32_t count_rejected(const struct sl_record *record)
{
    static const char *const kept[] = {"selected", "tie", "open", "faster"};
    uint32_t count = 0;
    for (uint32_t i = 0; i < record->alternatives.count; i++) {
        bool rejected = true;
        for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
            rejected &= strcmp(record->alternatives.items[i].standing, kept[k]) != 0;
        count += rejected;
    }
    return count;
}

static uint32_t count_open(const struct sl_record *record)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < record->alternatives.count; i++) {
        const char *standing = record->alternatives.items[i].standing;
        count += strcmp(standing, "open") == 0 || strcmp(standing, "not-run") == 0;
    }
    return count;
}

static bool add(struct sl_record *record, const char *step, enum sl_truth done, const char *by,
                const char *note)
{
    struct sl_record_step *item = sl_record_add(record, &record->workflow, &sl_shape_step);
    if (item)
        *item = (struct sl_record_step){step, done, by, note};
    return item;
}

/* Retain, move and rematerialize are compared when policies of the scenario do each of them. */
static const char *note_alternatives(struct sl_record *record, bool *good)
{
    uint32_t open = count_open(record);
    const char *text =
        sl_record_text(record, good, "%u alternatives, %u of them rejected",
                       record->alternatives.count > 0 ? record->alternatives.count - 1 : 0,
                       count_rejected(record));
    return *good && open > 0 ? sl_record_text(record, good, "%s, %u not settled", text, open)
                             : text;
}

enum sl_status sl_workflow_update(struct sl_record *record, struct sl_error *err)
{
    const struct sl_record_result *projected = &record->projected;
    bool good = true, several = record->alternatives.count > 1;
    bool declared = record->objective.tail_stated && record->objective.order.count > 0;
    record->workflow.count = 0;
    const char *found = note_alternatives(record, &good);
    good = good &&
           add(record, "declare target, order, limits", truth(declared), "scenario: objective",
               declared ? NULL : "tail or order are not stated") &&
           add(record, "build the baseline's typed graph", truth(!is_illegal(record)),
               "slackline check", is_illegal(record) ? "the graph is not legal" : NULL) &&
           add(record, "attach evidence", truth(costs_have_evidence(record)),
               "scenario: evidence; slackline-calibrate",
               costs_have_evidence(record) ? NULL
               : record->costs.count == 0  ? "no plan was looked at for its costs"
                                           : "some costs state no evidence") &&
           add(record, "bound and realized chain",
               truth(record->baseline.present && record->baseline.chain.count > 0),
               "slackline decide; slackline explain",
               record->baseline.present ? NULL : "there is no baseline") &&
           add(record, "locate stalls, waits, staging, peaks",
               truth(record->baseline.present && record->baseline.pressure.count > 0),
               "slackline decide; slackline explain", NULL) &&
           add(record, "generate legal alternatives", truth(several), "slackline sweep, search",
               several ? NULL : "there is one policy alone") &&
           add(record, "compare retain, move, rematerialize",
               several ? truth(projected->present) : SL_TRUTH_NO,
               "slackline decide; compare --costs", NULL) &&
           add(record, "reject what violates or costs more",
               truth(several && projected->present && count_open(record) == 0), "slackline decide",
               found) &&
           add(record, "pass the policy to the runtime", truth(record->mechanism.present),
               "slackline export --format handoff; slackline feasibility", NULL) &&
           add(record, "recompute with inserted constraints",
               truth(record->mechanism.present && record->mechanism.recomputed),
               "slackline feasibility", NULL) &&
           add(record, "measure the realized order", truth(record->measured.present),
               "slackline decide --measured", NULL);
    return good ? SL_OK : sl_decide_no_memory(err);
}

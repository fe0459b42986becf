/* What the parts of a record are made of: lists, and the words of what evidence says.  See record.h
 * for who owns them, and what of them is absent. */
#ifndef SL_RECORD_VALUES_H
#define SL_RECORD_VALUES_H
#include "arena.h"
#include "quantile.h"

/* A list of a record: items[0 .. count).  Grown by sl_record_add (of structs) and
 * sl_record_add_text. */
#define SL_RECORD_LIST(type)                                                                       \
    struct {                                                                                       \
        type *items;                                                                               \
        uint32_t count, capacity;                                                                  \
    }
struct sl_record_texts {
    const char **items;
    uint32_t count, capacity;
};

/* In the order in which a record may go; ACCEPTED and REJECTED are ends. */
enum sl_record_status {
    SL_RECORD_HYPOTHESIS,
    SL_RECORD_POLICY_SELECTED,
    SL_RECORD_RUNTIME_FEASIBLE,
    SL_RECORD_MEASURED,
    SL_RECORD_ACCEPTED,
    SL_RECORD_REJECTED,
    SL_RECORD_STATUSES
};
const char *sl_record_status_name(enum sl_record_status status); /* "policy-selected" */

/* "unknown", "yes", "no": what evidence says of a claim, if there is any. */
enum sl_truth { SL_TRUTH_UNKNOWN, SL_TRUTH_YES, SL_TRUTH_NO, SL_TRUTHS };
enum sl_gate_outcome_kind { SL_GATE_UNKNOWN, SL_GATE_PASS, SL_GATE_FAIL, SL_GATE_OUTCOMES };
const char *sl_gate_outcome_name(enum sl_gate_outcome_kind kind);
enum { SL_GATE_CONDITIONS = 10, SL_WORKFLOW_STEPS = 11 };
#endif

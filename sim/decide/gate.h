/* The acceptance gate: ten conditions that a record meets, breaks, or does not speak of.
 *
 * A condition is one file gate_NAME.c and a line of gates.def.  It looks at the record and at
 * nothing else, so whoever holds the record can judge it again. */
#ifndef SL_GATE_H
#define SL_GATE_H
#include "record.h"

/* What a condition's judgement is made of: claims, each with the key that it rests on.  The outcome
 * is that of the worst claim (fail, then unknown, then pass), and unknown without any. */
struct sl_gate_claims;
void sl_gate_claim(struct sl_gate_claims *claims, enum sl_gate_outcome_kind kind, const char *key,
                   const char *format, ...) SL_PRINTF(4, 5);

struct sl_gate_condition {
    const char *name;      /* "capacity" */
    const char *condition; /* the domain's sentence */
    void (*judge)(const struct sl_record *record, struct sl_gate_claims *claims);
};
/* In the order of the acceptance gate; SL_GATE_CONDITIONS of them. */
const struct sl_gate_condition *sl_gate_condition(uint32_t index);

/* Judges all conditions; texts are in the arena.  A pure function of the record, `gate` itself
 * aside. SL_SYSTEM: out of memory. */
enum sl_status sl_gate_judge(const struct sl_record *record, struct sl_arena *arena,
                             struct sl_gate_outcome out[SL_GATE_CONDITIONS],
                             struct sl_error *err) SL_NODISCARD;
/* The same into record->gate. */
enum sl_status sl_gate_update(struct sl_record *record, struct sl_error *err) SL_NODISCARD;
/* How many outcomes of record->gate are of a kind. */
uint32_t sl_gate_count(const struct sl_record *record, enum sl_gate_outcome_kind kind);

/* ---- for the conditions ------------------------------------------------------------------------
 */

/* The condition that a finding of `check` speaks against: a legality code's, by name; the
 * correctness condition for codes that none claims.  NULL: a remark that no condition turns on. */
const char *sl_gate_of_finding(const struct sl_record_finding *finding);
/* Claims a failure for each finding that belongs to the condition; returns their number. */
uint32_t sl_gate_claim_findings(const struct sl_record *record, const char *condition,
                                struct sl_gate_claims *claims);
/* Its trials are courses of many jobs: mode open or closed. */
bool sl_gate_has_jobs(const struct sl_record *record);
/* The assumption on which a runtime's answer rests that does not know its overheads. */
#define SL_GATE_FREE_CALLS "calls of the runtime take no time of their own"
/* What a runtime's deviation from a wish or a node is against; those from the order of starts are
 * found by running the plan again, and hold another text. */
#define SL_GATE_AS_DECIDED "as the policy says"
/* What a runtime does in place of a wish, or with a node, and of which no mechanism says whether it
 * realizes the policy all the same. */
bool sl_gate_is_unsettled(const struct sl_record *record,
                          const struct sl_record_deviation *deviation);
/* Nobody has settled it: neither the runtime, nor, of overheads, a measurement that holds them. */
bool sl_gate_is_open(const struct sl_record *record, const struct sl_record_assumption *assumption);
/* The decision is to keep the baseline: what is selected is its plan. */
bool sl_gate_keeps_baseline(const struct sl_record *record);
/* Why a runtime cannot run the baseline of `result`; NULL: it is another result, or nobody said so.
 */
const char *sl_gate_no_baseline(const struct sl_record *record,
                                const struct sl_record_result *result);
/* Why a figure of the result ("tail", "median", "mean"), or its difference from the baseline's, is
 * not known: "50 repetitions are too few, a p99 takes 368"; NULL: not for want of numbers. */
#define SL_GATE_FEW 200
const char *sl_gate_too_few(char buffer[SL_GATE_FEW], const struct sl_record_result *result,
                            const char *figure, bool difference);
/* Claims that all is unknown because nothing was simulated; true where it was not. */
bool sl_gate_lacks_run(const struct sl_record *record, struct sl_gate_claims *claims);
/* A declared constraint is on a peak, and so the capacity condition's; all others are the bounds'.
 */
bool sl_gate_is_of_peak(const struct sl_record_outcome *outcome);
/* The figure of a result that a constraint is about, in the unit of its limit; NAN where the result
 * has none. */
struct sl_estimate sl_gate_figure(const struct sl_record_result *result, const char *constraint);
/* Three significant digits with a unit; of a time with four. */
#define SL_GATE_TEXT 48
const char *sl_gate_quantity(char buffer[SL_GATE_TEXT], double value, const char *unit);
const char *sl_gate_interval(char buffer[2 * SL_GATE_TEXT], struct sl_estimate estimate,
                             const char *unit);
/* "17.6 ms to 22.8 ms" of a difference that is wholly below 0; else its interval. */
const char *sl_gate_gain(char buffer[2 * SL_GATE_TEXT], struct sl_estimate difference,
                         const char *unit);

#define SL_GATE(name, condition)                                                                   \
    void sl_gate_##name(const struct sl_record *record, struct sl_gate_claims *claims);
#include "gates.def"
#undef SL_GATE
#endif

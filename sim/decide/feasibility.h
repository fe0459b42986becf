/* A runtime's answer into a record: the plan with all that it inserts, simulated on the draws of
 * the projection. */
#ifndef SL_FEASIBILITY_H
#define SL_FEASIBILITY_H
#include "cell.h"
#include "mapping.h"
#include "own_waits.h"
#include "recompute.h"
#include "record_scenario.h"

struct sl_feasibility_request {
    const char *reply;                /* file; NULL: the mapping answers */
    const struct sl_mapping *mapping; /* NULL: the file does */
    const char
        *baseline_reply;     /* an answer to the baseline's hand-off; NULL: the mapping, if any */
    const char *write_reply; /* file that gets the mapping's answer; NULL: none */
    struct sl_run_options options; /* threads and progress; seed and trials are the record's */
};

/* What came of it beside the record. */
struct sl_feasibility {
    uint64_t edges, queues, limits, kept; /* inserted */
    uint64_t unknown_overheads;           /* nodes */
    uint64_t pairs, inversions;           /* of nodes of one queue */
    uint64_t unrealized;                  /* wishes without a mechanism */
};

/* Fills record->mechanism and record->runtime_feasible anew, and notes the files as inputs in the
 * roles "reply" and "baseline-reply".  Status, gate and history are left to the caller.  An
 * infeasible plan is SL_OK: mechanism.feasible is no, and says why.  SL_INVALID: the reply is
 * faulty, or of another decision, or the scenario has changed since.  Faults go to `diags`. */
enum sl_status sl_record_feasibility(struct sl_record *record,
                                     const struct sl_feasibility_request *request,
                                     struct sl_feasibility *found, struct sl_diags *diags,
                                     struct sl_error *err) SL_NODISCARD;

/* feasibility_record.c: what a reply says, into record->mechanism; false: out of memory. */
bool sl_mechanism_fill(struct sl_record *record, const struct sl_reply *reply,
                       const struct sl_graph *plan, bool applied) SL_NODISCARD;
/* What recomputing it found. */
bool sl_mechanism_note_order(struct sl_record *record, const struct sl_reply *reply,
                             const struct sl_graph *plan,
                             const struct sl_recomputed *made) SL_NODISCARD;
/* The longest wait of the recomputed plan and what held it up, into record->runtime_feasible. */
bool sl_mechanism_note_waits(struct sl_record *record, const struct sl_own_waits *waits,
                             const struct sl_reply *reply,
                             const struct sl_graph *plan) SL_NODISCARD;
/* Of modes open and closed: the waits of their runs, which are not known where edges or queues are
 * inserted, since runs behind those do not count as waiting. */
bool sl_mechanism_note_job_waits(struct sl_record *record, const struct sl_cell *cell,
                                 const struct sl_reply *reply) SL_NODISCARD;
#endif

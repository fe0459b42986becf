/* A decision made again from its record alone: the same scenario, settings, seed and trials. */
#ifndef SL_REDECIDE_H
#define SL_REDECIDE_H
#include "decide.h"
#include "record_same.h"

/* An input that is not what it was. */
struct sl_redecide_change {
    const char *role, *path;
    const char *before, *after; /* SHA-256; NULL: it was not, or is not there */
};

struct sl_redecide {
    struct sl_arena arena;
    struct sl_record record;            /* of now */
    struct sl_scenario scenario, other; /* other: of a baseline in another folder */
    struct sl_override *overrides;
    uint32_t override_count;
    struct sl_decision decision;
    struct sl_redecide_change *changes;
    uint32_t change_count;
    struct sl_record_same same; /* of what was simulated; nothing where an input has changed */
};

/* Looks at the inputs, and where all are what they were runs the decision again and compares what
 * simulation fills: graph, schedules, alternatives, policy, costs, unknowns, projection, proofs,
 * fallback.  How far figures may drift is not looked for again.  SL_NO: an input has changed or a
 * figure differs, as *again says.  Faults of the scenario go to `diags`; sl_redecide_free releases
 * in every case. */
enum sl_status sl_redecide(struct sl_redecide *again, const struct sl_record *record,
                           const struct sl_run_options *options, struct sl_diags *diags,
                           struct sl_error *err) SL_NODISCARD;
void sl_redecide_free(struct sl_redecide *again);
#endif

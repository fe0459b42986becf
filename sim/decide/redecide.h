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

/* The three results of a record. */
enum sl_column { SL_COLUMN_PROJECTED, SL_COLUMN_FEASIBLE, SL_COLUMN_MEASURED, SL_COLUMNS };
enum sl_column_state {
    SL_COLUMN_ABSENT, /* the record has none, or nothing was run */
    SL_COLUMN_EQUAL,
    SL_COLUMN_DIFFERS,
    SL_COLUMN_INPUT, /* not made again: a file of it is another one, or gone */
    SL_COLUMN_STATES
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
    struct sl_record_same same; /* nothing where a file of a scenario has changed */
    enum sl_column_state columns[SL_COLUMNS];
};

/* Looks at the inputs, and where the scenarios' are what they were runs the decision again and
 * compares: graph, schedules, alternatives, policy, costs, projection, proofs, falsifiers,
 * fallback; then takes the runtime's answer and the measurement from the recorded files, where
 * these are what they were, compares both columns, and at last unknowns, risks and the gate. SL_NO:
 * an input has changed or a figure differs, as *again says.  Faults of the files go to `diags`;
 * sl_redecide_free releases in every case. */
enum sl_status sl_redecide(struct sl_redecide *again, const struct sl_record *record,
                           const struct sl_run_options *options, struct sl_diags *diags,
                           struct sl_error *err) SL_NODISCARD;
void sl_redecide_free(struct sl_redecide *again);
#endif

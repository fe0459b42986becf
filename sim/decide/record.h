/* A schedule decision record: what was decided, on which evidence, and what is still missing.
 *
 * One struct holds the whole of decision.yaml; doc/decision-record.md describes its keys.  Which
 * keys there are, of which type and in which order is said once, by the tables of record_fields*.c
 * (see record_shape.h); the YAML writer, the reader, JSON and comparisons of records follow them.
 *
 * Everything in a record is owned by its arena.  Absent values stay absent: a text is NULL, a
 * number NAN, an estimate's value NAN, a section's `present` false; none of them is filled from
 * another section.  Times are microseconds, sizes bytes; keys name the unit (`tail_us`).  Lists
 * grow by sl_record_add.  sl_record_init makes an empty record, in which all is absent. */
#ifndef SL_RECORD_H
#define SL_RECORD_H
#include "record_evidence.h"
#include "record_plan.h"

/* 1 had no seals but those of its history, 2 others: of paths of tables, and none of the numbers
 * that a baseline counts. */
#define SL_RECORD_FORMAT 3
#define SL_RECORD_FILE   "decision.yaml"

/* ---- conclusions ---------------------------------------------------------------------------- */

/* A measurement that would show the decision to be wrong. */
struct sl_record_falsifier {
    const char *measurement; /* a sentence: what to measure, and which result falsifies */
    const char *kind, *name; /* "tail", "class", "route", "kappa"; which one */
    double threshold;        /* in `unit`; a figure beyond it falsifies; NAN */
    double lo, hi;           /* band of the threshold; NAN: none */
    const char *unit;        /* "us", "factor", "bytes" */
    const char *then;        /* the policy that would lead; NULL */
};
struct sl_record_fallback {
    const char *policy; /* NULL: there is none */
    const char *why;
    struct sl_estimate cost_us; /* tail of it less that of the selected policy */
};
struct sl_record_risk {
    const char *risk, *detail; /* a code, "hypothetical-overlap"; a sentence */
};

struct sl_gate_outcome {
    const char *condition; /* name of the condition, of gates.def */
    enum sl_gate_outcome_kind outcome;
    const char *evidence;        /* a sentence, with figures */
    struct sl_record_texts keys; /* of the record, that it used: "proofs.progress.deadlocked" */
};
/* A step of the decision workflow. */
struct sl_record_step {
    const char *step; /* "declare", "graph", ... */
    enum sl_truth done;
    const char *by; /* the command that did it, or would */
    const char *note;
};
/* A change of status, or of what the record holds in the same status: another answer of a runtime,
 * another measurement.  Appended, never changed. */
struct sl_record_event {
    const char *date; /* UTC, "2026-11-30T18:00:00Z" */
    enum sl_record_status from, to;
    const char *by;       /* command */
    const char *evidence; /* a sentence: what the step rests on */
    const char *sha256;   /* of the file that it rests on; NULL */
    const char *body;     /* SHA-256 over the seals of all sections, as they were then */
    /* SHA-256 of this entry's other fields and the seal of the entry before: a rewritten history is
     * refused by the reader. */
    const char *seal;
};
/* A section, which is a key of the file's top level, and the SHA-256 of what it held when the last
 * entry of the history was made.  Absent sections have one, too. */
struct sl_record_seal {
    const char *section, *sha256;
};

struct sl_record {
    struct sl_arena arena;
    const char *dir; /* where the file lies that it was read from; NULL: it was read from none */
    uint64_t format;
    const char *version; /* of the tool that wrote it last */
    const char *finding; /* one sentence */
    enum sl_record_status status;
    struct sl_record_workload workload;
    struct sl_record_environment environment;
    struct sl_record_objective objective;
    const char *results;       /* folder of the sweep that it was decided from, as given */
    uint64_t seed, fresh_seed; /* of the sweep; of the decision's own runs */
    uint64_t trials;           /* of each of the decision's own runs */
    SL_RECORD_LIST(struct sl_record_input) inputs;
    SL_RECORD_LIST(struct sl_record_finding) findings; /* of the plan and the scenario */
    struct sl_record_graph graph;
    struct sl_record_schedule baseline, selected;
    struct sl_record_selection selection;
    SL_RECORD_LIST(struct sl_record_alternative) alternatives;
    struct sl_record_policy policy;
    SL_RECORD_LIST(struct sl_record_cost) costs;
    SL_RECORD_LIST(struct sl_record_unknown) unknowns;
    struct sl_record_result projected, runtime_feasible, measured;
    struct sl_record_mechanism mechanism;
    struct sl_record_measurement measurement;
    struct sl_record_proofs proofs;
    SL_RECORD_LIST(struct sl_record_falsifier) falsifiers;
    double
        within; /* by which factor figures were scaled for that; 1: they were not; NAN: not known */
    /* A sentence: which drifts of figures were looked for, and what came of it. */
    const char *drifts;
    struct sl_record_fallback fallback;
    SL_RECORD_LIST(struct sl_record_risk) risks;
    SL_RECORD_LIST(struct sl_gate_outcome) gate;
    SL_RECORD_LIST(struct sl_record_step) workflow;
    SL_RECORD_LIST(struct sl_record_seal) seals; /* of all but format, status, seals and history */
    SL_RECORD_LIST(struct sl_record_event) history;
};

/* ---- making, reading, writing --------------------------------------------------------------- */

struct sl_shape; /* record_shape.h */

/* An empty record: every number that may be absent is NAN.  sl_record_free releases. */
void sl_record_init(struct sl_record *record);
void sl_record_free(struct sl_record *record);
/* Appends a fresh item, all absent, to a list of the record and returns it; NULL: out of memory.
 * `list` is the address of a SL_RECORD_LIST member, `shape` that of its items.  Items of before may
 * have moved. */
void *sl_record_add(struct sl_record *record, void *list, const struct sl_shape *shape);
/* Appends a copy of the text; false: out of memory. */
bool sl_record_add_text(struct sl_record *record, struct sl_record_texts *list,
                        const char *text) SL_NODISCARD;
/* Empties a section, `present` included, so that it can be made again. */
void sl_record_clear(void *section, const struct sl_shape *shape);

/* Writes the record whole to `path`, or to a stream; the same record gives the same bytes.  With a
 * path, notes where its scenarios and files lie seen from there. */
enum sl_status sl_record_write(struct sl_record *record, const char *path,
                               struct sl_error *err) SL_NODISCARD;
enum sl_status sl_record_print(const struct sl_record *record, FILE *out,
                               struct sl_error *err) SL_NODISCARD;
/* The same keys and values as JSON. */
enum sl_status sl_record_print_json(const struct sl_record *record, FILE *out,
                                    struct sl_error *err) SL_NODISCARD;
/* Reads a record.  Paths in it that do not lead to the files that it was made from, by their
 * hashes, are replaced by those that do: seen from the record's own folder.  Every fault goes to
 * `diags` with its place (unknown and missing keys, wrong types and values, a section that is not
 * what was sealed, a history that was rewritten or leaps), and the status is SL_INVALID then.
 * `record` is initialised first; sl_record_free releases it in every case. */
enum sl_status sl_record_read(struct sl_record *record, const char *path, struct sl_diags *diags,
                              struct sl_error *err) SL_NODISCARD;
enum sl_status sl_record_parse(struct sl_record *record, const char *text, size_t size,
                               const char *name, struct sl_diags *diags,
                               struct sl_error *err) SL_NODISCARD;

/* record_place.c, for reading and writing. */
bool sl_record_note_places(struct sl_record *record, const char *path) SL_NODISCARD;
bool sl_record_find_places(struct sl_record *record, const char *path) SL_NODISCARD;
/* The record's scenario lies in `folder` now, for this run and in the record when it is written.
 * SL_INVALID unless its files are those of the decision, naming the first that is not. */
enum sl_status sl_record_move(struct sl_record *record, const char *folder,
                              struct sl_error *err) SL_NODISCARD;
/* SL_INVALID unless the record's scenario is there, saying where it was looked for, and its files
 * are those of the decision, naming the first that is not. */
enum sl_status sl_record_has_scenario(const struct sl_record *record,
                                      struct sl_error *err) SL_NODISCARD;

/* ---- status --------------------------------------------------------------------------------- */

/* Whether sl_record_advance would go there now. */
bool sl_record_may_advance(const struct sl_record *record, enum sl_record_status to);
/* "2026-11-30T18:00:00Z": now, or SOURCE_DATE_EPOCH where the environment states it. */
void sl_record_now(char date[32]);
/* Moves the status on by one transition and appends it to the history.  The first of all makes a
 * hypothesis (to HYPOTHESIS on an empty history).  SL_NO, with what is missing, where the record
 * does not hold the evidence that the step needs:
 *
 * - policy-selected: a policy that is told apart from the others (or given), a projection, proofs;
 * - runtime-feasible: the same, and a mechanism that is feasible and recomputed, with its result;
 * - measured: the same, and a measurement with its result;
 * - accepted: all ten outcomes of the gate pass, and the status is measured;
 * - rejected: an outcome of the gate fails, or the answer of a runtime is no.
 *
 * and where the step is not the next one, or the status is an end.  `by` is the command line,
 * `evidence` a sentence, `sha256` of the file that it rests on (NULL: none). */
enum sl_status sl_record_advance(struct sl_record *record, enum sl_record_status to, const char *by,
                                 const char *evidence, const char *sha256,
                                 struct sl_error *err) SL_NODISCARD;
/* Appends an entry that leaves the status as it is, and seals what the record holds now. */
enum sl_status sl_record_amend(struct sl_record *record, const char *by, const char *evidence,
                               const char *sha256, struct sl_error *err) SL_NODISCARD;
/* The sections that are not what was sealed last, as "costs, gate"; "": all are.  NULL: out of
 * memory. */
const char *sl_record_changes(struct sl_record *record);
#endif

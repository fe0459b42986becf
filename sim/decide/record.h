/* A schedule decision record: what was decided, on which evidence, and what is still missing.
 *
 * One struct holds the whole of decision.yaml; doc/decision-record.md describes its keys.  Which
 * keys there are, of which type and in which order is said once, by the tables of record_fields.c
 * (see record_shape.h); the YAML writer, the reader, JSON and comparisons of records follow them.
 *
 * Everything in a record is owned by its arena.  Absent values stay absent: a text is NULL, a
 * number NAN, an estimate's value NAN, a section's `present` false; none of them is filled from
 * another section.  Times are microseconds, sizes bytes; keys name the unit (`tail_us`).  Lists
 * grow by sl_record_add.  sl_record_init makes an empty record, in which all is absent. */
#ifndef SL_RECORD_H
#define SL_RECORD_H
#include "arena.h"
#include "quantile.h"

#define SL_RECORD_FORMAT 1
#define SL_RECORD_FILE   "decision.yaml"

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

/* ---- what is decided about ------------------------------------------------------------------- */

#define SL_RECORD_PREDECESSOR                                                                      \
    "predecessor" /* role of the record that this one took the place of                            \
                   */

/* A file that the decision rests on. */
struct sl_record_input {
    const char *role; /* "scenario", "baseline", "reply", "measurement", ... */
    const char *path; /* of a scenario: from its folder, as in manifest.json */
    const char *sha256;
    /* Where a file that lies in no scenario lies seen from the record's folder; NULL. */
    const char *from_record;
};

struct sl_record_workload {
    const char *scenario;    /* its name */
    const char *description; /* NULL: none */
    const char *folder;      /* as the command was given it */
    /* The same, and that of the baseline's scenario where it is another one, seen from the folder
     * of the record: set when it is written.  NULL: not known. */
    const char *folder_from_record, *baseline_from_record;
    const char *mode;               /* "once", "iterate", "open", "closed" */
    uint64_t nodes, edges, objects; /* of the scenario's graph */
};

/* One coordinate of the point of the sweep that the decision is about. */
struct sl_record_axis {
    const char *axis, *value; /* "domains.hbm.capacity", "44GiB" */
};
struct sl_record_domain {
    const char *domain;
    double capacity_bytes; /* NAN: not declared, nothing is limited */
    double reserve_bytes;
    bool reserve_stated; /* false: 0 bytes are assumed */
};
struct sl_record_environment {
    const char *device;                          /* NULL: the scenario states its machine itself */
    struct sl_record_texts settings;             /* KEY=VALUE of --set, in order */
    SL_RECORD_LIST(struct sl_record_axis) point; /* not of policies' axes */
    SL_RECORD_LIST(struct sl_record_domain) domains;
};

struct sl_record_objective {
    const char *metric;                 /* "makespan", "latency", a job's mark ... */
    double tail;                        /* quantile */
    bool tail_stated;                   /* false: 0.99 is assumed */
    double min_gain;                    /* share that a winner must beat the others by */
    const char *busy;                   /* resource whose idle time is the stalls; NULL: none */
    struct sl_record_texts order;       /* as written; empty: the Pareto set is the answer */
    struct sl_record_texts constraints; /* as written */
    double wait_bound_us;               /* NAN: no bound is established */
};

/* ---- the graph --------------------------------------------------------------------------------
 */

/* An entry of the plan's edit list. */
struct sl_record_change {
    const char *change; /* "add-node", "add-edge", "drop-edge", "change-input", ... */
    const char *what;   /* "offload x_in.3 from hbm to pinned" */
    const char *reason;
    const char *node, *object; /* NULL: not about one */
};
struct sl_record_graph {
    const char *baseline_digest, *plan_digest; /* sl_graph_digest of either plan, 16 hex digits */
    uint64_t nodes, edges, objects;            /* of the selected plan */
    uint64_t changes_total; /* edits; `changes` has the first SL_RECORD_CHANGES of them */
    SL_RECORD_LIST(struct sl_record_change) changes;
};
#define SL_RECORD_CHANGES 4096

/* What `check` finds, by code. */
struct sl_record_finding {
    const char *code, *severity; /* "error", "warning" */
    uint64_t count;
    const char *first; /* the first one's text with its place */
};

/* ---- schedules --------------------------------------------------------------------------------
 */

struct sl_record_chain {
    const char *kind, *cause; /* "transfer", "queue": time on the realized chain by node kind and
                                 the cause of its start */
    double us, share;         /* mean per trial; of the makespan */
};
struct sl_record_stall {
    const char *cause;
    double us; /* mean per trial */
};
struct sl_record_pressure {
    const char *domain;
    double peak_bytes;      /* largest of all trials */
    double pressure_byte_s; /* mean of the integral over time; NAN: not known */
    double staging_byte_s;  /* ... of staging alone */
};
/* What a simulated schedule does: the baseline's, and the selected one's. */
struct sl_record_schedule {
    bool present;
    const char *policy;
    const char *scenario;         /* folder, where it is another one than the workload's; NULL */
    const char *verdict, *reason; /* "ok", "deadlock", ... ; NULL of ok */
    double bound_us;              /* lower bound: precedence and load, mean over trials */
    struct sl_estimate mean_us, median_us, tail_us;
    SL_RECORD_LIST(struct sl_record_chain) chain;  /* longest first */
    SL_RECORD_LIST(struct sl_record_stall) stalls; /* of the busy resource */
    SL_RECORD_LIST(struct sl_record_pressure) pressure;
    double max_wait_us;         /* start - ready */
    const char *longest_wait;   /* the node that waited so; NULL: none did */
    uint64_t bypasses, starved; /* starved: waits beyond the declared bound */
    uint64_t trials, deadlocked;
};

/* How the policy was selected. */
enum sl_selection_how {
    SL_SELECTION_NONE,   /* nothing could be: see `why` */
    SL_SELECTION_WINNER, /* the sweep's winner, confirmed on a fresh seed */
    SL_SELECTION_ORDER,  /* of a tie in the first measure, by a later one */
    SL_SELECTION_TIED,   /* the lowest of a tie set, which nothing tells apart */
    SL_SELECTION_GIVEN,  /* named by --policy, whatever the sweep says */
    SL_SELECTION_HOWS
};
struct sl_record_selection {
    enum sl_selection_how how;
    const char *policy;          /* NULL: none */
    const char *why;             /* a sentence */
    struct sl_record_texts tied; /* policies that compete with it and are not told apart */
    const char *winner;          /* the sweep's, where another one was named; NULL */
};

/* A policy that was not selected, and why. */
struct sl_record_alternative {
    const char *policy;
    const char *point;    /* of policies' axes: "prefetch.lookahead=2"; NULL */
    const char *standing; /* "selected", "illegal", "deadlock", "infeasible", "slower", "tie",
                             "faster", "open" (the interval does not say), "not-run" */
    const char *evidence; /* codes, the constraint, "p99 slower by ..." */
    struct sl_estimate median_us, tail_us;
    struct sl_estimate against_baseline_us; /* difference of tails; + is slower */
    /* "common"; "other-scenario": trial by trial with those of the baseline's scenario, where only
     * works of the same name draw the same.  NULL: there is no baseline. */
    const char *against_draws;
    struct sl_estimate regret_us; /* ... on common draws against the selected policy */
    double peak_bytes;            /* of the scarcest domain; NAN: none is limited */
};

/* A setting of the logical timing policy, as written. */
struct sl_record_setting {
    uint64_t rule; /* from 1; 0: the top level, for what no rule takes */
    const char *key;
    struct sl_record_texts values;
};
struct sl_record_policy {
    const char *name;
    SL_RECORD_LIST(struct sl_record_setting) settings;
    uint64_t gap_choices, node_choices;           /* rows of its table of choices */
    uint64_t retained, offloaded, rematerialized; /* objects with a gap, by choice */
    /* Streams, queues, capture modes that its text or graph mandates; must be empty. */
    struct sl_record_texts mechanisms;
};

/* ---- costs ------------------------------------------------------------------------------------
 */

/* A figure of the model that the projection uses. */
struct sl_record_cost {
    const char *what;     /* "duration", "route", "kappa", "api", "factor" */
    const char *name;     /* class or node, "pinned->hbm", "copy.h2d beside gemm", ... */
    uint64_t uses;        /* nodes of the plan that it applies to */
    const char *evidence; /* "measured", "bounded", "published", "assumed", "unknown"; NULL: none */
    const char *source;   /* as written; NULL */
    double confidence;    /* 0 to 1; NAN: not stated */
    double chain_share;   /* of the realized chain's time; NAN: not of one */
};
struct sl_record_unknown {
    const char *what, *name, *detail; /* "kappa", "gemm beside copy.d2h", "run at both corners" */
};

/* ---- results ----------------------------------------------------------------------------------
 */

/* Where a result came from. */
struct sl_record_source {
    const char *kind; /* "simulation", "simulation-with-constraints", "replay", "trace", "audit" */
    const char *path; /* file or folder, as given; NULL of a simulation */
    const char *sha256;      /* of that file; of a simulation, of what it was made from */
    const char *command;     /* that made it */
    const char *plan_digest; /* of the plan that ran */
    const char *seed;        /* of a simulation; NULL */
};
struct sl_record_peak {
    const char *domain;
    double bytes; /* largest seen */
};
/* One of the three results: projected, runtime-feasible, measured.  They are made apart, each from
 * a source of its own, and none fills in for another. */
struct sl_record_result {
    bool present;
    struct sl_record_source source;
    const char *metric, *unit; /* "makespan", "us" */
    const char *counted;       /* what `count` is of: "trials", "repetitions" */
    uint64_t count, failed;    /* failed: deadlocked trials, rejected repetitions */
    double tail_quantile;
    struct sl_estimate median, tail; /* in `unit`; NAN where there are too few */
    double worst;                    /* NAN: not known */
    SL_RECORD_LIST(struct sl_record_peak) peaks;
    double max_wait_us; /* NAN: not known */
    uint64_t starved;
    /* The baseline by the same kind of evidence, and selected - baseline (negative: faster). */
    struct sl_estimate baseline_median, baseline_tail;
    struct sl_estimate median_difference, tail_difference;
    bool paired; /* differences are of common draws */
    /* What users see: the first measure of the objective's order (without one the tail) in which
     * the two are not equal within min_gain; of all equal the first. */
    const char *target, *target_unit; /* "tail", "us"; NULL: no baseline to compare with */
    struct sl_estimate target_baseline, target_difference;
};

/* ---- what a runtime answered ------------------------------------------------------------------
 */

/* A wish of the policy and what realizes it. */
struct sl_record_mapping {
    const char *wish;      /* "offload x3 beside compute" */
    const char *mechanism; /* "cudaMemcpyAsync on a copy stream, pinned staging"; NULL: none */
    enum sl_truth realizable;
    const char *note;          /* why not, or at which price; NULL */
    const char *node, *object; /* NULL: not of one */
    uint64_t count;            /* of plan elements that it stands for */
};
/* A constraint that the runtime inserts. */
struct sl_record_constraint {
    const char *from, *to; /* nodes; NULL of one that is no edge */
    const char *type;      /* edge type, or "serialize", "granularity", "capacity", ... */
    double lag_us;         /* NAN: none */
    const char *subject;   /* of one that is no edge: a resource, class or domain; NULL */
    double value;          /* ... and its figure (servers, bytes); NAN */
    const char *reason;
    bool applied; /* the schedule was recomputed with it */
};
struct sl_record_assumption {
    const char *assumption, *detail;
    enum sl_truth holds;
};
struct sl_record_deviation {
    const char *what, *expected, *realized;
};
struct sl_record_mechanism {
    bool present;
    const char *by;      /* "cuda (built in)", or the runtime's name and version */
    const char *path;    /* of the reply; NULL: built in */
    const char *sha256;  /* of the reply, or of the built-in mapping's text */
    const char *handoff; /* sha256 of the hand-off that it answers; NULL */
    enum sl_truth feasible;
    const char *why;    /* of an infeasible one */
    double overhead_us; /* that the mechanism adds to a run; NAN: not stated */
    /* The median and the tail with its constraints less those of the projection, on common draws.
     */
    struct sl_estimate median_change_us, tail_change_us;
    SL_RECORD_LIST(struct sl_record_mapping) mappings;
    SL_RECORD_LIST(struct sl_record_constraint) constraints;
    SL_RECORD_LIST(struct sl_record_assumption) assumptions; /* of the policy, that it judges */
    SL_RECORD_LIST(struct sl_record_deviation) deviations;   /* of its order from the plan's */
    struct sl_record_texts order; /* the realized order of nodes, as returned; may be empty */
    bool recomputed;              /* runtime_feasible is of the plan with all constraints */
};

/* ---- what was measured ------------------------------------------------------------------------
 */

/* A pair of classes that ran side by side. */
struct sl_record_contention {
    const char *pair;            /* "copy.h2d beside gemm" */
    double model;                /* kappa of the table or its composition; NAN: unknown */
    struct sl_estimate measured; /* NAN: not seen */
    double model_overlap_us, measured_overlap_us;
    enum sl_truth agrees; /* within the stated tolerance */
    const char *note;     /* what a kappa is not sure of, and the overlaps; NULL */
};
struct sl_record_measurement {
    bool present;
    const char *backend, *regime; /* NULL: not stated */
    enum sl_truth representative; /* of the workload's declared conditions */
    const char *representative_why;
    uint64_t planned, matched;         /* actions of the plan, and those found in the measurement */
    struct sl_record_texts missing;    /* planned, not measured */
    struct sl_record_texts unexpected; /* measured, not planned */
    double contention_tolerance;       /* largest relative deviation that counts as agreement */
    SL_RECORD_LIST(struct sl_record_contention) contention;
    enum sl_truth order_agrees;
    uint64_t order_pairs, order_inversions; /* starts of planned order; of them the other way */
    struct sl_record_texts deviations;      /* of the order, the first ones by name */
    double projection_error; /* measured median / projected at the measured speeds - 1; NAN */
    double cold_us;          /* of a cold first repetition, which is set apart; NAN: it was none */
};

/* ---- proofs -----------------------------------------------------------------------------------
 */

struct sl_record_lifetime {
    uint64_t trials, reclamations, violations; /* given back before reclaim_ready */
    double first_violation;                    /* trial; NAN: none */
    enum sl_truth proven;
};
/* A reconstruction that the plan uses in the place of an object. */
struct sl_record_reconstruction {
    const char *object, *node, *equivalence; /* "bitwise", "tolerance", "unknown", "unstated" */
};
struct sl_record_capacity {
    const char *domain;
    double capacity_bytes, reserve_bytes, limit_bytes; /* limit: capacity - reserve */
    bool reserve_stated;
    double projected_peak_bytes; /* over all trials of the projection */
    bool can_wait;               /* some order may make a node wait for bytes here */
};
struct sl_record_progress {
    uint64_t trials, deadlocked, livelocked;
    struct sl_estimate deadlock_share; /* exact binomial */
    const char *deadlock;              /* the most frequent wait-for cycle; NULL: none */
    const char *possible;   /* a deadlock that some durations bring about, whether a trial met it or
                               not (adversary.h); NULL: none was found */
    uint64_t wait_edges;    /* different induced waits over all trials */
    uint64_t cyclic_trials; /* whose own precedence and waits have a cycle: must be 0 */
    enum sl_truth acyclic;  /* precedence and the waits of all trials together */
    const char *cycle;      /* a shortest one, where they are not; NULL */
};
struct sl_record_starvation {
    double bound_us; /* NAN: no bound is established */
    double max_wait_us;
    const char *node; /* that waited so; NULL */
    uint64_t beyond;  /* waits beyond the bound */
};
/* A declared constraint, and what it says of the projection. */
struct sl_record_outcome {
    const char *constraint;    /* as written */
    struct sl_estimate figure; /* in the limit's unit: us, bytes, share, per s */
    double limit;              /* in the same unit */
    bool at_least;             /* the figure must not be below it, instead of not above */
    const char *state;         /* "holds", "holds-open", "broken-open", "broken", "not-judged" */
};
struct sl_record_proofs {
    bool present;
    struct sl_record_lifetime lifetime;
    SL_RECORD_LIST(struct sl_record_reconstruction) reconstructions;
    SL_RECORD_LIST(struct sl_record_capacity) capacity;
    struct sl_record_progress progress;
    struct sl_record_starvation starvation;
    SL_RECORD_LIST(struct sl_record_outcome) constraints;
};

/* ---- conclusions ------------------------------------------------------------------------------
 */

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
/* A change of status; appended, never changed. */
struct sl_record_event {
    const char *date; /* UTC, "2026-11-30T18:00:00Z" */
    enum sl_record_status from, to;
    const char *by;       /* command */
    const char *evidence; /* a sentence: what the step rests on */
    const char *sha256;   /* of the file that it rests on; NULL */
    /* SHA-256 of this entry's other fields and the seal of the entry before: a rewritten history is
     * refused by the reader. */
    const char *seal;
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
    const char
        *drifts; /* a sentence: which drifts of figures were looked for, and what came of it */
    struct sl_record_fallback fallback;
    SL_RECORD_LIST(struct sl_record_risk) risks;
    SL_RECORD_LIST(struct sl_gate_outcome) gate;
    SL_RECORD_LIST(struct sl_record_step) workflow;
    SL_RECORD_LIST(struct sl_record_event) history;
};

/* ---- making, reading, writing ------------------------------------------------------------------
 */

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
 * `diags` with its place (unknown and missing keys, wrong types and values, a history that was
 * rewritten or leaps), and the status is SL_INVALID then. `record` is initialised first;
 * sl_record_free releases it in every case. */
enum sl_status sl_record_read(struct sl_record *record, const char *path, struct sl_diags *diags,
                              struct sl_error *err) SL_NODISCARD;
enum sl_status sl_record_parse(struct sl_record *record, const char *text, size_t size,
                               const char *name, struct sl_diags *diags,
                               struct sl_error *err) SL_NODISCARD;

/* record_place.c, for reading and writing. */
bool sl_record_note_places(struct sl_record *record, const char *path) SL_NODISCARD;
bool sl_record_find_places(struct sl_record *record, const char *path) SL_NODISCARD;
/* SL_INVALID unless the record's scenario is there, saying where it was looked for, and its files
 * are those of the decision, naming the first that is not. */
enum sl_status sl_record_has_scenario(const struct sl_record *record,
                                      struct sl_error *err) SL_NODISCARD;

/* ---- status -----------------------------------------------------------------------------------
 */

/* Whether sl_record_advance would go there now. */
bool sl_record_may_advance(const struct sl_record *record, enum sl_record_status to);
/* "2026-11-30T18:00:00Z": now, or SOURCE_DATE_EPOCH where the environment states it. */
void sl_record_now(char date[32]);
/* Moves the status on by one transition and appends it to the history.  The first of all makes a
 * hypothesis (to HYPOTHESIS on an empty history).  SL_NO, with what is missing, where the record
 * does not hold the evidence that the step needs:
 *
 *     policy-selected    a policy that is told apart from the others (or given), a projection,
 * proofs runtime-feasible   the same, and a mechanism that is feasible and recomputed, with its
 * result measured           the same, and a measurement with its result accepted           all ten
 * outcomes of the gate pass, and the status is measured rejected           an outcome of the gate
 * fails, or the answer of a runtime is no
 *
 * and where the step is not the next one, or the status is an end.  `by` is the command line,
 * `evidence` a sentence, `sha256` of the file that it rests on (NULL: none). */
enum sl_status sl_record_advance(struct sl_record *record, enum sl_record_status to, const char *by,
                                 const char *evidence, const char *sha256,
                                 struct sl_error *err) SL_NODISCARD;
#endif

/* The parts of a record that are its evidence: projected, runtime-feasible and measured results,
 * what a runtime answered, what a measurement showed, and the proofs.  record.h holds them together
 * and says who owns them. */
#ifndef SL_RECORD_EVIDENCE_H
#define SL_RECORD_EVIDENCE_H
#include "record_values.h"

/* ---- results -------------------------------------------------------------------------------- */

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
/* A declared constraint, and what a result says of it. */
struct sl_record_outcome {
    const char *constraint;    /* as written */
    struct sl_estimate figure; /* in the limit's unit: us, bytes, share, per s */
    double limit;              /* in the same unit */
    bool at_least;             /* the figure must not be below it, instead of not above */
    const char *state;         /* "holds", "holds-open", "broken-open", "broken", "not-judged" */
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
    double max_wait_us;       /* start - ready by the plan's own graph; NAN: not known */
    const char *longest_wait; /* the node that waited so; NULL: none did, or it is not known */
    const char *wait_behind;  /* what it waited for: an inserted edge, a queue ...; NULL */
    uint64_t starved;         /* waits beyond the declared bound */
    /* Of the declared constraints, as in the proofs; none where the gate takes them from the
     * figures above, or, of a projection, from the proofs. */
    SL_RECORD_LIST(struct sl_record_outcome) constraints;
    /* The baseline by the same kind of evidence, and selected - baseline (negative: faster). */
    double baseline_count; /* of its trials or repetitions; NAN: it has none */
    struct sl_estimate baseline_median, baseline_tail;
    struct sl_estimate median_difference, tail_difference;
    bool paired; /* differences are of common draws */
    /* What users see: the first measure of the objective's order (without one the tail) in which
     * the two are not equal within min_gain; of all equal the first. */
    const char *target, *target_unit; /* "tail", "us"; NULL: no baseline to compare with */
    struct sl_estimate target_baseline, target_difference;
};

/* ---- what a runtime answered ---------------------------------------------------------------- */

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
    const char *why;          /* of an infeasible one */
    const char *baseline_why; /* why it cannot run the baseline; NULL: it can, or was not asked */
    double overhead_us;       /* that the mechanism adds to a run; NAN: not stated */
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

/* ---- what was measured ---------------------------------------------------------------------- */

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

/* ---- proofs --------------------------------------------------------------------------------- */

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
struct sl_record_proofs {
    bool present;
    struct sl_record_lifetime lifetime;
    SL_RECORD_LIST(struct sl_record_reconstruction) reconstructions;
    SL_RECORD_LIST(struct sl_record_capacity) capacity;
    struct sl_record_progress progress;
    struct sl_record_starvation starvation;
    SL_RECORD_LIST(struct sl_record_outcome) constraints;
};
#endif

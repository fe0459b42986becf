/* The parts of a record that say what was decided: workload and environment, the graph and what the
 * policy changed in it, schedules, selection and alternatives, the costs that the model knows.
 * record.h holds them together and says who owns them. */
#ifndef SL_RECORD_PLAN_H
#define SL_RECORD_PLAN_H
#include "record_values.h"

/* ---- what is decided about ------------------------------------------------------------------- */

/* Role of the record that this one took the place of. */
#define SL_RECORD_PREDECESSOR "predecessor"
/* ... of a file with policies beside those of the scenario: what a search found. */
#define SL_RECORD_POLICIES "policies"

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
    struct sl_record_texts baseline_settings;    /* of --baseline-set; often none */
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

/* ---- the graph ------------------------------------------------------------------------------ */

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

/* ---- schedules ------------------------------------------------------------------------------ */

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

/* ---- costs ---------------------------------------------------------------------------------- */

/* A figure of the model that the projection uses.  Which of the figures it has follows from what it
 * is; durations are those of one node alone, before factors and contention. */
struct sl_record_cost {
    const char *what; /* "duration", "route", "kappa", "api", "lag", "factor" */
    const char *name; /* class or kind of node, "pinned->hbm", "copy.h2d beside gemm", ... */
    /* Which of this name: the work of a duration as written, or the first node or edge that takes
     * so long; the domain of an API cost.  NULL: there is one, or those of many figures in one row,
     * which then has the range of their means. */
    const char *of;
    uint64_t uses; /* nodes of the plan, or edges, that it applies to */
    struct sl_estimate median_us;
    double mean_us, least_us, most_us;                     /* least, most: of the means */
    double bandwidth_bytes_per_s, overhead_us, latency_us; /* of a route */
    struct sl_estimate kappa;
    double factor;        /* mean of a factor */
    const char *law;      /* distribution as written; of a route its noise, chunks and filling */
    const char *table;    /* the file that states it, as `inputs` names it; NULL: not known */
    const char *evidence; /* "measured", "bounded", "published", "assumed", "unknown"; NULL: none */
    const char *source;   /* as written; NULL */
    double confidence;    /* 0 to 1; NAN: not stated */
    double chain_share;   /* of the realized chain's time; NAN: not of one */
};
struct sl_record_unknown {
    const char *what, *name, *detail; /* "kappa", "gemm beside copy.d2h", "run at both corners" */
};
#endif

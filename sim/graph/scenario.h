/* A scenario folder in memory: platform, graph, and what to run. */
#ifndef SL_SCENARIO_H
#define SL_SCENARIO_H
#include "arrivals.h"
#include "graph.h"

#define SL_MAX_UNROLLED (1u << 20) /* nodes of all iterations together */

enum sl_mode { SL_MODE_ONCE, SL_MODE_ITERATE, SL_MODE_OPEN, SL_MODE_CLOSED, SL_MODES };
extern const char *const sl_mode_words[SL_MODES];

/* LATENCY stands for every time of a job: jobs.metric says which. */
enum sl_metric { SL_METRIC_MAKESPAN, SL_METRIC_LATENCY, SL_METRIC_THROUGHPUT };

/* What cells are ordered by, each small: of the metric its tail, median, mean; the longest wait of
 * all trials; the share of trials with a missed deadline; of a domain the largest peak of all
 * trials, and the mean of staging bytes x time. */
enum sl_measure {
    SL_MEASURE_TAIL,
    SL_MEASURE_MEDIAN,
    SL_MEASURE_MEAN,
    SL_MEASURE_MAX_WAIT,
    SL_MEASURE_DEADLINE_MISS,
    SL_MEASURE_PEAK,
    SL_MEASURE_STAGING
};

struct sl_order_item {
    enum sl_measure measure;
    uint32_t domain;  /* of a peak or staging */
    const char *name; /* as written: "tail", "peak.hbm" */
};

/* One setting of a policy, flattened: "prefetch.lookahead" -> {"4"}. */
struct sl_setting {
    const char *key;
    const char **values;
    uint32_t value_count;
    struct sl_place place;
};

/* A policy as data.  `rules` of the file (if given) are tried in order, the first whose `objects`
 * globs match an object takes it, and each inherits the top-level settings that it does not state.
 * The last rule here is the top level itself, for what no other rule takes.  Names are resolved by
 * policy/.  A scenario without policies gets one, `as-given`, with action as-given. */
struct sl_policy_rule {
    struct sl_setting *settings;
    uint32_t count;
    bool shared; /* it is one of `rules`, for some object that jobs share by blocks */
};
/* What a policy's table of choices lays down for a gap, whatever its rules choose.  Texts as
 * written; policy/ resolves them. */
struct sl_gap_choice {
    uint32_t object;      /* a root */
    uint32_t gap;         /* 1, 2 ... among the object's gaps in plan order; 0: its first arrival */
    const char *action;   /* "retain", "offload", "remat"; of an arrival NULL */
    const char *prefetch; /* "jit:0.99": when its copy comes back; NULL: as the rules say */
    struct sl_place place;
    int action_column, prefetch_column; /* in the place's line */
};
/* ... and for a node of the finished plan. */
struct sl_node_choice {
    const char *node;
    double priority;    /* NAN: its own */
    const char *after;  /* an ordering edge from this node; NULL: none */
    int64_t release_ps; /* -1: its own */
    struct sl_place place;
    int after_column; /* in the place's line */
};
struct sl_tuning {
    struct sl_gap_choice *gaps;
    uint32_t gap_count, gap_capacity;
    struct sl_node_choice *nodes;
    uint32_t node_count, node_capacity;
};
struct sl_policy_spec {
    const char *name;
    struct sl_policy_rule *rules; /* at least one */
    uint32_t rule_count;
    const struct sl_tuning *tuning; /* its `choices` table; NULL: none */
    bool caches; /* jobs share objects by blocks: `cache`, and `prefetch` of blocks, matter */
    struct sl_place place;
};

struct sl_axis {
    const char *path;        /* "policy.prefetch.lookahead", "domains.hbm.capacity" */
    struct sl_yaml **values; /* as written */
    uint32_t value_count;
    struct sl_place place;
};

enum sl_constraint_unit { SL_LIMIT_TIME, SL_LIMIT_BYTES, SL_LIMIT_SHARE, SL_LIMIT_RATE };

struct sl_constraint {
    const char *left; /* "peak.hbm", "tail", "max_wait", "median", "mean"; in P(): "makespan"; of
                       * jobs also "rejected", "slo", "goodput" */
    enum sl_constraint_unit unit;
    double limit;  /* ps, bytes, a share, or per s */
    bool at_least; /* the figure must not be below the limit, instead of not above */
    double
        probability;  /* least share of trials that keep the limit; 0: a limit of a figure of all */
    const char *text; /* as written */
    struct sl_place place;
};

/* What is measured of a job besides its latency: the time from its arrival to a node's finish, ...
 */
struct sl_job_mark {
    const char *name;
    uint32_t node;
};
/* ... and that between two nodes' finishes, by one unit of a parameter. */
struct sl_job_per {
    const char *name;
    uint32_t from, to, parameter;
    struct sl_place place;
};
struct sl_job_slo {
    const char *metric; /* "latency", or the name of a mark or a time per unit */
    int64_t limit_ps;
};

/* A number of each job: an expression of its parameters; NULL: `mean` for all. */
struct sl_job_number {
    const struct sl_expr *expr;
    double mean; /* at the means of the parameters */
};
/* Blocks that jobs name where no trace does, each number rounded down: the first `common` are those
 * of all jobs, the last `own` the job's alone, and those between of all with its `conversation`. */
struct sl_job_prefix {
    struct sl_place place; /* of run.blocks; file NULL: it is not stated */
    struct sl_job_number count, common, own, conversation;
};

/* Modes open and closed.  Parameters of a job are those of the trace, then those that are drawn. */
struct sl_job_mode {
    struct sl_place place;              /* of run.mode */
    const struct sl_arrivals *arrivals; /* mode open; NULL: none */
    const char *arrivals_text;          /* as written */
    uint32_t concurrency;               /* mode closed: clients, each with one job at a time */
    const struct sl_dist *think;        /* ... and before each job thinks for so long; NULL: 0 */
    uint64_t jobs;                      /* of one trial; 0: all that the trace has */
    int64_t warmup;                     /* first jobs that are not measured; -1: to be detected */
    uint32_t admitted_most;             /* jobs in the system at once; 0: any number */
    bool reject_when_full;              /* where there are as many; otherwise they queue */
    uint32_t memory;        /* domain by which jobs are admitted; SL_NONE: memory may be short */
    bool reject_when_short; /* where a job may need more of it than is free */
    struct sl_names parameters;
    struct sl_names values; /* parameters, then counts of each shared object: blocks, those found in
                             * each tier, those missing; which durations may use */
    struct sl_job_prefix prefix;
    const struct sl_dist **draws; /* by parameter; NULL: a column of the trace */
    double *means;                /* by value, where it has none its median: what plans go by */
    uint32_t mean_capacity, draw_capacity;
    const char *metric; /* of the objective: "throughput", or as of struct sl_job_slo */
    struct sl_job_mark *marks;
    struct sl_job_per *pers;
    struct sl_job_slo *slos;
    uint32_t mark_count, per_count, slo_count;
};

#define SL_LEAST_DETECTED 50 /* iterations from which MSER-5 judges a warm-up */

struct sl_scenario {
    struct sl_arena arena;
    const char *dir, *name, *description;
    struct sl_place place; /* of its file */
    struct sl_platform platform;
    struct sl_graph *graph;
    struct {
        enum sl_metric metric;
        double tail; /* quantile, 0.99 by default */
        bool tail_given;
        struct sl_order_item *order; /* the first ranks, each next one decides ties */
        uint32_t order_count;
        struct sl_constraint *constraints;
        uint32_t constraint_count;
        double min_gain; /* fraction, 0 by default */
        uint32_t busy;   /* resource whose idle time is attributed; SL_NONE: none named compute */
    } objective;
    const char *baseline, *fallback_baseline; /* NULL: none */
    struct sl_policy_spec *policies;
    uint32_t policy_count;
    struct sl_axis *axes;
    uint32_t axis_count;
    enum sl_mode mode;
    struct sl_job_mode jobs;
    uint32_t iterations; /* copies of the graph that follow each other; 1 in mode once */
    uint32_t warmup;     /* of these, not counted in the time per iteration; less than iterations */
    bool warmup_detected; /* `auto`: as many as MSER-5 says (warmup.h), and `warmup` is 0 */
    uint32_t outer;       /* draws of the calibration (`uncertainty: sample`); 0: none */
    uint32_t trials;
    uint64_t seed;
    int64_t starvation_bound_ps; /* from the constraint on max_wait; -1: no bound established */
};

/* Jobs of one trial; 0: not known, because of a fault. */
static inline uint64_t sl_job_mode_count(const struct sl_job_mode *jobs)
{
    return jobs->jobs > 0 || !jobs->arrivals ? jobs->jobs : sl_arrivals_count(jobs->arrivals);
}
/* Its mode has jobs. */
static inline bool sl_scenario_has_jobs(const struct sl_scenario *scenario)
{
    return scenario->mode == SL_MODE_OPEN || scenario->mode == SL_MODE_CLOSED;
}

#define SL_OUTER_MIN 100 /* draws of a calibration, from which a 5% point has an interval */
#define SL_OUTER_MAX 100000

#define SL_OVERRIDE_FILE "--set" /* the file in the place of a value given by --set */

/* An override "domains.hbm.capacity=44GiB" (from --set or a sweep axis).  Paths that start with
 * "policy." set that key in every policy that has it as a parameter; see policy/. */
struct sl_override {
    const char *path;
    const struct sl_yaml *value;
};

/* Loads and checks a scenario folder (or a scenario.yaml itself).  All faults go to `diags`; the
 * status is SL_INVALID when there are errors, and SL_NO when the files are sound but the graph is
 * not legal (sl_graph_check; the scenario is then filled, its graph perhaps unfinished).  Warnings
 * alone are fine.  `scenario` is zeroed first, and sl_scenario_free releases it in every case. */
enum sl_status sl_scenario_load(struct sl_scenario *scenario, const char *path,
                                const struct sl_override *overrides, uint32_t override_count,
                                struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;
void sl_scenario_free(struct sl_scenario *scenario);

/* A file of a scenario that is in memory, in the place of one in its folder. */
struct sl_scenario_text {
    const char *name; /* "scenario.yaml", "nodes.csv"; outlives the scenario */
    const char *text;
    size_t size;
};
/* Loads a scenario whose scenario.yaml is texts[0], the tables among the others in the place of
 * those of their name; all else that it names lies in the folder `dir`, which outlives it.  Otherwise as
 * sl_scenario_load. */
enum sl_status sl_scenario_load_texts(struct sl_scenario *scenario, const char *dir,
                                      const struct sl_scenario_text *texts, uint32_t text_count,
                                      const struct sl_override *overrides, uint32_t override_count,
                                      struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;

/* Adds the policies of a YAML file, a list as under `policies`; tables that they name lie in the
 * file's folder.  Faults go to `diags`, as of sl_scenario_load. */
enum sl_status sl_scenario_add_policies(struct sl_scenario *scenario, const char *path,
                                        struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;

/* Parses "KEY=VALUE" of --set; VALUE is YAML. */
enum sl_status sl_override_parse(struct sl_override *override, const char *text,
                                 struct sl_arena *arena, struct sl_error *err) SL_NODISCARD;

const struct sl_policy_spec *sl_scenario_policy(const struct sl_scenario *scenario,
                                                const char *name);
/* " (did you mean 'X'?)" of the scenario's policies, or which there are, into `hint` of `size`. */
void sl_scenario_hint_policy(const struct sl_scenario *scenario, const char *wanted, char *hint,
                             size_t size);
#endif

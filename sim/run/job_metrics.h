/* What is measured of each job in modes open and closed: its latency, the marks and the times per
 * token that the scenario names. */
#ifndef SL_JOB_METRICS_H
#define SL_JOB_METRICS_H
#include "jobs.h"
#include "scenario.h"

struct sl_job_metric {
    const char *name;
    /* The time between two marks of the plan; SL_NONE: from the job's arrival, to its end. */
    uint32_t from, to;
    uint32_t per;     /* the parameter that it is divided by; SL_NONE: none */
    int64_t limit_ps; /* of `slo`; INT64_MAX: none */
};

/* A node of the plan that is to finish so long after its job's arrival. */
struct sl_job_due {
    uint32_t node, mark;
    int64_t deadline_ps;
};

struct sl_job_metrics {
    struct sl_job_metric *items; /* the first is the latency */
    uint32_t count;
    uint32_t *marks; /* nodes of the plan */
    uint32_t mark_count;
    struct sl_job_due *dues; /* every node with a deadline */
    uint32_t due_count;
    uint32_t main;   /* the objective's; of a throughput the latency */
    bool throughput; /* the objective is the throughput */
    bool limited;    /* `slo` limits one of them */
};

/* The metrics of a scenario by index, without a plan: "latency", then its own. */
uint32_t sl_job_metric_count(const struct sl_scenario *scenario);
const char *sl_job_metric_name(const struct sl_scenario *scenario, uint32_t metric);
/* Nodes with a deadline. */
uint32_t sl_job_due_count(const struct sl_graph *graph);
/* The scenario's, with its nodes found by name in the plan; in `arena`.  SL_NO when the plan lacks
 * one of them. */
enum sl_status sl_job_metrics_make(struct sl_job_metrics *metrics,
                                   const struct sl_scenario *scenario, const struct sl_graph *plan,
                                   struct sl_arena *arena, struct sl_error *err) SL_NODISCARD;
/* In us, per token where it is divided; NAN where a node of it did not run, of a job that was
 * rejected, and of no token. */
double sl_job_metric_us(const struct sl_job_metric *metric, const struct sl_job_record *job);
/* Finish less deadline, us; 0 where it is met, or the node was skipped and has none to meet; NAN of
 * a job that was rejected. */
double sl_job_tardiness_us(const struct sl_job_due *due, const struct sl_job_record *job);
#endif

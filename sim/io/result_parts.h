/* The CSV files of a results folder, one entry each: header, and the rows of one cell. */
#ifndef SL_RESULT_PARTS_H
#define SL_RESULT_PARTS_H
#include "cell.h"

/* Cells that have rows of a part: those whose trials run a plan once, those whose trials are
 * replications of jobs, or both. */
enum sl_part_of { SL_PART_OF_PLANS, SL_PART_OF_JOBS, SL_PART_OF_BOTH };

struct sl_part {
    const char *file;
    void (*header)(FILE *out, const struct sl_scenario *scenario);
    void (*rows)(FILE *out, const struct sl_cell *cell);
    enum sl_part_of of;
};

/* summary.csv is the first. */
#define SL_PART_FILES 26
extern const struct sl_part *const sl_parts[SL_PART_FILES];

void sl_summary_header(FILE *out, const struct sl_scenario *scenario);
/* One line, the only one of the cell. */
void sl_summary_row(FILE *out, const struct sl_cell *cell);
/* The same as a text with its newline; malloc'ed, the caller's. */
enum sl_status sl_summary_line(char **line, const struct sl_cell *cell,
                               struct sl_error *err) SL_NODISCARD;
const char *sl_verdict_name(enum sl_verdict verdict);
/* Of the objective: "makespan", "latency", "throughput", or what `run.marks` or `run.per_token`
 * name. */
const char *sl_metric_name(const struct sl_scenario *scenario);
/* Of the rows of sl_cell.chain_kind_cause_ps: a node kind, or "wait". */
const char *sl_chain_row_name(unsigned row);
/* Mean busy time of the attributed resource over the trials that finished, in us; NAN for none.
 * Busy and stalls sum to the mean makespan. */
double sl_busy_mean_us(const struct sl_cell *cell);
/* A quantile of the trials' metric, in us, with its 95% interval; SL_NO_ESTIMATE where they are too few
 * or their metrics were not kept. */
struct sl_estimate sl_trials_quantile(const struct sl_cell *cell, double q);
/* The estimate at the scenario's objective.tail. */
struct sl_estimate sl_tail_estimate(const struct sl_cell *cell);
/* Share of trials in which any deadline was missed; NAN without deadlines or trials. */
struct sl_estimate sl_deadline_miss(const struct sl_cell *cell);
/* gantt.csv: its header, and the rows of one trial's bars. */
void sl_gantt_header(FILE *out);
void sl_gantt_bars(FILE *out, const struct sl_graph *graph, uint32_t cell, const char *at,
                   uint32_t trial, const struct sl_bar *bars, uint32_t count);
/* Criticality: the share of the trials that completed in which the node was on the realized chain,
 * with its exact binomial 95% interval; NAN when none completed. */
struct sl_estimate sl_criticality(const struct sl_cell *cell, uint32_t node);

extern const struct sl_part sl_part_summary, sl_part_trials, sl_part_chain, sl_part_criticality,
    sl_part_waits, sl_part_overlap, sl_part_forbidden, sl_part_pressure, sl_part_gantt,
    sl_part_edits, sl_part_deadlines, sl_part_fallbacks, sl_part_guards, sl_part_slack,
    sl_part_stalls, sl_part_tail_chain, sl_part_uncertainty, sl_part_uncertain_figures,
    sl_part_evictions, sl_part_engine, sl_part_speculation, sl_part_iterations, sl_part_jobs,
    sl_part_jobs_load, sl_part_batches, sl_part_caches;
#endif

/* Slackline as a library: a graph of compute and memory actions is built in memory (or a scenario
 * folder is read), a policy is applied to it, trials are run, and their figures are read.
 *
 *     struct sl_model *model;                       what to simulate
 *     sl_model_create(&model, yaml, NULL);          machine and policies
 *     sl_model_row(model, "nodes", SL_ROW("node", "a", "kind", "compute", ...));
 *     struct sl_result *result;                   what came out
 *     sl_model_run(model, "offload", 1000, 0, &result);
 *     sl_result_quantile(result, 0.99, &p99);
 *
 * Calls that can fail return enum sl_status; sl_model_message says what was wrong.  What a function
 * returns as a const pointer is borrowed: it belongs to the handle that was asked.  A handle is
 * used by one thread at a time; different ones by different threads, a result apart from its
 * model.  Nothing is written to standard streams or files, nothing exits or aborts the process;
 * GSL's aborting error handler is switched off for the process.  doc/embedding.md shows a whole
 * program. */
#ifndef SLACKLINE_H
#define SLACKLINE_H
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__
#define SL_NODISCARD __attribute__((warn_unused_result))
#else
#define SL_NODISCARD
#endif

/* The values are the process exit codes of the command line. */
enum sl_status {
    SL_OK = 0,
    SL_NO = 1,            /* the answer is no: illegal graph, every trial deadlocked */
    SL_USAGE = 2,         /* wrong command line or wrong call */
    SL_INVALID = 3,       /* invalid input */
    SL_SYSTEM = 4,        /* I/O or memory */
    SL_INTERRUPTED = 130, /* stopped by a signal; what is done is on disk */
};

/* The release of the library, "0.1.0"; static. */
const char *sl_version(void);

/* ---- what to simulate
 * ---------------------------------------------------------------------------- */

/* A machine, a graph, policies and settings. */
struct sl_model;

/* A model in memory.  `yaml` is the text of a scenario.yaml (slackline-scenario(5)) without its
 * tables: machine, policies, run, objective.  What it names besides (a device, a trace, a table of
 * slowdowns) is looked for from the folder `dir`; NULL: the current one.  Both texts are copied.
 * Faults of the text are told by sl_model_check.  SL_SYSTEM: out of memory, and *model is NULL. */
enum sl_status sl_model_create(struct sl_model **model, const char *yaml,
                               const char *dir) SL_NODISCARD;
/* The model of a scenario folder, or of a scenario.yaml itself, which is read by sl_model_check. It
 * takes settings, but no rows. */
enum sl_status sl_model_open(struct sl_model **model, const char *path) SL_NODISCARD;
/* Releases it; results live on.  NULL: nothing. */
void sl_model_free(struct sl_model *model);

/* The cells of a row: column, value, column, value ... */
#define SL_ROW(...) ((const char *const[]){__VA_ARGS__, (const char *)0})

/* Adds a row to the table "nodes", "edges", "objects" or "overlap", with the columns and values
 * that slackline-scenario(5) states for the file of that name; texts are copied, `cells` ends with
 * NULL, and columns that are not named are empty.  The order of nodes is that of submission.
 * SL_USAGE: another table, a column without a value or named twice, a line end in a cell, a row
 * without content, a model of a folder.  What cells say is judged by sl_model_check, which counts
 * the row of the column names as line 1. */
enum sl_status sl_model_row(struct sl_model *model, const char *table,
                            const char *const *cells) SL_NODISCARD;
/* Sets a key of the scenario: "domains.hbm.capacity=44GiB", "seed=7", "policy.prefetch.lookahead=4"
 * (of every policy), as the command line's --set does.  Later settings of a key replace earlier
 * ones. SL_USAGE: no KEY=VALUE; SL_INVALID: the value is no YAML. */
enum sl_status sl_model_set(struct sl_model *model, const char *setting) SL_NODISCARD;
/* Reads the model and holds it against the rules of legality: SL_INVALID when it can't be read as
 * it is, SL_NO when its graph is not legal.  After SL_OK warnings may stand in sl_model_message. It
 * need not be called before sl_model_run, which does the same first; a model that has not changed
 * is read once. */
enum sl_status sl_model_check(struct sl_model *model) SL_NODISCARD;
/* What the last call about this model had to say: lines "file:line:column: error: ... [code]", each
 * with its line end; "" when nothing.  Valid until the next call; NULL model: "out of memory". */
const char *sl_model_message(const struct sl_model *model);
/* Has `progress` called by the thread in sl_model_run about ten times a second; false stops the run
 * with SL_INTERRUPTED.  NULL: none. */
void sl_model_watch(struct sl_model *model,
                    bool (*progress)(void *user, uint64_t trials_done, uint64_t trials),
                    void *user);

/* What trials of one policy came to. */
struct sl_result;

/* Plans `policy` (NULL: the baseline, or the only one; a model without policies runs as given) and
 * runs `trials` (0: as many as the model says) on `threads` with the caller (0: one per core),
 * without the axes of `sweep`.  The figures depend on neither threads nor the order of runs: draws
 * are common to all policies.  The result is the caller's, sl_result_free releases it.  SL_NO:
 * the plan is illegal, a declared constraint does not hold, or every trial deadlocked; *result is
 * there, and says why, unless the model's own graph is illegal.  After other failures it is NULL.
 */
enum sl_status sl_model_run(struct sl_model *model, const char *policy, uint32_t trials,
                            uint32_t threads, struct sl_result **result) SL_NODISCARD;

/* ---- what came out
 * ------------------------------------------------------------------------------- */

/* NULL: nothing. */
void sl_result_free(struct sl_result *result);
/* "ok", "deadlock", "some-deadlock", "illegal", "infeasible" or "grows", as in summary.csv
 * (slackline-results(5)); the reason is "" with "ok". */
const char *sl_result_verdict(const struct sl_result *result);
const char *sl_result_reason(const struct sl_result *result);
/* Trials that were run; 0 of an illegal plan. */
uint32_t sl_result_trials(const struct sl_result *result);
uint32_t sl_result_deadlocked(const struct sl_result *result);

/* An estimate with its 95% interval.  NAN where there are too few trials, +inf where deadlocks,
 * which count as infinite, reach so far. */
struct sl_estimate {
    double value, lo, hi;
};

/* The q-quantile, 0 < q < 1, of the objective's metric in microseconds: of the trials' makespan,
 * with an interval from order statistics; in modes open and closed of the jobs', for q = 0.5, 0.9,
 * 0.95, 0.99, 0.999 and the model's objective.tail.  SL_USAGE: another q. */
enum sl_status sl_result_quantile(const struct sl_result *result, double q,
                                  struct sl_estimate *figure) SL_NODISCARD;
/* Its mean over trials, or jobs, in microseconds. */
struct sl_estimate sl_result_mean(const struct sl_result *result);
/* The metric of each trial in picoseconds, sl_result_trials of them in the order of trials;
 * INT64_MAX: it deadlocked.  In modes open and closed the mean of a replication's jobs.  NULL
 * without trials. */
const int64_t *sl_result_times_ps(const struct sl_result *result);
/* The most bytes that were held in a domain at any time of any trial, the reserve aside.  SL_USAGE:
 * no such domain, or no trials. */
enum sl_status sl_result_peak(const struct sl_result *result, const char *domain,
                              int64_t *bytes) SL_NODISCARD;
/* The longest wait of any node in any trial, in picoseconds. */
int64_t sl_result_longest_wait_ps(const struct sl_result *result);

/* Nodes of the plan, which has those of the graph and what the policy inserted, by index; a name is
 * NULL beyond the last. */
uint32_t sl_result_node_count(const struct sl_result *result);
const char *sl_result_node_name(const struct sl_result *result, uint32_t node);

/* How a node waited, from being ready to starting, over the trials that completed; in modes open
 * and closed over its runs in all jobs, those of the warm-up, too. */
struct sl_node_wait {
    uint32_t trials;    /* in which it ran */
    double mean_us;     /* per run: over these trials, or over all jobs; NAN: it never ran */
    int64_t longest_ps; /* 0: it never waited; the rest is then unset */
    uint32_t trial;     /* of the longest */
    const char *cause; /* of the longest: "queue", "capacity", "overlap" ...; NULL in modes open and
                        * closed, where it is not kept */
    const char *behind; /* the node that gave back what was wanted; NULL: none did, or not kept */
};
/* SL_USAGE: no such node in the plan, or no trials. */
enum sl_status sl_result_wait(const struct sl_result *result, const char *node,
                              struct sl_node_wait *wait) SL_NODISCARD;

#ifdef __cplusplus
}
/* C++ has no compound literals: from C++11 on an initializer list stands in for one, and lives as
 * long as the call that it is given to. */
#undef SL_ROW
#if __cplusplus >= 201103L
#include <initializer_list>
#define SL_ROW(...) (std::initializer_list<const char *>{__VA_ARGS__, nullptr}.begin())
#endif
#endif
#endif

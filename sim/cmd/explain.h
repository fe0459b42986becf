/* What the parts of `slackline explain` share: one trial of a cell, run again, and what is known of
 * it.  Each part is a file explain_PART.c that prints its section as text and as JSON. */
#ifndef SL_EXPLAIN_H
#define SL_EXPLAIN_H
#include "json_out.h"
#include "proofs.h"
#include "table.h"
#include "windows.h"

/* Which trial: an order statistic of the metric, or a trial by its number. */
struct sl_explain_at {
    const char *text; /* as written */
    bool is_trial;
    uint32_t trial; /* is_trial */
    double q;       /* otherwise; 1: the worst */
};

struct sl_explain {
    const struct sl_cell *cell;
    const struct sl_scenario *scenario;
    const struct sl_platform *platform;
    const struct sl_graph *graph; /* of the plan */
    uint64_t seed;
    struct sl_explain_at at;
    size_t rank; /* of the trial among all by the metric, from 1 */
    struct sl_arena arena; /* texts of the report */
    struct sl_program *program;
    struct sl_worker *worker;
    const struct sl_trial *trial;
    /* The realized chain, and each node's time on it (-1: not on it). */
    struct sl_link *links;
    size_t link_count;
    int64_t *chain_ps;
    /* CP_dependency at this trial's isolated durations, with its path; and both bounds. */
    sl_node_id *path;
    uint32_t path_count;
    int64_t path_ps;
    struct sl_bounds bounds;
    /* Latest starts at this trial's durations under contention; NULL in a deadlock. */
    struct sl_windows *windows;
    struct sl_reclaim_prover *prover;
    const struct sl_reclaim_proof *reclaims;
    uint32_t reclaim_count;
    struct sl_proofs all; /* over all trials; gathered for the whole report only */
};

/* "median", "worst", "p99", "417". */
enum sl_status sl_explain_at_read(struct sl_explain_at *at, const char *text,
                                  struct sl_error *err) SL_NODISCARD;
/* Fills *explain (zeroed first) but for `all`, from a cell that was run.  A trial that the cell
 * does not have is SL_USAGE.  sl_explain_free in any case. */
enum sl_status sl_explain_gather(struct sl_explain *explain, const struct sl_cell *cell,
                                 uint64_t seed, const struct sl_explain_at *at,
                                 struct sl_error *err) SL_NODISCARD;
void sl_explain_free(struct sl_explain *explain);

/* Sections.  Text goes to `out`; JSON adds keys to the map that is open. */
void sl_explain_head(struct sl_explain *x, FILE *out);
void sl_explain_head_json(struct sl_explain *x, yajl_gen gen);
void sl_explain_story(struct sl_explain *x, FILE *out);
void sl_explain_story_json(struct sl_explain *x, yajl_gen gen);
void sl_explain_edits(struct sl_explain *x, FILE *out);
void sl_explain_edits_json(struct sl_explain *x, yajl_gen gen);
void sl_explain_chain(struct sl_explain *x, FILE *out);
void sl_explain_chain_json(struct sl_explain *x, yajl_gen gen);
void sl_explain_slack(struct sl_explain *x, FILE *out);
void sl_explain_slack_json(struct sl_explain *x, yajl_gen gen);
void sl_explain_reclaim(struct sl_explain *x, FILE *out);
void sl_explain_reclaim_json(struct sl_explain *x, yajl_gen gen);
/* The fields of one proof, into the map that is open. */
void sl_explain_proof_json(struct sl_explain *x, yajl_gen gen,
                           const struct sl_reclaim_proof *proof);
void sl_explain_progress(struct sl_explain *x, FILE *out);
void sl_explain_progress_json(struct sl_explain *x, yajl_gen gen);
/* One node or object of the plan; `out` or `gen` is NULL. */
void sl_explain_node(struct sl_explain *x, uint32_t node, FILE *out, yajl_gen gen);
void sl_explain_object(struct sl_explain *x, uint32_t object, FILE *out, yajl_gen gen);

/* A folder for the picture is absent, empty, or holds what sl_explain_draw writes and `force` says to
 * replace it; anything else is SL_USAGE. */
enum sl_status sl_explain_check_folder(const char *dir, bool force,
                                       struct sl_error *err) SL_NODISCARD;
/* Writes the trial's bars to DIR/gantt.csv and draws them as gantt.png and gantt.svg, all or none.
 * `settings` follows the policy in the title. */
enum sl_status sl_explain_draw(struct sl_explain *x, const char *dir, const char *settings,
                               struct sl_error *err) SL_NODISCARD;

/* ---- small things that several sections need ------------------------------------------------- */

/* A length of time: "14.5 ms"; "-" for one that is not known (-1), "never" for INT64_MAX. */
const char *sl_explain_time(struct sl_explain *x, int64_t ps);
/* A point in time, with a digit more, so that neighbours can be told apart. */
const char *sl_explain_instant(struct sl_explain *x, int64_t ps);
/* The same times as JSON: null and "inf". */
void sl_explain_time_json(yajl_gen gen, const char *key, int64_t ps);
const char *sl_explain_name(const struct sl_explain *x, uint32_t node); /* "-" for SL_NONE */
/* User text without control characters; "-" for NULL. */
const char *sl_explain_clean(struct sl_explain *x, const char *text);
const char *sl_explain_state(const struct sl_explain *x, uint32_t node); /* "ran", "skipped" ... */
/* finish - start; -1 of a node that did not run. */
int64_t sl_explain_duration(const struct sl_explain *x, uint32_t node);
/* Isolated hold and latency of this trial; -1 likewise. */
int64_t sl_explain_isolated(const struct sl_explain *x, uint32_t node);
/* Whether latest starts are known: the node ran in a trial that ended. */
bool sl_explain_has_slack(const struct sl_explain *x, uint32_t node);
int64_t sl_explain_slack_of(const struct sl_explain *x, uint32_t node); /* LS - ready */
#endif

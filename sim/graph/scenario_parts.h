/* What the files that read a scenario's parts share: one struct through all of them.
 *
 * Readers report faults and go on; a thing with a fault is still declared under its name, so that
 * one fault gives one line and not one more for each mention. */
#ifndef SL_SCENARIO_PARTS_H
#define SL_SCENARIO_PARTS_H
#include "csvtab.h"
#include "device.h"
#include "scenario.h"
#include "units.h"

#define SL_COUNT(array) (sizeof(array) / sizeof *(array))
#define SL_MAX_NODES    (16u << 20)
#define SL_MAX_CLASSES  2048 /* of contention; memory and time grow with their square */
#define SL_MAX_DEMANDS  16   /* resources that one node demands */
#define SL_MAX_TERMS    8    /* guards that one node has */

struct sl_loader {
    struct sl_scenario *scenario;
    struct sl_graph *graph;
    struct sl_reader reader; /* arena, diagnostics, the scenario's folder */
    struct sl_error *err;    /* of the system (memory, unreadable files) */
    struct sl_yaml *root;
    const char *yaml_file;
    const struct sl_scenario_text *texts; /* in the place of files */
    uint32_t text_count;
    struct sl_names guard_names;
    struct sl_names dist_texts; /* most nodes share few duration expressions */
    const struct sl_dist **dists;
    uint32_t dist_capacity;
    struct sl_csv objects_table; /* kept until its column `reconstruct` can be read */
    bool objects_table_kept;
    /* Where the YAML names the table being read, and under which key; NULL: nowhere. */
    const struct sl_yaml *table_mention;
    const char *table_key;
    const char *last_evidence; /* neighbours mostly share their evidence */
    size_t errors_before;      /* errors of the caller's list that are not ours */
    /* False: mentions of such things cannot be checked, part of them could not be read. */
    bool platform_known, routes_known, objects_known, nodes_known;
    bool parameters_known;  /* of jobs; false: the arrivals, which may bring some, are faulty */
    uint32_t literal_count; /* compute durations written out though the device measured the class */
    struct sl_place literal_first;
};

/* scenario_overrides.c: changes the tree at loader->root. */
enum sl_status sl_apply_overrides(struct sl_loader *loader, const struct sl_override *overrides,
                                  uint32_t count);
/* scenario_scale.c: the section `scale`, each kind when what it scales has been read: bandwidths,
 * sizes, durations; slack needs the finished graph.  Faults go to the diagnostics. */
void sl_scale_routes(struct sl_loader *loader);
void sl_scale_objects(struct sl_loader *loader);
void sl_scale_nodes(struct sl_loader *loader);
enum sl_status sl_scale_slack(struct sl_loader *loader);
/* The glob of a path "scale.KIND.GLOB" with a known kind; NULL: it is none. */
const char *sl_scale_path(const char *path);
/* scenario_jobs.c: the mode and the job parameters, which tables mention. */
void sl_load_job_parameters(struct sl_loader *loader);
/* scenario_job_run.c: the rest of `run` in modes with jobs, and what they cannot have. */
void sl_load_job_run(struct sl_loader *loader, const struct sl_yaml *run);
void sl_refuse_for_jobs(struct sl_loader *loader);
/* scenario_shared.c: run.blocks; names of the counts of shared objects, which durations mention;
 * what such objects cannot be, or lack. */
void sl_load_prefix(struct sl_loader *loader, const struct sl_yaml *run);
void sl_load_shared_counts(struct sl_loader *loader);
void sl_check_shared(struct sl_loader *loader);
/* scenario_job_marks.c: marks, per_token and slo; objective.metric in modes with jobs. */
void sl_load_job_marks(struct sl_loader *loader, const struct sl_yaml *run);
/* Of the finished graph: times per unit that would be negative are faults. */
enum sl_status sl_check_job_marks(struct sl_loader *loader) SL_NODISCARD;
void sl_load_job_metric(struct sl_loader *loader, const struct sl_yaml *objective);
/* scenario_run.c: name, description, run, trials, seed; scenario_objective.c: objective. */
void sl_load_run(struct sl_loader *loader);
void sl_load_objective(struct sl_loader *loader);
/* scenario_policies.c */
void sl_load_policies(struct sl_loader *loader);
void sl_load_sweep(struct sl_loader *loader);
/* tuning_csv.c: reads the tables that policies name as `choices`, from the policy `first` on. */
enum sl_status sl_load_choices(struct sl_loader *loader, uint32_t first);
void sl_load_baselines(struct sl_loader *loader);
/* scenario_guards.c: the section `guards`; once factors and the mode are known, what it says that
 * means nothing, or cannot be. */
void sl_load_guards(struct sl_loader *loader);
void sl_judge_guards(struct sl_loader *loader);
/* scenario_stochastic.c */
void sl_load_factors(struct sl_loader *loader);
/* objects_csv.c, nodes_csv.c, edges_csv.c, overlap_csv.c: in this order.  The second step of
 * objects names nodes. */
enum sl_status sl_load_objects(struct sl_loader *loader);
enum sl_status sl_load_nodes(struct sl_loader *loader);
void sl_load_object_nodes(struct sl_loader *loader);
enum sl_status sl_load_edges(struct sl_loader *loader);
enum sl_status sl_load_overlap(struct sl_loader *loader);
/* node_duration.c: the duration of a row (distribution, `work`, or a route). */
void sl_load_duration(struct sl_loader *loader, const struct sl_csv *table, uint32_t row,
                      struct sl_node *node);
/* scenario_unused.c: what changes nothing, by name. */
void sl_warn_unused(struct sl_loader *loader);

/* A file that cannot be read, as a fault at the place that names it (`mention`, under `key`; NULL:
 * no place does).  Faults inside the file keep their own place. */
void sl_report_file(struct sl_loader *loader, const char *code, const struct sl_yaml *mention,
                    const char *key, const struct sl_error *err);
/* table_read.c: the path of a table (key `key` of scenario.yaml, else `usual` if it is there) or
 * NULL; reading it; cells.  A table is usable when its rows can be read for further faults, and
 * complete when no row is missing, so that what it does not name is unknown. */
const char *sl_table_path(struct sl_loader *loader, const char *key, const char *usual);
enum sl_status sl_table_read(struct sl_loader *loader, struct sl_csv *table, const char *path,
                             const struct sl_column_spec *columns, uint32_t count, bool *usable,
                             bool *complete);
/* A cell that is not empty, with its place. */
struct sl_cell_text {
    const char *text;
    struct sl_place place;
};
bool sl_cell(const struct sl_csv *table, uint32_t row, uint32_t column, struct sl_cell_text *cell);
/* A domain, resource, object or guard named in a cell; quiet where they are not known. */
bool sl_cell_domain(struct sl_loader *loader, struct sl_cell_text cell, uint32_t *domain);
bool sl_cell_object(struct sl_loader *loader, struct sl_cell_text cell, sl_object_id *object);
bool sl_cell_node(struct sl_loader *loader, struct sl_cell_text cell, sl_node_id *node);
/* "measured: source"; the text lives in the graph. */
void sl_cell_evidence(struct sl_loader *loader, struct sl_cell_text cell,
                      enum sl_evidence *evidence, const char **source);
/* The interned distribution of a cell; false when it is faulty (reported once per text). */
bool sl_cell_dist(struct sl_loader *loader, struct sl_cell_text cell, const struct sl_dist **dist);
/* cell_expr.c: an expression of job parameters, quiet about its names where they are not known.
 * *mean is its value at their means, and *expr NULL where it is the same for all jobs.  False when
 * diagnosed: also when it varies and the mode has no jobs, or the value at the means is no
 * quantity. */
bool sl_cell_expr(struct sl_loader *loader, struct sl_cell_text cell,
                  enum sl_expr_dimension dimension, const char *what, const struct sl_expr **expr,
                  double *mean);
/* Forms of a cell that may hold an expression. */
enum sl_cell_form {
    SL_CELL_PLAIN,    /* a quantity or distribution, or what is none of all */
    SL_CELL_EXPR,     /* EXPR */
    SL_CELL_SCALED,   /* DIST * EXPR: *split is the offset of the '*' */
    SL_CELL_BACKWARDS /* a distribution inside an expression */
};
enum sl_cell_form sl_cell_form(const struct sl_loader *loader, const char *text, size_t *split);
/* No '+' or '-' outside parentheses, but for signs and exponents. */
bool sl_is_one_product(const char *text);
/* Calls `each` for every non-empty piece of a ';'-separated cell. */
void sl_cell_pieces(struct sl_loader *loader, struct sl_cell_text cell,
                    void (*each)(struct sl_loader *loader, struct sl_cell_text piece, void *user),
                    void *user);
/* scenario_guards.c: "a & !b" in a node's cell. */
void sl_load_terms(struct sl_loader *loader, struct sl_cell_text cell, struct sl_node *node);
#endif

/* The scenario folder of a trace: scenario.yaml, nodes.csv, edges.csv, objects.csv, report.csv,
 * kappa-observed.csv, routes-observed.csv, memory-observed.csv, and durations/ where durations are
 * drawn. */
#ifndef SL_TRACE_SCENARIO_H
#define SL_TRACE_SCENARIO_H
#include "trace_kappa.h"
#include "trace_memory.h"
#include "trace_movable.h"

struct sl_trace_source {
    const char *trace;                          /* the file's name, without its folder */
    const char *importer;                       /* that read it */
    const char *scope;                          /* for people: "step ProfilerStep#5" */
    const struct sl_trace_durations *durations; /* NULL: those of the record */
    const struct sl_trace_kappa *kappa;         /* seen in all of the trace */
    const struct sl_trace_memory *memory;       /* where it has items, copies have no buffers */
    const struct sl_trace_routes *routes;       /* of all of the trace */
    const struct sl_trace_movable *movable;     /* NULL: copies stay in the graph */
};

/* Of the recorded span the share that the replay takes without what nobody recorded (item late): 1
 * says that all of it follows from edges and usual lags.  What is missing stays, whatever is
 * changed. */
double sl_trace_explained_share(const struct sl_trace_graph *graph);
/* Whether that share is below 95%: what-ifs of the scenario say little. */
bool sl_trace_explains_little(const struct sl_trace_graph *graph);
/* True when the folder holds a scenario. */
bool sl_trace_scenario_is_there(const char *dir);
/* Writes the folder, which is created where it is missing.  All files are there as a whole before
 * the first one gets its name, and scenario.yaml comes last. */
enum sl_status sl_trace_scenario_write(const struct sl_trace_graph *graph,
                                       const struct sl_trace_source *source, const char *dir,
                                       struct sl_error *err) SL_NODISCARD;

/* One line of the report: what of the trace is in the scenario, and what is not. */
struct sl_trace_item {
    const char *name; /* "late": a contract */
    const char *text; /* for people, behind the count */
    uint64_t count;
    int64_t time_ps; /* -1: it has none */
};
/* Calls `tell` for each line, those with a count of 0 included. */
void sl_trace_report(const struct sl_trace_graph *graph, const struct sl_trace_source *source,
                     void (*tell)(void *user, const struct sl_trace_item *item), void *user);
#endif

/* How long equal works of a trace took, over all of it: kernels of one name and shape, copies of
 * one size between the same memories. */
#ifndef SL_TRACE_DURATIONS_H
#define SL_TRACE_DURATIONS_H
#include "trace_graph.h"

/* Works that occur less often keep their recorded durations. */
enum { SL_TRACE_LEAST_OCCURRENCES = 5 };

struct sl_trace_group {
    uint32_t first, count; /* in `events` */
    int64_t scope_ps;      /* time of its works that are nodes */
    uint32_t nodes;
    uint32_t file; /* number of its file; SL_NONE: none */
};
struct sl_trace_durations {
    const struct sl_timeline *timeline;
    uint32_t *events; /* works, by group */
    struct sl_trace_group *groups;
    uint32_t group_count, file_count;
    uint32_t *group_of; /* by event; SL_NONE */
    uint32_t drawn_nodes, kept_nodes;
    int64_t drawn_ps, kept_ps;
};

/* Groups the works of the graph's timeline, but not those launched in [cold_from, cold_to), a first
 * step that is no example.  Of the groups with enough occurrences those with the most time in the
 * graph get a file, as many as a scenario may read. */
enum sl_status sl_trace_durations_make(struct sl_trace_durations *durations,
                                       const struct sl_trace_graph *graph, int64_t cold_from_ps,
                                       int64_t cold_to_ps, struct sl_error *err) SL_NODISCARD;
/* The number of the file from which the node draws its duration; SL_NONE: as recorded. */
uint32_t sl_trace_durations_file(const struct sl_trace_durations *durations,
                                 const struct sl_trace_graph *graph, uint32_t node);
/* The folder for samples in DIR, which is made where it is missing. */
enum { SL_TRACE_FOLDER = 4096 };
enum sl_status sl_trace_durations_folder(const char *dir, char folder[SL_TRACE_FOLDER],
                                         struct sl_error *err) SL_NODISCARD;
/* Writes DIR/durations/NUMBER.csv. */
enum sl_status sl_trace_durations_write(const struct sl_trace_durations *durations, const char *dir,
                                        struct sl_error *err) SL_NODISCARD;
void sl_trace_durations_free(struct sl_trace_durations *durations);
#endif

/* What the parts of the CUDA mapping share.  Private to mapping_cuda*.c; doc/mapping-cuda.md says
 * what each fact rests on. */
#ifndef SL_MAPPING_CUDA_H
#define SL_MAPPING_CUDA_H
#include "evictor.h"
#include "mapping.h"
#include "mean_run.h"
#include "policy.h"

/* Where work of a resource runs, by what uses it and how it is called. */
enum cuda_place { CUDA_KERNELS, CUDA_COPIES, CUDA_HOST };
/* What a domain is, by its name: hbm..., pinned..., nvme..., else pageable host memory. */
enum cuda_memory { CUDA_DEVICE, CUDA_PINNED, CUDA_STORAGE, CUDA_PAGEABLE };

struct cuda_stream {
    const char *name;
    uint32_t resource; /* SL_NONE: of a lane */
    uint32_t last;     /* node; SL_NONE: none yet */
    uint32_t count;
    int64_t free_ps; /* at means */
};

struct cuda_mapping {
    struct sl_reply *reply;
    const struct sl_scenario *scenario;
    const struct sl_plan *plan;
    const struct sl_graph *graph;
    struct sl_mean_run mean;
    uint32_t planned;        /* nodes, without those on demand */
    enum cuda_place *places; /* by resource */
    uint32_t *stream_of;     /* by node; SL_NONE: the host, or no call at all */
    struct cuda_stream *streams;
    uint32_t stream_count, stream_capacity;
    uint32_t *lane_before, *stream_before; /* by node: the one before it there; SL_NONE */
    uint32_t *position;                    /* by node: place in mean.order */
    /* Bits of what comes before a node by edges, lanes, streams and inserted edges. */
    uint64_t *before;
    size_t before_words;
    uint64_t events; /* that are needed */
    struct sl_arena arena;
    struct sl_error *err;
    bool failed; /* out of memory */
};

#define CUDA_TEXT(m, ...) sl_cuda_text((m), __VA_ARGS__)
const char *sl_cuda_text(struct cuda_mapping *m, const char *format, ...) SL_PRINTF(2, 3);
enum cuda_memory sl_cuda_memory(const struct cuda_mapping *m, uint32_t domain);
/* A wish, its mechanism (NULL: none), and whether it is realized. */
void sl_cuda_wish(struct cuda_mapping *m, enum sl_truth realizable, uint64_t count,
                  const char *wish, const char *mechanism, const char *note);
void sl_cuda_deviation(struct cuda_mapping *m, const char *wish, const char *instead,
                       const char *why, const char *consequence);
/* Whether `a` comes before `b` whatever the durations. */
bool sl_cuda_ordered(const struct cuda_mapping *m, uint32_t a, uint32_t b);
/* To be called of one node after the other, in the order at means, by who inserts edges: what was
 * inserted before earlier nodes of its lane or stream, or before its predecessors, is before it
 * too. */
void sl_cuda_follow(struct cuda_mapping *m, uint32_t node);
/* Its time is the host's; a node without time and stream is no call at all.  With streams. */
bool sl_cuda_on_host(const struct cuda_mapping *m, uint32_t node);
/* Inserts an edge unless its ends are ordered already. */
void sl_cuda_edge(struct cuda_mapping *m, uint32_t from, uint32_t to, enum sl_edge_type type,
                  const char *reason);

/* In this order: each builds on the ones before. */
void sl_cuda_assign_streams(struct cuda_mapping *m);
void sl_cuda_order(struct cuda_mapping *m); /* `before`, of all that is known up to here */
void sl_cuda_keep_apart(struct cuda_mapping *m);
void sl_cuda_plan_memory(struct cuda_mapping *m);
void sl_cuda_count_events(struct cuda_mapping *m);
void sl_cuda_judge_copies(struct cuda_mapping *m);
void sl_cuda_judge_decisions(struct cuda_mapping *m); /* guards, evictions, deadlines, priorities */
void sl_cuda_judge_capture(struct cuda_mapping *m);
/* Modes open and closed: the plan is one job's. */
bool sl_cuda_has_jobs(const struct cuda_mapping *m);
void sl_cuda_judge_jobs(struct cuda_mapping *m); /* nothing in other modes */
void sl_cuda_put_calls(struct cuda_mapping *m); /* overheads */
#endif

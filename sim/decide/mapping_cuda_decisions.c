/* What the plan decides while it runs, and what a CUDA graph can hold. */
#include <config.h>

#include "mapping_cuda.h"
#include <math.h>
#include <stdlib.h>

/* Levels of stream priorities of devices so far (CUDA Runtime API,
 * cudaDeviceGetStreamPriorityRange: to be asked for; 0 to -5). */
enum { PRIORITY_LEVELS = 6 };

static void judge_guards(struct cuda_mapping *m)
{
    uint64_t guarded = 0, taking = 0;
    for (uint32_t i = 0; i < m->planned; i++) {
        const struct sl_node *node = &m->graph->nodes[i];
        guarded += node->guards.count > 0;
        taking += node->guards.count > 0 && node->takes.count > 0;
    }
    if (guarded == 0)
        return;
    sl_cuda_wish(
        m, SL_TRUTH_YES, guarded, "nodes run only when their guards hold",
        "conditional nodes of a graph (CUDA 12.4 and later), or the host, which decides before "
        "it submits",
        taking > 0
            ? CUDA_TEXT(m,
                        "bodies of conditional nodes hold no allocations: the bytes of %llu of "
                        "them are kept whether they run or not, or the host decides",
                        (unsigned long long)taking)
            : NULL);
}

static void judge_evictions(struct cuda_mapping *m)
{
    uint64_t latent = m->graph->node_count - m->planned;
    if (latent == 0)
        return;
    sl_cuda_wish(
        m, SL_TRUTH_YES, latent, "copies leave and return when bytes are wanted",
        "the host decides, by cudaEventQuery, which copy leaves before it submits who wants the "
        "bytes",
        "the host cannot run ahead of the device there: each such decision exposes its "
        "submission");
    struct sl_reply_assumption *assumption = SL_REPLY_ADD(m->reply->assumptions);
    m->failed |= !assumption;
    if (assumption)
        *assumption = (struct sl_reply_assumption){
            "a decision to evict takes no time",
            "the host waits for the device before it decides; the device states no such cost",
            SL_TRUTH_UNKNOWN};
}

/* A deadline by which a node is cancelled, in favour of its fallback. */
static void judge_deadlines(struct cuda_mapping *m)
{
    uint64_t cancelled = 0;
    for (uint32_t i = 0; i < m->planned; i++) {
        const struct sl_node *node = &m->graph->nodes[i];
        if (node->deadline_ps == INT64_MAX || node->fallback.i == SL_NONE)
            continue;
        struct sl_reply_kept *kept = SL_REPLY_ADD(m->reply->kept);
        m->failed |= !kept;
        if (!kept)
            return;
        *kept = (struct sl_reply_kept){
            .node = i, .reason = "work that is queued cannot be taken back from a stream"};
        cancelled++;
    }
    if (cancelled == 0)
        return;
    const char *wish =
        "a node that has not started by its latest start is cancelled, and its fallback runs";
    sl_cuda_wish(m, SL_TRUTH_NO, cancelled, wish, NULL,
                 "no call takes queued work back: the primary runs, however late");
    sl_cuda_deviation(m, wish, "the primary runs to its end", "no call takes queued work back",
                      "deadlines are missed where the fallback would have kept them");
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Priorities that are more than stated by order: levels, and when they act. */
static void judge_priorities(struct cuda_mapping *m)
{
    double *levels = malloc(((size_t)m->planned + 1) * sizeof *levels);
    uint32_t count = 0, different = 0;
    m->failed |= !levels;
    for (uint32_t i = 0; levels && i < m->planned; i++)
        if (m->stream_of[i] != SL_NONE)
            levels[count++] = m->graph->nodes[i].priority;
    if (levels && count > 0)
        qsort(levels, count, sizeof *levels, compare_numbers);
    for (uint32_t k = 0; levels && k < count; k++)
        different += k == 0 || levels[k] != levels[k - 1];
    free(levels);
    if (different < 2)
        return;
    sl_cuda_wish(
        m, different <= PRIORITY_LEVELS ? SL_TRUTH_YES : SL_TRUTH_NO, different,
        "nodes of higher priority go first",
        different <= PRIORITY_LEVELS ? "cudaStreamCreateWithPriority, a stream for each level"
                                     : NULL,
        different <= PRIORITY_LEVELS ? "a priority decides which waiting blocks start next; it "
                                       "stops no kernel that runs, and no copy"
                                     : CUDA_TEXT(m, "%u priorities, and streams have %d levels",
                                                 (unsigned)different, PRIORITY_LEVELS));
}

/* Times at which work may start: releases, and lags of edges. */
static void judge_times(struct cuda_mapping *m)
{
    uint64_t releases = 0, lags = 0;
    for (uint32_t i = 0; i < m->planned; i++)
        releases += m->graph->nodes[i].release_ps > 0;
    for (uint32_t e = 0; e < m->graph->edge_count; e++)
        lags += m->graph->edges[e].lag_ps > 0;
    if (releases > 0)
        sl_cuda_wish(m, SL_TRUTH_YES, releases, "nodes start no earlier than their release",
                     "the host submits them at that time", "as exact as the host's timer");
    if (lags > 0)
        sl_cuda_wish(m, SL_TRUTH_YES, lags, "nodes start a lag after their predecessor",
                     "cudaLaunchHostFunc behind the predecessor: a host node, where it is captured",
                     "as exact as the host's timer: the lag is a least one");
}

void sl_cuda_judge_decisions(struct cuda_mapping *m)
{
    judge_guards(m);
    judge_evictions(m);
    judge_deadlines(m);
    judge_priorities(m);
    judge_times(m);
}

/* What stays outside of a captured graph: what the host decides, and calls that capture forbids. */
void sl_cuda_judge_capture(struct cuda_mapping *m)
{
    uint64_t host = 0, mapped = 0, decided = m->graph->node_count - m->planned;
    for (uint32_t i = 0; i < m->planned; i++) {
        const struct sl_node *node = &m->graph->nodes[i];
        bool storage =
            sl_node_moves(node->kind) && (sl_cuda_memory(m, node->from) == CUDA_STORAGE ||
                                          sl_cuda_memory(m, node->to) == CUDA_STORAGE);
        host += sl_cuda_on_host(m, i) || storage;
        mapped += node->kind == SL_MAPPING;
        decided += node->release_ps > 0;
    }
    uint64_t out = host + mapped + decided, all = m->graph->node_count;
    sl_cuda_wish(m, SL_TRUTH_YES, all > out ? all - out : 1,
                 "the plan is submitted without the host's help",
                 sl_cuda_has_jobs(m) ? "graphs of a job's stretches between the host's decisions, "
                                       "captured once and updated for each job "
                                       "(cudaGraphExecUpdate)"
                 : out == 0          ? "one graph by stream capture, allocations as memory nodes"
                                     : "graphs of the stretches between the host's own work",
                 CUDA_TEXT(m,
                           "%llu of %llu nodes can be captured; outside stay %llu of the host, "
                           "%llu mappings, %llu "
                           "that the host decides",
                           (unsigned long long)(all - out), (unsigned long long)all,
                           (unsigned long long)host, (unsigned long long)mapped,
                           (unsigned long long)decided));
}

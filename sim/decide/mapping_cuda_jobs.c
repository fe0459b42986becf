/* Modes open and closed: the plan is one job's, and many share the device.  What is fixed within a
 * job is fixed by its streams; what is decided between jobs the host decides, since a stream knows
 * nothing of what comes. */
#include <config.h>

#include "gate.h"
#include "mapping_cuda.h"

bool sl_cuda_has_jobs(const struct cuda_mapping *m)
{
    return sl_scenario_has_jobs(m->scenario);
}

static void judge_arrivals(struct cuda_mapping *m)
{
    const struct sl_job_mode *jobs = &m->scenario->jobs;
    uint32_t most = m->scenario->mode == SL_MODE_CLOSED ? jobs->concurrency : jobs->admitted_most;
    uint64_t streams = (uint64_t)most * (m->stream_count ? m->stream_count : 1);
    sl_cuda_wish(m, SL_TRUTH_YES, 1, "a job runs from its admission on, beside others",
                 "the host submits a job's work when it is admitted, on streams of its own",
                 most == 0 ? "nothing bounds the jobs in the system, and streams share at most 32 "
                             "connections (CUDA_DEVICE_MAX_CONNECTIONS)"
                 : streams > 32 ? CUDA_TEXT(m,
                                            "%u jobs of %u streams share at most 32 connections "
                                            "(CUDA_DEVICE_MAX_CONNECTIONS): some wait without need",
                                            (unsigned)most, (unsigned)m->stream_count)
                                : NULL);
}

/* Whose work goes next, among jobs. */
static uint64_t judge_lists(struct cuda_mapping *m)
{
    static const char *const orders[] = {"fifo", "priority",      "edf",
                                         "sjf",  "critical-path", "issue"};
    const struct sl_platform *platform = m->graph->platform;
    const struct sl_engine_options *engine = &m->plan->engine;
    uint64_t decided = 0;
    for (uint32_t r = 0; r < platform->resource_names.count; r++) {
        const struct sl_resource *resource = &platform->resources[r];
        enum sl_order order = engine->dispatch_given ? engine->dispatch : resource->order;
        uint64_t nodes = 0;
        for (uint32_t i = 0; i < m->planned; i++)
            nodes += m->graph->nodes[i].demands.count > 0 &&
                     m->graph->demands[m->graph->nodes[i].demands.first].resource == r;
        if (nodes == 0 || resource->servers == SL_UNLIMITED || m->places[r] == CUDA_HOST)
            continue;
        decided += nodes;
        sl_cuda_wish(
            m, SL_TRUTH_YES, nodes,
            CUDA_TEXT(m, "%s serves the waiting work of all jobs by %s",
                      platform->resource_names.names[r], orders[order]),
            resource->batch.most > 0
                ? "the host forms each batch and launches its next step when the one before is done"
                : "the host holds waiting work back, and submits the next when the one before is "
                  "done",
            "nothing is queued ahead there: each submission is exposed");
    }
    return decided;
}

/* Bytes that one job takes and another gives back. */
static uint64_t judge_bytes(struct cuda_mapping *m)
{
    const struct sl_graph *graph = m->graph;
    uint64_t takers = 0;
    for (uint32_t i = 0; i < m->planned; i++) {
        const struct sl_node *node = &graph->nodes[i];
        bool takes = false;
        for (uint32_t k = 0; k < node->takes.count; k++)
            takes |=
                graph->platform
                    ->domains[graph->holdings[graph->holdings_pool[node->takes.first + k]].domain]
                    .capacity >= 0;
        for (uint32_t k = 0; k < node->workspace.count; k++)
            takes |= graph->platform->domains[graph->amounts[node->workspace.first + k].domain]
                         .capacity >= 0;
        takers += takes;
    }
    bool admitted = m->scenario->jobs.memory != SL_NONE;
    if (takers > 0)
        sl_cuda_wish(m, SL_TRUTH_YES, takers, "a node waits for bytes that another job gives back",
                     "the host submits it when the events of enough releases have come",
                     admitted
                         ? CUDA_TEXT(m,
                                     "jobs are admitted by the bytes of %s that they may "
                                     "need: there none waits",
                                     graph->platform->domain_names.names[m->scenario->jobs.memory])
                         : "the host cannot run ahead of the device there");
    return takers;
}

void sl_cuda_judge_jobs(struct cuda_mapping *m)
{
    if (!sl_cuda_has_jobs(m))
        return;
    judge_arrivals(m);
    uint64_t decided = judge_lists(m);
    decided += judge_bytes(m);
    if (decided == 0)
        return;
    struct sl_reply_assumption *assumption = SL_REPLY_ADD(m->reply->assumptions);
    m->failed |= !assumption;
    if (assumption)
        *assumption = (struct sl_reply_assumption){
            "a decision between jobs takes no time",
            "the host waits for the device before it decides whose work is submitted; no table "
            "states that cost",
            SL_TRUTH_UNKNOWN};
}

/* What the calls themselves cost, where the device's tables say so: launches alone.  A launch that
 * is queued ahead hides its way to the device, so that of a launch into an idle stream is a bound
 * for each kernel.  No table has the price of events and waits. */
#include <config.h>

#include "gate.h"
#include "mapping_cuda.h"
#include "units.h"
#include <math.h>
#include <string.h>

/* The class of slackline-calibrate: a kernel that does nothing. */
#define LAUNCH_CLASS "launch"

static const struct sl_duration_row *launch_row(const struct sl_platform *platform)
{
    uint32_t klass = sl_names_find(&platform->kappa.classes, LAUNCH_CLASS);
    for (uint32_t i = 0; klass != SL_NONE && i < platform->duration_count; i++) {
        const struct sl_duration_row *row = &platform->durations[i];
        if (row->klass == klass && !*row->variant && !isnan(row->launch_latency_ns))
            return row;
    }
    return NULL;
}

static bool is_kernel(const struct cuda_mapping *m, uint32_t node)
{
    enum sl_node_kind kind = m->graph->nodes[node].kind;
    return (kind == SL_COMPUTE || kind == SL_REMATERIALIZATION) && m->stream_of[node] != SL_NONE;
}

static void add(struct cuda_mapping *m, uint32_t node, int kind, const struct sl_dist *dist,
                const char *evidence)
{
    struct sl_reply_overhead *overhead = SL_REPLY_ADD(m->reply->overheads);
    m->failed |= !overhead;
    if (overhead)
        *overhead = (struct sl_reply_overhead){
            .node = node, .klass = SL_NONE, .kind = kind, .dist = dist, .evidence = evidence};
}

/* By kind, or node by node where some of these kinds are the host's own work. */
static void put_launches(struct cuda_mapping *m, const struct sl_dist *dist, const char *evidence)
{
    static const enum sl_node_kind kinds[] = {SL_COMPUTE, SL_REMATERIALIZATION};
    bool hosts = false;
    for (uint32_t i = 0; i < m->graph->node_count; i++) {
        enum sl_node_kind kind = m->graph->nodes[i].kind;
        hosts |= (kind == SL_COMPUTE || kind == SL_REMATERIALIZATION) && sl_cuda_on_host(m, i);
    }
    for (size_t k = 0; !hosts && k < sizeof kinds / sizeof *kinds; k++)
        add(m, SL_NONE, (int)kinds[k], dist, evidence);
    for (uint32_t i = 0; hosts && i < m->graph->node_count; i++)
        if (is_kernel(m, i))
            add(m, i, -1, dist, evidence);
}

static const char *file_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "";
}

static void put_known(struct cuda_mapping *m, const struct sl_duration_row *row)
{
    const struct sl_platform *platform = m->graph->platform;
    const char *text = CUDA_TEXT(m, "%.17gns", row->launch_latency_ns);
    const char *source =
        CUDA_TEXT(m, "%s line %d of %s%s", file_name(row->place.file), row->place.line,
                  platform->device_name ? platform->device_name : "the device",
                  row->sessions > 0 ? CUDA_TEXT(m, ", %u sessions", (unsigned)row->sessions) : "");
    const struct sl_dist *dist = NULL;
    uint64_t kernels = 0;
    struct sl_error why = {0};
    if (m->failed || sl_dist_parse(&dist, text, SL_DIST_TIME, ".", row->place, &m->reply->arena,
                                   &why) != SL_OK) {
        m->failed = true;
        return;
    }
    for (uint32_t i = 0; i < m->graph->node_count; i++)
        kernels += is_kernel(m, i);
    if (kernels == 0)
        return;
    put_launches(
        m, dist,
        CUDA_TEXT(m, "bounded: a launch into an idle stream, %s (%.200s)", source, row->evidence));
    sl_cuda_wish(
        m, SL_TRUTH_YES, kernels, "kernels are launched",
        CUDA_TEXT(m, "cudaLaunchKernel, at most %.4g us each", row->launch_latency_ns / 1e3),
        CUDA_TEXT(m,
                  "the median way of a launch into an idle stream, %s (%.200s); what is "
                  "queued ahead pays less",
                  source, row->evidence));
    if (m->events == 0)
        return;
    struct sl_reply_assumption *assumption = SL_REPLY_ADD(m->reply->assumptions);
    m->failed |= !assumption;
    if (assumption)
        *assumption = (struct sl_reply_assumption){
            SL_GATE_FREE_CALLS,
            CUDA_TEXT(m, "launches are paid for; what %llu events and waits cost is in no table",
                      (unsigned long long)m->events),
            SL_TRUTH_UNKNOWN};
}

void sl_cuda_put_calls(struct cuda_mapping *m)
{
    const struct sl_duration_row *row = launch_row(m->graph->platform);
    if (row)
        put_known(m, row);
    else
        put_launches(m, NULL, "unknown: the device states no cost of launches, events and waits");
}

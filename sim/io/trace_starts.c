/* Why each work of a trace started when it did: its launch, what its stream had before it, or an
 * event of another stream.  The edge that explains its start best carries the rest as a lag.
 *
 * With b the end of the node that an edge comes from and u what is usual behind it (the median from
 * a call to the start of its work on an idle stream, or between works of a busy one), a work could
 * start at max over edges of b + u.  The edge with that maximum explains the start s: its lag is
 * s - b.  The others keep min(u, s - b), so that they matter again when the first one does not. */
#include <config.h>

#include "keysort.h"
#include "trace_parts.h"
#include <stdlib.h>

/* A work that starts so much later than is usual waited for something that nobody recorded. */
static const int64_t late_ps = 10 * 1000 * INT64_C(1000);

struct base {
    uint32_t node;
    int64_t end_ps, usual_ps; /* the node's end; when the work usually starts */
    enum sl_trace_reason reason;
};

/* The node that launches the work; SL_NONE where it is not known, or another work of the call
 * precedes this one (a CUDA graph), or the work starts too early. */
static uint32_t launch_of(struct sl_trace_builder *b, uint32_t node)
{
    const struct sl_trace_node *nodes = b->graph->nodes;
    uint32_t event = nodes[node].event, call = b->timeline->cause[event];
    uint32_t before = b->before[node];
    if (call == SL_NONE || b->node_of[call] == SL_NONE ||
        nodes[b->node_of[call]].end_ps > nodes[node].start_ps)
        return SL_NONE;
    bool follows = before != SL_NONE && nodes[before].event != SL_NONE &&
                   b->timeline->cause[nodes[before].event] == call;
    return follows ? SL_NONE : b->node_of[call];
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t median(int64_t *times, uint32_t count)
{
    if (count == 0)
        return 0;
    qsort(times, count, sizeof *times, by_value);
    return times[(count - 1) / 2];
}

/* From call to start where the stream was idle at the call; `busy`: between works where the call
 * had come so much earlier that only the stream can have held the work. */
static uint32_t collect(struct sl_trace_builder *b, bool busy, int64_t *times)
{
    const struct sl_trace_node *nodes = b->graph->nodes;
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->work_count; i++) {
        uint32_t launch = nodes[i].event == SL_NONE ? SL_NONE : launch_of(b, i);
        if (launch == SL_NONE || b->awaited[i] != SL_NONE)
            continue;
        uint32_t before = b->before[i];
        int64_t call_ps = nodes[launch].start_ps;
        int64_t free_ps = before == SL_NONE ? INT64_MIN : nodes[before].end_ps;
        if (!busy && free_ps <= call_ps)
            times[count++] = nodes[i].start_ps - call_ps;
        if (busy && free_ps > call_ps + b->graph->launch_ps)
            times[count++] = nodes[i].start_ps - free_ps;
    }
    return count;
}

static bool find_usual(struct sl_trace_builder *b)
{
    int64_t *times = malloc((b->work_count + 1u) * sizeof *times);
    if (!times)
        return false;
    b->graph->launch_ps = median(times, collect(b, false, times));
    b->graph->gap_ps = median(times, collect(b, true, times));
    free(times);
    return true;
}

static uint32_t find_bases(struct sl_trace_builder *b, uint32_t node, struct base bases[3])
{
    const struct sl_trace_node *nodes = b->graph->nodes;
    uint32_t count = 0, launch = launch_of(b, node);
    if (launch != SL_NONE) {
        int64_t end_ps = nodes[launch].end_ps;
        int64_t usual_ps = nodes[launch].start_ps + b->graph->launch_ps;
        bases[count++] =
            (struct base){launch, end_ps, usual_ps > end_ps ? usual_ps : end_ps, SL_REASON_LAUNCH};
    }
    uint32_t others[2] = {b->before[node], b->awaited[node]};
    for (int i = 0; i < 2; i++)
        if (others[i] != SL_NONE) {
            int64_t end_ps = nodes[others[i]].end_ps;
            bases[count++] = (struct base){others[i], end_ps, end_ps + b->graph->gap_ps,
                                           i == 0 ? SL_REASON_STREAM : SL_REASON_STREAM_WAIT};
        }
    return count;
}

/* Order alone needs no edge where the lane gives it. */
static bool is_idle(const struct sl_trace_builder *b, const struct sl_trace_edge *edge)
{
    const struct sl_trace_node *nodes = b->graph->nodes;
    return edge->reason == SL_REASON_STREAM && edge->lag_ps == 0 &&
           nodes[edge->from].lane == nodes[edge->to].lane && nodes[edge->to].lane != SL_NONE;
}

static uint32_t last_of(const struct base *bases, uint32_t count)
{
    uint32_t last = 0;
    for (uint32_t i = 1; i < count; i++)
        if (bases[i].usual_ps > bases[last].usual_ps)
            last = i;
    return last;
}

static int64_t launched_ps(const struct sl_trace_builder *b, uint32_t node)
{
    const struct sl_timeline *t = b->timeline;
    uint32_t event = b->graph->nodes[node].event;
    uint32_t call = event == SL_NONE ? SL_NONE : t->cause[event];
    return call != SL_NONE ? t->start_ps[call] : b->graph->nodes[node].start_ps;
}

/* A work that is late and was launched behind a wait of a stream that does not say for what: the
 * work of another stream of the device, launched earlier, that ended last before it started. */
static void assume_wait(struct sl_trace_builder *b, const struct sl_keyed *ends, uint32_t node)
{
    enum { MOST_TRIED = 64 };
    const struct sl_trace_node *nodes = b->graph->nodes;
    const struct sl_timeline *t = b->timeline;
    int64_t start_ps = nodes[node].start_ps;
    uint32_t own = t->lane[nodes[node].event];
    uint32_t at = sl_keyed_from(ends, b->work_count, start_ps + 1);
    for (int tried = 0; tried < MOST_TRIED && at-- > 0; tried++) {
        uint32_t other = ends[at].value, event = nodes[other].event;
        if (start_ps - ends[at].key > late_ps)
            return;
        if (event == SL_NONE || t->lane[event] == own ||
            t->lanes[t->lane[event]].process != t->lanes[own].process ||
            launched_ps(b, other) >= launched_ps(b, node))
            continue;
        b->awaited[node] = other;
        sl_trace_doubt(b, SL_DOUBT_ASSUMED_WAIT, 0);
        return;
    }
}

static enum sl_status add_start(struct sl_trace_builder *b, const struct sl_keyed *ends,
                                uint32_t node)
{
    struct base bases[3];
    uint32_t count = find_bases(b, node, bases), binding = last_of(bases, count);
    int64_t start_ps = b->graph->nodes[node].start_ps;
    if (count == 0) {
        b->graph->nodes[node].released = true;
        return SL_OK;
    }
    if (b->told[node] && start_ps - bases[binding].usual_ps > late_ps) {
        assume_wait(b, ends, node);
        count = find_bases(b, node, bases);
        binding = last_of(bases, count);
    }
    int64_t late = start_ps - bases[binding].usual_ps;
    if (late > late_ps)
        sl_trace_doubt(b, SL_DOUBT_LATE, late);
    enum sl_status status = SL_OK;
    for (uint32_t i = 0; i < count && status == SL_OK; i++) {
        int64_t until_ps =
            i == binding || bases[i].usual_ps > start_ps ? start_ps : bases[i].usual_ps;
        struct sl_trace_edge edge = {bases[i].node, node, until_ps - bases[i].end_ps,
                                     i == binding && late > late_ps ? late : 0,
                                     (uint8_t)bases[i].reason};
        if (!is_idle(b, &edge))
            status = sl_trace_add_edge(b, &edge);
    }
    return status;
}

/* Works that do not follow from a call of the record, or start before it. */
static void doubt_launch(struct sl_trace_builder *b, uint32_t node)
{
    const struct sl_trace_node *nodes = b->graph->nodes;
    uint32_t call = b->timeline->cause[nodes[node].event];
    uint32_t launch = call == SL_NONE ? SL_NONE : b->node_of[call];
    if (launch == SL_NONE)
        sl_trace_doubt(b, SL_DOUBT_NO_LAUNCH, 0);
    else if (nodes[launch].end_ps > nodes[node].start_ps)
        sl_trace_doubt(b, SL_DOUBT_EARLY_START, nodes[launch].end_ps - nodes[node].start_ps);
}

enum sl_status sl_trace_starts(struct sl_trace_builder *b)
{
    size_t count = b->work_count;
    struct sl_keyed *ends = malloc((2 * count + 1) * sizeof *ends);
    enum sl_status status = ends && find_usual(b) ? SL_OK : sl_trace_no_memory(b->err);
    for (uint32_t i = 0; i < b->work_count && status == SL_OK; i++)
        ends[i] = (struct sl_keyed){b->graph->nodes[i].end_ps, i};
    if (status == SL_OK)
        sl_sort_keyed(ends, ends + count, count);
    for (uint32_t i = 0; i < b->work_count && status == SL_OK; i++) {
        if (b->graph->nodes[i].role != SL_TRACE_WORK)
            continue;
        doubt_launch(b, i);
        status = add_start(b, ends, i);
    }
    free(ends);
    return status;
}

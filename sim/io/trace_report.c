/* The report of an import: what was read, what became of it, what the graph cannot explain. */
#include <config.h>

#include "trace_durations.h"
#include "trace_scenario.h"
#include <string.h>

double sl_trace_explained_share(const struct sl_trace_graph *graph)
{
    return graph->recorded.span_ps > 0
               ? (double)graph->explained.span_ps / (double)graph->recorded.span_ps
               : 1;
}

bool sl_trace_explains_little(const struct sl_trace_graph *graph)
{
    return sl_trace_explained_share(graph) < 0.95;
}

struct teller {
    void (*tell)(void *user, const struct sl_trace_item *item);
    void *user;
};

static void tell(const struct teller *teller, const char *name, uint64_t count, int64_t time_ps,
                 const char *text)
{
    teller->tell(teller->user, &(struct sl_trace_item){name, text, count, time_ps});
}

static void tell_spans(const struct teller *t, const struct sl_trace_graph *g)
{
    int64_t difference = g->replayed.span_ps - g->recorded.span_ps;
    tell(t, "recorded-span", 1, g->recorded.span_ps, "from the first start to the last end");
    tell(t, "replayed-span", 1, g->replayed.span_ps,
         "the same of the replay, at recorded durations");
    tell(t, "longer", difference > 0, difference > 0 ? difference : 0,
         "the replay is longer than the record");
    tell(t, "shorter", difference < 0, difference < 0 ? -difference : 0,
         "the replay is shorter than the record");
    tell(t, "recorded-busy", 1, g->recorded.busy_ps, "a work of a device runs");
    tell(t, "replayed-busy", 1, g->replayed.busy_ps, "the same in the replay");
    tell(t, "explained-span", 1, g->explained.span_ps,
         "the replay, if no work were late (see item late)");
    tell(t, "usual-launch", 1, g->launch_ps,
         "median from call to start of a work on an idle stream; lag where the stream was busy");
    tell(t, "usual-gap", 1, g->gap_ps, "median between works of a busy stream");
}

static void tell_durations(const struct teller *t, const struct sl_trace_durations *durations)
{
    if (!durations)
        return;
    tell(t, "drawn-durations", durations->drawn_nodes, durations->drawn_ps,
         "works that draw from what equal ones took in all of the trace");
    tell(t, "kept-durations", durations->kept_nodes, durations->kept_ps,
         "works as recorded: fewer than 5 are equal, or others have more time");
    tell(t, "drawn-apart", durations->drawn_nodes, -1,
         "of the works that draw, each for itself, also those of one name in one step: what slows "
         "them together is not drawn, so sums of them vary too little");
    tell(t, "duration-files", durations->file_count, -1, "kinds of equal works, a file each");
}

/* A graph is one call with several works.  No trace says what its private pool holds. */
static void tell_graphs(const struct teller *t, const struct sl_trace_graph *g)
{
    const struct sl_timeline *timeline = g->timeline;
    uint64_t launches = 0, works = 0;
    int64_t time_ps = 0;
    for (uint32_t i = 0; i < g->node_count; i++) {
        const struct sl_trace_node *node = &g->nodes[i];
        uint32_t call = node->role == SL_TRACE_LAUNCH ? node->event
                        : node->role == SL_TRACE_WORK ? timeline->cause[node->event]
                                                      : SL_NONE;
        if (call == SL_NONE || !strstr(timeline->names.names[timeline->name[call]], "GraphLaunch"))
            continue;
        launches += node->role == SL_TRACE_LAUNCH;
        works += node->role == SL_TRACE_WORK;
        time_ps += node->role == SL_TRACE_WORK ? node->end_ps - node->start_ps : 0;
    }
    tell(t, "graph-launches", launches, -1,
         "calls launch a graph, each one node for all its works");
    tell(t, "graph-works", works, time_ps,
         "works of graphs, which follow that node and each other");
    tell(t, "graph-pools", launches, -1,
         "graphs of which the record does not say what their private pools hold; no object stands "
         "for it");
}

static void tell_movable(const struct teller *t, const struct sl_trace_movable *movable)
{
    if (!movable)
        return;
    tell(t, "moved-copies", movable->count + movable->pair_count, movable->moved_ps,
         "copies that left the graph: policies decide when what they bring comes");
    tell(t, "returning", movable->pair_count, -1,
         "pairs of them, out and back; assumed: their sizes alone say so");
    tell(t, "perhaps-outputs", movable->behind, -1,
         "objects that came in after a copy of their size went out: perhaps what it took away, but "
         "policies may bring them before it");
    tell(t, "unpinned", movable->unpinned, -1,
         "objects that came from memory that is not page-locked, by way of a thread that staged "
         "them; policies move them without one");
    tell(t, "ahead", movable->ahead, -1,
         "reading works ahead of its reader a copy began (median); the baseline does so");
    tell(t, "kept-copies", movable->unread + movable->away, movable->kept_ps,
         "copies between two memories stay as recorded");
    tell(t, "unread", movable->unread, -1,
         "of them to a device, and no work is known to wait for them");
    tell(t, "away", movable->away, -1, "of them from a device, and they do not come back");
    tell(t, "freed-threads", movable->freed, movable->all_freed_ps,
         "calls held their thread while such a copy ran; they do not any more");
    tell(t, "dropped-edges", movable->dropped, movable->dropped_ps,
         "edges of copies that left; time: their lags");
    tell(t, "dropped-waits", movable->waits, -1,
         "of them waits of threads for such copies, which wait for them no more");
}

static void tell_nodes(const struct teller *t, const struct sl_trace_graph *g)
{
    static const char *const names[SL_TRACE_ROLES] = {"host-times",   "launches", "waits",
                                                      "memory-calls", "works",    "backlogs"};
    static const char *const texts[SL_TRACE_ROLES] = {
        ("host time between calls that launch, wait or manage memory; everything else that a "
         "thread did is in it"),
        "calls that launch works, each up to the start of its first work",
        "calls that wait, each from the end of what it waits for",
        "calls that allocate, free or map memory",
        "works of devices",
        "streams busy at first with works launched before the scope"};
    int64_t sums[SL_TRACE_ROLES] = {0};
    for (uint32_t i = 0; i < g->node_count; i++)
        sums[g->nodes[i].role] += g->nodes[i].end_ps - g->nodes[i].start_ps;
    for (int role = 0; role < SL_TRACE_ROLES; role++)
        tell(t, names[role], g->nodes_of[role], sums[role], texts[role]);
    static const char *const reasons[SL_REASONS] = {"launch-edges", "stream-edges", "event-edges",
                                                    "sync-edges",   "copy-edges",   "thread-edges"};
    static const char *const whys[SL_REASONS] = {
        "works wait for their call",
        "works wait for the one before on their stream, with a lag",
        "works wait for an event of another stream",
        "calls wait for works",
        "calls wait for the copy that they make",
        "threads wait for threads"};
    for (int reason = 0; reason < SL_REASONS; reason++)
        tell(t, reasons[reason], g->edges_of[reason], -1, whys[reason]);
}

void sl_trace_report(const struct sl_trace_graph *graph, const struct sl_trace_source *source,
                     void (*tell_item)(void *user, const struct sl_trace_item *item), void *user)
{
    const struct sl_timeline *timeline = graph->timeline;
    struct teller t = {tell_item, user};
    uint64_t left_out = 0, flows = 0;
    tell_spans(&t, graph);
    tell_nodes(&t, graph);
    tell_durations(&t, source->durations);
    tell(&t, "kappa-pairs", source->kappa->pair_count, -1,
         "pairs of classes of which the whole trace shows a slowdown (kappa-observed.csv)");
    for (int doubt = 0; doubt < SL_DOUBTS; doubt++)
        tell(&t, sl_doubt_name((enum sl_trace_doubt)doubt), graph->doubts[doubt].count,
             graph->doubts[doubt].time_ps, sl_doubt_text((enum sl_trace_doubt)doubt));
    for (uint32_t i = 0; i < timeline->left_out.count; i++)
        left_out += timeline->left_out.items[i].count;
    for (uint32_t i = 0; i < timeline->flows.count; i++)
        flows += timeline->flows.items[i].count;
    tell_graphs(&t, graph);
    tell_movable(&t, source->movable);
    tell(&t, "routes", source->routes->count, -1,
         "pairs of memories between which the whole trace has copies (routes-observed.csv)");
    tell(&t, "records", timeline->read, -1, "records of the file");
    tell(&t, "events", timeline->count, -1, "events of the whole trace");
    tell(&t, "left-out", left_out, -1, "records of kinds that no scenario needs");
    tell(&t, "flows", flows, -1, "arrows between events; correlations say the same");
    tell(&t, "memory-events", timeline->memory_count, -1, "changes of memory in the whole trace");
    tell(&t, "allocations", source->memory->count, -1,
         "objects, from the changes of devices' memory in the scope");
    tell(&t, "memory-left-out", source->memory->left_out, -1,
         "changes of memory in the scope that no object stands for: these, or too many, or copies "
         "are policies'; totals are in memory-observed.csv");
    tell(&t, "memory-hosts", source->memory->hosts, -1,
         "of them of a host's memory, or an unknown device's");
    tell(&t, "memory-nameless", source->memory->nameless, -1, "of them without an address");
    tell(&t, "memory-twice", source->memory->twice, -1,
         "of them of an address that was taken already");
    for (int hazard = 0; hazard < SL_HAZARDS; hazard++)
        tell(&t, sl_hazard_name((enum sl_trace_hazard)hazard), timeline->hazards[hazard], -1,
             sl_hazard_text((enum sl_trace_hazard)hazard));
}

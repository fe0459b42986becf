/* A timeline's further way: audit, graph, scenario. */
#include <config.h>

#include "audit.h"
#include "fuzz.h"
#include "fuzz_timeline.h"
#include "scenario.h"
#include "trace_scenario.h"
#include <string.h>

enum { MOST_EVENTS = 2000 };

static void check_audit(const struct sl_timeline *timeline)
{
    struct sl_audit_options options = {.to_ps = INT64_MAX};
    struct sl_audit audit = {0};
    struct sl_error err = {0};
    enum sl_status status = sl_audit_make(&audit, timeline, &options, &err);
    fuzz_judge(status, NULL, &err);
    for (uint32_t g = 0; status == SL_OK && g < audit.gap_count; g++)
        FUZZ_CHECK(audit.gaps[g].from_ps < audit.gaps[g].to_ps, "gap %u has no length", g);
    for (uint32_t w = 0; status == SL_OK && w < audit.work_count; w++)
        FUZZ_CHECK(audit.works[w].ready_ps <= timeline->start_ps[audit.works[w].event],
                   "work %u is ready after its start", w);
    sl_audit_free(&audit);
}

static void check_scenario(const struct sl_trace_graph *graph, const struct sl_trace_source *source)
{
    struct sl_scenario scenario;
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    char dir[400];
    snprintf(dir, sizeof dir, "%s/imported", fuzz_dir());
    enum sl_status status = sl_trace_scenario_write(graph, source, dir, &err);
    fuzz_judge(status, NULL, &err);
    if (status != SL_OK)
        return;
    status = sl_scenario_load(&scenario, dir, NULL, 0, &diags, &err);
    if (status != SL_OK)
        sl_diags_print(&diags, stderr);
    FUZZ_CHECK(status == SL_OK, "the imported scenario does not load: %s", err.message);
    sl_diags_free(&diags);
    sl_scenario_free(&scenario);
}

/* Everything that `slackline import` may be asked for: durations drawn or as recorded; of copies
 * none are left to policies, those in, or those out, too. */
enum copies { COPIES_STAY, COPIES_IN, COPIES_BOTH, COPIES };

static void write_scenario(const struct sl_trace_graph *graph, bool drawn, enum copies copies)
{
    struct sl_trace_durations durations = {0};
    struct sl_trace_kappa kappa = {0};
    struct sl_trace_memory memory = {0};
    struct sl_trace_routes routes = {0};
    struct sl_trace_movable movable = {0};
    struct sl_error err = {0};
    enum sl_status status = sl_trace_durations_make(&durations, graph, 0, 0, &err);
    if (status == SL_OK)
        status = sl_trace_kappa_make(&kappa, &durations, &err);
    if (status == SL_OK)
        status = sl_trace_routes_make(&routes, graph->timeline, &err);
    if (status == SL_OK && copies == COPIES_STAY)
        status = sl_trace_memory_make(&memory, graph, &err);
    if (status == SL_OK && copies != COPIES_STAY) {
        sl_trace_memory_skip(&memory, graph);
        status = sl_trace_movable_make(&movable, graph, &routes, copies == COPIES_BOTH, &err);
    }
    fuzz_judge(status, NULL, &err);
    struct sl_trace_source source = {.trace = "trace.json",
                                     .importer = "fuzz",
                                     .scope = "all",
                                     .durations = drawn ? &durations : NULL,
                                     .kappa = &kappa,
                                     .memory = &memory,
                                     .routes = &routes,
                                     .movable = copies != COPIES_STAY ? &movable : NULL};
    if (status == SL_OK)
        check_scenario(graph, &source);
    sl_trace_movable_free(&movable);
    sl_trace_routes_free(&routes);
    sl_trace_memory_free(&memory);
    sl_trace_kappa_free(&kappa);
    sl_trace_durations_free(&durations);
}

void fuzz_use_timeline(const struct sl_timeline *timeline)
{
    struct sl_trace_scope scope = {0, INT64_MAX, SL_NONE};
    struct sl_trace_graph graph = {0};
    struct sl_error err = {0};
    if (timeline->count > MOST_EVENTS)
        return;
    for (uint32_t i = 1; i < timeline->count; i++)
        FUZZ_CHECK(timeline->start_ps[i - 1] <= timeline->start_ps[i], "event %u is out of order",
                   i);
    check_audit(timeline);
    enum sl_status status = sl_trace_graph_make(&graph, timeline, &scope, &err);
    fuzz_judge(status, NULL, &err);
    if (status == SL_OK)
        write_scenario(&graph, timeline->count % 2, (enum copies)(graph.edge_count % COPIES));
    sl_trace_graph_free(&graph);
}

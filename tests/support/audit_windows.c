/* Audit of windows against what a trial did: no schedule starts a node before its precedence lets
 * it be ready, ends before the longest path does, or starts a node after its latest start without
 * missing the deadline that set it; and whoever misses a deadline started too late for it. */
#include <config.h>

#include "record_audit.h"
#include "windows.h"
#include <stdlib.h>

static void read_roles(const struct audit *a, uint8_t *roles, int64_t *duration_ps)
{
    for (uint32_t i = 0; i < a->graph->node_count; i++) {
        uint8_t state = a->trial->state[i];
        roles[i] = state == SL_RAN         ? SL_WINDOW_RUNS
                   : state == SL_CANCELLED ? SL_WINDOW_REPLACED
                                           : SL_WINDOW_PASSES;
        duration_ps[i] = a->trial->finish_ps[i] - a->trial->start_ps[i];
    }
}

/* The node that finished in the place of `node`; SL_NONE when nobody did. */
static uint32_t deliverer(const struct audit *a, uint32_t node)
{
    while (node != SL_NONE && a->trial->state[node] == SL_CANCELLED)
        node = a->graph->nodes[node].fallback.i;
    return node != SL_NONE && audit_ran(a, node) ? node : SL_NONE;
}

/* Over a fallback in between windows may leave a takeover out (windows.h). */
static bool over_another(const struct audit *a, uint32_t node, uint32_t by)
{
    return by != node && by != a->graph->nodes[node].fallback.i;
}

static void check_latest(struct audit *a, const struct sl_windows *windows)
{
    const struct sl_trial *trial = a->trial;
    for (uint32_t i = 0; i < a->graph->node_count; i++) {
        const char *name = a->graph->nodes[i].name;
        uint32_t limit = windows->limit[i];
        bool late = audit_ran(a, i) && trial->start_ps[i] > windows->latest_start_ps[i];
        if (late && limit == SL_NONE)
            audit_fault(a, "%s started after its latest start, which the end sets", name);
        if (late && limit != SL_NONE) {
            uint32_t by = deliverer(a, limit);
            if (by != SL_NONE && trial->finish_ps[by] <= a->graph->nodes[limit].deadline_ps)
                audit_fault(a, "%s started too late for %s, which kept its deadline", name,
                            a->graph->nodes[limit].name);
        }
        uint32_t by = deliverer(a, i);
        if (by != SL_NONE && !over_another(a, i, by) &&
            trial->finish_ps[by] > a->graph->nodes[i].deadline_ps &&
            trial->start_ps[by] <= windows->latest_start_ps[by])
            audit_fault(a, "%s missed the deadline of %s though it started in time",
                        a->graph->nodes[by].name, name);
    }
}

void audit_windows(struct audit *a)
{
    const struct sl_trial *trial = a->trial;
    struct sl_windows *windows = NULL;
    struct sl_error err = {0};
    uint8_t *roles = malloc(a->graph->node_count + 1u);
    int64_t *duration_ps = malloc((a->graph->node_count + 1u) * sizeof *duration_ps);
    if (trial->outcome != SL_DONE || !roles || !duration_ps ||
        sl_windows_create(&windows, a->graph, &err) != SL_OK)
        goto out;
    read_roles(a, roles, duration_ps);
    if (sl_windows_critical_path(windows, duration_ps, roles, NULL, NULL) > trial->makespan_ps)
        audit_fault(a, "the longest path is longer than the makespan");
    (void)sl_windows_ready(windows, duration_ps, roles);
    for (uint32_t i = 0; i < a->graph->node_count; i++)
        if (audit_ran(a, i) && windows->ready_ps[i] > trial->ready_ps[i])
            audit_fault(a, "%s was ready before its predecessors allow", a->graph->nodes[i].name);
    sl_windows_latest(windows, duration_ps, roles, trial->makespan_ps);
    check_latest(a, windows);
out:
    sl_windows_free(windows);
    free(roles);
    free(duration_ps);
}

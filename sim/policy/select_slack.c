/* Select slack: by the time that the object's way back has to spare.
 *
 *     slack = LS(consumer) - time of the way back - time at which its bytes at home are free
 *
 * LS is the consumer's latest start by the critical path method at isolated means: from deadlines
 * at or after it, else from the expected end of the schedule, so that slack counts what the
 * consumer itself could wait.  Where it is negative the way back does not fit before the required
 * start; those are taken last. */
#include "ranking.h"
#include "windows.h"
#include <math.h>
#include <stdlib.h>

static enum sl_status latest_starts(const struct sl_facts *facts, struct sl_windows **windows,
                                    struct sl_error *err)
{
    size_t nodes = (size_t)facts->graph->node_count + 1;
    int64_t *durations = calloc(nodes, sizeof *durations);
    uint8_t *roles = calloc(nodes, sizeof *roles);
    double end = 0.0;
    enum sl_status status = SL_OK;
    if (!durations || !roles)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for the slack of gaps");
    if (status == SL_OK)
        status = sl_windows_create(windows, facts->graph, err);
    if (status == SL_OK) {
        for (uint32_t n = 0; n < facts->graph->node_count; n++)
            end = fmax(end, facts->finish[n]);
        sl_windows_means(facts->graph, durations, roles);
        sl_windows_latest(*windows, durations, roles, llround(fmin(end, 4e18)));
    }
    free(durations);
    free(roles);
    return status;
}

static enum sl_status weigh(const struct sl_facts *facts, struct sl_candidate *candidates,
                            uint32_t count, struct sl_error *err)
{
    struct sl_windows *windows = NULL;
    enum sl_status status = latest_starts(facts, &windows, err);
    for (uint32_t c = 0; c < count && status == SL_OK; c++) {
        const struct sl_gap *gap = &facts->gaps[candidates[c].gap];
        double free_ps, back_ps;
        candidates[c].action->way(facts, gap, &free_ps, &back_ps);
        candidates[c].slack_ps = (double)windows->latest_start_ps[gap->after] - back_ps - free_ps;
    }
    sl_windows_free(windows);
    return status;
}

static int compare(const struct sl_candidate *a, const struct sl_candidate *b)
{
    if (a->slack_ps < b->slack_ps || a->slack_ps > b->slack_ps)
        return a->slack_ps > b->slack_ps ? -1 : 1;
    return sl_rank_by((double)a->bytes, (double)b->bytes, a, b);
}

const struct sl_part sl_select_slack = {
    .role = "select",
    .name = "slack",
    .description = "those whose way back has the most time to spare, as few as bring the projected "
                   "peak below the limit",
    .parameters = SL_RANKED_PARAMETERS,
    .example = "{action: offload, select: slack, prefetch: jit}",
    .params = sl_ranked_params,
    .param_count = 1,
    .weigh = weigh,
    .compare = compare,
};

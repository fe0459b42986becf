/* The rules of `check` on a recomputed plan. */
#include "config.h"

#include "legality.h"
#include "recompute.h"
#include <string.h>

static void check(const struct sl_scenario *scenario, const struct sl_plan *plan,
                  struct sl_diags *diags)
{
    struct sl_scenario view = *scenario;
    view.graph = plan->graph;
    view.platform = *plan->graph->platform;
    sl_graph_check(&view, diags);
}

static uint32_t count_like(const struct sl_diags *diags, const struct sl_diag *like, uint32_t end)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < end; i++)
        count +=
            diags->items[i].severity == SL_ERROR && strcmp(diags->items[i].code, like->code) == 0;
    return count;
}

/* Rules are about graphs that people write, and find things in a plan that planning means so: only
 * what the answer adds counts, by the number of findings of a rule. */
enum sl_status sl_recomputed_check(const struct sl_recomputed *recomputed,
                                   const struct sl_plan *plan, const struct sl_scenario *scenario,
                                   struct sl_error *err)
{
    struct sl_diags before = {0}, after = {0};
    enum sl_status status = SL_OK;
    check(scenario, plan, &before);
    check(scenario, &recomputed->plan, &after);
    if (before.out_of_memory || after.out_of_memory)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for the rules of a plan");
    for (uint32_t i = 0; status == SL_OK && i < after.count; i++) {
        const struct sl_diag *diag = &after.items[i];
        if (diag->severity == SL_ERROR &&
            count_like(&after, diag, i + 1) > count_like(&before, diag, (uint32_t)before.count))
            status =
                SL_FAIL(err, SL_NO, "with what the runtime inserts the plan is not legal: [%s] %s",
                        diag->code, diag->message ? diag->message : "");
    }
    sl_diags_free(&before);
    sl_diags_free(&after);
    return status;
}

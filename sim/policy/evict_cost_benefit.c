/* Evict cost-benefit: the time of leaving and of the way back, per byte and step of the plan until
 * the next use: cheap to be without, and for long. */
#include "parts.h"

static double worth(const struct sl_evict_view *copy)
{
    double bytes = copy->bytes > 0 ? (double)copy->bytes : 1;
    return (copy->leave_ps + copy->back_ps) / (bytes * copy->next_use);
}

const struct sl_part sl_evict_cost_benefit = {
    .role = "evict",
    .name = "cost-benefit",
    .description = "while running, copies leave first that cost least time per byte and step until "
                   "their next use",
    .parameters = SL_EVICT_PARAMETERS,
    .example = "{action: retain, evict: cost-benefit}",
    .params = sl_evict_params,
    .param_count = SL_EVICT_PARAMS,
    .worth = worth,
};

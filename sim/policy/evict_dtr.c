/* Evict dtr: dynamic tensor rematerialization (Kirisame et al. 2021),
 *
 *     h = (cost + cost of the evicted neighbourhood e*) / (size x staleness)
 *
 * the cost being that of the way back, staleness the time since the last use. */
#include "parts.h"

static double worth(const struct sl_evict_view *copy)
{
    double bytes = copy->bytes > 0 ? (double)copy->bytes : 1;
    double staleness = copy->now_ps > copy->used_ps ? (double)(copy->now_ps - copy->used_ps) : 1;
    return (copy->leave_ps + copy->back_ps + copy->neighbours_ps) / (bytes * staleness);
}

const struct sl_part sl_evict_dtr = {
    .role = "evict",
    .name = "dtr",
    .description = "while running, the least cost with its absent neighbours per byte and time "
                   "since its last use",
    .parameters = SL_EVICT_PARAMETERS,
    .example = "{action: retain, evict: dtr}",
    .params = sl_evict_params,
    .param_count = SL_EVICT_PARAMS,
    .worth = worth,
    .neighbours = true,
};

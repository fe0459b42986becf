/* Reclaim on-pressure: as lazy, but copies are given up from a share of the room on.
 *
 * Below `threshold` of capacity - reserve - headroom copies stay in their gaps; where the plan
 * would go above, those used least recently go until it is below again.  The rest of the room is
 * left to what the plan does not know: copies that come early, and lanes that run ahead. */
#include "attempt.h"

static const struct sl_param params[] = {
    {"reclaim.threshold", SL_PARAM_NUMBER, offsetof(struct sl_rule, threshold), 0.0, 1.0, NULL},
};

const struct sl_part sl_reclaim_on_pressure = {
    .role = "reclaim",
    .name = "on-pressure",
    .description =
        "copies stay in their gaps below a share of the room, and valid ones elsewhere for "
        "later gaps",
    .parameters = "threshold=0.9 (between 0 and 1): share of capacity - reserve - headroom",
    .example = "{action: offload, reclaim: {when: on-pressure, threshold: 0.8}}",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .place = sl_copies_end,
    .keeps = true,
    .shares = true,
};

/* Evict largest: the largest leaves first, so that few have to. */
#include "parts.h"

static double worth(const struct sl_evict_view *copy)
{
    return -(double)copy->bytes;
}

const struct sl_part sl_evict_largest = {
    .role = "evict",
    .name = "largest",
    .description = "while running, the largest copies leave first",
    .parameters = SL_EVICT_PARAMETERS,
    .example = "{action: retain, evict: largest}",
    .params = sl_evict_params,
    .param_count = SL_EVICT_PARAMS,
    .worth = worth,
};

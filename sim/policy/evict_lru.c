/* Evict lru: what was used least recently leaves first. */
#include "parts.h"

static double worth(const struct sl_evict_view *copy)
{
    return (double)copy->used_ps;
}

const struct sl_part sl_evict_lru = {
    .role = "evict",
    .name = "lru",
    .description = "while running, copies used least recently leave first",
    .parameters = SL_EVICT_PARAMETERS,
    .example = "{action: retain, evict: lru}",
    .params = sl_evict_params,
    .param_count = SL_EVICT_PARAMS,
    .worth = worth,
};

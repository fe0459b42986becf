/* Evict fifo: what came first leaves first, however often it was used since. */
#include "parts.h"

static double worth(const struct sl_evict_view *copy)
{
    return (double)copy->loaded_ps;
}

const struct sl_part sl_evict_fifo = {
    .role = "evict",
    .name = "fifo",
    .description = "while running, copies that came (back) first leave first",
    .parameters = SL_EVICT_PARAMETERS,
    .example = "{action: retain, evict: fifo}",
    .params = sl_evict_params,
    .param_count = SL_EVICT_PARAMS,
    .worth = worth,
};

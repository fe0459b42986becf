/* Evict belady: what the plan needs again last leaves first.  At equal sizes no order within the
 * same room needs fewer copies (Belady 1966), as long as the run keeps to the order of the plan. */
#include "parts.h"

static double worth(const struct sl_evict_view *copy)
{
    return -(double)copy->next_use;
}

const struct sl_part sl_evict_belady = {
    .role = "evict",
    .name = "belady",
    .description = "while running, copies that the plan needs again last leave first",
    .parameters = SL_EVICT_PARAMETERS,
    .example = "{action: retain, evict: belady}",
    .params = sl_evict_params,
    .param_count = SL_EVICT_PARAMS,
    .worth = worth,
};

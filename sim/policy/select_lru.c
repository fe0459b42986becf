/* Select lru: where the plan runs out of room, those used least recently leave, whenever they are
 * needed next: what a cache without a plan would do. */
#include "ranking.h"

const struct sl_part sl_select_lru = {
    .role = "select",
    .name = "lru",
    .description = "where the plan runs out of room, those used least recently, in any gap",
    .parameters = SL_RANKED_PARAMETERS,
    .example = "{action: offload, select: lru}",
    .params = sl_ranked_params,
    .param_count = 1,
    .walks = true,
    .compare = sl_rank_last_use,
};

/* Select lru: where the plan runs out of room, those used least recently leave, whenever they are
 * needed next: what a cache without a plan would do. */
#include "ranking.h"

static int compare(const struct sl_candidate *a, const struct sl_candidate *b)
{
    if (a->last_use != b->last_use)
        return a->last_use < b->last_use ? -1 : 1;
    return sl_rank_by((double)a->bytes, (double)b->bytes, a, b);
}

const struct sl_part sl_select_lru = {
    .role = "select",
    .name = "lru",
    .description =
        "where the plan runs out of room, those used least recently, in any of their gaps",
    .parameters = SL_RANKED_PARAMETERS,
    .example = "{action: offload, select: lru}",
    .params = sl_ranked_params,
    .param_count = 1,
    .walks = true,
    .compare = compare,
};

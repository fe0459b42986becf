/* Select largest: by size, until the projected peak fits. */
#include "ranking.h"

static int compare(const struct sl_candidate *a, const struct sl_candidate *b)
{
    return sl_rank_by((double)a->bytes, (double)b->bytes, a, b);
}

const struct sl_part sl_select_largest = {
    .role = "select",
    .name = "largest",
    .description = "the largest objects, as few as bring the projected peak below the limit",
    .parameters = SL_RANKED_PARAMETERS,
    .example = "{action: offload, select: {how: largest, headroom: 1GiB}}",
    .params = sl_ranked_params,
    .param_count = 1,
    .compare = compare,
};

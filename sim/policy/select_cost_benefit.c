/* Select cost-benefit: by bytes x gap per cost, until the projected peak fits.
 *
 * The cost is the action's: for offload the engines' time both ways plus what of it the gap cannot
 * hide, for remat the time of the recomputation. */
#include "ranking.h"
#include <math.h>

static double benefit(const struct sl_candidate *x)
{
    return (double)x->bytes * x->gap_ps / fmax(x->cost_ps, 1.0);
}

static int compare(const struct sl_candidate *a, const struct sl_candidate *b)
{
    return sl_rank_by(benefit(a), benefit(b), a, b);
}

const struct sl_part sl_select_cost_benefit = {
    .role = "select",
    .name = "cost-benefit",
    .description = "most bytes x gap per cost first, as few as bring the projected peak below the "
                   "limit",
    .parameters = SL_RANKED_PARAMETERS,
    .example = "{action: offload, select: cost-benefit, prefetch: jit}",
    .params = sl_ranked_params,
    .param_count = 1,
    .compare = compare,
};

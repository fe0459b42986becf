/* Select belady: those needed again last, until the projected peak fits (L. A. Belady, "A study of
 * replacement algorithms for a virtual-storage computer", IBM Systems Journal 5(2), 1966). */
#include "ranking.h"

static int compare(const struct sl_candidate *a, const struct sl_candidate *b)
{
    if (a->next_use != b->next_use)
        return a->next_use > b->next_use ? -1 : 1;
    return sl_rank_by((double)a->bytes, (double)b->bytes, a, b);
}

const struct sl_part sl_select_belady = {
    .role = "select",
    .name = "belady",
    .description = "those needed again last, as few as bring the projected peak below the limit",
    .parameters = SL_RANKED_PARAMETERS,
    .example = "{action: offload, select: belady}",
    .params = sl_ranked_params,
    .param_count = 1,
    .walks = true,
    .compare = compare,
};

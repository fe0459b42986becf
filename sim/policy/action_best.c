/* Action best: retain, offload or remat, whichever is projected to cost least in each gap (best.c).
 */
#include "attempt.h"

static const char *eligible(const struct sl_facts *facts, const struct sl_gap *gap)
{
    if (sl_action_offload.eligible(facts, gap) && sl_action_remat.eligible(facts, gap))
        return "it can neither move to another domain and back nor be computed again";
    return NULL;
}

const struct sl_part sl_action_best = {
    .role = "action",
    .name = "best",
    .description = "in each gap retain, offload or remat: the cheapest by projected runs",
    .parameters =
        "select: which, and in which order what does not fit leaves (all and list: the "
        "order that is projected best); objects: names or globs; prefetch: when they come "
        "back; to: domain where moved ones lie",
    .example = "{action: best, prefetch: window}",
    .params = sl_offload_params,
    .param_count = 1,
    .selects = true,
    .moves = true,
    .eligible = eligible,
};

/* Reclaim lazy: a copy is given up only where the plan needs its bytes.
 *
 * A chosen gap begins with the copy still at home.  It stays there until the level of the plan, run
 * one node after the other at expected times, would go above capacity - reserve - headroom; then
 * those used least recently go.  A copy that nothing needs the bytes of serves the use that ends
 * its gap: it neither leaves nor comes back.  One that is known to go has no use left, so it goes
 * at once: that late enough is the same as immediately is what planning knows and a run would not.
 *
 * In the other domain a copy is kept as long as it is valid: a later gap needs no second copy out.
 */
#include "attempt.h"

const struct sl_part sl_reclaim_lazy = {
    .role = "reclaim",
    .name = "lazy",
    .description =
        "copies stay in their gaps until the plan needs the bytes, and valid ones elsewhere "
        "for later gaps",
    .parameters = "none; the selection's headroom counts",
    .example = "{action: offload, reclaim: lazy}",
    .place = sl_copies_end,
    .keeps = true,
};

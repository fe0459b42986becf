/* Crowds: what their evaluation needs, prepared once, and what all rules have in common. */
#include "kappa_crowd.h"
#include <math.h>

const double sl_crowd_self[2 * SL_CROWD_MOST + SL_CROWD_LANES] = {[SL_CROWD_MOST] = 1};

bool sl_kappa_crowd_serves(const struct sl_kappa *kappa, uint32_t count)
{
    return kappa->rule->compose_crowd && count <= SL_CROWD_MOST;
}

/* Notes the pair without evidence, where that makes an overlap hypothetical. */
static bool note_unknown(struct sl_kappa_crowd *crowd, uint32_t c, uint32_t k,
                         struct sl_arena *arena)
{
    const struct sl_kappa *kappa = crowd->kappa;
    if (!sl_kappa_unknown_pair(kappa, crowd->classes[k], crowd->classes[c]) ||
        (kappa->row_count == 0 && kappa->unknown == SL_UNKNOWN_NUMBER))
        return true;
    if (!crowd->unknown)
        crowd->unknown =
            sl_arena_array(arena, (size_t)crowd->count * crowd->lanes, sizeof *crowd->unknown);
    if (!crowd->unknown)
        return false;
    crowd->unknown[(size_t)c * crowd->lanes + k] = true;
    return true;
}

bool sl_kappa_crowd_create(struct sl_kappa_crowd *crowd, const struct sl_kappa *kappa,
                           const uint32_t *classes, uint32_t count, enum sl_corner corner,
                           struct sl_arena *arena)
{
    uint32_t lanes = (count + SL_CROWD_LANES - 1) / SL_CROWD_LANES * SL_CROWD_LANES;
    *crowd = (struct sl_kappa_crowd){kappa, count, lanes, classes, NULL, NULL};
    crowd->beside = sl_arena_array(arena, (size_t)count * lanes, sizeof *crowd->beside);
    if (!crowd->beside)
        return false;
    double unknown = sl_kappa_stand_in(kappa, corner);
    for (uint32_t c = 0; c < count; c++)
        for (uint32_t k = 0; k < lanes; k++) {
            crowd->beside[(size_t)c * lanes + k] =
                k < count ? sl_kappa_pair(kappa, classes[k], classes[c], unknown) : 1;
            if (k < count && !note_unknown(crowd, c, k, arena))
                return false;
        }
    return true;
}

static bool meets_unknown(const struct sl_kappa_crowd *crowd, const uint32_t *counts)
{
    bool meets = false;
    for (uint32_t c = 0; c < crowd->count; c++)
        for (uint32_t k = 0; counts[c] && k < crowd->count; k++)
            meets |= crowd->unknown[(size_t)c * crowd->lanes + k] && counts[k] &&
                     counts[c] > (uint32_t)(c == k);
    return meets;
}

bool sl_kappa_crowd_eval(const struct sl_kappa_crowd *crowd, const uint32_t *counts, double *kappa,
                         bool *hypothetical)
{
    uint64_t total = 0;
    for (uint32_t k = 0; k < crowd->count; k++)
        total += counts[k];
    if (total <= (uint64_t)crowd->kappa->set_max + 1)
        return false;
    crowd->kappa->rule->compose_crowd(crowd, counts, kappa);
    for (uint32_t k = 0; k < crowd->count; k++)
        kappa[k] = counts[k] && kappa[k] > 1 ? kappa[k] : 1;
    for (uint32_t k = crowd->count; k < crowd->lanes; k++)
        kappa[k] = 1;
    *hypothetical = crowd->unknown && meets_unknown(crowd, counts);
    return true;
}

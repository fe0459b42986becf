/* A table of shares that fills as they are asked for. */
#include <config.h>

#include "proportions.h"

bool sl_proportions_open(struct sl_proportions *proportions, uint32_t n, double level,
                         struct sl_arena *arena)
{
    *proportions = (struct sl_proportions){.n = n, .level = level};
    proportions->of = sl_arena_array(arena, (size_t)n + 1, sizeof *proportions->of);
    proportions->known = sl_arena_array(arena, (size_t)n + 1, sizeof *proportions->known);
    return proportions->of && proportions->known;
}

struct sl_estimate sl_proportions_at(struct sl_proportions *proportions, uint32_t hits)
{
    if (!proportions->known[hits]) {
        proportions->of[hits] = sl_proportion(hits, proportions->n, proportions->level);
        proportions->known[hits] = true;
    }
    return proportions->of[hits];
}

/* The recurrence of revolve.h, by lengths of the stretch: every shorter one is there when it is
 * needed. */
#include "revolve.h"
#include <math.h>
#include <stdlib.h>

static size_t place(const struct sl_revolve *c, uint32_t i, uint32_t j, uint32_t m)
{
    return ((size_t)m * (c->states + 1) + i) * (c->states + 1) + j;
}

/* `made` [k]: cost of making 1 .. k.  Of equal splits the first: states that are kept longest. */
static void solve_one(struct sl_revolve *c, const double *made, uint32_t i, uint32_t j, uint32_t m)
{
    double least = INFINITY;
    uint32_t split = 1;
    for (uint32_t k = i + 1; k <= j; k++) {
        double behind = k == j ? 0.0 : m > 1 ? c->least[place(c, k, j, m - 1)] : INFINITY;
        double total = made[k] - made[i] + behind + c->least[place(c, i, k - 1, m)];
        if (total < least) {
            least = total;
            split = k - i;
        }
    }
    c->least[place(c, i, j, m)] = least;
    c->split[place(c, i, j, m)] = (uint8_t)split;
}

bool sl_revolve_solve(struct sl_revolve *chain, const double *cost, uint32_t states, uint32_t slots)
{
    double made[SL_REVOLVE_STATES + 1] = {0.0};
    *chain = (struct sl_revolve){.states = states, .slots = slots};
    size_t size = place(chain, 0, 0, slots + 1);
    chain->least = calloc(size, sizeof *chain->least);
    chain->split = calloc(size, sizeof *chain->split);
    if (!chain->least || !chain->split)
        return false;
    for (uint32_t t = 1; t <= states; t++)
        made[t] = made[t - 1] + cost[t];
    for (uint32_t m = 1; m <= slots; m++)
        for (uint32_t length = 1; length <= states; length++)
            for (uint32_t i = 0; i + length <= states; i++)
                solve_one(chain, made, i, i + length, m);
    return true;
}

void sl_revolve_free(struct sl_revolve *chain)
{
    free(chain->least);
    free(chain->split);
    *chain = (struct sl_revolve){0};
}

uint32_t sl_revolve_split(const struct sl_revolve *chain, uint32_t i, uint32_t j, uint32_t m)
{
    return i + chain->split[place(chain, i, j, m)];
}

/* A seeded source of choices for tests over random cases: the same seed, the same case. */
#ifndef SL_TEST_DICE_H
#define SL_TEST_DICE_H
#include <stdbool.h>
#include <stdint.h>

struct dice {
    uint64_t state;
};

/* Uniform in 0 .. bound - 1. */
static inline unsigned dice_below(struct dice *dice, unsigned bound)
{
    dice->state = dice->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((dice->state >> 33) % bound);
}

static inline bool dice_chance(struct dice *dice, unsigned percent)
{
    return dice_below(dice, 100) < percent;
}
#endif

/* A source of choices for tests over random cases: the same seed, the same case.  Where bytes are
 * given they make the first choices, so that a fuzzer can change one choice alone. */
#ifndef SL_TEST_DICE_H
#define SL_TEST_DICE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dice {
    uint64_t state;
    const uint8_t *bytes; /* borrowed */
    size_t byte_count;
};

/* Uniform in 0 .. bound - 1. */
static inline unsigned dice_below(struct dice *dice, unsigned bound)
{
    if (dice->byte_count >= 3) {
        unsigned value = dice->bytes[0];
        if (bound > 256) /* else one byte is enough, and a change of it is a small change */
            value |= (unsigned)dice->bytes[1] << 8 | (unsigned)dice->bytes[2] << 16;
        size_t used = bound > 256 ? 3 : 1;
        dice->bytes += used;
        dice->byte_count -= used;
        return value % bound;
    }
    dice->state = dice->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((dice->state >> 33) % bound);
}

static inline bool dice_chance(struct dice *dice, unsigned percent)
{
    return dice_below(dice, 100) < percent;
}
#endif

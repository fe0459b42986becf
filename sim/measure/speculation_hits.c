/* Which speculative movements of a trial brought what somebody used. */
#include "measure.h"
#include "speculation.h"

void sl_speculation_hits(const struct sl_speculation *speculation, const struct sl_trial *trial,
                         bool *hit)
{
    for (uint32_t k = 0; k < speculation->count; k++) {
        uint32_t i = speculation->nodes[k];
        hit[i] = false;
        if (trial->state[i] != SL_RAN)
            continue;
        for (uint32_t u = speculation->user_start[i]; u < speculation->user_start[i + 1]; u++) {
            uint32_t user = speculation->users[u];
            hit[i] |= speculation->speculative[user] ? hit[user] : trial->state[user] == SL_RAN;
        }
    }
}

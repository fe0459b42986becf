/* Evict none: what the plan keeps stays; who lacks bytes waits for it to be given back. */
#include "parts.h"

const struct sl_part sl_evict_none = {
    .role = "evict",
    .name = "none",
    .description = "while running nothing leaves but by plan",
    .parameters = "none",
    .example = "{action: retain, evict: none}",
};

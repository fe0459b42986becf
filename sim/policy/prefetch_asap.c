/* prefetch.when asap: a move waits for nothing but its data, its place and the engine. */
#include "parts.h"

const struct sl_part sl_prefetch_asap = {
    .role = "prefetch.when",
    .waits_for_room = true,
    .name = "asap",
    .description = "as soon as the copy out and the engine allow",
    .parameters = "none",
    .example = "{action: offload, prefetch: asap}",
};

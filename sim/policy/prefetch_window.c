/* prefetch.when window: a move begins as early as the plan has room for its copy until the
 * consumer.
 *
 * Levels are those of the plan in its own order, at expected times, with every other move where it
 * is.  In the order of their consumers, each copy is laid into the room that the ones before have
 * left, from its consumer backwards (see sl_room_find).  The move then waits for every node before
 * that point that takes bytes in the domain: whatever runs later in the plan was counted beside it,
 * so the copy can keep nothing from its memory that has to run before the consumer. */
#include "attempt.h"

const struct sl_part sl_prefetch_window = {
    .role = "prefetch.when",
    .waits_for_room = true,
    .needs_room = true,
    .fills_room = true,
    .name = "window",
    .description = "as early as the plan has room until the consumer",
    .parameters = "none; the selection's headroom counts",
    .example = "{action: offload, select: belady, prefetch: window}",
};

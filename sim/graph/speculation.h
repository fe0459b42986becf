/* Movements on speculation: what they bring may be needed by nobody.
 *
 * A movement is speculative when every user of the copy that it makes has a guard that the movement
 * does not have itself, so that it may move for nothing; a user that is a speculative movement in
 * its turn, the next hop, counts as such a user. */
#ifndef SL_SPECULATION_H
#define SL_SPECULATION_H
#include "graph.h"

struct sl_speculation {
    bool *speculative; /* per node; NULL: no movement is */
    uint32_t count;    /* of them */
    uint32_t *nodes;   /* them, in reverse topological order: users come before what they use */
    /* users[user_start[i] .. user_start[i + 1]): the readers of the copy that node i makes. */
    uint32_t *user_start, *users;
};

/* Of a finished graph; everything lies in the arena. */
enum sl_status sl_speculation_find(struct sl_speculation *speculation, const struct sl_graph *graph,
                                   struct sl_arena *arena, struct sl_error *err) SL_NODISCARD;
#endif

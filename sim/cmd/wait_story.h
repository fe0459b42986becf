/* A wait told in a sentence: from when, how long, and who then left what it had wanted. */
#ifndef SL_WAIT_STORY_H
#define SL_WAIT_STORY_H
#include "cell.h"

/* "b was ready at 0 ps and started 10.00 us later, when a had left compute"; names as they are
 * (sl_put_clean writes them).  In `arena`; NULL: out of memory. */
const char *sl_wait_story(struct sl_arena *arena, const struct sl_graph *graph, uint32_t node,
                          const struct sl_wait *wait);
#endif

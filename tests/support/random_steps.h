/* Steps of random lives (random_uses.c), each of which adds a node or a few; false where there is
 * nothing to do. */
#ifndef SL_TEST_RANDOM_STEPS_H
#define SL_TEST_RANDOM_STEPS_H
#include "random_maker.h"

bool step_allocate(struct maker *maker);
bool step_map(struct maker *maker);
bool step_fill(struct maker *maker);
/* Two nodes of complementary guards make one value. */
bool step_fill_either_way(struct maker *maker);
/* A node, and one or two that stand by to make its value. */
bool step_fill_with_fallback(struct maker *maker);
bool step_read_only(struct maker *maker);
bool step_update(struct maker *maker);
/* A value that is made and used only where a guard holds. */
bool step_guarded_pair(struct maker *maker);
bool step_barrier(struct maker *maker);

/* An allocation for the object's next writer. */
void step_make_room(struct maker *maker, unsigned object);
/* The newest node waits for the last reclamation, perhaps. */
void step_follow_reclamation(struct maker *maker, unsigned node);
#endif

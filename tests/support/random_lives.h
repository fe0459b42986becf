/* Growing a legal graph node by node: the order in which nodes are added is a legal order of
 * execution, whatever the choices were.
 *
 * Each object has a life (born, filled, read, updated, moved out and back, dropped and made again,
 * reclaimed) and each step takes one life further.  Lives are written out in full (allocation,
 * mapping, moves, reclamation, with every edge that they need stated or implied by stated ones) or
 * left to planning, in which case any of the edges may be missing. */
#ifndef SL_TEST_RANDOM_LIVES_H
#define SL_TEST_RANDOM_LIVES_H
#include "random_maker.h"

/* Adds objects, then nodes until about `nodes` are there, then what ends every life. */
void random_lives_grow(struct maker *maker, unsigned objects, unsigned nodes);
#endif

/* Random legal scenarios: graphs of random_lives.h on a random machine that can run each of them
 * one node after the other. */
#ifndef SL_TEST_RANDOM_SCENARIO_H
#define SL_TEST_RANDOM_SCENARIO_H
#include "dice.h"
#include "draft.h"

struct random_scenario {
    struct draft draft;
    bool begins_away; /* some object is left to policies to be brought home: as-given cannot */
};

/* The same seed gives the same scenario. */
void random_scenario_make(struct random_scenario *made, uint64_t seed);
/* The same by these dice; `searching`: with the policies that plan a few dozen times each, instead
 * of all others. */
void random_scenario_draw(struct random_scenario *made, struct dice dice, bool searching);
/* Puts a disk behind pinned memory: objects whose placements the draft leaves open, and that it
 * does not move itself, begin or are sent there, over two routes, in chunks of so many MiB (0:
 * whole). */
void random_scenario_send_far(struct random_scenario *made, unsigned chunk_mib);
#endif

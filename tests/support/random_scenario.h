/* Random legal scenarios: graphs of random_lives.h on a random machine that can run each of them
 * one node after the other. */
#ifndef SL_TEST_RANDOM_SCENARIO_H
#define SL_TEST_RANDOM_SCENARIO_H
#include "draft.h"

struct random_scenario {
    struct draft draft;
    bool begins_away; /* some object is left to policies to be brought home: as-given cannot */
};

/* The same seed gives the same scenario. */
void random_scenario_make(struct random_scenario *made, uint64_t seed);
#endif

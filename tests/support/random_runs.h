/* Runs of random scenarios: each plan to the end or into a deadlock that is named, while an audit
 * that shares no code with the engine, and the proofs of `explain`, find nothing wrong in any
 * record. */
#ifndef SL_TEST_RANDOM_RUNS_H
#define SL_TEST_RANDOM_RUNS_H
#include "policy.h"
#include "random_scenario.h"

struct random_tally {
    unsigned plans, refused, trials, deadlocks;
    unsigned refuted; /* records made wrong that a proof refused */
    unsigned far;     /* moves from or to the disk, which no route joins with where they are used */
};

/* Plans the policy and runs two trials; what must not be ends the test.  `seed` is also named in
 * what the test says then.  Adds to *tally. */
void random_policy_run(const struct random_scenario *made, const struct sl_scenario *scenario,
                       const struct sl_policy_spec *policy, uint64_t seed,
                       struct random_tally *tally);
#endif

/* Random problems of the stream model, and the scenarios and choices that they are for the
 * simulator. */
#ifndef SL_TEST_STREAM_DRAFT_H
#define SL_TEST_STREAM_DRAFT_H
#include "dice.h"
#include "planlab.h"
#include "planner.h"
#include "stream_model.h"

/* A training step of 2 to `most` stages: f_t writes x_t from x_(t-1), b_t reads x_t, from the last
 * to the first.  The bytes lie between what some choice needs at a time and what they all take. */
void draft_chain(struct sm_problem *problem, struct dice *dice, int most);
/* Nodes in a stream that read what random earlier ones wrote, `objects` of them: once or twice, of
 * which at most one lies further back than the node before. */
void draft_dag(struct sm_problem *problem, struct dice *dice, int objects);

/* The problem as a scenario: nodes n0 .. in one lane, objects x0 .., ms and MiB.  `policies`: lines
 * of YAML.  SL_NO: not legal. */
enum sl_status draft_open(struct planlab *lab, const struct sm_problem *problem,
                          const char *policies);
/* Plans policy `name` with these choices in its stead, and runs it: makespan in ms, -1: it
 * deadlocks or there is no plan. */
int draft_run(struct planlab *lab, const struct sl_planner *planner, const char *name,
              const struct sm_problem *problem, const struct sm_choice *choices);
#endif

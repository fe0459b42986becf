/* The loops that one would write by hand for the workloads, as references: binary heap or rate
 * table, GSL ziggurat draws afresh, double times, no records, no checks. */
#ifndef SL_PLAIN_LOOPS_H
#define SL_PLAIN_LOOPS_H
#include "workloads.h"

struct plain_loop;
struct plain_loop *plain_loop_create(const struct layered *g); /* outlived by `g` */
void plain_loop_free(struct plain_loop *l);
/* Each runs one trial and returns its makespan in us. */
double plain_loop_fifo(struct plain_loop *l); /* event loop, FIFO by ready time */
/* ... with all resources in one group: k running nodes are slowed by max(1, k / 2). */
double plain_loop_kappa(struct plain_loop *l);
/* ... with the priorities, bytes and slowdowns of w1-full: waiting nodes in the order of priority,
 * then ready time, over all resources; who does not find its bytes is passed by. */
void plain_loop_load(struct plain_loop *l, const struct full_load *load); /* outlived by `load` */
double plain_loop_full(struct plain_loop *l);
/* One pass in node order, which is then the order of each resource: no events. */
double plain_loop_longest_path(struct plain_loop *l);

/* Workload sharing in virtual time: a heap of the jobs at work.  Returns their mean response, us.
 */
double plain_sharing(uint32_t jobs);
#endif

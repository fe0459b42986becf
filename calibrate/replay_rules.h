/* Which nodes of a replay start when: the simulator's rules (doc/semantics.md), told what happens
 * by whoever executes.  Times are from the start of the repetition, in any one unit; pure and
 * without threads: calls must not overlap. */
#ifndef SL_REPLAY_RULES_H
#define SL_REPLAY_RULES_H
#include "replay.h"

struct sl_replay_rules;
/* `start` is told each node whose work begins now; what is no work is done inside.  `times` gets
 * ready_ns of all nodes, and start_ns and end_ns of those that are no work. */
enum sl_status sl_replay_rules_create(struct sl_replay_rules **rules,
                                      const struct sl_replay_plan *plan,
                                      void (*start)(void *user, uint32_t node), void *user,
                                      struct sl_error *err) SL_NODISCARD;
void sl_replay_rules_free(struct sl_replay_rules *rules); /* NULL: nothing */

/* Back to before the start; settle at 0 begins. */
void sl_replay_rules_reset(struct sl_replay_rules *rules, struct sl_replay_times *times);
/* The work of a node ended at `now`; settle when all that ended then are told. */
void sl_replay_rules_end(struct sl_replay_rules *rules, uint32_t node, int64_t now);
/* Does all that is due up to `now` and starts what can start then. */
void sl_replay_rules_settle(struct sl_replay_rules *rules, int64_t now);
/* When something is due though no work ends: a lag, release, delay or latency; INT64_MAX: nothing.
 */
int64_t sl_replay_rules_due(const struct sl_replay_rules *rules);
uint32_t sl_replay_rules_running(const struct sl_replay_rules *rules); /* works */
uint32_t sl_replay_rules_left(const struct sl_replay_rules *rules); /* nodes that have not ended */
int64_t sl_replay_rules_makespan(const struct sl_replay_rules *rules); /* so far */
#endif

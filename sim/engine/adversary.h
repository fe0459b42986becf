/* Can held capacity and pending dependencies lock each other?
 *
 * Whether they do depends on the order in which nodes finish, and so on durations.  The adversary
 * chooses these: for one capacity domain at a time, every node that gives bytes of it back is
 * slower than all nodes that do not, taken together.  Where nodes have releases or edges lags, it
 * does so twice: with all nodes quick beside these, and with all slow.  Its runs are legal runs of
 * the engine, so a deadlock of one of them is a proof that the plan can deadlock; that none does is
 * no proof that it cannot. */
#ifndef SL_ADVERSARY_H
#define SL_ADVERSARY_H
#include "engine.h"

#define SL_ADVERSARY_TEXT 1024

/* Runs a finished graph, whose holdings are in it, for each of the first eight domains that could
 * not hold everything at once: no wait for bytes of the others can last.  `cycle` becomes who
 * waits for what, held by whom and reclaimed by whom, or "" when every run ended. */
enum sl_status sl_adversary_run(const struct sl_graph *graph,
                                const struct sl_engine_options *options,
                                char cycle[SL_ADVERSARY_TEXT], struct sl_error *err) SL_NODISCARD;
#endif

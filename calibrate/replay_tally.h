/* What the repetitions of a replay come to, one after the other: durations by node, overlap by pair
 * of classes, the order of starts, and slowdowns by who ran beside. */
#ifndef SL_REPLAY_TALLY_H
#define SL_REPLAY_TALLY_H
#include "beside.h"
#include "replay.h"

struct sl_replay_tally;
/* `order` is the planned place of each node among the starts of its resource; SL_NONE: it has none.
 * `graph` and `plan` outlive the tally. */
enum sl_status sl_replay_tally_create(struct sl_replay_tally **tally,
                                      const struct sl_replay_plan *plan,
                                      const struct sl_graph *graph, const uint32_t *order,
                                      struct sl_error *err) SL_NODISCARD;
void sl_replay_tally_free(struct sl_replay_tally *tally); /* NULL: nothing */
enum sl_status sl_replay_tally_add(struct sl_replay_tally *tally, const struct sl_replay_log *log,
                                   struct sl_error *err) SL_NODISCARD;

uint32_t sl_replay_tally_count(const struct sl_replay_tally *tally); /* repetitions */
/* Of each repetition, in the order of adding; sorted by the second. */
const double *sl_replay_tally_makespans_us(const struct sl_replay_tally *tally);
void sl_replay_tally_sort(struct sl_replay_tally *tally);
double sl_replay_tally_hold_ns(const struct sl_replay_tally *tally, uint32_t node); /* mean */
/* The share of repetitions in which the starts on a resource came as planned, and how many nodes
 * were out of place in the mean. */
double sl_replay_tally_in_order(const struct sl_replay_tally *tally, uint32_t resource);
double sl_replay_tally_misplaced(const struct sl_replay_tally *tally, uint32_t resource);
/* The classes of works, as indices into the scenario's; NULL and 0 where there are more than
 * SL_BESIDE_CLASSES: there is no overlap and no slowdown then. */
const uint32_t *sl_replay_tally_classes(const struct sl_replay_tally *tally, uint32_t *count);
/* Mean time in which works of both of those classes ran, by the tally's indices; of one class, at
 * least two of it. */
double sl_replay_tally_overlap_ns(const struct sl_replay_tally *tally, uint32_t a, uint32_t b);
/* Slowdowns by who ran beside (beside.h), of classes of the scenario; `others` are by the tally's.
 * In the arena; NULL with *count 0: there are none, or out of memory. */
struct sl_slowdown *sl_replay_tally_kappas(const struct sl_replay_tally *tally,
                                           struct sl_arena *arena, uint32_t *count);
#endif

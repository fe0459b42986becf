/* The what-if options of `run`: --sensitivity and --speedup. */
#ifndef SL_WHATIF_H
#define SL_WHATIF_H
#include "sensitivity.h"
#include "session.h"

#define SL_MAX_SPEEDUPS 32

struct sl_whatif {
    bool steps; /* --sensitivity */
    struct sl_speedup speedups[SL_MAX_SPEEDUPS];
    uint32_t speedup_count;
    bool done; /* `result` holds something */
    struct sl_sensitivity result;
};

/* Takes "NAME=PERCENT" of --speedup; the name is kept in the arena. */
enum sl_status sl_whatif_speedup(struct sl_whatif *whatif, const char *text, struct sl_arena *arena,
                                 struct sl_error *err) SL_NODISCARD;
/* SL_USAGE, reported, when a speedup names neither a class nor a route of the scenario. */
enum sl_status sl_whatif_check(const struct sl_whatif *whatif,
                               const struct sl_session *session) SL_NODISCARD;
/* Simulates what was asked for of a finished cell, with progress; nothing where it has no completed
 * trial.  Says on stderr how much it is. */
enum sl_status sl_whatif_run(struct sl_whatif *whatif, const struct sl_session *session,
                             const struct sl_cell *cell, struct sl_error *err) SL_NODISCARD;
#endif

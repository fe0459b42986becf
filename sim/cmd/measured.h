/* `compare --measured`: folders of replays, each the measurement of one of the policies compared.
 */
#ifndef SL_MEASURED_H
#define SL_MEASURED_H
#include "rank_check.h"
#include "replay_csv.h"
#include "runargs.h"

/* Zero-initialise; sl_measured_free releases. */
struct sl_measured {
    const char *dirs[SL_MAX_POLICIES];                         /* as given */
    uint32_t dir_count;                                        /* 0: not asked for */
    struct sl_replay_record records[SL_MAX_POLICIES];          /* by folder */
    const struct sl_replay_record *of_policy[SL_MAX_POLICIES]; /* in the order of --policy */
    struct sl_arena arena;
    struct sl_rank_check check;
};

/* Takes one --measured. */
enum sl_status sl_measured_take(struct sl_measured *measured, const char *dir,
                                struct sl_error *err) SL_NODISCARD;
/* Reads the folders, if any were given, and finds the one of each policy; faults are reported on
 * stderr. */
enum sl_status sl_measured_read(struct sl_measured *measured,
                                const struct sl_run_args *args) SL_NODISCARD;
/* SL_INVALID, located, when a folder is another scenario's. */
enum sl_status sl_measured_check(const struct sl_measured *measured,
                                 const struct sl_scenario *scenario,
                                 struct sl_error *err) SL_NODISCARD;
/* SL_INVALID, located, when what was executed is not this cell's plan.  `policy` is its index. */
enum sl_status sl_measured_check_plan(const struct sl_measured *measured, uint32_t policy,
                                      const struct sl_cell *cell,
                                      struct sl_error *err) SL_NODISCARD;
/* Once all policies have run, as sl_rank_check_make has it. */
enum sl_status sl_measured_rank(struct sl_measured *measured, const struct sl_contest *contest,
                                double q, uint64_t seed, double min_gain,
                                struct sl_error *err) SL_NODISCARD;
void sl_measured_free(struct sl_measured *measured);
#endif

/* Dynamic tensor rematerialization by the rules of its authors' simulator (Kirisame et al., ICLR
 * 2021), written for these tests from the rules and sharing nothing with the engine.
 *
 * - Operators run one after the other, ns by ns.  Before one runs its arguments are locked, missing
 *   ones are recomputed first (which may recurse), and storages are evicted until its results fit.
 * - An operator that runs again makes all its results; those that are still there are made twice
 * for the moment and count while it runs.
 * - A view has no bytes.  When its storage is evicted it is lost, too, and comes back by running
 * its operator, as everything does.
 * - A storage whose last name is dropped is evicted at once, unless it is pinned.  Constants and
 *   outputs are pinned.
 * - The storage with the smallest score goes first; of equal scores the one that became evictable
 * last.
 * - When more than `limit_ns` have been spent on running operators again, the run is cut off. */
#ifndef SL_TEST_DTR_REFERENCE_H
#define SL_TEST_DTR_REFERENCE_H
#include "dtr_log.h"

/* Scores.  c: ns of the operators that make the storage and its views; staleness: ns since it was
 * made or an operator read it. */
enum dtr_score {
    DTR_FULL,    /* (c + that of evicted ancestors and descendants) / (bytes x staleness) */
    DTR_LOCAL,   /* c / (bytes x staleness) */
    DTR_MSPS,    /* (c + that of evicted ancestors) / bytes */
    DTR_LRU,     /* when it was last used */
    DTR_LARGEST, /* 1 / bytes */
    DTR_SCORES
};
extern const char *const dtr_score_names[DTR_SCORES]; /* as in the recorded results */

struct dtr_outcome {
    bool out_of_memory, cut_off;
    int64_t clock_ns;           /* at the end, or where it stopped; starts at 1 */
    int64_t model_ns, remat_ns; /* operators run for the first time, and again */
    int64_t peak_bytes;
    uint32_t evictions; /* those that made room */
};

/* The rules above, and other ones in their place. */
struct dtr_rules {
    enum dtr_score score;
    bool used_at_end;     /* it is used until the operator ends, not where it was asked for */
    bool first_of_equals; /* of equal scores the storage that the log makes first */
    bool gathers; /* what is missing is called at once (dtr_gathered.c); the two before hold, too */
};

/* budget: bytes. */
struct dtr_outcome dtr_simulate(const struct dtr_log *log, const struct dtr_rules *rules,
                                int64_t budget, int64_t limit_ns);
/* The most bytes when nothing is evicted but what has no name any more, constants too. */
int64_t dtr_baseline(const struct dtr_log *log);
#endif

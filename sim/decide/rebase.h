/* A decision carried over to another device: its policy planned again there, beside all others, and
 * which rows of the tables moved it against its nearest rival. */
#ifndef SL_REBASE_H
#define SL_REBASE_H
#include "cell.h"
#include "record.h"
#include "record_scenario.h"
#include "search.h"
#include "swap.h"

struct sl_rebase_request {
    const char *device;   /* folder of the new one, from the working folder */
    double budget_s;      /* of a search for a better plan there; 0: none */
    uint32_t trials;      /* 0: the record's */
    struct sl_pool *pool; /* NULL: the caller alone */
};

/* A policy on both devices; [0] the old one, [1] the new one. */
struct sl_rebase_candidate {
    const char *policy, *point; /* point NULL: none */
    const struct sl_policy_spec *specs[2];
    enum sl_verdict verdicts[2];
    const char *reasons[2];        /* "" of ok */
    double *metric_us[2];          /* by trial, INFINITY where it deadlocked; NULL: no legal plan */
    struct sl_estimate figure[2];  /* what is compared */
    struct sl_estimate against[2]; /* that of it less that of the selected, on common draws */
    bool same[2];                  /* the selected one's time in each trial; false of itself */
    bool searched;                 /* found by the search on the new device */
};

enum sl_rebase_outcome {
    SL_REBASE_KEPT,    /* every other is shown to be slower, not feasible there, or the same */
    SL_REBASE_FLIPPED, /* another one is shown to be faster by min_gain, or it is not feasible */
    SL_REBASE_OPEN     /* not told apart from some other */
};
const char *sl_rebase_outcome_name(enum sl_rebase_outcome outcome);

/* What a row does to the difference rival - selected: that with the row of the new device less that
 * with none, in us. */
struct sl_rebase_effect {
    const char *name;
    struct sl_estimate effect;
    bool flips; /* it alone puts the two in the other order, beyond zero */
};

struct sl_rebase {
    struct sl_arena arena;
    struct sl_record_scenario at[2];
    const char *devices[2]; /* names */
    bool jobs;              /* mode open or closed: trials are replications, of which each has its
                             * own figure, and compared are the means of these */
    double q;               /* the quantile that is compared; NAN: the mean */
    uint32_t trials;
    struct sl_rebase_candidate *candidates; /* the selected one first */
    uint32_t count;
    struct sl_search_result searched; /* owns the searched candidate's policy */
    uint32_t plans_searched;          /* there; 0: no search */
    const char *missing; /* policies of the record that the scenario does not have; NULL: none */
    enum sl_rebase_outcome outcome;
    uint32_t rival; /* index of the nearest on the new device that differs; SL_NONE */
    struct sl_estimate difference[2]; /* rival - selected, us */
    struct sl_swaps swaps;
    struct sl_rebase_effect *effects; /* largest first */
    uint32_t effect_count;
    /* All rows at once; that less their sum; what is not in the rows (swaps.others). */
    struct sl_estimate together, interaction, others;
};

/* SL_INVALID: the scenario has changed since the decision, or the device does not fit it.  Faults
 * go to `diags`.  sl_rebase_free releases in every case. */
enum sl_status sl_rebase_make(struct sl_rebase *rebase, const struct sl_record *record,
                              const struct sl_rebase_request *request, struct sl_diags *diags,
                              struct sl_error *err) SL_NODISCARD;
void sl_rebase_free(struct sl_rebase *rebase);
/* "p99", "median", "mean": the figure that is compared. */
const char *sl_rebase_figure_name(const struct sl_rebase *rebase, char buffer[16]);
#endif

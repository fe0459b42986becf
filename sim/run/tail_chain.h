/* What is on the realized chain in the worst 1% of a cell's trials and not in the middle ones. */
#ifndef SL_TAIL_CHAIN_H
#define SL_TAIL_CHAIN_H
#include "quantile.h"

/* Trials of a group with something on their chain, and its time there, summed over the group. */
struct sl_chain_sum {
    uint32_t trials;
    int64_t ps;
};

/* A node, or a part of the chain by kind and cause.  `difference` is the share of the tail's trials
 * that have it on their chain less that of the middle's; its 95% interval is conservative, from exact
 * binomial ones of either share at 97.5%, given where the groups begin and end. */
struct sl_chain_contrast {
    struct sl_chain_sum tail, middle;
    struct sl_estimate difference;
};

/* The tail: trials at or above the p99 order statistic.  The middle: trials from the p40 to the p60
 * order statistic.  Of trials that completed, at most 1000 of the tail and 4 of the middle to each of
 * these are looked at, those with the smallest numbers. */
struct sl_tail_chain {
    bool apart; /* the p99 order statistic is above the p60 one */
    int64_t from_ps, middle_from_ps, middle_to_ps;
    uint32_t tail_trials, middle_trials; /* 0 unless apart */
    /* By node, and by part as sl_cell.chain_kind_cause_ps; NULL unless apart with
     * SL_TAIL_CHAIN_LEAST trials in each group. */
    struct sl_chain_contrast *nodes, *parts;
};
#define SL_TAIL_CHAIN_LEAST 20u

/* Mean over a group of `trials`, in us. */
double sl_tail_chain_us(const struct sl_chain_sum *sum, uint32_t trials);
#endif

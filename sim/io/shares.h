/* Who wins how often over draws of the calibration, in each group of a sweep. */
#ifndef SL_SHARES_H
#define SL_SHARES_H
#include "draw_store.h"
#include "grouping.h"

struct sl_group_shares {
    uint32_t *rows;              /* of the summary: the cells that compete */
    struct sl_win_share *shares; /* by contender */
    uint32_t count, draws;
    uint32_t nobodys;            /* draws in which every contender deadlocks */
    uint32_t leader;             /* contender with the lowest nominal tail; SL_NONE: none competes */
    struct sl_estimate lead;     /* share of draws in which it is below all others by min_gain */
};

/* Zero-initialise; sl_shares_free releases. */
struct sl_shares {
    struct sl_arena arena;
    struct sl_group_shares *groups; /* NULL: no draws */
    uint32_t group_count;
    double min_gain;
};

/* Counts for all groups; leaves `shares` empty where no cell has draws. */
enum sl_status sl_shares_count(struct sl_shares *shares, const struct sl_frame *summary,
                               const struct sl_grouping *grouping,
                               const struct sl_draw_store *store, double min_gain,
                               struct sl_error *err) SL_NODISCARD;
/* Writes DIR/win_shares.csv whole: a row per cell that competes. */
enum sl_status sl_shares_write(const struct sl_shares *shares, const struct sl_frame *summary,
                               const struct sl_grouping *grouping, const char *dir,
                               struct sl_error *err) SL_NODISCARD;
void sl_shares_free(struct sl_shares *shares);
#endif

/* What a cell counts about its nodes besides their times: a tally is one file ending in a struct,
 * and one line in tallies.c.
 *
 * Each thread has a part of its own, which sees the trials that the thread ran.  Parts hold
 * integers, and arrays of the cell indexed by trial, so that the order of adding does not show. */
#ifndef SL_TALLIES_H
#define SL_TALLIES_H
#include "cell.h"

struct sl_tally {
    /* Makes the cell's arrays; before the trials. */
    enum sl_status (*begin)(struct sl_cell *cell, struct sl_error *err);
    /* One thread's part, in `arena`.  *part NULL: nothing to do in this cell. */
    enum sl_status (*open)(void **part, struct sl_cell *cell, struct sl_arena *arena,
                           struct sl_error *err);
    /* Every trial, deadlocked ones too. */
    enum sl_status (*visit)(void *part, const struct sl_trial *record, struct sl_error *err);
    /* Adds a part to the cell; after the trials, in the order of the threads. */
    enum sl_status (*add)(struct sl_cell *cell, const void *part, struct sl_error *err);
    void (*close)(void *part); /* what is not in the arena; NULL: nothing */
    /* Estimates; once, after the last part. */
    enum sl_status (*finish)(struct sl_cell *cell, struct sl_error *err);
};

#define SL_TALLIES 7
extern const struct sl_tally *const sl_tallies[SL_TALLIES];
extern const struct sl_tally sl_tally_deadlines, sl_tally_fallbacks, sl_tally_peers,
    sl_tally_windows, sl_tally_iterations, sl_tally_stalls, sl_tally_class_pairs;

/* How many of the first trials can be kept with one number for each of `items`. */
uint32_t sl_tally_kept_trials(uint32_t trials, uint32_t items);
/* How many of the first trials take part in what costs about as much as a trial itself: 1,000, or
 * fewer where a trial has many `items`. */
uint32_t sl_tally_first_trials(uint32_t trials, uint32_t items);
/* The node that runs in the place of `node`: itself, or the first of its chain of fallbacks that
 * was not cancelled; SL_NONE when the chain ends. */
uint32_t sl_tally_taker(const struct sl_graph *graph, const struct sl_trial *record, uint32_t node);
#endif

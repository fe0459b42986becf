/* What a cell counts about its nodes besides their times: a tally is one file ending in a struct,
 * and one line in tallies.c.
 *
 * Each thread has a part of its own, which sees the trials that the thread ran.  Parts hold
 * integers, and arrays of the cell indexed by trial, so that the order of adding does not show. */
#ifndef SL_TALLIES_H
#define SL_TALLIES_H
#include "cell.h"
#include "wire.h"

/* Trials first .. first + trials - 1 of a cell, on their way between processes: from one that ran them,
 * and nothing else, to one whose cell has room for them. */
struct sl_portion {
    struct sl_wire wire;
    uint32_t first, trials;
};

struct sl_tally {
    /* Makes the cell's sums; once, before any trial. */
    enum sl_status (*begin)(struct sl_cell *cell, struct sl_error *err);
    /* Makes room for cell->trials trials where `had` are; before each lot of trials, and so are the
     * parts.  NULL: nothing is indexed by trial. */
    enum sl_status (*grow)(struct sl_cell *cell, uint32_t had, struct sl_error *err);
    /* One thread's part, in `arena`.  *part NULL: nothing to do in this cell. */
    enum sl_status (*open)(void **part, struct sl_cell *cell, struct sl_arena *arena,
                           struct sl_error *err);
    /* Every trial, deadlocked ones too. */
    enum sl_status (*visit)(void *part, const struct sl_trial *record, struct sl_error *err);
    /* Adds a part to the cell; after the lot, in the order of the threads. */
    enum sl_status (*add)(struct sl_cell *cell, const void *part, struct sl_error *err);
    void (*close)(void *part); /* what is not in the arena; NULL: nothing */
    /* What the portion gave to the sums and to the arrays by trial, either way. */
    void (*exchange)(struct sl_cell *cell, struct sl_portion *portion);
    /* Estimates; once, after the last lot.  NULL: the sums are all there is. */
    enum sl_status (*finish)(struct sl_cell *cell, struct sl_error *err);
};

#define SL_TALLIES 9
extern const struct sl_tally *const sl_tallies[SL_TALLIES];
extern const struct sl_tally sl_tally_deadlines, sl_tally_fallbacks, sl_tally_peers,
    sl_tally_windows, sl_tally_iterations, sl_tally_stalls, sl_tally_class_pairs,
    sl_tally_evictions, sl_tally_speculation;

/* `rows` (NULL: none yet) with room for `wanted` of them, `size` bytes each, of which the first `had`
 * are kept and the others 0; as they were where that is no more.  In the cell's arena, where the
 * old ones stay: doubling takes twice the memory of the last lot at most.  NULL: out of memory. */
void *sl_cell_more_rows(struct sl_cell *cell, void *rows, size_t had, size_t wanted, size_t size);
/* The rows of the portion's trials below `kept` in an array by trial, `size` bytes each. */
void sl_portion_rows(struct sl_portion *portion, void *rows, uint32_t kept, size_t size);
/* How many of the first trials can be kept with one number for each of `items`. */
uint32_t sl_tally_kept_trials(uint32_t trials, uint32_t items);
/* How many of the first trials take part in what costs about as much as a trial itself:
 * SL_TALLY_MOST_FIRST, or fewer where a trial has many `items`. */
#define SL_TALLY_MOST_FIRST 1000
uint32_t sl_tally_first_trials(uint32_t trials, uint32_t items);
/* The node that runs in the place of `node`: itself, or the first of its chain of fallbacks that
 * was not cancelled; SL_NONE when the chain ends. */
uint32_t sl_tally_taker(const struct sl_graph *graph, const struct sl_trial *record, uint32_t node);
#endif

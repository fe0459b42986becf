/* Sums by node.  A trial in which every node ran once, as most do, is added in one pass over
 * vectors; what else may happen, run by run. */
#include "node_sums.h"
#include "isa.h"

enum { LANES = 4, CHUNK = 16 };
typedef int64_t times __attribute__((vector_size(LANES * sizeof(int64_t)), aligned(8), may_alias));
typedef uint32_t counts
    __attribute__((vector_size(LANES * sizeof(uint32_t)), aligned(4), may_alias));
typedef uint8_t causes __attribute__((vector_size(CHUNK), aligned(1), may_alias));
#define TIMES(array, i)  (*(const times *)((array) + (i)))
#define ADD(array, i, x) (*(times *)((array) + (i)) += (x))

bool sl_node_totals_init(struct sl_node_totals *totals, size_t nodes, struct sl_arena *arena)
{
    size_t n = nodes + 1;
    *totals = (struct sl_node_totals){
        .on_chain = sl_arena_array(arena, n, sizeof *totals->on_chain),
        .chain_ps = sl_arena_array(arena, n, sizeof *totals->chain_ps),
        .ran = sl_arena_array(arena, n, sizeof *totals->ran),
        .runs = sl_arena_array(arena, n, sizeof *totals->runs),
        .wait_ps = sl_arena_array(arena, n, sizeof *totals->wait_ps),
        .longest_wait = sl_arena_array(arena, n, sizeof *totals->longest_wait),
        .starved = sl_arena_array(arena, n, sizeof *totals->starved),
        .bypassed = sl_arena_array(arena, n, sizeof *totals->bypassed),
        .run_ps = sl_arena_array(arena, n, sizeof *totals->run_ps),
        .hold_ps = sl_arena_array(arena, n, sizeof *totals->hold_ps),
        .isolated_ps = sl_arena_array(arena, n, sizeof *totals->isolated_ps),
    };
    return totals->on_chain && totals->chain_ps && totals->ran && totals->runs && totals->wait_ps &&
           totals->longest_wait && totals->starved && totals->bypassed && totals->run_ps &&
           totals->hold_ps && totals->isolated_ps;
}

bool sl_node_sums_init(struct sl_node_sums *sums, uint32_t nodes,
                       const struct sl_node_totals *lender, struct sl_arena *arena)
{
    size_t n = (size_t)nodes + 1;
    *sums = (struct sl_node_sums){
        .nodes = nodes,
        .packed = nodes - nodes % CHUNK,
        .longest_ps = sl_arena_array(arena, n, sizeof *sums->longest_ps),
        .last_ran = sl_arena_array(arena, n, sizeof *sums->last_ran),
        .last_on_chain = sl_arena_array(arena, n, sizeof *sums->last_on_chain),
        .short_of_capacity = sl_arena_array(arena, n, sizeof *sums->short_of_capacity),
    };
    if (!sums->longest_ps || !sums->last_ran || !sums->last_on_chain || !sums->short_of_capacity)
        return false;
    if (!lender)
        return sl_node_totals_init(&sums->totals, nodes, arena);
    sums->lent = true;
    sums->totals = *lender;
    for (uint32_t i = 0; i < nodes; i++)
        if (lender->longest_wait[i].wait_ps > 0)
            sums->longest_ps[i] = lender->longest_wait[i].wait_ps;
    return true;
}

/* Where no release of that instant let it go the engine names what made it ready, and a lag. */
struct sl_wait sl_wait_of(const struct sl_trial *record, uint32_t node)
{
    return (struct sl_wait){
        .ready_ps = record->ready_ps[node],
        .wait_ps = record->start_ps[node] - record->ready_ps[node],
        .trial = record->trial,
        .cause = (enum sl_cause)record->cause[node],
        .behind = record->lag_ps[node] == 0 ? record->behind[node] : SL_NONE,
        .bypassed = record->bypassed[node],
    };
}

static inline int64_t wait_ps(const struct sl_trial *record, uint32_t run)
{
    return record->start_ps[run] - record->ready_ps[run];
}

static void keep_if_longest(struct sl_node_sums *sums, const struct sl_trial *record, uint32_t run,
                            uint32_t node)
{
    int64_t wait = wait_ps(record, run);
    if (wait > sums->longest_ps[node]) {
        sums->longest_ps[node] = wait;
        sums->totals.longest_wait[node] = sl_wait_of(record, run);
    }
}

/* One run.  Returns its wait. */
static int64_t add_run(struct sl_node_sums *sums, const struct sl_trial *record, uint32_t run)
{
    struct sl_node_totals *to = &sums->totals;
    uint32_t node = sl_trial_node(record, sums->nodes, run);
    to->runs[node]++;
    sums->single_runs++;
    to->ran[node] += sums->last_ran[node] != record->trial + 1;
    sums->last_ran[node] = record->trial + 1;
    to->wait_ps[node] += wait_ps(record, run);
    to->run_ps[node] += record->finish_ps[run] - record->start_ps[run];
    to->hold_ps[node] += record->free_ps[run] - record->start_ps[run];
    to->isolated_ps[node] += record->duration_ps[run];
    if (record->bypasses > 0)
        to->bypassed[node] += record->bypassed[run];
    sums->short_of_capacity[node] |= record->cause[run] == SL_CAUSE_CAPACITY;
    keep_if_longest(sums, record, run, node);
    return wait_ps(record, run);
}

/* The nodes before `packed` of a whole trial, except for their runs.  *longest_ps: the longest wait
 * among them. */
static SL_ALWAYS_INLINE void add_packed_body(struct sl_node_sums *sums,
                                             const struct sl_trial *record, int64_t *longest_ps)
{
    struct sl_node_totals *to = &sums->totals;
    times longest = {0};
    for (uint32_t first = 0; first < sums->packed; first += CHUNK) {
        times left = {0}; /* negative in a lane: some wait is longer than its node's longest */
        for (uint32_t i = first; i < first + CHUNK; i += LANES) {
            times start = TIMES(record->start_ps, i), wait = start - TIMES(record->ready_ps, i);
            ADD(to->wait_ps, i, wait);
            ADD(to->run_ps, i, TIMES(record->finish_ps, i) - start);
            ADD(to->hold_ps, i, TIMES(record->free_ps, i) - start);
            ADD(to->isolated_ps, i, TIMES(record->duration_ps, i));
            left |= TIMES(sums->longest_ps, i) - wait;
            times longer = wait > longest;
            longest = (wait & longer) | (longest & ~longer);
        }
        const causes *cause = (const causes *)(record->cause + first);
        *(causes *)(sums->short_of_capacity + first) |= (causes)(*cause == SL_CAUSE_CAPACITY);
        if ((left[0] | left[1] | left[2] | left[3]) < 0)
            for (uint32_t i = first; i < first + CHUNK; i++)
                keep_if_longest(sums, record, i, i);
    }
    for (int k = 0; k < LANES; k++)
        *longest_ps = longest[k] > *longest_ps ? longest[k] : *longest_ps;
}
SL_FOR_EACH_ISA(add_packed,
                (struct sl_node_sums * sums, const struct sl_trial *record, int64_t *longest_ps),
                (sums, record, longest_ps))

/* Of the same nodes, how often each was passed by. */
static SL_ALWAYS_INLINE void add_bypasses_body(struct sl_node_sums *sums,
                                               const struct sl_trial *record)
{
    for (uint32_t i = 0; i < sums->packed; i += LANES) {
        const counts *bypassed = (const counts *)(record->bypassed + i);
        ADD(sums->totals.bypassed, i, __builtin_convertvector(*bypassed, times));
    }
}
SL_FOR_EACH_ISA(add_bypasses, (struct sl_node_sums * sums, const struct sl_trial *record),
                (sums, record))

/* Counts the waits beyond the bound, where there is one. */
static uint32_t add_starved(struct sl_node_sums *sums, const struct sl_trial *record,
                            int64_t bound_ps)
{
    uint32_t starved = 0;
    for (uint32_t i = 0; i < record->run_count; i++)
        if (record->state[i] == SL_RAN && wait_ps(record, i) > bound_ps) {
            sums->totals.starved[sl_trial_node(record, sums->nodes, i)]++;
            starved++;
        }
    return starved;
}

void sl_node_sums_add(struct sl_node_sums *sums, const struct sl_trial *record, int64_t bound_ps,
                      int64_t *longest_ps, uint32_t *starved)
{
    bool whole = record->all_ran && record->run_count == sums->nodes;
    int64_t longest = 0;
    if (whole) {
        add_packed(sums, record, &longest);
        if (record->bypasses > 0)
            add_bypasses(sums, record);
        sums->whole_trials++;
    }
    for (uint32_t i = whole ? sums->packed : 0; i < record->run_count; i++)
        if (record->state[i] == SL_RAN) {
            int64_t wait = add_run(sums, record, i);
            longest = wait > longest ? wait : longest;
        }
    *longest_ps = longest;
    *starved = longest > bound_ps ? add_starved(sums, record, bound_ps) : 0;
}

void sl_wait_keep_longest(struct sl_wait *longest, const struct sl_wait *wait)
{
    if (wait->wait_ps > longest->wait_ps ||
        (wait->wait_ps == longest->wait_ps && wait->trial < longest->trial))
        *longest = *wait;
}

/* Whole trials count a run of each node at once. */
static void add_whole_trials(struct sl_node_totals *totals, const struct sl_node_sums *sums)
{
    for (uint32_t i = 0; i < sums->packed; i++) {
        totals->ran[i] += (uint32_t)sums->whole_trials;
        totals->runs[i] += sums->whole_trials;
    }
}

static void add_totals(struct sl_node_totals *to, const struct sl_node_totals *from, uint32_t nodes)
{
    for (uint32_t i = 0; i < nodes; i++) {
        to->on_chain[i] += from->on_chain[i];
        to->chain_ps[i] += from->chain_ps[i];
        to->ran[i] += from->ran[i];
        to->runs[i] += from->runs[i];
        to->wait_ps[i] += from->wait_ps[i];
        sl_wait_keep_longest(&to->longest_wait[i], &from->longest_wait[i]);
        to->starved[i] += from->starved[i];
        to->bypassed[i] += from->bypassed[i];
        to->run_ps[i] += from->run_ps[i];
        to->hold_ps[i] += from->hold_ps[i];
        to->isolated_ps[i] += from->isolated_ps[i];
    }
}

uint64_t sl_node_sums_merge(struct sl_node_totals *totals, const struct sl_node_sums *sums)
{
    if (sums->whole_trials > 0)
        add_whole_trials(totals, sums);
    if (!sums->lent)
        add_totals(totals, &sums->totals, sums->nodes);
    return sums->whole_trials * sums->packed + sums->single_runs;
}

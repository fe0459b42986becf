/* Overlap, time saved and inflation by pair of classes.
 *
 * The starts and ends of a record cut the trial into intervals in which the same nodes run.  What
 * runs is a state: how many nodes of each cell (class, contention groups).  States recur, so their
 * times are added up first, and rates are looked up once for each. */
#include "class_pairs.h"
#include "kappa_crowd.h"
#include "keysort.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_COUNTS (1u << 20) /* numbers in the table of states */
#define MOST_STATES 1024u

struct running_cell {
    uint32_t klass;
    uint64_t groups;
    uint64_t hash; /* a state's hash: the sum over what runs */
};

struct sl_class_pairs {
    const struct sl_graph *graph;
    const struct sl_kappa *kappa;
    enum sl_corner corner;
    uint32_t classes, cell_count, *cell_of; /* by node; SL_NONE: no class or no duration */
    struct running_cell *cells;
    /* Starts and ends of a trial: the time, and twice the cell, plus 1 for a start. */
    struct sl_keyed *events, *scratch;
    size_t event_capacity;
    /* States of this trial, by hash; time 0 marks an empty slot. */
    uint32_t slots, used, *counts;
    int64_t *time_ps;
    /* What runs: by cell; of one state: the cells and classes in it, others by class. */
    uint32_t *running, *active, *others, *class_nodes;
    double *class_rate; /* sum of 1 / kappa */
    /* Where all cells contend with each other: their classes, ascending, nodes and kappa of each;
     * and the place of a class among them. */
    struct sl_kappa_crowd crowd;
    uint32_t *crowd_classes, *crowd_counts, *crowd_place;
    double *crowd_kappa;
    bool is_crowd;
    /* Of this trial, class x class. */
    int64_t *overlap_ps;
    double *saved_ps, *inflation_ps;
    struct sl_arena arena;
};

/* ---- packing ------------------------------------------------------------------------------- */

static uint32_t find_cell(struct sl_class_pairs *pairs, uint32_t klass, uint64_t groups)
{
    for (uint32_t c = 0; c < pairs->cell_count; c++)
        if (pairs->cells[c].klass == klass && pairs->cells[c].groups == groups)
            return c;
    uint32_t cell = pairs->cell_count++;
    pairs->cells[cell] =
        (struct running_cell){.klass = klass, .groups = groups, .hash = sl_hash_index(cell)};
    return cell;
}

static bool pack_cells(struct sl_class_pairs *pairs)
{
    const struct sl_graph *graph = pairs->graph;
    size_t n = (size_t)graph->node_count + 1;
    pairs->cell_of = sl_arena_array(&pairs->arena, n, sizeof *pairs->cell_of);
    pairs->cells = sl_arena_array(&pairs->arena, n, sizeof *pairs->cells);
    pairs->event_capacity = 2 * n;
    pairs->events = sl_arena_array(&pairs->arena, 2 * n, sizeof *pairs->events);
    pairs->scratch = sl_arena_array(&pairs->arena, 2 * n, sizeof *pairs->scratch);
    if (!pairs->cell_of || !pairs->cells || !pairs->events || !pairs->scratch)
        return false;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct sl_node *node = &graph->nodes[i];
        pairs->cell_of[i] = node->klass == SL_NONE || !node->dist
                                ? SL_NONE
                                : find_cell(pairs, node->klass, sl_node_groups(graph, node));
    }
    return true;
}

static bool make_scratch(struct sl_class_pairs *pairs)
{
    struct sl_arena *arena = &pairs->arena;
    size_t cells = (size_t)pairs->cell_count + 1, classes = (size_t)pairs->classes + 1;
    size_t matrix = classes * classes;
    pairs->slots = MOST_STATES;
    while (pairs->slots > 2 && pairs->slots * cells > MOST_COUNTS)
        pairs->slots /= 2;
    pairs->counts = sl_arena_array(arena, pairs->slots * cells, sizeof *pairs->counts);
    pairs->time_ps = sl_arena_array(arena, pairs->slots, sizeof *pairs->time_ps);
    pairs->running = sl_arena_array(arena, cells, sizeof *pairs->running);
    pairs->active = sl_arena_array(arena, cells, sizeof *pairs->active);
    pairs->others = sl_arena_array(arena, classes, sizeof *pairs->others);
    pairs->class_nodes = sl_arena_array(arena, classes, sizeof *pairs->class_nodes);
    pairs->class_rate = sl_arena_array(arena, classes, sizeof *pairs->class_rate);
    pairs->overlap_ps = sl_arena_array(arena, matrix, sizeof *pairs->overlap_ps);
    pairs->saved_ps = sl_arena_array(arena, matrix, sizeof *pairs->saved_ps);
    pairs->inflation_ps = sl_arena_array(arena, matrix, sizeof *pairs->inflation_ps);
    return pairs->counts && pairs->time_ps && pairs->running && pairs->active && pairs->others &&
           pairs->class_nodes && pairs->class_rate && pairs->overlap_ps && pairs->saved_ps &&
           pairs->inflation_ps;
}

static bool all_contend(const struct sl_class_pairs *pairs)
{
    uint64_t shared = UINT64_MAX;
    for (uint32_t c = 0; c < pairs->cell_count; c++)
        shared &= pairs->cells[c].groups;
    return shared != 0 && pairs->cell_count > 0;
}

/* False when out of memory; a rule that composes no crowds leaves is_crowd false. */
static bool make_crowd(struct sl_class_pairs *pairs)
{
    struct sl_arena *arena = &pairs->arena;
    size_t classes = (size_t)pairs->classes + SL_CROWD_LANES;
    uint32_t count = 0;
    if (!all_contend(pairs))
        return true;
    pairs->crowd_classes = sl_arena_array(arena, classes, sizeof *pairs->crowd_classes);
    pairs->crowd_counts = sl_arena_array(arena, classes, sizeof *pairs->crowd_counts);
    pairs->crowd_place = sl_arena_array(arena, classes, sizeof *pairs->crowd_place);
    pairs->crowd_kappa = sl_arena_array(arena, classes, sizeof *pairs->crowd_kappa);
    if (!pairs->crowd_classes || !pairs->crowd_counts || !pairs->crowd_place || !pairs->crowd_kappa)
        return false;
    for (uint32_t c = 0; c < pairs->cell_count; c++)
        pairs->crowd_counts[pairs->cells[c].klass] = 1;
    for (uint32_t k = 0; k < pairs->classes; k++)
        if (pairs->crowd_counts[k]) {
            pairs->crowd_place[k] = count;
            pairs->crowd_classes[count++] = k;
        }
    pairs->is_crowd = sl_kappa_crowd_serves(pairs->kappa, count);
    return !pairs->is_crowd ||
           sl_kappa_crowd_create(&pairs->crowd, pairs->kappa, pairs->crowd_classes, count,
                                 pairs->corner, arena);
}

enum sl_status sl_class_pairs_create(struct sl_class_pairs **out, const struct sl_graph *graph,
                                     enum sl_corner corner, struct sl_error *err)
{
    struct sl_class_pairs *pairs = *out = calloc(1, sizeof *pairs);
    if (pairs) {
        pairs->graph = graph;
        pairs->kappa = &graph->platform->kappa;
        pairs->corner = corner;
        pairs->classes = pairs->kappa->classes.count;
        if (pack_cells(pairs) && make_scratch(pairs) && make_crowd(pairs))
            return SL_OK;
    }
    sl_class_pairs_free(pairs);
    *out = NULL;
    return SL_FAIL(err, SL_SYSTEM, "out of memory for pairs of classes");
}

void sl_class_pairs_free(struct sl_class_pairs *pairs)
{
    if (!pairs)
        return;
    sl_arena_free(&pairs->arena);
    free(pairs);
}

size_t sl_class_pairs_work(const struct sl_class_pairs *pairs)
{
    return (size_t)pairs->graph->node_count * (1 + pairs->cell_count / 8) +
           (size_t)pairs->classes * pairs->classes;
}

/* ---- one state ----------------------------------------------------------------------------- */

/* Running nodes that share a group with one of `cell`, that one left out; by class in others. */
static uint32_t count_others(struct sl_class_pairs *pairs, const uint32_t *counts, uint32_t active,
                             uint32_t cell)
{
    const struct running_cell *own = &pairs->cells[cell];
    uint32_t total = 0;
    memset(pairs->others, 0, pairs->classes * sizeof *pairs->others);
    for (uint32_t k = 0; k < active; k++) {
        const struct running_cell *other = &pairs->cells[pairs->active[k]];
        if (!(other->groups & own->groups))
            continue;
        uint32_t count = counts[pairs->active[k]] - (other == own);
        pairs->others[other->klass] += count;
        total += count;
    }
    return total;
}

/* Kappas of all classes of the state at once, where that gives what one by one does. */
static bool eval_crowd(struct sl_class_pairs *pairs, const uint32_t *counts, uint32_t active)
{
    bool hypothetical;
    if (!pairs->is_crowd)
        return false;
    memset(pairs->crowd_counts, 0, pairs->crowd.lanes * sizeof *pairs->crowd_counts);
    for (uint32_t k = 0; k < active; k++)
        pairs->crowd_counts[pairs->crowd_place[pairs->cells[pairs->active[k]].klass]] +=
            counts[pairs->active[k]];
    return sl_kappa_crowd_eval(&pairs->crowd, pairs->crowd_counts, pairs->crowd_kappa,
                               &hypothetical);
}

/* Rates of all that runs, and the inflation that each class owes to its others: in equal parts. */
static void add_rates(struct sl_class_pairs *pairs, const uint32_t *counts, uint32_t active,
                      double time)
{
    bool at_once = eval_crowd(pairs, counts, active), hypothetical = false;
    memset(pairs->class_nodes, 0, pairs->classes * sizeof *pairs->class_nodes);
    memset(pairs->class_rate, 0, pairs->classes * sizeof *pairs->class_rate);
    for (uint32_t k = 0; k < active; k++) {
        uint32_t cell = pairs->active[k], klass = pairs->cells[cell].klass;
        uint32_t total = count_others(pairs, counts, active, cell);
        double kappa = at_once ? pairs->crowd_kappa[pairs->crowd_place[klass]]
                               : sl_kappa_eval(pairs->kappa, klass, pairs->others, pairs->corner,
                                               &hypothetical);
        double rate = 1 / kappa;
        pairs->class_nodes[klass] += counts[cell];
        pairs->class_rate[klass] += counts[cell] * rate;
        if (total == 0 || rate == 1)
            continue;
        double each = time * counts[cell] * (1 - rate) / total;
        double *row = pairs->inflation_ps + (size_t)klass * pairs->classes;
        for (uint32_t c = 0; c < pairs->classes; c++)
            row[c] += each * pairs->others[c];
    }
}

static void add_pairs(struct sl_class_pairs *pairs, int64_t time_ps)
{
    for (uint32_t a = 0; a < pairs->classes; a++) {
        uint32_t nodes = pairs->class_nodes[a];
        size_t row = (size_t)a * pairs->classes;
        if (nodes == 0)
            continue;
        if (nodes > 1) {
            pairs->overlap_ps[row + a] += time_ps;
            pairs->saved_ps[row + a] += (double)time_ps * (pairs->class_rate[a] - 1);
        }
        for (uint32_t b = a + 1; b < pairs->classes; b++) {
            if (pairs->class_nodes[b] == 0)
                continue;
            double rates =
                pairs->class_rate[a] / nodes + pairs->class_rate[b] / pairs->class_nodes[b];
            pairs->overlap_ps[row + b] += time_ps;
            pairs->saved_ps[row + b] += (double)time_ps * (rates - 1);
        }
    }
}

/* ---- one trial ----------------------------------------------------------------------------- */

/* Takes the states out of the table. */
static void flush(struct sl_class_pairs *pairs)
{
    for (uint32_t s = 0; s < pairs->slots; s++) {
        const uint32_t *counts = pairs->counts + (size_t)s * pairs->cell_count;
        uint32_t active = 0;
        if (pairs->time_ps[s] == 0)
            continue;
        for (uint32_t c = 0; c < pairs->cell_count; c++)
            if (counts[c] > 0)
                pairs->active[active++] = c;
        add_rates(pairs, counts, active, (double)pairs->time_ps[s]);
        add_pairs(pairs, pairs->time_ps[s]);
        pairs->time_ps[s] = 0;
    }
    pairs->used = 0;
}

static void add_time(struct sl_class_pairs *pairs, uint64_t hash, int64_t time_ps)
{
    size_t size = pairs->cell_count * sizeof *pairs->running;
    uint32_t slot = (uint32_t)(hash >> 32) & (pairs->slots - 1);
    for (; pairs->time_ps[slot] != 0; slot = (slot + 1) & (pairs->slots - 1))
        if (memcmp(pairs->counts + (size_t)slot * pairs->cell_count, pairs->running, size) == 0) {
            pairs->time_ps[slot] += time_ps;
            return;
        }
    memcpy(pairs->counts + (size_t)slot * pairs->cell_count, pairs->running, size);
    pairs->time_ps[slot] = time_ps;
    if (++pairs->used >= pairs->slots / 2)
        flush(pairs);
}

/* Room for the events of all runs; false when out of memory. */
static bool reserve(struct sl_class_pairs *pairs, const struct sl_trial *trial)
{
    if (2 * (size_t)trial->run_count <= pairs->event_capacity)
        return true;
    pairs->event_capacity = 4 * (size_t)trial->run_count;
    pairs->events = sl_arena_array(&pairs->arena, pairs->event_capacity, sizeof *pairs->events);
    pairs->scratch = sl_arena_array(&pairs->arena, pairs->event_capacity, sizeof *pairs->scratch);
    return pairs->events && pairs->scratch;
}

static size_t gather_events(struct sl_class_pairs *pairs, const struct sl_trial *trial)
{
    size_t count = 0;
    for (uint32_t i = 0; i < trial->run_count; i++) {
        uint32_t cell = pairs->cell_of[sl_trial_node(trial, pairs->graph->node_count, i)];
        if (cell == SL_NONE || trial->state[i] != SL_RAN || trial->free_ps[i] <= trial->start_ps[i])
            continue;
        pairs->events[count++] = (struct sl_keyed){trial->start_ps[i], 2 * cell + 1};
        pairs->events[count++] = (struct sl_keyed){trial->free_ps[i], 2 * cell};
    }
    sl_sort_keyed(pairs->events, pairs->scratch, count);
    return count;
}

static void sweep(struct sl_class_pairs *pairs, const struct sl_trial *trial)
{
    size_t count = gather_events(pairs, trial);
    uint64_t hash = 0;
    int64_t reached = 0;
    memset(pairs->running, 0, pairs->cell_count * sizeof *pairs->running);
    for (size_t k = 0; k < count; k++) {
        int64_t at = pairs->events[k].key;
        uint32_t cell = pairs->events[k].value / 2;
        bool start = pairs->events[k].value % 2;
        if (at > reached)
            add_time(pairs, hash, at - reached);
        reached = at;
        pairs->running[cell] += start ? 1 : UINT32_MAX;
        hash += start ? pairs->cells[cell].hash : -pairs->cells[cell].hash;
    }
    flush(pairs);
}

enum sl_status sl_class_pairs_measure(struct sl_class_pairs *pairs, const struct sl_trial *trial,
                                      struct sl_pair_sums *sums, struct sl_error *err)
{
    size_t n = pairs->classes;
    if (trial->outcome != SL_DONE)
        return SL_OK;
    memset(pairs->overlap_ps, 0, n * n * sizeof *pairs->overlap_ps);
    memset(pairs->saved_ps, 0, n * n * sizeof *pairs->saved_ps);
    memset(pairs->inflation_ps, 0, n * n * sizeof *pairs->inflation_ps);
    if (!reserve(pairs, trial))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the overlaps of trial %" PRIu32,
                       trial->trial);
    sweep(pairs, trial);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            size_t upper = a < b ? a * n + b : b * n + a, at = a * n + b;
            if (pairs->overlap_ps[upper] != trial->overlap_ps[at])
                return SL_FAIL(err, SL_SYSTEM,
                               "trial %" PRIu32 ": classes %s and %s overlap for %" PRId64
                               " ps by their nodes and %" PRId64 " ps by the engine",
                               trial->trial, pairs->kappa->classes.names[a],
                               pairs->kappa->classes.names[b], pairs->overlap_ps[upper],
                               trial->overlap_ps[at]);
            sums[at].overlap_ps += pairs->overlap_ps[upper];
            sums[at].saved_ps += llround(pairs->saved_ps[upper]);
            sums[at].inflation_ps += llround(pairs->inflation_ps[at]);
        }
    return SL_OK;
}

/* A sweep over the starts and ends of each repetition.  A set of others is a number with four bits
 * per class. */
#include "config.h"

#include "quantile.h"
#include "replay_tally.h"
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_PIVOT 1e-4
#define LEAST_SHARE 0.01
enum {
    SETS = 12,   /* that one class is seen beside; runs beside others don't count */
    ACTIVE = 15, /* works at once: what four bits hold */
    SET_BITS = 4,
};

/* Runs of one class: the normal equations of their fit. */
struct fit {
    uint64_t sets[SETS];
    uint32_t set_count;
    double products[SETS][SETS], targets[SETS], time_ns[SETS];
};

/* A work that runs during the sweep. */
struct active {
    uint32_t node;
    bool lost; /* beside too many sets */
    double time_ns[SETS];
};

struct event {
    int64_t t;
    uint32_t node;
    bool begins;
};

struct sl_replay_tally {
    const struct sl_replay_plan *plan;
    const uint32_t *order; /* in the arena */
    struct sl_arena arena;
    uint32_t count;
    double *makespans_us;
    uint32_t makespan_capacity;
    double *hold_ns;      /* by node, summed */
    uint32_t *klass;      /* by node: index into `classes`; SL_NONE */
    uint64_t *groups;     /* by node */
    uint32_t *in_order;   /* by resource */
    uint64_t *misplaced;  /* by resource */
    uint32_t *place;      /* by resource: scratch */
    bool *disturbed;      /* the same */
    struct event *events; /* scratch */
    uint32_t classes[SL_REPLAY_CLASSES];
    uint32_t class_count;
    bool too_many;
    double overlap_ns[SL_REPLAY_CLASSES][SL_REPLAY_CLASSES];
    struct fit fits[SL_REPLAY_CLASSES];
};

/* ---- life ------------------------------------------------------------------------------------ */

static void find_class(struct sl_replay_tally *tally, uint32_t node)
{
    uint32_t klass = tally->plan->nodes[node].klass, at = 0;
    tally->klass[node] = SL_NONE;
    if (tally->plan->nodes[node].act != SL_REPLAY_WORK || klass == SL_NONE)
        return;
    while (at < tally->class_count && tally->classes[at] != klass)
        at++;
    if (at == SL_REPLAY_CLASSES) {
        tally->too_many = true;
        return;
    }
    if (at == tally->class_count)
        tally->classes[tally->class_count++] = klass;
    tally->klass[node] = at;
}

static bool take_memory(struct sl_replay_tally *tally, const uint32_t *order)
{
    size_t nodes = (size_t)tally->plan->node_count + 1;
    size_t resources = (size_t)tally->plan->resource_count + 1;
    struct sl_arena *arena = &tally->arena;
    uint32_t *kept = sl_arena_array(arena, nodes, sizeof *kept);
    tally->order = kept;
    tally->hold_ns = sl_arena_array(arena, nodes, sizeof *tally->hold_ns);
    tally->klass = sl_arena_array(arena, nodes, sizeof *tally->klass);
    tally->groups = sl_arena_array(arena, nodes, sizeof *tally->groups);
    tally->events = sl_arena_array(arena, 2 * nodes, sizeof *tally->events);
    tally->in_order = sl_arena_array(arena, resources, sizeof *tally->in_order);
    tally->misplaced = sl_arena_array(arena, resources, sizeof *tally->misplaced);
    tally->place = sl_arena_array(arena, resources, sizeof *tally->place);
    tally->disturbed = sl_arena_array(arena, resources, sizeof *tally->disturbed);
    if (!kept || !tally->hold_ns || !tally->klass || !tally->groups || !tally->events ||
        !tally->in_order || !tally->misplaced || !tally->place || !tally->disturbed)
        return false;
    memcpy(kept, order, (nodes - 1) * sizeof *kept);
    return true;
}

enum sl_status sl_replay_tally_create(struct sl_replay_tally **made,
                                      const struct sl_replay_plan *plan,
                                      const struct sl_graph *graph, const uint32_t *order,
                                      struct sl_error *err)
{
    struct sl_replay_tally *tally = calloc(1, sizeof *tally);
    *made = tally;
    if (tally)
        tally->plan = plan;
    if (!tally || !take_memory(tally, order)) {
        sl_replay_tally_free(tally);
        *made = NULL;
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    }
    for (uint32_t i = 0; i < plan->node_count; i++) {
        find_class(tally, i);
        tally->groups[i] = sl_node_groups(graph, &graph->nodes[i]);
    }
    if (tally->too_many)
        tally->class_count = 0;
    return SL_OK;
}

void sl_replay_tally_free(struct sl_replay_tally *tally)
{
    if (!tally)
        return;
    free(tally->makespans_us);
    sl_arena_free(&tally->arena);
    free(tally);
}

/* ---- the sweep ------------------------------------------------------------------------------- */

/* Ends before beginnings of the same instant. */
static int by_time(const void *left, const void *right)
{
    const struct event *a = left, *b = right;
    if (a->t != b->t)
        return a->t < b->t ? -1 : 1;
    if (a->begins != b->begins)
        return a->begins ? 1 : -1;
    return (a->node > b->node) - (a->node < b->node);
}

static uint32_t list_events(struct sl_replay_tally *tally, const struct sl_replay_log *log)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < tally->plan->node_count; i++) {
        if (tally->plan->nodes[i].act != SL_REPLAY_WORK)
            continue;
        tally->events[count++] = (struct event){log->times[i].start_ns, i, true};
        tally->events[count++] = (struct event){log->times[i].end_ns, i, false};
    }
    qsort(tally->events, count, sizeof *tally->events, by_time);
    return count;
}

static uint32_t first_resource(const struct sl_replay_plan *plan, uint32_t node)
{
    return plan->demands[plan->nodes[node].demands.first].resource;
}

static void compare_order(struct sl_replay_tally *tally, uint32_t event_count)
{
    const struct sl_replay_plan *plan = tally->plan;
    memset(tally->place, 0, plan->resource_count * sizeof *tally->place);
    memset(tally->disturbed, 0, plan->resource_count * sizeof *tally->disturbed);
    for (uint32_t k = 0; k < event_count; k++) {
        uint32_t node = tally->events[k].node;
        if (!tally->events[k].begins)
            continue;
        uint32_t r = first_resource(plan, node);
        bool misplaced = tally->order[node] != tally->place[r]++;
        tally->misplaced[r] += misplaced;
        tally->disturbed[r] |= misplaced;
    }
    for (uint32_t r = 0; r < plan->resource_count; r++)
        tally->in_order[r] += !tally->disturbed[r];
}

/* The place of a set in the class's fit, SETS when there are too many. */
static uint32_t find_set(struct fit *fit, uint64_t set)
{
    uint32_t at = 0;
    while (at < fit->set_count && fit->sets[at] != set)
        at++;
    if (at == fit->set_count && at < SETS)
        fit->sets[fit->set_count++] = set;
    return at;
}

static uint64_t others_of(const struct sl_replay_tally *tally, const struct active *active,
                          uint32_t count, uint32_t which)
{
    uint64_t set = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t node = active[k].node;
        if (k != which && tally->klass[node] != SL_NONE &&
            (tally->groups[node] & tally->groups[active[which].node]))
            set += UINT64_C(1) << (SET_BITS * tally->klass[node]);
    }
    return set;
}

static void add_overlaps(struct sl_replay_tally *tally, const struct active *active, uint32_t count,
                         double ns)
{
    uint32_t running[SL_REPLAY_CLASSES] = {0};
    for (uint32_t k = 0; k < count; k++)
        if (tally->klass[active[k].node] != SL_NONE)
            running[tally->klass[active[k].node]]++;
    for (uint32_t a = 0; a < tally->class_count; a++)
        for (uint32_t b = 0; b < tally->class_count; b++)
            if (a == b ? running[a] > 1 : running[a] && running[b])
                tally->overlap_ns[a][b] += ns;
}

/* `ns` pass while these run. */
static void pass(struct sl_replay_tally *tally, struct active *active, uint32_t count, double ns)
{
    add_overlaps(tally, active, count, ns);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t klass = tally->klass[active[k].node];
        if (klass == SL_NONE || ns <= 0)
            continue;
        uint32_t set = find_set(&tally->fits[klass], others_of(tally, active, count, k));
        if (set < SETS)
            active[k].time_ns[set] += ns;
        else
            active[k].lost = true;
    }
}

static void add_run(struct sl_replay_tally *tally, const struct active *run)
{
    uint32_t klass = tally->klass[run->node];
    double isolated_ns = (double)tally->plan->nodes[run->node].hold_ns;
    if (klass == SL_NONE || run->lost)
        return;
    struct fit *fit = &tally->fits[klass];
    for (uint32_t a = 0; a < fit->set_count; a++) {
        fit->time_ns[a] += run->time_ns[a];
        fit->targets[a] += run->time_ns[a] * isolated_ns;
        for (uint32_t b = 0; b < fit->set_count; b++)
            fit->products[a][b] += run->time_ns[a] * run->time_ns[b];
    }
}

static void sweep(struct sl_replay_tally *tally, uint32_t event_count)
{
    struct active active[ACTIVE];
    uint32_t count = 0;
    int64_t since = 0;
    for (uint32_t k = 0; k < event_count; k++) {
        const struct event *event = &tally->events[k];
        pass(tally, active, count, (double)(event->t - since));
        since = event->t;
        if (event->begins) {
            if (count < ACTIVE)
                active[count++] = (struct active){.node = event->node};
            continue;
        }
        for (uint32_t at = 0; at < count; at++)
            if (active[at].node == event->node) {
                add_run(tally, &active[at]);
                active[at] = active[--count];
                break;
            }
    }
}

enum sl_status sl_replay_tally_add(struct sl_replay_tally *tally, const struct sl_replay_log *log,
                                   struct sl_error *err)
{
    if (!sl_grow((void **)&tally->makespans_us, &tally->makespan_capacity, tally->count + 1,
                 sizeof *tally->makespans_us))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    tally->makespans_us[tally->count++] = (double)log->makespan_ns / 1e3;
    for (uint32_t i = 0; i < tally->plan->node_count; i++)
        tally->hold_ns[i] += (double)(log->times[i].end_ns - log->times[i].start_ns);
    uint32_t events = list_events(tally, log);
    compare_order(tally, events);
    sweep(tally, events);
    return SL_OK;
}

/* ---- what it comes to ------------------------------------------------------------------------ */

uint32_t sl_replay_tally_count(const struct sl_replay_tally *tally)
{
    return tally->count;
}

const double *sl_replay_tally_makespans_us(const struct sl_replay_tally *tally)
{
    return tally->makespans_us;
}

void sl_replay_tally_sort(struct sl_replay_tally *tally)
{
    sl_sort_doubles(tally->makespans_us, tally->count);
}

double sl_replay_tally_hold_ns(const struct sl_replay_tally *tally, uint32_t node)
{
    return tally->hold_ns[node] / tally->count;
}

double sl_replay_tally_in_order(const struct sl_replay_tally *tally, uint32_t resource)
{
    return (double)tally->in_order[resource] / tally->count;
}

double sl_replay_tally_misplaced(const struct sl_replay_tally *tally, uint32_t resource)
{
    return (double)tally->misplaced[resource] / tally->count;
}

const uint32_t *sl_replay_tally_classes(const struct sl_replay_tally *tally, uint32_t *count)
{
    *count = tally->class_count;
    return tally->class_count ? tally->classes : NULL;
}

double sl_replay_tally_overlap_ns(const struct sl_replay_tally *tally, uint32_t a, uint32_t b)
{
    return tally->overlap_ns[a][b] / tally->count;
}

/* Solves the normal equations of n sets for 1 / kappa; false where the sets can't be told apart:
 * scaled to a diagonal of ones they are nearly singular then. */
static bool solve(const struct fit *fit, const uint32_t *sets, size_t n, double rates[SETS])
{
    double products[SETS * SETS], v[SETS * SETS], sizes[SETS], work[SETS], targets[SETS];
    double scale[SETS];
    for (size_t a = 0; a < n; a++)
        scale[a] = sqrt(fit->products[sets[a]][sets[a]]);
    for (size_t a = 0; a < n; a++) {
        targets[a] = fit->targets[sets[a]] / scale[a];
        for (size_t b = 0; b < n; b++)
            products[a * n + b] = fit->products[sets[a]][sets[b]] / (scale[a] * scale[b]);
    }
    gsl_matrix_view u = gsl_matrix_view_array(products, n, n), w = gsl_matrix_view_array(v, n, n);
    gsl_vector_view s = gsl_vector_view_array(sizes, n), x = gsl_vector_view_array(rates, n);
    gsl_vector_view scratch = gsl_vector_view_array(work, n);
    gsl_vector_view y = gsl_vector_view_array(targets, n);
    gsl_linalg_SV_decomp(&u.matrix, &w.matrix, &s.vector, &scratch.vector);
    if (!(sizes[n - 1] > LEAST_PIVOT * sizes[0]))
        return false;
    gsl_linalg_SV_solve(&u.matrix, &w.matrix, &s.vector, &y.vector, &x.vector);
    for (size_t a = 0; a < n; a++)
        rates[a] /= scale[a];
    return true;
}

static void read_set(struct sl_replay_kappa *kappa, uint64_t set)
{
    for (uint32_t c = 0; c < SL_REPLAY_CLASSES; c++) {
        kappa->others[c] = (uint8_t)(set >> (SET_BITS * c) & ACTIVE);
        kappa->other_count += kappa->others[c];
    }
}

/* Adds the kappas of one class.  Sets that take next to none of its time are the moments of handing
 * over: they would only blur the others. */
static void add_kappas(const struct sl_replay_tally *tally, uint32_t klass,
                       struct sl_replay_kappa *kappas, uint32_t *count)
{
    const struct fit *fit = &tally->fits[klass];
    uint32_t sets[SETS], n = 0;
    double rates[SETS], all_ns = 0;
    for (uint32_t k = 0; k < fit->set_count; k++)
        all_ns += fit->time_ns[k];
    for (uint32_t k = 0; k < fit->set_count; k++)
        if (fit->time_ns[k] > LEAST_SHARE * all_ns)
            sets[n++] = k;
    bool solved = n > 0 && solve(fit, sets, n, rates);
    for (uint32_t k = 0; k < n; k++) {
        struct sl_replay_kappa *kappa = &kappas[(*count)++];
        kappa->klass = tally->classes[klass];
        kappa->kappa = solved && rates[k] > 0 ? 1 / rates[k] : (double)NAN;
        kappa->share = fit->time_ns[sets[k]] / all_ns;
        read_set(kappa, fit->sets[sets[k]]);
    }
}

struct sl_replay_kappa *sl_replay_tally_kappas(const struct sl_replay_tally *tally,
                                               struct sl_arena *arena, uint32_t *count)
{
    *count = 0;
    struct sl_replay_kappa *kappas =
        sl_arena_array(arena, (size_t)SL_REPLAY_CLASSES * SETS, sizeof *kappas);
    for (uint32_t c = 0; kappas && c < tally->class_count; c++)
        add_kappas(tally, c, kappas, count);
    return kappas;
}

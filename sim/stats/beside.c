/* A sweep over the starts and ends of each repetition.  A set of others is a number with four bits
 * per class. */
#include "config.h"

#include "beside.h"
#include "jackknife.h"
#include "sort.h"
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL       0.95
#define LEAST_PIVOT 1e-4
enum { SETS = SL_BESIDE_SETS, ACTIVE = SL_BESIDE_AT_ONCE, SET_BITS = 4 };

/* Runs of one class in one part: the normal equations of their fit. */
struct sums {
    double products[SETS][SETS], targets[SETS], time_ns[SETS];
};
struct part {
    uint32_t repetitions;
    double overlap_ns[SL_BESIDE_CLASSES][SL_BESIDE_CLASSES];
    struct sums sums[SL_BESIDE_CLASSES];
};

/* A work that runs during the sweep. */
struct active {
    uint32_t work;
    bool lost; /* beside too many sets */
    double time_ns[SETS];
};
struct event {
    int64_t t;
    uint32_t work;
    bool begins;
};

struct sl_beside {
    uint32_t classes, part_count;
    struct part *parts;
    uint64_t sets[SL_BESIDE_CLASSES][SETS];
    uint32_t set_count[SL_BESIDE_CLASSES];
    struct event *events; /* scratch */
    uint32_t event_capacity;
};

enum sl_status sl_beside_create(struct sl_beside **made, uint32_t classes, uint32_t parts,
                                struct sl_error *err)
{
    struct sl_beside *beside = *made = calloc(1, sizeof *beside);
    if (beside) {
        beside->classes = classes;
        beside->part_count = parts;
        beside->parts = calloc((size_t)parts + 1, sizeof *beside->parts);
        if (beside->parts)
            return SL_OK;
    }
    sl_beside_free(beside);
    *made = NULL;
    return SL_FAIL(err, SL_SYSTEM, "out of memory");
}

void sl_beside_free(struct sl_beside *beside)
{
    if (!beside)
        return;
    free(beside->parts);
    free(beside->events);
    free(beside);
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
    return (a->work > b->work) - (a->work < b->work);
}

/* The place of a set among the class's, SETS when there are too many. */
static uint32_t find_set(struct sl_beside *beside, uint32_t klass, uint64_t set)
{
    uint64_t *sets = beside->sets[klass];
    uint32_t *count = &beside->set_count[klass], at = 0;
    while (at < *count && sets[at] != set)
        at++;
    if (at == *count && at < SETS)
        sets[(*count)++] = set;
    return at;
}

static uint64_t others_of(const struct sl_beside_work *works, const struct active *active,
                          uint32_t count, uint32_t which)
{
    uint64_t set = 0;
    for (uint32_t k = 0; k < count; k++) {
        const struct sl_beside_work *work = &works[active[k].work];
        if (k != which && work->klass != SL_NONE &&
            (work->groups & works[active[which].work].groups))
            set += UINT64_C(1) << (SET_BITS * work->klass);
    }
    return set;
}

static void add_overlaps(const struct sl_beside *beside, struct part *part,
                         const struct sl_beside_work *works, const struct active *active,
                         uint32_t count, double ns)
{
    uint32_t running[SL_BESIDE_CLASSES] = {0};
    for (uint32_t k = 0; k < count; k++)
        if (works[active[k].work].klass != SL_NONE)
            running[works[active[k].work].klass]++;
    for (uint32_t a = 0; a < beside->classes; a++)
        for (uint32_t b = 0; b < beside->classes; b++)
            if (a == b ? running[a] > 1 : running[a] && running[b])
                part->overlap_ns[a][b] += ns;
}

/* `ns` pass while these run. */
static void pass(struct sl_beside *beside, struct part *part, const struct sl_beside_work *works,
                 struct active *active, uint32_t count, double ns)
{
    add_overlaps(beside, part, works, active, count, ns);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t klass = works[active[k].work].klass;
        if (klass == SL_NONE || ns <= 0)
            continue;
        uint32_t set = find_set(beside, klass, others_of(works, active, count, k));
        if (set < SETS)
            active[k].time_ns[set] += ns;
        else
            active[k].lost = true;
    }
}

static void add_run(const struct sl_beside *beside, struct part *part,
                    const struct sl_beside_work *work, const struct active *run)
{
    if (work->klass == SL_NONE || run->lost)
        return;
    struct sums *sums = &part->sums[work->klass];
    uint32_t sets = beside->set_count[work->klass];
    for (uint32_t a = 0; a < sets; a++) {
        sums->time_ns[a] += run->time_ns[a];
        sums->targets[a] += run->time_ns[a] * work->isolated_ns;
        for (uint32_t b = 0; b < sets; b++)
            sums->products[a][b] += run->time_ns[a] * run->time_ns[b];
    }
}

static void sweep(struct sl_beside *beside, struct part *part, const struct sl_beside_work *works,
                  uint32_t event_count)
{
    struct active active[ACTIVE];
    uint32_t count = 0;
    int64_t since = 0;
    for (uint32_t k = 0; k < event_count; k++) {
        const struct event *event = &beside->events[k];
        pass(beside, part, works, active, count, (double)(event->t - since));
        since = event->t;
        if (event->begins) {
            if (count < ACTIVE)
                active[count++] = (struct active){.work = event->work};
            continue;
        }
        for (uint32_t at = 0; at < count; at++)
            if (active[at].work == event->work) {
                add_run(beside, part, &works[event->work], &active[at]);
                active[at] = active[--count];
                break;
            }
    }
}

enum sl_status sl_beside_add(struct sl_beside *beside, uint32_t part,
                             const struct sl_beside_work *works, uint32_t count,
                             struct sl_error *err)
{
    if (count > UINT32_MAX / 2 || !sl_grow((void **)&beside->events, &beside->event_capacity,
                                           2 * count, sizeof *beside->events))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t i = 0; i < count; i++) {
        beside->events[2 * i] = (struct event){works[i].from_ns, i, true};
        beside->events[2 * i + 1] = (struct event){works[i].to_ns, i, false};
    }
    sl_sort(beside->events, 2 * (size_t)count, sizeof *beside->events, by_time);
    beside->parts[part].repetitions++;
    sweep(beside, &beside->parts[part], works, 2 * count);
    return SL_OK;
}

/* ---- what it comes to ------------------------------------------------------------------------ */

struct sl_estimate sl_beside_overlap_ns(const struct sl_beside *beside, uint32_t a, uint32_t b)
{
    double without[SL_BESIDE_PARTS], sum = 0, repetitions = 0;
    uint32_t used = 0;
    for (uint32_t p = 0; p < beside->part_count; p++) {
        sum += beside->parts[p].overlap_ns[a][b];
        repetitions += beside->parts[p].repetitions;
    }
    for (uint32_t p = 0; p < beside->part_count && used < SL_BESIDE_PARTS; p++) {
        const struct part *part = &beside->parts[p];
        if (part->repetitions > 0 && part->repetitions < repetitions)
            without[used++] =
                (sum - part->overlap_ns[a][b]) / (repetitions - (double)part->repetitions);
    }
    double mean = sum / repetitions, half = sl_jackknife_half(without, used, LEVEL);
    return (struct sl_estimate){mean, mean < half ? 0 : mean - half, mean + half};
}

static void add_sums(struct sums *to, const struct sums *from, double sign)
{
    for (uint32_t a = 0; a < SETS; a++) {
        to->time_ns[a] += sign * from->time_ns[a];
        to->targets[a] += sign * from->targets[a];
        for (uint32_t b = 0; b < SETS; b++)
            to->products[a][b] += sign * from->products[a][b];
    }
}

/* Solves the normal equations of n sets for 1 / kappa; false where the sets can't be told apart:
 * scaled to a diagonal of ones they are nearly singular then. */
static bool solve(const struct sums *sums, const uint32_t *sets, size_t n, double rates[SETS])
{
    double products[SETS * SETS], v[SETS * SETS], sizes[SETS], targets[SETS];
    double scale[SETS];
    for (size_t a = 0; a < n; a++) {
        scale[a] = sqrt(sums->products[sets[a]][sets[a]]);
        if (!(scale[a] > 0))
            return false;
    }
    for (size_t a = 0; a < n; a++) {
        targets[a] = sums->targets[sets[a]] / scale[a];
        for (size_t b = 0; b < n; b++)
            products[a * n + b] = sums->products[sets[a]][sets[b]] / (scale[a] * scale[b]);
    }
    gsl_matrix_view u = gsl_matrix_view_array(products, n, n), w = gsl_matrix_view_array(v, n, n);
    gsl_vector_view s = gsl_vector_view_array(sizes, n);
    /* Jacobi's: gsl_linalg_SV_decomp and SV_solve allocate, and don't look whether there was
     * memory. */
    if (gsl_linalg_SV_decomp_jacobi(&u.matrix, &w.matrix, &s.vector) != GSL_SUCCESS)
        return false;
    if (!(sizes[n - 1] > LEAST_PIVOT * sizes[0]))
        return false;
    for (size_t a = 0; a < n; a++)
        rates[a] = 0;
    for (size_t k = 0; k < n; k++) {
        double along = 0;
        for (size_t a = 0; a < n; a++)
            along += products[a * n + k] * targets[a];
        for (size_t a = 0; a < n; a++)
            rates[a] += v[a * n + k] * along / sizes[k];
    }
    for (size_t a = 0; a < n; a++)
        rates[a] /= scale[a];
    return true;
}

static void read_set(struct sl_slowdown *slowdown, uint64_t set)
{
    for (uint32_t c = 0; c < SL_BESIDE_CLASSES; c++) {
        slowdown->others[c] = (uint8_t)(set >> (SET_BITS * c) & ACTIVE);
        slowdown->other_count += slowdown->others[c];
    }
}

/* Logarithms of the slowdowns of n sets against `alone`, SETS: against the isolated durations; NAN
 * where a rate is none. */
static void read_slowdowns(const double *rates, uint32_t n, uint32_t alone, double *logs)
{
    double base = alone < SETS ? rates[alone] : 1;
    for (uint32_t k = 0; k < n; k++)
        logs[k] = rates[k] > 0 && base > 0 ? log(base / rates[k]) : (double)NAN;
}

/* Intervals of the slowdowns, from the fits without one part each. */
static void find_slowdowns(const struct sl_beside *beside, uint32_t klass, const struct sums *total,
                           const uint32_t *sets, uint32_t n, uint32_t alone, const double *rates,
                           struct sl_slowdown *out)
{
    double logs[SETS], without[SETS][SL_BESIDE_PARTS], figures[SETS], part_rates[SETS];
    uint32_t used = 0;
    read_slowdowns(rates, n, alone, logs);
    for (uint32_t p = 0; p < beside->part_count && used < SL_BESIDE_PARTS; p++) {
        struct sums rest = *total;
        if (beside->parts[p].repetitions == 0)
            continue;
        add_sums(&rest, &beside->parts[p].sums[klass], -1);
        bool solved = solve(&rest, sets, n, part_rates);
        read_slowdowns(part_rates, solved ? n : 0, alone, figures);
        for (uint32_t k = 0; k < n; k++)
            without[k][used] = solved ? figures[k] : (double)NAN;
        used++;
    }
    for (uint32_t k = 0; k < n; k++) {
        double half = sl_jackknife_half(without[k], used, LEVEL);
        out[k].slowdown =
            (struct sl_estimate){exp(logs[k]), exp(logs[k] - half), exp(logs[k] + half)};
    }
}

/* Adds those of one class. */
static void add_class(const struct sl_beside *beside, uint32_t klass, struct sl_slowdown *slowdowns,
                      uint32_t *count)
{
    struct sums total = {0};
    uint32_t sets[SETS], n = 0, alone = SETS;
    double rates[SETS], all_ns = 0;
    for (uint32_t p = 0; p < beside->part_count; p++)
        add_sums(&total, &beside->parts[p].sums[klass], 1);
    for (uint32_t k = 0; k < beside->set_count[klass]; k++)
        all_ns += total.time_ns[k];
    for (uint32_t k = 0; k < beside->set_count[klass]; k++) {
        if (!(total.time_ns[k] > SL_BESIDE_LEAST_SHARE * all_ns))
            continue;
        if (beside->sets[klass][k] == 0)
            alone = n;
        sets[n++] = k;
    }
    struct sl_slowdown *first = &slowdowns[*count];
    bool solved = n > 0 && solve(&total, sets, n, rates);
    for (uint32_t k = 0; k < n; k++) {
        struct sl_slowdown *slowdown = &slowdowns[(*count)++];
        *slowdown =
            (struct sl_slowdown){.klass = klass,
                                 .kappa = solved && rates[k] > 0 ? 1 / rates[k] : (double)NAN,
                                 .slowdown = SL_NO_ESTIMATE,
                                 .share = total.time_ns[sets[k]] / all_ns};
        read_set(slowdown, beside->sets[klass][sets[k]]);
    }
    for (uint32_t k = 0; k < n; k++)
        first[k].seen_alone = alone < SETS;
    if (solved)
        find_slowdowns(beside, klass, &total, sets, n, alone, rates, first);
}

struct sl_slowdown *sl_beside_slowdowns(const struct sl_beside *beside, struct sl_arena *arena,
                                        uint32_t *count)
{
    *count = 0;
    gsl_set_error_handler_off(); /* what does not converge is no figure */
    struct sl_slowdown *slowdowns =
        sl_arena_array(arena, (size_t)beside->classes * SETS + 1, sizeof *slowdowns);
    for (uint32_t c = 0; slowdowns && c < beside->classes; c++)
        add_class(beside, c, slowdowns, count);
    return slowdowns;
}

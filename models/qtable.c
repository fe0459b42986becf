/* Building and sharing of quantile tables. */
#include <config.h>

#include "isa.h"
#include "qtable.h"
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

/* Laws that were refused are remembered too (table NULL), lest each use tries them again. */
struct entry {
    struct sl_qtable_law law;
    struct sl_qtable *table;
};

static struct {
    pthread_mutex_t lock;
    struct entry entries[SL_QTABLE_CACHE]; /* open addressing by hash */
    size_t count;                          /* of tables */
} cache = {.lock = PTHREAD_MUTEX_INITIALIZER};

double sl_qtable_exact(const struct sl_qtable_law *law, double u)
{
    bool upper = u > 0.5;
    double tail = upper ? 1 - u : u;
    if (!(tail > 0x1p-54))
        tail = 0x1p-54;
    return law->quantile(law->shape, tail, upper);
}

static double cell_start(const struct sl_qtable *table, size_t cell)
{
    uint64_t bits = (table->first + cell) << (52 - table->bits);
    double w;
    memcpy(&w, &bits, sizeof w);
    return w;
}

static bool build_cell(struct sl_qtable *table, bool upper, size_t index, const double x[2],
                       double floor)
{
    const struct sl_qtable_law *law = &table->law;
    double start = cell_start(table, index), width = cell_start(table, index + 1) - start;
    double sign = upper ? -1 : 1;
    double d0 = sign * width / law->pdf(law->shape, x[0]);
    double d1 = sign * width / law->pdf(law->shape, x[1]);
    double rise = x[1] - x[0];
    table->cells[index + (upper ? table->side : 0)] =
        (struct sl_qtable_cell){{x[0], d0, 3 * rise - 2 * d0 - d1, d0 + d1 - 2 * rise}};
    /* Slopes within 0 .. 3 x rise make a cubic monotone (Fritsch and Carlson 1980). */
    if (!(sign * rise >= 0 && sign * d0 >= 0 && sign * d1 >= 0 && fabs(d0) <= 3 * fabs(rise) &&
          fabs(d1) <= 3 * fabs(rise)))
        return false;
    double exact = law->quantile(law->shape, start + width / 2, upper);
    double middle = (x[0] + x[1]) / 2 + (d0 - d1) / 8;
    return fabs(middle - exact) <= SL_QTABLE_ERROR * fmax(fabs(exact), floor);
}

/* From the median outwards: where cells are too wide, those at the median, the widest, show it
 * first. */
static bool build_side(struct sl_qtable *table, bool upper, double floor)
{
    const struct sl_qtable_law *law = &table->law;
    size_t last = table->side - 1;
    double x[2] = {0, law->quantile(law->shape, cell_start(table, last), upper)};
    table->cells[last + (upper ? table->side : 0)] = (struct sl_qtable_cell){{x[1], 0, 0, 0}};
    for (size_t i = last; i-- > 0;) {
        x[0] = law->quantile(law->shape, cell_start(table, i), upper);
        if (!build_cell(table, upper, i, x, floor))
            return false;
        x[1] = x[0];
    }
    return true;
}

/* NULL: the law needs more bits, or memory is out. */
static struct sl_qtable *build(const struct sl_qtable_law *law, unsigned bits, bool *starved)
{
    size_t side = ((size_t)(SL_QTABLE_DEPTH - 1) << bits) + 1;
    size_t size = sizeof(struct sl_qtable) + 2 * side * sizeof(struct sl_qtable_cell);
    struct sl_qtable *table = aligned_alloc(_Alignof(struct sl_qtable), size);
    *starved = !table;
    if (!table)
        return NULL;
    table->law = *law;
    table->bits = bits;
    table->first = (uint64_t)(1023 - SL_QTABLE_DEPTH) << bits;
    table->side = side;
    /* A law around 0 is for adding to a mean of several of its units. */
    double floor = law->quantile(law->shape, 0.5, false) > 0 ? 0 : 1;
    if (build_side(table, false, floor) && build_side(table, true, floor))
        return table;
    free(table);
    return NULL;
}

/* The coarsest table that is good enough; NULL: none is. */
static struct sl_qtable *build_coarsest(const struct sl_qtable_law *law, bool *starved)
{
    struct sl_qtable *table = NULL;
    for (unsigned bits = SL_QTABLE_BITS; !table && !*starved && bits <= SL_QTABLE_MOST_BITS; bits++)
        table = build(law, bits, starved);
    return table;
}

static bool same_law(const struct sl_qtable_law *a, const struct sl_qtable_law *b)
{
    return memcmp(a->shape, b->shape, sizeof a->shape) == 0 &&
           (a->name == b->name || strcmp(a->name, b->name) == 0);
}

static size_t slot_of(const struct sl_qtable_law *law)
{
    uint64_t bits[2], hash = 14695981039346656037u;
    memcpy(bits, law->shape, sizeof bits);
    for (const char *c = law->name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    hash = (hash ^ bits[0]) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ (hash >> 29) ^ bits[1]) * 0xbf58476d1ce4e5b9u;
    return (size_t)(hash >> 32) % SL_QTABLE_CACHE;
}

const struct sl_qtable *sl_qtable_get(const struct sl_qtable_law *law, bool *starved)
{
    *starved = false;
    const struct sl_qtable *table = NULL;
    pthread_mutex_lock(&cache.lock);
    size_t slot = slot_of(law);
    size_t probes = 0;
    while (probes < SL_QTABLE_CACHE && cache.entries[slot].law.name &&
           !same_law(&cache.entries[slot].law, law)) {
        slot = (slot + 1) % SL_QTABLE_CACHE;
        probes++;
    }
    if (probes < SL_QTABLE_CACHE) {
        struct entry *entry = &cache.entries[slot];
        if (!entry->law.name) {
            struct sl_qtable *made = build_coarsest(law, starved);
            if (!*starved)
                *entry = (struct entry){.law = *law, .table = made};
            cache.count += made != NULL;
        }
        table = entry->table;
    }
    pthread_mutex_unlock(&cache.lock);
    return table;
}

typedef double numbers __attribute__((vector_size(32), aligned(8), may_alias));
typedef uint64_t words __attribute__((vector_size(32), may_alias));
typedef int64_t masks __attribute__((vector_size(32), may_alias));
enum { LANES = sizeof(numbers) / sizeof(double) };
#define SHUFFLE(a, b, ...) SL_SHUFFLE(masks, a, b, __VA_ARGS__)

/* Four draws: their cells are four rows, whose columns are the coefficients.  False: one of them is
 * beyond the table. */
static SL_ALWAYS_INLINE bool four_values(const struct sl_qtable *table, const double *u,
                                         double *values)
{
    const words smallest = (words){0} + ((uint64_t)(1023 - SL_QTABLE_DEPTH) << 52);
    numbers x = *(const numbers *)u, v = 1 - x;
    masks upper = x > v;
    words w = ((words)v & (words)upper) | ((words)x & ~(words)upper);
    masks beyond = (masks)w < (masks)smallest; /* as of doubles, which are above 0 */
    if (beyond[0] | beyond[1] | beyond[2] | beyond[3])
        return false;
    words at = (w >> (52 - table->bits)) - table->first + ((words)upper & table->side);
    const struct sl_qtable_cell *cells = table->cells;
    numbers a = *(const numbers *)cells[at[0]].c, b = *(const numbers *)cells[at[1]].c;
    numbers c = *(const numbers *)cells[at[2]].c, d = *(const numbers *)cells[at[3]].c;
    numbers ab02 = SHUFFLE(a, b, 0, 4, 2, 6);
    numbers ab13 = SHUFFLE(a, b, 1, 5, 3, 7);
    numbers cd02 = SHUFFLE(c, d, 0, 4, 2, 6);
    numbers cd13 = SHUFFLE(c, d, 1, 5, 3, 7);
    numbers c0 = SHUFFLE(ab02, cd02, 0, 1, 4, 5);
    numbers c1 = SHUFFLE(ab13, cd13, 0, 1, 4, 5);
    numbers c2 = SHUFFLE(ab02, cd02, 2, 3, 6, 7);
    numbers c3 = SHUFFLE(ab13, cd13, 2, 3, 6, 7);
    words fraction = ((w << table->bits) & 0xfffffffffffffu) | 0x3ff0000000000000u;
    numbers t = (numbers)fraction - 1;
    *(numbers *)values = c0 + t * (c1 + t * (c2 + t * c3));
    return true;
}

static SL_ALWAYS_INLINE void values_body(const struct sl_qtable *table, const double *u,
                                         double *values, size_t count)
{
    size_t i = 0;
    while (i < count)
        if (i + LANES <= count && four_values(table, u + i, values + i))
            i += LANES;
        else
            for (size_t end = i + LANES < count ? i + LANES : count; i < end; i++)
                values[i] = sl_qtable_value(table, u[i]);
}
SL_FOR_EACH_ISA(values,
                (const struct sl_qtable *table, const double *u, double *values, size_t count),
                (table, u, values, count))

void sl_qtable_values(const struct sl_qtable *table, const double *u, double *to, size_t count)
{
    values(table, u, to, count);
}

void sl_qtable_cache_free(void)
{
    pthread_mutex_lock(&cache.lock);
    for (size_t i = 0; i < SL_QTABLE_CACHE; i++) {
        free(cache.entries[i].table);
        cache.entries[i] = (struct entry){0};
    }
    cache.count = 0;
    pthread_mutex_unlock(&cache.lock);
}

size_t sl_qtable_cache_count(void)
{
    pthread_mutex_lock(&cache.lock);
    size_t count = cache.count;
    pthread_mutex_unlock(&cache.lock);
    return count;
}

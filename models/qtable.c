/* Building and sharing of quantile tables. */
#include <config.h>

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

static double cell_start(size_t cell)
{
    uint64_t first = (uint64_t)(1023 - SL_QTABLE_DEPTH) << SL_QTABLE_BITS;
    uint64_t bits = (first + cell) << (52 - SL_QTABLE_BITS);
    double w;
    memcpy(&w, &bits, sizeof w);
    return w;
}

static bool build_cell(struct sl_qtable_cell *cell, const struct sl_qtable_law *law, bool upper,
                       size_t index, const double x[2], double floor)
{
    double start = cell_start(index), width = cell_start(index + 1) - start;
    double sign = upper ? -1 : 1;
    double d0 = sign * width / law->pdf(law->shape, x[0]);
    double d1 = sign * width / law->pdf(law->shape, x[1]);
    double rise = x[1] - x[0];
    *cell = (struct sl_qtable_cell){{x[0], d0, 3 * rise - 2 * d0 - d1, d0 + d1 - 2 * rise}};
    /* Slopes within 0 .. 3 x rise make a cubic monotone (Fritsch and Carlson 1980). */
    if (!(sign * rise >= 0 && sign * d0 >= 0 && sign * d1 >= 0 && fabs(d0) <= 3 * fabs(rise) &&
          fabs(d1) <= 3 * fabs(rise)))
        return false;
    double exact = law->quantile(law->shape, start + width / 2, upper);
    double middle = (x[0] + x[1]) / 2 + (d0 - d1) / 8;
    return fabs(middle - exact) <= SL_QTABLE_ERROR * fmax(fabs(exact), floor);
}

static struct sl_qtable *build(const struct sl_qtable_law *law)
{
    struct sl_qtable *table = malloc(sizeof *table);
    if (!table)
        return NULL;
    table->law = *law;
    double median = fabs(law->quantile(law->shape, 0.5, false));
    double floor = median > 0 ? median : 1;
    for (int side = 0; side < 2; side++) {
        double x[2] = {law->quantile(law->shape, cell_start(0), side == 1), 0};
        size_t last = SL_QTABLE_CELLS - 1;
        for (size_t i = 0; i < last; i++) {
            x[1] = law->quantile(law->shape, cell_start(i + 1), side == 1);
            if (!build_cell(&table->cells[side][i], law, side == 1, i, x, floor)) {
                free(table);
                return NULL;
            }
            x[0] = x[1];
        }
        table->cells[side][last] = (struct sl_qtable_cell){{x[0], 0, 0, 0}};
    }
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

const struct sl_qtable *sl_qtable_get(const struct sl_qtable_law *law)
{
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
            *entry = (struct entry){.law = *law, .table = build(law)};
            cache.count += entry->table != NULL;
        }
        table = entry->table;
    }
    pthread_mutex_unlock(&cache.lock);
    return table;
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

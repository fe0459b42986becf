/* empirical(file=NAME.csv): measured values, one per row of the column `value` (with a unit where
 * durations are meant), at least 2 of them.
 *
 * With x_0 <= ... <= x_{n-1} sorted, the quantile interpolates order statistics linearly:
 *     h = (n-1) p,  Q(p) = x_floor(h) + (h - floor(h)) (x_{floor(h)+1} - x_floor(h))
 * (type 7 of Hyndman and Fan, 1996), so no value outside the sample is drawn; cdf is its inverse
 * and the mean is that of the interpolated law.  A file is read once per process while it is
 * unchanged; what no arena uses any more makes room for others. */
#include <config.h>

#include "csvtab.h"
#include "dist_family.h"
#include "units.h"
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MAX_VALUES = 1 << 22, MAX_BYTES = 1 << 28, MAX_SAMPLES = 256 };

/* Identified by the file, not its name: a changed file is read anew. */
struct sample {
    enum sl_dist_dimension dimension;
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed;
    double *values; /* ascending; NULL: the place is empty */
    uint32_t count;
    uint64_t users; /* laws in arenas that are not freed */
};

static struct {
    pthread_mutex_t lock;
    struct sample items[MAX_SAMPLES]; /* stay where they are: arenas point at them */
} cache = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Called with the lock held. */
static void empty(struct sample *item)
{
    free(item->values);
    *item = (struct sample){0};
}

void sl_dist_samples_free(void)
{
    pthread_mutex_lock(&cache.lock);
    for (size_t i = 0; i < MAX_SAMPLES; i++)
        if (!cache.items[i].users)
            empty(&cache.items[i]);
    pthread_mutex_unlock(&cache.lock);
}

static void leave(void *what)
{
    struct sample *item = what;
    pthread_mutex_lock(&cache.lock);
    item->users--;
    pthread_mutex_unlock(&cache.lock);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void convert(const struct sl_csv *table, enum sl_dist_dimension dimension, double *values,
                    struct sl_diags *diags)
{
    for (uint32_t i = 0; i < table->row_count; i++) {
        const char *cell = sl_csv_cell(table, i, 0);
        char why[SL_WHY_SIZE];
        bool good = dimension == SL_DIST_TIME ? sl_parse_time_real(cell, &values[i], why)
                                              : sl_parse_number(cell, &values[i], why);
        if (!good)
            sl_diags_add(diags, SL_ERROR, "bad-value", sl_csv_place(table, i, 0), "%s", why);
        else if (!(values[i] >= 0))
            sl_diags_add(diags, SL_ERROR, "bad-value", sl_csv_place(table, i, 0),
                         "'%s' is negative", cell);
    }
    if (table->row_count < 2 || table->row_count > MAX_VALUES)
        sl_diags_add(diags, SL_ERROR, "bad-sample", (struct sl_place){table->file, 0, 0},
                     "%u values; an empirical law takes 2 to %d", table->row_count, MAX_VALUES);
}

/* Fills sample->values, which the caller owns. */
static enum sl_status read_values(struct sample *sample, const char *path, struct sl_error *err)
{
    static const struct sl_column_spec columns[] = {{"value", true}};
    struct sl_csv table = {0};
    struct sl_diags diags = {0};
    enum sl_status status = sl_csv_read(&table, path, columns, 1, &diags, err);
    if (status == SL_OK)
        status = sl_diags_status(&diags, err);
    if (status != SL_OK)
        goto out;
    sample->values = calloc((size_t)table.row_count + 1, sizeof *sample->values);
    if (!sample->values) {
        status = SL_FAIL(err, SL_SYSTEM, "out of memory");
        goto out;
    }
    sample->count = table.row_count;
    convert(&table, sample->dimension, sample->values, &diags);
    status = sl_diags_status(&diags, err);
    qsort(sample->values, sample->count, sizeof *sample->values, ascending);
out:
    sl_csv_free(&table);
    sl_diags_free(&diags);
    return status;
}

static bool same_file(const struct sample *a, const struct sample *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec &&
           a->dimension == b->dimension;
}

/* Called with the lock held: the place of the sample, an empty one for it, or NULL: all are in use.
 */
static struct sample *find_place(const struct sample *wanted)
{
    struct sample *unused = NULL;
    for (size_t i = 0; i < MAX_SAMPLES; i++) {
        struct sample *item = &cache.items[i];
        if (item->values && same_file(item, wanted))
            return item;
        if (!item->users && (!unused || (unused->values && !item->values)))
            unused = item;
    }
    if (unused)
        empty(unused);
    return unused;
}

/* Called with the lock held; *wanted has the file's identity and becomes what the cache has. */
static enum sl_status find_or_read(struct sample *wanted, const char *path,
                                   struct sl_dist_reader *reader)
{
    struct sample *item = find_place(wanted);
    if (!item)
        return sl_dist_fail(reader, reader->call, "empirical: more than %d files at a time",
                            MAX_SAMPLES);
    if (!item->values) {
        struct sl_error inner = {0};
        enum sl_status status = read_values(wanted, path, &inner);
        if (status != SL_OK) {
            free(wanted->values);
            const char *file = inner.place.file ? inner.place.file : path;
            return SL_FAIL_AT(reader->err, status, reader->place, "empirical: %s:%d:%d: %s", file,
                              inner.place.line, inner.place.column, inner.message);
        }
        *item = *wanted;
    }
    if (!sl_arena_on_free(reader->arena, leave, item))
        return SL_FAIL_AT(reader->err, SL_SYSTEM, reader->place, "out of memory");
    item->users++;
    *wanted = *item;
    return SL_OK;
}

static enum sl_status open_sample(struct sample *sample, const char *path,
                                  struct sl_dist_reader *reader)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return sl_dist_fail(reader, reader->call, "empirical: '%s': %s", path, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return sl_dist_fail(reader, reader->call, "empirical: '%s' is not a regular file", path);
    if (info.st_size > MAX_BYTES)
        return sl_dist_fail(reader, reader->call, "empirical: '%s' has more than %d bytes", path,
                            MAX_BYTES);
    *sample = (struct sample){.dimension = reader->dimension,
                              .device = info.st_dev,
                              .inode = info.st_ino,
                              .size = info.st_size,
                              .changed = info.st_mtim};
    pthread_mutex_lock(&cache.lock);
    enum sl_status status = find_or_read(sample, path, reader);
    pthread_mutex_unlock(&cache.lock);
    return status;
}

static enum sl_status make(struct sl_dist *dist, const struct sl_dist_args *args,
                           struct sl_dist_reader *reader)
{
    enum sl_status status = sl_dist_require(dist, args, reader, 1);
    if (status != SL_OK)
        return status;
    const char *path = args->file;
    if (path[0] != '/' && reader->base_dir)
        path = sl_arena_printf(reader->arena, "%s/%s", reader->base_dir, args->file);
    if (!path)
        return SL_FAIL_AT(reader->err, SL_SYSTEM, reader->place, "out of memory");
    struct sample sample;
    if ((status = open_sample(&sample, path, reader)) != SL_OK)
        return status;
    dist->sample = sample.values;
    dist->count = sample.count;
    if (sample.values[0] == sample.values[sample.count - 1])
        sl_dist_set_const(dist, sample.values[0]);
    return SL_OK;
}

static inline double at(const struct sl_dist *dist, double p)
{
    double h = p * (dist->count - 1);
    uint32_t i = (uint32_t)h;
    if (i >= dist->count - 1)
        return dist->sample[dist->count - 1];
    return dist->sample[i] + (h - i) * (dist->sample[i + 1] - dist->sample[i]);
}

static double value(const struct sl_dist *dist, double u, double u2)
{
    (void)u2;
    return at(dist, u);
}

static void values(const struct sl_dist *dist, const double *u, double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = at(dist, u[i]);
}

static double quantile(const struct sl_dist *dist, double tail, bool upper)
{
    return at(dist, upper ? 1 - tail : tail);
}

static double cdf(const struct sl_dist *dist, double x)
{
    const double *sample = dist->sample;
    uint32_t low = 0, high = dist->count - 1;
    if (x < sample[0])
        return 0;
    if (x >= sample[high])
        return 1;
    while (high - low > 1) { /* sample[low] <= x < sample[high] */
        uint32_t middle = low + (high - low) / 2;
        if (sample[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return (low + (x - sample[low]) / (sample[high] - sample[low])) / (dist->count - 1);
}

static double mean(const struct sl_dist *dist)
{
    double sum = 0;
    for (uint32_t i = 0; i + 1 < dist->count; i++)
        sum += (dist->sample[i] + dist->sample[i + 1]) / 2;
    return sum / (dist->count - 1);
}

const struct sl_dist_family sl_dist_family_empirical = {
    .info = {"empirical", "measured values from the column 'value' of a CSV file, interpolated",
             "file", "empirical(file=durations.csv)"},
    .params = {{"file", SL_PARAM_FILE}},
    .positional = 1,
    .make = make,
    .value = value,
    .values = values,
    .quantile = quantile,
    .cdf = cdf,
    .mean = mean,
};

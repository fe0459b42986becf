/* The metric of every trial, by cell. */
#include "config.h"

#include "metric_store.h"
#include "partfile.h"
#include "units.h"
#include <stdlib.h>
#include <string.h>

/* Room for a cell's values; NULL, and the store full, when there is none. */
static double *reserve(struct sl_metric_store *store, uint32_t cell, uint32_t trials,
                       struct sl_error *err)
{
    int64_t bytes = (int64_t)trials * (int64_t)sizeof(double);
    if (store->full || store->bytes + bytes > SL_METRIC_STORE_BYTES) {
        store->full = true;
        return NULL;
    }
    double *values = malloc((size_t)bytes + 1);
    if (!values || cell == UINT32_MAX ||
        !sl_grow((void **)&store->by_cell, &store->capacity, cell + 1, sizeof *store->by_cell)) {
        free(values);
        SL_FAIL(err, SL_SYSTEM, "out of memory for the trials of %u cells", cell + 1);
        return NULL;
    }
    while (store->count <= cell)
        store->by_cell[store->count++] = NULL;
    free(store->by_cell[cell]);
    store->by_cell[cell] = values;
    store->bytes += bytes;
    return values;
}

enum sl_status sl_metric_store_keep(struct sl_metric_store *store, const struct sl_cell *cell,
                                    struct sl_error *err)
{
    if (cell->verdict != SL_VERDICT_OK)
        return SL_OK;
    double *values = reserve(store, cell->spec.index, cell->trials, err);
    if (!values)
        return store->full ? SL_OK : SL_SYSTEM;
    for (uint32_t t = 0; t < cell->trials; t++)
        values[t] = (double)cell->metric_ps[t] / (double)SL_PS_PER_US;
    return SL_OK;
}

/* The stream at the cell's rows of trials.csv, or before them. */
static FILE *open_rows(const char *dir, uint32_t cell, long position)
{
    char path[SL_PATH_SIZE], name[32];
    size_t size;
    FILE *in = sl_partfile_open(dir, cell);
    if (in) {
        while (sl_partfile_next(in, name, &size)) {
            if (strcmp(name, "trials.csv") == 0)
                return in;
            if (fseek(in, (long)size, SEEK_CUR) != 0)
                break;
        }
        fclose(in);
        return NULL;
    }
    snprintf(path, sizeof path, "%s/trials.csv", dir);
    in = fopen(path, "rb");
    if (in && fseek(in, position, SEEK_SET) != 0) {
        fclose(in);
        in = NULL;
    }
    return in;
}

/* The rows "cell,trial,metric_us,..." of one cell stand together, in the order of its trials. */
static uint32_t read_rows(FILE *in, uint32_t cell, uint32_t trials, double *values)
{
    char *line = NULL;
    size_t capacity = 0;
    uint32_t done = 0;
    while (done < trials && getline(&line, &capacity, in) > 0) {
        char *end = NULL;
        unsigned long of = strtoul(line, &end, 10);
        if (end == line || *end != ',' || of != cell) {
            if (done > 0)
                break;
            continue; /* the header, or a cell before */
        }
        char *text = strchr(end + 1, ',');
        if (!text)
            break;
        values[done] = strtod(text + 1, &end);
        if (end == text + 1)
            break;
        done++;
    }
    free(line);
    return done;
}

enum sl_status sl_metric_store_load(struct sl_metric_store *store, const char *dir, uint32_t cell,
                                    uint32_t trials, long *position, struct sl_error *err)
{
    double *values = reserve(store, cell, trials, err);
    if (!values)
        return store->full ? SL_OK : SL_SYSTEM;
    FILE *in = open_rows(dir, cell, *position);
    uint32_t done = in ? read_rows(in, cell, trials, values) : 0;
    if (in) {
        *position = ftell(in);
        fclose(in);
    }
    if (done < trials)
        return SL_FAIL(err, SL_SYSTEM, "%s: the trials of cell %u cannot be read", dir, cell);
    return SL_OK;
}

const double *sl_metric_store_get(const struct sl_metric_store *store, uint32_t cell)
{
    return cell < store->count ? store->by_cell[cell] : NULL;
}

void sl_metric_store_free(struct sl_metric_store *store)
{
    for (uint32_t i = 0; i < store->count; i++)
        free(store->by_cell[i]);
    free(store->by_cell);
    *store = (struct sl_metric_store){0};
}

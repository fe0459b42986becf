/* What every trial gave, by cell. */
#include "config.h"

#include "metric_store.h"
#include "partfile.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The vector that a measure is taken from: tail, median and mean share one. */
static uint32_t find_item(const struct sl_metric_store *store, const struct sl_order_item *item)
{
    uint32_t field = sl_order_trials_field(item, store->domain_count, store->jobs), i = 0;
    while (i < store->item_count &&
           sl_order_trials_field(&store->items[i], store->domain_count, store->jobs) != field)
        i++;
    return i;
}

enum sl_status sl_metric_store_open(struct sl_metric_store *store,
                                    const struct sl_scenario *scenario, struct sl_error *err)
{
    /* Whatever is ordered by: compare.csv is about these. */
    static const struct sl_order_item of_jobs[] = {{SL_MEASURE_MEAN, SL_NONE, "mean"},
                                                   {SL_MEASURE_MEDIAN, SL_NONE, "median"}};
    uint32_t ordered = scenario->objective.order_count;
    store->domain_count = scenario->platform.domain_names.count;
    store->jobs = sl_scenario_has_jobs(scenario);
    store->items = calloc((size_t)ordered + 3, sizeof *store->items);
    if (!store->items)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    store->items[store->item_count++] = sl_order_tail;
    for (size_t i = 0; store->jobs && i < sizeof of_jobs / sizeof *of_jobs; i++)
        store->items[store->item_count++] = of_jobs[i];
    for (uint32_t i = 0; i < ordered; i++) {
        const struct sl_order_item *item = &scenario->objective.order[i];
        if (item->measure != SL_MEASURE_DEADLINE_MISS &&
            find_item(store, item) == store->item_count)
            store->items[store->item_count++] = *item;
    }
    return SL_OK;
}

/* Room for a cell's values; NULL, and the store full, when there is none. */
static double *reserve(struct sl_metric_store *store, uint32_t cell, uint32_t trials,
                       struct sl_error *err)
{
    int64_t bytes = (int64_t)trials * store->item_count * (int64_t)sizeof(double);
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
        store->by_cell[store->count++] = (struct sl_metric_vectors){0};
    free(store->by_cell[cell].values);
    store->by_cell[cell] = (struct sl_metric_vectors){values, trials};
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
    for (uint32_t i = 0; i < store->item_count; i++)
        for (uint32_t t = 0; t < cell->trials; t++)
            *values++ = sl_order_trial_value(&store->items[i], cell, t);
    return SL_OK;
}

enum sl_status sl_metric_store_exchange(struct sl_metric_store *store, uint32_t cell,
                                        struct sl_wire *wire, struct sl_error *err)
{
    bool kept = !wire->reading && sl_metric_store_get(store, cell);
    bool full = store->full;
    uint32_t trials = kept ? store->by_cell[cell].trials : 0;
    sl_wire_copy(wire, &full, sizeof full);
    sl_wire_copy(wire, &trials, sizeof trials);
    store->full = store->full || full;
    if (trials == 0 || wire->broken)
        return SL_OK;
    size_t bytes = (size_t)trials * store->item_count * sizeof(double);
    double *values = kept ? store->by_cell[cell].values : reserve(store, cell, trials, err);
    if (values)
        sl_wire_copy(wire, values, bytes);
    else if (store->full)
        sl_wire_skip(wire, bytes);
    return values || store->full ? SL_OK : SL_SYSTEM;
}

/* The number in field `index` (from 0) of a line of plain numbers; NAN of an empty one, where there
 * may be any. */
static bool read_field(const char *line, uint32_t index, bool may_be_empty, double *value)
{
    for (uint32_t i = 0; line && i < index; i++) {
        line = strchr(line, ',');
        line = line ? line + 1 : NULL;
    }
    char *end = NULL;
    *value = NAN;
    if (!line || *line == ',')
        return line && may_be_empty;
    *value = strtod(line, &end);
    return end != line;
}

struct reading {
    const struct sl_metric_store *store;
    uint32_t trials;
    double *values;
};

/* A row of trials.csv, "cell,trial,metric_us,...", in the order of the trials. */
static bool take_row(void *user, uint32_t trial, const char *line)
{
    const struct reading *to = user;
    for (uint32_t i = 0; i < to->store->item_count; i++)
        if (!read_field(line,
                        sl_order_trials_field(&to->store->items[i], to->store->domain_count,
                                              to->store->jobs),
                        to->store->jobs, &to->values[(size_t)i * to->trials + trial]))
            return false;
    return true;
}

enum sl_status sl_metric_store_load(struct sl_metric_store *store, const char *dir, uint32_t cell,
                                    uint32_t trials, long *position, struct sl_error *err)
{
    double *values = reserve(store, cell, trials, err);
    if (!values)
        return store->full ? SL_OK : SL_SYSTEM;
    FILE *in = sl_partfile_rows(dir, cell, "trials.csv", *position);
    struct reading to = {store, trials, values};
    uint32_t done = in ? sl_partfile_take(in, cell, trials, take_row, &to) : 0;
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
    return cell < store->count ? store->by_cell[cell].values : NULL;
}

const double *sl_metric_store_get_of(const struct sl_metric_store *store, uint32_t cell,
                                     const struct sl_order_item *item)
{
    const double *values = sl_metric_store_get(store, cell);
    uint32_t i = find_item(store, item);
    return values && i < store->item_count ? &values[(size_t)i * store->by_cell[cell].trials]
                                           : NULL;
}

void sl_metric_store_free(struct sl_metric_store *store)
{
    for (uint32_t i = 0; i < store->count; i++)
        free(store->by_cell[i].values);
    free(store->by_cell);
    free(store->items);
    *store = (struct sl_metric_store){0};
}

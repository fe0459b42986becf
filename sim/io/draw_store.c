/* Tails by cell and draw. */
#include "config.h"

#include "draw_store.h"
#include "partfile.h"
#include <stdlib.h>
#include <string.h>

static double *reserve(struct sl_draw_store *store, uint32_t cell, uint32_t draws,
                       struct sl_error *err)
{
    double *values = malloc(draws * sizeof *values + 1);
    if (!values || cell == UINT32_MAX ||
        !sl_grow((void **)&store->by_cell, &store->capacity, cell + 1, sizeof *store->by_cell)) {
        free(values);
        SL_FAIL(err, SL_SYSTEM, "out of memory for the calibration draws of %u cells", cell + 1);
        return NULL;
    }
    while (store->count <= cell)
        store->by_cell[store->count++] = (struct sl_draw_tails){0};
    free(store->by_cell[cell].tail_us);
    store->by_cell[cell] = (struct sl_draw_tails){values, draws};
    return values;
}

enum sl_status sl_draw_store_keep(struct sl_draw_store *store, const struct sl_cell *cell,
                                  struct sl_error *err)
{
    if (cell->outer.draws == 0)
        return SL_OK;
    double *values = reserve(store, cell->spec.index, cell->outer.draws, err);
    if (!values)
        return SL_SYSTEM;
    memcpy(values, cell->outer.tail_us, cell->outer.draws * sizeof *values);
    return SL_OK;
}

enum sl_status sl_draw_store_exchange(struct sl_draw_store *store, uint32_t cell,
                                      struct sl_wire *wire, struct sl_error *err)
{
    struct sl_draw_tails tails = {0};
    if (!wire->reading)
        tails = sl_draw_store_get(store, cell);
    sl_wire_copy(wire, &tails.draws, sizeof tails.draws);
    if (tails.draws == 0 || wire->broken)
        return SL_OK;
    if (wire->reading)
        tails.tail_us = reserve(store, cell, tails.draws, err);
    if (!tails.tail_us)
        return SL_SYSTEM;
    sl_wire_copy(wire, tails.tail_us, tails.draws * sizeof *tails.tail_us);
    return SL_OK;
}

/* A row of uncertainty.csv, "cell,draw,tail_us,...", in the order of the draws. */
static bool take_row(void *user, uint32_t draw, const char *line)
{
    double *values = user;
    const char *text = strchr(strchr(line, ',') + 1, ',');
    if (text)
        values[draw] = strtod(text + 1, NULL);
    return text != NULL;
}

enum sl_status sl_draw_store_load(struct sl_draw_store *store, const char *dir, uint32_t cell,
                                  uint32_t draws, struct sl_error *err)
{
    double *values = reserve(store, cell, draws, err);
    if (!values)
        return SL_SYSTEM;
    FILE *in = sl_partfile_rows(dir, cell, "uncertainty.csv", 0);
    uint32_t done = in ? sl_partfile_take(in, cell, draws, take_row, values) : 0;
    if (in)
        fclose(in);
    return done == draws
               ? SL_OK
               : SL_FAIL(err, SL_SYSTEM, "%s: the calibration draws of cell %u cannot be read", dir,
                         cell);
}

struct sl_draw_tails sl_draw_store_get(const struct sl_draw_store *store, uint32_t cell)
{
    return cell < store->count ? store->by_cell[cell] : (struct sl_draw_tails){0};
}

void sl_draw_store_free(struct sl_draw_store *store)
{
    for (uint32_t i = 0; i < store->count; i++)
        free(store->by_cell[i].tail_us);
    free(store->by_cell);
    *store = (struct sl_draw_store){0};
}

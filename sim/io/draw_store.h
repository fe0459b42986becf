/* The tail of every cell in every draw of the calibration, kept until shares of wins are counted:
 * from the cells as they finish, and of those that an earlier run left, from its uncertainty.csv. */
#ifndef SL_DRAW_STORE_H
#define SL_DRAW_STORE_H
#include "cell.h"
#include "wire.h"

struct sl_draw_tails {
    double *tail_us; /* by draw, INFINITY: a deadlock; NULL: no draws */
    uint32_t draws;
};

/* Zero-initialise; sl_draw_store_free releases. */
struct sl_draw_store {
    struct sl_draw_tails *by_cell;
    uint32_t count, capacity;
};

/* Copies what a cell's draws gave; nothing where it has none. */
enum sl_status sl_draw_store_keep(struct sl_draw_store *store, const struct sl_cell *cell,
                                  struct sl_error *err) SL_NODISCARD;
/* What is kept of one cell, to or from the store of another process. */
enum sl_status sl_draw_store_exchange(struct sl_draw_store *store, uint32_t cell,
                                      struct sl_wire *wire, struct sl_error *err) SL_NODISCARD;
/* Reads the `draws` rows of a cell from a results folder, finished or not. */
enum sl_status sl_draw_store_load(struct sl_draw_store *store, const char *dir, uint32_t cell,
                                  uint32_t draws, struct sl_error *err) SL_NODISCARD;
struct sl_draw_tails sl_draw_store_get(const struct sl_draw_store *store, uint32_t cell);
void sl_draw_store_free(struct sl_draw_store *store);
#endif

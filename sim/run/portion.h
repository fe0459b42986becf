/* Portions of a cell's trials that another process runs: what they give travels as bytes. */
#ifndef SL_LOT_H
#define SL_LOT_H
#include "cell.h"

/* Runs trials first .. first + trials - 1 in an opened cell without any: its sums are theirs alone.
 * The cell can be used for another portion when it is renewed, and for nothing else. */
enum sl_status sl_cell_run_portion(struct sl_cell *cell, uint32_t first, uint32_t trials,
                                   const struct sl_run_options *options,
                                   struct sl_error *err) SL_NODISCARD;
/* Forgets the trials, but not the plan. */
enum sl_status sl_cell_renew(struct sl_cell *cell, struct sl_error *err) SL_NODISCARD;
/* The bytes of that portion; malloc'ed, the caller's. */
enum sl_status sl_cell_pack_portion(struct sl_cell *cell, uint32_t first, uint32_t trials,
                                    unsigned char **bytes, size_t *size,
                                    struct sl_error *err) SL_NODISCARD;
/* Adds a portion to a cell of the same plan, which has room for its trials and those of all before
 * it. */
enum sl_status sl_cell_unpack_portion(struct sl_cell *cell, uint32_t first, uint32_t trials,
                                      unsigned char *bytes, size_t size,
                                      struct sl_error *err) SL_NODISCARD;
#endif

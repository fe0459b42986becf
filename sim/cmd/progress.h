/* Progress on stderr when it is a terminal, and SIGINT/SIGTERM as a wish to stop. */
#ifndef SL_PROGRESS_H
#define SL_PROGRESS_H
#include <stdbool.h>
#include <stdint.h>

/* From here on SIGINT and SIGTERM make sl_progress return false; a second one kills.  `what` is
 * counted beside trials: "cells". */
void sl_progress_start(const char *what);
/* The callback of struct sl_run_options. */
bool sl_progress(void *user, uint64_t trials_done, uint64_t trials_total, uint32_t cells_done,
                 uint32_t cells_total);
/* Whether either signal came since. */
bool sl_progress_stop_wanted(void);
/* Clears the line. */
void sl_progress_end(void);
#endif

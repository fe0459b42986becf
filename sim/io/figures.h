/* Numbers and texts of machine-readable files: full precision, one spelling per value. */
#ifndef SL_FIGURES_H
#define SL_FIGURES_H
#include "quantile.h"

/* The shortest decimal text that reads back as the same double; NaN gives an empty text, an
 * infinity "inf". */
#define SL_FIGURE_SIZE 40
const char *sl_figure(char buffer[SL_FIGURE_SIZE], double value);
/* Microseconds, exactly: "1523.25"; INT64_MAX (a deadlocked trial) is "inf". */
const char *sl_figure_us(char buffer[SL_FIGURE_SIZE], int64_t ps);

/* One CSV field after a comma. */
void sl_put_number(FILE *out, double value);
void sl_put_us(FILE *out, int64_t ps);
/* Value, lo, hi: three fields; or lo and hi alone. */
void sl_put_estimate(FILE *out, struct sl_estimate estimate);
void sl_put_interval(FILE *out, struct sl_estimate estimate);
void sl_put_integer(FILE *out, int64_t value);
void sl_put_text(FILE *out, const char *text); /* NULL: empty */
/* The name of a column about `name`: ",peak_hbm_bytes". */
void sl_put_column(FILE *out, const char *prefix, const char *name, const char *unit);
#endif

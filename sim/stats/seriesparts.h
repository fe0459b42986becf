/* What the files that estimate series share. */
#ifndef SL_SERIESPARTS_H
#define SL_SERIESPARTS_H
#include "series.h"

/* Fills the limits of results whose estimates are there; the others stay without. */
enum sl_status sl_series_bootstrap(const struct sl_series *series,
                                   const struct sl_series_figure *figures, uint32_t figure_count,
                                   double level, struct sl_series_result *results,
                                   struct sl_error *err) SL_NODISCARD;
#endif

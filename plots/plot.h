/* All pictures of a results folder. */
#ifndef SL_PLOT_H
#define SL_PLOT_H
#include "status.h"

/* Draws the pictures of the finished results folder `dir` into dir/plots, and prints the path of
 * each PNG on `out` (its SVG stands beside it).  A folder that is none or is unfinished is
 * SL_INVALID; a missing gnuplot is SL_SYSTEM; nothing to draw is SL_NO. */
enum sl_status sl_plot_results(const char *dir, FILE *out, struct sl_error *err) SL_NODISCARD;
/* Draws the pictures of an audit's folder (audit_csv.h) into dir/plots, likewise; `notes` takes a
 * line for each that has nothing to show. */
enum sl_status sl_plot_audit(const char *dir, FILE *out, FILE *notes,
                             struct sl_error *err) SL_NODISCARD;
/* Draws one trial, all rows of the gantt.csv at `gantt_csv`, as dir/gantt.png and gantt.svg.  SL_NO
 * where no node held a resource. */
enum sl_status sl_plot_trial(const char *gantt_csv, const char *dir, const char *title,
                             struct sl_error *err) SL_NODISCARD;
#endif

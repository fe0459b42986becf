/* A results folder: summary.csv, trials.csv, chain.csv, criticality.csv, waits.csv, overlap.csv,
 * pressure.csv, gantt.csv, edits.csv, manifest.json.
 *
 * Each cell is first written whole below cells/ (temporary file, fsync, rename); finishing joins
 * the parts of all cells in cell order.  The same cells give the same bytes. */
#ifndef SL_RESULTS_H
#define SL_RESULTS_H
#include "sweep.h"

struct sl_results;

enum sl_results_mode { SL_RESULTS_NEW, SL_RESULTS_FORCE, SL_RESULTS_RESUME };

/* Opens `dir` for a scenario's results.  An existing results folder is refused (SL_USAGE) in mode
 * NEW; RESUME refuses one whose manifest names other inputs, seed or trials. */
enum sl_status sl_results_open(struct sl_results **results, const char *dir,
                               enum sl_results_mode mode, const struct sl_scenario *scenario,
                               const struct sl_run_options *options, const char *command_line,
                               struct sl_error *err) SL_NODISCARD;
bool sl_results_has(const struct sl_results *results, const struct sl_cell_spec *spec);
enum sl_status sl_results_put(struct sl_results *results, const struct sl_cell *cell,
                              struct sl_error *err) SL_NODISCARD;
/* Joins the cells' parts and writes the manifest. */
enum sl_status sl_results_finish(struct sl_results *results, const struct sl_sweep_totals *totals,
                                 struct sl_error *err) SL_NODISCARD;
/* Releases; an unfinished folder keeps its finished cells for --resume. */
void sl_results_free(struct sl_results *results);
#endif

/* A results folder: the files of result_parts.h (summary.csv, trials.csv, chain.csv, ...), which
 * have rows of every cell, and manifest.json.  Commands add files about all cells: compare.csv,
 * winners.csv, win_shares.csv, race.csv, sensitivity.csv.
 *
 * Each cell is first written whole below cells/ (temporary file, fsync, rename); finishing joins
 * the parts of all cells in cell order and drops cells/.  The same cells give the same bytes,
 * however often the sweep was interrupted and resumed. */
#ifndef SL_RESULTS_H
#define SL_RESULTS_H
#include "sweep.h"

struct sl_results;

enum sl_results_mode { SL_RESULTS_NEW, SL_RESULTS_FORCE, SL_RESULTS_RESUME };

struct sl_results_request {
    const char *dir;
    enum sl_results_mode mode;
    const struct sl_scenario *scenario; /* with the overrides of the command line */
    const struct sl_run_options *options;
    const char *command_line;    /* for the manifest */
    const char *const *settings; /* what besides the scenario determines the results: */
    size_t setting_count; /* "--set" texts, "policy=NAME", "no-axes", "race", "until=p99:1%" */
};

/* Prepares a folder for results; nothing is written before the first cell.  A folder that holds
 * anything is refused (SL_USAGE) in mode NEW.  FORCE replaces an earlier results folder, and
 * refuses one that is not.  RESUME continues one, and refuses it when its manifest names other
 * inputs, seed, trials, settings or version; without one it is NEW. */
enum sl_status sl_results_open(struct sl_results **results,
                               const struct sl_results_request *request,
                               struct sl_error *err) SL_NODISCARD;
/* True when the folder is complete: nothing is written into it any more. */
bool sl_results_finished(const struct sl_results *results);
/* Whether the cell is in the folder already; of one that is not finished each byte of it is read.
 */
enum sl_kept { SL_KEPT_NOT, SL_KEPT, SL_KEPT_DAMAGED };
enum sl_kept sl_results_has(struct sl_results *results, const struct sl_cell_spec *spec);
/* The line of summary.csv (with its newline) of a cell that is kept; malloc'ed. */
enum sl_status sl_results_line(struct sl_results *results, uint32_t cell, char **line,
                               struct sl_error *err) SL_NODISCARD;
enum sl_status sl_results_put(struct sl_results *results, const struct sl_cell *cell,
                              struct sl_error *err) SL_NODISCARD;
/* The same in two steps, which may be taken in different processes: all that the folder holds of
 * the cell as bytes (malloc'ed, the caller's), and these put into it. */
enum sl_status sl_results_pack(const struct sl_cell *cell, char **bytes, size_t *size,
                               struct sl_error *err) SL_NODISCARD;
enum sl_status sl_results_put_packed(struct sl_results *results, uint32_t cell, const char *bytes,
                                     size_t size, struct sl_error *err) SL_NODISCARD;
/* Joins the parts of `cell_count` cells and writes the manifest. */
enum sl_status sl_results_finish(struct sl_results *results, uint32_t cell_count,
                                 struct sl_error *err) SL_NODISCARD;
/* Releases; an unfinished folder keeps its finished cells for --resume. */
void sl_results_free(struct sl_results *results);
#endif

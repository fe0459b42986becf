/* What the files that take a runtime's answer share.  Private to feasibility*.c. */
#ifndef SL_FEASIBILITY_PARTS_H
#define SL_FEASIBILITY_PARTS_H
#include "decide_parts.h"
#include "feasibility.h"

/* One run: the figures by trial, us, of a cell that is gone.  NULL: it has none. */
struct sl_feasibility_figures {
    const double *tail_us, *median_us, *mean_us; /* other than the same of jobs alone */
    uint32_t trials;
    bool jobs;
};

struct sl_feasibility_work {
    struct sl_record *record;
    const struct sl_feasibility_request *request;
    struct sl_feasibility *found;
    struct sl_record_scenario *at;
    struct sl_diags *diags;
    struct sl_arena arena;
};

/* ---- feasibility_answer.c ----------------------------------------------------------------------
 */

/* The answer to a plan's hand-off, of a file or of the mapping: about this scenario, policy and
 * hand-off, whose hash it gets. */
enum sl_status sl_feasibility_answer(struct sl_feasibility_work *w, struct sl_reply *reply,
                                     const char *path, const struct sl_plan *plan,
                                     const char *policy, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_feasibility_write_reply(const struct sl_reply *reply, const struct sl_graph *plan,
                                          const char *path, struct sl_error *err) SL_NODISCARD;
/* Its file as an input of the record; nothing of a mapping's.  False: out of memory. */
bool sl_feasibility_note_input(struct sl_record *record, const struct sl_reply *reply,
                               const char *role) SL_NODISCARD;
/* Without those of an earlier answer. */
void sl_feasibility_drop_inputs(struct sl_record *record);

/* ---- feasibility_runs.c ------------------------------------------------------------------------
 */

/* The projection once more: its trials are not in the record.  SL_INVALID unless it is the
 * record's. */
enum sl_status sl_feasibility_projected(struct sl_feasibility_work *w,
                                        struct sl_feasibility_figures *figures,
                                        struct sl_error *err) SL_NODISCARD;
/* Runs the recomputed plan, which is taken over.  The cell is the caller's to free, in every case.
 */
enum sl_status sl_feasibility_run(struct sl_feasibility_work *w, struct sl_recomputed *made,
                                  const char *policy, struct sl_cell *cell,
                                  struct sl_feasibility_figures *figures,
                                  struct sl_error *err) SL_NODISCARD;
/* a - b, trial by trial, in the record's median, tail, mean; without figures none. */
enum sl_status sl_feasibility_difference(const struct sl_feasibility_work *w,
                                         const struct sl_feasibility_figures *a,
                                         const struct sl_feasibility_figures *b,
                                         enum sl_measure measure, struct sl_estimate *estimate,
                                         struct sl_error *err) SL_NODISCARD;
#endif

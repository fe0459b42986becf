/* Slowdowns that a trace shows by itself: works that ran beside one other class nearly all of their
 * time, against equal works that ran alone.
 *
 * This is no experiment.  What runs side by side was chosen by the program, not by chance; a work
 * that overlaps only in part, or with what hardly uses the memory, tells less than the worst; and
 * works waiting for each other look slow.  So the figures bound what a calibration would find. */
#ifndef SL_TRACE_KAPPA_H
#define SL_TRACE_KAPPA_H
#include "trace_durations.h"

/* Sums over kinds of equal works with 3 or more of either sort.  kappa = beside_ps / alone_ps. */
struct sl_trace_pair {
    uint32_t kinds, beside, alone; /* kinds of works; works of them */
    double beside_ps, alone_ps;    /* medians of each kind, times its works beside */
    double least, most;            /* of a kind */
};
enum { SL_TRACE_CLASSES = 32 };
struct sl_trace_kappa {
    struct sl_names classes;
    struct sl_trace_pair pairs[SL_TRACE_CLASSES][SL_TRACE_CLASSES]; /* victim, set */
    uint32_t pair_count;
};

enum sl_status sl_trace_kappa_make(struct sl_trace_kappa *kappa,
                                   const struct sl_trace_durations *durations,
                                   struct sl_error *err) SL_NODISCARD;
/* As a table of kappa, each row with status bounded, so that no run takes it. */
void sl_trace_kappa_write(const struct sl_trace_kappa *kappa, FILE *out);
void sl_trace_kappa_free(struct sl_trace_kappa *kappa);
#endif

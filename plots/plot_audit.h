/* What the pictures of an audit share: its tables, and the marks of its steps. */
#ifndef SL_PLOT_AUDIT_H
#define SL_PLOT_AUDIT_H
#include "plot_set.h"

/* Pixels between the margins of the Gantt chart: no column of a picture is finer. */
enum { SL_PLOT_AUDIT_COLUMNS = 720 };

struct sl_plot_audit {
    struct sl_plot_set *set; /* its tables are empty */
    struct sl_frame works, call_times, steps, uses, changes;
    bool cold; /* the first step is set apart */
};

/* STEPS, NUMBERED, COLD and steps.dat: where each step begins, over `divisor`, and its number; one
 * that reaches into a picture that begins at `from_us` stands at its edge. */
enum sl_status sl_plot_audit_steps(struct sl_plot_audit *audit, double from_us, double divisor,
                                   struct sl_error *err) SL_NODISCARD;

/* The pictures.  Each draws nothing where there is nothing to show. */
enum sl_status sl_plot_audit_gantt(struct sl_plot_audit *audit, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_plot_audit_time(struct sl_plot_audit *audit, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_plot_audit_memory(struct sl_plot_audit *audit, struct sl_error *err) SL_NODISCARD;
#endif

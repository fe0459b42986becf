/* What a plan rests on that is known by intervals, and copies of the plan with other values of it.
 *
 * Rows of one calibration share its systematic errors, so that one standard normal z moves all
 * durations of a class, each within its own interval (models/known.h), and another one all kappas of
 * a victim.  Between two rows a duration is interpolated on a log scale, and so is its factor:
 *
 *     f = f_below^(1 - share) f_above^share
 *
 * A draw is named by (seed, draw, source): every policy and every cell meets the same one.  The
 * plan, made from the figures as they stand, is kept: this is what gets deployed. */
#ifndef SL_IGNORANCE_H
#define SL_IGNORANCE_H
#include "change.h"

enum sl_source_kind { SL_SOURCE_DURATION, SL_SOURCE_KAPPA };

/* Figures that one normal moves. */
struct sl_source {
    enum sl_source_kind kind;
    uint32_t klass;   /* whose durations, or the victim of the kappas */
    uint32_t figures; /* rows that the plan meets; 0: it meets none (and yet is drawn) */
    double lo, hi;    /* ends of the widest interval among them, over the figure itself */
};

struct sl_varied_node;
struct sl_ignorance {
    const struct sl_graph *graph; /* the plan, borrowed */
    struct sl_source *sources;
    uint32_t source_count;
    const char *exact; /* what the plan rests on that has no interval, in words; "": nothing */
    struct sl_varied_node *varied;
    uint32_t varied_count;
    uint32_t *row_source; /* by kappa row; SL_NONE: exact */
    struct sl_change change; /* of kappas; of the last draw */
    struct sl_arena arena;
};

/* Zeroes *ignorance first; sl_ignorance_free releases in every case. */
enum sl_status sl_ignorance_find(struct sl_ignorance *ignorance, const struct sl_graph *plan,
                                 struct sl_error *err) SL_NODISCARD;
void sl_ignorance_free(struct sl_ignorance *ignorance);
/* "duration" or "kappa". */
const char *sl_source_kind_name(enum sl_source_kind kind);

/* normals[source_count] of one draw; the seed is the trials'. */
void sl_ignorance_draw(const struct sl_ignorance *ignorance, uint64_t seed, uint32_t draw,
                       double *normals);
/* The plan at these normals; sl_changed_free releases, after a failure too. */
enum sl_status sl_ignorance_apply(struct sl_ignorance *ignorance, const double *normals,
                                  struct sl_changed *changed, struct sl_error *err) SL_NODISCARD;
#endif

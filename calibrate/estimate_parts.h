/* Inside of the estimators: the measurements in order, and the parts that fill the estimates. */
#ifndef SL_ESTIMATE_PARTS_H
#define SL_ESTIMATE_PARTS_H
#include "session_median.h"

struct sl_estimator {
    struct sl_estimates *out;
    const struct sl_measured *measured;
    const struct sl_measurement **items; /* by case, session, block, pair, role and time */
    size_t *first;                       /* items of case c: [first[c], first[c + 1]) */
    /* Room for one case's figures, and for one of each session: */
    double *numbers;
    struct sl_session_value *values;
    double *medians; /* by session */
};

/* A sample that figures may use: accepted, and a time passed. */
static inline bool sl_is_usable(const struct sl_measurement *item)
{
    return item->sample.reject == SL_REJECT_NONE && item->sample.dur_ns > 0;
}
const struct sl_case *sl_estimator_case(const struct sl_estimator *e, uint32_t index);

enum sl_status sl_estimate_shared(struct sl_estimator *e, struct sl_error *err) SL_NODISCARD;
/* Needs what is shared. */
enum sl_status sl_estimate_durations(struct sl_estimator *e, struct sl_error *err) SL_NODISCARD;
/* Needs the durations. */
enum sl_status sl_estimate_routes(struct sl_estimator *e, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_estimate_controls(struct sl_estimator *e, struct sl_error *err) SL_NODISCARD;
/* Needs the controls. */
enum sl_status sl_estimate_kappas(struct sl_estimator *e, struct sl_error *err) SL_NODISCARD;
/* Needs the kappas. */
enum sl_status sl_estimate_composition(struct sl_estimator *e, struct sl_error *err) SL_NODISCARD;
#endif

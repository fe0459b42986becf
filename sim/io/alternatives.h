/* The cells of a sweep between which a scenario without `objective.order` does not choose: of each
 * group the Pareto set over the tail, the peak of the scarcest domain and staging x time. */
#ifndef SL_ALTERNATIVES_H
#define SL_ALTERNATIVES_H
#include "grouping.h"

struct sl_alternatives {
    /* By group: the limited domain of whose capacity - reserve the most sparing ranked cell takes
     * the largest share; NULL: no domain is limited, and peaks do not count. */
    const char **domains;
    bool *in_set; /* by row of the summary */
};

/* The set is by estimates: two cells whose intervals overlap may both dominate and be dominated by
 * chance.  Staging x time is summed over domains.  Everything made lives in `arena`. */
enum sl_status sl_alternatives_find(struct sl_alternatives *alternatives,
                                    const struct sl_frame *summary,
                                    const struct sl_grouping *grouping, struct sl_arena *arena,
                                    struct sl_error *err) SL_NODISCARD;
/* Bytes in the column "peak_DOMAIN_bytes"; NAN for a NULL domain. */
double sl_row_peak(const struct sl_frame *summary, uint32_t row, const char *domain);
/* Byte seconds of staging, mean over trials, summed over domains. */
double sl_row_staging(const struct sl_frame *summary, uint32_t row);
#endif

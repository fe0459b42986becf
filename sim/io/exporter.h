/* Formats in which a plan or a trial is written for other tools: one file export_NAME.c each, and a
 * line of exporters.def. */
#ifndef SL_EXPORTER_H
#define SL_EXPORTER_H
#include "policy.h"

/* What is written; all of it borrowed. */
struct sl_export {
    const char *scenario, *policy;
    const struct sl_graph *graph; /* of the plan */
    /* Of formats that show a plan with its machine and what is asked of it. */
    const struct sl_scenario *source;
    const struct sl_plan *plan;
    /* Of formats that show a trial: one that was run with SL_RECORD_LEVELS. */
    const struct sl_trial *trial;
    const struct sl_link *links; /* its realized chain, from time 0 on */
    size_t link_count;
    int64_t from_ps, to_ps; /* only what touches this stretch of it */
};

struct sl_exporter {
    const char *name, *description, *example;
    bool of_trial; /* else of the plan alone */
    enum sl_status (*write)(const struct sl_export *what, FILE *out, struct sl_error *err);
};

size_t sl_exporter_count(void);
const struct sl_exporter *sl_exporter_get(size_t index);

#define SL_EXPORTER(name) extern const struct sl_exporter sl_exporter_##name;
#include "exporters.def"
#undef SL_EXPORTER
#endif

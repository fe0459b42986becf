/* What `slackline audit` prints. */
#ifndef SL_REPORT_AUDIT_H
#define SL_REPORT_AUDIT_H
#include "audit.h"
#include "importer.h"

struct sl_report_audit {
    const char *trace; /* the file's name without its folder */
    const struct sl_importer *importer;
    const struct sl_audit *audit;
    struct sl_arena arena;
};

/* Tables for people; what the trace does not contain is said by name. */
void sl_report_audit(FILE *out, struct sl_report_audit *report);
/* Its later part: calls, memory, steps. */
void sl_report_audit_host(FILE *out, struct sl_report_audit *report);
/* JSON at full precision, times in ns. */
enum sl_status sl_report_audit_json(FILE *out, const struct sl_report_audit *report,
                                    struct sl_error *err) SL_NODISCARD;
/* The name of an event in at most 60 characters: kernels have names of thousands. */
const char *sl_audit_short_name(struct sl_report_audit *report, uint32_t name);
const char *sl_audit_time(struct sl_report_audit *report, int64_t ps);
const char *sl_audit_lane(struct sl_report_audit *report, uint32_t lane);
#endif

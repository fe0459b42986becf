/* Inside of the audit: its parts, in the order in which they run. */
#ifndef SL_AUDIT_PARTS_H
#define SL_AUDIT_PARTS_H
#include "audit.h"

/* Whether an event is of the scope: the call that launched it starts there; where none is known,
 * the event itself does. */
static inline bool sl_audit_has(const struct sl_audit *audit, uint32_t event)
{
    const struct sl_timeline *t = audit->timeline;
    uint32_t from = t->cause[event] == SL_NONE ? event : t->cause[event];
    return t->start_ps[from] >= audit->from_ps && t->start_ps[from] < audit->to_ps;
}

/* A sum that stops at the limits: a broken file brings any numbers. */
static inline int64_t sl_sum(int64_t a, int64_t b)
{
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return b > 0 ? INT64_MAX : INT64_MIN;
    return sum;
}

enum sl_status sl_audit_no_memory(struct sl_error *err);
/* Finds the steps of the whole timeline. */
enum sl_status sl_audit_find_steps(struct sl_audit *audit, const char *range,
                                   struct sl_error *err) SL_NODISCARD;
/* Lists the works of the scope, and when each was ready. */
enum sl_status sl_audit_works(struct sl_audit *audit, struct sl_error *err) SL_NODISCARD;
/* Splits the time from ready to start by events of other streams. */
enum sl_status sl_audit_events(struct sl_audit *audit, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_audit_totals(struct sl_audit *audit, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_audit_waits(struct sl_audit *audit, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_audit_calls(struct sl_audit *audit, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_audit_memories(struct sl_audit *audit, struct sl_error *err) SL_NODISCARD;
/* When steps are through. */
enum sl_status sl_audit_steps(struct sl_audit *audit, struct sl_error *err) SL_NODISCARD;
/* What time went to; gaps and steps are there. */
enum sl_status sl_audit_uses(struct sl_audit *audit, struct sl_error *err) SL_NODISCARD;
/* Whether their works come in one order. */
enum sl_status sl_audit_order(struct sl_audit *audit, struct sl_error *err) SL_NODISCARD;
#endif

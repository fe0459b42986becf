/* Steps of an audit: annotations of one name, one after the other, and the works launched in them.
 */
#include <config.h>

#include "audit_parts.h"
#include <stdlib.h>
#include <string.h>

/* The step in which a time falls; steps are disjoint and in order.  SL_NONE: in none. */
static uint32_t step_at(const struct sl_audit *audit, int64_t t_ps)
{
    uint32_t low = 0, high = audit->step_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (audit->steps[middle].to_ps <= t_ps)
            low = middle + 1;
        else
            high = middle;
    }
    return low < audit->step_count && audit->steps[low].from_ps <= t_ps ? low : SL_NONE;
}

/* Only the steps that begin in the scope stay. */
static void keep_in_scope(struct sl_audit *audit)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < audit->step_count; i++)
        if (audit->steps[i].from_ps >= audit->from_ps && audit->steps[i].from_ps < audit->to_ps)
            audit->steps[kept++] = audit->steps[i];
    audit->step_count = kept;
}

/* Gives each work its step, and each step its works' end and busy time. */
static bool join_works(struct sl_audit *audit, struct sl_intervals *busy)
{
    const struct sl_timeline *t = audit->timeline;
    for (uint32_t i = 0; i < audit->work_count; i++) {
        struct sl_audit_work *work = &audit->works[i];
        uint32_t event = work->event, call = t->cause[event];
        work->step = step_at(audit, t->start_ps[call == SL_NONE ? event : call]);
        if (work->step == SL_NONE)
            continue;
        struct sl_audit_step *step = &audit->steps[work->step];
        step->works++;
        if (t->end_ps[event] > step->finish_ps)
            step->finish_ps = t->end_ps[event];
        if (!sl_intervals_add(&busy[work->step], t->start_ps[event], t->end_ps[event]))
            return false;
    }
    for (uint32_t i = 0; i < audit->step_count; i++)
        audit->steps[i].busy_ps = sl_intervals_length(&busy[i]);
    return true;
}

/* The first of three or more steps is set apart where it is cold. */
static bool spread_steps(struct sl_audit *audit)
{
    int64_t *times = malloc((audit->step_count + 1u) * sizeof *times);
    if (!times)
        return false;
    for (uint32_t i = 0; i < audit->step_count; i++)
        times[i] = audit->steps[i].finish_ps - audit->steps[i].from_ps;
    int64_t first = audit->step_count > 0 ? times[0] : 0;
    if (audit->step_count >= 3) {
        struct sl_spread others = sl_spread_of(times + 1, audit->step_count - 1);
        audit->cold = (double)first > SL_COLD * (double)others.median_ps;
        audit->warm = others;
    }
    if (!audit->cold)
        audit->warm = sl_spread_of(times, audit->step_count);
    free(times);
    return true;
}

enum sl_status sl_audit_steps(struct sl_audit *audit, struct sl_error *err)
{
    keep_in_scope(audit);
    struct sl_intervals *busy = calloc(audit->step_count + 1u, sizeof *busy);
    bool made = busy && join_works(audit, busy) && spread_steps(audit);
    for (uint32_t i = 0; busy && i < audit->step_count; i++)
        sl_intervals_free(&busy[i]);
    free(busy);
    return made ? sl_audit_order(audit, err) : sl_audit_no_memory(err);
}

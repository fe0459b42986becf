/* The record of a trial in which all nodes ran: what of it follows from that. */
#include "isa.h"
#include "worker.h"
#include <string.h>

#define AT_ONCE 16

/* Nodes before the first AT_ONCE of which one ended at t. */
static SL_ALWAYS_INLINE void skip_others_body(const int64_t *finish, uint32_t n, int64_t t,
                                              uint32_t *skipped)
{
    typedef int64_t times __attribute__((vector_size(32), aligned(8), may_alias));
    for (; *skipped + AT_ONCE <= n; *skipped += AT_ONCE) {
        const times *at = (const times *)(finish + *skipped);
        times any = (at[0] == t) | (at[1] == t) | (at[2] == t) | (at[3] == t);
        if (any[0] | any[1] | any[2] | any[3])
            return;
    }
}
SL_FOR_EACH_ISA(skip_others, (const int64_t *finish, uint32_t n, int64_t t, uint32_t *skipped),
                (finish, n, t, skipped))

uint32_t sl_worker_first_at(const int64_t *finish, uint32_t n, int64_t t)
{
    uint32_t i = 0;
    skip_others(finish, n, t, &i);
    while (finish[i] != t)
        i++;
    return i;
}

void sl_worker_record_all(struct sl_worker *w)
{
    const struct sl_program *p = w->p;
    memset(w->state, SL_RAN, p->n);
    w->record.all_ran = true;
    w->record.run_count = p->n;
    w->record.makespan_ps = w->now;
    w->record.last_run = sl_worker_first_at(w->finish, p->n, w->now);
    w->record.free_ps = p->any_latency ? w->free : w->finish;
}

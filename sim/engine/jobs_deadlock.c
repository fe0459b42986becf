/* Why a replication cannot go on: the first runs that wait, each with what it lacks.  Nothing runs,
 * so all units are free: what is left to wait for is a turn or bytes that other jobs hold, or a
 * demand that can never be met. */
#include "jobs_parts.h"
#include "units.h"
#include <string.h>

enum { MOST_TOLD = 8 };

struct telling {
    char *text;
    size_t said;
};

static void say(struct telling *t, const char *format, ...) SL_PRINTF(2, 3);
static void say(struct telling *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int more = vsnprintf(t->text + t->said, SL_DEADLOCK_TEXT - t->said, format, args);
    va_end(args);
    t->said += more > 0 ? (size_t)more : 0;
    t->said = t->said < SL_DEADLOCK_TEXT ? t->said : SL_DEADLOCK_TEXT - 1;
}

static void say_run(const struct sl_jobs_worker *w, struct telling *t, uint32_t handle)
{
    const struct job_run *run = &w->runs[handle];
    say(t, "%s of job %llu", w->p->base->graph->nodes[run->node].name,
        (unsigned long long)w->jobs[run->job].number);
}

/* Of the resources that it demands, one that has fewer units than that. */
static bool say_units(const struct sl_jobs_worker *w, struct telling *t, uint32_t node)
{
    const struct sl_program *base = w->p->base;
    for (uint32_t k = 0; k < base->demand[node].count; k++) {
        const struct sl_demand *d = &base->demands[base->demand[node].first + k];
        if (d->units <= base->resources[d->resource].units)
            continue;
        say(t, " demands %u units of %s, which has %lld: this can never be met", d->units,
            base->graph->platform->resource_names.names[d->resource],
            (long long)base->resources[d->resource].units);
        return true;
    }
    return false;
}

/* Bytes that a run has to find in each domain, where they are not free. */
static bool say_bytes(const struct sl_jobs_worker *w, struct telling *t, uint32_t handle)
{
    const struct sl_program *base = w->p->base;
    for (uint32_t m = 0; m < base->domain_count; m++) {
        const struct domain_run *domain = &w->base->domains[m];
        int64_t want = sl_jobs_bytes_want(w, handle, m);
        if (want <= domain->limit - domain->level)
            continue;
        char wanted[32], held[32], limit[32];
        sl_format_bytes(wanted, sizeof wanted, (double)want);
        sl_format_bytes(held, sizeof held, (double)domain->level);
        sl_format_bytes(limit, sizeof limit, (double)domain->limit);
        say(t, " waits for %s of %s, of which %s are usable and %s are held", wanted,
            base->graph->platform->domain_names.names[m], limit, held);
        if (want > domain->limit)
            say(t, ": this can never be met");
        return true;
    }
    return false;
}

static void say_wait(const struct sl_jobs_worker *w, struct telling *t, uint32_t handle)
{
    uint32_t turn = w->runs[handle].node;
    say_run(w, t, handle);
    if (say_units(w, t, w->runs[handle].node) || say_bytes(w, t, handle))
        return;
    turn = w->p->nodes[turn].flags & NODE_ISSUE ? sl_jobs_wait_turn(w, handle) : SL_NONE;
    if (turn != SL_NONE)
        say(t, " waits for its turn after %s", w->p->base->graph->nodes[turn].name);
    else
        say(t, " waits behind another in a strict queue");
}

void sl_jobs_deadlock_report(struct sl_jobs_worker *w)
{
    struct telling telling = {.text = w->base->deadlock};
    uint32_t told = 0;
    telling.text[0] = '\0';
    for (uint32_t q = 0; q < w->p->queue_count; q++)
        for (uint32_t at = w->queues[q].head; at < w->queues[q].tail && told < MOST_TOLD; at++) {
            say(&telling, told++ ? "; " : "");
            say_wait(w, &telling, w->queues[q].items[at].handle);
        }
    say(&telling, "%s%u jobs are left in the system", told ? "; " : "", w->in_system);
    w->totals.deadlock = telling.text;
}

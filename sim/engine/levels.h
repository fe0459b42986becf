/* A change of a domain's level, as every start and finish makes it. */
#ifndef SL_LEVELS_H
#define SL_LEVELS_H
#include "evict.h"

void sl_level_note_step(struct sl_worker *w, uint32_t m);
void sl_level_fault(struct sl_worker *w, uint32_t m);

/* Brings the integrals of a domain to now, before its level changes. */
static inline void integrate_level(struct sl_worker *w, uint32_t m)
{
    struct domain_run *domain = &w->domains[m];
    double seconds = (double)(w->now - domain->since) * 1e-12;
    w->pressure[m] += (double)domain->level * seconds;
    if (domain->part[PART_STAGING]) /* else 0 is added, which changes no bit */
        w->staging_pressure[m] += (double)domain->part[PART_STAGING] * seconds;
    domain->since = w->now;
}

/* Adds bytes (negative: gives back) to a part of the level. */
static inline void change_level(struct sl_worker *w, uint32_t m, enum level_part part,
                                int64_t bytes)
{
    struct domain_run *domain = &w->domains[m];
    if (domain->since != w->now)
        integrate_level(w, m);
    domain->part[part] += bytes;
    domain->level += bytes;
    if (domain->level > w->peak[m])
        w->peak[m] = domain->level;
    if (domain->level < 0 || (bytes > 0 && domain->level > domain->limit))
        sl_level_fault(w, m);
    if (w->record_levels)
        sl_level_note_step(w, m);
}

/* What `run` gives back when it ends. */
static inline void return_bytes(struct sl_worker *w, uint32_t run, uint32_t m, enum level_part part,
                                int64_t bytes)
{
    int64_t room = w->domains[m].limit - w->domains[m].level;
    w->log[w->log_count++] = (struct release){m, run, RELEASE_BYTES, false, room, room + bytes};
    change_level(w, m, part, -bytes);
    w->scan_needed = true;
}
#endif

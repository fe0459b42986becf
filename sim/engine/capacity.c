/* Bytes: holdings, workspace, levels, peaks and pressure integrals.
 *
 *     level_m(t) = live object bytes + workspace + staging <= limit_m
 *
 * limit_m is capacity - reserve, divided by the trial's fragmentation draw where there is one:
 * capacity binds on reserved = allocated x draw. */
#include "levels.h"
#include <math.h>
#include <stdlib.h>

void sl_level_note_step(struct sl_worker *w, uint32_t m)
{
    const struct domain_run *domain = &w->domains[m];
    if (w->step_count == w->step_capacity) {
        size_t capacity = w->step_capacity ? 2 * w->step_capacity : 256;
        struct sl_level_step *steps = realloc(w->steps, capacity * sizeof *steps);
        if (!steps) {
            w->out_of_memory = true;
            return;
        }
        w->steps = steps;
        w->step_capacity = capacity;
    }
    w->steps[w->step_count++] =
        (struct sl_level_step){w->now, m, domain->part[PART_OBJECTS], domain->part[PART_WORKSPACE],
                               domain->part[PART_STAGING]};
}

void sl_level_fault(struct sl_worker *w, uint32_t m)
{
    sl_worker_fault(w, "internal: the level of domain '%s' left its range (%lld of %lld bytes)",
                    w->p->graph->platform->domain_names.names[m], (long long)w->domains[m].level,
                    (long long)w->domains[m].limit);
}

static enum level_part part_of(const struct sl_worker *w, uint32_t holding)
{
    return w->p->graph->holdings[holding].kind == SL_HOLD_STAGING ? PART_STAGING : PART_OBJECTS;
}

static bool demanded(const struct sl_worker *w, uint32_t node, uint32_t holding)
{
    if (holding == SL_NONE)
        return true;
    return !w->held[holding] && (!w->evict || sl_evict_takes(w, node, holding));
}

int64_t sl_capacity_want(const struct sl_worker *w, uint32_t node, uint32_t first, uint32_t *next)
{
    const struct range *range = &w->p->amount[node];
    const struct amount *amounts = w->p->amounts + range->first;
    int64_t want = 0;
    uint32_t at = first;
    for (; at < range->count && amounts[at].domain == amounts[first].domain; at++)
        if (demanded(w, node, amounts[at].holding))
            want += amounts[at].bytes;
    *next = at;
    return want;
}

bool sl_capacity_fits(const struct sl_worker *w, uint32_t node)
{
    const struct range *range = &w->p->amount[node];
    for (uint32_t at = 0, next; at < range->count; at = next) {
        const struct domain_run *domain = &w->domains[w->p->amounts[range->first + at].domain];
        int64_t want = sl_capacity_want(w, node, at, &next);
        if (want > domain->limit - domain->level)
            return false;
    }
    return true;
}

void sl_capacity_take(struct sl_worker *w, uint32_t node)
{
    const struct range *range = &w->p->amount[node];
    for (uint32_t k = 0; k < range->count; k++) {
        const struct amount *amount = &w->p->amounts[range->first + k];
        if (!demanded(w, node, amount->holding))
            continue;
        if (amount->holding != SL_NONE) {
            w->held[amount->holding] = true;
            w->holder[amount->holding] = node;
        }
        change_level(w, amount->domain, amount->part, amount->bytes);
    }
}

/* A skipped node gives back staging that waits for its end; but the reclamation of an object that
 * was skipped did not happen. */
void sl_capacity_give(struct sl_worker *w, uint32_t node, bool skipped)
{
    const struct range *gives = &w->p->gives[node];
    for (uint32_t k = 0; k < gives->count; k++) {
        uint32_t h = w->p->give_holdings[gives->first + k];
        const struct sl_holding *holding = &w->p->graph->holdings[h];
        if (!w->held[h] || (skipped && holding->kind != SL_HOLD_STAGING))
            continue;
        if (w->evict && (w->evict->plan->copy_of[h] != SL_NONE || w->evict->plan->kept[h]))
            continue; /* evict.c ends it */
        w->held[h] = false;
        return_bytes(w, sl_run_of(w, node), holding->domain, part_of(w, h), w->p->holding_bytes[h]);
    }
}

void sl_capacity_give_workspace(struct sl_worker *w, uint32_t node)
{
    const struct range *range = &w->p->amount[node];
    for (uint32_t k = 0; k < range->count; k++) {
        const struct amount *amount = &w->p->amounts[range->first + k];
        if (amount->holding == SL_NONE)
            return_bytes(w, sl_run_of(w, node), amount->domain, PART_WORKSPACE, amount->bytes);
    }
}

void sl_capacity_drop(struct sl_worker *w, uint32_t h, uint32_t behind)
{
    uint32_t m = w->p->graph->holdings[h].domain;
    int64_t room = w->domains[m].limit - w->domains[m].level, bytes = w->p->holding_bytes[h];
    if (behind != SL_NONE && w->finish[behind] == w->now)
        w->log[w->log_count++] =
            (struct release){m, behind, RELEASE_BYTES, false, room, room + bytes};
    w->held[h] = false;
    change_level(w, m, part_of(w, h), -bytes);
    w->scan_needed = true;
}

static void begin_domain(struct sl_worker *w, uint32_t m)
{
    const struct sl_dist *dist = w->p->graph->platform->domains[m].fragmentation;
    double factor = 1;
    int64_t limit = w->p->domain_limit[m];
    if (dist) {
        double u, u2;
        sl_draws_uniforms(w->seed, w->record.trial, w->p->fragmentation_hash[m], 0, &u, &u2);
        factor = fmax(1, sl_dist_value(dist, u, u2));
        if (limit != INT64_MAX)
            limit = (int64_t)floor((double)limit / factor);
    }
    w->fragmentation[m] = factor;
    w->domains[m] = (struct domain_run){.limit = limit};
    w->peak[m] = 0;
    w->pressure[m] = w->staging_pressure[m] = 0;
}

void sl_capacity_begin(struct sl_worker *w)
{
    const struct sl_graph *g = w->p->graph;
    for (uint32_t m = 0; m < w->p->domain_count; m++)
        begin_domain(w, m);
    for (uint32_t h = 0; h < g->holding_count; h++) {
        struct domain_run *domain = &w->domains[g->holdings[h].domain];
        w->held[h] = g->holdings[h].initial;
        w->holder[h] = SL_NONE;
        if (!w->held[h])
            continue;
        domain->level += w->p->holding_bytes[h];
        domain->part[part_of(w, h)] += w->p->holding_bytes[h];
    }
    for (uint32_t m = 0; m < w->p->domain_count; m++) {
        w->peak[m] = w->domains[m].level;
        if (w->record_levels && w->domains[m].level)
            sl_level_note_step(w, m);
    }
}

/* Closes the integrals and compares every level with what is still held: no byte is lost. */
void sl_capacity_end(struct sl_worker *w)
{
    const struct sl_program *p = w->p;
    const struct sl_graph *g = p->graph;
    for (uint32_t m = 0; m < p->domain_count; m++)
        integrate_level(w, m);
    for (uint32_t h = 0; h < g->holding_count; h++)
        if (w->held[h]) /* counted down, to zero if nothing was lost */
            w->domains[g->holdings[h].domain].level -= p->holding_bytes[h];
    for (uint32_t m = 0; m < p->domain_count; m++) {
        if (!w->stopped && (w->domains[m].level || w->domains[m].part[PART_WORKSPACE]))
            sl_worker_fault(w, "internal: %lld bytes of domain '%s' were lost",
                            (long long)w->domains[m].level, g->platform->domain_names.names[m]);
        if (w->fragmentation[m] > 1)
            w->peak[m] = (int64_t)ceil((double)w->peak[m] * w->fragmentation[m]);
    }
}

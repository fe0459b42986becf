/* Units in use by windows of time: a row of windows per resource, whose width doubles, two of them
 * becoming one, as often as the end of the replication moves beyond the last. */
#include "jobs_parts.h"
#include <string.h>

enum sl_status sl_jobs_worker_use(struct sl_jobs_worker *w, bool on, struct sl_error *err)
{
    size_t resources = w->p->base->resource_count;
    if (on && !w->use.unit_s)
        w->use.unit_s = sl_arena_array(&w->arena, resources * SL_JOBS_WINDOWS + 1, sizeof(double));
    if (on && !w->use.unit_s)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for windows of %zu resources", resources);
    w->use.on = on;
    return SL_OK;
}

void sl_jobs_use_begin(struct sl_jobs_worker *w)
{
    if (w->use.on)
        memset(w->use.unit_s, 0,
               (size_t)w->p->base->resource_count * SL_JOBS_WINDOWS * sizeof(double));
    w->use.shift = 0;
}

static double *row_of(const struct sl_jobs_worker *w, uint32_t resource)
{
    return w->use.unit_s + (size_t)resource * SL_JOBS_WINDOWS;
}

static void widen(struct sl_jobs_worker *w)
{
    for (uint32_t r = 0; r < w->p->base->resource_count; r++) {
        double *row = row_of(w, r);
        for (uint32_t k = 0; k < SL_JOBS_WINDOWS / 2; k++)
            row[k] = row[2 * k] + row[2 * k + 1];
        memset(row + SL_JOBS_WINDOWS / 2, 0, SL_JOBS_WINDOWS / 2 * sizeof *row);
    }
    w->use.shift++;
}

static void reach(struct sl_jobs_worker *w, int64_t t)
{
    while (t > (int64_t)SL_JOBS_WINDOWS << w->use.shift)
        widen(w);
}

void sl_jobs_use_add(struct sl_jobs_worker *w, uint32_t resource, uint32_t units, int64_t since)
{
    reach(w, w->now);
    double *row = row_of(w, resource);
    for (int64_t at = since; at < w->now;) {
        int64_t k = at >> w->use.shift, end = (k + 1) << w->use.shift;
        end = end < w->now ? end : w->now;
        row[k] += (double)units * ((double)(end - at) * 1e-12);
        at = end;
    }
}

void sl_jobs_use_end(struct sl_jobs_worker *w)
{
    if (!w->use.on)
        return;
    reach(w, w->totals.end_ps);
    w->totals.window_ps = INT64_C(1) << w->use.shift;
    w->totals.window_unit_s = w->use.unit_s;
}

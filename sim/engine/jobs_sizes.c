/* What a job's own parameters say: factors on durations, and bytes of holdings. */
#include "jobs_parts.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void sl_jobs_fault(struct sl_jobs_worker *w, const struct job *job, const char *format, ...)
{
    char text[300], row[160] = "";
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (job->place.file)
        snprintf(row, sizeof row, " (%.140s:%d)", job->place.file, job->place.line);
    sl_worker_fault(w->base, "job %llu%s: %s", (unsigned long long)job->number, row, text);
}

double sl_jobs_expression(struct sl_jobs_worker *w, const struct job *job,
                          const struct sl_expr *expr, const char *what, const char *name)
{
    double value = sl_expr_value(expr, job_parameters(w, job));
    if (value >= 0 && value < 0x1p61)
        return value;
    sl_jobs_fault(w, job, "the %s of '%s', %s, is %g, where 0 to 2^61 is possible%s", what, name,
                  sl_expr_text(expr), value, value < 0 ? ": max(0, ...) allows for that" : "");
    return 0;
}

void sl_jobs_sizes_fill(struct sl_jobs_worker *w, const struct job *job, int64_t *bytes)
{
    const struct sl_program *base = w->p->base;
    const struct sl_graph *g = base->graph;
    double total = 0;
    memcpy(bytes, base->holding_bytes, w->p->holdings * sizeof *bytes);
    for (uint32_t k = 0; k < w->p->sized_count; k++) {
        uint32_t h = w->p->sized[k], m = g->holdings[h].domain;
        const struct sl_object *object = &g->objects[sl_object_root(g, g->holdings[h].object).i];
        double size = sl_jobs_expression(w, job, object->size, "size", object->name);
        bytes[h] = sl_rounded_bytes(llround(size), g->platform->domains[m].rounding);
        total += (double)bytes[h];
    }
    if (!(total < 0x1p61))
        sl_jobs_fault(w, job, "its objects exceed 2^61 bytes");
}

/* Audit of where a trial's time went: every resource's busy and idle intervals, cut at the starts
 * and ends of its users and charged one by one, against the sums of sim/measure; and the realized
 * chain, which must run through without a gap along starts and ends that the record has. */
#include <config.h>

#include "measure.h"
#include "record_audit.h"
#include <stdlib.h>
#include <string.h>

static bool demands(const struct sl_graph *graph, uint32_t node, uint32_t resource)
{
    struct sl_span span = graph->nodes[node].demands;
    for (uint32_t k = 0; k < span.count; k++)
        if (graph->demands[span.first + k].resource == resource)
            return true;
    return false;
}

/* Holds the resource for some time. */
static bool holds(const struct audit *a, uint32_t node, uint32_t resource)
{
    return audit_ran(a, node) && a->trial->free_ps[node] > a->trial->start_ps[node] &&
           demands(a->graph, node, resource);
}

/* The next instant after `from` at which a user starts or comes free; the makespan when none does.
 */
static int64_t next_cut(const struct audit *a, uint32_t resource, int64_t from)
{
    int64_t cut = a->trial->makespan_ps;
    for (uint32_t i = 0; i < a->graph->node_count; i++) {
        const int64_t ends[] = {a->trial->start_ps[i], a->trial->free_ps[i]};
        for (int k = 0; k < 2 && holds(a, i, resource); k++)
            if (ends[k] > from && ends[k] < cut)
                cut = ends[k];
    }
    return cut;
}

static bool in_use(const struct audit *a, uint32_t resource, int64_t from)
{
    for (uint32_t i = 0; i < a->graph->node_count; i++)
        if (holds(a, i, resource) && a->trial->start_ps[i] <= from && from < a->trial->free_ps[i])
            return true;
    return false;
}

/* What the idle interval that holds `from` is charged to: the cause of the user that starts next,
 * of several at once the first by index. */
static unsigned charged_to(const struct audit *a, uint32_t resource, int64_t from)
{
    uint32_t next = SL_NONE;
    for (uint32_t i = 0; i < a->graph->node_count; i++)
        if (holds(a, i, resource) && a->trial->start_ps[i] > from &&
            (next == SL_NONE || a->trial->start_ps[i] < a->trial->start_ps[next]))
            next = i;
    return next == SL_NONE ? SL_STALL_DRAIN : a->trial->cause[next];
}

static void audit_resource(struct audit *a, struct sl_measurer *measurer, uint32_t resource)
{
    struct sl_stalls own = {0}, measured;
    struct sl_error err = {0};
    const char *name = a->graph->platform->resource_names.names[resource];
    for (int64_t from = 0, to; from < a->trial->makespan_ps; from = to) {
        to = next_cut(a, resource, from);
        if (in_use(a, resource, from))
            own.busy_ps += to - from;
        else
            own.idle_ps[charged_to(a, resource, from)] += to - from;
    }
    if (sl_measure_stalls(measurer, a->trial, resource, &measured, &err) != SL_OK)
        audit_fault(a, "%s", err.message);
    else if (memcmp(&own, &measured, sizeof own) != 0)
        audit_fault(a, "the time of %s is charged otherwise than its intervals say", name);
    if (sl_stalls_total(&own) != a->trial->makespan_ps)
        audit_fault(a, "the time of %s does not sum to the makespan", name);
}

void audit_stalls(struct audit *a)
{
    struct sl_measurer *measurer = NULL;
    struct sl_error err = {0};
    if (a->trial->outcome != SL_DONE)
        return;
    if (sl_measurer_create(&measurer, a->graph, &err) != SL_OK)
        audit_fault(a, "%s", err.message);
    else
        for (uint32_t r = 0; r < a->graph->platform->resource_names.count; r++)
            audit_resource(a, measurer, r);
    sl_measurer_free(measurer);
}

/* A running link begins with its node's start and lies within its run; a waiting one ends where its
 * node starts or was skipped. */
static void audit_link(struct audit *a, const struct sl_link *link)
{
    const struct sl_trial *t = a->trial;
    const char *name = a->graph->nodes[link->node].name;
    if (link->end_ps < link->begin_ps || (link->waiting && link->end_ps == link->begin_ps))
        audit_fault(a, "the chain's link at %s has no length", name);
    if (!link->waiting && (!audit_ran(a, link->node) || link->begin_ps != t->start_ps[link->node] ||
                           link->end_ps > t->finish_ps[link->node]))
        audit_fault(a, "%s did not run where the chain says", name);
    int64_t begin = audit_ran(a, link->node) ? t->start_ps[link->node] : t->finish_ps[link->node];
    if (link->waiting && link->end_ps != begin)
        audit_fault(a, "%s did not end its wait where the chain says", name);
}

void audit_chain(struct audit *a, const struct sl_program *program)
{
    size_t capacity = 2 * (size_t)a->graph->node_count + 2;
    struct sl_link *links = malloc(capacity * sizeof *links);
    if (!links || a->trial->outcome != SL_DONE)
        goto out;
    size_t count = sl_trial_chain(program, a->trial, links, capacity);
    int64_t reached = 0;
    for (size_t k = 0; k < count; k++) {
        if (links[k].begin_ps != reached)
            audit_fault(a, "the chain has a gap before %s", a->graph->nodes[links[k].node].name);
        audit_link(a, &links[k]);
        reached = links[k].end_ps;
    }
    if (reached != a->trial->makespan_ps)
        audit_fault(a, "the chain does not end with the makespan");
out:
    free(links);
}

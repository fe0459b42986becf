/* What a runtime said, in the words of the record. */
#include "config.h"

#include "decide_parts.h"
#include "feasibility.h"
#include "gate.h"
#include "units.h"
#include <math.h>
#include <string.h>

/* Edges and queues that a record lists, and nodes of a queue; the rest is counted. */
enum { KEPT = 4096, NODES_KEPT = 40 };

static struct sl_record_constraint *add_constraint(struct sl_record *record, const char *type,
                                                   const char *reason, bool applied, bool *good)
{
    struct sl_record_constraint *constraint =
        sl_record_add(record, &record->mechanism.constraints, &sl_shape_constraint);
    *good &= constraint != NULL;
    if (!constraint)
        return NULL;
    constraint->type = sl_record_keep(record, type, good);
    constraint->reason = sl_record_keep(record, reason ? reason : "", good);
    constraint->applied = applied;
    return constraint;
}

static void put_rest(struct sl_record *record, const char *type, uint32_t count, bool applied,
                     bool *good)
{
    struct sl_record_constraint *rest =
        count > KEPT ? add_constraint(record, type, "those that are not listed", applied, good)
                     : NULL;
    if (rest)
        rest->value = count - KEPT;
}

static void put_edges(struct sl_record *record, const struct sl_reply *reply,
                      const struct sl_graph *plan, bool applied, bool *good)
{
    uint32_t count = reply->edges.count;
    for (uint32_t k = 0; *good && k < count && k < KEPT; k++) {
        const struct sl_reply_edge *edge = &reply->edges.items[k];
        struct sl_record_constraint *constraint =
            add_constraint(record, sl_edge_type_name(edge->type), edge->reason, applied, good);
        if (!constraint)
            return;
        constraint->from = sl_record_keep(record, plan->nodes[edge->from].name, good);
        constraint->to = sl_record_keep(record, plan->nodes[edge->to].name, good);
        constraint->lag_us = sl_us_of(edge->lag_ps);
    }
    put_rest(record, "edges", count, applied, good);
}

static void put_queues(struct sl_record *record, const struct sl_reply *reply, bool applied,
                       bool *good)
{
    for (uint32_t q = 0; *good && q < reply->queues.count && q < KEPT; q++) {
        const struct sl_reply_queue *queue = &reply->queues.items[q];
        struct sl_record_constraint *constraint =
            add_constraint(record, "serialize", queue->reason, applied, good);
        if (!constraint)
            return;
        constraint->subject = sl_record_keep(record, queue->name, good);
        constraint->value = queue->count;
    }
    put_rest(record, "queues", reply->queues.count, applied, good);
}

static void put_limits(struct sl_record *record, const struct sl_reply *reply,
                       const struct sl_graph *plan, bool applied, bool *good)
{
    const struct sl_platform *platform = plan->platform;
    for (uint32_t k = 0; *good && k < reply->limits.count; k++) {
        const struct sl_reply_limit *limit = &reply->limits.items[k];
        const char *subject = limit->resource != SL_NONE
                                  ? platform->resource_names.names[limit->resource]
                                  : platform->domain_names.names[limit->domain];
        const struct {
            const char *type;
            double value;
            bool stated;
        } parts[] = {{"servers", limit->servers, limit->servers > 0},
                     {"capacity", (double)limit->capacity, limit->capacity >= 0},
                     {"granularity", (double)limit->rounding, limit->rounding > 0}};
        for (int p = 0; p < 3; p++) {
            struct sl_record_constraint *constraint =
                parts[p].stated
                    ? add_constraint(record, parts[p].type, limit->reason, applied, good)
                    : NULL;
            if (constraint) {
                constraint->subject = sl_record_keep(record, subject, good);
                constraint->value = parts[p].value;
            }
        }
    }
    for (uint32_t k = 0; *good && k < reply->kept.count; k++) {
        const struct sl_reply_kept *kept = &reply->kept.items[k];
        struct sl_record_constraint *constraint =
            add_constraint(record, "uncancellable", kept->reason, applied, good);
        if (constraint)
            constraint->subject = sl_record_keep(record, plan->nodes[kept->node].name, good);
    }
}

static void put_mappings(struct sl_record *record, const struct sl_reply *reply, bool *good)
{
    for (uint32_t k = 0; *good && k < reply->mechanisms.count; k++) {
        const struct sl_reply_mechanism *from = &reply->mechanisms.items[k];
        struct sl_record_mapping *mapping =
            sl_record_add(record, &record->mechanism.mappings, &sl_shape_mapping);
        *good &= mapping != NULL;
        if (!mapping)
            return;
        mapping->wish = sl_record_keep(record, from->wish, good);
        mapping->mechanism = sl_record_keep(record, from->mechanism, good);
        mapping->realizable = from->realizable;
        mapping->note = sl_record_keep(record, from->note, good);
        mapping->node = sl_record_keep(record, from->node, good);
        mapping->object = sl_record_keep(record, from->object, good);
        mapping->count = from->count;
    }
    for (uint32_t k = 0; *good && k < reply->assumptions.count; k++) {
        const struct sl_reply_assumption *from = &reply->assumptions.items[k];
        struct sl_record_assumption *assumption =
            sl_record_add(record, &record->mechanism.assumptions, &sl_shape_assumption);
        *good &= assumption != NULL;
        if (!assumption)
            return;
        assumption->assumption = sl_record_keep(record, from->assumption, good);
        assumption->detail = sl_record_keep(record, from->detail, good);
        assumption->holds = from->holds;
    }
}

static struct sl_record_deviation *add_deviation(struct sl_record *record, const char *what,
                                                 bool *good)
{
    struct sl_record_deviation *deviation =
        sl_record_add(record, &record->mechanism.deviations, &sl_shape_deviation);
    *good &= deviation != NULL;
    if (deviation)
        deviation->what = sl_record_keep(record, what, good);
    return deviation;
}

static void put_deviations(struct sl_record *record, const struct sl_reply *reply, bool *good)
{
    for (uint32_t k = 0; *good && k < reply->deviations.count; k++) {
        const struct sl_reply_deviation *from = &reply->deviations.items[k];
        struct sl_record_deviation *deviation =
            add_deviation(record, from->wish ? from->wish : from->node, good);
        if (!deviation)
            return;
        deviation->expected = sl_record_keep(record, SL_GATE_AS_DECIDED, good);
        deviation->realized = sl_record_text(record, good, "%s: %s%s%s", from->instead, from->why,
                                             from->consequence ? "; " : "",
                                             from->consequence ? from->consequence : "");
    }
}

/* "stream step: f0, f1, ... and 20 more". */
static void put_order(struct sl_record *record, const struct sl_reply *reply,
                      const struct sl_graph *plan, bool *good)
{
    for (uint32_t q = 0; *good && q < reply->queues.count && q < KEPT; q++) {
        const struct sl_reply_queue *queue = &reply->queues.items[q];
        const char *text = sl_record_text(record, good, "%s:", queue->name);
        for (uint32_t k = 0; *good && k < queue->count && k < NODES_KEPT; k++)
            text = sl_record_text(record, good, "%s%s %s", text, k > 0 ? "," : "",
                                  plan->nodes[queue->nodes[k]].name);
        if (*good && queue->count > NODES_KEPT)
            text = sl_record_text(record, good, "%s, and %u more", text, queue->count - NODES_KEPT);
        *good = *good && sl_record_add_text(record, &record->mechanism.order, text);
    }
}

bool sl_mechanism_fill(struct sl_record *record, const struct sl_reply *reply,
                       const struct sl_graph *plan, bool applied)
{
    struct sl_record_mechanism *mechanism = &record->mechanism;
    bool good = true;
    mechanism->present = true;
    mechanism->by = sl_record_keep(record, reply->runtime, &good);
    mechanism->path = sl_record_keep(record, reply->path, &good);
    mechanism->sha256 = sl_record_keep(record, reply->sha256, &good);
    mechanism->handoff = sl_record_keep(record, reply->handoff, &good);
    mechanism->feasible = reply->feasible == SL_REPLY_NO ? SL_TRUTH_NO : SL_TRUTH_YES;
    mechanism->why = sl_record_keep(record, reply->why, &good);
    put_edges(record, reply, plan, applied, &good);
    put_queues(record, reply, applied, &good);
    put_limits(record, reply, plan, applied, &good);
    put_mappings(record, reply, &good);
    put_deviations(record, reply, &good);
    put_order(record, reply, plan, &good);
    return good;
}

/* A price that nobody knows was taken as nothing: that it is nothing is not settled. */
static void put_unknown_overheads(struct sl_record *record, const struct sl_recomputed *made,
                                  bool *good)
{
    struct sl_record_assumption *assumption =
        made->unknown > 0
            ? sl_record_add(record, &record->mechanism.assumptions, &sl_shape_assumption)
            : NULL;
    *good &= assumption || made->unknown == 0;
    if (!assumption)
        return;
    assumption->assumption = SL_GATE_FREE_CALLS;
    assumption->detail = sl_record_text(
        record, good, "the overhead of %u nodes is not known, and nothing is added for them",
        made->unknown);
    assumption->holds = SL_TRUTH_UNKNOWN;
}

bool sl_mechanism_note_order(struct sl_record *record, const struct sl_reply *reply,
                             const struct sl_graph *plan, const struct sl_recomputed *made)
{
    bool good = true;
    record->mechanism.overhead_us = made->overhead_us;
    put_unknown_overheads(record, made, &good);
    if (made->inversions == 0)
        return good;
    struct sl_record_deviation *all = add_deviation(record, "order of starts", &good);
    if (all) {
        all->expected = sl_record_keep(record, "that of the plan at mean durations", &good);
        all->realized =
            sl_record_text(record, &good, "%llu of %llu pairs the other way round",
                           (unsigned long long)made->inversions, (unsigned long long)made->pairs);
    }
    for (uint32_t k = 0; good && k < made->swap_count; k++) {
        const struct sl_order_swap *swap = &made->swaps[k];
        const char *before = plan->nodes[swap->before].name, *after = plan->nodes[swap->after].name;
        struct sl_record_deviation *one =
            add_deviation(record, reply->queues.items[swap->queue].name, &good);
        if (one) {
            one->expected = sl_record_text(record, &good, "%s before %s", after, before);
            one->realized = sl_record_text(record, &good, "%s before %s", before, after);
        }
    }
    return good;
}

/* ---- waits ------------------------------------------------------------------------------------
 */

/* A limit of the runtime's on what the node waited for: servers of a resource, bytes of a domain;
 * NULL: none is. */
static const struct sl_reply_limit *limit_behind(const struct sl_reply *reply,
                                                 const struct sl_graph *plan,
                                                 const struct sl_own_wait *wait)
{
    const struct sl_node *node = &plan->nodes[wait->node];
    for (uint32_t k = 0; k < reply->limits.count; k++) {
        const struct sl_reply_limit *limit = &reply->limits.items[k];
        if (wait->cause == SL_CAUSE_CAPACITY && limit->domain != SL_NONE)
            return limit;
        for (uint32_t d = 0; wait->cause == SL_CAUSE_QUEUE && d < node->demands.count; d++)
            if (plan->demands[node->demands.first + d].resource == limit->resource)
                return limit;
    }
    return NULL;
}

static const char *because(const char *reason)
{
    return reason && *reason ? reason : "no reason given";
}

static const char *name_insertion(struct sl_record *record, const struct sl_own_wait *wait,
                                  const struct sl_reply *reply, const struct sl_graph *plan,
                                  bool *good)
{
    const char *before = plan->nodes[wait->before].name;
    if (wait->queue != SL_NONE) {
        const struct sl_reply_queue *queue = &reply->queues.items[wait->queue];
        return sl_record_text(record, good, "the inserted queue %.500s, behind %.500s: %.500s",
                              queue->name, before, because(queue->reason));
    }
    const struct sl_reply_edge *edge = &reply->edges.items[wait->edge];
    char lag[SL_GATE_TEXT];
    return sl_record_text(
        record, good, "the inserted %s edge from %.500s%s%s: %.500s", sl_edge_type_name(edge->type),
        before, edge->lag_ps > 0 ? " with a lag of " : "",
        edge->lag_ps > 0 ? sl_gate_quantity(lag, sl_us_of(edge->lag_ps), "us") : "",
        because(edge->reason));
}

/* Of a wait in two parts the longer one counts. */
static const char *name_behind(struct sl_record *record, const struct sl_own_wait *wait,
                               const struct sl_reply *reply, const struct sl_graph *plan,
                               bool *good)
{
    if (wait->inserted_ps > 0 && wait->inserted_ps >= wait->wait_ps - wait->inserted_ps)
        return name_insertion(record, wait, reply, plan, good);
    const struct sl_reply_limit *limit = limit_behind(reply, plan, wait);
    if (!limit)
        return sl_record_text(record, good, "cause %s, of the plan itself",
                              sl_cause_name(wait->cause));
    const char *of = limit->resource != SL_NONE
                         ? plan->platform->resource_names.names[limit->resource]
                         : plan->platform->domain_names.names[limit->domain];
    return sl_record_text(record, good, "cause %s, under the inserted limit of %.500s: %.500s",
                          sl_cause_name(wait->cause), of, because(limit->reason));
}

/* The engine's own waits leave out those behind what is inserted: a share of trials by them is not
 * known. */
static void mend_constraints(struct sl_record_result *result, const struct sl_reply *reply)
{
    bool inserted = reply->edges.count > 0 || reply->queues.count > 0;
    for (uint32_t i = 0; i < result->constraints.count; i++) {
        struct sl_record_outcome *outcome = &result->constraints.items[i];
        bool known = !isnan(result->max_wait_us);
        if (known && strncmp(outcome->constraint, "max_wait", strlen("max_wait")) == 0) {
            outcome->figure = (struct sl_estimate){result->max_wait_us, NAN, NAN};
            outcome->state = result->max_wait_us <= outcome->limit ? "holds" : "broken";
        } else if (inserted && strstr(outcome->constraint, "max_wait")) {
            outcome->figure = SL_NO_ESTIMATE;
            outcome->state = "not-judged";
        }
    }
}

bool sl_mechanism_note_waits(struct sl_record *record, const struct sl_own_waits *waits,
                             const struct sl_reply *reply, const struct sl_graph *plan)
{
    struct sl_record_result *result = &record->runtime_feasible;
    const struct sl_own_wait *longest = &waits->longest;
    bool good = true;
    result->starved = waits->starved;
    result->max_wait_us = sl_us_of(longest->wait_ps);
    mend_constraints(result, reply);
    if (longest->wait_ps == 0)
        return true;
    result->longest_wait = sl_record_keep(record, plan->nodes[longest->node].name, &good);
    result->wait_behind = name_behind(record, longest, reply, plan, &good);
    return good;
}

bool sl_mechanism_note_job_waits(struct sl_record *record, const struct sl_cell *cell,
                                 const struct sl_reply *reply)
{
    struct sl_record_result *result = &record->runtime_feasible;
    uint32_t node = cell->jobs->starvation.node;
    int64_t longest = 0;
    bool good = true;
    for (uint32_t t = 0; t < cell->trials; t++)
        longest = cell->max_wait_ps[t] > longest ? cell->max_wait_ps[t] : longest;
    if (reply->edges.count == 0 && reply->queues.count == 0) {
        result->max_wait_us = sl_us_of(longest);
        for (uint32_t t = 0; t < cell->trials; t++)
            result->starved += cell->starved[t];
        if (longest > 0 && node < cell->plan.graph->node_count)
            result->longest_wait =
                sl_record_keep(record, cell->plan.graph->nodes[node].name, &good);
    }
    mend_constraints(result, reply);
    return good;
}

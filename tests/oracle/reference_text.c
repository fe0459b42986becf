/* See reference_text.h. */
#include "reference_text.h"
#include <inttypes.h>

static const char *const orders[] = {"fifo", "priority", "edf", "sjf", "critical-path", "issue"};
static const char *const states[] = {"unfinished", "ran", "skipped", "cancelled"};

static void print_machine(FILE *out, const struct sl_platform *p,
                          const struct sl_engine_options *options)
{
    for (uint32_t r = 0; r < p->resource_names.count; r++)
        fprintf(out, "resource %s: %d servers, %s%s, aging %" PRId64 ", groups %" PRIx64 "\n",
                p->resource_names.names[r], (int)p->resources[r].servers,
                orders[p->resources[r].order],
                p->resources[r].admission == SL_STRICT ? ", strict" : "", p->resources[r].aging_ps,
                p->resources[r].groups);
    if (options->dispatch_given)
        fprintf(out, "dispatch: %s\n", orders[options->dispatch]);
    for (uint32_t m = 0; m < p->domain_names.count; m++)
        fprintf(out, "domain %s: capacity %" PRId64 ", reserve %" PRId64 ", rounding %" PRId64 "\n",
                p->domain_names.names[m], p->domains[m].capacity, p->domains[m].reserve,
                p->domains[m].rounding);
    fprintf(out, "kappa: rule %s, unknown %d (%g), corner %d\n", p->kappa.rule_name,
            (int)p->kappa.unknown, p->kappa.unknown_value, (int)options->corner);
    for (uint32_t r = 0; r < p->kappa.row_count; r++) {
        const struct sl_kappa_row *row = &p->kappa.rows[r];
        fprintf(out, "  %s |", p->kappa.classes.names[row->victim]);
        for (uint32_t k = 0; k < row->set_size; k++)
            fprintf(out, " %s", p->kappa.classes.names[row->set[k]]);
        fprintf(out, ": %g\n", row->kappa);
    }
    for (uint32_t d = 0; d < p->kappa.demand_count; d++)
        fprintf(out, "  %s demands %g of %s\n", p->kappa.classes.names[p->kappa.demands[d].klass],
                p->kappa.demands[d].fraction, p->kappa.links.names[p->kappa.demands[d].link]);
}

static void print_list(FILE *out, const struct sl_graph *g, const char *word, struct sl_span span)
{
    for (uint32_t k = 0; k < span.count; k++) {
        uint32_t h = g->holdings_pool[span.first + k];
        const struct sl_holding *holding = &g->holdings[h];
        fprintf(out, ", %s h%u (%" PRId64 " of %s%s%s)", word, h, holding->bytes,
                g->platform->domain_names.names[holding->domain],
                holding->kind == SL_HOLD_STAGING ? ", staging" : "",
                holding->initial ? ", initial" : "");
    }
}

static void print_node(FILE *out, const struct sl_graph *g, uint32_t i)
{
    const struct sl_node *n = &g->nodes[i];
    fprintf(out, "node %u %s (%s)", i, n->name, sl_node_kind_name(n->kind));
    if (n->klass != SL_NONE)
        fprintf(out, ", class %s", g->platform->kappa.classes.names[n->klass]);
    for (uint32_t k = 0; k < n->demands.count; k++) {
        const struct sl_demand *d = &g->demands[n->demands.first + k];
        fprintf(out, ", %u of %s", d->units, g->platform->resource_names.names[d->resource]);
    }
    for (uint32_t k = 0; k < n->workspace.count; k++) {
        const struct sl_amount *a = &g->amounts[n->workspace.first + k];
        fprintf(out, ", workspace %" PRId64 " of %s", a->bytes,
                g->platform->domain_names.names[a->domain]);
    }
    print_list(out, g, "takes", n->takes);
    print_list(out, g, "gives", n->gives);
    if (n->lane != SL_NONE)
        fprintf(out, ", lane %s", g->lane_names.names[n->lane]);
    if (n->release_ps)
        fprintf(out, ", release %" PRId64, n->release_ps);
    if (n->deadline_ps != INT64_MAX)
        fprintf(out, ", deadline %" PRId64, n->deadline_ps);
    if (n->priority != 0)
        fprintf(out, ", priority %g", n->priority);
    if (n->fallback.i != SL_NONE)
        fprintf(out, ", fallback %s", g->nodes[n->fallback.i].name);
    fputc('\n', out);
}

static void print_graph(FILE *out, const struct sl_graph *g)
{
    for (uint32_t i = 0; i < g->node_count; i++)
        print_node(out, g, i);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        const struct sl_edge *edge = &g->edges[e];
        fprintf(out, "edge %u -> %u %s", edge->from.i, edge->to.i, sl_edge_type_name(edge->type));
        if (edge->lag_ps)
            fprintf(out, ", lag %" PRId64, edge->lag_ps);
        if (edge->next)
            fprintf(out, ", next %u", edge->next);
        fputc('\n', out);
    }
    for (uint32_t o = 0; o < g->overlap_count; o++) {
        const struct sl_overlap *row = &g->overlaps[o];
        fprintf(out, "overlap %s, %s: %s", row->a, row->b, row->allowed ? "allowed" : "forbidden");
        if (row->allowed)
            fprintf(out, " from %" PRId64 " to %" PRId64, row->earliest_ps, row->latest_ps);
        fputc('\n', out);
    }
}

void ref_print(FILE *out, const struct sl_graph *graph, const struct sl_engine_options *options,
               const struct sl_trial *t, const struct ref_result *ref)
{
    print_machine(out, graph->platform, options);
    print_graph(out, graph);
    fprintf(out, "\nnode: duration, guard; ready, start, free, finish, state, cause, behind, by "
                 "free, lag, bypassed\n");
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct ref_node *r = &ref->nodes[i];
        fprintf(out,
                "%u: %" PRId64 ", %d\n   engine     %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64
                " %s %s %d %d %" PRId64 " %u\n",
                i, r->duration, r->guard_holds, t->ready_ps[i], t->start_ps[i], t->free_ps[i],
                t->finish_ps[i], states[t->state[i]], sl_cause_name((enum sl_cause)t->cause[i]),
                (int)t->behind[i], t->behind_by_free[i], t->lag_ps[i], t->bypassed[i]);
        fprintf(out,
                "   reference  %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %s %d %d %d %" PRId64
                " %u\n",
                r->ready, r->start, r->free, r->finish, states[r->state], r->cause, (int)r->behind,
                r->by_free, r->lag, r->bypassed);
    }
}

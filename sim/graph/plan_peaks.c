/* The least peaks of a plan, whose holdings say who takes which bytes and who gives them back. */
#include <config.h>

#include "evictor.h"
#include "peak_bound.h"
#include <stdlib.h>

#define BUDGET 100000000 /* edges followed for one plan, a fraction of a second */

/* A copy that may leave while the plan runs is only there for sure while a node has it in use. */
static bool may_leave(const struct sl_graph *plan, uint32_t holding)
{
    uint32_t copy = plan->evictor ? plan->evictor->copy_of[holding] : SL_NONE;
    return copy != SL_NONE && plan->evictor->copies[copy].back != SL_NONE;
}

/* The one giver, or the first taker that surely runs; `many` where a second giver turns up: only
 * one of them may run, so the holding bounds nothing. */
struct ends {
    uint32_t taker, giver;
    bool many;
};

static bool surely_runs(const struct sl_node *node, bool stands_by)
{
    return node->guards.count == 0 && node->fallback.i == SL_NONE && !stands_by;
}

static void find_ends(const struct sl_graph *plan, const bool *stands_by, struct ends *ends)
{
    for (uint32_t h = 0; h < plan->holding_count; h++)
        ends[h] = (struct ends){SL_NONE, SL_NONE, false};
    for (uint32_t t = 0; t < plan->node_count; t++) {
        uint32_t i = plan->topo[t];
        const struct sl_node *node = &plan->nodes[i];
        if (sl_node_is_latent(plan, i))
            continue;
        for (uint32_t k = 0; k < node->takes.count && surely_runs(node, stands_by[i]); k++) {
            struct ends *e = &ends[plan->holdings_pool[node->takes.first + k]];
            e->taker = e->taker == SL_NONE ? i : e->taker;
        }
        for (uint32_t k = 0; k < node->gives.count; k++) {
            struct ends *e = &ends[plan->holdings_pool[node->gives.first + k]];
            e->many |= e->giver != SL_NONE || node->fallback.i != SL_NONE;
            e->giver = i;
        }
    }
}

static uint32_t make_stretches(const struct sl_graph *plan, const struct ends *ends,
                               struct sl_stretch *stretches)
{
    uint32_t count = 0;
    for (uint32_t h = 0; h < plan->holding_count; h++) {
        const struct sl_holding *holding = &plan->holdings[h];
        if (may_leave(plan, h) || ends[h].many || (!holding->initial && ends[h].taker == SL_NONE))
            continue;
        double bytes = holding->kind == SL_HOLD_OBJECT
                           ? sl_bytes_counted(plan, holding->bytes, holding->domain)
                           : (double)holding->bytes;
        stretches[count++] =
            (struct sl_stretch){holding->domain, bytes, holding->object,
                                holding->initial ? SL_NONE : ends[h].taker, ends[h].giver};
    }
    return count;
}

/* Bytes of the copies in a list that may leave before and after. */
static double in_use(const struct sl_graph *plan, struct sl_span list, uint32_t domain)
{
    double bytes = 0;
    for (uint32_t k = 0; k < list.count; k++) {
        uint32_t h = plan->holdings_pool[list.first + k];
        if (plan->holdings[h].domain == domain && may_leave(plan, h))
            bytes += sl_bytes_counted(plan, plan->holdings[h].bytes, domain);
    }
    return bytes;
}

static void own_bytes(const struct sl_graph *plan, uint32_t domain, double *own)
{
    for (uint32_t i = 0; i < plan->node_count; i++) {
        struct sl_span workspace = plan->nodes[i].workspace;
        own[i] = 0.0;
        if (sl_node_is_latent(plan, i))
            continue;
        own[i] =
            in_use(plan, plan->nodes[i].uses, domain) + in_use(plan, plan->nodes[i].takes, domain);
        for (uint32_t k = 0; k < workspace.count; k++)
            if (plan->amounts[workspace.first + k].domain == domain)
                own[i] += (double)plan->amounts[workspace.first + k].bytes;
    }
}

/* All that is ever held or worked in, by domain: where it fits at once, no peak can exceed. */
static void sum_up(const struct sl_graph *plan, const struct sl_stretch *stretches, uint32_t count,
                   double *total)
{
    for (uint32_t k = 0; k < count; k++)
        total[stretches[k].domain] += stretches[k].bytes;
    for (uint32_t i = 0; i < plan->node_count; i++)
        for (uint32_t k = 0; k < plan->nodes[i].workspace.count; k++) {
            struct sl_amount amount = plan->amounts[plan->nodes[i].workspace.first + k];
            total[amount.domain] += (double)amount.bytes;
        }
    for (uint32_t h = 0; h < plan->holding_count; h++)
        if (may_leave(plan, h))
            total[plan->holdings[h].domain] += (double)plan->holdings[h].bytes;
}

static enum sl_status judge(const struct sl_graph *plan, const struct sl_stretch *stretches,
                            uint32_t count, const double *total, double *own, bool *complete,
                            struct sl_error *err)
{
    uint64_t budget = BUDGET;
    enum sl_status status = SL_OK;
    for (uint32_t d = 0; d < plan->platform->domain_names.count && status == SL_OK; d++) {
        const struct sl_domain *domain = &plan->platform->domains[d];
        struct sl_peak peak;
        char text[600];
        if (domain->capacity < 0 || total[d] <= (double)(domain->capacity - domain->reserve) ||
            budget == 0)
            continue;
        own_bytes(plan, d, own);
        status = sl_peak_bound(plan, d, stretches, count, own, &budget, &peak, err);
        if (status == SL_OK && peak.node != SL_NONE) {
            sl_peak_text(plan, d, &peak, text, sizeof text);
            status =
                SL_FAIL_AT(err, SL_NO, plan->nodes[peak.node].place, "%s [peak-unavoidable]", text);
        }
    }
    *complete = budget > 0;
    return status;
}

enum sl_status sl_plan_peaks(const struct sl_graph *plan, bool *complete, struct sl_error *err)
{
    size_t nodes = (size_t)plan->node_count + 1, holdings = (size_t)plan->holding_count + 1;
    bool *stands_by = calloc(nodes, sizeof *stands_by);
    struct ends *ends = malloc(holdings * sizeof *ends);
    struct sl_stretch *stretches = malloc(holdings * sizeof *stretches);
    double *own = malloc(nodes * sizeof *own);
    double *total = calloc((size_t)plan->platform->domain_names.count + 1, sizeof *total);
    enum sl_status status = SL_OK;
    *complete = true;
    if (!stands_by || !ends || !stretches || !own || !total) {
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for a plan's peaks");
    } else {
        for (uint32_t i = 0; i < plan->node_count; i++)
            if (plan->nodes[i].fallback.i != SL_NONE)
                stands_by[plan->nodes[i].fallback.i] = true;
        find_ends(plan, stands_by, ends);
        uint32_t count = make_stretches(plan, ends, stretches);
        sum_up(plan, stretches, count, total);
        status = judge(plan, stretches, count, total, own, complete, err);
    }
    free(stands_by);
    free(ends);
    free(stretches);
    free(own);
    free(total);
    return status;
}

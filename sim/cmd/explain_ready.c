/* Explain: what bytes a node takes and gives back, and the terms of its readiness:
 *
 *     ready_i(t) = predecessors_complete and guard_enabled and allocation_ready and mapping_ready
 *                  and required_capacity_available */
#include "explain_parts.h"
#include "units.h"

/* ---- capacity delta ------------------------------------------------------------------------ */

static const char *holding_name(struct sl_explain *x, uint32_t holding)
{
    const struct sl_holding *h = &x->graph->holdings[holding];
    return h->kind == SL_HOLD_STAGING ? "staging" : x->graph->objects[h->object.i].name;
}

/* One change: "+1.00 GiB of hbm at start (a0)". */
static void put_change(struct sl_explain *x, struct sl_sheet *sheet, uint32_t domain, int64_t bytes,
                       bool taken, const char *what)
{
    if (!sheet->gen) {
        sl_sheet_item(sheet, sl_arena_printf(&x->arena, "%c%s of %s at %s (%s)", taken ? '+' : '-',
                                             sl_bytes_text(&x->arena, (double)bytes),
                                             x->platform->domain_names.names[domain],
                                             taken ? "start" : "finish", what));
        return;
    }
    sl_json_open_map(sheet->gen, NULL);
    sl_json_text(sheet->gen, "domain", x->platform->domain_names.names[domain]);
    sl_json_integer(sheet->gen, "bytes", taken ? bytes : -bytes);
    sl_json_text(sheet->gen, "at", taken ? "start" : "finish");
    sl_json_text(sheet->gen, "of", what);
    yajl_gen_map_close(sheet->gen);
}

static void put_holdings(struct sl_explain *x, struct sl_sheet *sheet, struct sl_span list,
                         bool taken)
{
    for (uint32_t k = 0; k < list.count; k++) {
        uint32_t h = x->graph->holdings_pool[list.first + k];
        put_change(x, sheet, x->graph->holdings[h].domain, x->graph->holdings[h].bytes, taken,
                   holding_name(x, h));
    }
}

void sl_explain_put_capacity(struct sl_explain *x, struct sl_sheet *sheet,
                             const struct sl_node *node)
{
    sl_sheet_open(sheet, "capacity_delta");
    put_holdings(x, sheet, node->takes, true);
    for (int taken = 1; taken >= 0; taken--)
        for (uint32_t k = 0; k < node->workspace.count; k++) {
            struct sl_amount amount = x->graph->amounts[node->workspace.first + k];
            put_change(x, sheet, amount.domain, amount.bytes, taken, "workspace");
        }
    put_holdings(x, sheet, node->gives, false);
    sl_sheet_close(sheet);
}

/* ---- readiness ----------------------------------------------------------------------------- */

/* The latest condition of one term of the predicate. */
struct term {
    int64_t met_ps; /* -1: no condition; INT64_MAX: not met in this trial */
    uint32_t node;  /* that met it, SL_NONE */
};

static void raise(struct term *term, int64_t met_ps, uint32_t node)
{
    if (met_ps <= term->met_ps)
        return;
    term->met_ps = met_ps;
    term->node = node;
}

/* When a predecessor's duty was done: by itself, or by the fallback that took it over. */
static int64_t passed_at(const struct sl_explain *x, uint32_t node)
{
    const struct sl_trial *t = x->trial;
    int64_t latest = -1;
    for (uint32_t hops = 0; hops <= x->graph->node_count; hops++) {
        if (t->state[node] == SL_UNFINISHED)
            return INT64_MAX;
        latest = t->finish_ps[node] > latest ? t->finish_ps[node] : latest;
        uint32_t next = x->graph->nodes[node].fallback.i;
        if (t->state[node] != SL_CANCELLED || next == SL_NONE)
            break;
        node = next;
    }
    return latest;
}

static uint32_t lane_before(const struct sl_explain *x, uint32_t node)
{
    uint32_t lane = x->graph->nodes[node].lane;
    for (uint32_t i = node; lane != SL_NONE && i-- > 0;)
        if (x->graph->nodes[i].lane == lane)
            return i;
    return SL_NONE;
}

enum { PREDECESSORS, ALLOCATION, MAPPING, LANE, TERMS };

static void find_terms(const struct sl_explain *x, uint32_t node, struct term terms[TERMS])
{
    const struct sl_graph *graph = x->graph;
    for (int k = 0; k < TERMS; k++)
        terms[k] = (struct term){-1, SL_NONE};
    for (uint32_t e = graph->pred_start[node]; e < graph->pred_start[node + 1]; e++) {
        const struct sl_edge *edge = &graph->edges[graph->pred_edges[e]];
        if (edge->next > 0)
            continue;
        enum sl_node_kind kind = graph->nodes[edge->from.i].kind;
        int64_t at = passed_at(x, edge->from.i);
        int which = kind == SL_ALLOCATION ? ALLOCATION
                    : kind == SL_MAPPING  ? MAPPING
                                          : PREDECESSORS;
        raise(&terms[which], at == INT64_MAX ? at : at + edge->lag_ps, edge->from.i);
    }
    uint32_t before = lane_before(x, node);
    if (before != SL_NONE)
        raise(&terms[LANE], passed_at(x, before), before);
}

/* A fallback waits for the first of its primaries to be cancelled.  False for what is none. */
static bool call_of(const struct sl_explain *x, uint32_t node, struct term *called)
{
    bool fallback = false;
    *called = (struct term){INT64_MAX, SL_NONE};
    for (uint32_t i = 0; i < x->graph->node_count; i++) {
        if (x->graph->nodes[i].fallback.i != node)
            continue;
        fallback = true;
        if (x->trial->state[i] == SL_CANCELLED && x->trial->finish_ps[i] < called->met_ps)
            *called = (struct term){x->trial->finish_ps[i], i};
    }
    return fallback;
}

static void put_term(struct sl_explain *x, struct sl_sheet *sheet, const char *key,
                     const struct term *term, bool binds)
{
    if (sheet->gen) {
        sl_json_open_map(sheet->gen, key);
        sl_json_bool(sheet->gen, "condition", term->met_ps >= 0);
        sl_explain_time_json(sheet->gen, "met_us", term->met_ps);
        sl_json_text(sheet->gen, "by",
                     term->node == SL_NONE ? NULL : sl_explain_name(x, term->node));
        sl_json_bool(sheet->gen, "binds", binds);
        yajl_gen_map_close(sheet->gen);
        return;
    }
    if (term->met_ps < 0) {
        sl_sheet_text(sheet, key, "no condition");
        return;
    }
    const char *by = term->node == SL_NONE
                         ? ""
                         : sl_arena_printf(&x->arena, " by %s", sl_explain_name(x, term->node));
    sl_sheet_text(sheet, key,
                  sl_arena_printf(&x->arena, "%s%s%s", sl_explain_instant(x, term->met_ps), by,
                                  binds ? ", which binds" : ""));
}

static const char *guard_text(const struct sl_explain *x, uint32_t node)
{
    if (x->graph->nodes[node].guards.count == 0)
        return "no condition";
    uint8_t state = x->trial->state[node];
    bool failed = x->trial->cause[node] == SL_CAUSE_GUARD && state != SL_RAN;
    return failed ? "failed in this trial" : state == SL_UNFINISHED ? "not told" : "holds";
}

void sl_explain_put_readiness(struct sl_explain *x, struct sl_sheet *sheet, uint32_t node)
{
    static const char *const keys[TERMS] = {"predecessors_complete", "allocation_ready",
                                            "mapping_ready", "lane_predecessor_complete"};
    const struct sl_trial *t = x->trial;
    int64_t release = x->graph->nodes[node].release_ps, ready = t->ready_ps[node];
    struct term terms[TERMS];
    find_terms(x, node, terms);
    bool bound = false;
    for (int k = 0; k < TERMS; k++) {
        bool binds = !bound && ready >= 0 && terms[k].met_ps == ready;
        bound |= binds;
        put_term(x, sheet, keys[k], &terms[k], binds);
    }
    struct term called;
    if (call_of(x, node, &called)) {
        bool binds = !bound && ready >= 0 && called.met_ps == ready;
        bound |= binds;
        put_term(x, sheet, "called_as_fallback", &called, binds);
    }
    struct term released = {release > 0 ? release : -1, SL_NONE};
    put_term(x, sheet, "released", &released, !bound && ready >= 0 && release == ready);
    sl_sheet_text(sheet, "guard_enabled", guard_text(x, node));
    /* Units, bytes and permission were there at the start, all at once. */
    bool waited = t->state[node] == SL_RAN && t->start_ps[node] > ready;
    struct term capacity = {t->state[node] == SL_RAN ? t->start_ps[node] : INT64_MAX,
                            waited ? t->behind[node] : SL_NONE};
    put_term(x, sheet, "required_capacity_available", &capacity, waited);
}

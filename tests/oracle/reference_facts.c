/* What the graph says of nodes: their demands, their lists, their conditions. */
#include "reference_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *room_for(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (!memory)
        abort();
    return memory;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Every iteration has holdings of its own, but for those that nobody ever gives back. */
uint32_t ref_holding(const struct ref_sim *s, uint32_t i, uint32_t h)
{
    return s->given_back[h] ? i / s->base * s->g->holding_count + h : h;
}

int64_t ref_holding_bytes(const struct ref_sim *s, uint32_t h)
{
    const struct sl_holding *holding = &s->g->holdings[h];
    int64_t unit = s->platform->domains[holding->domain].rounding;
    if (holding->kind == SL_HOLD_STAGING || unit <= 1)
        return holding->bytes;
    return (holding->bytes + unit - 1) / unit * unit;
}

bool ref_demands_domain(const struct ref_sim *s, uint32_t i, uint32_t m)
{
    const struct sl_node *node = s->runs[i].node;
    for (uint32_t k = 0; k < node->workspace.count; k++)
        if (s->g->amounts[node->workspace.first + k].domain == m)
            return true;
    for (uint32_t k = 0; k < node->takes.count; k++)
        if (s->g->holdings[s->g->holdings_pool[node->takes.first + k]].domain == m)
            return true;
    return false;
}

int64_t ref_bytes_wanted(const struct ref_sim *s, uint32_t i, uint32_t m)
{
    const struct sl_node *node = s->runs[i].node;
    int64_t want = 0;
    for (uint32_t k = 0; k < node->workspace.count; k++)
        if (s->g->amounts[node->workspace.first + k].domain == m)
            want += s->g->amounts[node->workspace.first + k].bytes;
    for (uint32_t k = 0; k < node->takes.count; k++) {
        uint32_t h = s->g->holdings_pool[node->takes.first + k];
        if (s->g->holdings[h].domain == m && !s->held[ref_holding(s, i, h)])
            want += ref_holding_bytes(s, h);
    }
    return want;
}

static bool demands_resource(const struct ref_sim *s, uint32_t i, uint32_t r)
{
    const struct sl_node *node = s->runs[i].node;
    for (uint32_t k = 0; k < node->demands.count; k++)
        if (s->g->demands[node->demands.first + k].resource == r)
            return true;
    return false;
}

bool ref_compete(const struct ref_sim *s, uint32_t a, uint32_t b)
{
    for (uint32_t r = 0; r < s->platform->resource_names.count; r++)
        if (demands_resource(s, a, r) && demands_resource(s, b, r))
            return true;
    for (uint32_t m = 0; m < s->platform->domain_names.count; m++)
        if (ref_demands_domain(s, a, m) && ref_demands_domain(s, b, m))
            return true;
    return false;
}

/* ---- overlap --------------------------------------------------------------------------------- */

static bool is_named(const struct ref_sim *s, uint32_t i, const char *name)
{
    uint32_t klass = s->runs[i].node->klass;
    return !strcmp(s->runs[i].name, name) ||
           (klass != SL_NONE && !strcmp(s->platform->kappa.classes.names[klass], name));
}

static bool has_pair(const struct sl_kappa *kappa, uint32_t victim, uint32_t other)
{
    for (uint32_t r = 0; r < kappa->row_count; r++)
        if (kappa->rows[r].victim == victim && kappa->rows[r].set_size == 1 &&
            kappa->rows[r].set[0] == other)
            return true;
    return false;
}

bool ref_kept_apart(const struct ref_sim *s, uint32_t a, uint32_t b)
{
    const struct sl_kappa *kappa = &s->platform->kappa;
    uint32_t x = s->runs[a].node->klass, y = s->runs[b].node->klass;
    if (kappa->unknown == SL_UNKNOWN_FORBID && strcmp(kappa->rule_name, "bandwidth") != 0 &&
        x != SL_NONE && y != SL_NONE && s->runs[a].groups & s->runs[b].groups &&
        !(has_pair(kappa, x, y) && has_pair(kappa, y, x)))
        return true;
    for (uint32_t o = 0; o < s->g->overlap_count; o++) {
        const struct sl_overlap *row = &s->g->overlaps[o];
        bool open = row->allowed && row->earliest_ps <= s->now && s->now <= row->latest_ps;
        if (!open && ((is_named(s, a, row->a) && is_named(s, b, row->b)) ||
                      (is_named(s, a, row->b) && is_named(s, b, row->a))))
            return true;
    }
    return false;
}

static bool row_names(const struct ref_sim *s, uint32_t i)
{
    for (uint32_t o = 0; o < s->g->overlap_count; o++) {
        const struct sl_overlap *row = &s->g->overlaps[o];
        bool is_rule = !row->allowed || row->earliest_ps > 0 || row->latest_ps < INT64_MAX;
        if (is_rule && (!strcmp(row->a, s->runs[i].name) || !strcmp(row->b, s->runs[i].name)))
            return true;
    }
    return false;
}

bool ref_same_kind(const struct ref_sim *s, uint32_t a, uint32_t b)
{
    const struct ref_run *x = &s->runs[a], *y = &s->runs[b];
    if (x->origin == y->origin)
        return true;
    return !row_names(s, a) && !row_names(s, b) && x->node->klass == y->node->klass &&
           x->groups == y->groups;
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* Larger first. */
double ref_priority(const struct ref_sim *s, uint32_t i)
{
    const struct ref_run *run = &s->runs[i];
    if (run->first == SL_NONE)
        return run->node->priority;
    int64_t aging = s->options->aging_given ? s->options->aging_ps
                                            : s->platform->resources[run->first].aging_ps;
    double more = aging > 0 ? floor((double)(s->now - s->record[i].ready) / (double)aging) : 0;
    return run->node->priority + more;
}

/* Smaller first. */
static double key_of(const struct ref_sim *s, uint32_t i)
{
    const struct ref_run *run = &s->runs[i];
    switch (run->order) {
    case SL_ORDER_PRIORITY:
        return -ref_priority(s, i);
    case SL_ORDER_EDF:
        return (double)run->node->deadline_ps;
    case SL_ORDER_SJF:
        return s->record[i].mean;
    case SL_ORDER_CRITICAL_PATH:
        return -run->rank;
    case SL_ORDER_ISSUE:
        return i;
    default:
        return 0;
    }
}

bool ref_before(struct ref_sim *s, uint32_t a, uint32_t b)
{
    double x = key_of(s, a), y = key_of(s, b);
    int64_t ready_a = s->record[a].ready, ready_b = s->record[b].ready;
    if (x != y)
        return x < y;
    if (s->runs[a].order != SL_ORDER_CRITICAL_PATH && ready_a != ready_b)
        return ready_a < ready_b;
    return a < b;
}

/* ---- once, before the trial ------------------------------------------------------------------ */

static int cause_of_edge(const struct ref_sim *s, const struct sl_edge *edge)
{
    static const int causes[] = {SL_CAUSE_DATA,     SL_CAUSE_STORAGE, SL_CAUSE_ORDERING,
                                 SL_CAUSE_LIFETIME, SL_CAUSE_BARRIER, SL_CAUSE_CAPACITY};
    if (edge->type == SL_EDGE_DATA && s->g->nodes[edge->from.i].kind == SL_BARRIER)
        return SL_CAUSE_BARRIER;
    return causes[edge->type];
}

/* An edge of scope next: k leads from iteration i to i + k; `once` ignores it. */
static void find_preds(struct ref_sim *s, uint32_t i, bool once)
{
    struct ref_run *run = &s->runs[i];
    run->preds = room_for(s->g->edge_count, sizeof *run->preds);
    for (uint32_t e = 0; e < s->g->edge_count; e++) {
        const struct sl_edge *edge = &s->g->edges[e];
        uint32_t iteration = i / s->base;
        if (edge->to.i != i % s->base || edge->next > iteration || (edge->next && once))
            continue;
        uint32_t from = (iteration - edge->next) * s->base + edge->from.i;
        run->preds[run->pred_count++] =
            (struct ref_pred){from, edge->lag_ps, cause_of_edge(s, edge)};
    }
    run->lane_predecessor = SL_NONE;
    for (uint32_t j = 0; j < i; j++)
        if (run->node->lane != SL_NONE && s->runs[j].node->lane == run->node->lane)
            run->lane_predecessor = j;
}

static void find_facts(struct ref_sim *s, uint32_t i)
{
    struct ref_run *run = &s->runs[i];
    const struct sl_node *node = run->node = &s->g->nodes[i % s->base];
    run->origin = node->first.i == SL_NONE ? i % s->base : node->first.i;
    run->name = s->g->nodes[run->origin].name;
    run->first = node->demands.count ? s->g->demands[node->demands.first].resource : SL_NONE;
    run->order = SL_ORDER_FIFO;
    if (run->first != SL_NONE)
        run->order = s->options->dispatch_given ? s->options->dispatch
                                                : s->platform->resources[run->first].order;
    for (uint32_t k = 0; k < node->demands.count; k++)
        run->groups |=
            s->platform->resources[s->g->demands[node->demands.first + k].resource].groups;
    run->fallback = node->fallback.i == SL_NONE ? SL_NONE : i - i % s->base + node->fallback.i;
    if (run->fallback != SL_NONE)
        s->runs[run->fallback].is_fallback = true;
    run->rank = -1;
    for (uint32_t k = 0; k < node->gives.count; k++)
        s->given_back[s->g->holdings_pool[node->gives.first + k]] = true;
}

/* Own mean + max over successors of lag + rank; lanes count, `next` edges between iterations of
 * the same run too, since they are edges of the unrolled graph. */
static double rank_of(struct ref_sim *s, uint32_t i)
{
    double longest = 0;
    if (s->runs[i].rank >= 0)
        return s->runs[i].rank;
    for (uint32_t j = 0; j < s->n; j++) {
        for (uint32_t k = 0; k < s->runs[j].pred_count; k++)
            if (s->runs[j].preds[k].from == i)
                longest = fmax(longest, (double)s->runs[j].preds[k].lag + rank_of(s, j));
        if (s->runs[j].lane_predecessor == i)
            longest = fmax(longest, rank_of(s, j));
    }
    return s->runs[i].rank = s->record[i].mean + longest;
}

void ref_open(struct ref_sim *s, uint32_t iterations)
{
    s->base = s->g->node_count;
    s->n = s->base * iterations;
    s->runs = room_for(s->n, sizeof *s->runs);
    s->held = room_for((size_t)s->g->holding_count * iterations, sizeof *s->held);
    s->given_back = room_for(s->g->holding_count, sizeof *s->given_back);
    s->cells = room_for(s->n, sizeof *s->cells);
    s->shots = room_for(2 * (size_t)s->n, sizeof *s->shots);
    for (uint32_t k = 0; k <= 2 * s->n; k++)
        s->shots[k].running = room_for(s->n, sizeof *s->shots[k].running);
    s->started = room_for(s->n, sizeof *s->started);
    s->list = room_for(s->n, sizeof *s->list);
    s->failed = room_for(s->n, sizeof *s->failed);
    for (uint32_t i = 0; i < s->n; i++)
        find_facts(s, i);
    for (uint32_t i = 0; i < s->n; i++)
        find_preds(s, i, iterations == 1);
    for (uint32_t i = 0; i < s->n; i++)
        (void)rank_of(s, i);
}

void ref_close(struct ref_sim *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        free(s->runs[i].preds);
    for (uint32_t k = 0; k <= 2 * s->n; k++)
        free(s->shots[k].running);
    free(s->runs);
    free(s->held);
    free(s->given_back);
    free(s->cells);
    free(s->shots);
    free(s->started);
    free(s->list);
    free(s->failed);
}

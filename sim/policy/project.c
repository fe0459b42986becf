/* Projected static peaks: bytes of every domain when the plan's nodes run one after the other.
 *
 * A copy counts from the node that takes it to the node that gives it back.  Moves take time, so an
 * offloaded object counts at home until the copy out is expected to be done (from its last writer
 * on), and again from one transfer before its consumer or from the move's place in the plan,
 * whichever is earlier; the ends are those of nodes expected to run then.  Copies in domains that
 * it passes through count likewise, from one hop to the end of the next.  The place of an asap or
 * jit move only says from when on it may begin once there is room, so it does not count.  Expected
 * times are those of struct sl_facts. */
#include "projection.h"
#include <stdlib.h>

int64_t sl_bytes_rounded(const struct sl_platform *platform, uint32_t domain, int64_t bytes)
{
    int64_t unit = platform->domains[domain].rounding;
    if (unit <= 1 || bytes <= 0 || bytes > INT64_MAX - unit)
        return bytes;
    return (bytes + unit - 1) / unit * unit;
}

static void measure(struct sl_projection *p)
{
    const struct sl_attempt *a = p->a;
    const struct sl_graph *graph = a->graph;
    for (uint32_t h = 0; h < graph->holding_count; h++)
        p->stretches[h] = graph->holdings[h].initial
                              ? (struct sl_stretch){0, p->labels - 1}
                              : (struct sl_stretch){p->labels, p->labels - 1};
    for (uint32_t n = a->head; n != SL_NONE; n = a->next[n]) {
        const struct sl_node *node = &graph->nodes[n];
        for (uint32_t k = 0; k < node->takes.count; k++) {
            struct sl_stretch *s = &p->stretches[graph->holdings_pool[node->takes.first + k]];
            if (a->label[n] < s->from)
                s->from = a->label[n];
        }
        for (uint32_t k = 0; k < node->gives.count; k++)
            p->stretches[graph->holdings_pool[node->gives.first + k]].to = a->label[n];
    }
}

/* The object's copy in the domain that the node takes; SL_NONE. */
static uint32_t copy_taken_by(const struct sl_attempt *a, uint32_t object, uint32_t domain,
                              uint32_t node)
{
    uint32_t copy = a->made[(size_t)object * a->facts->domain_count + domain];
    while (copy != SL_NONE && a->copies[copy].taker != node)
        copy = a->copies[copy].previous;
    return copy;
}

uint32_t sl_copy_of_move(const struct sl_attempt *a, const struct sl_move *move)
{
    return copy_taken_by(a, move->object, a->facts->home[move->object], move->node);
}

/* Back from `label` over nodes that are expected to end after that time. */
static uint32_t back_to(const struct sl_projection *p, uint32_t label, double ps)
{
    while (label > 0) {
        uint32_t node = p->user_at[label - 1];
        if (node == SL_NONE || p->a->facts->finish[node] <= ps)
            break;
        label--;
    }
    return label;
}

/* On from `label` over nodes that are expected to start before that time. */
static uint32_t on_to(const struct sl_projection *p, uint32_t label, double ps)
{
    while (label + 1 < p->labels) {
        uint32_t node = p->user_at[label + 1];
        if (node != SL_NONE && p->a->facts->start[node] >= ps)
            break;
        label++;
    }
    return label;
}

/* The stretch of what the hop `node` takes in the domain into which it leads; NULL: nothing. */
static struct sl_stretch *stretch_of_hop(const struct sl_projection *p, uint32_t object,
                                         uint32_t node)
{
    uint32_t copy = copy_taken_by(p->a, object, p->a->graph->nodes[node].to, node);
    return copy == SL_NONE ? NULL : &p->stretches[p->a->copies[copy].holding];
}

/* Copies between two hops of the way back, which ends at `end`, ps. */
static void widen_back(struct sl_projection *p, const struct sl_move *move, double end)
{
    const struct sl_attempt *a = p->a;
    uint32_t consumer = a->label[move->consumer], object = move->object;
    for (uint32_t h = 0; h + 1 < move->back->hops; h++) {
        struct sl_stretch *s = stretch_of_hop(p, object, move->first + h);
        if (!s)
            continue;
        double begin = end - sl_way_mean(a->facts, object, SL_PREFETCH, move->back, h);
        double left = end - sl_way_mean(a->facts, object, SL_PREFETCH, move->back, h + 1) +
                      sl_hop_mean(a->facts, object, SL_PREFETCH, move->back, h + 1);
        uint32_t from = back_to(p, consumer, begin), to = back_to(p, consumer, left);
        s->from = from < s->from ? from : s->from;
        s->to = to > s->to ? to : s->to;
    }
}

/* Home copy and copies between two hops of the way out. */
static void widen_out(struct sl_projection *p, const struct sl_move *move,
                      struct sl_stretch *leaving)
{
    const struct sl_attempt *a = p->a;
    const struct sl_facts *facts = a->facts;
    const struct sl_way *out = move->out;
    double begin = move->source == SL_NONE ? 0.0 : facts->finish[move->source];
    double whole = sl_way_mean(facts, move->object, SL_OFFLOAD, out, 0);
    for (uint32_t h = 0; h < out->hops; h++) {
        struct sl_stretch *s =
            h == 0 ? leaving : stretch_of_hop(p, move->object, move->offload - out->hops + h);
        double before = h == 0 ? 0.0 : whole - sl_way_mean(facts, move->object, SL_OFFLOAD, out, h);
        double end = begin + before + sl_hop_mean(facts, move->object, SL_OFFLOAD, out, h);
        if (h == 0)
            s->to = on_to(p, a->label[move->before], end);
        else if (s)
            s->to = on_to(p, s->to, end);
    }
}

/* Widens the copies around a move by its time. */
static void widen(struct sl_projection *p, const struct sl_move *move)
{
    const struct sl_attempt *a = p->a;
    const struct sl_facts *facts = a->facts;
    uint32_t copy = sl_copy_of_move(a, move);
    if (copy == SL_NONE)
        return;
    struct sl_stretch *back = &p->stretches[a->copies[copy].holding];
    double end = facts->start[a->slot[move->consumer]];
    double last = sl_hop_mean(facts, move->object, SL_PREFETCH, move->back, move->back->hops - 1u);
    uint32_t placed = a->label[move->node];
    back->from = back_to(p, a->label[move->consumer], end - last);
    if (!move->rule->when->waits_for_room && placed < back->from)
        back->from = placed;
    widen_back(p, move, end);
    if (move->offload == SL_NONE || a->copies[copy].previous == SL_NONE)
        return;
    /* It ends with the last use or with the copy out, and not where the plan lists the latter. */
    struct sl_stretch *away = &p->stretches[a->copies[a->copies[copy].previous].holding];
    widen_out(p, move, away);
    if (away->to >= back->from && back->from > 0)
        away->to = back->from - 1;
}

int64_t sl_projection_add_up(const struct sl_projection *p, uint32_t domain, int64_t *levels)
{
    const struct sl_attempt *a = p->a;
    const struct sl_graph *graph = a->graph;
    for (uint32_t l = 0; l <= p->labels; l++)
        levels[l] = 0;
    for (uint32_t h = 0; h < graph->holding_count; h++) {
        const struct sl_holding *holding = &graph->holdings[h];
        struct sl_stretch s = p->stretches[h];
        if (holding->domain != domain || s.from > s.to || s.from >= p->labels)
            continue;
        int64_t bytes = holding->kind == SL_HOLD_OBJECT
                            ? sl_bytes_rounded(a->facts->platform, domain, holding->bytes)
                            : holding->bytes;
        levels[s.from] += bytes;
        levels[s.to + 1] -= bytes;
    }
    int64_t level = 0, peak = 0;
    for (uint32_t n = a->head; n != SL_NONE; n = a->next[n]) {
        struct sl_span amounts = graph->nodes[n].workspace;
        level += levels[a->label[n]];
        levels[a->label[n]] = level;
        for (uint32_t k = 0; k < amounts.count; k++)
            if (graph->amounts[amounts.first + k].domain == domain)
                levels[a->label[n]] += graph->amounts[amounts.first + k].bytes;
        if (levels[a->label[n]] > peak)
            peak = levels[a->label[n]];
    }
    return peak;
}

bool sl_projection_open(struct sl_projection *p, const struct sl_attempt *a)
{
    uint32_t user = SL_NONE;
    *p = (struct sl_projection){.a = a};
    for (uint32_t n = a->head; n != SL_NONE; n = a->next[n])
        p->labels++;
    p->stretches = calloc((size_t)a->graph->holding_count + 1, sizeof *p->stretches);
    p->user_at = malloc(((size_t)p->labels + 1) * sizeof *p->user_at);
    if (!p->stretches || !p->user_at)
        return false;
    for (uint32_t n = a->head; n != SL_NONE; n = a->next[n]) {
        user = n < a->facts->graph->node_count ? n : user;
        p->user_at[a->label[n]] = user;
    }
    if (p->labels > 0)
        measure(p);
    for (uint32_t m = 0; m < a->move_count; m++)
        widen(p, &a->moves[m]);
    return true;
}

void sl_projection_close(struct sl_projection *p)
{
    free(p->stretches);
    free(p->user_at);
}

enum sl_status sl_peaks_project(const struct sl_attempt *a, int64_t *peaks)
{
    struct sl_projection p;
    bool ok = sl_projection_open(&p, a);
    int64_t *levels = ok ? malloc(((size_t)p.labels + 2) * sizeof *levels) : NULL;
    ok = levels != NULL;
    for (uint32_t d = 0; d < a->facts->domain_count && ok; d++)
        peaks[d] = sl_projection_add_up(&p, d, levels);
    sl_projection_close(&p);
    free(levels);
    return ok ? SL_OK : SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan's peaks");
}

enum sl_status sl_levels_project(const struct sl_attempt *a, uint32_t domain, int64_t *by_place)
{
    struct sl_projection p;
    bool ok = sl_projection_open(&p, a);
    int64_t *levels = ok ? malloc(((size_t)p.labels + 2) * sizeof *levels) : NULL;
    uint32_t users = a->facts->graph->node_count, place = users - 1;
    ok = levels != NULL;
    for (uint32_t i = 0; ok && i < users; i++)
        by_place[i] = 0;
    if (ok)
        sl_projection_add_up(&p, domain, levels);
    /* What planning inserted counts for the user's node behind it. */
    for (uint32_t n = a->tail; ok && users > 0 && n != SL_NONE; n = a->prev[n]) {
        place = n < users ? a->facts->position[n] : place;
        if (levels[a->label[n]] > by_place[place])
            by_place[place] = levels[a->label[n]];
    }
    sl_projection_close(&p);
    free(levels);
    return ok ? SL_OK : SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan's levels");
}

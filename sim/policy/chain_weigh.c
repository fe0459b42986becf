/* What a plan holds beside a chain: the amounts of the chain's steps.
 *
 * The plan, in which all of the chain stays, is walked one node after the other as for the
 * projected peak (project.c), without the chain's own objects.  What planning inserted counts for
 * the user's node behind it.  What a step reads beside the chain stays until its backward step,
 * where the step may be run again. */
#include "chain_steps.h"
#include "projection.h"
#include <stdlib.h>

struct weighing {
    struct sl_chain *chain;
    struct sl_projection projection;
    int64_t *at;         /* per label: bytes held while that node runs */
    int64_t *front;      /* per label: bytes held from before it to behind its start */
    uint32_t *read_at;   /* per object: label of the first step that reads it, SL_NONE */
    uint32_t *kept_till; /* ... and of that one's backward step */
};

static uint32_t label_of(const struct weighing *w, uint32_t place)
{
    return w->projection.a->label[w->chain->facts->graph->topo[place]];
}

/* Highest level in the places from .. to; 0: there are none. */
static int64_t highest(const struct weighing *w, uint32_t from, uint32_t to)
{
    int64_t most = 0;
    if (from > to)
        return 0;
    for (uint32_t l = from > 0 ? label_of(w, from - 1) + 1 : 0; l <= label_of(w, to); l++)
        most = w->at[l] > most ? w->at[l] : most;
    return most;
}

static void note_inputs(struct weighing *w)
{
    const struct sl_chain *c = w->chain;
    const struct sl_graph *graph = c->facts->graph;
    for (uint32_t o = 0; o < graph->object_count; o++)
        w->read_at[o] = SL_NONE;
    for (uint32_t t = 1; t <= c->made; t++) {
        const struct sl_node *node = &graph->nodes[c->maker[t]];
        for (uint32_t k = 0; k < node->inputs.count; k++) {
            uint32_t o = sl_object_root(graph, graph->objects_pool[node->inputs.first + k]).i;
            if (w->read_at[o] != SL_NONE)
                continue;
            w->read_at[o] = w->projection.a->label[c->maker[t]];
            w->kept_till[o] = label_of(w, c->begin[t]);
        }
    }
}

static int64_t workspace(const struct weighing *w, uint32_t n)
{
    const struct sl_graph *graph = w->projection.a->graph;
    struct sl_span amounts = graph->nodes[n].workspace;
    int64_t bytes = 0;
    for (uint32_t k = 0; k < amounts.count; k++)
        if (graph->amounts[amounts.first + k].domain == w->chain->domain)
            bytes += graph->amounts[amounts.first + k].bytes;
    return bytes;
}

/* Where a holding is held, as labels; from > to: it does not count. */
static struct sl_stretch stretch_of(const struct weighing *w, uint32_t h)
{
    const struct sl_holding *holding = &w->projection.a->graph->holdings[h];
    struct sl_stretch s = w->projection.stretches[h], none = {1, 0};
    uint32_t o = holding->kind == SL_HOLD_OBJECT ? holding->object.i : SL_NONE;
    if (holding->domain != w->chain->domain || s.from > s.to || s.from >= w->projection.labels ||
        (o != SL_NONE && w->chain->at[o] != SL_NONE))
        return none;
    if (o != SL_NONE && w->read_at[o] != SL_NONE && s.from <= w->read_at[o] &&
        w->read_at[o] <= s.to && s.to < w->kept_till[o])
        s.to = w->kept_till[o];
    return s;
}

static void add_up(struct weighing *w)
{
    const struct sl_attempt *a = w->projection.a;
    for (uint32_t h = 0; h < a->graph->holding_count; h++) {
        const struct sl_holding *holding = &a->graph->holdings[h];
        struct sl_stretch s = stretch_of(w, h);
        if (s.from > s.to)
            continue;
        int64_t bytes = holding->kind == SL_HOLD_OBJECT
                            ? sl_bytes_rounded(a->facts->platform, w->chain->domain, holding->bytes)
                            : holding->bytes;
        w->at[s.from] += bytes;
        w->front[s.from + 1] += bytes;
        w->at[s.to + 1] -= bytes;
        w->front[s.to + 1] -= bytes;
    }
    for (uint32_t l = 1; l < w->projection.labels; l++) {
        w->at[l] += w->at[l - 1];
        w->front[l] += w->front[l - 1];
    }
    for (uint32_t n = a->head; n != SL_NONE; n = a->next[n])
        w->at[a->label[n]] += workspace(w, n);
}

/* The amounts of step t, which `place` behind the turn follows: where the step after began. */
static void fill_step(const struct weighing *w, uint32_t t)
{
    struct sl_chain *c = w->chain;
    const struct sl_facts *facts = c->facts;
    struct sl_chain_step *step = &c->steps[t];
    uint32_t own = facts->position[c->maker[t]], turn = facts->position[c->maker[c->made]];
    uint32_t begin = c->begin[t], end = t > 1 ? c->begin[t - 1] - 1 : c->last[t];
    step->first = w->at[w->projection.a->label[c->maker[t]]];
    step->wait = t > 1 ? highest(w, facts->position[c->maker[t - 1]] + 1, own - 1) : 0;
    step->again = workspace(w, c->maker[t]);
    step->before = w->front[label_of(w, begin)];
    if (t == c->count)
        begin = turn + 1; /* the last state was made before */
    step->back = highest(w, begin, c->last[t]);
    step->after = highest(w, c->last[t] + 1, end);
}

static void fill(const struct weighing *w)
{
    struct sl_chain *c = w->chain;
    const struct sl_facts *facts = c->facts;
    for (uint32_t t = 1; t <= c->made; t++)
        fill_step(w, t);
    for (uint32_t i = 0; i < c->object_count; i++) {
        struct sl_chain_step *step = &c->steps[c->objects[i].step];
        *(c->objects[i].is_state ? &step->state : &step->saved) += sl_bytes_rounded(
            facts->platform, c->domain, facts->graph->objects[c->objects[i].object].bytes);
    }
    if (c->count > c->made)
        c->steps[c->count].back =
            highest(w, facts->position[c->maker[c->made]] + 1, c->begin[c->made] - 1);
}

enum sl_status sl_chain_weigh(struct sl_chain *chain, const struct sl_attempt *a, int64_t *peak)
{
    size_t objects = (size_t)a->facts->object_count + 1;
    struct weighing w = {.chain = chain};
    bool ok = sl_projection_open(&w.projection, a);
    size_t labels = (size_t)w.projection.labels + 2;
    w.at = calloc(labels, sizeof *w.at);
    w.front = calloc(labels, sizeof *w.front);
    w.read_at = malloc(objects * sizeof *w.read_at);
    w.kept_till = malloc(objects * sizeof *w.kept_till);
    ok = ok && w.at && w.front && w.read_at && w.kept_till;
    if (ok) {
        *peak = sl_projection_add_up(&w.projection, chain->domain, w.at);
        for (size_t l = 0; l < labels; l++)
            w.at[l] = 0;
        note_inputs(&w);
        add_up(&w);
        fill(&w);
    }
    sl_projection_close(&w.projection);
    free(w.at);
    free(w.front);
    free(w.read_at);
    free(w.kept_till);
    return ok ? SL_OK : SL_FAIL(a->err, SL_SYSTEM, "out of memory for a chain");
}

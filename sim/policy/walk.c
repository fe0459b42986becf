/* One pass over the places of the plan with a heap of the candidates that relieve the current one.
 */
#include "walk.h"
#include <stdlib.h>

struct relief {
    uint32_t from, to; /* places, inclusive; from > to: none */
    uint32_t candidate;
};

struct passage {
    const struct sl_walk *walk;
    struct relief *reliefs; /* by `from` */
    uint32_t *heap;         /* into reliefs */
    uint32_t heap_count;
    int64_t *ends;  /* by place: bytes of relief that end in front of it */
    int64_t relief; /* bytes at the current place */
};

static int compare(const void *x, const void *y)
{
    const struct relief *a = x, *b = y;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->candidate < b->candidate ? -1 : a->candidate > b->candidate;
}

static bool leaves_first(const struct passage *p, uint32_t x, uint32_t y)
{
    const struct sl_walk *w = p->walk;
    return w->compare(&w->candidates[p->reliefs[x].candidate],
                      &w->candidates[p->reliefs[y].candidate]) < 0;
}

static void push(struct passage *p, uint32_t relief)
{
    uint32_t at = p->heap_count++;
    while (at > 0 && leaves_first(p, relief, p->heap[(at - 1) / 2])) {
        p->heap[at] = p->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    p->heap[at] = relief;
}

static uint32_t pop(struct passage *p)
{
    uint32_t top = p->heap[0], last = p->heap[--p->heap_count], at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= p->heap_count)
            break;
        if (child + 1 < p->heap_count && leaves_first(p, p->heap[child + 1], p->heap[child]))
            child++;
        if (!leaves_first(p, p->heap[child], last))
            break;
        p->heap[at] = p->heap[child];
        at = child;
    }
    p->heap[at] = last;
    return top;
}

/* Takes candidates until `place` is within the limit or nothing relieves it. */
static void make_room(struct passage *p, uint32_t place, uint32_t *added)
{
    const struct sl_walk *w = p->walk;
    while (w->levels[place] - p->relief > w->limit && p->heap_count > 0) {
        const struct relief *relief = &p->reliefs[pop(p)];
        if (relief->to < place)
            continue;
        int64_t bytes =
            sl_bytes_rounded(w->facts->platform, w->domain, w->candidates[relief->candidate].bytes);
        w->taken[relief->candidate] = true;
        p->relief += bytes;
        p->ends[relief->to + 1] += bytes;
        (*added)++;
    }
}

/* Lists what may still be taken, by where its relief begins; returns the number. */
static uint32_t list_reliefs(struct passage *p)
{
    const struct sl_walk *w = p->walk;
    uint32_t count = 0;
    for (uint32_t c = 0; c < w->count; c++) {
        struct relief relief = {.candidate = c};
        if (w->taken[c])
            continue;
        w->candidates[c].action->relief(w->facts, &w->facts->gaps[w->candidates[c].gap],
                                        &relief.from, &relief.to);
        if (relief.from <= relief.to)
            p->reliefs[count++] = relief;
    }
    qsort(p->reliefs, count, sizeof *p->reliefs, compare);
    return count;
}

enum sl_status sl_walk_through(const struct sl_walk *walk, uint32_t *added, struct sl_error *err)
{
    uint32_t places = walk->facts->graph->node_count;
    size_t candidates = (size_t)walk->count + 1;
    struct passage p = {.walk = walk};
    p.reliefs = malloc(candidates * sizeof *p.reliefs);
    p.heap = malloc(candidates * sizeof *p.heap);
    p.ends = calloc((size_t)places + 1, sizeof *p.ends);
    bool ok = p.reliefs && p.heap && p.ends;
    uint32_t count = ok ? list_reliefs(&p) : 0, next = 0;
    *added = 0;
    for (uint32_t place = 0; ok && place < places; place++) {
        p.relief -= p.ends[place];
        while (next < count && p.reliefs[next].from <= place)
            push(&p, next++);
        make_room(&p, place, added);
    }
    free(p.reliefs);
    free(p.heap);
    free(p.ends);
    return ok ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory for a selection");
}

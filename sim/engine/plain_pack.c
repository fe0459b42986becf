/* Packing a plain program: who waits where, successors in pairs, and the cells whose counts make up
 * the state of what runs. */
#include "plain.h"
#include <stdlib.h>
#include <string.h>

/* Each node demands nothing, or waits for one resource that one sorted queue serves exactly. */
static bool is_plain(const struct sl_program *p)
{
    const uint32_t plain = NODE_FREE | NODE_SIMPLE | NODE_STRICT | NODE_LATENCY;
    if (!p->n || p->n >= SL_PLAIN_MOST_NODES || p->any_complex || p->planned != p->n ||
        p->evictor || p->guards || p->fallback || p->cell_count || p->opening_count ||
        p->regime_count)
        return false;
    for (uint32_t i = 0; i < p->n; i++)
        if (p->hot[i].flags & ~plain || p->hot[i].succ_count > SL_PLAIN_MOST_SUCC - 2)
            return false;
    return true;
}

/* ---- queues ---------------------------------------------------------------------------------- */

/* The resources that nodes demand, in order, each with slots as long as there are some. */
static bool pack_queues(const struct sl_program *p, struct sl_plain *plain, uint32_t *queue_of)
{
    uint32_t at = 0;
    for (uint32_t r = 0; r <= p->resource_count; r++) {
        const struct resource_static *res = &p->resources[r];
        uint32_t count = res->issue.count; /* with the free nodes, which no queue counts */
        if (!count)
            continue;
        if (plain->queue_count == SL_PLAIN_QUEUES)
            return false;
        struct plain_queue *queue = &plain->queues[plain->queue_count];
        queue_of[r] = plain->queue_count++;
        int64_t places = r < p->resource_count ? res->units / res->min_units : count;
        *queue = (struct plain_queue){.resource = r < p->resource_count ? r : SL_NONE};
        queue->first = at;
        at += count;
        queue->places = places < count ? (uint32_t)places : count;
        if (queue->places <= SL_PLAIN_SLOTS - plain->slot_count) {
            queue->slots = ((1u << queue->places) - 1) << plain->slot_count;
            memset(plain->slot_queue + plain->slot_count, (int)queue_of[r], queue->places);
            plain->slot_count += queue->places;
        }
    }
    plain->queues[plain->queue_count] = (struct plain_queue){.first = at, .resource = SL_NONE};
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t r = p->hot[i].resource;
        plain->queue_of[i] = (uint8_t)queue_of[r == SL_NONE ? p->resource_count : r];
    }
    return true;
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* The cell of a node, made where it is new; NULL: it needs none, or (*full) there is no bit left.
 */
static struct plain_cell *cell_of(const struct sl_program *p, struct sl_plain *plain, uint32_t i,
                                  bool *full)
{
    uint32_t resource = p->hot[i].resource, klass = p->hot[i].klass, k = 0;
    if (!p->graph->nodes[i].dist || (resource == SL_NONE && klass == SL_NONE))
        return NULL; /* takes no time, or none that is counted */
    while (k < plain->cell_count &&
           (plain->cells[k].resource != resource || plain->cells[k].klass != klass))
        k++;
    *full = k == SL_PLAIN_BITS;
    if (*full)
        return NULL;
    if (k == plain->cell_count)
        plain->cells[plain->cell_count++] =
            (struct plain_cell){.resource = resource, .klass = klass};
    return &plain->cells[k];
}

/* Lays the counts side by side; false when they need too many bits. */
static bool pack_cells(const struct sl_program *p, struct sl_plain *plain)
{
    uint32_t most[SL_PLAIN_BITS] = {0}, bits = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        bool full = false;
        struct plain_cell *cell = cell_of(p, plain, i, &full);
        if (full)
            return false;
        if (cell && most[cell - plain->cells] < plain->queues[plain->queue_of[i]].places)
            most[cell - plain->cells]++;
    }
    for (uint32_t k = 0; k < plain->cell_count; k++) {
        plain->cells[k].share = 1u << bits;
        for (; most[k] && bits <= SL_PLAIN_BITS; most[k] >>= 1)
            plain->cells[k].mask |= 1u << bits++;
        if (bits > SL_PLAIN_BITS)
            return false;
    }
    plain->states = 1u << bits;
    for (uint32_t i = 0; i < p->n; i++) {
        bool full = false;
        const struct plain_cell *cell = cell_of(p, plain, i, &full);
        plain->nodes[i].share = (cell ? cell->share : 0) & (SL_PLAIN_STATES - 1);
    }
    return true;
}

/* ---- successors ------------------------------------------------------------------------------ */

/* What becomes ready at one end goes into its queue by index; of several edges to one node the last
 * is the one that counts among equals. */
static int by_node_then_cause(const void *left, const void *right)
{
    const struct succ *a = left, *b = right;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return (a->cause < b->cause) - (a->cause > b->cause);
}

static void sort_succ(struct succ *succ, uint32_t count)
{
    bool sorted = true;
    for (uint32_t s = 1; s < count && sorted; s++)
        sorted = by_node_then_cause(&succ[s - 1], &succ[s]) <= 0;
    if (!sorted)
        qsort(succ, count, sizeof *succ, by_node_then_cause);
}

static uint32_t paired(const struct sl_plain *plain, uint32_t count)
{
    if (!plain->brisk)
        return count; /* their lags are found by the same index */
    return count < 2 ? 2 : count + (count & 1);
}

/* The conditions that node i meets, from place `at` on; `sorted` is scratch. */
static void fill_succ(const struct sl_program *p, struct sl_plain *plain, uint32_t i, uint32_t at,
                      struct succ *sorted)
{
    uint32_t count = p->hot[i].succ_count, filled = paired(plain, count);
    memcpy(sorted, p->succ + p->hot[i].succ_first, count * sizeof *sorted);
    if (plain->brisk)
        sort_succ(sorted, count);
    for (uint32_t s = 0; s < count; s++) {
        plain->succ[at + s] = plain_succ(sorted[s].to, plain->queue_of[sorted[s].to]);
        plain->from[at + s] = i;
        plain->cause[at + s] = sorted[s].cause;
    }
    for (uint32_t s = count; s < filled; s++)
        plain->succ[at + s] = plain_succ(p->n, plain->queue_count);
    plain->nodes[i].succ_first = at;
    plain->nodes[i].succ_count = filled & (SL_PLAIN_MOST_SUCC - 1);
}

static bool pack_succ(struct sl_program *p, struct sl_plain *plain)
{
    size_t total = 2, most = 1; /* 2: what holds from the beginning: nothing, or a release */
    for (uint32_t i = 0; i < p->n; i++) {
        total += paired(plain, p->hot[i].succ_count);
        most = p->hot[i].succ_count > most ? p->hot[i].succ_count : most;
    }
    plain->succ = sl_arena_array(&p->arena, total, sizeof *plain->succ);
    plain->from = sl_arena_array(&p->arena, total, sizeof *plain->from);
    plain->cause = sl_arena_array(&p->arena, total, sizeof *plain->cause);
    struct succ *sorted = malloc(most * sizeof *sorted);
    if (!plain->succ || !plain->from || !plain->cause || !sorted) {
        free(sorted);
        return false;
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < p->n; at += plain->nodes[i++].succ_count)
        fill_succ(p, plain, i, at, sorted);
    free(sorted);
    plain->from[at] = plain->from[at + 1] = SL_NONE;
    plain->cause[at] = SL_CAUSE_NONE;
    plain->cause[at + 1] = SL_CAUSE_RELEASE;
    for (uint32_t i = 0; i < p->n; i++)
        plain->waits[i].latest = at + (p->template[i].cause == SL_CAUSE_RELEASE);
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void pack_conditions(const struct sl_program *p, struct sl_plain *plain)
{
    for (uint32_t i = 0; i < p->n; i++) {
        plain->waits[i].pending = p->template[i].pending;
        if (!p->template[i].pending || p->template[i].ready)
            plain->begun[plain->begun_count++] = i;
    }
    plain->waits[p->n].pending = UINT32_MAX; /* nobody: never ready */
}

static bool is_brisk(const struct sl_program *p, const struct sl_plain *plain)
{
    uint32_t key[SL_PLAIN_QUEUES];
    bool brisk = !plain->lagged && !p->any_latency;
    for (uint32_t q = 0; q < plain->queue_count; q++)
        key[q] = SL_NONE;
    for (uint32_t i = 0; i < p->n && brisk; i++) {
        uint32_t *first = &key[plain->queue_of[i]];
        if (*first == SL_NONE)
            *first = p->hot[i].key;
        brisk = *first == p->hot[i].key && !p->template[i].ready;
    }
    return brisk;
}

static bool has_lags(const struct sl_program *p)
{
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t s = 0; s < p->hot[i].succ_count; s++)
            if (p->succ[p->hot[i].succ_first + s].lagged)
                return true;
    return false;
}

enum sl_status sl_plain_pack(struct sl_program *p, struct sl_error *err)
{
    if (!is_plain(p))
        return SL_OK;
    struct sl_plain *plain = sl_arena_array(&p->arena, 1, sizeof *plain);
    uint32_t *queue_of = malloc(((size_t)p->resource_count + 1) * sizeof *queue_of);
    if (plain) {
        plain->nodes = sl_arena_array(&p->arena, p->n, sizeof *plain->nodes);
        plain->waits = sl_arena_array(&p->arena, (size_t)p->n + 1, sizeof *plain->waits);
        plain->queue_of = sl_arena_array(&p->arena, p->n, sizeof *plain->queue_of);
        plain->begun = sl_arena_array(&p->arena, p->n, sizeof *plain->begun);
        plain->queues = sl_arena_array(&p->arena, SL_PLAIN_QUEUES + 1, sizeof *plain->queues);
    }
    bool room = plain && queue_of && plain->nodes && plain->waits && plain->queue_of &&
                plain->begun && plain->queues;
    if (room && pack_queues(p, plain, queue_of) && pack_cells(p, plain)) {
        plain->lagged = has_lags(p);
        plain->brisk = is_brisk(p, plain);
        pack_conditions(p, plain);
        room = pack_succ(p, plain);
        p->plain = plain;
    }
    free(queue_of);
    return room ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
}

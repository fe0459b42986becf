/* What depends on several nodes at one time: levels of bytes, units that many hold, classes that
 * are not on one chain.  The pass has said when the nodes concerned start and end; they are played
 * once more in the order of the loop (instant.c), by the same rules for bytes and classes.
 *
 * Within an instant the loop goes by rounds: first what ends, then what starts.  A node that starts
 * at once with the end of another does so in that end's round, one of zero duration ends in the
 * round after its start, and all else happens in the first. */
#include "batch.h"
#include "classes.h"
#include <string.h>

enum kind { FREE, FINISH, START };
#define SUB(round, kind, place) ((uint64_t)(round) << 32 << 2 | (uint64_t)(kind) << 32 | (place))

/* ---- the order ---------------------------------------------------------------------------------
 */

/* The round in which a place starts; run->round has the rounds in which the ones before it end. */
static uint32_t start_round(const struct batch_plan *plan, const struct batch_run *run, uint32_t k,
                            uint32_t place)
{
    uint32_t round = 1;
    for (uint32_t c = plan->first[place]; c < plan->first[place + 1]; c++) {
        uint32_t from = plan->from[c];
        if (!plan->lag_ps[c] && run->finish[from].of[k] == run->start[place].of[k] &&
            run->round[from] > round)
            round = run->round[from];
    }
    return round;
}

/* All that is to be played, as yet by place. */
static uint32_t gather(const struct batch_plan *plan, struct batch_run *run, uint32_t k)
{
    uint32_t count = 0;
    const uint32_t *next = plan->replayed, *end = next + plan->replayed_count;
    for (uint32_t place = 1; next < end; place++) {
        int64_t start = run->start[place].of[k], hold = run->free[place].of[k],
                finish = run->finish[place].of[k];
        uint32_t round = start_round(plan, run, k, place), after = round + 1;
        run->round[place] = finish > start ? 1 : after;
        if (place != *next)
            continue;
        next++;
        run->items[count++] = (struct replay_item){start, SUB(round, START, place)};
        run->items[count++] =
            (struct replay_item){hold, SUB(hold > start ? 1 : after, FREE, place)};
        run->items[count++] = (struct replay_item){finish, SUB(run->round[place], FINISH, place)};
    }
    return count;
}

static inline bool before(const struct replay_item *a, const struct replay_item *b)
{
    return a->t != b->t ? a->t < b->t : a->sub < b->sub;
}

/* Merges from[a, b) and from[b, c) into to[a, c). */
static void merge(const struct replay_item *from, struct replay_item *to, uint32_t a, uint32_t b,
                  uint32_t c)
{
    uint32_t left = a, right = b;
    for (uint32_t at = a; at < c; at++) {
        bool take_right = left == b || (right < c && before(&from[right], &from[left]));
        to[at] = take_right ? from[right] : from[left];
        left += !take_right;
        right += take_right;
    }
}

/* Where each sorted run that begins at `at` ends: places in topological order are nearly sorted. */
static uint32_t run_end(const struct replay_item *items, uint32_t at, uint32_t count)
{
    for (at++; at < count && before(&items[at - 1], &items[at]);)
        at++;
    return at;
}

/* Natural merge sort, by which of two arrays is whole; places in topological order make long runs.
 */
static const struct replay_item *sort(struct batch_run *run, uint32_t count)
{
    struct replay_item *from = run->items, *to = run->sorted;
    while (run_end(from, 0, count) < count) {
        for (uint32_t a = 0, b, c; a < count; a = c) {
            b = run_end(from, a, count);
            c = b < count ? run_end(from, b, count) : b;
            merge(from, to, a, b, c);
        }
        struct replay_item *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

/* ---- playing -----------------------------------------------------------------------------------
 */

/* A class whose times the walk over chains does not tell. */
static bool has_class(const struct sl_worker *w, uint32_t node)
{
    return !w->p->batch->classes_by_chain && w->p->hot[node].klass != SL_NONE;
}

static bool start(struct sl_worker *w, uint32_t node)
{
    const struct sl_program *p = w->p;
    if (p->hot[node].flags & NODE_BYTES) {
        if (!sl_capacity_fits(w, node))
            return false;
        sl_capacity_take(w, node);
    }
    for (uint32_t k = 0; k < p->demand[node].count; k++) {
        struct resource_run *r = &w->resources[p->demands[p->demand[node].first + k].resource];
        if (!r->users++)
            r->busy_since = w->now;
    }
    if (has_class(w, node))
        class_started(w, p->hot[node].klass);
    return true;
}

static void come_free(struct sl_worker *w, uint32_t node)
{
    const struct sl_program *p = w->p;
    for (uint32_t k = 0; k < p->demand[node].count; k++) {
        uint32_t r = p->demands[p->demand[node].first + k].resource;
        if (!--w->resources[r].users)
            w->busy[r] += w->now - w->resources[r].busy_since;
    }
    if (has_class(w, node))
        class_stopped(w, p->hot[node].klass);
}

static bool play(struct sl_worker *w, const struct replay_item *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = w->p->batch->node[(uint32_t)items[i].sub];
        w->now = items[i].t;
        switch ((enum kind)(items[i].sub >> 32 & 3)) {
        case FREE:
            come_free(w, node);
            break;
        case FINISH:
            w->log_count = 0;
            sl_capacity_give_workspace(w, node);
            sl_capacity_give(w, node, false);
            break;
        case START:
            if (!start(w, node))
                return false;
        }
        if (i + 1 == count || items[i + 1].t > w->now)
            close_classes(w);
    }
    return true;
}

static void reset(struct sl_worker *w, uint32_t trial)
{
    const struct sl_program *p = w->p;
    size_t classes = p->class_count;
    memset(w->overlap, 0, classes * classes * sizeof *w->overlap);
    memset(w->class_busy, 0, classes * sizeof *w->class_busy);
    memset(w->classes, 0, classes * sizeof *w->classes);
    for (size_t k = 0; k < classes; k++)
        w->class_since[k] = INT64_MAX;
    for (uint32_t r = 0; r <= p->resource_count; r++) {
        w->busy[r] = 0;
        w->resources[r].users = 0;
    }
    w->quiet_count = 0;
    w->now = 0;
    w->fault = NULL;
    w->stopped = w->record_levels = false;
    w->record.trial = trial;
}

bool sl_batch_replay(struct sl_worker *w, uint32_t k, uint32_t trial)
{
    struct batch_run *run = w->batch_run;
    reset(w, trial);
    sl_capacity_begin(w);
    uint32_t count = w->p->batch->replayed_count ? gather(w->p->batch, run, k) : 0;
    if (!play(w, count ? sort(run, count) : run->items, count))
        return false;
    w->now = run->makespan->of[k];
    sl_capacity_end(w);
    sl_worker_mirror_overlaps(w, w->overlap);
    return true;
}

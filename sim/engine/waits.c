/* A cycle of the wait-for relation, found and told: of a trial's nodes (deadlock.c), or of the runs
 * of jobs (jobs_deadlock.c). */
#include "waits.h"
#include <stdarg.h>
#include <string.h>

#define MUTUAL_TRIES 64 /* nodes from which a mutual wait is searched; each search is linear */

/* ---- text ------------------------------------------------------------------------------------ */

void sl_waits_say(struct sl_waits *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int more = vsnprintf(w->text + w->said, SL_DEADLOCK_TEXT - w->said, format, args);
    va_end(args);
    if (more > 0)
        w->said += (size_t)more;
    if (w->said > SL_DEADLOCK_TEXT - 1)
        w->said = SL_DEADLOCK_TEXT - 1;
}

static void say_target(struct sl_waits *w, const char *how, const struct wait *wait)
{
    sl_waits_say(w, "%s", how);
    w->say_name(w, wait->target);
}

static void say_wait(struct sl_waits *w, uint32_t node, const struct wait *wait)
{
    switch (wait->kind) {
    case WAIT_EDGE:
        say_target(w, "waits for ", wait);
        break;
    case WAIT_RETURN:
        say_target(w, "waits for what ", wait);
        sl_waits_say(w, " brings");
        break;
    case WAIT_LANE:
        say_target(w, "waits for ", wait);
        sl_waits_say(w, " in its lane");
        break;
    case WAIT_PRIMARY:
        say_target(w, "waits to know whether ", wait);
        sl_waits_say(w, " runs");
        break;
    case WAIT_TURN:
        sl_waits_say(w, "waits for its turn on %s", w->list_name(w, node));
        say_target(w, " after ", wait);
        break;
    case WAIT_STRICT:
        sl_waits_say(w, "waits in the strict queue of %s", w->list_name(w, node));
        say_target(w, " behind ", wait);
        break;
    case WAIT_BYTES:
        w->say_bytes(w, node, wait);
        break;
    }
}

/* Waits for edges and lanes in a row: a longer one is told by its ends. */
enum { TOLD_IN_FULL = 3 };
struct telling {
    uint32_t count; /* of the row */
    uint32_t nodes[TOLD_IN_FULL];
    const struct wait *waits[TOLD_IN_FULL], *last;
};

static void say_next(struct sl_waits *w, uint32_t node, const struct wait *wait)
{
    if (w->said == 0) {
        w->say_name(w, node);
        sl_waits_say(w, " ");
    } else
        sl_waits_say(w, ", which ");
    say_wait(w, node, wait);
}

static void end_row(struct sl_waits *w, struct telling *t)
{
    if (t->count > TOLD_IN_FULL) {
        sl_waits_say(w, ", which waits, over %u nodes between, for ", t->count - 1);
        w->say_name(w, t->last->target);
    }
    for (uint32_t k = 0; k < t->count && t->count <= TOLD_IN_FULL; k++)
        say_next(w, t->nodes[k], t->waits[k]);
    t->count = 0;
}

static void tell(struct sl_waits *w, struct telling *t, uint32_t node, const struct wait *wait)
{
    bool in_row = w->said > 0 && (wait->kind == WAIT_EDGE || wait->kind == WAIT_LANE);
    if (!in_row) {
        end_row(w, t);
        say_next(w, node, wait);
        return;
    }
    if (t->count < TOLD_IN_FULL) {
        t->nodes[t->count] = node;
        t->waits[t->count] = wait;
    }
    t->last = wait;
    t->count++;
}

/* path[k] waits for path[k + 1] for the reason waits[k], the last for the first.  The text begins,
 * if it can, with a node that waits for bytes. */
static void say_cycle(struct sl_waits *w, const uint32_t *path, const struct wait *waits,
                      uint32_t length)
{
    uint32_t begin = 0;
    struct telling telling = {0};
    for (uint32_t k = length; k-- > 0;)
        if (waits[k].kind == WAIT_BYTES)
            begin = k;
    for (uint32_t k = 0; k < length; k++)
        tell(w, &telling, path[(begin + k) % length], &waits[(begin + k) % length]);
    end_row(w, &telling);
}

/* The way that the breadth-first search found from `start` to the state `last`. */
static void say_way(struct sl_waits *w, uint32_t start, uint32_t last)
{
    uint32_t n = w->count, length = 0;
    struct telling telling = {0};
    for (uint32_t state = last; state != start; state = w->origin[state])
        w->queue[length++] = state; /* the search is over: its queue is free */
    for (uint32_t k = length; k-- > 0;)
        tell(w, &telling, w->origin[w->queue[k]] % n, &w->waits[w->queue[k]]);
    end_row(w, &telling);
}

/* ---- search ---------------------------------------------------------------------------------- */

/* Breadth first from `start` back to it through at least one other node that waits for bytes or a
 * turn: who waits for bytes would be content with any of several givers, and the giver that itself
 * waits for `start` explains nothing.  A state is (node, whether another waiting node lies behind).
 */
static bool find_mutual(struct sl_waits *w, uint32_t start)
{
    uint32_t head = 0, tail = 1, n = w->count;
    memset(w->mark, 0, 2 * (size_t)n);
    w->queue[0] = start;
    w->mark[start] = 1;
    while (head < tail) {
        uint32_t state = w->queue[head++], node = state % n;
        struct wait wait = {0};
        while (w->next(w, node, &wait)) {
            bool other = state >= n || (node != start && w->is_waiting(w, node));
            uint32_t next = wait.target + (other ? n : 0);
            if (w->mark[next])
                continue;
            w->mark[next] = 1;
            w->origin[next] = state;
            w->waits[next] = wait;
            if (next == start + n) {
                say_way(w, start, next);
                return true;
            }
            w->queue[tail++] = next;
        }
    }
    return false;
}

/* Depth first along the wait-for relation; reports the first cycle met. */
static bool find_cycle(struct sl_waits *w, uint32_t start)
{
    enum { UNSEEN, ON_PATH, LEFT };
    uint32_t *path = w->queue, count = 1;
    struct wait *waits = w->waits;
    path[0] = start;
    waits[0] = (struct wait){0};
    w->mark[start] = ON_PATH;
    while (count) {
        uint32_t node = path[count - 1];
        if (!w->next(w, node, &waits[count - 1])) {
            w->mark[node] = LEFT;
            count--;
            continue;
        }
        uint32_t target = waits[count - 1].target;
        if (w->mark[target] == UNSEEN) {
            w->mark[target] = ON_PATH;
            path[count] = target;
            waits[count++] = (struct wait){0};
        } else if (w->mark[target] == ON_PATH) {
            uint32_t first = count - 1;
            while (path[first] != target)
                first--;
            say_cycle(w, path + first, waits + first, count - first);
            return true;
        }
    }
    return false;
}

bool sl_waits_report(struct sl_waits *w)
{
    uint32_t tries = 0;
    for (uint32_t i = 0; i < w->count && tries < MUTUAL_TRIES; i++)
        if (w->is_waiting(w, i) && tries++ < MUTUAL_TRIES && find_mutual(w, i))
            return true;
    memset(w->mark, 0, w->count);
    for (unsigned waiting = 2; waiting-- > 0;)
        for (uint32_t i = 0; i < w->count; i++)
            if (!w->mark[i] && w->is_open(w, i) && w->is_waiting(w, i) == (waiting == 1) &&
                find_cycle(w, i))
                return true;
    return false;
}

/* Runs of subjects and their agreement: see metamorphic.h. */
#include <config.h>

#include "metamorphic.h"
#include "morph.h"
#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void *copy_of(const void *from, size_t count, size_t size)
{
    void *memory = malloc((count + 1) * size);
    ck_assert_ptr_nonnull(memory);
    if (count)
        memcpy(memory, from, count * size);
    return memory;
}

static void keep(struct kept_run *run, const struct sl_graph *graph, const struct sl_trial *t)
{
    uint32_t n = graph->node_count, m = graph->platform->domain_names.count;
    *run = (struct kept_run){.nodes = n,
                             .domains = m,
                             .deadlock = t->outcome == SL_DEADLOCK,
                             .makespan = t->makespan_ps,
                             .ready = copy_of(t->ready_ps, n, sizeof *run->ready),
                             .start = copy_of(t->start_ps, n, sizeof *run->start),
                             .free = copy_of(t->free_ps, n, sizeof *run->free),
                             .finish = copy_of(t->finish_ps, n, sizeof *run->finish),
                             .state = copy_of(t->state, n, sizeof *run->state),
                             .cause = copy_of(t->cause, n, sizeof *run->cause),
                             .behind = copy_of(t->behind, n, sizeof *run->behind),
                             .peak = copy_of(t->peak_bytes, m, sizeof *run->peak)};
}

void kept_free(struct kept_run *run)
{
    free(run->ready);
    free(run->start);
    free(run->free);
    free(run->finish);
    free(run->state);
    free(run->cause);
    free(run->behind);
    free(run->peak);
    *run = (struct kept_run){0};
}

/* A trial, while its worker lives. */
struct running {
    struct sl_program *program;
    struct sl_worker *worker;
    const struct sl_trial *trial;
};

static void begin(struct running *r, const struct subject *s, const struct sl_graph *graph,
                  const struct sl_engine_options *options)
{
    struct sl_error err = {0};
    ck_assert_msg(sl_program_create(&r->program, graph, options, &err) == SL_OK, "%s: %s", s->what,
                  err.message);
    ck_assert_msg(sl_worker_create(&r->worker, r->program, &err) == SL_OK, "%s", err.message);
    ck_assert_msg(sl_worker_run(r->worker, s->seed, 0, 0, &r->trial, &err) == SL_OK, "%s: %s",
                  s->what, err.message);
}

static void end(struct running *r)
{
    sl_worker_free(r->worker);
    sl_program_free(r->program);
}

void kept_make(struct kept_run *run, const struct subject *s, const struct sl_graph *graph,
               const struct sl_engine_options *options)
{
    struct running r;
    begin(&r, s, graph, options);
    keep(run, graph, r.trial);
    end(&r);
}

static bool was_slowed(const struct subject *s, uint32_t i)
{
    return s->base.state[i] == SL_RAN && s->frozen->nodes[i].dist &&
           (double)(s->base.free[i] - s->base.start[i]) != s->frozen->nodes[i].scale;
}

bool subject_open(struct subject *s)
{
    struct running r;
    s->frozen = NULL;
    s->slowed = false;
    if (s->plan->graph->evictor)
        return false;
    begin(&r, s, s->plan->graph, &s->plan->engine);
    s->frozen = morph_rebuild(s->plan->graph, NULL, NULL, NULL);
    morph_freeze(s->frozen, r.trial);
    morph_finish(s->frozen);
    end(&r);
    kept_make(&s->base, s, s->frozen, &s->plan->engine);
    for (uint32_t i = 0; i < s->frozen->node_count; i++)
        s->slowed |= was_slowed(s, i);
    return true;
}

void subject_close(struct subject *s)
{
    sl_graph_free(s->frozen);
    kept_free(&s->base);
}

/* ---- agreement ------------------------------------------------------------------------------- */

struct pair {
    const struct agreement *how;
    const struct subject *s;
    uint32_t node;
};

static void check(const struct pair *p, const char *what, int64_t a, int64_t b, int64_t tolerance)
{
    if (llabs(a - b) > tolerance)
        ck_abort_msg("%s: %s: %s of node %u is %" PRId64 ", expected %" PRId64 " +- %" PRId64,
                     p->s->what, p->how->relation, what, p->node, b, a, tolerance);
}

/* Times below 0 are none. */
static void check_time(const struct pair *p, const char *what, int64_t a, int64_t b)
{
    check(p, what, a < 0 ? a : a * p->how->factor, b, a < 0 ? 0 : p->how->tolerance);
}

void kept_compare(const struct agreement *how, const struct subject *s, const struct kept_run *a,
                  const struct kept_run *b)
{
    struct pair p = {how, s, 0};
    check(&p, "the outcome", a->deadlock, b->deadlock, 0);
    for (uint32_t i = 0; i < a->nodes; i++) {
        uint32_t j = how->place ? how->place[i] : i;
        p.node = i;
        if (i == how->except)
            continue;
        check(&p, "the state", a->state[i], b->state[j], 0);
        check_time(&p, "the start", a->start[i], b->start[j]);
        check_time(&p, "the finish", a->finish[i], b->finish[j]);
        if (!how->causes || a->state[i] == SL_UNFINISHED)
            continue;
        uint32_t behind = a->behind[i];
        if (behind != SL_NONE && how->place)
            behind = how->place[behind];
        check(&p, "the cause", a->cause[i], b->cause[j], 0);
        check(&p, "who is behind", behind, b->behind[j], 0);
    }
    p.node = 0;
    if (!a->deadlock)
        check_time(&p, "the makespan", a->makespan, b->makespan);
    for (uint32_t m = 0; m < a->domains; m++)
        check(&p, "the peak", a->peak[m], b->peak[m], 0);
}

/* ---- events that lie close ------------------------------------------------------------------- */

static int ascending(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* All times at which a rule may look: of the record, and those that the graph states. */
static uint32_t list_times(const struct subject *s, int64_t *times)
{
    const struct sl_graph *g = s->frozen;
    uint32_t count = 0;
    for (uint32_t i = 0; i < g->node_count; i++) {
        sl_node_id id = {i};
        int64_t mean = (int64_t)(sl_node_mean_hold(g, id) + sl_node_mean_latency(g, id));
        const int64_t of_node[] = {s->base.ready[i], s->base.start[i], s->base.free[i],
                                   s->base.finish[i]};
        memcpy(times + count, of_node, sizeof of_node);
        count += 4;
        if (g->nodes[i].deadline_ps != INT64_MAX && g->nodes[i].fallback.i != SL_NONE)
            times[count++] = g->nodes[i].deadline_ps - mean;
    }
    for (uint32_t o = 0; o < g->overlap_count; o++) {
        times[count++] = g->overlaps[o].earliest_ps;
        times[count++] = g->overlaps[o].latest_ps;
    }
    qsort(times, count, sizeof *times, ascending);
    return count;
}

bool subject_is_close(const struct subject *s, int64_t ps)
{
    const struct sl_graph *g = s->frozen;
    int64_t *times =
        malloc((5 * (size_t)g->node_count + 2 * (size_t)g->overlap_count + 1) * sizeof *times);
    ck_assert_ptr_nonnull(times);
    uint32_t count = list_times(s, times);
    bool close = false;
    for (uint32_t k = 1; k < count; k++)
        close |= times[k - 1] >= 0 && times[k] != times[k - 1] && times[k] - times[k - 1] < ps;
    free(times);
    for (uint32_t i = 0; i < g->node_count && !close; i++)
        for (uint32_t j = 0; j < g->node_count && !close && was_slowed(s, i); j++)
            close = j != i && s->base.state[j] == SL_RAN && g->nodes[j].dist &&
                    s->base.free[i] == s->base.free[j] && g->nodes[j].scale > 0;
    return close;
}

/* See reference_check.h. */
#include <config.h>

#include "reference_check.h"
#include "reference_text.h"
#include <check.h>
#include <inttypes.h>
#include <stdlib.h>

struct check {
    const struct ref_case *c;
    struct ref_result ref;
    struct sl_program *program;
    struct sl_worker *worker;
    const char *way; /* the loop whose record is compared */
    bool met;        /* the trial was among those visited */
};

/* ---- one record ------------------------------------------------------------------------------ */

static void disagree(const struct check *k, const struct sl_trial *t, const char *what, uint32_t i,
                     int64_t engine, int64_t reference)
{
    char path[64];
    snprintf(path, sizeof path, "reference-%" PRIu64 "-%u.txt", k->c->seed, k->c->trial);
    FILE *out = fopen(path, "w");
    if (out) {
        fprintf(out, "%s, %s: %s of %u is %" PRId64 ", reference %" PRId64 "\n\n", k->c->what,
                k->way, what, i, engine, reference);
        ref_print(out, k->c->run, k->c->options, t, &k->ref);
        (void)fclose(out);
    }
    ck_abort_msg("%s, %s: %s of %u is %" PRId64 ", reference %" PRId64 " (see %s)", k->c->what,
                 k->way, what, i, engine, reference, path);
}

#define SAME(what, i, engine, reference)                                                           \
    do {                                                                                           \
        int64_t a = (int64_t)(engine), b = (int64_t)(reference);                                   \
        if (a != b)                                                                                \
            disagree(k, t, what, i, a, b);                                                         \
    } while (0)

static void compare_node(const struct check *k, const struct sl_trial *t, uint32_t i)
{
    const struct ref_node *node = &k->ref.nodes[i];
    SAME("the start", i, t->start_ps[i], node->start);
    SAME("the state", i, t->state[i], node->state);
    SAME("the finish", i, t->finish_ps[i], node->finish);
    SAME("bypassed", i, t->bypassed[i], node->bypassed);
    if (node->state == SL_UNFINISHED)
        return;
    if (node->state == SL_RAN) {
        SAME("ready", i, t->ready_ps[i], node->ready);
        SAME("free", i, t->free_ps[i], node->free);
    }
    SAME("the cause", i, t->cause[i], node->cause);
    SAME("behind", i, t->behind[i], node->behind);
    SAME("the lag", i, t->lag_ps[i], node->lag);
    if (node->behind != SL_NONE)
        SAME("by free", i, t->behind_by_free[i], node->by_free);
}

/* The engine notes each change, the reference what each instant leaves. */
static void compare_levels(const struct check *k, const struct sl_trial *t)
{
    int64_t last[REF_MOST][3] = {{0}};
    uint32_t at = 0, domains = k->c->run->platform->domain_names.count;
    for (size_t s = 0; s < t->step_count;) {
        int64_t now = t->steps[s].t_ps;
        bool changed[REF_MOST] = {false};
        int64_t before[REF_MOST][3];
        memcpy(before, last, sizeof before);
        for (; s < t->step_count && t->steps[s].t_ps == now; s++) {
            int64_t *level = last[t->steps[s].domain];
            level[0] = t->steps[s].object_bytes;
            level[1] = t->steps[s].workspace_bytes;
            level[2] = t->steps[s].staging_bytes;
        }
        for (uint32_t m = 0; m < domains; m++)
            changed[m] = memcmp(before[m], last[m], sizeof last[m]) != 0;
        for (uint32_t m = 0; m < domains; m++) {
            if (!changed[m])
                continue;
            if (at == k->ref.level_count)
                disagree(k, t, "a change of bytes", m, now, -1);
            const struct ref_level *level = &k->ref.levels[at++];
            SAME("the time of a change of bytes", m, now, level->t);
            SAME("its domain", m, m, level->domain);
            SAME("bytes of objects", m, last[m][0], level->objects);
            SAME("bytes of workspace", m, last[m][1], level->workspace);
            SAME("bytes of staging", m, last[m][2], level->staging);
        }
    }
    SAME("changes of bytes", domains, at, k->ref.level_count);
}

static void compare(const struct check *k, const struct sl_trial *t, bool levels)
{
    SAME("the outcome", 0, t->outcome == SL_DEADLOCK, k->ref.deadlock);
    for (uint32_t i = 0; i < k->c->run->node_count; i++)
        compare_node(k, t, i);
    if (!k->ref.deadlock)
        SAME("the makespan", 0, t->makespan_ps, k->ref.makespan);
    for (uint32_t m = 0; m < k->c->run->platform->domain_names.count; m++)
        SAME("the peak", m, t->peak_bytes[m], k->ref.peak[m]);
    SAME("bypasses", 0, t->bypasses, k->ref.bypasses);
    SAME("hypothetical", 0, t->hypothetical, k->ref.hypothetical);
    if (levels)
        compare_levels(k, t);
    if (k->ref.deadlock && !(t->deadlock && t->deadlock[0]))
        disagree(k, t, "the report of the deadlock", 0, 0, 1);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static const struct sl_trial *run(struct check *k, unsigned flags)
{
    const struct sl_trial *t;
    struct sl_error err = {0};
    enum sl_status status = sl_worker_run(k->worker, k->c->seed, k->c->trial, flags, &t, &err);
    ck_assert_msg(status == SL_OK, "%s: %s", k->c->what, err.message);
    return t;
}

static enum sl_status visit(void *state, const struct sl_trial *t, struct sl_error *err)
{
    struct check *k = state;
    (void)err;
    if (t->trial == k->c->trial) {
        compare(k, t, false);
        k->met = true;
    }
    return SL_OK;
}

/* Several trials at once, of which this one is neither the first nor the last. */
static void run_among_others(struct check *k)
{
    struct sl_error err = {0};
    uint32_t trials[6], done;
    for (uint32_t i = 0; i < 6; i++)
        trials[i] = k->c->trial + i - (k->c->trial >= 2 ? 2 : 0);
    k->way = "among other trials";
    enum sl_status status =
        sl_worker_run_all(k->worker, k->c->seed, trials, 6, 0, visit, k, &done, &err);
    ck_assert_msg(status == SL_OK, "%s: %s", k->c->what, err.message);
    ck_assert(k->met);
}

/* What chance has decided is the reference's, too. */
static void give(struct check *k, const struct sl_trial *t)
{
    const struct sl_graph *g = k->c->run;
    for (uint32_t i = 0; i < g->node_count; i++) {
        struct ref_node *node = &k->ref.nodes[i];
        sl_node_id id = {i};
        node->duration = t->duration_ps[i];
        node->latency = t->state[i] == SL_RAN ? t->finish_ps[i] - t->free_ps[i] : 0;
        node->mean = sl_node_mean_hold(g, id) + sl_node_mean_latency(g, id);
        node->guard_holds = true;
        for (uint32_t a = 0; a < g->nodes[i].guards.count; a++)
            node->guard_holds &= t->draw_holds[sl_program_guard_draw(k->program, i, a)] !=
                                 g->guard_terms[g->nodes[i].guards.first + a].negated;
    }
    for (uint32_t m = 0; m < g->platform->domain_names.count; m++) {
        const struct sl_dist *dist = g->platform->domains[m].fragmentation;
        k->ref.fragmentation[m] = dist ? sl_dist_mean(dist) : 1; /* a constant */
    }
}

static void count(const struct check *k, struct ref_tally *tally)
{
    bool bound[SL_CAUSES] = {false};
    const uint32_t *seen = k->ref.seen;
    tally->graphs++;
    tally->nodes += k->c->run->node_count;
    for (uint32_t i = 0; i < k->c->run->node_count; i++)
        if (k->ref.nodes[i].state == SL_RAN)
            bound[k->ref.nodes[i].cause] = true;
    for (int e = 0; e < REF_EVENTS; e++)
        tally->seen[e] += seen[e] > 0;
    for (int c = 0; c < SL_CAUSES; c++)
        tally->causes[c] += bound[c];
    tally->together += (seen[REF_SLOWED] || seen[REF_SLOWED_BY_TWO]) && seen[REF_WAITED_BYTES] &&
                       seen[REF_LANE] && seen[REF_OVERTOOK] && seen[REF_GUARD_FAILED] &&
                       seen[REF_FALLBACK_RAN];
}

void ref_check(const struct ref_case *c, struct ref_tally *tally)
{
    struct check k = {.c = c};
    struct sl_error err = {0};
    k.ref.nodes = calloc(c->run->node_count + 1u, sizeof *k.ref.nodes);
    ck_assert_ptr_nonnull(k.ref.nodes);
    ck_assert_uint_le(c->run->platform->resource_names.count, REF_MOST);
    ck_assert_uint_le(c->run->platform->domain_names.count, REF_MOST);
    ck_assert_msg(sl_program_create(&k.program, c->run, c->options, &err) == SL_OK, "%s: %s",
                  c->what, err.message);
    ck_assert_msg(sl_worker_create(&k.worker, k.program, &err) == SL_OK, "%s", err.message);
    k.way = "the general loop";
    const struct sl_trial *t = run(&k, SL_GENERAL_LOOP | SL_RECORD_LEVELS);
    give(&k, t);
    ref_simulate(c->one, c->options, c->iterations, &k.ref);
    compare(&k, t, true);
    k.way = "the shortest way";
    compare(&k, run(&k, SL_RECORD_LEVELS), true);
    run_among_others(&k);
    tally->ways += 3;
    count(&k, tally);
    sl_worker_free(k.worker);
    sl_program_free(k.program);
    ref_free(&k.ref);
    free(k.ref.nodes);
}

/* The relations: what a change of the graph must do to a run, and nothing else.  Each says what it
 * is exact about and why. */
#include <config.h>

#include "jobs.h"
#include "metamorphic.h"
#include "morph.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

/* ---- all times twice as long ----------------------------------------------------------------- */

/* Aging belongs to the platform, or to a policy's dispatch.  The graph is not finished yet. */
struct scaled {
    struct sl_platform platform;
    struct sl_engine_options options;
    struct sl_graph *graph;
};

static void scale_by(struct scaled *scaled, const struct subject *s, int factor)
{
    const struct sl_platform *from = s->frozen->platform;
    uint32_t count = from->resource_names.count;
    scaled->platform = *from;
    scaled->platform.resources = malloc((count + 1u) * sizeof *from->resources);
    ck_assert_ptr_nonnull(scaled->platform.resources);
    for (uint32_t r = 0; r < count; r++) {
        scaled->platform.resources[r] = from->resources[r];
        scaled->platform.resources[r].aging_ps *= factor;
    }
    scaled->options = s->plan->engine;
    scaled->options.aging_ps *= factor;
    scaled->graph = morph_rebuild(s->frozen, NULL, NULL, NULL);
    scaled->graph->platform = &scaled->platform;
    morph_scale(scaled->graph, factor);
}

static void scaled_free(struct scaled *scaled)
{
    sl_graph_free(scaled->graph);
    free(scaled->platform.resources);
}

/* Without contention exact.  With it each finish is rounded to a tick: to one of 2 ps at the scale
 * of the doubled run in the one, to one of 1 ps in the other, so that they differ by 1.5 ps per
 * node that ran one after the other.  Runs in which so little could change an order are left out.
 */
unsigned relate_scaled(struct subject *s)
{
    struct scaled scaled;
    struct kept_run run;
    struct agreement how = {
        .relation = "all times by 2", .factor = 2, .except = SL_NONE, .causes = true};
    how.tolerance = s->slowed ? 2 * (int64_t)s->frozen->node_count : 0;
    if (s->slowed && subject_is_close(s, 2 * how.tolerance))
        return 0;
    scale_by(&scaled, s, 2);
    morph_finish(scaled.graph);
    kept_make(&run, s, scaled.graph, &scaled.options);
    kept_compare(&how, s, &s->base, &run);
    kept_free(&run);
    scaled_free(&scaled);
    return 1;
}

enum { JOBS = 8 };
struct job_stream {
    const int64_t *arrivals;
    int64_t factor;
    uint32_t next;
    int64_t finish[JOBS];
};

static enum sl_status next_job(void *user, struct sl_job_arrival *arrival, bool *more,
                               struct sl_error *err)
{
    struct job_stream *stream = user;
    (void)err;
    *more = stream->next < JOBS;
    if (*more)
        arrival->t_ps = stream->arrivals[stream->next++] * stream->factor;
    return SL_OK;
}

static enum sl_status note_job(void *user, const struct sl_job_record *job, struct sl_error *err)
{
    struct job_stream *stream = user;
    (void)err;
    stream->finish[job->job] = job->finish_ps;
    return SL_OK;
}

/* False where the mode refuses the plan. */
static bool run_jobs(const struct subject *s, const struct scaled *scaled,
                     struct job_stream *stream)
{
    struct sl_jobs_options options = {.engine = scaled->options};
    struct sl_jobs_program *program = NULL;
    struct sl_jobs_worker *worker = NULL;
    struct sl_job_source source = {next_job, stream};
    const struct sl_jobs_totals *totals;
    struct sl_error err = {0};
    for (int k = 0; k < JOBS; k++)
        stream->finish[k] = -1;
    enum sl_status status = sl_jobs_program_create(&program, scaled->graph, &options, &err);
    if (status == SL_OK) {
        ck_assert_int_eq(sl_jobs_worker_create(&worker, program, &err), SL_OK);
        status = sl_jobs_run(worker, s->seed, 0, &source, note_job, stream, &totals, &err);
        ck_assert_msg(status == SL_OK, "%s: %s", s->what, err.message);
    }
    sl_jobs_worker_free(worker);
    sl_jobs_program_free(program);
    return status == SL_OK;
}

/* What jobs cannot have is left away: fallbacks, pairs kept apart, edges into later iterations. And
 * as if no overlap slowed anything. */
static void suit_jobs(struct scaled *scaled)
{
    struct sl_graph *graph = scaled->graph;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        struct sl_node *node = sl_graph_edit_node(graph, i, NULL);
        ck_assert_ptr_nonnull(node);
        node->fallback.i = SL_NONE;
    }
    ck_assert_int_eq(sl_graph_edit_edges(graph, NULL), SL_OK);
    for (uint32_t e = 0; e < graph->edge_count; e++)
        if (!graph->edges[e].next)
            graph->own_edges[kept++] = graph->edges[e];
    graph->edge_count = kept;
    graph->overlap_count = 0;
    struct sl_kappa *kappa = &scaled->platform.kappa;
    kappa->row_count = kappa->pair_count = kappa->demand_count = kappa->set_max = 0;
    kappa->unknown = SL_UNKNOWN_NUMBER;
    kappa->unknown_value = 1;
}

/* Jobs that arrive at twice the times finish at twice the times, or never in both: exact, since
 * contention, by which a tick would decide now and then which job is first, is left out. */
unsigned relate_scaled_jobs(struct subject *s)
{
    int64_t arrivals[JOBS], t = 0;
    struct job_stream streams[2] = {{arrivals, 1, 0, {0}}, {arrivals, 2, 0, {0}}};
    struct scaled scaled[2];
    bool runs[2];
    if (s->base.deadlock)
        return 0;
    for (int k = 0; k < JOBS; k++)
        arrivals[k] = t += (int64_t)dice_below(&s->dice, 1000) * (s->base.makespan / 1000);
    for (int k = 0; k < 2; k++) {
        scale_by(&scaled[k], s, k + 1);
        suit_jobs(&scaled[k]);
        morph_finish(scaled[k].graph);
        runs[k] = run_jobs(s, &scaled[k], &streams[k]);
        scaled_free(&scaled[k]);
    }
    ck_assert(runs[0] == runs[1]);
    for (int k = 0; k < JOBS && runs[0]; k++) {
        int64_t once = streams[0].finish[k], twice = streams[1].finish[k];
        ck_assert_msg(twice == (once < 0 ? -1 : 2 * once),
                      "%s: all times by 2: job %d ends at %lld, of doubled times at %lld", s->what,
                      k, (long long)once, (long long)twice);
    }
    return runs[0];
}

/* ---- other names ----------------------------------------------------------------------------- */

/* Exact, before planning: the policy sees the other names, too.  Keys stay, and so do the draws. */
unsigned relate_renamed(struct subject *s)
{
    struct sl_graph *own = s->scenario->graph;
    struct sl_plan plan;
    struct sl_error err = {0};
    struct kept_run base, run;
    const struct agreement how = {
        .relation = "other names", .factor = 1, .except = SL_NONE, .causes = true};
    for (uint32_t f = 0; f < own->factor_count; f++)
        if (own->factors[f].nodes) /* a glob of names */
            return 0;
    if (s->policy->tuning) /* a table of names */
        return 0;
    s->scenario->graph = morph_rebuild(own, NULL, ".other", NULL);
    morph_finish(s->scenario->graph);
    enum sl_status status = sl_policy_plan(&plan, s->scenario, s->policy, NULL, &err);
    ck_assert_msg(status == SL_OK, "%s: %s", s->what, err.message);
    ck_assert_msg(plan.graph->node_count == s->plan->graph->node_count,
                  "%s: other names: the plan has %u nodes, expected %u", s->what,
                  plan.graph->node_count, s->plan->graph->node_count);
    kept_make(&base, s, s->plan->graph, &s->plan->engine);
    kept_make(&run, s, plan.graph, &plan.engine);
    kept_compare(&how, s, &base, &run);
    kept_free(&base);
    kept_free(&run);
    sl_plan_free(&plan);
    sl_graph_free(s->scenario->graph);
    s->scenario->graph = own;
    return 1;
}

/* ---- other rows ------------------------------------------------------------------------------ */

/* Two nodes became ready at once and one of them waited: a tie is left where a node without time
 * starts at the end of another one and both precede somebody in a lane. */
static bool has_tie(const struct sl_graph *g, const struct kept_run *run)
{
    for (uint32_t i = 0; i < run->nodes; i++)
        for (uint32_t j = 0; j < i; j++)
            if (run->ready[i] == run->ready[j] && g->nodes[i].demands.count &&
                g->nodes[j].demands.count &&
                (run->start[i] != run->ready[i] || run->start[j] != run->ready[j]))
                return true;
    return false;
}

/* Exact, since durations, lags and releases are moved off each other first: without ties the index
 * of a node decides nothing.  Nodes of a lane, and of the list in order of issue, keep their order,
 * which is theirs by declaration. */
unsigned relate_permuted(struct subject *s)
{
    struct sl_graph *base_graph = morph_rebuild(s->frozen, NULL, NULL, NULL);
    uint32_t n = base_graph->node_count;
    uint32_t *order = calloc(n + 1u, sizeof *order), *place = calloc(n + 1u, sizeof *place);
    struct kept_run base, run;
    ck_assert(order && place);
    morph_jitter(base_graph, &s->dice);
    morph_order(base_graph, &s->plan->engine, &s->dice, order);
    for (uint32_t k = 0; k < n; k++)
        place[order[k]] = k;
    struct sl_graph *graph = morph_rebuild(base_graph, order, NULL, &s->dice);
    morph_finish(base_graph);
    morph_finish(graph);
    kept_make(&base, s, base_graph, &s->plan->engine);
    kept_make(&run, s, graph, &s->plan->engine);
    const struct agreement how = {
        .relation = "other rows", .place = place, .factor = 1, .except = SL_NONE, .causes = true};
    bool tie = has_tie(base_graph, &base);
    if (!tie)
        kept_compare(&how, s, &base, &run);
    kept_free(&base);
    kept_free(&run);
    sl_graph_free(base_graph);
    sl_graph_free(graph);
    free(order);
    free(place);
    return !tie;
}

/* ---- a node in two --------------------------------------------------------------------------- */

/* Somebody waits at some time from `from` to `to`, or starts then after a wait. */
static bool anyone_waits(const struct subject *s, int64_t from, int64_t to, uint32_t but)
{
    for (uint32_t j = 0; j < s->frozen->node_count; j++) {
        bool waited = s->base.state[j] == SL_RAN && s->base.start[j] > s->base.ready[j];
        if (j != but && waited && s->base.ready[j] <= to && s->base.start[j] >= from)
            return true;
        if (s->base.state[j] == SL_CANCELLED || s->base.state[j] == SL_UNFINISHED)
            return true; /* it may have waited at any time */
    }
    return false;
}

static bool is_named(const struct sl_graph *g, uint32_t i)
{
    for (uint32_t o = 0; o < g->overlap_count; o++)
        if (!strcmp(g->overlaps[o].a, g->nodes[i].name) ||
            !strcmp(g->overlaps[o].b, g->nodes[i].name) || g->overlaps[o].earliest_ps > 0 ||
            g->overlaps[o].latest_ps < INT64_MAX)
            return true;
    return false;
}

static bool is_fallback(const struct sl_graph *g, uint32_t i)
{
    for (uint32_t j = 0; j < g->node_count; j++)
        if (g->nodes[j].fallback.i == i)
            return true;
    return g->nodes[i].fallback.i != SL_NONE;
}

static bool can_be_split(const struct subject *s, uint32_t i)
{
    const struct sl_graph *g = s->frozen;
    const struct sl_node *node = &g->nodes[i];
    if (s->base.state[i] != SL_RAN || !node->dist || node->scale < 2 || node->guards.count ||
        s->base.start[i] > s->base.ready[i] || is_fallback(g, i) || is_named(g, i) ||
        morph_is_issued(g, &s->plan->engine, i)) /* later ones wait until both have started */
        return false;
    return !anyone_waits(s, s->base.start[i], s->base.free[i], i);
}

static void split_one(struct subject *s, uint32_t i)
{
    const struct sl_graph *g = s->frozen;
    int64_t duration = (int64_t)g->nodes[i].scale;
    int64_t first = 1 + (int64_t)dice_below(&s->dice, 1000) * (duration - 2) / 999;
    uint32_t *place = calloc(g->node_count + 1u, sizeof *place);
    struct sl_graph *split = morph_split(g, i, first);
    struct kept_run run;
    struct agreement how = {.relation = "a node in two", .place = place, .factor = 1, .except = i};
    ck_assert_ptr_nonnull(place);
    how.tolerance = s->slowed ? g->node_count : 0;
    for (uint32_t k = 0; k < g->node_count; k++)
        place[k] = k + (k > i);
    morph_finish(split);
    kept_make(&run, s, split, &s->plan->engine);
    kept_compare(&how, s, &s->base, &run);
    ck_assert_msg(run.start[i] - s->base.start[i] <= how.tolerance &&
                      llabs(run.finish[i + 1] - s->base.finish[i]) <= how.tolerance,
                  "%s: a node in two: node %u runs from %lld to %lld, expected %lld to %lld",
                  s->what, i, (long long)run.start[i], (long long)run.finish[i + 1],
                  (long long)s->base.start[i], (long long)s->base.finish[i]);
    kept_free(&run);
    sl_graph_free(split);
    free(place);
}

/* A node that did not wait itself: the shorter first half may stand elsewhere in a list.
 *
 * Without contention exact; with it the finish in between is rounded to a tick, and every clock is
 * read once more, which moves each node by a tick at most. */
unsigned relate_split(struct subject *s)
{
    unsigned done = 0;
    if (s->slowed && subject_is_close(s, 2 * (int64_t)s->frozen->node_count))
        return 0;
    for (int tries = 0; tries < 20 && done < 3 && s->frozen->node_count; tries++) {
        uint32_t i = dice_below(&s->dice, s->frozen->node_count);
        if (!can_be_split(s, i))
            continue;
        split_one(s, i);
        done++;
    }
    return done;
}

/* ---- a node that takes no time --------------------------------------------------------------- */

/* Exact, with contention too: it demands nothing and never enters the running set.  But an instant
 * may have one round more, with one attempt more of whoever waits, and so another cause of the
 * wait. */
unsigned relate_idle(struct subject *s)
{
    struct sl_graph *graph = morph_rebuild(s->frozen, NULL, NULL, NULL);
    struct kept_run run;
    const struct agreement how = {
        .relation = "a node without time", .factor = 1, .except = SL_NONE};
    uint32_t n = s->frozen->node_count;
    (void)morph_add_idle(graph, SL_NONE, SL_EDGE_ORDERING);
    for (int k = 0; k < 3 && n; k++) {
        uint32_t first = morph_add_idle(graph, dice_below(&s->dice, n),
                                        (enum sl_edge_type)dice_below(&s->dice, SL_EDGE_TYPES));
        (void)morph_add_idle(graph, first, SL_EDGE_DATA);
    }
    morph_finish(graph);
    kept_make(&run, s, graph, &s->plan->engine);
    kept_compare(&how, s, &s->base, &run);
    kept_free(&run);
    sl_graph_free(graph);
    return 1;
}

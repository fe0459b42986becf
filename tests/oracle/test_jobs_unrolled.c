/* Jobs against the ordinary engine: a random plan and arrivals at fixed times are run by the job
 * engine, and unrolled into one graph, in which node i of job k of J has index i J + k, a lane of
 * the job's own, and a release at the job's arrival.  Every time of every node must be the same,
 * and what both count as well.
 *
 * Random durations and guards are those that the job engine drew, as constants of the unrolled
 * graph, which has other keys.  Orders by issue are the job engine's own rule: test_jobs.c. */
#include <config.h>

#include "dice.h"
#include "jobs_parts.h"
#include "lab.h"

#define CASES (sl_test_long() ? 20000u : 1200u)

enum { MOST_NODES = 9, MOST_JOBS = 12, MOST_RESOURCES = 3, MOST_HOLDINGS = 4, DOMAINS = 2 };
#define BOUND (4 * US) /* of a wait */

struct holding_shape {
    unsigned domain, mib, taker, second_taker, giver; /* second_taker: SL_NONE */
    enum sl_holding_kind kind;
    bool sized; /* half a MiB more for each job before it */
};

struct node_shape {
    unsigned duration_us; /* 0 with `timed`: a constant of zero */
    bool timed, latent, guarded;
    unsigned demands, resource[2], units[2];
    unsigned klass, lane; /* SL_NONE */
    unsigned workspace[DOMAINS];
    unsigned release_us, deadline_us;
    int priority;
    unsigned preds, pred[3];
    enum sl_edge_type type[3];
    unsigned lag_us[3];
};

struct shape {
    unsigned resources, nodes, jobs, holdings, classes;
    uint32_t servers[MOST_RESOURCES];
    enum sl_order order[MOST_RESOURCES];
    bool strict[MOST_RESOURCES];
    unsigned aging_us[MOST_RESOURCES], groups[MOST_RESOURCES];
    unsigned capacity[DOMAINS]; /* MiB; 0: none */
    double kappa[3][3];         /* 0: none stated */
    bool initial, random;       /* random: durations of nodes; guards always are */
    struct node_shape node[MOST_NODES];
    struct holding_shape holding[MOST_HOLDINGS];
    int64_t arrival[MOST_JOBS];
};

static struct lab plan, unrolled;
static uint64_t seed;
static bool ended[MOST_JOBS];
static uint64_t bypassed[MOST_JOBS];
static struct job_run ran[MOST_NODES][MOST_JOBS]; /* what the job engine did */

/* ---- a random case --------------------------------------------------------------------------- */

static void draw_machine(struct dice *dice, struct shape *s)
{
    static const uint32_t servers[] = {1, 1, 2, 3, SL_UNLIMITED};
    enum sl_order one = (enum sl_order)dice_below(dice, SL_ORDER_ISSUE);
    for (unsigned r = 0; r < s->resources; r++) {
        s->servers[r] = servers[dice_below(dice, 5)];
        s->order[r] = dice_chance(dice, 60) ? one : (enum sl_order)dice_below(dice, SL_ORDER_ISSUE);
        s->strict[r] = dice_chance(dice, 20);
        s->aging_us[r] = dice_chance(dice, 40) ? 1 + dice_below(dice, 5) : 0;
        s->groups[r] = 1 + dice_below(dice, 3);
    }
    for (unsigned m = 0; m < DOMAINS; m++)
        s->capacity[m] = dice_chance(dice, 50) ? 12 + dice_below(dice, 12) : 0;
    for (unsigned a = 0; a < s->classes; a++)
        for (unsigned b = 0; b < s->classes; b++)
            s->kappa[a][b] = dice_chance(dice, 70) ? 1 + 0.25 * dice_below(dice, 5) : 0;
}

static void draw_node(struct dice *dice, struct shape *s, unsigned i)
{
    struct node_shape *n = &s->node[i];
    n->timed = dice_chance(dice, 93);
    n->duration_us = dice_chance(dice, 8) ? 0 : 1 + dice_below(dice, 6);
    n->latent = dice_chance(dice, 10);
    n->demands = dice_chance(dice, 12) ? 0 : dice_chance(dice, 25) && s->resources > 1 ? 2 : 1;
    n->resource[0] = dice_below(dice, s->resources);
    n->resource[1] = (n->resource[0] + 1) % s->resources;
    for (unsigned k = 0; k < 2; k++)
        n->units[k] = s->servers[n->resource[k]] > 1 && dice_chance(dice, 30) ? 2 : 1;
    n->klass = s->classes && dice_chance(dice, 85) ? dice_below(dice, s->classes) : SL_NONE;
    n->lane = dice_chance(dice, 15) ? dice_below(dice, 2) : SL_NONE;
    for (unsigned m = 0; m < DOMAINS; m++)
        n->workspace[m] = dice_chance(dice, 25) ? 1 + dice_below(dice, 6) : 0;
    n->release_us = dice_chance(dice, 10) ? dice_below(dice, 12) : 0;
    n->deadline_us = dice_chance(dice, 60) ? 1 + dice_below(dice, 30) : 0;
    n->priority = (int)dice_below(dice, 3);
    n->preds = i ? dice_below(dice, i < 3 ? i + 1 : 4) : 0;
    for (unsigned k = 0; k < n->preds; k++) {
        n->pred[k] = dice_below(dice, i);
        n->type[k] = (enum sl_edge_type)dice_below(dice, SL_EDGE_TYPES);
        n->lag_us[k] = dice_chance(dice, 15) ? dice_below(dice, 4) : 0;
    }
    n->guarded = n->preds && dice_chance(dice, 12); /* a root would be skipped at time 0 */
}

/* Taken by a node and given back by one behind it, so that all is back at the end. */
static void draw_holding(struct dice *dice, struct shape *s, struct holding_shape *h)
{
    h->kind = dice_chance(dice, 25) ? SL_HOLD_STAGING : SL_HOLD_OBJECT;
    h->domain = dice_below(dice, DOMAINS);
    h->mib = 1 + dice_below(dice, 6);
    h->giver = dice_below(dice, s->nodes);
    h->taker = h->giver;
    for (unsigned steps = dice_below(dice, 3); steps && s->node[h->taker].preds; steps--)
        h->taker = s->node[h->taker].pred[0];
    h->second_taker = s->node[h->giver].preds ? s->node[h->giver].pred[0] : SL_NONE;
    h->sized = h->kind == SL_HOLD_OBJECT && dice_chance(dice, 60);
    s->node[h->giver].guarded = s->node[h->taker].guarded = false;
}

static struct shape draw_case(uint64_t case_seed)
{
    struct dice dice = {.state = case_seed};
    for (int k = 0; k < 4; k++)
        (void)dice_below(&dice, 2);
    struct shape s = {
        .resources = 1 + dice_below(&dice, MOST_RESOURCES),
        .nodes = 1 + dice_below(&dice, MOST_NODES),
        .jobs = 1 + dice_below(&dice, MOST_JOBS),
        .classes = dice_below(&dice, 4),
        .initial = dice_chance(&dice, 30),
        .random = true,
    };
    draw_machine(&dice, &s);
    for (unsigned r = 0; r < s.resources; r++) /* whose keys are means */
        s.random &= s.order[r] != SL_ORDER_SJF && s.order[r] != SL_ORDER_CRITICAL_PATH;
    for (unsigned i = 0; i < s.nodes; i++)
        draw_node(&dice, &s, i);
    s.holdings = dice_chance(&dice, 50) ? dice_below(&dice, MOST_HOLDINGS + 1) : 0;
    for (unsigned h = 0; h < s.holdings; h++)
        draw_holding(&dice, &s, &s.holding[h]);
    int64_t t = 0;
    unsigned spread = 1 + dice_below(&dice, 12);
    for (unsigned k = 0; k < s.jobs; k++)
        s.arrival[k] = t += (int64_t)dice_below(&dice, spread) * US;
    return s;
}

/* ---- its two graphs -------------------------------------------------------------------------- */

static void build_machine(struct lab *lab, const struct shape *s, bool as_plan)
{
    char name[16], other[16];
    lab_open(lab);
    for (unsigned r = 0; r < s->resources; r++) {
        snprintf(name, sizeof name, "r%u", r);
        (void)lab_resource(lab, name, s->servers[r]);
        lab->resources[r].order = s->order[r];
        lab->resources[r].admission = s->strict[r] ? SL_STRICT : SL_BACKFILL;
        lab->resources[r].aging_ps = (int64_t)s->aging_us[r] * US;
        lab->resources[r].groups = s->groups[r];
    }
    for (unsigned m = 0; m < DOMAINS; m++) {
        snprintf(name, sizeof name, "m%u", m);
        (void)lab_domain(lab, name, s->capacity[m] ? (int64_t)s->capacity[m] << 20 : -1);
    }
    for (unsigned c = 0; c < s->classes; c++) {
        snprintf(name, sizeof name, "c%u", c);
        (void)lab_class(lab, name);
    }
    for (unsigned a = 0; a < s->classes; a++)
        for (unsigned b = 0; b < s->classes; b++)
            if (s->kappa[a][b] > 0) {
                snprintf(name, sizeof name, "c%u", a);
                snprintf(other, sizeof other, "c%u", b);
                lab_kappa(lab, name, other, s->kappa[a][b]);
            }
    lab_graph(lab);
    lab->graph->guards = calloc(1, sizeof *lab->graph->guards);
    ck_assert_ptr_nonnull(lab->graph->guards);
    lab->graph->guards[0] = (struct sl_guard){
        .name = "maybe", .probability = as_plan ? 0.7 : 0, .scope = SL_SCOPE_NODE};
    lab->graph->guard_count = 1;
}

static bool is_root(const struct shape *s, unsigned i)
{
    bool first_in_lane = true;
    for (unsigned k = 0; k < i; k++)
        first_in_lane &= s->node[k].lane == SL_NONE || s->node[k].lane != s->node[i].lane;
    return !s->node[i].preds && first_in_lane;
}

/* Job k's copy of node i; `arrival` -1: the plan's own, whose times count from the arrival. */
static void build_node(struct lab *lab, const struct shape *s, unsigned i, unsigned k,
                       int64_t arrival)
{
    const struct node_shape *n = &s->node[i];
    char name[32], text[64];
    snprintf(name, sizeof name, "n%u.%u", i, k);
    snprintf(text, sizeof text, s->random && n->duration_us ? "exponential(mean=%uus)" : "%uus",
             n->duration_us);
    if (arrival >= 0 && ended[k])
        snprintf(text, sizeof text, "%lldps", (long long)ran[i][k].duration);
    uint32_t node = lab_node(lab, name, n->timed ? text : NULL, SL_NONE);
    for (unsigned d = 0; d < n->demands; d++)
        lab_demand(lab, node, n->resource[d], n->units[d]);
    for (unsigned m = 0; m < DOMAINS; m++)
        if (n->workspace[m])
            lab_workspace(lab, node, m, (int64_t)n->workspace[m] << 20);
    int64_t base = arrival < 0 ? 0 : arrival;
    bool waits = n->release_us || (arrival > 0 && is_root(s, i));
    struct sl_node *g = &LAB_NODE(lab, node);
    g->release_ps = waits ? base + (int64_t)n->release_us * US : 0;
    if (n->deadline_us)
        g->deadline_ps = base + (int64_t)n->deadline_us * US;
    g->klass = n->klass;
    g->priority = n->priority;
    g->latency_scale = n->timed && n->latent ? 0.5 : 0;
    if (arrival >= 0 && ended[k] && ran[i][k].duration)
        g->latency_scale = (double)ran[i][k].latency / (double)ran[i][k].duration;
    if (n->guarded && (arrival < 0 || (ended[k] && ran[i][k].skip)))
        LAB_OK(lab, sl_graph_push_guard(lab->graph, &g->guards, (struct sl_guard_term){0, false},
                                        &lab->err));
    if (n->lane != SL_NONE) {
        snprintf(name, sizeof name, "l%u.%u", n->lane, k);
        g->lane = sl_names_add(&lab->graph->lane_names, name);
    }
}

/* Job k's copy of a holding; as_plan: the plan's own, whose size jobs may say. */
static uint32_t add_holding(struct lab *lab, const struct holding_shape *from, unsigned k,
                            bool as_plan)
{
    int64_t more = from->sized ? (int64_t)k << 19 : 0;
    struct sl_holding holding = {
        from->kind, from->domain, ((int64_t)from->mib << 20) + more, {SL_NONE}, false};
    struct sl_object object = sl_object_default();
    struct sl_names names = {0};
    char text[48], name[16];
    uint32_t h;
    if (as_plan && from->sized) {
        snprintf(name, sizeof name, "o%u", (unsigned)lab->graph->object_count);
        object.name = name;
        (void)sl_names_add(&names, "number");
        snprintf(text, sizeof text, "%uMiB + 512KiB * number", from->mib);
        LAB_OK(lab, sl_expr_parse(&object.size, text, SL_EXPR_BYTES, &names, (struct sl_place){0},
                                  &lab->arena, &lab->err));
        LAB_OK(lab, sl_graph_add_object(lab->graph, &object, &holding.object, &lab->err));
        sl_names_free(&names);
    }
    LAB_OK(lab, sl_graph_add_holding(lab->graph, &holding, &h, &lab->err));
    return h;
}

/* Node i of job k is index(i, k) = i x jobs + k; the plan is the case of one job. */
static void build_job(struct lab *lab, const struct shape *s, unsigned jobs, unsigned k,
                      bool as_plan)
{
    for (unsigned i = 0; i < s->nodes; i++)
        for (unsigned e = 0; e < s->node[i].preds; e++)
            lab_edge_typed(lab, s->node[i].pred[e] * jobs + k, i * jobs + k, s->node[i].type[e],
                           (int64_t)s->node[i].lag_us[e] * US);
    for (unsigned h = 0; h < s->holdings; h++) {
        const struct holding_shape *from = &s->holding[h];
        uint32_t holding = add_holding(lab, from, k, as_plan);
        lab_takes(lab, from->taker * jobs + k, holding);
        if (from->second_taker != SL_NONE && from->second_taker != from->taker)
            lab_takes(lab, from->second_taker * jobs + k, holding);
        lab_gives(lab, from->giver * jobs + k, holding);
    }
}

static void build(struct lab *lab, const struct shape *s, bool as_plan)
{
    unsigned jobs = as_plan ? 1 : s->jobs;
    build_machine(lab, s, as_plan);
    for (unsigned i = 0; i < s->nodes; i++)
        for (unsigned k = 0; k < jobs; k++)
            build_node(lab, s, i, k, as_plan ? -1 : s->arrival[k]);
    for (unsigned k = 0; k < jobs; k++)
        build_job(lab, s, jobs, k, as_plan);
    if (s->initial) { /* one for all, which the first node asks for in vain */
        uint32_t h = lab_holding(lab, SL_HOLD_OBJECT, 0, INT64_C(3) << 20, true);
        for (unsigned k = 0; k < jobs; k++)
            lab_takes(lab, k, h);
    }
    LAB_OK(lab, sl_graph_finish(lab->graph, &lab->err));
}

/* ---- comparison ------------------------------------------------------------------------------ */

struct watched {
    const struct shape *shape;
    const struct sl_jobs_worker *worker;
    unsigned next;
};

static enum sl_status next_arrival(void *user, struct sl_job_arrival *arrival, bool *more,
                                   struct sl_error *err)
{
    static double parameter;
    struct watched *watched = user;
    (void)err;
    *more = watched->next < watched->shape->jobs;
    parameter = watched->next;
    if (*more)
        *arrival = (struct sl_job_arrival){
            watched->shape->arrival[watched->next++], &parameter, NULL, 0, {0}};
    return SL_OK;
}

static enum sl_status note_job(void *user, const struct sl_job_record *record, struct sl_error *err)
{
    struct watched *watched = user;
    const struct sl_jobs_worker *w = watched->worker;
    uint64_t k = record->job;
    (void)err;
    if (record->parameters[0] != (double)k)
        ck_abort_msg("case %llu: job %u has the parameter of job %g", (unsigned long long)seed,
                     (unsigned)k, record->parameters[0]);
    const struct job_run *runs = job_runs(w, &w->jobs[record->parameters - w->parameters]);
    for (unsigned i = 0; i < watched->shape->nodes; i++) {
        ran[i][k] = runs[i];
        if (record->mark_ps[i] != (runs[i].skip ? -1 : runs[i].finish))
            ck_abort_msg("case %llu: mark %u of job %u", (unsigned long long)seed, i, (unsigned)k);
    }
    ended[k] = true;
    bypassed[k] = record->bypassed;
    return SL_OK;
}

/* Whoever made it ready, if it started then; what it waited for, if it did not. */
static bool same_cause(const struct shape *s, const struct job_run *run, const struct sl_trial *t,
                       unsigned at)
{
    if (run->start > run->ready)
        return run->fail == t->cause[at];
    if (run->behind == SL_NONE) /* the arrival is a release there, or nothing at time 0 */
        return t->behind[at] == SL_NONE;
    return run->cause == t->cause[at] && t->behind[at] == run->behind * s->jobs + at % s->jobs;
}

static bool same_run(const struct shape *s, const struct job_run *run, const struct sl_trial *t,
                     unsigned at)
{
    if (run->skip != (t->state[at] == SL_SKIPPED) || run->finish != t->finish_ps[at])
        return false;
    return run->skip || (run->start == t->start_ps[at] && run->ready == t->ready_ps[at] &&
                         same_cause(s, run, t, at));
}

static void compare_job(const struct shape *s, const struct sl_trial *trial, unsigned k)
{
    uint64_t passed = 0;
    for (unsigned i = 0; i < s->nodes; i++) {
        unsigned at = i * s->jobs + k;
        if (!same_run(s, &ran[i][k], trial, at))
            ck_abort_msg("case %llu: node %u of job %u starts at %lld, not %lld",
                         (unsigned long long)seed, i, k, (long long)ran[i][k].start,
                         (long long)trial->start_ps[at]);
        passed += trial->bypassed[at];
    }
    if (bypassed[k] != passed)
        ck_abort_msg("case %llu: job %u bypassed %llu times, not %llu", (unsigned long long)seed, k,
                     (unsigned long long)bypassed[k], (unsigned long long)passed);
}

#define SAME(what, a, b)                                                                           \
    do {                                                                                           \
        if ((a) != (b))                                                                            \
            ck_abort_msg("case %llu: %s", (unsigned long long)seed, what);                         \
    } while (0)
#define NEAR(what, a, b)                                                                           \
    do {                                                                                           \
        if (!((a) - (b) <= 1e-12 + 1e-9 * (b) && (b) - (a) <= 1e-12 + 1e-9 * (b)))                 \
            ck_abort_msg("case %llu: %s: %g, %g", (unsigned long long)seed, what, (double)(a),     \
                         (double)(b));                                                             \
    } while (0)

static void compare_totals(const struct shape *s, const struct sl_jobs_totals *totals,
                           const struct sl_trial *trial)
{
    SAME("end", totals->end_ps > trial->makespan_ps, false);
    SAME("bypasses", totals->bypasses, trial->bypasses);
    SAME("hypothetical", totals->hypothetical, trial->hypothetical);
    for (unsigned r = 0; r < s->resources; r++)
        SAME("busy time", totals->busy_ps[r], trial->busy_ps[r]);
    for (unsigned m = 0; m < DOMAINS; m++) {
        SAME("peak", totals->peak_bytes[m], trial->peak_bytes[m]);
        NEAR("staging", totals->staging_byte_s[m], trial->staging_byte_s[m]);
    }
    for (unsigned c = 0; c < s->classes; c++) {
        SAME("class time", totals->class_busy_ps[c], trial->class_busy_ps[c]);
        for (unsigned d = 0; d < s->classes; d++)
            SAME("overlap", totals->overlap_ps[c * s->classes + d],
                 trial->overlap_ps[c * s->classes + d]);
    }
    double units[MOST_RESOURCES] = {0};
    for (unsigned i = 0; i < s->nodes; i++) {
        int64_t wait = 0, most = 0;
        uint64_t runs = 0, starved = 0;
        for (unsigned k = 0, at = i * s->jobs; k < s->jobs; k++, at++) {
            if (trial->state[at] != SL_RAN)
                continue;
            int64_t own = trial->start_ps[at] - trial->ready_ps[at];
            runs++;
            wait += own;
            most = own > most ? own : most;
            starved += own > BOUND;
            for (unsigned d = 0; d < s->node[i].demands; d++)
                units[s->node[i].resource[d]] +=
                    s->node[i].units[d] * (double)(trial->free_ps[at] - trial->start_ps[at]) *
                    1e-12;
        }
        SAME("wait of a node", totals->node_wait_ps[i], wait);
        SAME("longest wait of a node", totals->node_wait_most_ps[i], most);
        SAME("waits beyond the bound", totals->node_starved[i], starved);
        SAME("runs of a node", totals->node_runs[i], runs);
        SAME("skips of a node", totals->node_skips[i], s->jobs - runs);
    }
    for (unsigned r = 0; r < s->resources; r++)
        NEAR("units in use", totals->unit_s[r], units[r]);
}

struct seen {
    unsigned deadlocks, waits, bypasses, skips, contended, random, sized;
};

static void note(struct seen *seen, const struct shape *s, const struct sl_jobs_totals *totals,
                 const struct sl_jobs_program *program)
{
    seen->deadlocks += totals->outcome == SL_DEADLOCK;
    for (unsigned i = 0; i < s->nodes; i++) {
        seen->waits += totals->node_wait_ps[i] > 0;
        seen->skips += totals->node_skips[i] > 0;
    }
    seen->bypasses += totals->bypasses > 0;
    seen->contended += program->base->cell_count > 0;
    seen->random += s->random;
    for (uint32_t q = 0; q < program->queue_count; q++)
        seen->sized += program->queues[q].domain != SL_NONE &&
                       totals->node_wait_ps[program->queues[q].node] > 0;
}

/* Of a deadlock, the draws of jobs that never ended are not known: then nothing may be random. */
static void compare_all(const struct shape *s, const struct sl_jobs_totals *totals, bool guarded)
{
    if (totals->outcome == SL_DEADLOCK && (s->random || guarded))
        return;
    build(&unrolled, s, false);
    const struct sl_trial *trial = lab_run(&unrolled, 1, 0);
    SAME("outcome", totals->outcome, trial->outcome);
    for (unsigned k = 0; k < s->jobs; k++) {
        if (ended[k])
            compare_job(s, trial, k);
        else
            SAME("a job that did not end", totals->outcome, SL_DEADLOCK);
    }
    if (totals->outcome == SL_DONE)
        compare_totals(s, totals, trial);
    lab_close(&unrolled);
}

static void compare(const struct shape *s, struct seen *seen)
{
    uint32_t marks[MOST_NODES] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    struct sl_jobs_options options = {
        .marks = marks, .mark_count = s->nodes, .parameter_count = 1, .bound_ps = BOUND};
    struct sl_jobs_program *program;
    struct sl_jobs_worker *worker;
    const struct sl_jobs_totals *totals;
    bool guarded = false;
    for (unsigned i = 0; i < s->nodes; i++)
        guarded |= s->node[i].guarded;
    build(&plan, s, true);
    struct watched watched = {.shape = s};
    const struct sl_job_source source = {next_arrival, &watched};
    LAB_OK(&plan, sl_jobs_program_create(&program, plan.graph, &options, &plan.err));
    LAB_OK(&plan, sl_jobs_worker_create(&worker, program, &plan.err));
    program->lone = false; /* which keeps less of its runs: test_jobs.c compares the two ways */
    watched.worker = worker;
    for (unsigned again = 0; again < 2; again++) { /* a worker forgets what it did before */
        watched.next = 0;
        memset(ended, 0, sizeof ended);
        LAB_OK(&plan,
               sl_jobs_run(worker, seed, again, &source, note_job, &watched, &totals, &plan.err));
        compare_all(s, totals, guarded);
    }
    note(seen, s, totals, program);
    sl_jobs_worker_free(worker);
    sl_jobs_program_free(program);
    lab_close(&plan);
}

START_TEST(jobs_are_an_unrolled_graph)
{
    struct seen seen = {0};
    for (seed = 1; seed <= CASES; seed++) {
        struct shape s = draw_case(seed);
        compare(&s, &seen);
    }
    /* The comparison means something. */
    ck_assert_uint_gt(seen.deadlocks, CASES / 200);
    ck_assert_uint_lt(seen.deadlocks, CASES / 2);
    ck_assert_uint_gt(seen.waits, CASES / 2);
    ck_assert_uint_gt(seen.bypasses, CASES / 20);
    ck_assert_uint_gt(seen.skips, CASES / 20);
    ck_assert_uint_gt(seen.contended, CASES / 4);
    ck_assert_uint_gt(seen.random, CASES / 4);
    ck_assert_uint_gt(seen.sized, CASES / 10); /* waits of nodes whose bytes the job says */
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("jobs, unrolled");
    TCase *tcase = tcase_create("random cases");
    tcase_set_timeout(tcase, 600);
    tcase_add_test(tcase, jobs_are_an_unrolled_graph);
    suite_add_tcase(suite, tcase);
    return sl_test_run(suite);
}

/* Changed copies: each agrees, trial by trial, with a scenario whose files say the changed numbers,
 * and leaves the original alone.  Factors are powers of two times small integers, so that both ways
 * of writing a number round alike. */
#include <config.h>

#include "change.h"
#include "planlab.h"
#include <math.h>

enum { TRIALS = 200 };

/* What a change touches, written out: durations of class x, the route from pinned to hbm, a lag,
 * kappa of x beside y, the capacity of hbm. */
struct numbers {
    const char *x_mean, *bandwidth, *overhead, *latency, *lag, *kappa, *capacity;
};
static const struct numbers before = {"10us", "25GB/s", "2us", "4us", "10us", "1.5", "4096MiB"};

static void open_scenario(struct planlab *lab, const struct numbers *n)
{
    static char yaml[2000], nodes[2000], edges[200];
    snprintf(yaml, sizeof yaml,
             "name: change\nnodes: nodes.csv\nobjects: objects.csv\nedges: edges.csv\n"
             "resources: {gpu: {servers: 2, group: all}, in: {servers: 1}}\n"
             "domains: {hbm: {capacity: %s, reserve: 0B}, pinned: {capacity: 8GiB, reserve: 0B}}\n"
             "routes: [{from: pinned, to: hbm, resource: in, class: copy, bandwidth: %s, "
             "overhead: %s, latency: %s}]\n"
             "kappa: {rule: additive, table: kappa.csv, unknown_kappa: 1}\n"
             "policies: [{name: p, action: retain, prefetch: demand}]\n"
             "baseline: p\ntrials: 1\nseed: 1\n",
             n->capacity, n->bandwidth, n->overhead, n->latency);
    snprintf(nodes, sizeof nodes,
             "node,kind,class,resource,duration,inputs,workspace\n"
             "a,compute,x,gpu,exponential(mean=%s),w0,hbm:1GiB\n"
             "b,compute,y,gpu,exponential(mean=20us),w1,hbm:1GiB\n"
             "c,compute,x,gpu,exponential(mean=%s),w2,hbm:1GiB\n"
             "d,compute,y,gpu,exponential(mean=20us),,hbm:1GiB\n",
             n->x_mean, n->x_mean);
    snprintf(edges, sizeof edges, "from,to,type,lag\na,d,ordering,%s\n", n->lag);
    char kappa[200];
    snprintf(kappa, sizeof kappa, "victim,set,kappa\nx,y,%s\ny,x,1.25\n", n->kappa);
    memset(lab, 0, sizeof *lab);
    tempdir_make(&lab->dir);
    tempdir_write(&lab->dir, "scenario.yaml", yaml);
    tempdir_write(&lab->dir, "nodes.csv", nodes);
    tempdir_write(&lab->dir, "edges.csv", edges);
    tempdir_write(&lab->dir, "kappa.csv", kappa);
    tempdir_write(&lab->dir, "objects.csv",
                  "object,size,home,placements,initial\nw0,500kB,hbm,hbm;pinned,pinned\n"
                  "w1,500kB,hbm,hbm;pinned,pinned\nw2,500kB,hbm,hbm;pinned,pinned\n");
    enum sl_status status =
        sl_scenario_load(&lab->scenario, lab->dir.path, NULL, 0, &lab->diags, &lab->err);
    ck_assert_msg(status == SL_OK, "%s", lab->err.message);
    (void)planlab_plan(lab, "p");
}

static void run(const struct sl_graph *graph, const struct sl_engine_options *engine,
                int64_t makespan_ps[TRIALS])
{
    struct sl_program *program = NULL;
    struct sl_worker *worker = NULL;
    struct sl_error err = {0};
    const struct sl_trial *trial;
    ck_assert_msg(sl_program_create(&program, graph, engine, &err) == SL_OK, "%s", err.message);
    ck_assert_msg(sl_worker_create(&worker, program, &err) == SL_OK, "%s", err.message);
    for (uint32_t t = 0; t < TRIALS; t++) {
        ck_assert_msg(sl_worker_run(worker, 1, t, 0, &trial, &err) == SL_OK, "%s", err.message);
        makespan_ps[t] = trial->makespan_ps;
    }
    sl_worker_free(worker);
    sl_program_free(program);
}

static uint32_t name_of(const struct sl_names *names, const char *name)
{
    uint32_t i = sl_names_find(names, name);
    ck_assert_uint_ne(i, SL_NONE);
    return i;
}

/* The factors of one case, in the order of `numbers`; a route has one for three of these. */
struct factors {
    double x, route, lag, kappa, capacity;
};

static void set_factors(struct sl_change *change, const struct sl_platform *platform,
                        const struct factors *f)
{
    change->classes[name_of(&platform->kappa.classes, "x")] = f->x;
    change->routes[0] = f->route;
    change->lags[SL_EDGE_ORDERING] = f->lag;
    change->kappas[0] = f->kappa;
    change->capacities[name_of(&platform->domain_names, "hbm")] = f->capacity;
}

static const struct {
    struct numbers after;
    struct factors factors;
} cases[] = {
    {{"10us", "25GB/s", "2us", "4us", "10us", "1.5", "4096MiB"}, {1, 1, 1, 1, 1}},
    {{"20us", "25GB/s", "2us", "4us", "10us", "1.5", "4096MiB"}, {2, 1, 1, 1, 1}},
    {{"10us", "12.5GB/s", "4us", "8us", "10us", "1.5", "4096MiB"}, {1, 2, 1, 1, 1}},
    {{"10us", "25GB/s", "2us", "4us", "12.5us", "1.5", "4096MiB"}, {1, 1, 1.25, 1, 1}},
    {{"10us", "25GB/s", "2us", "4us", "10us", "1.875", "4096MiB"}, {1, 1, 1, 1.25, 1}},
    {{"10us", "25GB/s", "2us", "4us", "10us", "1", "4096MiB"}, {1, 1, 1, 0.5, 1}},
    {{"10us", "25GB/s", "2us", "4us", "10us", "1.5", "1536MiB"}, {1, 1, 1, 1, 0.375}},
    {{"5us", "50GB/s", "1us", "2us", "5us", "3", "1536MiB"}, {0.5, 0.5, 0.5, 2, 0.375}},
};

START_TEST(agrees_with_edited_files)
{
    struct planlab lab, edited;
    open_scenario(&lab, &before);
    open_scenario(&edited, &cases[_i].after);
    const struct sl_graph *plan = lab.plan.graph;
    struct sl_change change;
    struct sl_changed changed;
    static int64_t base[TRIALS], again[TRIALS], x[TRIALS], y[TRIALS];
    run(plan, &lab.plan.engine, base);
    ck_assert(sl_change_init(&change, plan->platform, &lab.err) == SL_OK);
    set_factors(&change, plan->platform, &cases[_i].factors);
    ck_assert_msg(sl_changed_make(&changed, plan, &change, &lab.err) == SL_OK, "%s",
                  lab.err.message);
    run(changed.graph, &lab.plan.engine, x);
    run(edited.plan.graph, &edited.plan.engine, y);
    ck_assert_mem_eq(x, y, sizeof x);
    run(plan, &lab.plan.engine, again);
    ck_assert_mem_eq(base, again, sizeof base);
    /* Every case but the first is one that can be told from the original. */
    ck_assert_int_eq(memcmp(base, x, sizeof base) == 0, _i == 0);
    sl_changed_free(&changed);
    sl_change_free(&change);
    planlab_close(&edited);
    planlab_close(&lab);
}
END_TEST

/* This policy's plan does not depend on durations: planning on the changed scenario gives the plan
 * of the original, changed. */
START_TEST(replanning_moves_at_the_changed_speed)
{
    struct planlab lab;
    open_scenario(&lab, &before);
    static int64_t kept_ps[TRIALS], replanned_ps[TRIALS];
    struct sl_change change;
    struct sl_changed kept, changed;
    struct sl_plan plan;
    ck_assert(sl_change_init(&change, lab.plan.graph->platform, &lab.err) == SL_OK);
    set_factors(&change, lab.plan.graph->platform, &(struct factors){2, 0.5, 1, 1, 1});
    change.classes[name_of(&lab.scenario.platform.kappa.classes, "copy")] = 4;
    ck_assert(sl_changed_make(&kept, lab.plan.graph, &change, &lab.err) == SL_OK);
    ck_assert(sl_changed_make(&changed, lab.scenario.graph, &change, &lab.err) == SL_OK);
    struct sl_scenario view = sl_changed_scenario(&lab.scenario, &changed);
    ck_assert(sl_policy_plan(&plan, &view, &view.policies[0], &lab.diags, &lab.err) == SL_OK);
    run(kept.graph, &lab.plan.engine, kept_ps);
    run(plan.graph, &plan.engine, replanned_ps);
    ck_assert_mem_eq(kept_ps, replanned_ps, sizeof kept_ps);
    sl_plan_free(&plan);
    sl_changed_free(&changed);
    sl_changed_free(&kept);
    sl_change_free(&change);
    planlab_close(&lab);
}
END_TEST

START_TEST(refuses_what_is_no_factor)
{
    static const double wrong[] = {-0.5, (double)NAN, (double)INFINITY};
    struct planlab lab;
    open_scenario(&lab, &before);
    struct sl_change change;
    ck_assert(sl_change_init(&change, lab.plan.graph->platform, &lab.err) == SL_OK);
    double *places[] = {&change.classes[0], &change.routes[0], &change.lags[0], &change.kappas[0],
                        &change.capacities[0]};
    for (size_t p = 0; p < sizeof places / sizeof *places; p++)
        for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
            struct sl_changed changed;
            sl_change_reset(&change, lab.plan.graph->platform);
            *places[p] = wrong[k];
            ck_assert_int_eq(sl_changed_make(&changed, lab.plan.graph, &change, NULL), SL_INVALID);
            sl_changed_free(&changed);
        }
    /* 10us times 1e12 is 115 days. */
    struct sl_changed changed;
    sl_change_reset(&change, lab.plan.graph->platform);
    change.lags[SL_EDGE_ORDERING] = 1e12;
    ck_assert_int_eq(sl_changed_make(&changed, lab.plan.graph, &change, NULL), SL_INVALID);
    sl_changed_free(&changed);
    sl_change_free(&change);
    planlab_close(&lab);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("change");
    TCase *tests = tcase_create("change");
    tcase_add_loop_test(tests, agrees_with_edited_files, 0, sizeof cases / sizeof *cases);
    tcase_add_test(tests, replanning_moves_at_the_changed_speed);
    tcase_add_test(tests, refuses_what_is_no_factor);
    suite_add_tcase(suite, tests);
    return sl_test_run(suite);
}

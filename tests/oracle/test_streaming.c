/* Streaming the weights of L layers through memory, by policies and the engine.
 *
 * Weights begin in pinned memory; layer i computes for c once its weights are in hbm; fetching
 * takes f on one copy engine.  With two buffers and the fetch of the next layer beside the
 * computation:
 *
 *     makespan = f + (L - 1) max(c, f) + c,          on demand: L (c + f)
 */
#include <config.h>

#include "planlab.h"

#define LAYERS 8
#define MS     INT64_C(1000000000)

/* Weights of 1 GiB; bandwidth chosen so that a fetch takes `fetch_ms`. */
static int64_t makespan(const char *policy, int compute_ms, int fetch_ms, int buffers)
{
    char yaml[2000], nodes[1000] = "node,kind,resource,lane,duration,inputs\n",
                     objects[1000] = "object,size,home,initial\n";
    for (int i = 0; i < LAYERS; i++) {
        snprintf(nodes + strlen(nodes), sizeof nodes - strlen(nodes),
                 "layer%d,compute,compute,s,%dms,w%d\n", i, compute_ms, i);
        snprintf(objects + strlen(objects), sizeof objects - strlen(objects),
                 "w%d,1GiB,hbm,pinned\n", i);
    }
    /* 1000/f GiB/s brings 1 GiB in f ms; f divides 1000. */
    snprintf(yaml, sizeof yaml,
             "name: stream\nnodes: nodes.csv\nobjects: objects.csv\n"
             "resources: {compute: {servers: 1}, h2d: {servers: 1}}\n"
             "domains: {hbm: {capacity: %dGiB, reserve: 0B}, pinned: {capacity: 16GiB, reserve: "
             "0B}}\n"
             "routes: [{from: pinned, to: hbm, resource: h2d, bandwidth: %dGiB/s}]\n"
             "objective: {metric: makespan, tail: 0.99}\ntrials: 1\nseed: 1\n"
             "policies:\n"
             "  - {name: demand, action: offload, prefetch: demand}\n"
             "  - {name: ahead, action: offload, prefetch: {when: lookahead, lookahead: 1}}\n"
             "  - {name: asap, action: offload, prefetch: asap}\n"
             "  - {name: window, action: offload, prefetch: window}\n"
             "  - {name: retain, action: retain}\n",
             buffers, 1000 / fetch_ms);
    struct planlab lab;
    struct sl_program *program;
    struct sl_worker *worker;
    const struct sl_trial *trial;
    planlab_open(&lab, yaml, nodes, objects);
    planlab_plan(&lab, policy);
    ck_assert_int_eq(sl_program_create(&program, lab.plan.graph, &lab.plan.engine, &lab.err),
                     SL_OK);
    ck_assert_int_eq(sl_worker_create(&worker, program, &lab.err), SL_OK);
    ck_assert_int_eq(sl_worker_run(worker, 1, 0, 0, &trial, &lab.err), SL_OK);
    ck_assert_int_eq(trial->outcome, SL_DONE);
    int64_t result = trial->makespan_ps;
    sl_worker_free(worker);
    sl_program_free(program);
    planlab_close(&lab);
    return result;
}

static const struct {
    int compute_ms, fetch_ms;
} cases[] = {{10, 4}, {4, 10}, {10, 10}, {25, 20}, {1, 50}};

START_TEST(test_double_buffering)
{
    int64_t c = cases[_i].compute_ms, f = cases[_i].fetch_ms, slower = c > f ? c : f;
    int64_t expected = (f + (LAYERS - 1) * slower + c) * MS;
    ck_assert_int_eq(makespan("ahead", (int)c, (int)f, 2), expected);
    /* Two buffers hold back what lookahead would not. */
    ck_assert_int_eq(makespan("asap", (int)c, (int)f, 2), expected);
    /* As early as there is room is just one layer ahead. */
    ck_assert_int_eq(makespan("window", (int)c, (int)f, 2), expected);
}
END_TEST

START_TEST(test_on_demand)
{
    int64_t c = cases[_i].compute_ms, f = cases[_i].fetch_ms;
    ck_assert_int_eq(makespan("demand", (int)c, (int)f, 2), LAYERS * (c + f) * MS);
    ck_assert_int_eq(makespan("retain", (int)c, (int)f, 1), LAYERS * (c + f) * MS);
    /* One buffer makes every policy wait for it. */
    ck_assert_int_eq(makespan("asap", (int)c, (int)f, 1), LAYERS * (c + f) * MS);
    ck_assert_int_eq(makespan("window", (int)c, (int)f, 1), LAYERS * (c + f) * MS);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("streaming");
    TCase *tc = tcase_create("oracle");
    int count = (int)(sizeof cases / sizeof cases[0]);
    tcase_add_loop_test(tc, test_double_buffering, 0, count);
    tcase_add_loop_test(tc, test_on_demand, 0, count);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}

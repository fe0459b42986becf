/* Selection chain-optimal against all subsets, on chains whose nodes take much longer than copies.
 *
 * f_0 .. f_(n-1), then b_(n-1) .. b_0, 100 ms each; x_t is written by f_t and read by f_(t+1) and
 * b_t.  Copies take at most 6 ms: x_t is out before f_(t+2) starts and comes back while b_(t+1)
 * runs, so that an object that leaves relieves f_(t+2) .. b_(t+2) and nothing else.  All copies are
 * of one speed: the least cost is the least number of bytes that leave. */
#include <config.h>

#include "dice.h"
#include "planlab.h"

#define STAGES 8

/* Bytes at a place 0 .. 2n - 1 when the objects of the set have left. */
static int level(const int *size, int n, int place, unsigned away)
{
    int stage = place < n ? place : 2 * n - 1 - place, sum = 0;
    for (int t = 0; t <= stage; t++)
        sum += away >> t & 1 && stage >= t + 2 ? 0 : size[t];
    return sum;
}

/* The least bytes that leave so that all places keep the capacity; -1: none are enough. */
static int least_bytes(const int *size, int n, int capacity)
{
    int least = -1;
    for (unsigned away = 0; away < 1u << n; away++) {
        int bytes = 0;
        bool fits = true;
        for (int t = 0; t < n; t++)
            bytes += away >> t & 1 ? size[t] : 0;
        for (int place = 0; place < 2 * n; place++)
            fits &= level(size, n, place, away) <= capacity;
        if (fits && (least < 0 || bytes < least))
            least = bytes;
    }
    return least;
}

static void open_chain(struct planlab *lab, const int *size, int n, int capacity)
{
    char nodes[2000], objects[1000], yaml[1000];
    snprintf(nodes, sizeof nodes, "node,kind,resource,lane,duration,inputs,outputs\n");
    snprintf(objects, sizeof objects, "object,size,home,placements\n");
    for (int t = 0; t < n; t++) {
        char input[20] = "";
        if (t > 0)
            snprintf(input, sizeof input, "x%d", t - 1);
        snprintf(nodes + strlen(nodes), sizeof nodes - strlen(nodes),
                 "f%d,compute,compute,s,100ms,%s,x%d\n", t, input, t);
        snprintf(objects + strlen(objects), sizeof objects - strlen(objects),
                 "x%d,%dMiB,hbm,hbm;pinned\n", t, size[t]);
    }
    for (int t = n - 1; t >= 0; t--)
        snprintf(nodes + strlen(nodes), sizeof nodes - strlen(nodes),
                 "b%d,compute,compute,s,100ms,x%d,\n", t, t);
    snprintf(
        yaml, sizeof yaml,
        "name: chain\nnodes: nodes.csv\nobjects: objects.csv\n"
        "resources: {compute: {servers: 1}, h2d: {servers: 1}, d2h: {servers: 1}}\n"
        "domains: {hbm: {capacity: %dMiB, reserve: 0B}, pinned: {capacity: 1GiB, reserve: 0B}}\n"
        "routes:\n  - {from: hbm, to: pinned, resource: d2h, bandwidth: 10000MiB/s}\n"
        "  - {from: pinned, to: hbm, resource: h2d, bandwidth: 10000MiB/s}\n"
        "objective: {metric: makespan, tail: 0.99}\ntrials: 1\nseed: 1\npolicies:\n"
        "  - {name: least, action: offload, select: chain-optimal}\n",
        capacity);
    planlab_open(lab, yaml, nodes, objects);
}

static int bytes_moved(const struct planlab *lab, const int *size, int n)
{
    int sum = 0;
    for (int t = 0; t < n; t++) {
        char name[30];
        snprintf(name, sizeof name, "offload:x%d", t);
        sum += planlab_has(lab->plan.graph, name) ? size[t] : 0;
    }
    return sum;
}

START_TEST(test_least_bytes_leave)
{
    struct dice dice = {.state = (uint64_t)_i + 1};
    int size[STAGES], n = 4 + (int)dice_below(&dice, STAGES - 3), all = 0;
    for (int t = 0; t < n; t++)
        all += size[t] = 1 + (int)dice_below(&dice, 50);
    int largest = 0;
    for (int t = 0; t < n; t++)
        largest = size[t] > largest ? size[t] : largest;
    for (int capacity = 2 * largest + 1; capacity <= all; capacity += 7) {
        struct planlab lab;
        struct planlab_run run;
        int least = least_bytes(size, n, capacity);
        open_chain(&lab, size, n, capacity);
        planlab_plan(&lab, "least");
        ck_assert_int_eq(planlab_warned(&lab, "does-not-fit"), least < 0);
        if (least >= 0) {
            ck_assert_int_eq(bytes_moved(&lab, size, n), least);
            ck_assert_int_eq(planlab_trial(&lab, &run)->outcome, SL_DONE);
            planlab_end(&run);
        }
        planlab_close(&lab);
    }
}
END_TEST

/* x0 comes back behind x1, which left behind it. */
START_TEST(test_gaps_that_cross)
{
    struct planlab lab;
    planlab_open(&lab,
                 "name: cross\nnodes: nodes.csv\nobjects: objects.csv\n"
                 "resources: {compute: {servers: 1}, h2d: {servers: 1}, d2h: {servers: 1}}\n"
                 "domains: {hbm: {capacity: 3GiB, reserve: 0B}, pinned: {capacity: 9GiB, reserve: "
                 "0B}}\n"
                 "routes:\n  - {from: hbm, to: pinned, resource: d2h, bandwidth: 100GiB/s}\n"
                 "  - {from: pinned, to: hbm, resource: h2d, bandwidth: 100GiB/s}\n"
                 "objective: {metric: makespan, tail: 0.99}\ntrials: 1\nseed: 1\npolicies:\n"
                 "  - {name: p, action: offload, select: chain-optimal}\n",
                 "node,kind,resource,lane,duration,inputs,outputs\n"
                 "f0,compute,compute,s,9ms,,x0\nf1,compute,compute,s,9ms,,x1\n"
                 "f2,compute,compute,s,9ms,,x2\nf3,compute,compute,s,9ms,x2,x3\n"
                 "b0,compute,compute,s,9ms,x0,\nb1,compute,compute,s,9ms,x1;x3,\n",
                 "object,size,home,placements\nx0,1GiB,hbm,hbm;pinned\nx1,1GiB,hbm,hbm;pinned\n"
                 "x2,1GiB,hbm,hbm;pinned\nx3,1GiB,hbm,hbm;pinned\n");
    ck_assert_int_eq(
        sl_policy_plan(&lab.plan, &lab.scenario, &lab.scenario.policies[0], &lab.diags, &lab.err),
        SL_NO);
    ck_assert_msg(strstr(lab.err.message, "'x1' comes back behind") != NULL, "%s", lab.err.message);
    planlab_close(&lab);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("chain select");
    TCase *tc = tcase_create("oracle");
    tcase_set_timeout(tc, 0);
    tcase_add_loop_test(tc, test_least_bytes_leave, 0, sl_test_long() ? 40 : 4);
    tcase_add_test(tc, test_gaps_that_cross);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}

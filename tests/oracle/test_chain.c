/* Recomputation on chains: action chain-optimal against closed forms and an independent search.
 *
 * The chain: f_i reads x_(i-1) and writes x_i; b_i reads x_i, from the last to the first.  x_0 is
 * there from f_0 on and cannot be recomputed.
 *
 *     revolve (Griewank and Walther): n stages reversed with s snapshots, x_0 among them, take
 *     t n - beta(s+1, t-1) advances, beta(s,t) = C(s+t, s), t the least with beta(s,t) >= n
 *
 * Stage j needs x_(j-1): n states x_0 .. x_(n-1), so n - 1 advances in the forward pass, and the
 * rest is recomputed.  Snapshots without x_0, and the state that is worked on, are s slots. */
#include <config.h>

#include "planlab.h"

#define MS INT64_C(1000000000)

/* Costs in ms and sizes in MiB by state; NULL: 1 each. */
static void open_chain(struct planlab *lab, int states, const int *costs, const char *capacity,
                       const char *policies)
{
    static char nodes[20000], objects[20000], yaml[4000];
    snprintf(nodes, sizeof nodes, "node,kind,resource,lane,duration,inputs,outputs\n");
    snprintf(objects, sizeof objects, "object,size,home,reconstruct,equivalence\n");
    for (int i = 0; i < states; i++) {
        char input[20] = "", maker[40] = ",";
        if (i > 0) {
            snprintf(input, sizeof input, "x%d", i - 1);
            snprintf(maker, sizeof maker, "f%d,bitwise", i);
        }
        snprintf(nodes + strlen(nodes), sizeof nodes - strlen(nodes),
                 "f%d,compute,compute,s,%dms,%s,x%d\n", i, costs ? costs[i] : 1, input, i);
        snprintf(objects + strlen(objects), sizeof objects - strlen(objects), "x%d,1GiB,hbm,%s\n",
                 i, maker);
    }
    for (int i = states - 1; i >= 0; i--)
        snprintf(nodes + strlen(nodes), sizeof nodes - strlen(nodes),
                 "b%d,compute,compute,s,1ms,x%d,\n", i, i);
    snprintf(yaml, sizeof yaml,
             "name: chain\nnodes: nodes.csv\nobjects: objects.csv\n"
             "resources: {compute: {servers: 1}}\ndomains: {hbm: {%sreserve: 0B}}\n"
             "objective: {metric: makespan, tail: 0.99}\ntrials: 1\nseed: 1\npolicies:\n%s",
             capacity, policies);
    planlab_open(lab, yaml, nodes, objects);
}

static int64_t makespan(struct planlab *lab, const char *policy)
{
    struct planlab_run run;
    planlab_plan(lab, policy);
    const struct sl_trial *trial = planlab_trial(lab, &run);
    ck_assert_msg(trial->outcome == SL_DONE, "%s", trial->deadlock);
    int64_t makespan_ps = trial->makespan_ps;
    planlab_end(&run);
    return makespan_ps;
}

/* ---- revolve ----------------------------------------------------------------------------------
 */

static int64_t beta(int s, int t)
{
    int64_t value = 1;
    for (int k = 1; k <= s; k++)
        value = value * (t + k) / k;
    return t < 0 ? 0 : value;
}

static int64_t fewest_advances(int n, int s)
{
    int t = 0;
    while (beta(s, t) < n)
        t++;
    return (int64_t)t * n - beta(s + 1, t - 1);
}

START_TEST(test_revolve_counts)
{
    static const char *const policies =
        "  - {name: s1, action: {how: chain-optimal, slots: 1}}\n"
        "  - {name: s2, action: {how: chain-optimal, slots: 2}}\n"
        "  - {name: s3, action: {how: chain-optimal, slots: 3}}\n"
        "  - {name: s4, action: {how: chain-optimal, slots: 4}}\n"
        "  - {name: s5, action: {how: chain-optimal, slots: 5}}\n"
        "  - {name: s6, action: {how: chain-optimal, slots: 6}}\n"
        "  - {name: s7, action: {how: chain-optimal, slots: 7}}\n"
        "  - {name: s8, action: {how: chain-optimal, slots: 8}}\n"
        "  - {name: s9, action: {how: chain-optimal, slots: 9}}\n"
        "  - {name: s10, action: {how: chain-optimal, slots: 10}}\n";
    int n = _i;
    struct planlab lab;
    if (n == 10) /* the published value */
        ck_assert_int_eq(fewest_advances(10, 3), 15);
    open_chain(&lab, n, NULL, "", policies);
    for (int s = 1; s <= 10; s++) {
        char name[16];
        snprintf(name, sizeof name, "s%d", s);
        int64_t clones = fewest_advances(n, s) - (n - 1);
        ck_assert_msg(planlab_count(planlab_plan(&lab, name), "remat:") == clones,
                      "n = %d, s = %d: %u recomputations, not %lld", n, s,
                      planlab_count(lab.plan.graph, "remat:"), (long long)clones);
        ck_assert_int_eq(makespan(&lab, name), (2 * n + clones) * MS);
    }
    planlab_close(&lab);
}
END_TEST

/* ---- steps of different lengths, against a search over what is kept ----------------------------
 */

#define MOST 7

/* The least cost of serving states top .. 1 from the set `kept` of those that are there (bit t),
 * with at most `slots` of them at a time: by trying, at each point, to make any state behind any
 * kept one or to drop any.  Costs only fall with more states kept, so that Dijkstra's order is not
 * needed: relax until nothing changes. */
static int search(const int *costs, int top, int slots)
{
    static int least[MOST + 1][1 << (MOST + 1)];
    int sets = 1 << (top + 1);
    for (int t = 0; t <= top; t++)
        for (int kept = 0; kept < sets; kept++)
            least[t][kept] = 1 << 20;
    /* The forward pass may keep any set with the last state: its cost is not counted. */
    for (int kept = 0; kept < sets; kept++)
        if ((kept & 1) && (kept >> top & 1) && __builtin_popcount((unsigned)kept) - 1 <= slots)
            least[top][kept] = 0;
    for (int t = top; t > 0; t--) {
        for (bool changed = true; changed;) {
            changed = false;
            for (int kept = 0; kept < sets; kept++)
                for (int k = 1; k <= t; k++) {
                    int cost = least[t][kept], with = kept | 1 << k, without = kept & ~(1 << k);
                    int make = cost + costs[k];
                    /* State k moves on from k - 1, which may be dropped with the same step. */
                    bool there = kept >> (k - 1) & 1;
                    if (there && __builtin_popcount((unsigned)with) - 1 <= slots &&
                        make < least[t][with]) {
                        least[t][with] = make;
                        changed = true;
                    }
                    int moved = k > 1 ? with & ~(1 << (k - 1)) : with;
                    if (there && __builtin_popcount((unsigned)moved) - 1 <= slots &&
                        make < least[t][moved]) {
                        least[t][moved] = make;
                        changed = true;
                    }
                    if (cost < least[t][without]) {
                        least[t][without] = cost;
                        changed = true;
                    }
                }
        }
        for (int kept = 0; kept < sets; kept++) /* t is read and dropped */
            if ((kept >> t & 1) && least[t][kept] < least[t - 1][kept & ~(1 << t)])
                least[t - 1][kept & ~(1 << t)] = least[t][kept];
    }
    int best = 1 << 20;
    for (int kept = 0; kept < sets; kept++)
        best = least[0][kept] < best ? least[0][kept] : best;
    return best;
}

START_TEST(test_steps_of_different_lengths)
{
    static const char *const policies = "  - {name: s1, action: {how: chain-optimal, slots: 1}}\n"
                                        "  - {name: s2, action: {how: chain-optimal, slots: 2}}\n"
                                        "  - {name: s3, action: {how: chain-optimal, slots: 3}}\n";
    uint64_t state = (uint64_t)_i + 1;
    for (int round = 0; round < 10; round++) {
        int costs[MOST + 1], sum = 0, states = 3 + round % 6;
        for (int i = 0; i < states; i++) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            costs[i] = 1 + (int)((state >> 33) % 9);
            sum += costs[i];
        }
        struct planlab lab;
        open_chain(&lab, states, costs, "", policies);
        for (int s = 1; s <= 3; s++) {
            char name[16];
            snprintf(name, sizeof name, "s%d", s);
            ck_assert_int_eq(makespan(&lab, name),
                             (sum + states + search(costs, states - 1, s)) * MS);
        }
        planlab_close(&lab);
    }
}
END_TEST

/* ---- as much as fits --------------------------------------------------------------------------
 */

/* Ten states of 1 GiB, all of them if there is room or no bound; test_rotor.c has less room. */
START_TEST(test_all_fits)
{
    static const char *const policies = "  - {name: fit, action: chain-optimal}\n"
                                        "  - {name: s2, action: {how: chain-optimal, slots: 2}}\n";
    static const char *const capacities[] = {"capacity: 10GiB, ", ""};
    struct planlab lab;
    struct planlab_run run;
    open_chain(&lab, 10, NULL, capacities[_i], policies);
    planlab_plan(&lab, "fit");
    ck_assert(!planlab_warned(&lab, "does-not-fit"));
    const struct sl_trial *trial = planlab_trial(&lab, &run);
    ck_assert_int_eq(trial->outcome, SL_DONE);
    ck_assert_int_eq(trial->makespan_ps, 20 * MS);
    planlab_end(&run);
    ck_assert_int_eq(makespan(&lab, "s2"), (20 + fewest_advances(10, 2) - 9) * MS);
    planlab_close(&lab);
}
END_TEST

/* ---- what is not a chain ----------------------------------------------------------------------
 */

static const struct {
    const char *what, *nodes;
} others[] = {
    {"'x2' is made from another state than the one before", "f2,compute,compute,s,1ms,x1;x0,x2\n"
                                                            "f3,compute,compute,s,1ms,x2,x3\n"
                                                            "b3,compute,compute,s,1ms,x3,\n"
                                                            "b2,compute,compute,s,1ms,x2,\n"
                                                            "b1,compute,compute,s,1ms,x1,\n"
                                                            "b0,compute,compute,s,1ms,x0,\n"},
    {"'x1' is read by several nodes before the last state", "f2,compute,compute,s,1ms,x1,x2\n"
                                                            "g,compute,compute,s,1ms,x1,\n"
                                                            "f3,compute,compute,s,1ms,x2,x3\n"
                                                            "b3,compute,compute,s,1ms,x3,\n"
                                                            "b2,compute,compute,s,1ms,x2,\n"
                                                            "b1,compute,compute,s,1ms,x1,\n"
                                                            "b0,compute,compute,s,1ms,x0,\n"},
    {"'x3' is not read before the state that it is made from", "f2,compute,compute,s,1ms,x1,x2\n"
                                                               "f3,compute,compute,s,1ms,x2,x3\n"
                                                               "b2,compute,compute,s,1ms,x2,\n"
                                                               "b3,compute,compute,s,1ms,x3,\n"
                                                               "b1,compute,compute,s,1ms,x1,\n"
                                                               "b0,compute,compute,s,1ms,x0,\n"},
    {"'x1' is not read after the last state", "f2,compute,compute,s,1ms,x1,x2\n"
                                              "f3,compute,compute,s,1ms,x2,x3\n"
                                              "b3,compute,compute,s,1ms,x3,\n"
                                              "b2,compute,compute,s,1ms,x2,\n"
                                              "b0,compute,compute,s,1ms,x0,\n"},
    {"'x3' is made from something else that is not there from the start",
     "f2,compute,compute,s,1ms,x1,x2\ng,compute,compute,s,1ms,,y\n"
     "f3,compute,compute,s,1ms,x2;y,x3\nb3,compute,compute,s,1ms,x3,\n"
     "b2,compute,compute,s,1ms,x2,\nb1,compute,compute,s,1ms,x1,\n"
     "b0,compute,compute,s,1ms,x0,\n"},
};

START_TEST(test_refusals)
{
    char nodes[2000];
    struct planlab lab;
    snprintf(nodes, sizeof nodes,
             "node,kind,resource,lane,duration,inputs,outputs\nf0,compute,compute,s,1ms,,x0\n"
             "f1,compute,compute,s,1ms,x0,x1\n%s",
             others[_i].nodes);
    planlab_open(
        &lab,
        "name: other\nnodes: nodes.csv\nobjects: objects.csv\n"
        "resources: {compute: {servers: 1}}\ndomains: {hbm: {capacity: 9GiB, reserve: 0B}}\n"
        "objective: {metric: makespan, tail: 0.99}\ntrials: 1\nseed: 1\n"
        "policies: [{name: keep, action: retain}, {name: p, action: chain-optimal, objects: "
        "x*}]\n",
        nodes,
        "object,size,home,reconstruct,equivalence\nx0,1GiB,hbm,f0,bitwise\n"
        "x1,1GiB,hbm,f1,bitwise\nx2,1GiB,hbm,f2,bitwise\nx3,1GiB,hbm,f3,bitwise\n"
        "y,1GiB,hbm,,\n");
    ck_assert_int_eq(
        sl_policy_plan(&lab.plan, &lab.scenario, &lab.scenario.policies[1], &lab.diags, &lab.err),
        SL_NO);
    ck_assert_ptr_nonnull(strstr(lab.err.message, "are not a chain"));
    ck_assert_msg(strstr(lab.err.message, others[_i].what) != NULL, "%s", lab.err.message);
    planlab_close(&lab);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("chain");
    TCase *tc = tcase_create("oracle");
    tcase_set_timeout(tc, 0);
    tcase_add_loop_test(tc, test_revolve_counts, 2, 51);
    tcase_add_loop_test(tc, test_steps_of_different_lengths, 0, 3);
    tcase_add_loop_test(tc, test_all_fits, 0, 2);
    tcase_add_loop_test(tc, test_refusals, 0, (int)(sizeof others / sizeof *others));
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}

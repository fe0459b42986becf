/* Plans of random graphs.
 *
 * Whatever the graph and the policy: a plan keeps its books (planlab_check), runs to its end where
 * memory is unlimited, so that no order of submission waits for itself, and ends with every byte in
 * its place (the engine checks that); no copy is reclaimed before its users are done, by a proof
 * that knows nothing of how planning placed the reclamation.  With one lane and a capacity that a
 * plan projects to fit, it runs to its end too. */
#include <config.h>

#include "planlab.h"
#include "proof_reclaim.h"
#include <stdarg.h>

#define MOST_OBJECTS 12
#define MOST_NODES   16

struct random {
    uint64_t state;
};

static unsigned below(struct random *r, unsigned bound)
{
    r->state = r->state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)((r->state >> 33) % bound);
}

struct text {
    char bytes[6000];
    size_t length;
};

static void put(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(t->bytes + t->length, sizeof t->bytes - t->length, format, args);
    va_end(args);
    t->length += (size_t)length;
    ck_assert_uint_lt(t->length, sizeof t->bytes);
}

struct sample {
    struct text nodes, objects;
    unsigned node_count, object_count;
};

/* A row of the node table: reads objects that earlier nodes wrote or that are there from the
 * start. */
static void make_row(struct sample *s, struct random *r, unsigned i, bool one_lane, char row[400])
{
    char inputs[64] = "", outputs[16] = "";
    for (unsigned k = 0; k < 3; k++) {
        unsigned o = below(r, s->object_count);
        char name[16];
        snprintf(name, sizeof name, ";x%u", o);
        /* Object o < 2 is initial, others are written by node o - 2. */
        if ((o < 2 || o - 2 < i) && !strstr(inputs, name))
            strcat(inputs, name);
    }
    if (i + 2 < s->object_count)
        snprintf(outputs, sizeof outputs, "x%u", i + 2);
    unsigned lane = one_lane ? 0 : below(r, 4);
    snprintf(row, 400, "n%u,compute,%s,%s,%ums,%.60s,%.12s,%s\n", i,
             lane == 0 || (lane > 1 && below(r, 3)) ? "compute" : "other", /* one to a lane */
             lane == 0   ? "a"
             : lane == 1 ? "b"
                         : "",
             1 + below(r, 20), inputs[0] ? inputs + 1 : "", outputs,
             below(r, 4) == 0 ? "hbm:64MiB" : "");
}

static void make_sample(struct sample *s, uint64_t seed, bool one_lane)
{
    struct random r = {seed * 2654435761u + 1};
    char rows[MOST_NODES][400];
    *s = (struct sample){.node_count = 4 + below(&r, MOST_NODES - 4)};
    s->object_count = 4 + below(&r, MOST_OBJECTS - 4);
    put(&s->nodes, "node,kind,resource,lane,duration,inputs,outputs,workspace\n");
    put(&s->objects, "object,size,home,placements,initial,persist,reconstruct,equivalence\n");
    for (unsigned i = 0; i < s->node_count; i++)
        make_row(s, &r, i, one_lane, rows[i]);
    /* Rows without a lane may stand anywhere: swap a few neighbours. */
    for (unsigned i = 0; i + 1 < s->node_count && !one_lane; i++)
        if (below(&r, 4) == 0 && strstr(rows[i], "compute,,") && strstr(rows[i + 1], "compute,,")) {
            char swap[400];
            memcpy(swap, rows[i], sizeof swap);
            memcpy(rows[i], rows[i + 1], sizeof swap);
            memcpy(rows[i + 1], swap, sizeof swap);
        }
    for (unsigned i = 0; i < s->node_count; i++)
        put(&s->nodes, "%s", rows[i]);
    for (unsigned o = 0; o < s->object_count; o++) {
        bool written = o >= 2 && o - 2 < s->node_count;
        const char *initial = o == 0 ? "pinned" : written ? "" : "hbm";
        char maker[16] = "";
        if (written && below(&r, 4))
            snprintf(maker, sizeof maker, "n%u", o - 2);
        put(&s->objects, "x%u,%uMiB,hbm,%s,%s,%s,%s,%s\n", o, 64 * (1 + below(&r, 8)),
            below(&r, 5) ? "hbm;pinned"
            : o == 0     ? ""
                         : "hbm",
            initial, o == 1 && below(&r, 2) ? "yes" : "", maker, maker[0] ? "bitwise" : "");
    }
}

static const char *const policies =
    "policies:\n"
    "  - {name: retain, action: retain}\n"
    "  - {name: demand, action: offload}\n"
    "  - {name: asap, action: offload, prefetch: asap}\n"
    "  - {name: ahead, action: offload, prefetch: {when: lookahead, lookahead: 2}}\n"
    "  - {name: jit, action: offload, prefetch: jit}\n"
    "  - {name: remat, action: remat}\n"
    "  - {name: mix, action: remat, rules: [{objects: \"x3;x5;x7\", action: offload, prefetch: "
    "jit}, "
    "{objects: x4, action: retain}]}\n"
    "  - {name: mix2, action: offload, prefetch: demand, rules: [{objects: \"x2;x4;x6\", action: "
    "remat}]}\n"
    "  - {name: largest, action: offload, select: largest, prefetch: {when: lookahead}}\n"
    "  - {name: belady, action: offload, select: belady}\n"
    "  - {name: cost, action: remat, select: cost-benefit}\n"
    "  - {name: lru, action: offload, select: lru, prefetch: {when: lookahead}}\n"
    "  - {name: lru-remat, action: remat, select: lru}\n"
    "  - {name: slack, action: offload, select: slack, prefetch: jit}\n"
    "  - {name: window, action: offload, select: largest, prefetch: window}\n"
    "  - {name: windows, action: offload, prefetch: window}\n"
    "  - {name: lazy, action: offload, prefetch: window, reclaim: lazy}\n"
    "  - {name: pressure, action: remat, reclaim: {when: on-pressure, threshold: 0.7}}\n"
    "  - {name: in-time, action: offload, select: largest, prefetch: jit}\n";

/* False: no plan could hold so little, and check says so. */
static bool open_sample(struct planlab *lab, const struct sample *s, const char *capacity,
                        bool one_engine, bool slow)
{
    char yaml[3000];
    snprintf(yaml, sizeof yaml,
             "name: random\nnodes: nodes.csv\nobjects: objects.csv\n"
             "resources: {compute: {servers: 1}, other: {servers: 2}, in: {servers: 1}, out: "
             "{servers: 1}}\n"
             "domains: {hbm: {%sreserve: 0B}, pinned: {reserve: 0B}}\n"
             "routes:\n  - {from: hbm, to: pinned, resource: %s, bandwidth: 25GiB/s}\n"
             "  - {from: pinned, to: hbm, resource: in, bandwidth: %s}\n"
             "objective: {metric: makespan, tail: 0.99}\ntrials: 1\nseed: 1\n%s",
             capacity, one_engine ? "in" : "out", slow ? "4GiB/s" : "25GiB/s", policies);
    enum sl_status status =
        planlab_try_open(lab, yaml, s->nodes.bytes, s->objects.bytes, NULL, NULL);
    ck_assert_msg(status == SL_OK || (status == SL_NO && capacity[0]), "%s", lab->err.message);
    return status == SL_OK;
}

static void check_reclamations(struct planlab *lab, const struct sl_trial *trial)
{
    struct sl_reclaim_prover *prover;
    uint32_t count;
    ck_assert_int_eq(sl_reclaim_prover_create(&prover, lab->plan.graph, &lab->err), SL_OK);
    const struct sl_reclaim_proof *proofs = sl_reclaim_prove(prover, trial, &count);
    for (uint32_t k = 0; k < count; k++)
        ck_assert_msg(
            proofs[k].verdict == SL_RECLAIM_PROVEN || proofs[k].verdict == SL_RECLAIM_KEPT,
            "copy %u of %s is %s", k,
            lab->plan.graph->objects[lab->plan.graph->holdings[proofs[k].holding].object.i].name,
            sl_reclaim_verdict_name(proofs[k].verdict));
    sl_reclaim_prover_free(prover);
}

/* Runs the current plan once. */
static void run_plan(struct planlab *lab, const char *policy, uint64_t seed, int64_t *peak)
{
    struct sl_program *program;
    struct sl_worker *worker;
    const struct sl_trial *trial;
    ck_assert_int_eq(sl_program_create(&program, lab->plan.graph, &lab->plan.engine, &lab->err),
                     SL_OK);
    ck_assert_int_eq(sl_worker_create(&worker, program, &lab->err), SL_OK);
    ck_assert_msg(sl_worker_run(worker, seed, 0, 0, &trial, &lab->err) == SL_OK, "%s",
                  lab->err.message);
    ck_assert_msg(trial->outcome == SL_DONE, "seed %llu, %s: %s", (unsigned long long)seed, policy,
                  trial->deadlock);
    check_reclamations(lab, trial);
    *peak = trial->peak_bytes[0];
    sl_worker_free(worker);
    sl_program_free(program);
}

START_TEST(test_unlimited_memory)
{
    for (uint64_t seed = 1; seed <= (sl_test_long() ? 400u : 40u); seed++) {
        struct sample s;
        struct planlab lab;
        int64_t peak;
        make_sample(&s, seed + 1000 * (uint64_t)_i, false);
        open_sample(&lab, &s, "", seed % 2, seed % 3 == 0);
        for (uint32_t p = 0; p < lab.scenario.policy_count; p++) {
            planlab_plan(&lab, lab.scenario.policies[p].name);
            run_plan(&lab, lab.scenario.policies[p].name, seed, &peak);
        }
        planlab_close(&lab);
    }
}
END_TEST

/* The capacity is what `retain` needs; then half of the way down to the least that is legal, where
 * plans may or may not fit. */
START_TEST(test_fitting_memory)
{
    unsigned fitting = 0;
    for (uint64_t seed = 1; seed <= (sl_test_long() ? 1500u : 150u); seed++) {
        struct sample s;
        struct planlab lab;
        int64_t peak;
        char capacity[64];
        make_sample(&s, seed, true);
        open_sample(&lab, &s, "", false, false);
        planlab_plan(&lab, "retain");
        run_plan(&lab, "retain", seed, &peak);
        planlab_close(&lab);
        static const char *const ranked[] = {"largest", "belady",    "cost",   "lru",
                                             "slack",   "lru-remat", "window", "in-time"};
        for (int tight = 0; tight < 2; tight++) {
            int64_t limit = tight ? peak - (512 << 20) : peak;
            if (limit < (2048LL << 20)) /* three inputs, an output, workspace: always legal */
                continue;
            snprintf(capacity, sizeof capacity, "capacity: %lldB, ", (long long)limit);
            bool legal = open_sample(&lab, &s, capacity, false, seed % 2);
            for (int k = 0; k < 8 && legal; k++) {
                int64_t used;
                sl_diags_free(&lab.diags);
                memset(&lab.diags, 0, sizeof lab.diags);
                planlab_plan(&lab, ranked[k]);
                if (!planlab_warned(&lab, "does-not-fit")) {
                    run_plan(&lab, ranked[k], seed, &used);
                    fitting++;
                }
            }
            planlab_close(&lab);
        }
    }
    ck_assert_uint_gt(fitting, 20); /* the test is about something */
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("policy-random");
    TCase *tc = tcase_create("plans");
    tcase_set_timeout(tc, 0);
    tcase_add_loop_test(tc, test_unlimited_memory, 0, 4);
    tcase_add_test(tc, test_fitting_memory);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}

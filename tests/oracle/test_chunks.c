/* Chunks of pipelined routes, and staging pools of buckets.
 *
 * Over two hops whose chunks take a and b, with latencies k and l, n chunks in step take
 *
 *     a + k + b + l + (n - 1) max(a, b)
 *
 * and an engine that orders by priority turns to others between two chunks.  Through buckets of a
 * pool (a to fill one, b on the engine) n pieces take n (a + b) one at a time, else a + b + (n - 1)
 * max(a, b). */
#include <config.h>

#include "planlab.h"

#define MS  INT64_C(1000000000)
#define MIB (INT64_C(1) << 20)
#define HEAD(more)                                                                                 \
    "name: chunks\nnodes: nodes.csv\nobjects: objects.csv\n"                                       \
    "resources: {compute: {servers: 1}, h2d: {servers: 1, order: priority}, d2h: {servers: 1}, "   \
    "in: {servers: 1}, out: {servers: 1}" more "}\n"                                               \
    "domains: {hbm: {capacity: 8GiB, reserve: 0B}, pinned: {capacity: 8GiB, reserve: 0B}, nvme: "  \
    "{capacity: 64GiB, reserve: 0B}, pool: {capacity: 64MiB, reserve: 0B}}\n"                      \
    "objective: {metric: makespan, tail: 0.99}\ntrials: 1\nseed: 1\n"                              \
    "policies:\n  - {name: demand, action: offload}\n"                                             \
    "  - {name: jit, action: offload, prefetch: {when: jit, quantile: 0.5}}\n"                     \
    "  - {name: given, action: as-given}\n"
#define GAP                                                                                        \
    "node,kind,resource,lane,duration,inputs,outputs\nmake,compute,compute,s,10ms,,x\n"            \
    "work,compute,compute,s,4000ms,,y\nuse,compute,compute,s,10ms,x;y,\n"
#define OBJECTS "object,size,home,placements\nx,1GiB,hbm,hbm;nvme\ny,1GiB,hbm,hbm\n"

/* Rates in GiB/s: a chunk of 128 MiB takes 125 / rate ms, and there are 8 of them. */
static void ways(char *yaml, size_t size, int in, int h2d, const char *latency,
                 const char *in_chunk, const char *h2d_chunk)
{
    snprintf(yaml, size,
             "%sroutes:\n"
             "  - {from: hbm, to: pinned, resource: d2h, bandwidth: 10GiB/s}\n"
             "  - {from: pinned, to: nvme, resource: out, bandwidth: 5GiB/s}\n"
             "  - {from: nvme, to: pinned, resource: in, bandwidth: %dGiB/s, latency: %s%s}\n"
             "  - {from: pinned, to: hbm, resource: h2d, bandwidth: %dGiB/s, latency: %s%s}\n",
             HEAD(""), in, latency, in_chunk, h2d, latency, h2d_chunk);
}
#define CHUNKS ", chunk: 128MiB, pipeline: true"

/* From the end of the work to the start of the use. */
static int64_t way_back(const char *yaml, const char *policy, uint32_t nodes)
{
    struct planlab lab;
    struct planlab_run run;
    planlab_open(&lab, yaml, GAP, OBJECTS);
    const struct sl_graph *g = planlab_plan(&lab, policy);
    ck_assert_uint_eq(planlab_count(g, "prefetch:"), nodes);
    const struct sl_trial *trial = planlab_trial(&lab, &run);
    ck_assert_int_eq(trial->outcome, SL_DONE);
    int64_t use = trial->start_ps[planlab_node(g, "use")];
    int64_t first = trial->start_ps[planlab_node(g, "prefetch:x@pinned")];
    int64_t exposed = use - 4010 * MS;
    ck_assert_int_eq(strcmp(policy, "jit") == 0 ? exposed : 0, 0);
    planlab_end(&run);
    planlab_close(&lab);
    return use - first;
}

START_TEST(test_two_hops_in_step)
{
    /* a = 125 / in, b = 125 / h2d: 25 and 5, 5 and 25, 25 and 25 ms. */
    static const int cases[][2] = {{5, 25}, {25, 5}, {5, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int jit = 0; jit < 2; jit++) {
            char yaml[4000];
            int64_t a = 125 / cases[i][0], b = 125 / cases[i][1], slower = a > b ? a : b;
            ways(yaml, sizeof yaml, cases[i][0], cases[i][1], "0us", CHUNKS, CHUNKS);
            ck_assert_int_eq(way_back(yaml, jit ? "jit" : "demand", 16), (a + b + 7 * slower) * MS);
            if (jit)
                continue;
            ways(yaml, sizeof yaml, cases[i][0], cases[i][1], "3ms", CHUNKS, CHUNKS);
            ck_assert_int_eq(way_back(yaml, "demand", 16), (a + 3 + b + 3 + 7 * slower) * MS);
        }
}
END_TEST

/* One hop after the other: without pipeline, in step with no other, or with chunks of another size.
 */
START_TEST(test_out_of_step)
{
    char yaml[4000];
    int64_t whole = (8 * 25 + 3 + 8 * 5 + 3) * MS;
    ways(yaml, sizeof yaml, 5, 25, "3ms", "", "");
    ck_assert_int_eq(way_back(yaml, "demand", 2), whole);
    ways(yaml, sizeof yaml, 5, 25, "3ms", ", chunk: 128MiB", ", chunk: 128MiB");
    ck_assert_int_eq(way_back(yaml, "demand", 2), whole);
    ways(yaml, sizeof yaml, 5, 25, "3ms", CHUNKS, "");
    ck_assert_int_eq(way_back(yaml, "demand", 9), whole);
    ways(yaml, sizeof yaml, 5, 25, "3ms", CHUNKS, ", chunk: 512MiB, pipeline: true");
    ck_assert_int_eq(way_back(yaml, "demand", 10), whole);
}
END_TEST

/* A copy of 8 chunks of 25 ms on h2d from 4010 ms on; a fetch of priority 1 is ready at 4020: it
 * starts when the first chunk ends, or behind the whole copy. */
START_TEST(test_others_pass_between_chunks)
{
    for (int chunks = 0; chunks < 2; chunks++) {
        struct planlab lab;
        struct planlab_run run;
        char yaml[4000];
        snprintf(yaml, sizeof yaml,
                 "%sroutes:\n"
                 "  - {from: hbm, to: pinned, resource: d2h, bandwidth: 10GiB/s}\n"
                 "  - {from: pinned, to: hbm, resource: h2d, bandwidth: 5GiB/s%s}\n",
                 HEAD(""), chunks ? CHUNKS : "");
        planlab_open(&lab, yaml,
                     "node,kind,resource,lane,duration,inputs,outputs,release,priority\n"
                     "make,compute,compute,s,10ms,,x,,\nwork,compute,compute,s,4000ms,,y,,\n"
                     "use,compute,compute,s,10ms,x;y,,,\n"
                     "urgent,compute,h2d,,1ms,,z,4020ms,1\n",
                     "object,size,home,placements\nx,1GiB,hbm,hbm;pinned\ny,1GiB,hbm,hbm\n"
                     "z,1MiB,hbm,hbm\n");
        const struct sl_graph *g = planlab_plan(&lab, "demand");
        const struct sl_trial *trial = planlab_trial(&lab, &run);
        ck_assert_int_eq(trial->start_ps[planlab_node(g, "urgent")],
                         (4010 + (chunks ? 25 : 200)) * MS);
        ck_assert_int_eq(trial->start_ps[planlab_node(g, "use")],
                         (4010 + 200 + (chunks ? 1 : 0)) * MS);
        planlab_end(&run);
        planlab_close(&lab);
    }
}
END_TEST

START_TEST(test_too_many_chunks)
{
    struct planlab lab;
    char yaml[4000];
    ways(yaml, sizeof yaml, 5, 25, "0us", ", chunk: 1KiB, pipeline: true", "");
    planlab_open(&lab, yaml, GAP, OBJECTS);
    enum sl_status status =
        sl_policy_plan(&lab.plan, &lab.scenario, sl_scenario_policy(&lab.scenario, "demand"),
                       &lab.diags, &lab.err);
    ck_assert_int_eq(status, SL_NO);
    ck_assert(strstr(lab.err.message, "more than 100000 chunks"));
    planlab_close(&lab);
}
END_TEST

/* Copies of 32 MiB through a pool of 64 MiB, each on an engine of its own and from 0 on. */
static int64_t staged(const char *staging, int copies, int64_t *peak)
{
    struct planlab lab;
    struct planlab_run run;
    char yaml[4000], nodes[1000] = "node,kind,object,from,to,resource\n",
                     objects[1000] = "object,size,home,initial\n";
    for (int i = 0; i < copies; i++) {
        snprintf(nodes + strlen(nodes), sizeof nodes - strlen(nodes),
                 "t%d,transfer,x%d,pinned,hbm,e%d\n", i, i, i);
        snprintf(objects + strlen(objects), sizeof objects - strlen(objects),
                 "x%d,32MiB,hbm,pinned\n", i);
    }
    snprintf(yaml, sizeof yaml,
             "%sroutes: [{from: pinned, to: hbm, resource: h2d, bandwidth: 3200MiB/s%s}]\n",
             HEAD(", e0: {servers: 1}, e1: {servers: 1}, e2: {servers: 1}"), staging);
    planlab_open(&lab, yaml, nodes, objects);
    planlab_plan(&lab, "given");
    const struct sl_trial *trial = planlab_trial(&lab, &run);
    ck_assert_int_eq(trial->outcome, SL_DONE);
    int64_t result = trial->makespan_ps;
    *peak = trial->peak_bytes[3];
    planlab_end(&run);
    planlab_close(&lab);
    return result;
}
#define POOL(rest) ", staging: {domain: pool, " rest "}"

/* A copy takes 10 ms.  Two buckets of 16 MiB each: two copies fill the pool, the third waits. */
START_TEST(test_pool_is_bounded)
{
    int64_t peak;
    ck_assert_int_eq(staged("", 3, &peak), 10 * MS);
    ck_assert_int_eq(peak, 0);
    ck_assert_int_eq(staged(POOL("bucket: 16MiB"), 2, &peak), 10 * MS);
    ck_assert_int_eq(peak, 64 * MIB);
    ck_assert_int_eq(staged(POOL("bucket: 16MiB"), 3, &peak), 20 * MS);
    ck_assert_int_eq(peak, 64 * MIB);
    /* One bucket each is room for all, and a bucket that holds the whole copy takes no second. */
    ck_assert_int_eq(staged(POOL("bucket: 16MiB, buckets: 1"), 3, &peak), 10 * MS);
    ck_assert_int_eq(peak, 48 * MIB);
    ck_assert_int_eq(staged(POOL("bucket: 32MiB"), 2, &peak), 10 * MS);
    ck_assert_int_eq(peak, 64 * MIB);
    /* More buckets than the pool has are not asked for. */
    ck_assert_int_eq(staged(POOL("bucket: 8MiB, buckets: 64"), 1, &peak), 10 * MS);
    ck_assert_int_eq(peak, 32 * MIB);
}
END_TEST

/* Pieces of 8 MiB take 2.5 ms on the engine and 5 ms to fill; overhead counts per piece. */
START_TEST(test_buckets_take_time)
{
    int64_t peak;
    ck_assert_int_eq(staged(POOL("bucket: 8MiB, buckets: 1, fill: 1600MiB/s"), 1, &peak),
                     4 * 15 * MS / 2);
    ck_assert_int_eq(staged(POOL("bucket: 8MiB, buckets: 2, fill: 1600MiB/s"), 1, &peak),
                     (5 * MS + 5 * MS / 2) + 3 * 5 * MS);
    ck_assert_int_eq(staged(POOL("bucket: 8MiB, buckets: 2, fill: 6400MiB/s"), 1, &peak),
                     (5 * MS / 4 + 5 * MS / 2) + 3 * 5 * MS / 2);
    ck_assert_int_eq(staged(", overhead: 1ms" POOL("bucket: 8MiB"), 1, &peak), (10 + 4) * MS);
    ck_assert_int_eq(staged(", overhead: 1ms, chunk: 4MiB" POOL("bucket: 8MiB"), 1, &peak),
                     (10 + 8) * MS);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("chunks");
    TCase *tc = tcase_create("oracle");
    tcase_add_test(tc, test_two_hops_in_step);
    tcase_add_test(tc, test_out_of_step);
    tcase_add_test(tc, test_others_pass_between_chunks);
    tcase_add_test(tc, test_too_many_chunks);
    tcase_add_test(tc, test_pool_is_bounded);
    tcase_add_test(tc, test_buckets_take_time);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}

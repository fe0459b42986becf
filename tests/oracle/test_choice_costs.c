/* The cost of each choice against hand computation: constants on one machine, every figure of
 * doc/costs.md.
 *
 * One lane: f writes p, n runs, r reads p.  p is 1 GiB and moves in 1 ms, plus 0.5 ms of overhead
 * and 0.25 ms of latency each way. */
#include <config.h>

#include "choice_costs.h"
#include "planlab.h"

#define MACHINE MACHINE_WITH("", "")
#define MACHINE_WITH(domains, routes)                                                              \
    "name: costs\nnodes: nodes.csv\nobjects: objects.csv\n"                                        \
    "resources:\n"                                                                                 \
    "  compute: {servers: 1, group: gpu}\n  d2h: {servers: 1, group: gpu}\n"                       \
    "  h2d: {servers: 1, group: gpu}\n  aux: {servers: 1}\n"                                       \
    "domains: {hbm: {capacity: 4GiB, reserve: 0B}, pinned: {capacity: 64GiB, reserve: 0B}" domains \
    "}\n"                                                                                          \
    "routes:\n"                                                                                    \
    "  - {from: hbm, to: pinned, resource: d2h, class: out, bandwidth: 1000GiB/s, overhead: "      \
    "500us, latency: 250us, evidence: \"measured: a copy loop\"}\n"                                \
    "  - {from: pinned, to: hbm, resource: h2d, class: back, bandwidth: 1000GiB/s, overhead: "     \
    "500us, latency: 250us, evidence: \"unknown: not tried\"}\n" routes                            \
    "policies: [{name: keep, action: retain}]\ntrials: 1\nseed: 1\n"
#define OBJECTS                                                                                    \
    "object,size,home,placements,reconstruct,equivalence\np,1GiB,hbm,hbm;pinned,f,bitwise\n"
#define MS_GIB (1e-3 * (double)(1 << 30)) /* byte_s of a GiB for a millisecond */

enum { RETAIN, OFFLOAD, REMAT, HOST = 2 }; /* with host memory, recomputing is behind it */

static void run_costs(struct planlab *lab, struct sl_choice_costs *costs)
{
    const struct sl_costs_request request = {.gaps = 8, .trials = 1, .seed = 1};
    const struct sl_run_options options = {0};
    enum sl_status status =
        sl_choice_costs_make(costs, &lab->scenario, sl_scenario_policy(&lab->scenario, "keep"),
                             &request, &options, &lab->diags, &lab->err);
    ck_assert_msg(status == SL_OK, "%s", lab->err.message);
    ck_assert_uint_eq(costs->gap_count, 1);
    ck_assert_uint_eq(costs->plans, 3);
}

static void check_us(double us, double ms)
{
    ck_assert_double_eq_tol(us, ms * 1000, 1e-6);
}

static void check_space(double byte_s, double ms_gib)
{
    ck_assert_double_eq_tol(byte_s, ms_gib * MS_GIB, 1.0);
}

static void check_change(const struct sl_choice_cost *cost, double ms)
{
    check_us(cost->tail.estimate.value, ms);
    check_us(cost->median.estimate.value, ms);
    check_us(cost->mean.estimate.value, ms);
    check_us(cost->tail.estimate.hi, ms); /* nothing is drawn */
}

/* Every byte of hbm costs 0.1 ms of mapping; unknown pairs slow each other down by 1.5; f has 1 GiB
 * of workspace, n 3 GiB, and n's staging stays until r is done.
 *
 *     keep     map 0..0.1, f ..10.1, n ..30.1, r ..40.1
 *              p is there for 40.1 ms, workspace 10 + 3 x 20 = 70 ms GiB, staging 30.1 - 0.1 less
 * f: 30 offload  out from 10.1: 1.5 ms beside n take 2.25, done at 12.6; n has done 1.5 ms by then
 * and ends at 30.85; map ..30.95, back (nothing runs beside it) ..32.45 and 0.25, r from 32.7
 *              to 42.7.  p is there for 12.6 + 11.85 ms, workspace 10 + 3 x 20.75 = 72.25,
 * staging 32.6 remat    p goes at 10.1; map 30.1..30.2, f again ..40.2, r ..50.2.  p is there
 * for 10.1 + 20.1 ms, workspace 80, staging 40.1; with p gone n makes the peak of 3 GiB instead of
 * 4 */
static const char contended[] = MACHINE
    "kappa: {rule: additive, unknown_kappa: 1.5}\n"
    "costs: [{what: mapping, domain: hbm, duration: 100us}]\n"
    "objective: {metric: makespan, tail: 0.99, constraints: [peak.hbm <= 3GiB, tail <= 45ms]}\n";
static const char contended_nodes[] =
    "node,kind,class,resource,lane,duration,inputs,outputs,workspace,staging,staging_until,"
    "evidence\n"
    "f,compute,gemm,compute,s,10ms,,p,hbm:1GiB,,,measured: a profile\n"
    "n,compute,gemm,compute,s,20ms,,,hbm:3GiB,pinned:1GiB,r,\n"
    "r,compute,gemm,compute,s,10ms,p,,,,,\n";

START_TEST(test_retain)
{
    struct planlab lab;
    struct sl_choice_costs costs;
    planlab_open(&lab, contended, contended_nodes, OBJECTS);
    run_costs(&lab, &costs);
    const struct sl_choice_cost *c = &costs.gaps[0].choices[RETAIN];
    ck_assert(c->decided && c->state == SL_CHOICE_RUN && !c->hypothetical);
    ck_assert_ptr_null(c->evidence);
    ck_assert_str_eq(c->breaks, "peak.hbm <= 3GiB");
    check_change(c, 0);
    check_us(c->here.run_us, 0.1);
    check_us(c->here.isolated_us, 0.1);
    check_us(c->here.chain_us, 0.1);
    check_us(c->here.stall_us, 0.1);
    check_us(c->here.setup_us, 0.1);
    check_us(c->here.others_us, 0);
    check_us(c->here.capacity_us, 0);
    check_us(c->here.barrier_us, 0);
    check_space(c->here.staging_byte_s, 30);
    check_space(c->here.workspace_byte_s, 70);
    check_space(c->here.pressure_byte_s, 40.1 + 70);
    check_space(c->here.peak_bytes / 1e3, 4);
    ck_assert_ptr_null(c->joined.name);
    ck_assert_ptr_null(c->left.name);
    sl_choice_costs_free(&costs);
    planlab_close(&lab);
}
END_TEST

START_TEST(test_offload)
{
    struct planlab lab;
    struct sl_choice_costs costs;
    planlab_open(&lab, contended, contended_nodes, OBJECTS);
    run_costs(&lab, &costs);
    const struct sl_choice_cost *c = &costs.gaps[0].choices[OFFLOAD];
    ck_assert(!c->decided && c->state == SL_CHOICE_RUN && !c->hypothetical && c->unknown);
    ck_assert_str_eq(c->evidence, "unknown: not tried");
    ck_assert_str_eq(c->timing, "demand");
    check_change(c, 2.6);
    check_us(c->here.run_us, 0.1 + 2.5 + 0.1 + 1.75);
    check_us(c->here.isolated_us, 0.1 + 1.75 + 0.1 + 1.75);
    check_us(c->here.chain_us, 0.1 + 0.1 + 1.75);
    check_us(c->here.stall_us, 0.1 + 1.85);
    check_us(c->here.setup_us, 0.2 + 2 * 0.75);
    check_us(c->here.others_us, 0.75);
    check_us(c->change.others_us, 0.75);
    check_us(c->change.run_us, 4.35);
    check_space(c->change.staging_byte_s, 2.6);
    check_space(c->change.workspace_byte_s, 2.25);
    check_space(c->change.pressure_byte_s, 12.6 + 11.85 + 72.25 - 110.1);
    check_space(c->change.peak_bytes, 0);
    ck_assert_double_eq(c->joined.change, 1.0);
    ck_assert(strcmp(c->joined.name, "prefetch:p") == 0 ||
              strncmp(c->joined.name, "map:p", 5) == 0);
    ck_assert_ptr_null(c->left.name);
    sl_choice_costs_free(&costs);
    planlab_close(&lab);
}
END_TEST

START_TEST(test_remat)
{
    struct planlab lab;
    struct sl_choice_costs costs;
    planlab_open(&lab, contended, contended_nodes, OBJECTS);
    run_costs(&lab, &costs);
    const struct sl_choice_cost *c = &costs.gaps[0].choices[REMAT];
    ck_assert(c->state == SL_CHOICE_RUN && !c->hypothetical && !c->unknown);
    ck_assert_str_eq(c->evidence, "a profile");
    ck_assert_str_eq(c->breaks, "tail <= 45ms");
    check_change(c, 10.1);
    check_us(c->here.run_us, 10.2);
    check_us(c->here.isolated_us, 10.2);
    check_us(c->here.chain_us, 10.2);
    check_us(c->here.stall_us, 0.2);
    check_us(c->here.setup_us, 0.2);
    check_us(c->change.others_us, 0);
    check_space(c->change.staging_byte_s, 10.1);
    check_space(c->change.workspace_byte_s, 10);
    check_space(c->change.pressure_byte_s, 10.1 + 20.1 + 80 - 110.1);
    check_space(c->change.peak_bytes / 1e3, -1);
    sl_choice_costs_free(&costs);
    planlab_close(&lab);
}
END_TEST

/* m may run from 20 ms on and wants all of hbm.  With p kept it waits until 40 and ends at 45; with
 * p away it runs at 20 and the end is r's: 41.75 after an offload, 50 after a recomputation.  A
 * wait of 20 ms is beyond the bound of 5. */
START_TEST(test_capacity)
{
    struct planlab lab;
    struct sl_choice_costs costs;
    planlab_open(&lab,
                 MACHINE "objective: {metric: makespan, tail: 0.99, constraints: [max_wait <= "
                         "5ms]}\n",
                 "node,kind,class,resource,lane,duration,inputs,outputs,workspace,release\n"
                 "f,compute,,compute,s,10ms,,p,,\nn,compute,gemm,compute,s,20ms,,,,\n"
                 "r,compute,,compute,s,10ms,p,,,\nm,compute,,aux,,5ms,,,hbm:4GiB,20ms\n",
                 OBJECTS);
    run_costs(&lab, &costs);
    const struct sl_choice_cost *c = costs.gaps[0].choices;
    ck_assert(costs.bounded);
    check_us(c[RETAIN].here.capacity_us, 20);
    check_us(c[RETAIN].here.max_wait_us, 20);
    ck_assert_str_eq(c[RETAIN].max_waiter, "m");
    ck_assert_double_eq(c[RETAIN].here.starved, 1);
    ck_assert_str_eq(c[RETAIN].breaks, "max_wait <= 5ms");
    ck_assert_ptr_null(c[REMAT].breaks);
    ck_assert(!c[RETAIN].hypothetical && c[OFFLOAD].hypothetical && !c[REMAT].hypothetical);
    check_change(&c[OFFLOAD], 41.75 - 45);
    check_change(&c[REMAT], 50 - 45);
    for (int k = OFFLOAD; k <= REMAT; k++) {
        check_us(c[k].change.capacity_us, -20);
        ck_assert_str_eq(c[k].waiter.name, "m");
        check_us(c[k].waiter.change, -20);
        check_us(c[k].here.max_wait_us, 0);
        ck_assert_ptr_null(c[k].max_waiter);
        ck_assert_double_eq(c[k].change.starved, -1);
        ck_assert_str_eq(c[k].left.name, "m");
        ck_assert_double_eq(c[k].left.change, -1.0);
    }
    sl_choice_costs_free(&costs);
    planlab_close(&lab);
}
END_TEST

/* r waits for a barrier behind x, until 35 ms: 5 ms of idle computation that the barrier ends. With
 * p away, r starts with its copy, 1.75 ms after that, and so the 6.75 ms end with a movement; a
 * recomputation begins when n is done, and r waits for its end at 40. */
START_TEST(test_barrier)
{
    struct planlab lab;
    struct sl_choice_costs costs;
    planlab_open_tables(&lab,
                        MACHINE "edges: edges.csv\nobjective: {metric: makespan, tail: 0.99}\n",
                        "node,kind,resource,lane,duration,inputs,outputs\n"
                        "f,compute,compute,s,10ms,,p\nn,compute,compute,s,20ms,,\n"
                        "x,compute,aux,,35ms,,\nb,barrier,,,,,\nr,compute,compute,s,10ms,p,\n",
                        OBJECTS, "from,to,type\nn,b,barrier\nx,b,barrier\nb,r,barrier\n", NULL);
    run_costs(&lab, &costs);
    const struct sl_choice_cost *c = costs.gaps[0].choices;
    check_us(c[RETAIN].here.barrier_us, 5);
    check_us(c[OFFLOAD].change.barrier_us, -5);
    check_us(c[OFFLOAD].here.stall_us, 6.75);
    check_change(&c[OFFLOAD], 1.75);
    sl_choice_costs_free(&costs);
    planlab_close(&lab);
}
END_TEST

/* Choices where p may also lie in host memory, over routes of half the speed with `more` keys. */
static void cost_with_host(struct planlab *lab, struct sl_choice_costs *costs, const char *more)
{
    char yaml[3000];
    snprintf(
        yaml, sizeof yaml,
        MACHINE_WITH(", host: {capacity: 64GiB, reserve: 0B}",
                     "  - {from: hbm, to: host, resource: d2h, bandwidth: 500GiB/s, overhead: "
                     "500us, latency: 250us%s}\n"
                     "  - {from: host, to: hbm, resource: h2d, bandwidth: 500GiB/s, overhead: "
                     "500us, latency: 250us%s}\n") "objective: {metric: makespan, tail: 0.99}\n",
        more, more);
    planlab_open(lab, yaml,
                 "node,kind,resource,lane,duration,inputs,outputs\n"
                 "f,compute,compute,s,10ms,,p\nn,compute,compute,s,20ms,,\n"
                 "r,compute,compute,s,10ms,p,\n",
                 "object,size,home,placements\np,1GiB,hbm,hbm;pinned;host\n");
    run_costs(lab, costs);
}

/* In host memory, at half the speed, p is back 1 ms later each way: 40 + 2.75, of which 0.75 is
 * setup.  The copy out, 2.75 ms, hides behind n. */
START_TEST(test_other_refuge)
{
    struct planlab lab;
    struct sl_choice_costs costs;
    cost_with_host(&lab, &costs, "");
    ck_assert_uint_eq(costs.gaps[0].choice_count, 4);
    const struct sl_choice_cost *c = costs.gaps[0].choices;
    ck_assert_int_eq(c[HOST + 1].state, SL_CHOICE_NOT);
    check_change(&c[OFFLOAD], 1.75);
    check_change(&c[HOST], 2.75);
    ck_assert_uint_eq(c[HOST].refuge, sl_names_find(&lab.scenario.platform.domain_names, "host"));
    check_us(c[HOST].here.run_us, 2 * 2.75);
    check_us(c[HOST].here.stall_us, 2.75);
    check_us(c[HOST].here.setup_us, 2 * 0.75);
    ck_assert_str_eq(c[HOST].evidence, "not stated");
    sl_choice_costs_free(&costs);
    planlab_close(&lab);
}
END_TEST

/* The same in pieces, each with 0.5 ms of overhead: 4 chunks in one node or in a node each, 8
 * buckets.  A move takes the overheads, 2 ms and the latency. */
static const struct {
    const char *keys;
    int pieces;
} in_pieces[] = {
    {", chunk: 256MiB", 4},
    {", chunk: 256MiB, pipeline: true", 4},
    {", staging: {domain: pinned, bucket: 128MiB, buckets: 2}", 8},
};

START_TEST(test_setup_of_pieces)
{
    struct planlab lab;
    struct sl_choice_costs costs;
    cost_with_host(&lab, &costs, in_pieces[_i].keys);
    const struct sl_choice_cost *c = &costs.gaps[0].choices[HOST];
    double setup = 0.5 * in_pieces[_i].pieces + 0.25;
    check_change(c, setup + 2);
    check_us(c->here.run_us, 2 * (setup + 2));
    check_us(c->here.setup_us, 2 * setup);
    sl_choice_costs_free(&costs);
    planlab_close(&lab);
}
END_TEST

/* Two objects of the same gap: the larger one comes first, and `gaps` is the limit. */
START_TEST(test_largest_first)
{
    struct planlab lab;
    struct sl_choice_costs costs;
    const struct sl_costs_request request = {.gaps = 1, .trials = 1, .seed = 1};
    const struct sl_run_options options = {0};
    planlab_open(&lab, MACHINE "objective: {metric: makespan, tail: 0.99}\n",
                 "node,kind,resource,lane,duration,inputs,outputs\n"
                 "f,compute,compute,s,10ms,,q;p\nn,compute,compute,s,20ms,,\n"
                 "r,compute,compute,s,10ms,q;p,\n",
                 "object,size,home,placements\nq,1MiB,hbm,hbm;pinned\np,1GiB,hbm,hbm;pinned\n");
    enum sl_status status =
        sl_choice_costs_make(&costs, &lab.scenario, sl_scenario_policy(&lab.scenario, "keep"),
                             &request, &options, &lab.diags, &lab.err);
    ck_assert_int_eq(status, SL_OK);
    ck_assert_uint_eq(costs.matching, 2);
    ck_assert_uint_eq(costs.gap_count, 1);
    ck_assert_str_eq(lab.scenario.graph->objects[costs.gaps[0].gap.object].name, "p");
    ck_assert_int_eq(costs.gaps[0].choices[REMAT].state, SL_CHOICE_NOT);
    ck_assert_ptr_nonnull(strstr(costs.gaps[0].choices[REMAT].reason, "reconstructs"));
    sl_choice_costs_free(&costs);
    planlab_close(&lab);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("choice costs");
    TCase *tc = tcase_create("costs");
    tcase_add_test(tc, test_retain);
    tcase_add_test(tc, test_offload);
    tcase_add_test(tc, test_remat);
    tcase_add_test(tc, test_capacity);
    tcase_add_test(tc, test_barrier);
    tcase_add_test(tc, test_other_refuge);
    tcase_add_loop_test(tc, test_setup_of_pieces, 0, sizeof in_pieces / sizeof *in_pieces);
    tcase_add_test(tc, test_largest_first);
    suite_add_tcase(suite, tc);
    return sl_test_run(suite);
}

/* Replays on the cuda backend, on a driver without a GPU whose computed time passes as real time
 * does (support/fake_cuda.c): timed by CUPTI's records, or by events (SL_BY_EVENTS). */
#include <config.h>

#include "cudalab.h"
#include "dice.h"
#include "fake_cuda.h"
#include "lab.h"
#include "replay.h"
#include <dlfcn.h>
#include <math.h>

#ifdef SL_BY_EVENTS
enum { BY_EVENTS = 1 };
#else
enum { BY_EVENTS = 0 };
#endif

enum { NODES_MOST = 64, MIB = 1 << 20 };
#define NS 1000 /* ps */

/* A bench, a plan and the log of its last repetition. */
struct scene {
    struct desk desk;
    struct lab lab;
    struct sl_replay_plan plan;
    struct sl_replay_times times[NODES_MOST];
    struct sl_replay_log log;
};

static struct fake_history *history(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    ck_assert_ptr_nonnull(driver);
    struct fake_history *found = dlsym(driver, SL_FAKE_HISTORY);
    ck_assert_ptr_nonnull(found);
    return found;
}

static void open_lab(struct scene *scene, uint32_t compute_servers, int64_t hbm_bytes)
{
    setenv("SL_FAKE_CLOCK", "real", 1);
    lab_open(&scene->lab);
    lab_resource(&scene->lab, "compute", compute_servers);
    lab_resource(&scene->lab, "h2d", 1);
    lab_resource(&scene->lab, "d2h", 1);
    lab_domain(&scene->lab, "hbm", hbm_bytes);
    lab_domain(&scene->lab, "pinned", -1);
}

static void make_plan(struct scene *scene)
{
    struct lab *lab = &scene->lab;
    const struct sl_replay_machine machine = {.seats_max = 4};
    LAB_OK(lab, sl_graph_finish(lab->graph, &lab->err));
    const struct sl_plan plan = {.graph = lab->graph, .engine = lab->options};
    LAB_OK(lab, sl_replay_plan_make(&scene->plan, &plan, &machine, &lab->err));
    ck_assert_uint_le(scene->plan.node_count, NODES_MOST);
}

static void give_work(struct scene *scene, uint32_t node, const char *klass, int64_t bytes)
{
    struct sl_work *work = &scene->plan.nodes[node].work;
    *work = (struct sl_work){class_of(&scene->desk, klass), 0, bytes};
    scene->plan.nodes[node].pieces = (uint32_t)sl_backend_cuda.cut(scene->desk.bench, work);
}

static void close_scene(struct scene *scene)
{
    tear_down(&scene->desk);
    sl_replay_plan_free(&scene->plan);
    lab_close(&scene->lab);
}

static enum sl_status stage(struct scene *scene)
{
    return sl_backend_cuda.stage(scene->desk.bench, &scene->plan, &scene->desk.err);
}

static enum sl_status repeat(struct scene *scene)
{
    scene->log = (struct sl_replay_log){.times = scene->times};
    return sl_backend_cuda.replay(scene->desk.bench, &scene->plan, &scene->log, &scene->desk.err);
}

#define SCENE_OK(scene, call) ck_assert_msg((call) == SL_OK, "%s", (scene)->desk.err.message)

/* ---- timelines ------------------------------------------------------------------------------- */

struct moment {
    int64_t t;
    uint32_t node;
    enum { FREED, ENDED, STARTED } what; /* at one time in this order */
};

static int by_time(const void *left, const void *right)
{
    const struct moment *a = left, *b = right;
    return a->t != b->t ? (a->t > b->t) - (a->t < b->t) : (int)a->what - (int)b->what;
}

/* Levels of a timeline as it is gone through. */
struct levels {
    int64_t units[8], bytes[8];
    bool held[NODES_MOST];
};

static void change(const struct scene *scene, const struct moment *moment, struct levels *levels)
{
    const struct sl_replay_plan *plan = &scene->plan;
    const struct sl_replay_node *node = &plan->nodes[moment->node];
    int sign = moment->what == STARTED ? 1 : -1;
    for (uint32_t k = 0; moment->what != FREED && k < node->demands.count; k++) {
        const struct sl_demand *demand = &plan->demands[node->demands.first + k];
        levels->units[demand->resource] += sign * (int64_t)demand->units;
    }
    for (uint32_t k = 0; moment->what != ENDED && k < node->amounts.count; k++) {
        const struct sl_replay_amount *amount = &plan->amounts[node->amounts.first + k];
        if (amount->holding == SL_NONE)
            levels->bytes[amount->domain] += sign * amount->bytes;
        else if (moment->what == STARTED) {
            levels->held[amount->holding] = true;
            levels->bytes[amount->domain] += amount->bytes;
        }
    }
    for (uint32_t k = 0; moment->what == FREED && k < node->gives.count; k++) {
        uint32_t h = plan->gives[node->gives.first + k];
        if (levels->held[h])
            levels->bytes[plan->holdings[h].domain] -= plan->holdings[h].bytes;
        levels->held[h] = false;
    }
}

/* No server is used twice, and no domain holds more than it may. */
static void check_levels(const struct scene *scene)
{
    const struct sl_replay_plan *plan = &scene->plan;
    struct moment moments[3 * NODES_MOST];
    struct levels levels = {0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->node_count; i++) {
        const struct sl_replay_times *times = &scene->times[i];
        if (times->end_ns < 0)
            continue;
        moments[count++] = (struct moment){times->start_ns, i, STARTED};
        moments[count++] = (struct moment){times->end_ns, i, ENDED};
        moments[count++] = (struct moment){times->end_ns + plan->nodes[i].latency_ns, i, FREED};
    }
    for (uint32_t h = 0; h < plan->holding_count; h++)
        if (plan->holdings[h].initial) {
            levels.held[h] = true;
            levels.bytes[plan->holdings[h].domain] += plan->holdings[h].bytes;
        }
    qsort(moments, count, sizeof moments[0], by_time);
    for (uint32_t m = 0; m < count; m++) {
        change(scene, &moments[m], &levels);
        for (uint32_t r = 0; r < plan->resource_count; r++)
            ck_assert_int_le(levels.units[r], plan->resources[r].servers);
        for (uint32_t d = 0; d < plan->domain_count; d++)
            ck_assert_int_le(levels.bytes[d], plan->limits[d]);
    }
}

/* Edges with their lags, lanes, and issue order on a single server. */
static void check_order(const struct scene *scene)
{
    const struct sl_replay_plan *plan = &scene->plan;
    const struct sl_replay_times *times = scene->times;
    for (uint32_t i = 0; i < plan->node_count; i++) {
        const struct sl_replay_node *node = &plan->nodes[i];
        for (uint32_t k = 0; k < node->followers.count; k++) {
            const struct sl_replay_edge *edge = &plan->edges[node->followers.first + k];
            if (times[edge->to].start_ns >= 0)
                ck_assert_int_ge(times[edge->to].start_ns,
                                 times[i].end_ns + node->latency_ns + edge->lag_ns);
        }
        for (uint32_t j = i + 1; j < plan->node_count; j++) {
            const struct sl_replay_node *later = &plan->nodes[j];
            uint32_t lane = LAB_NODE(&scene->lab, i).lane;
            if (times[j].start_ns < 0)
                continue;
            if (lane != SL_NONE && LAB_NODE(&scene->lab, j).lane == lane)
                ck_assert_int_ge(times[j].start_ns, times[i].end_ns);
            if (node->demands.count == 0 || later->demands.count == 0 ||
                node->order != SL_ORDER_ISSUE)
                continue;
            uint32_t resource = plan->demands[node->demands.first].resource;
            if (plan->demands[later->demands.first].resource == resource &&
                plan->resources[resource].servers == 1)
                ck_assert_int_ge(times[j].start_ns, times[i].start_ns);
        }
    }
}

static void check_repetition(const struct scene *scene)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < scene->plan.node_count; i++) {
        const struct sl_replay_times *times = &scene->times[i];
        left += times->end_ns < 0;
        ck_assert_int_ge(times->end_ns, times->start_ns);
        if (!BY_EVENTS && times->end_ns >= 0) { /* the host's clock, too */
            ck_assert_int_ge(times->start_ns, times->ready_ns);
            ck_assert_int_le(times->end_ns, scene->log.makespan_ns);
        }
    }
    ck_assert_int_eq(left > 0, scene->log.stuck);
    ck_assert_uint_eq(scene->log.dropped, 0);
    ck_assert_uint_eq(scene->log.untimed, 0);
    ck_assert(BY_EVENTS || !scene->log.clock_step);
    check_levels(scene);
    check_order(scene);
}

/* By the host's clock everything is in order, too; by events, the host's own are left out: the two
 * clocks are tied by a trip that may be held up. */
static void add_node(struct scene *scene, struct dice *dice, uint32_t i)
{
    struct lab *lab = &scene->lab;
    char name[16];
    snprintf(name, sizeof name, "n%u", i);
    uint32_t resource = dice_chance(dice, 50) ? 0 : 1 + dice_below(dice, 2);
    if (!BY_EVENTS && dice_chance(dice, 15))
        resource = SL_NONE;
    uint32_t n = lab_node(lab, name, "40us", resource);
    struct sl_node *node = &LAB_NODE(lab, n);
    node->priority = dice_below(dice, 3);
    if (dice_chance(dice, 25))
        node->lane = sl_names_add(&lab->graph->lane_names, dice_chance(dice, 50) ? "l0" : "l1");
    if (!BY_EVENTS && dice_chance(dice, 15))
        node->latency_scale = 1;
    if (dice_chance(dice, 40))
        lab_workspace(lab, n, 0, 1 + dice_below(dice, 6));
    for (unsigned k = dice_below(dice, 3); i > 0 && k > 0; k--)
        lab_edge_typed(lab, dice_below(dice, i), i, SL_EDGE_ORDERING,
                       dice_chance(dice, 15) ? 30000 * (int64_t)NS : 0);
}

/* Each object is written by one node and released by a follower of it. */
static void add_objects(struct lab *lab, struct dice *dice, uint32_t nodes)
{
    for (unsigned k = dice_below(dice, nodes / 3); k > 0; k--) {
        bool initial = dice_chance(dice, 10);
        uint32_t h = lab_holding(lab, SL_HOLD_OBJECT, 0, 1 + dice_below(dice, 3), initial);
        uint32_t taker = dice_below(dice, nodes - 1);
        uint32_t giver = taker + 1 + dice_below(dice, nodes - taker - 1);
        if (!initial) {
            lab_takes(lab, taker, h);
            lab_edge(lab, taker, giver);
        }
        lab_gives(lab, giver, h);
    }
}

static void give_random_work(struct scene *scene, struct dice *dice)
{
    static const char *const kernels[] = {"stream", "gemm", "memset", "copy.d2d", "latency"};
    for (uint32_t i = 0; i < scene->plan.node_count; i++) {
        const struct sl_replay_node *node = &scene->plan.nodes[i];
        if (node->act != SL_REPLAY_WORK || (!BY_EVENTS && dice_chance(dice, 20)))
            continue;
        uint32_t resource = scene->plan.demands[node->demands.first].resource;
        int64_t bytes = (1 + dice_below(dice, 8)) * (int64_t)MIB / 2;
        if (resource > 0)
            give_work(scene, i, resource == 1 ? "copy.h2d" : "copy.d2h", bytes);
        else if (!BY_EVENTS && dice_chance(dice, 15))
            give_work(scene, i, dice_chance(dice, 50) ? "map" : "alloc", bytes);
        else
            give_work(scene, i, kernels[dice_below(dice, dice_chance(dice, 20) ? 5 : 4)], bytes);
        ck_assert(BY_EVENTS == 0 || node->work.klass != SL_NONE);
    }
}

static void build(struct scene *scene, struct dice *dice)
{
    uint32_t nodes = 6 + dice_below(dice, 18);
    struct lab *lab = &scene->lab;
    open_lab(scene, 1 + dice_below(dice, 2), 12);
    for (uint32_t r = 0; r < 3; r++) {
        lab->resources[r].order = (enum sl_order)dice_below(dice, SL_ORDER_ISSUE + 1);
        lab->resources[r].admission = dice_chance(dice, 30) ? SL_STRICT : SL_BACKFILL;
    }
    lab_graph(lab);
    for (uint32_t i = 0; i < nodes; i++)
        add_node(scene, dice, i);
    add_objects(lab, dice, nodes);
    make_plan(scene);
    give_random_work(scene, dice);
}

START_TEST(every_repetition_keeps_the_rules)
{
    static struct scene scene;
    uint32_t stuck = 0, graphs = sl_test_long() ? 1000 : 40;
    scene.desk = set_up();
    for (uint32_t graph = 0; graph < graphs; graph++) {
        struct dice dice = {.state = UINT64_C(0x9e3779b97f4a7c15) * (graph + 1)};
        build(&scene, &dice);
        SCENE_OK(&scene, stage(&scene));
        for (int repetition = 0; repetition < 2; repetition++) {
            SCENE_OK(&scene, repeat(&scene));
            check_repetition(&scene);
            stuck += scene.log.stuck;
        }
        sl_replay_plan_free(&scene.plan);
        lab_close(&scene.lab);
    }
    ck_assert_uint_lt(stuck, graphs / 2);
    tear_down(&scene.desk);
}
END_TEST

/* ---- works ----------------------------------------------------------------------------------- */

/* A copy, a kernel in pieces, a product, and a copy back, each on what the one before has left. */
static void build_chain(struct scene *scene)
{
    struct lab *lab = &scene->lab;
    open_lab(scene, 1, GIB);
    lab_graph(lab);
    lab_node(lab, "in", "80us", 1);
    lab_node(lab, "triad", "50us", 0);
    lab_node(lab, "product", "100us", 0);
    lab_node(lab, "out", "20us", 2);
    for (uint32_t i = 1; i < 4; i++)
        lab_edge(lab, i - 1, i);
    make_plan(scene);
    give_work(scene, 0, "copy.h2d", 4 * MIB);
    give_work(scene, 1, "stream", 40 * MIB);
    give_work(scene, 2, "gemm", 8 * MIB);
    give_work(scene, 3, "copy.d2h", MIB);
}

static double length_of(const struct scene *scene, uint32_t node)
{
    return (double)(scene->times[node].end_ns - scene->times[node].start_ns);
}

/* By the driver that stands in: copies at 50 GB/s, the triad at 3 TB/s however many pieces it has,
 * products at 20 TFLOP/s, of side 1024.  Events begin when they are launched, some us before. */
START_TEST(works_take_what_they_are)
{
    static struct scene scene;
    scene.desk = set_up();
    build_chain(&scene);
    SCENE_OK(&scene, stage(&scene));
    history()->copied_bytes = 0;
    SCENE_OK(&scene, repeat(&scene));
    check_repetition(&scene);
    ck_assert_str_eq(scene.log.timer, BY_EVENTS ? "event" : "cupti");
    ck_assert_uint_eq(history()->copied_bytes, 5 * MIB);
    const double expected[] = {4 * MIB / 50., 40 * MIB / 3000., 2 * 1024. * 1024 * 1024 / 20e3,
                               MIB / 50.};
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert_double_ge(length_of(&scene, i), expected[i] - 20);
        if (!BY_EVENTS && i != 1)
            ck_assert_double_le(length_of(&scene, i), expected[i] + 20);
    }
    close_scene(&scene);
}
END_TEST

/* What is measured alone between repetitions uses the same actors, and larger works. */
START_TEST(shots_between_repetitions_do_no_harm)
{
    static struct scene scene;
    scene.desk = set_up();
    build_chain(&scene);
    give_work(&scene, 2, "latency", 64 << 10);
    SCENE_OK(&scene, stage(&scene));
    for (int repetition = 0; repetition < 3; repetition++) {
        SCENE_OK(&scene, repeat(&scene));
        check_repetition(&scene);
        const char *const names[] = {"latency", "copy.h2d", "stream"};
        const struct sl_shot shot = {.victim = victim_of(&scene.desk, names[repetition]),
                                     .overlap = 1};
        enum sl_reject reject = shoot(&scene.desk, &shot).reject;
        ck_assert(reject == SL_REJECT_NONE || reject == SL_REJECT_PREEMPTED);
    }
    close_scene(&scene);
}
END_TEST

START_TEST(a_plan_is_set_up_before_it_is_replayed)
{
    static struct scene scene;
    scene.desk = set_up();
    build_chain(&scene);
    ck_assert_int_eq(repeat(&scene), SL_USAGE);
    scene.desk.err = (struct sl_error){0};
    SCENE_OK(&scene, stage(&scene));
    SCENE_OK(&scene, stage(&scene));
    SCENE_OK(&scene, repeat(&scene));
    close_scene(&scene);
}
END_TEST

/* ---- what goes wrong ------------------------------------------------------------------------- */

START_TEST(lost_and_untimed_records_are_seen)
{
    static struct scene scene;
    if (BY_EVENTS)
        return; /* there are none */
    scene.desk = set_up();
    build_chain(&scene);
    SCENE_OK(&scene, stage(&scene));
    setenv("SL_FAKE_CUPTI", "drops", 1);
    SCENE_OK(&scene, repeat(&scene));
    ck_assert_uint_gt(scene.log.dropped, 0);
    setenv("SL_FAKE_CUPTI", "untimed", 1);
    SCENE_OK(&scene, repeat(&scene));
    ck_assert_uint_eq(scene.log.untimed, 4);
    ck_assert_int_eq(scene.times[0].end_ns, -1);
    unsetenv("SL_FAKE_CUPTI");
    SCENE_OK(&scene, repeat(&scene));
    check_repetition(&scene);
    close_scene(&scene);
}
END_TEST

/* One node of each way of doing work. */
static void build_all(struct scene *scene)
{
    static const char *const compute[] = {"stream", "gemm",  "latency", "memset",
                                          "launch", "alloc", "map",     "copy.d2d"};
    enum { COMPUTE = sizeof compute / sizeof compute[0] };
    struct lab *lab = &scene->lab;
    open_lab(scene, 2, GIB);
    lab_graph(lab);
    lab_node(lab, "in", "80us", 1);
    for (int k = 0; k < COMPUTE; k++)
        lab_edge(lab, 0, lab_node(lab, compute[k], "50us", 0));
    uint32_t out = lab_node(lab, "out", "20us", 2);
    for (uint32_t k = 1; k <= COMPUTE; k++)
        lab_edge(lab, k, out);
    make_plan(scene);
    give_work(scene, 0, "copy.h2d", MIB);
    for (uint32_t k = 0; k < COMPUTE; k++)
        give_work(scene, 1 + k, compute[k], k == 4 ? 3 : MIB);
    give_work(scene, out, "copy.d2h", MIB);
}

/* From opening to closing; the first error. */
static enum sl_status live(struct sl_error *err)
{
    static struct scene scene;
    memset(&scene, 0, sizeof scene);
    enum sl_status status =
        sl_backend_cuda.open(&scene.desk.bench, &(struct sl_bench_options){.seed = 1}, err);
    if (status != SL_OK)
        return status;
    scene.desk.classes = sl_backend_cuda.classes(scene.desk.bench, &scene.desk.class_count);
    build_all(&scene);
    for (uint32_t i = 0; i < scene.plan.node_count && status == SL_OK; i++)
        status = sl_backend_cuda.prepare(scene.desk.bench, &scene.plan.nodes[i].work, err);
    scene.log.times = scene.times;
    if (status == SL_OK)
        status = sl_backend_cuda.stage(scene.desk.bench, &scene.plan, err);
    for (int repetition = 0; repetition < 2 && status == SL_OK; repetition++) {
        status = sl_backend_cuda.replay(scene.desk.bench, &scene.plan, &scene.log, err);
        if (status == SL_OK)
            check_repetition(&scene);
    }
    sl_backend_cuda.close(scene.desk.bench);
    sl_replay_plan_free(&scene.plan);
    lab_close(&scene.lab);
    return status;
}

/* Every call that the backend makes fails once: its name is in the error, and all is given back. */
static void fail_once(const char *name, int call, uint32_t *failed)
{
    char plan[64];
    struct sl_error err = {0};
    snprintf(plan, sizeof plan, "%s:%d", name, call);
    setenv("SL_FAKE_FAIL", plan, 1);
    enum sl_status status = live(&err);
    unsetenv("SL_FAKE_FAIL");
    if (status != SL_OK) {
        ck_assert_int_eq(status, SL_SYSTEM);
        ck_assert_msg(strncmp(err.message, name, strlen(name)) == 0, "%s: %s", plan, err.message);
        (*failed)++;
    }
    for (int thing = 0; thing < FAKE_THINGS; thing++)
        ck_assert_msg(history()->had[thing] == 0, "%s: %d of thing %d are left", plan,
                      history()->had[thing], thing);
}

START_TEST(every_call_may_fail)
{
    static const char *const names[] = {"cuCtxSetCurrent",    "cuCtxSynchronize",
                                        "cuModuleLoadData",   "cuModuleGetFunction",
                                        "cuLaunchKernel",     "cuStreamCreate",
                                        "cuStreamWaitEvent",  "cuStreamSynchronize",
                                        "cuEventCreate",      "cuEventRecord",
                                        "cuEventQuery",       "cuEventElapsedTime",
                                        "cuEventSynchronize", "cuMemGetInfo",
                                        "cuMemAlloc",         "cuMemHostAlloc",
                                        "cuMemcpyHtoDAsync",  "cuMemcpyDtoHAsync",
                                        "cuMemcpyDtoDAsync",  "cuMemsetD8Async",
                                        "cuMemCreate",        "cuMemMap",
                                        "cuMemSetAccess",     "cuMemAddressReserve",
                                        "cuDeviceGetCount",   "cuMemPoolSetAttribute"};
    const int calls[] = {1, 2, 3, 9}; /* as it opens, is prepared, and in repetitions */
    struct sl_error err = {0};
    uint32_t failed = 0;
    ck_assert_msg(live(&err) == SL_OK, "%s", err.message);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (int k = 0; k < 4; k++)
            fail_once(names[i], calls[k], &failed);
    ck_assert_uint_gt(failed, 40);
}
END_TEST

/* 256 MiB, of which the program has some. */
START_TEST(what_does_not_fit_is_refused)
{
    static struct scene scene;
    scene.desk = set_up();
    open_lab(&scene, 1, GIB);
    lab_graph(&scene.lab);
    uint32_t n = lab_node(&scene.lab, "large", "50us", 0);
    lab_takes(&scene.lab, n, lab_holding(&scene.lab, SL_HOLD_OBJECT, 0, GIB / 2, false));
    make_plan(&scene);
    ck_assert_int_eq(stage(&scene), SL_SYSTEM);
    ck_assert_ptr_nonnull(strstr(scene.desk.err.message, "domain 'hbm' may hold 512 MiB at once"));

    scene.plan.limits[0] = 100 * MIB; /* the rules see to it that it never holds more */
    scene.desk.err = (struct sl_error){0};
    SCENE_OK(&scene, stage(&scene));

    give_work(&scene, n, "alloc", 300 * MIB);
    ck_assert_int_eq(stage(&scene), SL_SYSTEM);
    ck_assert_ptr_nonnull(strstr(scene.desk.err.message, "touch 300 MiB of the GPU's memory"));
    close_scene(&scene);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cuda replay");
    TCase *c = tcase_create("cuda replay");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, every_repetition_keeps_the_rules);
    tcase_add_test(c, works_take_what_they_are);
    tcase_add_test(c, shots_between_repetitions_do_no_harm);
    tcase_add_test(c, a_plan_is_set_up_before_it_is_replayed);
    tcase_add_test(c, lost_and_untimed_records_are_seen);
    tcase_add_test(c, every_call_may_fail);
    tcase_add_test(c, what_does_not_fit_is_refused);
    suite_add_tcase(s, c);
    return s;
}

int main(int argc, char **argv)
{
    (void)argc;
    return run_on_fake(SL_FAKE_DIR, argv, suite);
}

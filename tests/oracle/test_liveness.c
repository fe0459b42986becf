/* Waits, bypasses and starvation of whole cells, by hand.  All durations are constant unless a case
 * says otherwise, so that every trial is the same. */
#include "config.h"

#include "celllab.h"

#define TRIALS 20
#define US     INT64_C(1000000)

static struct celllab lab;
static struct sl_cell cell;

/* The scenario's resources and objective, and its nodes. */
static void run(const char *head, const char *nodes, const char *objects)
{
    char yaml[1024];
    snprintf(yaml, sizeof yaml, "name: liveness\nnodes: nodes.csv\n%s%s%s20\n",
             objects ? "objects: objects.csv\n" : "", head, CELLLAB_TAIL);
    celllab_open(&lab, yaml, nodes, NULL, objects, NULL);
    celllab_run(&lab, &cell);
    ck_assert_uint_eq(cell.trials, TRIALS);
}

static void finish(void)
{
    sl_cell_free(&cell);
    celllab_close(&lab);
}

static const struct sl_wait *longest(const char *node)
{
    return &cell.nodes.longest_wait[celllab_node(&cell, node)];
}

/* In every trial the node waited so long, for `behind` to leave (NULL: nobody), and was passed so
 * often. */
static void waits(const char *node, int64_t wait_us, enum sl_cause cause, const char *behind,
                  uint32_t bypassed)
{
    uint32_t i = celllab_node(&cell, node);
    const struct sl_wait *wait = longest(node);
    ck_assert_msg(wait->wait_ps == wait_us * US, "%s waited %g us", node,
                  (double)wait->wait_ps / (double)US);
    ck_assert_int_eq(cell.nodes.wait_ps[i], TRIALS * wait_us * US);
    ck_assert_uint_eq(cell.nodes.bypassed[i], TRIALS * (uint64_t)bypassed);
    if (wait_us == 0)
        return;
    ck_assert_uint_eq(wait->trial, 0); /* the smallest of equal ones */
    ck_assert_uint_eq(wait->bypassed, bypassed);
    ck_assert_int_eq(wait->cause, cause);
    ck_assert_uint_eq(wait->behind, behind ? celllab_node(&cell, behind) : SL_NONE);
}

/* One server, five jobs of 10us at once: waits 0, 10, .. 40, each behind the job before it.  Beyond
 * 25us wait the last two, d (30) and e (40); the bound makes the cell infeasible. */
START_TEST(fifo_queue)
{
    run("resources: {gpu: {servers: 1}}\nobjective: {constraints: [max_wait <= 25us]}\n",
        "node,kind,resource,duration\na,compute,gpu,10us\nb,compute,gpu,10us\n"
        "c,compute,gpu,10us\nd,compute,gpu,10us\ne,compute,gpu,10us\n",
        NULL);
    waits("a", 0, SL_CAUSE_NONE, NULL, 0);
    waits("b", 10, SL_CAUSE_QUEUE, "a", 0);
    waits("c", 20, SL_CAUSE_QUEUE, "b", 0);
    waits("d", 30, SL_CAUSE_QUEUE, "c", 0);
    waits("e", 40, SL_CAUSE_QUEUE, "d", 0);
    ck_assert_uint_eq(cell.nodes.starved[celllab_node(&cell, "c")], 0);
    ck_assert_uint_eq(cell.nodes.starved[celllab_node(&cell, "d")], TRIALS);
    ck_assert_uint_eq(cell.nodes.starved[celllab_node(&cell, "e")], TRIALS);
    ck_assert_uint_eq(cell.starved[7], 2);
    ck_assert_int_eq(cell.max_wait_ps[7], 40 * US);
    ck_assert_int_eq(cell.verdict, SL_VERDICT_INFEASIBLE);
    finish();
}
END_TEST

/* A wait of just the bound is not beyond it. */
START_TEST(wait_at_the_bound)
{
    run("resources: {gpu: {servers: 1}}\nobjective: {constraints: [max_wait <= 10us]}\n",
        "node,kind,resource,duration\na,compute,gpu,10us\nb,compute,gpu,10us\n", NULL);
    waits("b", 10, SL_CAUSE_QUEUE, "a", 0);
    ck_assert_uint_eq(cell.starved[0], 0);
    ck_assert_int_eq(cell.verdict, SL_VERDICT_OK);
    finish();
}
END_TEST

#define LOW_AND_HIGH                                                                               \
    "node,kind,resource,duration,priority,release\n"                                               \
    "first,compute,gpu,10us,1,\nlow,compute,gpu,10us,0,\nhigh1,compute,gpu,10us,1,10us\n"          \
    "high2,compute,gpu,10us,1,20us\nhigh3,compute,gpu,10us,1,30us\n"

/* A node of low priority waits for every one of high priority, also those that come later: at 10,
 * 20 and 30us another is there.  Nothing is bypassed: they stood before it by the list's order. */
START_TEST(priority_starves)
{
    run("resources: {gpu: {servers: 1, order: priority}}\n", LOW_AND_HIGH, NULL);
    waits("low", 40, SL_CAUSE_QUEUE, "high3", 0);
    waits("high1", 0, SL_CAUSE_QUEUE, NULL, 0);
    waits("high3", 0, SL_CAUSE_QUEUE, NULL, 0);
    finish();
}
END_TEST

/* Every 15us of waiting raises the priority by one: at 20us low has 0 + 1, as high2 has that comes
 * then, and the longer wait decides; high2 and high3 start 10us later than they came. */
START_TEST(aging_ends_starvation)
{
    run("resources: {gpu: {servers: 1, order: priority, aging: 15us}}\n", LOW_AND_HIGH, NULL);
    waits("low", 20, SL_CAUSE_QUEUE, "high1", 0);
    waits("high2", 10, SL_CAUSE_QUEUE, "low", 0);
    waits("high3", 10, SL_CAUSE_QUEUE, "high2", 0);
    finish();
}
END_TEST

/* A job of priority 3 comes every 10us, from 0 to 110us, just when the one before it leaves. */
static void run_stream(const char *policy)
{
    char yaml[1024], nodes[2000] = "node,kind,resource,duration,priority,release\n"
                                   "high0,compute,gpu,10us,3,\nlow,compute,gpu,10us,0,\n";
    for (int i = 1; i < 12; i++)
        snprintf(nodes + strlen(nodes), sizeof nodes - strlen(nodes),
                 "high%d,compute,gpu,10us,3,%d0us\n", i, i);
    snprintf(yaml, sizeof yaml,
             "name: stream\nnodes: nodes.csv\nresources: {gpu: {servers: 1}}\n"
             "objective: {metric: makespan, tail: 0.9, constraints: [max_wait <= 45us]}\n"
             "policies: [%s]\nseed: 1\ntrials: 20\n",
             policy);
    celllab_open(&lab, yaml, nodes, NULL, NULL, NULL);
    celllab_run(&lab, &cell);
    ck_assert_uint_eq(cell.trials, TRIALS);
}

/* The policy's dispatch replaces the fifo list, where low would go second.  Without aging low waits
 * until the stream ends at 120us, beyond the bound of 45us. */
START_TEST(dispatch_by_priority_starves)
{
    run_stream("{name: p, action: retain, dispatch: priority}");
    waits("low", 120, SL_CAUSE_QUEUE, "high11", 0);
    ck_assert_uint_eq(cell.nodes.starved[celllab_node(&cell, "low")], TRIALS);
    ck_assert_uint_eq(cell.starved[0], 1);
    ck_assert_int_eq(cell.verdict, SL_VERDICT_INFEASIBLE);
    finish();
}
END_TEST

/* With aging A low has 0 + floor(t / A) when the server is free at t = 10, 20, ...; a job that
 * comes then has 3 + 0.  At equality the longer wait decides, so low starts at the first such t
 * with floor(t / A) >= 3, that is t >= 3 A:  A = 12us: 40us, 13us: 40us, 14us: 50us, 10us: 30us.
 * Every job that comes later then waits 10us. */
START_TEST(dispatch_ages)
{
    static const struct {
        const char *policy;
        int64_t start_us;
        uint32_t starved;
    } cases[] = {
        {"{name: p, action: retain, dispatch: priority, aging: 10us}", 30, 0},
        {"{name: p, action: retain, dispatch: priority, aging: 12us}", 40, 0},
        {"{name: p, action: retain, dispatch: priority, aging: 13us}", 40, 0},
        {"{name: p, action: retain, dispatch: priority, aging: 14us}", 50, TRIALS},
        {"{name: p, action: retain, dispatch: priority, aging: 0us}", 120, TRIALS},
    };
    char behind[16], passed[16];
    run_stream(cases[_i].policy);
    int64_t turn = cases[_i].start_us / 10;
    snprintf(behind, sizeof behind, "high%d", (int)turn - 1);
    waits("low", cases[_i].start_us, SL_CAUSE_QUEUE, behind, 0);
    ck_assert_uint_eq(cell.nodes.starved[celllab_node(&cell, "low")], cases[_i].starved);
    for (int64_t i = turn; i < 12; i++) {
        snprintf(passed, sizeof passed, "high%d", (int)i);
        snprintf(behind, sizeof behind, "high%d", (int)i - 1);
        waits(passed, 10, SL_CAUSE_QUEUE, i == turn ? "low" : behind, 0);
    }
    finish();
}
END_TEST

#define WIDE_AND_NARROW                                                                            \
    "node,kind,resource,duration\nhold,compute,gpu,10us\nwide,compute,gpu:2,5us\n"                 \
    "n1,compute,gpu,4us\nn2,compute,gpu,4us\nn3,compute,gpu,4us\n"

/* Two units, one held until 10us.  wide wants both; n1, n2, n3 take the other one at 0, 4, 8us and
 * pass wide each time.  n3 ends at 12us, and wide starts. */
START_TEST(backfill_passes_the_wide_one)
{
    run("resources: {gpu: {servers: 2}}\n", WIDE_AND_NARROW, NULL);
    waits("wide", 12, SL_CAUSE_QUEUE, "n3", 3);
    waits("n1", 0, SL_CAUSE_QUEUE, NULL, 0);
    waits("n2", 4, SL_CAUSE_QUEUE, "n1", 0);
    waits("n3", 8, SL_CAUSE_QUEUE, "n2", 0);
    finish();
}
END_TEST

/* Strict: wide starts at 10us when hold leaves; behind it n1 and n2 at 15us, n3 at 19us, when n1
 * leaves (of n1 and n2, which end at once, the first by index).  Nobody is passed. */
START_TEST(strict_lets_nobody_pass)
{
    run("resources: {gpu: {servers: 2, admission: strict}}\n", WIDE_AND_NARROW, NULL);
    waits("wide", 10, SL_CAUSE_QUEUE, "hold", 0);
    waits("n1", 15, SL_CAUSE_QUEUE, "wide", 0);
    waits("n2", 15, SL_CAUSE_QUEUE, "wide", 0);
    waits("n3", 19, SL_CAUSE_QUEUE, "n1", 0);
    finish();
}
END_TEST

/* 3 GiB hold one of the 2 GiB that make and other write.  make runs until 10us, its reader until
 * 30us, and then gives the copy back: other waited 30us for bytes on a server that was free. */
START_TEST(capacity_held_by_an_object)
{
    run("resources: {gpu: {servers: 1}, link: {servers: 1}}\n"
        "domains: {hbm: {capacity: 3GiB, reserve: 0B}}\n",
        "node,kind,resource,duration,inputs,outputs\nmake,compute,gpu,10us,,x\n"
        "read,compute,gpu,20us,x,\nother,compute,link,5us,,y\nuse,compute,link,5us,y,\n",
        "object,size,home\nx,2GiB,hbm\ny,2GiB,hbm\n");
    waits("other", 30, SL_CAUSE_CAPACITY, "read", 0);
    waits("read", 0, SL_CAUSE_DATA, NULL, 0);
    finish();
}
END_TEST

/* With random durations the longest wait is the largest of all trials, and its trial the first that
 * had it: b's wait is a's duration, and it alone waits. */
START_TEST(longest_of_random_waits)
{
    run("resources: {gpu: {servers: 1}}\n",
        "node,kind,resource,duration\na,compute,gpu,exponential(mean=10us)\nb,compute,gpu,1us\n",
        NULL);
    const struct sl_wait *wait = longest("b");
    uint32_t first = 0;
    for (uint32_t t = 1; t < TRIALS; t++)
        first = cell.metric_ps[t] > cell.metric_ps[first] ? t : first;
    ck_assert_uint_eq(wait->trial, first);
    ck_assert_int_eq(wait->wait_ps, cell.metric_ps[first] - US);
    ck_assert_int_eq(wait->wait_ps, cell.max_wait_ps[first]);
    ck_assert_int_eq(wait->ready_ps, 0);
    finish();
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("liveness");
    TCase *tc = tcase_create("liveness");
    tcase_add_test(tc, fifo_queue);
    tcase_add_test(tc, wait_at_the_bound);
    tcase_add_test(tc, priority_starves);
    tcase_add_test(tc, aging_ends_starvation);
    tcase_add_test(tc, dispatch_by_priority_starves);
    tcase_add_loop_test(tc, dispatch_ages, 0, 5);
    tcase_add_test(tc, backfill_passes_the_wide_one);
    tcase_add_test(tc, strict_lets_nobody_pass);
    tcase_add_test(tc, capacity_held_by_an_object);
    tcase_add_test(tc, longest_of_random_waits);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}

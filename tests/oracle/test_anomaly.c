/* Scheduling anomalies: a list scheduler may end later with more servers, shorter durations or less
 * precedence.  R. L. Graham, "Bounds on multiprocessing timing anomalies", SIAM Journal on Applied
 * Mathematics 17 (1969): nine tasks of 3, 2, 2, 2, 4, 4, 4, 4, 9 units, T1 before T9 and T4 before
 * T5 to T8, in the list T1 ... T9 on three processors
 *
 *     end at 12 units, but at    15 on four processors
 *                                13 with every task one unit shorter
 *                                16 without T4 before T5 and T4 before T6
 *
 * Where the order that the first run realized is kept by edges, no such change makes it later:
 * every start is a longest path, and no path got longer. */
#include <config.h>

#include "change.h"
#include "dice.h"
#include "lab.h"
#include "order_insert.h"

struct run {
    struct sl_program *program;
    struct sl_worker *worker;
    const struct sl_trial *trial;
};

static struct run run_plan(struct lab *lab, const struct sl_plan *plan)
{
    struct run run;
    LAB_OK(lab, sl_program_create(&run.program, plan->graph, &plan->engine, &lab->err));
    LAB_OK(lab, sl_worker_create(&run.worker, run.program, &lab->err));
    LAB_OK(lab, sl_worker_run(run.worker, 1, 0, 0, &run.trial, &lab->err));
    return run;
}

static void end_run(struct run *run)
{
    sl_worker_free(run->worker);
    sl_program_free(run->program);
}

static int64_t makespan_of(struct lab *lab, const struct sl_plan *plan)
{
    struct run run = run_plan(lab, plan);
    int64_t makespan = run.trial->makespan_ps;
    end_run(&run);
    return makespan;
}

/* ---- Graham's ------------------------------------------------------------------------------- */

struct graham {
    uint32_t servers;
    int shorter; /* units off every task */
    bool free;   /* without T4 before T5 and T6 */
};

static void open_graham(struct lab *lab, struct graham x)
{
    static const int units[] = {3, 2, 2, 2, 4, 4, 4, 4, 9};
    lab_open(lab);
    uint32_t cpu = lab_resource(lab, "cpu", x.servers);
    lab->resources[cpu].order = SL_ORDER_PRIORITY;
    lab_graph(lab);
    for (int i = 0; i < 9; i++) {
        char name[16], duration[16];
        snprintf(name, sizeof name, "T%d", i + 1);
        snprintf(duration, sizeof duration, "%dus", units[i] - x.shorter);
        uint32_t task = lab_node(lab, name, duration, cpu);
        LAB_NODE(lab, task).priority = 9 - i;
    }
    lab_edge(lab, 0, 8);
    for (uint32_t i = x.free ? 6 : 4; i < 8; i++)
        lab_edge(lab, 3, i);
    LAB_OK(lab, sl_graph_finish(lab->graph, &lab->err));
}

static const struct graham as_given = {3, 0, false};
static const struct graham changes[] = {{4, 0, false}, {3, 1, false}, {3, 0, true}};
static const int64_t published[] = {15, 13, 16};

START_TEST(more_of_anything_may_take_longer)
{
    struct lab lab;
    open_graham(&lab, as_given);
    struct sl_plan plan = {.graph = lab.graph};
    ck_assert_int_eq(makespan_of(&lab, &plan), 12 * US);
    lab_close(&lab);
    for (int c = 0; c < 3; c++) {
        open_graham(&lab, changes[c]);
        plan.graph = lab.graph;
        ck_assert_int_eq(makespan_of(&lab, &plan), published[c] * US);
        lab_close(&lab);
    }
}
END_TEST

START_TEST(not_in_the_order_that_was_realized)
{
    struct lab before;
    open_graham(&before, as_given);
    struct sl_plan plan = {.graph = before.graph};
    struct run run = run_plan(&before, &plan);
    struct sl_order_times times = sl_order_realized(run.trial);
    for (int c = 0; c < 3; c++) {
        struct lab after;
        struct sl_plan changed, ordered;
        open_graham(&after, changes[c]);
        changed = (struct sl_plan){.graph = after.graph};
        LAB_OK(&after, sl_order_insert(&ordered, &changed, &times, SL_ORDER_EDGES, &after.err));
        ck_assert_int_le(makespan_of(&after, &ordered), 12 * US);
        sl_plan_free(&ordered);
        lab_close(&after);
    }
    end_run(&run);
    lab_close(&before);
}
END_TEST

/* ---- random graphs -------------------------------------------------------------------------- */

/* 24 nodes on two pools of servers, each node of a class of its pool; some of them take bytes that
 * a later node gives back, or use a workspace. */
enum { NODES = 24, GRAPHS = 100, GRAPHS_LONG = 3000 };

struct machine {
    uint32_t servers[2];
    int gib;
    double kappa; /* of either class beside either class; 1: nothing contends */
};

static void add_bytes(struct lab *lab, struct dice *dice, uint32_t hbm)
{
    for (uint32_t i = 0; i + 6 < NODES; i++) {
        if (dice_chance(dice, 20)) {
            uint32_t held = lab_holding(lab, SL_HOLD_OBJECT, hbm, GIB, false);
            uint32_t giver = i + 1 + dice_below(dice, 5);
            lab_takes(lab, i, held);
            lab_gives(lab, giver, held);
            lab_edge(lab, i, giver);
        } else if (dice_chance(dice, 30)) {
            lab_workspace(lab, i, hbm, GIB);
        }
    }
}

static void open_random(struct lab *lab, uint64_t seed, const struct machine *machine, bool latency)
{
    struct dice dice = {.state = seed};
    lab_open(lab);
    uint32_t gpu = lab_resource(lab, "gpu", machine->servers[0]);
    uint32_t link = lab_resource(lab, "link", machine->servers[1]);
    uint32_t hbm = lab_domain(lab, "hbm", machine->gib * GIB);
    static const char *const classes[] = {"gemm", "copy"};
    for (int a = 0; a < 2 && machine->kappa > 1; a++)
        for (int b = 0; b < 2; b++)
            lab_kappa(lab, classes[a], classes[b], machine->kappa);
    lab_graph(lab);
    for (uint32_t i = 0; i < NODES; i++) {
        char name[8], duration[16];
        bool copies = dice_chance(&dice, 40);
        snprintf(name, sizeof name, "n%u", i);
        snprintf(duration, sizeof duration, "%uus", 1 + dice_below(&dice, 20));
        uint32_t node = lab_node(lab, name, duration, copies ? link : gpu);
        LAB_NODE(lab, node).klass = lab_class(lab, classes[copies]);
        LAB_NODE(lab, node).latency_scale = latency && copies ? 0.5 : 0;
        for (uint32_t j = i > 8 ? i - 8 : 0; j < i; j++)
            if (dice_chance(&dice, 12))
                lab_edge(lab, j, node);
    }
    add_bytes(lab, &dice, hbm);
    LAB_OK(lab, sl_graph_finish(lab->graph, &lab->err));
}

/* The changes that a machine may see: more servers, more bytes, shorter durations of a class (a
 * larger bandwidth), smaller kappas of one. */
enum { MORE_SERVERS, MORE_BYTES, FASTER_COPIES, SMALLER_KAPPAS, CHANGES };

static void change_machine(struct lab *lab, int what, struct sl_changed *changed)
{
    struct sl_change change;
    LAB_OK(lab, sl_change_init(&change, &lab->platform, &lab->err));
    if (what == MORE_SERVERS)
        lab->resources[0].servers++;
    if (what == MORE_BYTES)
        change.capacities[0] = 1.5;
    if (what == FASTER_COPIES)
        change.classes[lab_class(lab, "copy")] = 0.75;
    for (uint32_t k = 0; what == SMALLER_KAPPAS && k < lab->platform.kappa.row_count; k++)
        if (lab->platform.kappa.rows[k].victim == lab_class(lab, "copy"))
            change.kappas[k] = 0.75;
    LAB_OK(lab, sl_changed_make(changed, lab->graph, &change, &lab->err));
    sl_change_free(&change);
}

struct tally {
    int runs, deadlocks;
    int anomalies[CHANGES]; /* runs that the change makes later where nothing keeps the order */
};

/* Finishes under contention are rounded to a tick. */
static void check_graph(uint64_t seed, const struct machine *machine, bool latency, unsigned what,
                        int64_t ticks, struct tally *tally)
{
    struct lab lab;
    open_random(&lab, seed, machine, latency);
    struct sl_plan plan = {.graph = lab.graph};
    struct run run = run_plan(&lab, &plan);
    tally->runs++;
    tally->deadlocks += run.trial->outcome != SL_DONE;
    for (int c = 0; c < CHANGES && run.trial->outcome == SL_DONE; c++) {
        struct sl_order_times times = sl_order_realized(run.trial);
        uint32_t servers = lab.resources[0].servers;
        struct sl_changed changed;
        change_machine(&lab, c, &changed);
        struct sl_plan after = {.graph = changed.graph}, ordered;
        tally->anomalies[c] += makespan_of(&lab, &after) > run.trial->makespan_ps + ticks;
        LAB_OK(&lab, sl_order_insert(&ordered, &after, &times, what, &lab.err));
        int64_t makespan = makespan_of(&lab, &ordered);
        if (makespan > run.trial->makespan_ps + ticks)
            ck_abort_msg("graph %llu, change %d: %lld ps after %lld ps", (unsigned long long)seed,
                         c, (long long)makespan, (long long)run.trial->makespan_ps);
        sl_plan_free(&ordered);
        sl_changed_free(&changed);
        lab.resources[0].servers = servers;
    }
    end_run(&run);
    lab_close(&lab);
}

static struct tally check_graphs(const struct machine *machine, bool latency, unsigned what,
                                 int64_t ticks)
{
    struct tally tally = {0};
    int graphs = sl_test_long() ? GRAPHS_LONG : GRAPHS;
    for (int g = 0; g < graphs; g++)
        check_graph((uint64_t)g, machine, latency, what, ticks, &tally);
    printf("# %d runs, %d deadlocked; later without the order kept: servers %d, bytes %d, copies "
           "%d, kappa %d\n",
           tally.runs, tally.deadlocks, tally.anomalies[MORE_SERVERS], tally.anomalies[MORE_BYTES],
           tally.anomalies[FASTER_COPIES], tally.anomalies[SMALLER_KAPPAS]);
    ck_assert_int_lt(tally.deadlocks, tally.runs / 4);
    return tally;
}

/* Nothing contends and units are held to the finish: edges alone keep every start. */
START_TEST(realized_order_is_never_later_without_contention)
{
    struct machine machine = {{2, 1}, 3, 1};
    struct tally tally = check_graphs(&machine, false, SL_ORDER_EDGES, 0);
    ck_assert_int_gt(tally.anomalies[MORE_SERVERS], 0);
    ck_assert_int_gt(tally.anomalies[MORE_BYTES], 0);
    ck_assert_int_gt(tally.anomalies[FASTER_COPIES], 0);
}
END_TEST

/* With contention an earlier start may slow what is critical: the starts are kept by the clock,
 * too. */
START_TEST(realized_starts_are_never_later_with_contention)
{
    struct machine machine = {{2, 1}, 3, 1.5};
    struct tally tally = check_graphs(&machine, true, SL_ORDER_EDGES | SL_ORDER_CLOCK, NODES);
    ck_assert_int_gt(tally.anomalies[SMALLER_KAPPAS], 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("anomaly");
    TCase *graham = tcase_create("graham");
    tcase_add_test(graham, more_of_anything_may_take_longer);
    tcase_add_test(graham, not_in_the_order_that_was_realized);
    suite_add_tcase(suite, graham);
    TCase *random = tcase_create("random");
    tcase_set_timeout(random, 300);
    tcase_add_test(random, realized_order_is_never_later_without_contention);
    tcase_add_test(random, realized_starts_are_never_later_with_contention);
    suite_add_tcase(suite, random);
    return sl_test_run(suite);
}

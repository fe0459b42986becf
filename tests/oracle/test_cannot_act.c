/* What a sensitivity does not simulate because it cannot act is simulated here, on random
 * scenarios: no trial may differ by a picosecond.  Memory is scarce in most of them and kappa rows
 * of all sizes are there, so that every reason occurs; deadlocks are allowed. */
#include <config.h>

#include "celllab.h"
#include "dice.h"
#include "sensitivity_parts.h"

enum { SCENARIOS = 60, TRIALS = 20 };

struct text {
    char bytes[4000];
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text->used +=
        (size_t)vsnprintf(text->bytes + text->used, sizeof text->bytes - text->used, format, args);
    va_end(args);
    ck_assert_uint_lt(text->used, sizeof text->bytes);
}

static void open_random(struct celllab *lab, struct dice *dice)
{
    static const char *const classes[] = {"x", "y", "z", "w"};
    static const char *const types[] = {"data-ready", "ordering"};
    struct text yaml = {.used = 0}, nodes = {.used = 0}, edges = {.used = 0}, kappa = {.used = 0};
    unsigned n = 4 + dice_below(dice, 8);
    put(&yaml,
        "name: random\nnodes: nodes.csv\nedges: edges.csv\n"
        "objective: {metric: makespan, tail: 0.99}\n"
        "resources:\n  p: {servers: 1, group: all}\n  q: {servers: 2, group: all}\n"
        "domains:\n  hbm: {capacity: %uMiB, reserve: 0B%s}\n  wide: {capacity: 1GiB, reserve: 0B}\n"
        "kappa: {rule: additive, table: kappa.csv, unknown_kappa: %s}\n" CELLLAB_TAIL "%d\n",
        1000 + dice_below(dice, 2000),
        dice_chance(dice, 20) ? ", fragmentation: \"uniform(1, 1.1)\"" : "",
        dice_chance(dice, 50) ? "bound" : "1", TRIALS);
    put(&nodes, "node,kind,class,resource,duration,workspace,evidence\n");
    put(&edges, "from,to,type,lag\n");
    for (unsigned i = 0; i < n; i++) {
        put(&nodes, "n%u,compute,%s,%s,exponential(mean=%uus),hbm:%uMiB;wide:%uMiB,assumed: dice\n",
            i, classes[dice_below(dice, 3)], dice_below(dice, 2) ? "p" : "q",
            1 + dice_below(dice, 20), 1 + dice_below(dice, 1000), 1 + dice_below(dice, 80));
        for (unsigned j = 0; j < i; j++)
            if (dice_chance(dice, 20))
                put(&edges, "n%u,n%u,%s,%uus\n", j, i, types[dice_below(dice, 2)],
                    dice_below(dice, 3));
    }
    put(&kappa, "victim,set,kappa\n");
    for (unsigned a = 0; a < 4; a++)
        for (unsigned b = 0; b < 4; b++)
            if (dice_chance(dice, 60))
                put(&kappa, "%s,%s,1.%u\n", classes[a], classes[b], dice_below(dice, 10));
    put(&kappa, "x,y+z,2\ny,x+x,1.7\n");
    celllab_open(lab, yaml.bytes, nodes.bytes, edges.bytes, NULL, kappa.bytes);
}

static void run(const struct sl_cell *cell, const struct sl_graph *graph, int64_t metric[TRIALS])
{
    struct sl_program *program = NULL;
    struct sl_worker *worker = NULL;
    struct sl_error err = {0};
    const struct sl_trial *trial;
    ck_assert_msg(sl_program_create(&program, graph, &cell->plan.engine, &err) == SL_OK, "%s",
                  err.message);
    ck_assert(sl_worker_create(&worker, program, &err) == SL_OK);
    for (uint32_t t = 0; t < TRIALS; t++) {
        ck_assert(sl_worker_run(worker, 1, t, 0, &trial, &err) == SL_OK);
        metric[t] = trial->makespan_ps;
    }
    sl_worker_free(worker);
    sl_program_free(program);
}

/* Counts the changes of each kind that were found unable to act. */
static void try_scenario(uint64_t seed, uint32_t counts[SL_LEVER_KINDS])
{
    struct celllab lab;
    struct sl_cell cell;
    struct sl_sensitivity s;
    struct sl_change change;
    struct dice dice = {.state = seed};
    int64_t metric[TRIALS];
    open_random(&lab, &dice);
    celllab_run(&lab, &cell);
    ck_assert(sl_sensitivity_open(&s, &cell, true, NULL, 0, &lab.err) == SL_OK);
    ck_assert(sl_change_init(&change, cell.plan.graph->platform, &lab.err) == SL_OK);
    for (uint32_t k = 0; k < s.lever_count; k++)
        for (uint32_t e = 0; e < s.levers[k].effect_count; e++) {
            const struct sl_effect *effect = &s.levers[k].effects[e];
            struct sl_changed changed;
            if (effect->state != SL_EFFECT_CANNOT)
                continue;
            sl_change_reset(&change, cell.plan.graph->platform);
            sl_lever_apply(&s, &s.levers[k], effect, &change);
            ck_assert(sl_changed_make(&changed, cell.plan.graph, &change, &lab.err) == SL_OK);
            run(&cell, changed.graph, metric);
            ck_assert_msg(memcmp(metric, cell.metric_ps, sizeof metric) == 0,
                          "scenario %llu: %s %s %+g%% acts, though %s", (unsigned long long)seed,
                          sl_lever_kind_name(s.levers[k].kind), s.levers[k].name, effect->percent,
                          effect->note);
            counts[s.levers[k].kind]++;
            sl_changed_free(&changed);
        }
    sl_change_free(&change);
    sl_sensitivity_free(&s);
    sl_cell_free(&cell);
    celllab_close(&lab);
}

START_TEST(what_cannot_act_does_not)
{
    uint32_t counts[SL_LEVER_KINDS] = {0};
    uint32_t scenarios = sl_test_long() ? 20 * SCENARIOS : SCENARIOS;
    for (uint32_t k = 0; k < scenarios; k++)
        try_scenario(k + 1, counts);
    for (int kind = 0; kind < SL_LEVER_SPEEDUP; kind++)
        printf("# %s: %u changes cannot act\n", sl_lever_kind_name((enum sl_lever_kind)kind),
               counts[kind]);
    ck_assert_uint_gt(counts[SL_LEVER_CLASS], 0);
    ck_assert_uint_gt(counts[SL_LEVER_LAG], 0);
    ck_assert_uint_gt(counts[SL_LEVER_KAPPA], 0);
    ck_assert_uint_gt(counts[SL_LEVER_CAPACITY], 6 * scenarios); /* not those of `wide` alone */
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cannot act");
    TCase *tests = tcase_create("cannot act");
    tcase_set_timeout(tests, 600);
    tcase_add_test(tests, what_cannot_act_does_not);
    suite_add_tcase(suite, tests);
    return sl_test_run(suite);
}

/* A searched plan on a better machine: more bytes, more bandwidth, more servers or smaller kappas
 * must not worsen the answer of a search that begins with the old plan and its realized order.
 *
 * The old order, edges and starts, makes a run on the better machine end no later (see
 * test_anomaly.c) where the same choices lead to the same nodes, and a search does not answer with
 * less than it began with.  Without the order a policy may well end later: such anomalies are
 * counted, not hidden. */
#include <config.h>

#include "celllab.h"
#include "dice.h"
#include "order_choices.h"
#include "order_insert.h"
#include "search.h"

enum { STAGES = 5, SIDE = 4, CASES = 6, CASES_LONG = 100 };

struct machine {
    double gib, gib_per_s, kappa;
    int servers;
};

/* A chain forwards and back, whose objects wait in between, and nodes beside it that come at some
 * time; all on one pool of servers. */
static void open_case(struct celllab *lab, uint64_t seed, const struct machine *m)
{
    struct dice dice = {.state = seed};
    char yaml[1600], nodes[3000], objects[800], edges[800], kappa[100];
    size_t n = (size_t)snprintf(nodes, sizeof nodes,
                                "node,kind,class,resource,duration,inputs,outputs,release\n");
    size_t o = (size_t)snprintf(objects, sizeof objects,
                                "object,size,home,placements,reconstruct,equivalence\n");
    size_t e = (size_t)snprintf(edges, sizeof edges, "from,to,type\n");
    for (int i = 0; i < STAGES; i++) {
        char input[8] = "";
        if (i > 0)
            snprintf(input, sizeof input, "a%d", i - 1);
        n += (size_t)snprintf(nodes + n, sizeof nodes - n, "f%d,compute,gemm,gpu,%ums,%s,a%d,\n", i,
                              2 + dice_below(&dice, 9), input, i);
        o += (size_t)snprintf(objects + o, sizeof objects - o,
                              "a%d,%uMiB,hbm,hbm;pinned,f%d,bitwise\n", i,
                              512 + 256 * dice_below(&dice, 4), i);
    }
    for (int i = STAGES - 1; i >= 0; i--)
        n += (size_t)snprintf(nodes + n, sizeof nodes - n, "b%d,compute,gemm,gpu,%ums,a%d,,\n", i,
                              4 + dice_below(&dice, 9), i);
    for (int i = STAGES - 1; i > 0; i--)
        e += (size_t)snprintf(edges + e, sizeof edges - e, "b%d,b%d,ordering\n", i, i - 1);
    for (int i = 0; i < SIDE; i++) {
        n += (size_t)snprintf(nodes + n, sizeof nodes - n, "g%d,compute,gemm,gpu,%ums,,,%ums\n", i,
                              1 + dice_below(&dice, 15), dice_below(&dice, 30));
        e += (size_t)snprintf(edges + e, sizeof edges - e, "g%d,b%u,ordering\n", i,
                              dice_below(&dice, STAGES));
    }
    ck_assert(n < sizeof nodes && o < sizeof objects && e < sizeof edges);
    snprintf(kappa, sizeof kappa, "victim,set,kappa\ngemm,copy,%g\ncopy,gemm,%g\n", m->kappa,
             m->kappa);
    snprintf(yaml, sizeof yaml,
             "name: replay\nnodes: nodes.csv\nedges: edges.csv\nobjects: objects.csv\n"
             "resources: {gpu: {servers: %d, group: g}, up: {servers: 1, group: g},\n"
             "  down: {servers: 1, group: g}}\n"
             "domains: {hbm: {capacity: %gGiB, reserve: 0B}, pinned: {capacity: 64GiB, reserve: "
             "0B}}\n"
             "routes:\n"
             "  - {from: hbm, to: pinned, resource: down, class: copy, bandwidth: %gGiB/s}\n"
             "  - {from: pinned, to: hbm, resource: up, class: copy, bandwidth: %gGiB/s}\n"
             "kappa: {table: kappa.csv, rule: additive, unknown_kappa: 1}\n"
             "policies: [{name: again, action: remat}, {name: away, action: offload, prefetch: "
             "lookahead}]\n"
             "objective: {metric: makespan, tail: 0.99, order: [median]}\n"
             "baseline: again\nseed: 1\ntrials: 1\n",
             m->servers, m->gib, m->gib_per_s, m->gib_per_s);
    celllab_open(lab, yaml, nodes, edges, objects, kappa);
}

static double search(struct celllab *lab, const struct sl_policy_spec *start,
                     struct sl_search_result *result)
{
    struct sl_search_options options = {.evaluations = 48, .start = start};
    enum sl_status status = sl_search_run(result, &lab->scenario, &options, &lab->diags, &lab->err);
    ck_assert_msg(status == SL_OK, "%s", lab->err.message);
    ck_assert(result->plans[0].figures.stuck <= 0);
    return result->plans[0].figures.values[0];
}

/* The policy of a found plan, with the order that it realizes on its machine in its table. */
static void keep_order(struct celllab *lab, const struct sl_policy_spec *found,
                       struct sl_policy_spec *kept, struct sl_tuning *tuning,
                       struct sl_arena *arena)
{
    struct sl_plan plan, ordered;
    struct sl_program *program;
    struct sl_worker *worker;
    const struct sl_trial *trial;
    struct sl_node_choice *rows;
    uint32_t count;
    struct sl_error *err = &lab->err;
    ck_assert_int_eq(sl_policy_plan(&plan, &lab->scenario, found, &lab->diags, err), SL_OK);
    ck_assert_int_eq(sl_program_create(&program, plan.graph, &plan.engine, err), SL_OK);
    ck_assert_int_eq(sl_worker_create(&worker, program, err), SL_OK);
    ck_assert_int_eq(sl_worker_run(worker, 1, 0, 0, &trial, err), SL_OK);
    struct sl_order_times times = sl_order_realized(trial);
    ck_assert_int_eq(sl_order_insert(&ordered, &plan, &times, SL_ORDER_EDGES | SL_ORDER_CLOCK, err),
                     SL_OK);
    ck_assert_int_eq(sl_order_choices(&plan, &ordered, arena, &rows, &count, err), SL_OK);
    uint32_t had = found->tuning->node_count;
    *tuning = *found->tuning;
    tuning->nodes = sl_arena_array(arena, (size_t)had + count + 1, sizeof *tuning->nodes);
    for (uint32_t i = 0; i < had + count; i++)
        tuning->nodes[i] = i < had ? found->tuning->nodes[i] : rows[i - had];
    tuning->node_count = had + count;
    *kept = *found;
    kept->name = "kept";
    kept->tuning = tuning;
    sl_plan_free(&ordered);
    sl_worker_free(worker);
    sl_program_free(program);
    sl_plan_free(&plan);
}

/* What a named policy's own plan comes to, as the search logs it; NAN: it does not run. */
static double start_figure(const struct sl_search_result *result, const char *base)
{
    for (uint32_t i = 0; i < result->log_count; i++)
        if (strcmp(result->log[i].move, "start") == 0 && strcmp(result->log[i].base, base) == 0 &&
            result->log[i].figures.stuck <= 0)
            return result->log[i].figures.values[0];
    return (double)NAN;
}

static void check_case(uint64_t seed, int *anomalies, int *worse, int *refused)
{
    static const struct machine before = {2.5, 60, 1.4, 1};
    static const struct machine after[] = {
        {3.5, 60, 1.4, 1}, {2.5, 90, 1.4, 1}, {2.5, 60, 1.4, 2}, {2.5, 60, 1.1, 1}};
    struct celllab old_lab, lab;
    struct sl_search_result old, found;
    struct sl_policy_spec kept;
    struct sl_tuning tuning;
    struct sl_arena arena = {0};
    open_case(&old_lab, seed, &before);
    double least = search(&old_lab, NULL, &old);
    keep_order(&old_lab, &old.plans[0].policy, &kept, &tuning, &arena);
    for (int c = 0; c < 4; c++) {
        open_case(&lab, seed, &after[c]);
        double now = search(&lab, &kept, &found);
        *refused += !(start_figure(&found, "kept") <= least * 1.000001);
        *worse += now > least * 1.000001;
        *anomalies += start_figure(&found, "away") > start_figure(&old, "away") * 1.000001;
        *anomalies += start_figure(&found, "again") > start_figure(&old, "again") * 1.000001;
        if (now > 1.01 * least)
            ck_abort_msg("case %llu, machine %d: %g ps after %g ps", (unsigned long long)seed, c,
                         now, least);
        sl_search_free(&found);
        celllab_close(&lab);
    }
    sl_search_free(&old);
    celllab_close(&old_lab);
    sl_arena_free(&arena);
}

START_TEST(a_better_machine_is_not_worse)
{
    int anomalies = 0, worse = 0, refused = 0, cases = sl_test_long() ? CASES_LONG : CASES;
    for (int k = 0; k < cases; k++)
        check_case((uint64_t)k, &anomalies, &worse, &refused);
    printf("# %d cases, 4 machines: %d answers later at all, %d kept orders later or refused, %d "
           "named policies later\n",
           cases, worse, refused, anomalies);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("search replay");
    TCase *cases = tcase_create("machines");
    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, a_better_machine_is_not_worse);
    suite_add_tcase(suite, cases);
    return sl_test_run(suite);
}

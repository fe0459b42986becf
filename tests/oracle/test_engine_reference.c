/* The engine against the reference simulator, event by event, on random small graphs.
 *
 * Each graph draws its features from one seed: several resources with one or more servers, groups,
 * classes with contention, demands of several units and resources, every waiting order, strict and
 * backfill, aging, lanes, lags, releases, capacity with holdings and workspace, pipelined latency,
 * pairs that must not overlap or only within a window, guards, fallbacks, and several iterations with
 * edges between them, which the reference knows by arithmetic and the engine by an unrolled graph.  Times are small integers, so that many events
 * fall on one instant. */
#include "config.h"

#include "lab.h"
#include "reference_sim.h"
#include "unroll.h"

struct random {
    uint64_t state;
};

static uint32_t below(struct random *r, uint32_t n)
{
    r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((r->state >> 33) % n);
}

static bool chance(struct random *r, uint32_t percent)
{
    return below(r, 100) < percent;
}

struct features {
    bool contention, capacity, orders, multi, strict, aging, issue, latency, overlap, windows, guards;
    uint32_t nodes, resources, domains, classes, iterations;
    int64_t unit;
};

static struct features draw_features(struct random *r)
{
    struct features f = {0};
    f.contention = chance(r, 50);
    f.capacity = chance(r, 50);
    f.orders = chance(r, 50);
    f.multi = chance(r, 50);
    f.strict = chance(r, 40);
    f.aging = chance(r, 20);
    f.issue = chance(r, 30);
    f.latency = chance(r, 30);
    f.overlap = chance(r, 40);
    f.windows = chance(r, 60);
    f.guards = chance(r, 30);
    f.iterations = chance(r, 40) ? 2 + below(r, 3) : 1;
    f.nodes = 4 + below(r, f.iterations > 1 ? 8 : 16);
    f.resources = 1 + below(r, 4);
    f.domains = 1 + below(r, 2);
    f.classes = 1 + below(r, 3);
    f.unit = chance(r, 50) ? 1 : 97;
    return f;
}

static void build_platform(struct lab *lab, struct random *r, const struct features *f)
{
    for (uint32_t k = 0; k < f->resources; k++) {
        char name[16];
        snprintf(name, sizeof name, "r%u", k);
        uint32_t i = lab_resource(lab, name, chance(r, 10) ? SL_UNLIMITED : 1 + below(r, 3));
        struct sl_resource *resource = &lab->resources[i];
        resource->order = f->orders ? (enum sl_order)below(r, SL_ORDER_ISSUE) : SL_ORDER_FIFO;
        if (f->issue && chance(r, 50))
            resource->order = SL_ORDER_ISSUE;
        if (f->strict && chance(r, 60))
            resource->admission = SL_STRICT;
        if (f->aging)
            resource->aging_ps = 1 + (int64_t)below(r, 4) * f->unit;
        resource->groups = chance(r, 70) ? 1 : below(r, 4);
    }
    for (uint32_t k = 0; k < f->domains; k++) {
        char name[16];
        snprintf(name, sizeof name, "d%u", k);
        uint32_t m = lab_domain(lab, name, chance(r, 10) ? -1 : (int64_t)(8 + below(r, 8)));
        if (lab->domains[m].capacity > 0 && chance(r, 50))
            lab->domains[m].reserve = below(r, 3);
        if (chance(r, 30))
            lab->domains[m].rounding = 2;
    }
    const char *classes[] = {"x", "y", "z"};
    for (uint32_t k = 0; k < f->classes; k++)
        lab_class(lab, classes[k]);
    const char *rules[] = {"additive", "product", "max"};
    lab_rule(lab, rules[below(r, 3)]);
    for (uint32_t a = 0; f->contention && a < f->classes; a++)
        for (uint32_t b = 0; b < f->classes; b++)
            if (chance(r, 80))
                lab_kappa(lab, classes[a], classes[b], 1 + below(r, 30) / 10.0);
    if (f->overlap && chance(r, 50))
        lab->platform.kappa.unknown = SL_UNKNOWN_FORBID;
}

static void build_node(struct lab *lab, struct random *r, const struct features *f, uint32_t i)
{
    char name[16], text[32];
    snprintf(name, sizeof name, "n%u", i);
    snprintf(text, sizeof text, "%lldps", (long long)(below(r, 7) * f->unit));
    uint32_t resource = chance(r, 92) ? below(r, f->resources) : SL_NONE;
    uint32_t n = lab_node(lab, name, chance(r, 90) ? text : NULL, SL_NONE);
    if (resource != SL_NONE)
        lab_demand(lab, n, resource, f->multi && chance(r, 40) ? 1 + below(r, 3) : 1);
    uint32_t second = below(r, f->resources);
    if (f->multi && resource != SL_NONE && second != resource && chance(r, 30))
        lab_demand(lab, n, second, 1 + below(r, 2));
    struct sl_node *node = &LAB_NODE(lab, n);
    if (chance(r, 15))
        node->kind = SL_BARRIER; /* edges of type data from it count as barrier edges */
    node->klass = chance(r, 85) ? below(r, f->classes) : SL_NONE;
    node->priority = below(r, 3);
    if (chance(r, 60))
        node->deadline_ps = (int64_t)below(r, 20) * f->unit;
    if (chance(r, 20))
        node->release_ps = (int64_t)below(r, 10) * f->unit;
    if (chance(r, 25)) {
        const char *lanes[] = {"l0", "l1"};
        node->lane = sl_names_add(&lab->graph->lane_names, lanes[below(r, 2)]);
    }
    if (f->latency && chance(r, 40))
        node->latency_scale = chance(r, 50) ? 1 : 0.5;
    bool guarded = f->guards && chance(r, 25);
    if (guarded) {
        uint32_t first = below(r, 2);
        lab_guard(lab, n, first, chance(r, 30));
        if (chance(r, 30))
            lab_guard(lab, n, 1 - first, chance(r, 50));
    }
    if (f->capacity && chance(r, 40))
        lab_workspace(lab, n, below(r, f->domains), 1 + below(r, 5));
}

/* Holdings taken by one node and given back by a later one: some graphs deadlock. */
static void build_holdings(struct lab *lab, struct random *r, const struct features *f)
{
    uint32_t count = f->capacity ? below(r, 2 * f->nodes / 3 + 1) : 0;
    int64_t initial[2] = {0, 0};
    for (uint32_t k = 0; k < count; k++) {
        uint32_t domain = below(r, f->domains);
        int64_t bytes = 1 + below(r, 5);
        bool start = chance(r, 10) && initial[domain] + bytes < 6;
        if (start)
            initial[domain] += bytes + 1;
        uint32_t h = lab_holding(lab, chance(r, 30) ? SL_HOLD_STAGING : SL_HOLD_OBJECT, domain,
                                 bytes, start);
        uint32_t taker = below(r, f->nodes), giver = taker + below(r, f->nodes - taker);
        if (!start || chance(r, 30))
            lab_takes(lab, taker, h);
        /* What is there at the start of every iteration stays. */
        if (chance(r, 85) && !(start && f->iterations > 1))
            lab_gives(lab, giver, h);
    }
}

static void build_graph(struct lab *lab, struct random *r, const struct features *f)
{
    lab_graph(lab);
    if (f->guards) { /* certain ones, so that both simulators know the outcome */
        struct sl_guard guards[] = {{.name = "always", .probability = 1, .scope = SL_SCOPE_JOB},
                                     {.name = "never", .probability = 0, .scope = SL_SCOPE_JOB}};
        ck_assert(
            sl_grow((void **)&lab->graph->guards, &lab->graph->guard_capacity, 2, sizeof *guards));
        memcpy(lab->graph->guards, guards, sizeof guards);
        lab->graph->guard_count = 2;
    }
    for (uint32_t i = 0; i < f->nodes; i++)
        build_node(lab, r, f, i);
    for (uint32_t i = 1; i < f->nodes; i++)
        for (uint32_t k = below(r, 3); k > 0; k--)
            lab_edge_typed(lab, below(r, i), i, (enum sl_edge_type)below(r, SL_EDGE_TYPES),
                           chance(r, 15) ? (int64_t)below(r, 4) * f->unit : 0);
    for (uint32_t k = f->iterations > 1 ? below(r, 5) : chance(r, 30); k > 0; k--) {
        struct sl_edge edge = {.from = {below(r, f->nodes)},
                               .to = {below(r, f->nodes)},
                               .type = (enum sl_edge_type)below(r, SL_EDGE_TYPES),
                               .lag_ps = chance(r, 30) ? (int64_t)below(r, 4) * f->unit : 0,
                               .object = {SL_NONE},
                               .next = 1 + below(r, 2)};
        LAB_OK(lab, sl_graph_add_edge(lab->graph, &edge, &lab->err));
    }
    build_holdings(lab, r, f);
    for (uint32_t k = 0; f->guards && k < 2; k++) { /* a fallback comes later: no rings */
        uint32_t i = below(r, f->nodes - 1);
        LAB_NODE(lab, i).fallback.i = i + 1 + below(r, f->nodes - i - 1);
    }
    for (uint32_t k = 0; f->overlap && k < (f->windows ? 4 : 2); k++) {
        const char *some[] = {"x", "y", "n1", "n2", "n3"};
        struct sl_overlap row = {.a = some[below(r, 5)], .b = some[below(r, 5)]};
        row.latest_ps = INT64_MAX;
        if (f->windows && chance(r, 70)) {
            row.allowed = true;
            row.earliest_ps = (int64_t)below(r, 16) * f->unit;
            if (chance(r, 60))
                row.latest_ps = row.earliest_ps + (int64_t)below(r, 8) * f->unit;
        }
        ck_assert(sl_grow((void **)&lab->graph->overlaps, &lab->graph->overlap_capacity, k + 1,
                          sizeof row));
        lab->graph->overlaps[lab->graph->overlap_count++] = row;
    }
    if (f->orders && chance(r, 20)) {
        lab->options.dispatch_given = true;
        lab->options.dispatch = (enum sl_order)below(r, SL_ORDER_ISSUE + 1);
    }
}

static void give_durations(const struct lab *lab, uint32_t base, const struct sl_trial *t,
                           struct ref_result *ref)
{
    for (uint32_t i = 0; i < lab->graph->node_count; i++) {
        const struct sl_node *node = &LAB_NODE(lab, i);
        ck_assert_uint_eq(node->iteration, i / base);
        ref->nodes[i].duration = t->duration_ps[i];
        double value = node->dist ? sl_dist_mean(node->dist) : 0;
        ref->nodes[i].latency = (int64_t)(value * node->latency_scale + 0.5);
        ref->nodes[i].guard_holds = true;
        for (uint32_t k = 0; k < node->guards.count; k++) {
            const struct sl_guard_term *term = &lab->graph->guard_terms[node->guards.first + k];
            ref->nodes[i].guard_holds &= (term->guard == 0) != term->negated;
        }
    }
}

#define SAME(what, engine, reference)                                                              \
    ck_assert_msg((int64_t)(engine) == (int64_t)(reference),                                       \
                  "graph %u, node %u: " what " is %lld, reference %lld", graph, i,                 \
                  (long long)(engine), (long long)(reference))

static void compare(const struct lab *lab, uint32_t graph, const struct sl_trial *t,
                    const struct ref_result *ref)
{
    uint32_t i = 0;
    SAME("the outcome", t->outcome == SL_DEADLOCK, ref->deadlock);
    for (i = 0; i < lab->graph->node_count; i++) {
        const struct ref_node *node = &ref->nodes[i];
        SAME("the start", t->start_ps[i], node->start);
        SAME("the state", t->state[i], node->state);
        SAME("the finish", t->finish_ps[i], node->finish);
        SAME("bypassed", t->bypassed[i], node->bypassed);
        if (node->state == SL_UNFINISHED)
            continue;
        if (node->state == SL_RAN) {
            SAME("ready", t->ready_ps[i], node->ready);
            SAME("free", t->free_ps[i], node->free);
        }
        SAME("the cause", t->cause[i], node->cause);
        SAME("behind", t->behind[i], node->behind);
        SAME("the lag", t->lag_ps[i], node->lag);
        if (node->behind != SL_NONE)
            SAME("by free", t->behind_by_free[i], node->by_free);
    }
    if (!ref->deadlock)
        SAME("the makespan", t->makespan_ps, ref->makespan);
    for (i = 0; i < lab->platform.domain_names.count; i++)
        SAME("the peak", t->peak_bytes[i], ref->peak[i]);
    SAME("bypasses", t->bypasses, ref->bypasses);
}

/* Runs an unrolled copy; what comes back is the graph of one iteration, by which the reference goes
 * and which outlives the copy. */
static struct sl_graph *unroll(struct lab *lab, uint32_t iterations)
{
    struct sl_graph *one = lab->graph;
    struct sl_plan plan = {.graph = sl_graph_copy(one)};
    ck_assert_ptr_nonnull(plan.graph);
    lab->graph = plan.graph;
    LAB_OK(lab, sl_graph_finish(lab->graph, &lab->err));
    if (iterations > 1)
        LAB_OK(lab, sl_plan_unroll(&plan, iterations, &lab->err));
    return one;
}

static void run_graph(uint32_t graph, uint32_t *deadlocks)
{
    static struct lab lab;
    static struct ref_result ref;
    struct random r = {UINT64_C(0x9e3779b97f4a7c15) * (graph + 1)};
    struct features f = draw_features(&r);
    lab_open(&lab);
    build_platform(&lab, &r, &f);
    build_graph(&lab, &r, &f);
    struct sl_graph *one = unroll(&lab, f.iterations);
    const struct sl_trial *t = lab_run(&lab, 1, graph);
    give_durations(&lab, one->node_count, t, &ref);
    ref_simulate(one, &lab.options, f.iterations, &ref);
    compare(&lab, graph, t, &ref);
    *deadlocks += ref.deadlock;
    if (ref.deadlock)
        ck_assert_msg(t->deadlock && t->deadlock[0], "graph %u: no deadlock report", graph);
    lab_close(&lab);
    sl_graph_free(one);
}

START_TEST(engine_agrees_with_reference)
{
    uint32_t deadlocks = 0, first = (uint32_t)_i * 1000;
    for (uint32_t graph = first; graph < first + 1000; graph++)
        run_graph(graph, &deadlocks);
    /* Both endings must have been compared. */
    ck_assert_uint_gt(deadlocks, 20);
    ck_assert_uint_lt(deadlocks, 800);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("engine_reference");
    TCase *c = tcase_create("random graphs");
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, engine_agrees_with_reference, 0, sl_test_long() ? 10 : 4);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}

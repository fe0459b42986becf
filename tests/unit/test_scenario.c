/* A scenario that uses every section and column: each field lands where scenario.h says. */
#include <config.h>

#include "harness.h"
#include "scenario.h"
#include "tempdir.h"
#include "units.h"
#include <math.h>

#define US  ((int64_t)SL_PS_PER_US)
#define MIB ((int64_t)1 << 20)
#define GIB ((int64_t)1 << 30)

static const char full_yaml[] =
    "name: full\n"
    "description: every section\n"
    "resources:\n"
    "  compute: {servers: 2, order: priority, aging: 3us, admission: strict, group: [gpu0, gpu1]}\n"
    "  h2d: {group: gpu0}\n"
    "  host: {servers: unlimited}\n"
    "domains:\n"
    "  hbm: {capacity: 80GiB, reserve: 2GiB, rounding: 2MiB, fragmentation: 'uniform(low=1, "
    "high=1.5)'}\n"
    "  pinned: {capacity: 8GiB, reserve: 0B}\n"
    "routes:\n"
    "  - {from: pinned, to: hbm, resource: h2d, class: copy.h2d, bandwidth: 50GB/s, overhead: 1us,"
    " latency: 8us, chunk: 32MiB, noise: 'lognormal(mean=1, cv=0.1)', evidence: 'measured: ours'}\n"
    "costs: [{what: allocation, domain: hbm, resource: host, duration: 5us}]\n"
    "guards: {hit: {probability: 0.85, scope: layer}}\n"
    "factors:\n"
    "  clock: {draw: 'lognormal(mean=1.1, cv=0.03)', per: trial, classes: [gemm, attention]}\n"
    "  link: {draw: 'regime(p=0.1, level=2, dwell=10ms)', routes: 'pinned->hbm'}\n"
    "kappa: {rule: max, unknown_kappa: 1.5, table: pairs.csv}\n"
    "run: {mode: once}\n"
    "objective:\n"
    "  metric: makespan\n"
    "  tail: 0.95\n"
    "  order: [tail, peak.hbm]\n"
    "  constraints: [peak.hbm <= 74GiB, tail <= 120ms, max_wait <= 50ms]\n"
    "  min_gain: 1%\n"
    "  busy: h2d\n"
    "baseline: retain\n"
    "fallback_baseline: jit\n"
    "policies:\n"
    "  - {name: retain, action: retain}\n"
    "  - name: jit\n"
    "    action: offload\n"
    "    prefetch: {when: jit, quantile: 0.95}\n"
    "    rules: [{objects: [w*, x], action: remat}, {objects: 'a; b'}]\n"
    "sweep:\n"
    "  policy.prefetch.quantile: [0.5, 0.9]\n"
    "  domains.hbm.capacity: [80GiB, 100GiB]\n"
    "trials: 123\n"
    "seed: 42\n";
static const char full_nodes[] =
    "node,key,kind,class,resource,duration,inputs,outputs,object,from,to,workspace,staging,"
    "staging_until,lane,layer,guard,release,deadline,priority,fallback,work,evidence,confidence\n"
    "load,,prefetch,,,,,,w,pinned,hbm,,pinned:16MiB,mm,copy,,,,,,,,,\n"
    "mm,step0,compute,gemm,compute:2;host,\"uniform(low=100us, high=140us)\",w;x,y,,,,"
    "hbm:64MiB;pinned:1MiB,,,s0,L0,!hit,5us,2ms,-1.5,alt,,measured: nsys,0.9\n"
    "alt,,compute,attention,compute,10us,w,y,,,,,,,s0,,,,,,,,bounded: model,\n";
static const char full_edges[] = "from,to,type,lag,object,scope,evidence\n"
                                 "load,mm,storage-ready,2us,w,same,assumed: x\n"
                                 "mm,load,lifetime-hold,,,next:3,\n"
                                 "load,alt,,,,,\n";
static const char full_objects[] =
    "object,size,home,placements,alias_of,initial,persist,reconstruct,equivalence,reclaim_when,"
    "evidence\n"
    "w,100MiB,hbm,hbm;pinned,,pinned,yes,,bitwise,,published: paper\n"
    "x,1MiB,,hbm,,hbm,,,,,\n"
    "view,1MiB,,,x,,,,,,\n"
    "y,3MiB,hbm,,,,,mm,tolerance,after step,\n";
static const char full_overlap[] = "a,b,allowed,proof,contention,earliest,latest\n"
                                   "gemm,copy.h2d,yes,doc,1.5;1.1,1us,9us\n"
                                   "mm,attention,no,,,,\n";
static const char full_pairs[] = "victim,set,kappa\ngemm,copy.h2d,1.25\n";

static struct tempdir dir;
static struct sl_scenario scenario;
static struct sl_diags diags;

static void open_dir(void)
{
    tempdir_make(&dir);
    diags = (struct sl_diags){0};
}

static void close_dir(void)
{
    sl_scenario_free(&scenario);
    sl_diags_free(&diags);
    tempdir_remove(&dir);
}

static enum sl_status load(const struct sl_override *overrides, uint32_t count)
{
    struct sl_error err = {0};
    return sl_scenario_load(&scenario, dir.path, overrides, count, &diags, &err);
}

static void load_full(const struct sl_override *overrides, uint32_t count)
{
    tempdir_write(&dir, "scenario.yaml", full_yaml);
    tempdir_write(&dir, "nodes.csv", full_nodes);
    tempdir_write(&dir, "edges.csv", full_edges);
    tempdir_write(&dir, "objects.csv", full_objects);
    tempdir_write(&dir, "overlap.csv", full_overlap);
    tempdir_write(&dir, "pairs.csv", full_pairs);
    enum sl_status status = load(overrides, count);
    if (status)
        sl_diags_print(&diags, stderr);
    ck_assert_int_eq(status, SL_OK);
}

static bool has(const char *code)
{
    for (size_t i = 0; i < diags.count; i++)
        if (strcmp(diags.items[i].code, code) == 0)
            return true;
    return false;
}

START_TEST(platform_lands)
{
    load_full(NULL, 0);
    const struct sl_platform *p = &scenario.platform;
    ck_assert_uint_eq(p->resource_names.count, 3);
    ck_assert_uint_eq(p->resources[0].servers, 2);
    ck_assert_int_eq(p->resources[0].order, SL_ORDER_PRIORITY);
    ck_assert_int_eq(p->resources[0].admission, SL_STRICT);
    ck_assert_int_eq(p->resources[0].aging_ps, 3 * US);
    ck_assert_uint_eq(p->resources[0].groups, 3);
    ck_assert_uint_eq(p->resources[1].servers, 1);
    ck_assert_uint_eq(p->resources[1].groups, 1);
    ck_assert_int_eq(p->resources[1].order, SL_ORDER_ISSUE); /* a route names it */
    ck_assert_uint_eq(p->resources[2].servers, SL_UNLIMITED);
    ck_assert_int_eq(p->domains[0].capacity, 80 * GIB);
    ck_assert_int_eq(p->domains[0].reserve, 2 * GIB);
    ck_assert_int_eq(p->domains[0].rounding, 2 * MIB);
    ck_assert(fabs(sl_dist_mean(p->domains[0].fragmentation) - 1.25) < 1e-9);
    ck_assert_ptr_null(p->domains[1].fragmentation);
    const struct sl_route *route = sl_platform_route(p, 1, 0);
    ck_assert_ptr_nonnull(route);
    ck_assert_ptr_null(sl_platform_route(p, 0, 1));
    ck_assert_uint_eq(route->resource, 1);
    ck_assert_str_eq(p->kappa.classes.names[route->klass], "copy.h2d");
    ck_assert(route->bandwidth == 50e9);
    ck_assert_int_eq(route->overhead_ps, US);
    ck_assert_int_eq(route->latency_ps, 8 * US);
    ck_assert_int_eq(route->chunk, 32 * MIB);
    ck_assert(fabs(sl_dist_mean(route->noise) - 1) < 1e-9);
    ck_assert_str_eq(route->evidence, "measured: ours");
    ck_assert(p->resources[0].order_given && !p->resources[1].order_given);
    ck_assert_uint_eq(p->cost_count, 1);
    ck_assert_int_eq(p->costs[0].what, SL_COST_ALLOCATION);
    ck_assert_uint_eq(p->costs[0].domain, 0);
    ck_assert_uint_eq(p->costs[0].resource, 2);
    ck_assert(fabs(sl_dist_mean(p->costs[0].duration) - 5e6) < 1);
    ck_assert_str_eq(p->kappa.rule_name, "max");
    ck_assert_int_eq(p->kappa.unknown, SL_UNKNOWN_NUMBER);
    ck_assert(p->kappa.unknown_value == 1.5);
    ck_assert_uint_eq(p->kappa.row_count, 2); /* and the estimate of overlap.csv */
    ck_assert(p->kappa.rows[0].kappa == 1.25);
    ck_assert_uint_eq(p->input_count, 6);
    ck_assert_ptr_null(p->device_name);
}
END_TEST

START_TEST(nodes_land)
{
    load_full(NULL, 0);
    const struct sl_graph *g = scenario.graph;
    ck_assert_uint_eq(g->node_count, 3);
    const struct sl_node *load_node = &g->nodes[0], *mm = &g->nodes[1], *alt = &g->nodes[2];
    ck_assert_int_eq(load_node->kind, SL_PREFETCH);
    ck_assert_uint_eq(load_node->object.i, 0);
    ck_assert_uint_eq(load_node->from, 1);
    ck_assert_uint_eq(load_node->to, 0);
    /* 100 MiB in chunks of 32 MiB: four overheads and the bytes. */
    ck_assert(fabs(load_node->scale - (4e6 + 104857600.0 / 50e9 * 1e12)) < 1);
    ck_assert(load_node->latency_scale == 8e6);
    ck_assert_uint_eq(g->demands[load_node->demands.first].resource, 1);
    ck_assert_int_eq(load_node->evidence, SL_MEASURED); /* the route's */
    ck_assert_str_eq(load_node->evidence_text, "ours");
    ck_assert_uint_eq(load_node->staging_until.i, 1);
    ck_assert_uint_eq(g->amounts[load_node->staging.first].domain, 1);
    ck_assert_int_eq(g->amounts[load_node->staging.first].bytes, 16 * MIB);
    ck_assert_str_eq(mm->key, "step0");
    ck_assert_uint_eq(mm->key_hash, sl_hash_text("step0"));
    ck_assert_uint_eq(mm->demands.count, 2);
    ck_assert_uint_eq(g->demands[mm->demands.first].units, 2);
    ck_assert_uint_eq(g->demands[mm->demands.first + 1].resource, 2);
    ck_assert(fabs(sl_dist_mean(mm->dist) - 120e6) < 1);
    ck_assert(mm->scale == 1);
    ck_assert_uint_eq(mm->inputs.count, 2);
    ck_assert_uint_eq(g->objects_pool[mm->inputs.first + 1].i, 1);
    ck_assert_uint_eq(g->objects_pool[mm->outputs.first].i, 3);
    ck_assert_uint_eq(mm->workspace.count, 2);
    ck_assert_int_eq(g->amounts[mm->workspace.first].bytes, 64 * MIB);
    ck_assert_str_eq(g->lane_names.names[mm->lane], "s0");
    ck_assert_str_eq(g->layer_names.names[mm->layer], "L0");
    ck_assert_uint_eq(mm->guards.count, 1);
    ck_assert_uint_eq(g->guard_terms[mm->guards.first].guard, 0);
    ck_assert(g->guard_terms[mm->guards.first].negated);
    ck_assert_int_eq(mm->release_ps, 5 * US);
    ck_assert_int_eq(mm->deadline_ps, 2000 * US);
    ck_assert(mm->priority == -1.5);
    ck_assert_uint_eq(mm->fallback.i, 2);
    ck_assert_int_eq(mm->evidence, SL_MEASURED);
    ck_assert_str_eq(mm->evidence_text, "nsys");
    ck_assert(mm->confidence == 0.9);
    ck_assert_int_eq(alt->evidence, SL_BOUNDED);
    ck_assert(isnan(alt->confidence));
    ck_assert_int_eq(alt->deadline_ps, INT64_MAX);
    /* The factor on gemm is 1.1 in the mean; the regime counts as 1. */
    ck_assert(fabs(sl_node_mean_hold(g, (sl_node_id){1}) - 132e6) < 1e3);
    ck_assert(sl_factor_applies(g, &g->factors[1], (sl_node_id){0}));
    ck_assert(!sl_factor_applies(g, &g->factors[1], (sl_node_id){1}));
}
END_TEST

START_TEST(edges_objects_and_the_rest_land)
{
    load_full(NULL, 0);
    const struct sl_graph *g = scenario.graph;
    ck_assert_uint_eq(g->edge_count, 3);
    ck_assert_int_eq(g->edges[0].type, SL_EDGE_STORAGE);
    ck_assert_int_eq(g->edges[0].lag_ps, 2 * US);
    ck_assert_uint_eq(g->edges[0].object.i, 0);
    ck_assert_uint_eq(g->edges[1].next, 3);
    ck_assert_int_eq(g->edges[2].type, SL_EDGE_DATA);
    ck_assert_uint_eq(g->object_count, 4);
    ck_assert_int_eq(g->objects[0].bytes, 100 * MIB);
    ck_assert_uint_eq(g->objects[0].home, 0);
    ck_assert_uint_eq(g->objects[0].placements.count, 2);
    ck_assert_uint_eq(g->objects[0].initial, 1);
    ck_assert(g->objects[0].persist);
    ck_assert_int_eq(g->objects[0].equivalence, SL_EQ_BITWISE);
    ck_assert_int_eq(g->objects[0].evidence, SL_PUBLISHED);
    ck_assert_uint_eq(g->objects[1].home, 0); /* the first placement */
    ck_assert_uint_eq(sl_object_root(g, (sl_object_id){2}).i, 1);
    ck_assert_uint_eq(g->objects[3].reconstruct.i, 1);
    ck_assert_int_eq(g->objects[3].equivalence, SL_EQ_TOLERANCE);
    ck_assert_str_eq(g->objects[3].reclaim_when, "after step");
    ck_assert_uint_eq(g->guard_count, 1);
    ck_assert(g->guards[0].probability == 0.85);
    ck_assert_int_eq(g->guards[0].scope, SL_SCOPE_LAYER);
    ck_assert_uint_eq(g->factor_count, 2);
    ck_assert_str_eq(g->factors[0].classes, "gemm;attention");
    ck_assert_int_eq(g->factors[0].scope, SL_SCOPE_JOB);
    ck_assert(g->factors[1].is_regime);
    ck_assert(g->factors[1].p == 0.1 && g->factors[1].level == 2);
    ck_assert_int_eq(g->factors[1].dwell_ps, 10000 * US);
    ck_assert_str_eq(g->factors[1].routes, "pinned->hbm");
    ck_assert_ptr_null(g->factors[1].draw);
    ck_assert(fabs(sl_dist_mean(g->factors[0].draw) - 1.1) < 1e-9);
    ck_assert_uint_eq(g->overlap_count, 2);
    ck_assert(g->overlaps[0].allowed);
    ck_assert_str_eq(g->overlaps[0].b, "copy.h2d");
    ck_assert_str_eq(g->overlaps[0].proof, "doc");
    ck_assert_str_eq(g->overlaps[0].contention, "1.5;1.1");
    ck_assert_int_eq(g->overlaps[0].earliest_ps, US);
    ck_assert_int_eq(g->overlaps[0].latest_ps, 9 * US);
    ck_assert_int_eq(g->overlaps[1].earliest_ps, 0);
    ck_assert_int_eq(g->overlaps[1].latest_ps, INT64_MAX);
    /* The kappa table has gemm beside copy.h2d; the other direction is the estimate. */
    const struct sl_kappa *kappa = &scenario.platform.kappa;
    uint32_t gemm = sl_names_find(&kappa->classes, "gemm"),
             copy = sl_names_find(&kappa->classes, "copy.h2d");
    ck_assert(sl_kappa_pair(kappa, gemm, copy, 0) == 1.25);
    ck_assert(sl_kappa_pair(kappa, copy, gemm, 0) == 1.1);
    ck_assert(has("unused-parameter"));
    ck_assert_ptr_null(g->overlaps[1].proof);
    ck_assert_str_eq(g->overlaps[1].a, "mm");
    ck_assert(!g->overlaps[1].allowed);
}
END_TEST

START_TEST(what_to_run_lands)
{
    load_full(NULL, 0);
    ck_assert_str_eq(scenario.name, "full");
    ck_assert_str_eq(scenario.description, "every section");
    ck_assert(scenario.objective.tail == 0.95 && scenario.objective.tail_given);
    ck_assert_uint_eq(scenario.objective.order_count, 2);
    ck_assert_int_eq(scenario.objective.order[0].measure, SL_MEASURE_TAIL);
    ck_assert_str_eq(scenario.objective.order[1].name, "peak.hbm");
    ck_assert_int_eq(scenario.objective.order[1].measure, SL_MEASURE_PEAK);
    ck_assert_uint_eq(scenario.objective.order[1].domain,
                      sl_names_find(&scenario.platform.domain_names, "hbm"));
    ck_assert_uint_eq(scenario.objective.constraint_count, 3);
    ck_assert_str_eq(scenario.objective.constraints[0].left, "peak.hbm");
    ck_assert_int_eq(scenario.objective.constraints[0].unit, SL_LIMIT_BYTES);
    ck_assert(scenario.objective.constraints[0].limit == 74.0 * (double)GIB);
    ck_assert(scenario.objective.constraints[1].limit == 120e9);
    ck_assert_int_eq(scenario.starvation_bound_ps, 50000 * US);
    ck_assert(scenario.objective.min_gain == 0.01);
    ck_assert_uint_eq(scenario.objective.busy, 1);
    ck_assert_str_eq(scenario.baseline, "retain");
    ck_assert_str_eq(scenario.fallback_baseline, "jit");
    ck_assert_uint_eq(scenario.axis_count, 2);
    ck_assert_str_eq(scenario.axes[1].path, "domains.hbm.capacity");
    ck_assert_uint_eq(scenario.axes[1].value_count, 2);
    ck_assert_str_eq(scenario.axes[1].values[1]->text, "100GiB");
    ck_assert_uint_eq(scenario.trials, 123);
    ck_assert_uint_eq(scenario.seed, 42);
}
END_TEST

static const struct sl_setting *setting(const struct sl_policy_rule *rule, const char *key)
{
    for (uint32_t i = 0; i < rule->count; i++)
        if (strcmp(rule->settings[i].key, key) == 0)
            return &rule->settings[i];
    return NULL;
}

START_TEST(policies_are_flat_and_rules_inherit)
{
    load_full(NULL, 0);
    const struct sl_policy_spec *jit = sl_scenario_policy(&scenario, "jit");
    ck_assert_ptr_nonnull(jit);
    ck_assert_uint_eq(jit->rule_count, 3); /* two rules, then the top level */
    ck_assert_str_eq(setting(&jit->rules[0], "action")->values[0], "remat");
    ck_assert_uint_eq(setting(&jit->rules[0], "objects")->value_count, 2);
    ck_assert_str_eq(setting(&jit->rules[0], "prefetch.when")->values[0], "jit");
    ck_assert_str_eq(setting(&jit->rules[1], "action")->values[0], "offload");
    ck_assert_uint_eq(setting(&jit->rules[1], "objects")->value_count, 2);
    ck_assert_str_eq(setting(&jit->rules[1], "objects")->values[1], "b");
    ck_assert_str_eq(setting(&jit->rules[2], "prefetch.quantile")->values[0], "0.95");
    ck_assert_ptr_null(setting(&jit->rules[2], "objects"));
    ck_assert_ptr_null(setting(&jit->rules[2], "name"));
}
END_TEST

START_TEST(overrides_change_the_tree)
{
    struct sl_arena arena = {0};
    struct sl_error err = {0};
    struct sl_override set[4];
    static const char *const texts[] = {"domains.hbm.capacity=90GiB", "trials=7",
                                        "policy.prefetch.quantile=0.5", "objective={tail: 0.9}"};
    for (size_t i = 0; i < 4; i++)
        ck_assert_int_eq(sl_override_parse(&set[i], texts[i], &arena, &err), SL_OK);
    load_full(set, 4);
    ck_assert_int_eq(scenario.platform.domains[0].capacity, 90 * GIB);
    ck_assert_uint_eq(scenario.trials, 7);
    ck_assert(scenario.objective.tail == 0.9);
    ck_assert_uint_eq(scenario.objective.constraint_count, 0);
    ck_assert_uint_eq(scenario.objective.busy, 0); /* compute again */
    for (uint32_t p = 0; p < 2; p++) {
        const struct sl_policy_spec *policy = &scenario.policies[p];
        ck_assert_str_eq(
            setting(&policy->rules[policy->rule_count - 1], "prefetch.quantile")->values[0], "0.5");
    }
    ck_assert_int_eq(sl_override_parse(&set[0], "trials", &arena, &err), SL_USAGE);
    sl_arena_free(&arena);
}
END_TEST

START_TEST(a_wrong_override_is_located)
{
    struct sl_arena arena = {0};
    struct sl_error err = {0};
    struct sl_override set;
    ck_assert_int_eq(sl_override_parse(&set, "domains.hbm.capacity=90", &arena, &err), SL_OK);
    tempdir_write(&dir, "scenario.yaml", full_yaml);
    tempdir_write(&dir, "nodes.csv", full_nodes);
    tempdir_write(&dir, "edges.csv", full_edges);
    tempdir_write(&dir, "objects.csv", full_objects);
    tempdir_write(&dir, "overlap.csv", full_overlap);
    tempdir_write(&dir, "pairs.csv", full_pairs);
    ck_assert_int_eq(load(&set, 1), SL_INVALID);
    ck_assert_uint_eq(diags.errors, 1);
    for (size_t i = 0; i < diags.count; i++)
        if (diags.items[i].severity == SL_ERROR)
            ck_assert_str_eq(diags.items[i].place.file, "--set");
    sl_arena_free(&arena);
}
END_TEST

START_TEST(little_is_required)
{
    tempdir_write(&dir, "scenario.yaml", "name: little\n");
    tempdir_write(&dir, "nodes.csv", "node,kind\na,compute\n");
    ck_assert_int_eq(load(NULL, 0), SL_OK);
    ck_assert_uint_eq(scenario.graph->node_count, 1);
    ck_assert_ptr_null(scenario.graph->nodes[0].dist);
    ck_assert_uint_eq(scenario.policy_count, 1);
    ck_assert_str_eq(scenario.policies[0].name, "as-given");
    ck_assert_uint_eq(scenario.objective.busy, SL_NONE);
    ck_assert_int_eq(scenario.starvation_bound_ps, -1);
    ck_assert(has("assumed-tail"));
}
END_TEST

START_TEST(what_changes_nothing_is_named)
{
    tempdir_write(&dir, "scenario.yaml",
                  "name: idle\n"
                  "resources: {compute: {servers: 1}, spare: {servers: 1, aging: 1us}}\n"
                  "domains: {hbm: {capacity: 1GiB}, idle: {capacity: 1GiB}}\n"
                  "guards: {never: {probability: 0.5}}\n"
                  "factors: {none: {draw: const(2), classes: gem}}\n"
                  "kappa: {rule: additive, demands: {gemm: {link: 0.5}}}\n"
                  "objective: {constraints: [peak.hbm <= 2GiB]}\n"
                  "run: {mode: once, warmup: 5}\n");
    tempdir_write(&dir, "nodes.csv",
                  "node,kind,class,resource,duration,workspace\n"
                  "a,compute,gemm,compute,1us,hbm:1MiB\n");
    tempdir_write(&dir, "objects.csv", "object,size,home\nx,1MiB,hbm\n");
    ck_assert_int_eq(load(NULL, 0), SL_OK);
    static const char *const codes[] = {"unused-resource", "unused-domain",   "unused-guard",
                                        "unused-factor",   "unused-object",   "unused-parameter",
                                        "no-evidence",     "assumed-reserve", "implied-constraint",
                                        "assumed-tail"};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        ck_assert_msg(has(codes[i]), "no %s", codes[i]);
    ck_assert_uint_eq(diags.errors, 0);
}
END_TEST

/* What guards say that cannot be, and what means nothing. */
START_TEST(guards_are_judged)
{
    static const struct {
        const char *run, *guards, *cell, *code;
    } cases[] = {
        {"mode: once", "g: {probability: 0.5}", "g & g", "bad-guard"},
        {"mode: once", "g: {probability: 0.5}", "g & !g", "bad-guard"},
        {"mode: once", "g: {probability: 0.5}", "g &", "bad-guard"},
        {"mode: once", "g: {probability: 0.5}", "& g", "bad-guard"},
        {"mode: once", "g: {probability: 0.5}", "g & k", "unknown-guard"},
        {"mode: once", "'a&b': {probability: 0.5}", "", "bad-name"},
        {"mode: once", "g: {probability: 0.5, persistence: 1.5}", "g", "bad-number"},
        {"mode: once", "g: {probability: 0.5, correlate: {factor: f}}", "g", "missing-key"},
        {"mode: once", "g: {probability: 0.5, correlate: {factor: jam, rho: 0.5}}", "g",
         "bad-guard"},
        {"mode: iterate, iterations: 3",
         "g: {probability: 0.5, scope: node, persistence: 0.5, correlate: {factor: day, rho: 1}}",
         "g", "bad-guard"},
        {"mode: once", "g: {probability: 0.5, scope: node, persistence: 0.5}", "g",
         "unused-parameter"},
        {"mode: iterate, iterations: 3", "g: {probability: 0.5, persistence: 0.5}", "g",
         "unused-parameter"},
        {"mode: once", "g: {probability: 0.5, correlate: {factor: f, rho: 0.5}}", "g",
         "unused-parameter"},
    };
    char text[700];
    snprintf(text, sizeof text,
             "name: g\nrun: {%s}\nguards: {%s}\n"
             "factors: {jam: {draw: 'regime(0.1, 2, 1ms)'}, day: {draw: const(2)}}\n",
             cases[_i].run, cases[_i].guards);
    tempdir_write(&dir, "scenario.yaml", text);
    snprintf(text, sizeof text, "node,kind,guard\na,compute,%s\n", cases[_i].cell);
    tempdir_write(&dir, "nodes.csv", text);
    (void)load(NULL, 0);
    ck_assert_msg(has(cases[_i].code), "%s, %s: no %s", cases[_i].guards, cases[_i].cell,
                  cases[_i].code);
    ck_assert((diags.errors > 0) == (strcmp(cases[_i].code, "unused-parameter") != 0));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("scenario");
    TCase *c = tcase_create("scenario");
    tcase_add_checked_fixture(c, open_dir, close_dir);
    tcase_add_test(c, platform_lands);
    tcase_add_test(c, nodes_land);
    tcase_add_test(c, edges_objects_and_the_rest_land);
    tcase_add_test(c, what_to_run_lands);
    tcase_add_test(c, policies_are_flat_and_rules_inherit);
    tcase_add_test(c, overrides_change_the_tree);
    tcase_add_test(c, a_wrong_override_is_located);
    tcase_add_test(c, little_is_required);
    tcase_add_test(c, what_changes_nothing_is_named);
    tcase_add_loop_test(c, guards_are_judged, 0, 13);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}

/* No setting of a policy is silent: every parameter of every registered part changes some metric of
 * some run, and so does every word of a role; where a part does not have a parameter, a warning
 * names it.
 *
 * Policies are the examples of the registry, with one setting changed, so that a new part is swept
 * as soon as it is registered.  The scenarios: a chain of states walked forwards and back, in too
 * little memory and in enough, over a noisy link with two places to go; and a queue whose orders
 * differ. */
#include <config.h>

#include "parts.h"
#include "planlab.h"

#define MACHINE(hbm)                                                                               \
    "name: parameters\nnodes: nodes.csv\nobjects: objects.csv\n"                                   \
    "resources:\n"                                                                                 \
    "  compute: {servers: 1}\n  h2d: {servers: 1}\n  d2h: {servers: 1}\n"                          \
    "domains:\n"                                                                                   \
    "  hbm: {capacity: " hbm ", reserve: 0B}\n  pinned: {capacity: 64GiB, reserve: 0B}\n"          \
    "  host: {capacity: 64GiB, reserve: 0B}\n"                                                     \
    "routes:\n"                                                                                    \
    "  - {from: hbm, to: pinned, resource: d2h, bandwidth: 100GiB/s, noise: \"lognormal(mean=1, "  \
    "cv=0.3)\"}\n"                                                                                 \
    "  - {from: pinned, to: hbm, resource: h2d, bandwidth: 100GiB/s, noise: \"lognormal(mean=1, "  \
    "cv=0.3)\"}\n"                                                                                 \
    "  - {from: hbm, to: host, resource: d2h, bandwidth: 50GiB/s}\n"                               \
    "  - {from: host, to: hbm, resource: h2d, bandwidth: 50GiB/s}\n"                               \
    "objective: {metric: makespan, tail: 0.99}\ntrials: 1\nseed: 1\n"

static const char chain_nodes[] =
    "node,kind,resource,lane,duration,inputs,outputs,workspace\n"
    "f0,compute,compute,s,10ms,,x_in.0,\ng0,compute,compute,s,3ms,,norm1.0,\n"
    "f1,compute,compute,s,15ms,x_in.0,x_in.1,\ng1,compute,compute,s,3ms,,norm1.1,\n"
    "f2,compute,compute,s,10ms,x_in.1,x_in.2,\ng2,compute,compute,s,3ms,,norm1.2,\n"
    "f3,compute,compute,s,15ms,x_in.2,x_in.3,\ng3,compute,compute,s,3ms,,norm1.3,\n"
    "turn,compute,compute,s,30ms,,,hbm:512MiB\n"
    "b3,compute,compute,s,30ms,x_in.3;norm1.3,,\nb2,compute,compute,s,20ms,x_in.2;norm1.2,,\n"
    "b1,compute,compute,s,30ms,x_in.1;norm1.1,,\nb0,compute,compute,s,20ms,x_in.0;norm1.0,,\n";
static const char chain_objects[] =
    "object,size,home,placements,reconstruct,equivalence\n"
    "x_in.0,1GiB,hbm,hbm;pinned;host,f0,bitwise\nx_in.1,1GiB,hbm,hbm;pinned;host,f1,bitwise\n"
    "x_in.2,2GiB,hbm,hbm;pinned;host,f2,bitwise\nx_in.3,1GiB,hbm,hbm;pinned;host,f3,bitwise\n"
    "norm1.0,256MiB,hbm,hbm;pinned;host,g0,bitwise\n"
    "norm1.1,512MiB,hbm,hbm;pinned;host,g1,bitwise\n"
    "norm1.2,256MiB,hbm,hbm;pinned;host,g2,bitwise\n"
    "norm1.3,512MiB,hbm,hbm;pinned;host,g3,bitwise\n";

/* While `first` runs, four others come to wait; each order starts another one of them next. */
static const char queue_nodes[] =
    "node,kind,resource,duration,release,priority,deadline,inputs,outputs,workspace\n"
    "first,compute,compute,10ms,,,,,,\n"
    "early,compute,compute,9ms,1ms,0,,,,hbm:1GiB\nurgent,compute,compute,8ms,2ms,3,,,,hbm:2GiB\n"
    "due,compute,compute,7ms,3ms,1,30ms,,,hbm:3GiB\n"
    "short,compute,compute,2ms,4ms,0,,,,hbm:256MiB\n"
    "head,compute,compute,6ms,5ms,0,,,z,\ntail,compute,d2h,40ms,,0,,z,,\n";

/* While z keeps both from starting, x wants a and y wants b, and there is room for one. */
static const char gather_nodes[] = "node,kind,resource,duration,inputs\n"
                                   "z,compute,compute,80ms,\nx,compute,compute,1ms,a\n"
                                   "y,compute,compute,1ms,b\n";
static const char gather_objects[] = "object,size,home,initial,placements\n"
                                     "a,1GiB,hbm,pinned,hbm;pinned\n"
                                     "b,1GiB,hbm,pinned,hbm;pinned\n";

#define SCENES 4
static const struct {
    const char *machine, *nodes, *objects;
} scenes[SCENES] = {
    {MACHINE("5GiB"), chain_nodes, chain_objects},
    {MACHINE("12GiB"), chain_nodes, chain_objects},
    {MACHINE("8GiB"), queue_nodes, "object,size,home\nz,1GiB,hbm\n"},
    {MACHINE("1GiB"), gather_nodes, gather_objects},
};

/* ---- policies -------------------------------------------------------------------------------- */

#define TEXT 16384

/* The examples of all parts as policies p0, p1 ...; "action: retain" is a map without its braces.
 */
static void write_policies(char text[TEXT], const char *machine)
{
    size_t used = (size_t)snprintf(text, TEXT, "%spolicies:\n", machine);
    for (size_t i = 0; i < sl_part_count(); i++) {
        struct sl_part_info part = sl_part_info_get(i);
        bool braced = part.example[0] == '{';
        bool acts = strstr(part.example, "action:") != NULL;
        used += (size_t)snprintf(text + used, TEXT - used, "  - {name: p%zu, %s%.*s}\n", i,
                                 acts ? "" : "action: offload, ",
                                 (int)strlen(part.example) - 2 * braced, part.example + braced);
        ck_assert_uint_lt(used, TEXT);
    }
}

static void open_scene(struct planlab *lab, int scene)
{
    char text[TEXT];
    write_policies(text, scenes[scene].machine);
    planlab_open(lab, text, scenes[scene].nodes, scenes[scene].objects);
}

static const struct sl_policy_spec *policy_of(const struct planlab *lab, size_t part)
{
    char name[24];
    snprintf(name, sizeof name, "p%zu", part);
    return sl_scenario_policy(&lab->scenario, name);
}

/* The key by which a policy names its part of a role. */
static const char *key_of(const char *role)
{
    return strcmp(role, "select") == 0 ? "select.how" : role;
}

/* ---- metrics --------------------------------------------------------------------------------- */

struct metrics {
    int status, outcome;
    int64_t makespan_ps, wait_ps, longest_ps, peaks[3];
    double pressure[3], staging[3];
    uint64_t bypasses;
};

static void take(struct metrics *m, const struct sl_trial *trial, uint32_t nodes)
{
    m->outcome = (int)trial->outcome;
    m->makespan_ps = trial->makespan_ps;
    m->bypasses = trial->bypasses;
    for (uint32_t i = 0; i < nodes; i++) {
        int64_t wait = trial->start_ps[i] < 0 ? 0 : trial->start_ps[i] - trial->ready_ps[i];
        m->wait_ps += wait;
        m->longest_ps = wait > m->longest_ps ? wait : m->longest_ps;
    }
    for (int d = 0; d < 3; d++) {
        m->peaks[d] = trial->peak_bytes[d];
        m->pressure[d] = trial->pressure_byte_s[d];
        m->staging[d] = trial->staging_byte_s[d];
    }
}

/* What one trial of the policy comes to; a policy without a legal plan has a status alone. */
static struct metrics run(const struct planlab *lab, const struct sl_policy_spec *policy)
{
    struct metrics m;
    struct sl_plan plan;
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    struct sl_program *program = NULL;
    struct sl_worker *worker = NULL;
    const struct sl_trial *trial;
    memset(&m, 0, sizeof m);
    enum sl_status status = sl_policy_plan(&plan, &lab->scenario, policy, &diags, &err);
    if (status == SL_OK)
        status = sl_program_create(&program, plan.graph, &plan.engine, &err);
    if (status == SL_OK)
        status = sl_worker_create(&worker, program, &err);
    if (status == SL_OK)
        status = sl_worker_run(worker, 1, 0, 0, &trial, &err);
    ck_assert_msg(status == SL_OK || status == SL_NO || status == SL_INVALID, "%s", err.message);
    m.status = (int)status;
    if (status == SL_OK)
        take(&m, trial, plan.graph->node_count);
    sl_worker_free(worker);
    sl_program_free(program);
    sl_plan_free(&plan);
    sl_diags_free(&diags);
    return m;
}

static bool differ(const struct metrics *a, const struct metrics *b)
{
    bool same = a->outcome == b->outcome && a->makespan_ps == b->makespan_ps &&
                a->wait_ps == b->wait_ps && a->longest_ps == b->longest_ps &&
                a->bypasses == b->bypasses;
    for (int d = 0; d < 3; d++)
        same = same && a->peaks[d] == b->peaks[d] && !(a->pressure[d] < b->pressure[d]) &&
               !(a->pressure[d] > b->pressure[d]) && !(a->staging[d] < b->staging[d]) &&
               !(a->staging[d] > b->staging[d]);
    return !same;
}

/* True when two of the values give different metrics; one that the policy refuses is no value of
 * it. */
static bool moves(const struct planlab *lab, const struct sl_policy_spec *policy, const char *key,
                  const char *const *values, size_t count)
{
    struct metrics first = {0}, next;
    struct sl_arena arena = {0};
    bool any = false, moved = false;
    for (size_t v = 0; v < count && !moved; v++) {
        const struct sl_policy_spec *changed = sl_policy_with(policy, key, values[v], &arena);
        ck_assert_ptr_nonnull(changed);
        next = run(lab, changed);
        if (next.status == SL_INVALID)
            continue;
        moved = any && (next.status != first.status || differ(&first, &next));
        first = any ? first : next;
        any = true;
    }
    sl_arena_free(&arena);
    return moved;
}

/* ---- parameters ------------------------------------------------------------------------------ */

static const char *const bytes[] = {"0B", "256MiB", "1GiB", "2GiB", "4GiB", "6GiB"};
static const char *const times[] = {"0us", "1ms", "20ms", "100ms"};
static const char *const integers[] = {"1", "2", "3", "6"};
static const char *const numbers[] = {"0.05", "0.3", "0.6", "0.95"};
static const char *const domains[] = {"pinned", "host"};

static const struct {
    const char *const *texts;
    size_t count;
} values[] = {
    [SL_PARAM_BYTES] = {bytes, 6},      [SL_PARAM_TIME] = {times, 4},
    [SL_PARAM_INTEGER] = {integers, 4}, [SL_PARAM_NUMBER] = {numbers, 4},
    [SL_PARAM_DOMAIN] = {domains, 2},
};

/* The texts to try of a parameter; returns their number. */
static size_t texts_of(const struct sl_param *param, const char *const **texts)
{
    size_t count = 0;
    if (param->type == SL_PARAM_WORD) {
        *texts = param->words;
        while (param->words[count])
            count++;
        return count;
    }
    ck_assert_msg((size_t)param->type < sizeof values / sizeof *values,
                  "no values for a parameter of this type: %s", param->key);
    *texts = values[param->type].texts;
    return values[param->type].count;
}

static bool moves_in(struct planlab *lab, const struct sl_policy_spec *policy,
                     const struct sl_param *param)
{
    const char *const *texts;
    size_t count = texts_of(param, &texts);
    return moves(lab, policy, param->key, texts, count);
}

/* In the part's example; else with one of the part's words changed, which it may go with. */
static bool moves_anywhere(struct planlab *lab, const struct sl_part *part, size_t index,
                           const struct sl_param *param)
{
    const struct sl_policy_spec *policy = policy_of(lab, index);
    struct sl_arena arena = {0};
    bool moved = moves_in(lab, policy, param);
    for (size_t k = 0; k < part->param_count && !moved; k++) {
        const struct sl_param *word = &part->params[k];
        for (size_t w = 0; word->type == SL_PARAM_WORD && word->words[w] && !moved; w++)
            moved = moves_in(lab, sl_policy_with(policy, word->key, word->words[w], &arena), param);
    }
    sl_arena_free(&arena);
    return moved;
}

START_TEST(test_every_parameter_moves_something)
{
    struct planlab lab[SCENES];
    uint32_t swept = 0;
    for (int s = 0; s < SCENES; s++)
        open_scene(&lab[s], s);
    for (size_t i = 0; sl_part_get(i); i++)
        for (size_t k = 0; k < sl_part_get(i)->param_count; k++) {
            const struct sl_part *part = sl_part_get(i);
            const struct sl_param *param = &part->params[k];
            bool moved = false;
            ck_assert_msg(sl_policy_uses(policy_of(&lab[0], i), param->key),
                          "the example of %s does not use %s", part->name, param->key);
            for (int s = 0; s < SCENES && !moved; s++)
                moved = moves_anywhere(&lab[s], part, i, param);
            ck_assert_msg(moved, "%s of %s changes nothing", param->key, part->name);
            swept++;
        }
    ck_assert_uint_ge(swept, 10);
    for (int s = 0; s < SCENES; s++)
        planlab_close(&lab[s]);
}
END_TEST

/* Each word of a role in the part's own example, against the other words. */
START_TEST(test_every_word_moves_something)
{
    struct planlab lab[SCENES];
    for (int s = 0; s < SCENES; s++)
        open_scene(&lab[s], s);
    for (size_t i = 0; i < sl_part_count(); i++) {
        struct sl_part_info part = sl_part_info_get(i);
        const char *words[32];
        size_t count;
        bool moved = false;
        sl_part_words(part.role, words, &count);
        ck_assert_uint_le(count, 32);
        for (int s = 0; s < SCENES && !moved; s++)
            moved = moves(&lab[s], policy_of(&lab[s], i), key_of(part.role), words, count);
        ck_assert_msg(moved, "%s %s is like all other words", part.role, part.name);
    }
    for (int s = 0; s < SCENES; s++)
        planlab_close(&lab[s]);
}
END_TEST

/* Settings that belong to no part. */
START_TEST(test_plain_settings_move_something)
{
    static const char *const globs[] = {"x_in.*", "norm1.*", "x_in.0"};
    struct planlab chain, queue;
    open_scene(&chain, 0);
    open_scene(&queue, 2);
    for (size_t i = 0; i < sl_part_count(); i++) {
        struct sl_part_info part = sl_part_info_get(i);
        if (strcmp(part.name, "offload") == 0)
            ck_assert(moves(&chain, policy_of(&chain, i), "objects", globs, 3));
        if (strcmp(part.role, "dispatch") == 0 && strcmp(part.name, "priority") == 0)
            ck_assert(moves(&queue, policy_of(&queue, i), "aging", times, 4));
    }
    planlab_close(&queue);
    planlab_close(&chain);
}
END_TEST

/* ---- parameters of other parts --------------------------------------------------------------- */

/* The policy with a setting behind all others, as if its row had it. */
static struct sl_policy_spec with_setting(const struct sl_policy_spec *policy, const char *key,
                                          const char **value, struct sl_arena *arena)
{
    struct sl_policy_spec copy = *policy;
    const struct sl_policy_rule *top = &policy->rules[policy->rule_count - 1];
    copy.rules = sl_arena_array(arena, policy->rule_count, sizeof *copy.rules);
    ck_assert_ptr_nonnull(copy.rules);
    for (uint32_t r = 0; r < policy->rule_count; r++)
        copy.rules[r] = policy->rules[r];
    struct sl_policy_rule *rule = &copy.rules[policy->rule_count - 1];
    rule->settings = sl_arena_array(arena, top->count + 1u, sizeof *rule->settings);
    ck_assert_ptr_nonnull(rule->settings);
    for (uint32_t i = 0; i < top->count; i++)
        rule->settings[i] = top->settings[i];
    rule->settings[rule->count++] = (struct sl_setting){key, value, 1, policy->place};
    return copy;
}

static bool warns(const struct planlab *lab, const struct sl_policy_spec *policy, const char *key)
{
    struct sl_plan plan;
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    bool warned = false;
    enum sl_status status = sl_policy_plan(&plan, &lab->scenario, policy, &diags, &err);
    for (size_t i = 0; i < diags.count; i++)
        warned |= strcmp(diags.items[i].code, "unused-parameter") == 0 &&
                  strstr(diags.items[i].message, key);
    if (status == SL_OK)
        sl_plan_free(&plan);
    sl_diags_free(&diags);
    return warned;
}

/* A parameter, in the example of every part that does not use it, is named by a warning. */
START_TEST(test_unused_parameters_are_named)
{
    struct planlab lab;
    uint32_t named = 0;
    open_scene(&lab, 1);
    for (size_t i = 0; sl_part_get(i); i++)
        for (size_t k = 0; k < sl_part_get(i)->param_count; k++) {
            const struct sl_param *param = &sl_part_get(i)->params[k];
            for (size_t j = 0; sl_part_get(j); j++) {
                const struct sl_policy_spec *policy = policy_of(&lab, j);
                struct sl_arena arena = {0};
                const char *const *texts;
                texts_of(param, &texts);
                const char *value = texts[1];
                if (!sl_policy_uses(policy, param->key)) {
                    struct sl_policy_spec more = with_setting(policy, param->key, &value, &arena);
                    ck_assert_msg(warns(&lab, &more, param->key), "%s is silent in %s", param->key,
                                  sl_part_get(j)->example);
                    named++;
                }
                sl_arena_free(&arena);
            }
        }
    ck_assert_uint_ge(named, 100);
    planlab_close(&lab);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("parameters");
    TCase *tc = tcase_create("parameters");
    tcase_add_test(tc, test_every_parameter_moves_something);
    tcase_add_test(tc, test_every_word_moves_something);
    tcase_add_test(tc, test_plain_settings_move_something);
    tcase_add_test(tc, test_unused_parameters_are_named);
    tcase_set_timeout(tc, 120);
    suite_add_tcase(suite, tc);
    return sl_test_run(suite);
}

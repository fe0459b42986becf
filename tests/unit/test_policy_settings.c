/* Settings of policies: words, parameters, inheritance, what is used and what is not. */
#include <config.h>

#include "parts.h"
#include "planlab.h"

#define HEAD                                                                                       \
    "name: s\nnodes: nodes.csv\nobjects: objects.csv\nresources: {compute: {servers: 1}}\n"        \
    "domains: {hbm: {capacity: 8GiB, reserve: 0B}}\n"                                              \
    "objective: {metric: makespan, tail: 0.99}\ntrials: 1\nseed: 1\n"
#define NODES   "node,kind,resource,duration,outputs\nw,compute,compute,1ms,x\n"
#define OBJECTS "object,size,home\nx,1GiB,hbm\n"

/* Every message of checking the scenario's policies, a line each with its code. */
static const char *check(struct planlab *lab, const char *policies, char text[4000])
{
    char yaml[4000];
    snprintf(yaml, sizeof yaml, HEAD "policies: [%s]\n", policies);
    planlab_open(lab, yaml, NODES, OBJECTS);
    sl_policy_check(&lab->scenario, &lab->diags);
    text[0] = '\0';
    for (size_t i = 0; i < lab->diags.count; i++)
        snprintf(text + strlen(text), 4000 - strlen(text), "%s [%s]\n", lab->diags.items[i].message,
                 lab->diags.items[i].code);
    return text;
}

static const struct {
    const char *policies, *message;
} messages[] = {
    {"{name: p, action: retain}", ""},
    {"{name: p, action: offload, select: {how: largest, headroom: 1GiB}, prefetch: jit, reclaim: "
     "immediate, dispatch: priority, aging: 1ms, evict: none}",
     ""},
    {"{name: p, action: retain, dispatch: edf, aging: 1ms}",
     "policy 'p': aging changes nothing without dispatch: priority, or a resource of order: "
     "priority [unused-parameter]\n"},
    {"{name: p, action: retain, aging: 1ms}",
     "policy 'p': aging changes nothing without dispatch: priority, or a resource of order: "
     "priority [unused-parameter]\n"},
    {"{name: p, action: retain, dispatch: edf, aging: 0s}", ""},
    {"{name: p}",
     "policy 'p' states no action (allowed: as-given, retain, offload, remat, best, chain-optimal) "
     "[missing-key]\n"},
    {"{name: p, action: ofload}", "unknown action 'ofload' (did you mean 'offload'?) "
                                  "[unknown-part]\n"},
    {"{name: p, action: {how: chain-optimal, slots: 3}}", ""},
    {"{name: p, action: {how: chain-optimal, slots: 0}}",
     "action.slots: '0' is out of range; write a whole number from 1 to 1000000 [bad-value]\n"},
    {"{name: p, action: {how: chain-optimal, memory: 1B}}", ""},
    {"{name: p, action: {how: chain-optimal, memory: 0B}}",
     "action.memory: '0B' is too small (allowed: 1 B and more) [bad-value]\n"},
    {"{name: p, action: {how: remat, slots: 3}}",
     "policy 'p': action.slots changes nothing here [unused-parameter]\n"},
    {"{name: p, action: {how: offload, to: hbm}}", ""},
    {"{name: p, action: {how: best, to: hbn}}",
     "action.to: no domain 'hbn' (did you mean 'hbm'?) [unknown-domain]\n"},
    {"{name: p, action: {how: remat, to: hbm}}",
     "policy 'p': action.to changes nothing here [unused-parameter]\n"},
    {"{name: p, action: chain-optimal, select: largest}",
     "policy 'p': select changes nothing here [unused-parameter]\n"},
    {"{name: p, action: best, select: {how: belady, headroom: 1GiB}, prefetch: window}", ""},
    {"{name: p, action: offload, select: lru, prefetch: window, reclaim: {when: on-pressure, "
     "threshold: 0.8}}",
     ""},
    {"{name: p, action: offload, reclaim: {when: on-pressure, threshold: 1}}",
     "reclaim.threshold: '1' is outside (0, 1) [bad-value]\n"},
    {"{name: p, action: offload, reclaim: {when: lazy, threshold: 0.8}}",
     "policy 'p': reclaim.threshold changes nothing here [unused-parameter]\n"},
    {"{name: p, action: retain, reclaim: lazy}",
     "policy 'p': reclaim changes nothing here [unused-parameter]\n"},
    {"{name: p, action: offload, rules: [{objects: x, reclaim: lazy}]}",
     "reclaim concerns the whole policy: write it beside `rules` [bad-value]\n"},
    {"{name: p, action: retain, evict: {how: dtr, by: remat, pins: running, livelock: 50}}", ""},
    {"{name: p, action: retain, evict: lfu}",
     "unknown evict 'lfu' (did you mean 'lru'?) [unknown-part]\n"},
    {"{name: p, action: retain, evict: {how: lru, by: ofload}}",
     "evict.by: unknown word 'ofload' (did you mean 'offload'?) [bad-value]\n"},
    {"{name: p, action: retain, evict: {how: none, by: remat}}",
     "policy 'p': evict.by changes nothing here [unused-parameter]\n"},
    {"{name: p, action: offload, rules: [{objects: x, evict: lru}]}",
     "evict concerns the whole policy: write it beside `rules` [bad-value]\n"},
    {"{name: p, action: retain, dispatch: edff}",
     "unknown dispatch 'edff' (did you mean 'edf'?) [unknown-part]\n"},
    {"{name: p, action: offload, select: list}",
     "select 'list' needs `objects`: names or globs such as [x_in.*] [missing-key]\n"},
    {"{name: p, action: offload, prefetch: {when: lookahead, lokahead: 2}}",
     "unknown setting 'prefetch.lokahead' of a policy (did you mean 'prefetch.lookahead'?) "
     "[unknown-key]\n"},
    {"{name: p, action: offload, prefetch: {when: jit, stream: 2}}",
     "unknown setting 'prefetch.stream' of a policy: it names a mechanism. A policy states which "
     "order is wanted; by which streams, queues, events or captures, the runtime chooses "
     "[unknown-key]\n"},
    /* Parameters that change nothing. */
    {"{name: p, action: retain, prefetch: demand}",
     "policy 'p': prefetch changes nothing here [unused-parameter]\n"},
    {"{name: p, action: offload, prefetch: {when: jit, lookahead: 2}}",
     "policy 'p': prefetch.lookahead changes nothing here [unused-parameter]\n"},
    {"{name: p, action: remat, select: {how: all, headroom: 1GiB}}",
     "policy 'p': select.headroom changes nothing here [unused-parameter]\n"},
    /* A rule that uses what the top level states. */
    {"{name: p, action: retain, prefetch: {when: lookahead, lookahead: 2}, rules: [{objects: x, "
     "action: offload}]}",
     ""},
    {"{name: p, rules: [{objects: x, action: offload}]}", ""},
    {"{name: p, action: retain, rules: [{objects: x, action: remat, prefetch: demand}]}",
     "policy 'p': prefetch changes nothing here [unused-parameter]\n"},
    {"{name: p, action: retain, rules: [{objects: 'x;nothing.*', action: remat}]}",
     "policy 'p': no object matches 'nothing.*' [unused-parameter]\n"},
    {"{name: p, action: retain, rules: [{objects: x, action: remat, dispatch: sjf}]}",
     "dispatch concerns the whole policy: write it beside `rules` [bad-value]\n"},
    {"{name: p, action: retain, dispatch: sjf, rules: [{objects: x, action: remat}]}", ""},
};

START_TEST(test_messages)
{
    struct planlab lab;
    char text[4000];
    ck_assert_str_eq(check(&lab, messages[_i].policies, text), messages[_i].message);
    planlab_close(&lab);
}
END_TEST

/* Values out of range name the value; a fault of the top level counts once, not once per rule. */
START_TEST(test_values)
{
    struct planlab lab;
    char text[4000];
    check(&lab,
          "{name: p, action: offload, prefetch: {when: lookahead, lookahead: -1}, rules: "
          "[{objects: x, action: offload}]}",
          text);
    ck_assert_uint_eq(lab.diags.errors, 1);
    ck_assert_ptr_nonnull(strstr(text, "-1"));
    planlab_close(&lab);
    check(&lab, "{name: p, action: offload, prefetch: {when: jit, quantile: 1}}", text);
    ck_assert_ptr_nonnull(strstr(text, "'1' is outside (0, 1)"));
    planlab_close(&lab);
    check(&lab, "{name: p, action: offload, select: {how: largest, headroom: 12}}", text);
    ck_assert_ptr_nonnull(strstr(text, "select.headroom"));
    planlab_close(&lab);
}
END_TEST

START_TEST(test_uses_and_with)
{
    struct planlab lab;
    struct sl_arena arena = {0};
    char text[4000];
    check(
        &lab,
        "{name: keep, action: retain}, {name: jit, action: offload, prefetch: jit}, {name: ahead, "
        "action: retain, rules: [{objects: x, action: offload, prefetch: lookahead}]}",
        text);
    const struct sl_policy_spec *keep = sl_scenario_policy(&lab.scenario, "keep");
    const struct sl_policy_spec *jit = sl_scenario_policy(&lab.scenario, "jit");
    const struct sl_policy_spec *ahead = sl_scenario_policy(&lab.scenario, "ahead");
    ck_assert(!sl_policy_uses(keep, "prefetch.lookahead"));
    ck_assert(!sl_policy_uses(jit, "prefetch.lookahead"));
    ck_assert(sl_policy_uses(ahead, "prefetch.lookahead"));
    ck_assert(sl_policy_uses(jit, "prefetch.quantile"));
    ck_assert(sl_policy_uses(jit, "select"));
    ck_assert(!sl_policy_uses(keep, "select"));
    ck_assert(sl_policy_uses(keep, "dispatch"));
    ck_assert(!sl_policy_uses(keep, "no.such"));
    const struct sl_policy_spec *copy = sl_policy_with(ahead, "prefetch.lookahead", "7", &arena);
    ck_assert_uint_eq(copy->rules[0].count, ahead->rules[0].count + 1);
    ck_assert_str_eq(copy->rules[0].settings[0].key, "prefetch.lookahead");
    ck_assert_str_eq(copy->rules[0].settings[0].values[0], "7");
    ck_assert_uint_eq(copy->rules[1].count, ahead->rules[1].count); /* retains: not used there */
    /* One parameter may make another apply. */
    copy = sl_policy_with(jit, "prefetch.when", "lookahead", &arena);
    ck_assert(sl_policy_uses(copy, "prefetch.lookahead"));
    ck_assert(!sl_policy_uses(copy, "prefetch.quantile"));
    ck_assert_uint_eq(copy->rules[0].count, jit->rules[0].count); /* replaced, not added */
    sl_arena_free(&arena);
    planlab_close(&lab);
}
END_TEST

/* What concerns the whole policy is set at its top as well, although that retains: a rule's own
 * would be refused. */
START_TEST(test_with_for_the_whole_policy)
{
    struct planlab lab;
    struct sl_arena arena = {0};
    struct sl_diags diags = {0};
    struct sl_rules rules;
    char text[4000];
    check(&lab,
          "{name: p, action: retain, reclaim: on-pressure, rules: [{objects: x, action: remat}]}",
          text);
    ck_assert_str_eq(text, "");
    const struct sl_policy_spec *copy =
        sl_policy_with(sl_scenario_policy(&lab.scenario, "p"), "reclaim.threshold", "0.5", &arena);
    ck_assert_int_eq(sl_rules_read(&rules, copy, &diags, NULL), SL_OK);
    ck_assert_double_eq(rules.items[rules.count - 1].threshold, 0.5);
    sl_rules_free(&rules);
    sl_diags_free(&diags);
    sl_arena_free(&arena);
    planlab_close(&lab);
}
END_TEST

START_TEST(test_registry)
{
    for (size_t i = 0; i < sl_part_count(); i++) {
        struct sl_part_info part = sl_part_info_get(i);
        ck_assert(part.role && part.name && part.parameters);
        ck_assert_uint_gt(strlen(part.description), 0);
        ck_assert_msg(strstr(part.example, part.name) != NULL, "example of %s", part.name);
        for (size_t k = 0; k < i; k++) {
            struct sl_part_info other = sl_part_info_get(k);
            ck_assert(strcmp(part.role, other.role) != 0 || strcmp(part.name, other.name) != 0);
        }
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("policy-settings");
    TCase *tc = tcase_create("settings");
    tcase_add_loop_test(tc, test_messages, 0, sizeof messages / sizeof messages[0]);
    tcase_add_test(tc, test_values);
    tcase_add_test(tc, test_uses_and_with);
    tcase_add_test(tc, test_with_for_the_whole_policy);
    tcase_add_test(tc, test_registry);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}

/* A runtime's answer: what the reader takes, and that each fault is told at its place. */
#include <config.h>

#include "planlab.h"
#include "reply.h"

static struct planlab lab;
static struct sl_reply reply;
static char path[700];

static void setup(void)
{
    planlab_open(&lab,
                 "name: t\nnodes: nodes.csv\nobjects: objects.csv\n"
                 "resources: {sm: {servers: 2}, link: {servers: 1}}\n"
                 "domains: {hbm: {capacity: 1GiB, reserve: 0B}}\n"
                 "policies: [{name: p, action: as-given}]\n",
                 "node,kind,class,resource,duration,inputs,outputs\n"
                 "a,compute,gemm,sm,10us,,x\n"
                 "b,compute,gemm,sm,10us,x,\n"
                 "c,compute,copy,link,10us,x,\n",
                 "object,size,home\nx,1MiB,hbm\n");
    planlab_plan(&lab, "p");
    snprintf(path, sizeof path, "%.600s/reply.json", lab.dir.path);
}

static void teardown(void)
{
    sl_reply_free(&reply);
    planlab_close(&lab);
}

static enum sl_status read_text(const char *text)
{
    tempdir_write(&lab.dir, "reply.json", text);
    sl_reply_free(&reply);
    sl_diags_free(&lab.diags);
    lab.diags = (struct sl_diags){0};
    lab.err = (struct sl_error){0};
    return sl_reply_read(&reply, path, lab.plan.graph, &lab.diags, &lab.err);
}

#define HEAD "{\"format\": \"slackline-reply\", \"version\": 1, \"runtime\": \"r 1.0\",\n"

START_TEST(all_that_a_reply_may_say)
{
    enum sl_status status = read_text(
        HEAD
        "\"scenario\": \"t\", \"policy\": \"p\", \"feasible\": \"with-constraints\", \"why\": "
        "\"one engine\",\n"
        "\"constraints\": {\n"
        " \"edges\": [{\"from\": \"b\", \"to\": \"c\", \"type\": \"ordering\", \"lag\": \"2.5us\", "
        "\"reason\": \"e\"}],\n"
        " \"resources\": [{\"resource\": \"sm\", \"servers\": 1, \"reason\": \"r\"}],\n"
        " \"domains\": [{\"domain\": \"hbm\", \"capacity\": \"512MiB\", \"rounding\": \"2MiB\", "
        "\"reason\": \"g\"}],\n"
        " \"uncancellable\": [{\"node\": \"a\", \"reason\": \"u\"}]},\n"
        "\"ordering\": [{\"queue\": \"q0\", \"nodes\": [\"b\", \"a\"]}, {\"queue\": \"q1\", "
        "\"nodes\": [\"c\"]}],\n"
        "\"overhead\": [{\"class\": \"gemm\", \"duration\": \"uniform(low=1us, high=3us)\", "
        "\"evidence\": \"measured: x\"},\n"
        "               {\"kind\": \"compute\", \"duration\": \"unknown\", \"evidence\": "
        "\"unknown\"},\n"
        "               {\"node\": \"c\", \"duration\": \"4us\", \"evidence\": \"assumed: y\"}],\n"
        "\"deviations\": [{\"node\": \"c\", \"instead\": \"i\", \"why\": \"w\", \"consequence\": "
        "\"k\"},\n"
        "                 {\"wish\": \"aging\", \"instead\": \"i\", \"why\": \"w\"}],\n"
        "\"mechanisms\": [{\"wish\": \"m\", \"mechanism\": \"n\", \"realizable\": \"yes\", "
        "\"count\": 3, \"object\": \"x\"}],\n"
        "\"assumptions\": [{\"assumption\": \"s\", \"holds\": \"no\", \"detail\": \"d\"}]}\n");
    ck_assert_msg(status == SL_OK, "%s", lab.err.message);
    ck_assert_str_eq(reply.runtime, "r 1.0");
    ck_assert_uint_eq(strlen(reply.sha256), 64);
    ck_assert_int_eq(reply.feasible, SL_REPLY_CONSTRAINED);
    ck_assert_uint_eq(reply.edges.count, 1);
    ck_assert_int_eq(reply.edges.items[0].lag_ps, 2500000);
    ck_assert_uint_eq(reply.edges.items[0].from, 1);
    ck_assert_uint_eq(reply.edges.items[0].to, 2);
    ck_assert_uint_eq(reply.limits.count, 2);
    ck_assert_uint_eq(reply.limits.items[0].servers, 1);
    ck_assert_int_eq(reply.limits.items[1].capacity, 512 << 20);
    ck_assert_int_eq(reply.limits.items[1].rounding, 2 << 20);
    ck_assert_uint_eq(reply.kept.count, 1);
    ck_assert_uint_eq(reply.queues.count, 2);
    ck_assert_uint_eq(reply.queues.items[0].nodes[0], 1);
    ck_assert_uint_eq(reply.overheads.count, 3);
    ck_assert_double_eq_tol(sl_dist_mean(reply.overheads.items[0].dist), 2e6, 1e-6);
    ck_assert_ptr_null(reply.overheads.items[1].dist);
    ck_assert_uint_eq(reply.deviations.count, 2);
    ck_assert_uint_eq(reply.mechanisms.items[0].count, 3);
    ck_assert_str_eq(reply.mechanisms.items[0].object, "x");
    ck_assert_int_eq(reply.assumptions.items[0].holds, SL_TRUTH_NO);
}
END_TEST

START_TEST(the_least_reply)
{
    ck_assert_int_eq(read_text(HEAD "\"feasible\": \"yes\"}"), SL_OK);
    ck_assert_int_eq(read_text(HEAD "\"feasible\": \"no\", \"why\": \"no room\"}"), SL_OK);
    ck_assert_str_eq(reply.why, "no room");
}
END_TEST

/* Text behind the head, the code that it must give, the line and column of the fault (0: any), and
 * a word of the message. */
static const struct {
    const char *text, *code;
    int line, column;
    const char *says;
} wrong[] = {
    {"\"feasible\": \"maybe\"}", "bad-value", 2, 13, "with-constraints"},
    {"\"feasable\": \"yes\"}", "unknown-key", 2, 1, "did you mean 'feasible'"},
    {"\"why\": \"x\"}", "missing-key", 1, 1, "feasible"},
    {"\"feasible\": \"no\"}", "missing-key", 1, 1, "why"},
    {"\"feasible\": \"yes\", \"feasible\": \"no\"}", "duplicate-key", 2, 20, "line 2"},
    {"\"feasible\": null}", "null-value", 2, 13, "leave the key out"},
    {"\"feasible\": \"yes\", \"constraints\": []}", "wrong-type", 2, 35, "constraints"},
    {"\"feasible\": \"with-constraints\"}", "contradiction", 1, 1, "ordering"},
    {"\"feasible\": \"yes\", \"constraints\": {\"resources\": [{\"resource\": \"sm\", \"servers\": "
     "1, "
     "\"reason\": \"r\"}]}}",
     "contradiction", 2, 35, "with-constraints"},
    {"\"feasible\": \"with-constraints\", \"constraints\": {\"edges\": [{\"from\": \"a\", \"to\": "
     "\"cc\",\n"
     "\"type\": \"ordering\", \"reason\": \"r\"}]}}",
     "unknown-node", 2, 79, "did you mean 'c'"},
    {"\"feasible\": \"with-constraints\", \"constraints\": {\"edges\": [{\"from\": \"a\", \"to\": "
     "\"c\",\n"
     "\"type\": \"orderin\", \"reason\": \"r\"}]}}",
     "bad-value", 3, 9, "did you mean 'ordering'"},
    {"\"feasible\": \"with-constraints\", \"constraints\": {\"edges\": [{\"from\": \"a\", \"to\": "
     "\"c\",\n"
     "\"type\": \"ordering\", \"lag\": 5, \"reason\": \"r\"}]}}",
     "bad-quantity", 3, 28, "no unit"},
    {"\"feasible\": \"with-constraints\", \"constraints\": {\"edges\": [{\"from\": \"a\", \"to\": "
     "\"c\",\n"
     "\"type\": \"ordering\", \"lag\": \"-5us\", \"reason\": \"r\"}]}}",
     "bad-quantity", 3, 28, "-5us"},
    {"\"feasible\": \"with-constraints\", \"constraints\": {\"edges\": [{\"from\": \"a\", \"to\": "
     "\"a\",\n"
     "\"type\": \"ordering\", \"reason\": \"r\"}]}}",
     "self-edge", 2, 59, "itself"},
    {"\"feasible\": \"with-constraints\", \"constraints\": {\"edges\": [{\"from\": \"a\", \"to\": "
     "\"c\",\n"
     "\"type\": \"ordering\"}]}}",
     "missing-key", 2, 59, "reason"},
    {"\"feasible\": \"with-constraints\", \"constraints\": {\"edges\": [\n"
     "{\"from\": \"a\", \"to\": \"c\", \"type\": \"ordering\", \"reason\": \"r\"},\n"
     "{\"from\": \"a\", \"to\": \"c\", \"type\": \"ordering\", \"reason\": \"s\"}]}}",
     "duplicate-edge", 4, 1, "line 3"},
    {"\"feasible\": \"with-constraints\", \"constraints\": {\"resources\": [\n"
     "{\"resource\": \"sm\", \"servers\": 3, \"reason\": \"r\"}]}}",
     "limit-raised", 3, 1, "2 servers"},
    {"\"feasible\": \"with-constraints\", \"constraints\": {\"resources\": [\n"
     "{\"resource\": \"sms\", \"servers\": 0, \"reason\": \"r\"}]}}",
     "unknown-resource", 3, 14, "did you mean 'sm'"},
    {"\"feasible\": \"with-constraints\", \"constraints\": {\"domains\": [\n"
     "{\"domain\": \"hbm\", \"capacity\": \"2GiB\", \"reason\": \"r\"}]}}",
     "limit-raised", 3, 1, "hbm"},
    {"\"feasible\": \"with-constraints\", \"constraints\": {\"domains\": [\n"
     "{\"domain\": \"hbm\", \"reason\": \"r\"}]}}",
     "missing-key", 3, 1, "rounding"},
    {"\"feasible\": \"with-constraints\", \"constraints\": {\"domains\": [\n"
     "{\"domain\": \"hbm\", \"rounding\": \"2MiB\", \"reason\": \"r\"},\n"
     "{\"domain\": \"hbm\", \"rounding\": \"4MiB\", \"reason\": \"r\"}]}}",
     "duplicate-limit", 4, 1, "line 3"},
    {"\"feasible\": \"yes\", \"ordering\": [{\"queue\": \"q\", \"nodes\": [\"a\", \"b\", \"a\"]}]}",
     "duplicate-node", 2, 33, "'a' is in queue 'q'"},
    {"\"feasible\": \"yes\", \"ordering\": [{\"queue\": \"q\", \"nodes\": [\"a\"]},\n"
     "{\"queue\": \"q\", \"nodes\": [\"b\"]}]}",
     "duplicate-queue", 3, 1, "line 2"},
    {"\"feasible\": \"yes\", \"ordering\": [{\"queue\": \"q\", \"nodes\": [\"a\", {\"b\": 1}]}]}",
     "wrong-type", 2, 0, "a node"},
    {"\"feasible\": \"yes\", \"ordering\": [{\"queue\": \"q\"}]}", "missing-key", 2, 33, "nodes"},
    {"\"feasible\": \"yes\", \"overhead\": [{\"duration\": \"1us\", \"evidence\": \"assumed: "
     "x\"}]}",
     "bad-overhead", 2, 33, "state one"},
    {"\"feasible\": \"yes\", \"overhead\": [{\"class\": \"gemmm\", \"duration\": \"1us\", "
     "\"evidence\": "
     "\"assumed: x\"}]}",
     "unknown-class", 2, 43, "did you mean 'gemm'"},
    {"\"feasible\": \"yes\", \"overhead\": [{\"class\": \"gemm\", \"duration\": \"1\", "
     "\"evidence\": "
     "\"assumed: x\"}]}",
     NULL, 2, 63, "unit"},
    {"\"feasible\": \"yes\", \"overhead\": [{\"class\": \"gemm\", \"duration\": \"1us\", "
     "\"evidence\": "
     "\"guessed\"}]}",
     NULL, 2, 0, "guessed"},
    {"\"feasible\": \"yes\", \"overhead\": [{\"node\": \"a\", \"duration\": \"1us\", \"evidence\": "
     "\"assumed: x\"},\n"
     "{\"node\": \"a\", \"duration\": \"2us\", \"evidence\": \"assumed: x\"}]}",
     "duplicate-overhead", 3, 1, "line 2"},
    {"\"feasible\": \"yes\", \"deviations\": [{\"instead\": \"i\", \"why\": \"w\"}]}",
     "bad-deviation", 2, 35, "state one"},
    {"\"feasible\": \"yes\", \"mechanisms\": [{\"wish\": \"w\", \"realizable\": \"yes\"}]}",
     "missing-key", 2, 35, "needs its mechanism"},
    {"\"feasible\": \"yes\", \"assumptions\": [{\"assumption\": \"w\", \"holds\": \"perhaps\"}]}",
     "bad-value", 2, 65, "unknown, yes, no"},
    {"\"feasible\": \"yes\", \"why\": \"\xff\"}", "bad-text", 2, 27, "UTF-8"},
    {"\"feasible\": \"yes\", \"why\": \"a\\u0000b\"}", "bad-text", 2, 27, "NUL"},
    {"\"feasible\": \"yes\", \"why\": NaN}", "bad-text", 2, 27, "NaN"},
};

START_TEST(each_fault_is_told_at_its_place)
{
    char text[2000];
    snprintf(text, sizeof text, HEAD "%s", wrong[_i].text);
    ck_assert_int_eq(read_text(text), SL_INVALID);
    bool found = false;
    for (uint32_t k = 0; k < lab.diags.count; k++) {
        const struct sl_diag *d = &lab.diags.items[k];
        found |= (!wrong[_i].code || strcmp(d->code, wrong[_i].code) == 0) &&
                 d->place.line == wrong[_i].line &&
                 (wrong[_i].column == 0 || d->place.column == wrong[_i].column) &&
                 strstr(d->message, wrong[_i].says);
    }
    if (!found)
        sl_diags_print(&lab.diags, stdout);
    ck_assert_msg(found, "%s", wrong[_i].text);
    ck_assert(strcmp(lab.diags.items[0].place.file, path) == 0);
}
END_TEST

START_TEST(all_faults_are_told)
{
    ck_assert_int_eq(
        read_text(HEAD "\"feasible\": \"sure\", \"x\": 1, \"ordering\": [{\"queue\": \"q\", "
                       "\"nodes\": [\"u\", "
                       "\"v\", \"w\"]}],\n\"overhead\": [{\"node\": \"z\", \"duration\": \"3\"}]}"),
        SL_INVALID);
    ck_assert_uint_eq(lab.diags.errors, 8); /* sure, x, u, v, w, 3, no evidence, z */
}
END_TEST

/* What is no JSON, or no reply at all. */
static const struct {
    const char *text, *says;
} broken[] = {
    {"", "not JSON"},
    {"{", "middle"},
    {HEAD "\"feasible\": \"yes\"", "middle"},
    {HEAD "\"feasible\": \"yes\"}}", "not JSON"},
    {HEAD "'feasible': 'yes'}", "not JSON"},
    {"[]", "reply"},
    {"{\"format\": \"slackline-handoff\", \"version\": 1}", "slackline-reply"},
    {"{\"format\": \"slackline-reply\", \"version\": 2}", "version"},
    {"{\"format\": \"slackline-reply\"}", "version"},
    {"{}", "format"},
};

START_TEST(what_is_no_reply_is_refused)
{
    ck_assert_int_eq(read_text(broken[_i].text), SL_INVALID);
    bool told = strstr(lab.err.message, broken[_i].says) != NULL;
    for (uint32_t k = 0; k < lab.diags.count; k++)
        told |= strstr(lab.diags.items[k].message, broken[_i].says) != NULL;
    ck_assert_msg(told, "%s: %s", broken[_i].text, lab.err.message);
}
END_TEST

START_TEST(limits_hold)
{
    /* Depth. */
    char *text = malloc(3 << 20), *to = text;
    to += sprintf(to, HEAD "\"why\": ");
    for (int k = 0; k < 100; k++)
        *to++ = '[';
    *to = '\0';
    ck_assert_int_eq(read_text(text), SL_INVALID);
    ck_assert_ptr_nonnull(strstr(lab.err.message, "deeper"));
    ck_assert_int_eq(lab.err.place.line, 2);
    /* Keys. */
    to = text + sprintf(text, "{");
    for (int k = 0; k < 2000; k++)
        to += sprintf(to, "\"k%d\": 1,\n", k);
    ck_assert_int_eq(read_text(text), SL_INVALID);
    ck_assert_ptr_nonnull(strstr(lab.err.message, "keys"));
    /* Places far behind: a list longer than what is read at once. */
    to = text + sprintf(text, HEAD
                        "\"feasible\": \"yes\", \"ordering\": [{\"queue\": \"q\", \"nodes\": [\n");
    for (int k = 0; k < 100000; k++)
        to += sprintf(to, "\"a\\\"%05d\",\n", k);
    sprintf(to, "\"a\"]}]}");
    ck_assert_int_eq(read_text(text), SL_INVALID);
    uint32_t unknown = 0;
    for (uint32_t k = 0; k < lab.diags.count; k++)
        unknown += strcmp(lab.diags.items[k].code, "unknown-node") == 0 &&
                   lab.diags.items[k].place.column == 1 &&
                   lab.diags.items[k].place.line == 3 + (int)k;
    ck_assert_uint_eq(unknown, 200); /* of each code so many are kept */
    ck_assert_uint_eq(lab.diags.errors, 100000);
    free(text);
}
END_TEST

static Suite *suite(void)
{
    Suite *all = suite_create("reply");
    TCase *tc = tcase_create("reply");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, all_that_a_reply_may_say);
    tcase_add_test(tc, the_least_reply);
    tcase_add_loop_test(tc, each_fault_is_told_at_its_place, 0,
                        (int)(sizeof wrong / sizeof *wrong));
    tcase_add_test(tc, all_faults_are_told);
    tcase_add_loop_test(tc, what_is_no_reply_is_refused, 0, (int)(sizeof broken / sizeof *broken));
    tcase_add_test(tc, limits_hold);
    suite_add_tcase(all, tc);
    return all;
}

int main(void)
{
    return sl_test_run(suite());
}

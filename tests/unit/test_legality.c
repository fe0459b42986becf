/* Legality rules: for each a scenario that breaks it alone, and close ones that do not. */
#include <config.h>

#include "harness.h"
#include "legality.h"
#include "tempdir.h"

static const char yaml[] = "name: legality\n"
                           "resources: {compute: {servers: 2}}\n"
                           "domains: {hbm: {capacity: 10MiB, reserve: 2MiB}, host: {reserve: 0B}}\n"
                           "objective: {tail: 0.99}\n";

struct example {
    const char *what, *nodes, *edges, *objects;
    const char *codes;   /* the errors, ';'-separated, in the order of their places */
    const char *message; /* part of the first one's text; NULL */
};

#define NODES   "node,kind,duration,inputs,outputs,object,from,to\n"
#define OBJECTS "object,size,home,initial\n"

static const struct example examples[] = {
    {"a cycle through a lane and an edge is printed whole",
     "node,kind,lane\na,compute,s\nb,compute,s\nc,compute,\n", "from,to\nb,c\nc,a\n", OBJECTS,
     "precedence-cycle", "a -> b -> c -> a"},
    {"a node that comes after a cycle is not in it", "node,kind\nz,compute\na,compute\nb,compute\n",
     "from,to\na,b\nb,a\nb,z\n", OBJECTS, "precedence-cycle", "a -> b -> a"},
    {"next edges close no cycle", "node,kind\na,compute\nb,compute\n",
     "from,to,scope\na,b,same\nb,a,next\n", OBJECTS, "", NULL},
    {"reading what nobody writes", NODES "a,compute,1us,x,,,,\n", "from,to\n",
     OBJECTS "x,1MiB,hbm,\n", "use-before-valid", "'a' reads object 'x'"},
    {"reading what is there from the start", NODES "a,compute,1us,x,,,,\n", "from,to\n",
     OBJECTS "x,1MiB,hbm,hbm\n", "", NULL},
    {"reading an alias of what is written", NODES "a,compute,1us,,x,,,\nb,compute,1us,v,,,,\n",
     "from,to\na,b\n", "object,size,home,alias_of\nx,1MiB,hbm,\nv,1MiB,,x\n", "", NULL},
    {"using an object outside its placements", NODES "a,compute,1us,,x,,,\n", "from,to\n",
     "object,size,home,placements\nx,1MiB,hbm,host\n", "illegal-placement",
     "writes object 'x' in 'hbm'"},
    {"more units than servers", "node,kind,resource\na,compute,compute:3\nb,compute,compute:2\n",
     "from,to\n", OBJECTS, "demand-above-capacity", "3 units of 'compute', which has 2"},
    {"workspace above capacity - reserve",
     "node,kind,workspace\na,compute,hbm:9MiB\nb,compute,hbm:8MiB\nc,compute,host:99TiB\n",
     "from,to\n", OBJECTS, "demand-above-capacity", "node 'a'"},
    {"objects and workspace together above it",
     "node,kind,inputs,outputs,workspace\na,compute,x,y,hbm:3MiB\nb,compute,x;x,x,hbm:5MiB\n",
     "from,to\n", OBJECTS "x,3MiB,hbm,hbm\ny,3MiB,hbm,\n", "demand-above-capacity", "node 'a'"},
    {"a barrier with a demand", "node,kind,resource\na,barrier,compute\n", "from,to\n", OBJECTS,
     "barrier-demands", "demands"},
    {"a barrier that takes time", "node,kind,duration\na,barrier,1us\n", "from,to\n", OBJECTS,
     "barrier-demands", "a duration"},
    {"a deadline before the precedence bound: 3 + 1 + 2 us, lag included",
     "node,kind,duration,deadline\na,compute,3us,\nb,compute,2us,5us\n", "from,to,lag\na,b,1us\n",
     OBJECTS, "deadline-too-early", "at 5.00 us; precedence alone takes it to 6.00 us"},
    {"a deadline at the bound", "node,kind,duration,deadline\na,compute,3us,\nb,compute,2us,6us\n",
     "from,to,lag\na,b,1us\n", OBJECTS, "", NULL},
    {"a predecessor that a fallback may replace",
     "node,kind,duration,deadline,fallback\nslow,compute,30us,20us,fast\nfast,compute,9us,,\n"
     "b,compute,2us,5us,\n",
     "from,to\nslow,b\nfast,b\n", OBJECTS, "", NULL},
    {"a deadline that a lucky run meets",
     "node,kind,duration,deadline\na,compute,exponential(mean=3us),\nb,compute,2us,3us\n",
     "from,to\na,b\n", OBJECTS, "", NULL},
    {"reading after a reclamation",
     NODES "w,compute,1us,,x,,,\nr,reclamation,,,,x,,\nu,compute,1us,x,,,,\n",
     "from,to\nw,r\nr,u\n", OBJECTS "x,1MiB,hbm,\n", "use-after-reclaim",
     "'u' reads object 'x' in 'hbm' after its reclamation by 'r'"},
    {"reading before it", NODES "w,compute,1us,,x,,,\nr,reclamation,,,,x,,\nu,compute,1us,x,,,,\n",
     "from,to\nw,u\nu,r\n", OBJECTS "x,1MiB,hbm,\n", "", NULL},
    {"reading beside it", NODES "w,compute,1us,,x,,,\nr,reclamation,,,,x,,\nu,compute,1us,x,,,,\n",
     "from,to\nw,r\nw,u\n", OBJECTS "x,1MiB,hbm,\n", "reclaim-not-ordered", NULL},
    {"reading after it was written again",
     NODES "w,compute,1us,,x,,,\nr,reclamation,,,,x,,\nw2,compute,1us,,x,,,\nu,compute,1us,x,,,,\n",
     "from,to\nw,r\nr,w2\nw2,u\nr,u\n", OBJECTS "x,1MiB,hbm,\n", "", NULL},
    {"the reclamation of another domain's copy",
     NODES "w,compute,1us,,x,,,\nr,reclamation,,,,x,host,\nu,compute,1us,x,,,,\n",
     "from,to\nw,r\nr,u\n", OBJECTS "x,1MiB,hbm,\n", "", NULL},
    {"reclaiming twice", NODES "w,compute,1us,,x,,,\nr,reclamation,,,,x,,\nr2,reclamation,,,,x,,\n",
     "from,to\nw,r\nr,r2\n", OBJECTS "x,1MiB,hbm,\n", "double-reclamation",
     "by node 'r' and again by node 'r2'"},
    {"reclaiming twice without order",
     NODES "w,compute,1us,,x,,,\nr,reclamation,,,,x,,\nr2,reclamation,,,,x,,\n",
     "from,to\nw,r\nw,r2\n", OBJECTS "x,1MiB,hbm,\n", "double-reclamation", NULL},
    {"allocating twice", NODES "a,allocation,,,,x,,\na2,allocation,,,,x,,\nw,compute,1us,,x,,,\n",
     "from,to\na,a2\na2,w\n", "object,size,home,persist\nx,1MiB,hbm,true\n", "double-allocation",
     "by node 'a' and again by node 'a2'"},
    {"two lives of one object",
     NODES "a,allocation,,,,x,,\nw,compute,1us,,x,,,\nr,reclamation,,,,x,,\na2,allocation,,,,x,,\n"
           "w2,compute,1us,,x,,,\nr2,reclamation,,,,x,,\n",
     "from,to\na,w\nw,r\nr,a2\na2,w2\nw2,r2\n", OBJECTS "x,1MiB,hbm,\n", "", NULL},
};

START_TEST(rules_find_their_faults)
{
    const struct example *example = &examples[_i];
    struct tempdir dir;
    tempdir_make(&dir);
    struct sl_scenario scenario;
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    tempdir_write(&dir, "scenario.yaml", yaml);
    tempdir_write(&dir, "nodes.csv", example->nodes);
    tempdir_write(&dir, "edges.csv", example->edges);
    tempdir_write(&dir, "objects.csv", example->objects);
    enum sl_status status = sl_scenario_load(&scenario, dir.path, NULL, 0, &diags, &err);
    char codes[400] = "";
    const char *first = NULL;
    for (size_t i = 0; i < diags.count; i++) {
        if (diags.items[i].severity != SL_ERROR)
            continue;
        if (!first)
            first = diags.items[i].message;
        snprintf(codes + strlen(codes), sizeof codes - strlen(codes), "%s%s", codes[0] ? ";" : "",
                 diags.items[i].code);
    }
    ck_assert_msg(strcmp(codes, example->codes) == 0, "%s: found [%s] %s, expected [%s]",
                  example->what, codes, first ? first : "", example->codes);
    ck_assert_msg(status == (example->codes[0] ? SL_NO : SL_OK), "%s: status %d", example->what,
                  (int)status);
    if (example->message)
        ck_assert_msg(first && strstr(first, example->message), "%s: says '%s'", example->what,
                      first);
    sl_scenario_free(&scenario);
    sl_diags_free(&diags);
    tempdir_remove(&dir);
}
END_TEST

/* Codes are part of the contract: unique, described, kebab-case. */
START_TEST(the_table_is_whole)
{
    for (size_t i = 0; i < sl_legality_rule_count(); i++) {
        struct sl_legality_rule rule = sl_legality_rule_get(i);
        ck_assert(rule.description[0] != '\0');
        ck_assert(rule.check != NULL || !rule.needs_order);
        ck_assert_uint_eq(strspn(rule.code, "abcdefghijklmnopqrstuvwxyz-"), strlen(rule.code));
        for (size_t k = 0; k < i; k++)
            ck_assert_str_ne(rule.code, sl_legality_rule_get(k).code);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("legality");
    TCase *c = tcase_create("rules");
    tcase_add_loop_test(c, rules_find_their_faults, 0, sizeof examples / sizeof *examples);
    tcase_add_test(c, the_table_is_whole);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}

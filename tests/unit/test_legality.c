/* Legality rules: scenarios that break one, and close ones that do not. */
#include <config.h>

#include "found_codes.h"
#include "legality.h"

static const char yaml[] = "name: legality\n"
                           "resources: {compute: {servers: 2}}\n"
                           "domains: {hbm: {capacity: 10MiB, reserve: 2MiB}, host: {reserve: 0B}}\n"
                           "guards: {g: {probability: 0.5}, h: {probability: 0.5},\n"
                           "         own: {probability: 0.5, scope: node},\n"
                           "         deep: {probability: 0.5, scope: layer}}\n"
                           "objective: {tail: 0.99}\n";

struct example {
    const char *what, *nodes, *edges, *objects;
    const char *codes;   /* ';'-separated, in the order of the rules; evidence aside */
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
     OBJECTS, "deadline-too-early",
     "at 5.00 us; precedence alone takes it to 6.00 us, 1.00 us later"},
    {"a deadline that is too early by less than three digits show",
     "node,kind,duration,deadline\na,compute,12715us,\nb,compute,1us,12700us\n", "from,to\na,b\n",
     OBJECTS, "deadline-too-early",
     "at 12.7 ms; precedence alone takes it to 12.8 ms, 16.0 us later"},
    {"a deadline at the bound", "node,kind,duration,deadline\na,compute,3us,\nb,compute,2us,6us\n",
     "from,to,lag\na,b,1us\n", OBJECTS, "", NULL},
    {"a predecessor that a fallback may replace",
     "node,kind,duration,deadline,fallback\nslow,compute,30us,20us,fast\nfast,compute,9us,,\n"
     "b,compute,2us,5us,\n",
     "from,to\nslow,b\nfast,b\n", OBJECTS, "negative-window", "ready at 30.0 us"},
    {"a deadline that a lucky run meets",
     "node,kind,duration,deadline\na,compute,exponential(mean=3us),\nb,compute,2us,3us\n",
     "from,to\na,b\n", OBJECTS, "negative-window", "slack -2.00 us"},
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

/* Graphs that look like a fault and are none. */
#define GUARDED "node,kind,duration,inputs,outputs,object,from,to,guard,layer\n"
static const struct example legal[] = {
    {"rows put the allocation first",
     NODES "a,allocation,,,,x,,\nw,compute,1us,,x,,,\n"
           "f,reclamation,,,,x,,\n",
     "from,to\nw,f\n", OBJECTS "x,1MiB,hbm,\n", "", NULL},
    {"a second life without an allocation of its own",
     NODES "a,allocation,,,,x,,\nw,compute,1us,,x,,,\nf,reclamation,,,,x,,\nw2,compute,1us,,x,,,\n"
           "f2,reclamation,,,,x,,\n",
     "from,to\na,w\nw,f\nf,w2\nw2,f2\n", OBJECTS "x,1MiB,hbm,\n", "", NULL},
    {"a use before the allocation of its second life",
     NODES "u,compute,1us,x,,,,\nf,reclamation,,,,x,,\na,allocation,,,,x,,\nw,compute,1us,,x,,,\n"
           "f2,reclamation,,,,x,,\n",
     "from,to\nu,f\nf,a\na,w\nw,f2\n", OBJECTS "x,1MiB,hbm,hbm\n", "", NULL},
    {"a reader in a row above its writer", NODES "r,compute,1us,x,,,,\nw,compute,1us,,x,,,\n",
     "from,to\n", OBJECTS "x,1MiB,hbm,\n", "", NULL},
    {"a mapping behind its allocation",
     NODES "a,allocation,,,,x,,\nm,mapping,,,,x,,\nw,compute,1us,,x,,,\nf,reclamation,,,,x,,\n",
     "from,to\na,m\nm,w\nw,f\n", OBJECTS "x,1MiB,hbm,\n", "", NULL},
    {"a reclamation behind the last reader in a lane",
     "node,kind,lane,inputs,outputs,object\nw,compute,s,,x,\nu,compute,s,x,,\nf,reclamation,s,,,"
     "x\n",
     "from,to\n", OBJECTS "x,1MiB,hbm,\n", "", NULL},
    {"a lifetime-hold edge is order enough",
     NODES "w,compute,1us,,x,,,\nu,compute,1us,x,,,,\nf,reclamation,,,,x,,\n",
     "from,to,type\nu,f,lifetime-hold\n", OBJECTS "x,1MiB,hbm,\n", "", NULL},
    {"a reclamation behind what the reader writes",
     NODES "w,compute,1us,,x,,,\nu,compute,1us,x,y,,,\nv,compute,1us,y,,,,\nf,reclamation,,,,x,,\n",
     "from,to\nv,f\n", OBJECTS "x,1MiB,hbm,\ny,1MiB,hbm,\n", "", NULL},
    {"the fallback of the last reader goes before what follows that reader",
     "node,kind,duration,inputs,outputs,object,deadline,fallback\nw,compute,1us,,x,,,\n"
     "p,compute,9us,x,,,30us,q\nq,compute,1us,x,,,,\nf,reclamation,,,,x,,\n",
     "from,to\nw,p\np,f\n", OBJECTS "x,1MiB,hbm,\n", "", NULL},
    {"a barrier that protects and comes first",
     NODES "w,compute,1us,,x,,,\nb,barrier,,,,,,\nf,reclamation,,,,x,,\n",
     "from,to,type,object\nw,b,barrier,x\nb,f,barrier,x\n", OBJECTS "x,1MiB,hbm,\n", "", NULL},
    {"a barrier about another object",
     NODES "w,compute,1us,,x,,,\nb,barrier,,,,,,\nf,reclamation,,,,x,,\n",
     "from,to,type,object\nw,b,barrier,y\nw,f,ordering,\n", OBJECTS "x,1MiB,hbm,\ny,1MiB,hbm,hbm\n",
     "", NULL},
    {"a reader and a reclamation on opposite guards",
     GUARDED "w,compute,1us,,x,,,,,\nf,reclamation,,,,x,,,g,\nu,compute,1us,x,,,,,!g,\n",
     "from,to\nw,f\n", OBJECTS "x,1MiB,hbm,\n", "", NULL},
    {"an early reclamation that is left to a guard",
     GUARDED "w,compute,1us,,x,,,,,\nf,reclamation,,,,x,,,g,\nl,reclamation,,,,x,,,,\n",
     "from,to\nw,f\nf,l\n", OBJECTS "x,1MiB,hbm,\n", "", NULL},
    {"an allocation of a persistent object", NODES "a,allocation,,,,x,,\nw,compute,1us,,x,,,\n",
     "from,to\n", "object,size,home,persist\nx,1MiB,hbm,true\n", "", NULL},
    {"an alias is read after its root was written",
     NODES "w,compute,1us,,x,,,\nr,compute,1us,v,,,,\n", "from,to\n",
     "object,size,home,alias_of\nx,1MiB,hbm,\nv,1MiB,,x\n", "", NULL},
    {"aliases in turns, ordered by what they compute",
     NODES "w,compute,1us,,a,,,\nr,compute,1us,a,y,,,\nv,compute,1us,y,b,,,\nq,compute,1us,b,,,,\n",
     "from,to\n", "object,size,home,alias_of\nx,2MiB,hbm,\na,1MiB,,x\nb,1MiB,hbm,x\ny,1MiB,hbm,\n",
     "", NULL},
    {"two aliases read side by side",
     NODES "w,compute,1us,,x,,,\nr,compute,1us,a,,,,\nq,compute,1us,b,,,,\n", "from,to\n",
     "object,size,home,alias_of\nx,2MiB,hbm,\na,1MiB,,x\nb,1MiB,,x\n", "", NULL},
    {"a prefetch beside the layer before, two layers long",
     NODES "i,prefetch,1us,,,x,host,hbm\nl,compute,5us,,y,,,\nm,compute,1us,x;y,,,,\n", "from,to\n",
     OBJECTS "x,1MiB,hbm,host\ny,1MiB,hbm,\n", "", NULL},
    {"a prefetch that starts with its consumer's only input: other work hides it",
     "node,kind,resource,duration,inputs,outputs,object,from,to\nl,compute,compute,5us,,y,,,\n"
     "i,prefetch,,1us,,,x,host,hbm\no,compute,compute,5us,,z,,,\nm,compute,compute,1us,x;y,,,,\n",
     "from,to\nl,i\nl,m\n", OBJECTS "x,1MiB,hbm,host\ny,1MiB,hbm,\nz,1MiB,hbm,\n", "", NULL},
    {"a prefetch for the next iteration",
     NODES "m,compute,1us,x,,,,\no,offload,1us,,,x,hbm,host\nf,reclamation,,,,x,hbm,\n"
           "i,prefetch,1us,,,x,host,hbm\n",
     "from,to,scope\nm,o,same\no,f,same\nf,i,same\ni,m,next\n", OBJECTS "x,1MiB,hbm,hbm\n", "",
     NULL},
    {"a result goes out and stays there", NODES "w,compute,1us,,x,,,\no,offload,1us,,,x,hbm,host\n",
     "from,to\n", "object,size,home,persist\nx,1MiB,hbm,true\n", "", NULL},
    {"an offload whose source planning gives back",
     NODES "w,compute,1us,,x,,,\no,offload,1us,,,x,hbm,host\nl,compute,5us,,y,,,\n"
           "i,prefetch,1us,,,x,host,hbm\nr,compute,1us,x;y,,,,\n",
     "from,to\no,i\nl,r\n", OBJECTS "x,1MiB,hbm,\ny,1MiB,hbm,\n", "", NULL},
    {"a rematerialization of what nothing else computes",
     NODES "m,rematerialization,1us,s,x,,,\nr,compute,1us,x,,,,\n", "from,to\n",
     "object,size,home,initial,equivalence\ns,1MiB,hbm,hbm,\nx,1MiB,hbm,,tolerance\n", "", NULL},
    {"one output of two is made again",
     NODES "w,compute,1us,s,x;y,,,\nr,compute,1us,x;y,,,,\nm,rematerialization,1us,s,x,,,\n"
           "q,compute,1us,x,,,,\n",
     "from,to\nr,m\n",
     "object,size,home,initial,reconstruct,equivalence\ns,1MiB,hbm,hbm,,\nx,1MiB,hbm,,w,bitwise\n"
     "y,1MiB,hbm,,w,\n",
     "", NULL},
    {"two producers on opposite guards",
     GUARDED "i,prefetch,1us,,,x,host,hbm,!g,\nw,compute,1us,,x,,,,g,\nr,compute,1us,x,,,,,,\n",
     "from,to\n", OBJECTS "x,1MiB,hbm,host\n", "", NULL},
    {"producer and reader on the same guard",
     GUARDED "w,compute,1us,,x,,,,!g,\nr,compute,1us,x,,,,,!g,\n", "from,to\n",
     OBJECTS "x,1MiB,hbm,\n", "", NULL},
    {"producer and reader on one guard in one layer",
     GUARDED "w,compute,1us,,x,,,,deep,1\nr,compute,1us,x,,,,,deep,1\n", "from,to\n",
     OBJECTS "x,1MiB,hbm,\n", "", NULL},
    {"one guard, drawn for each layer by itself",
     GUARDED "w,compute,1us,,x,,,,deep,1\nr,compute,1us,x,,,,,deep,2\n", "from,to\n",
     OBJECTS "x,1MiB,hbm,\n", "guard-without-input", "'r' may run although 'w'"},
    {"one guard, drawn for each node by itself",
     GUARDED "w,compute,1us,,x,,,,own,\nr,compute,1us,x,,,,,own,\n", "from,to\n",
     OBJECTS "x,1MiB,hbm,\n", "guard-without-input", "'r' may run although 'w'"},
    {"producers whose guards leave no outcome out",
     GUARDED "v,compute,1us,,x,,,,g & h,\nw,compute,1us,,x,,,,g & !h,\nu,compute,1us,,x,,,,!g,\n"
             "r,compute,1us,x,,,,,,\n",
     "from,to\n", OBJECTS "x,1MiB,hbm,\n", "", NULL},
    {"producers whose guards leave one outcome out",
     GUARDED "v,compute,1us,,x,,,,g & h,\nu,compute,1us,,x,,,,!g,\nr,compute,1us,x,,,,,,\n",
     "from,to\n", OBJECTS "x,1MiB,hbm,\n", "guard-without-input", "'r' may run although 'u'"},
    {"a reader with more guards than its producer",
     GUARDED "w,compute,1us,,x,,,,g,\nr,compute,1us,x,,,,,h & g,\n", "from,to\n",
     OBJECTS "x,1MiB,hbm,\n", "", NULL},
    {"a reader with fewer guards than its producer",
     GUARDED "w,compute,1us,,x,,,,h & g,\nr,compute,1us,x,,,,,g,\n", "from,to\n",
     OBJECTS "x,1MiB,hbm,\n", "guard-without-input", "'r' may run although 'w'"},
    {"two producers that cover the reader's guard",
     GUARDED "v,compute,1us,,x,,,,g & h,\nw,compute,1us,,x,,,,g & !h,\nr,compute,1us,x,,,,,g,\n",
     "from,to\n", OBJECTS "x,1MiB,hbm,\n", "", NULL},
    {"a fallback that runs when one of two guards fails, and a producer for each",
     "node,kind,duration,inputs,outputs,guard,fallback\nv,compute,1us,,x,!g,\nw,compute,1us,,x,!h,"
     "\n"
     "p,compute,9us,,,g & h,q\nq,compute,1us,x,,,\n",
     "from,to\n", OBJECTS "x,1MiB,hbm,\n", "", NULL},
    {"a fallback that runs when one of two guards fails, and a producer for one",
     "node,kind,duration,inputs,outputs,guard,fallback\nv,compute,1us,,x,!g,\n"
     "p,compute,9us,,,g & h,q\nq,compute,1us,x,,,\n",
     "from,to\n", OBJECTS "x,1MiB,hbm,\n", "guard-without-input", "'q' may run although 'v'"},
    {"a reader and a reclamation of which one guard keeps one out",
     GUARDED "w,compute,1us,,x,,,,,\nd,reclamation,,,,x,hbm,,g & h,\nr,compute,1us,x,,,,,!g,\n"
             "e,reclamation,,,,x,hbm,,!g,\n",
     "from,to\nw,d\nr,e\nw,e\n", OBJECTS "x,1MiB,hbm,\n", "", NULL},
    {"a guarded update of what was written before",
     GUARDED "w,compute,1us,,x,,,,,\nv,compute,1us,x,x,,,,g,\nr,compute,1us,x,,,,,,\n", "from,to\n",
     OBJECTS "x,1MiB,hbm,\n", "", NULL},
    {"a fallback that provides what its primary does not get done",
     "node,kind,duration,inputs,outputs,deadline,fallback\np,compute,9us,,x,30us,q\nq,compute,1us,,"
     "x,,\n"
     "r,compute,1us,x,,,\n",
     "from,to\np,r\n", OBJECTS "x,1MiB,hbm,\n", "", NULL},
    {"a fallback that takes the place of a guarded node",
     "node,kind,duration,inputs,outputs,guard,fallback\np,compute,9us,,x,g,q\nq,compute,1us,,x,,\n"
     "r,compute,1us,x,,,\n",
     "from,to\np,r\n", OBJECTS "x,1MiB,hbm,\n", "", NULL},
    {"a fallback for one of two nodes that name it",
     "node,kind,duration,deadline,fallback\np,compute,9us,30us,q\np2,compute,9us,,q\nq,compute,1us,"
     ",\n",
     "from,to\n", OBJECTS, "", NULL},
    {"a fallback that goes before what follows its primary",
     "node,kind,duration,deadline,fallback\np,compute,9us,30us,q\nq,compute,1us,,\nr,compute,1us,,"
     "\n",
     "from,to\np,r\nq,r\n", OBJECTS, "", NULL},
};

static void check_example(const struct example *example)
{
    struct tempdir dir;
    tempdir_make(&dir);
    tempdir_write(&dir, "scenario.yaml", yaml);
    tempdir_write(&dir, "nodes.csv", example->nodes);
    tempdir_write(&dir, "edges.csv", example->edges);
    tempdir_write(&dir, "objects.csv", example->objects);
    /* The tables leave evidence out, and not every example has a use for every guard. */
    expect_codes(&dir, example->what, example->codes, example->message, "no-evidence");
    tempdir_remove(&dir);
}

START_TEST(rules_find_their_faults)
{
    check_example(&examples[_i]);
}
END_TEST

START_TEST(rules_leave_legal_graphs_alone)
{
    check_example(&legal[_i]);
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
    tcase_add_loop_test(c, rules_leave_legal_graphs_alone, 0, sizeof legal / sizeof *legal);
    tcase_add_test(c, the_table_is_whole);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}

/* Rules about barriers, lanes, windows, overlap, capacity and evidence: graphs that break one, and
 * close ones that must be left alone.  Node x to node y is "x,y" in edges. */
#include <config.h>

#include "found_codes.h"

#define HEAD                                                                                       \
    "name: remarks\n"                                                                              \
    "domains: {hbm: {capacity: 10MiB, reserve: 2MiB}, host: {reserve: 0B}}\n"                      \
    "guards: {g: {probability: 0.5}}\n"                                                            \
    "objective: {tail: 0.99}\n"
#define MACHINE  "resources: {gpu: {servers: 1}, link: {servers: 1}}\n"
#define GROUPED  "resources: {gpu: {servers: 1, group: m}, link: {servers: 1, group: m}}\n"
#define PLANNED  "policies: [{name: keep, action: retain}]\n"
#define AS_GIVEN "policies: [{name: given, action: as-given}]\n"

struct example {
    const char *what, *yaml, *nodes, *edges, *objects, *overlap;
    const char *codes;   /* ';'-separated, in the order of the rules; unused things aside */
    const char *message; /* part of the first one's text; NULL */
};

#define EDGES   "from,to,type\n"
#define OBJECTS "object,size,home,initial\n"
#define XYZ     OBJECTS "x,1MiB,hbm,hbm\ny,1MiB,hbm,\nz,1MiB,hbm,\n"
#define OVERLAP "a,b,allowed,proof,contention\n"
#define PLAIN   "node,kind,resource,inputs,outputs,object\n"
#define TIMED                                                                                      \
    "node,kind,class,resource,duration,inputs,outputs,release,deadline,fallback,guard,evidence\n"
#define TIMES(name, class, resource, duration, rest)                                               \
    name ",compute," class "," resource "," duration ",,," rest ",assumed: test\n"

static const struct example barriers[] = {
    {"a rendezvous: either successor reads what both predecessors write", MACHINE,
     PLAIN "p,compute,gpu,,y,\nq,compute,link,,z,\nb,barrier,,,,\ns,compute,gpu,y;z,,\n"
           "t,compute,link,y;z,,\n",
     EDGES "p,b,barrier\nq,b,barrier\nb,s,barrier\nb,t,barrier\n", XYZ, NULL, "barrier-redundant",
     "'b' orders nothing"},
    {"a barrier of which one pair needs nothing", MACHINE,
     PLAIN "p,compute,gpu,,y,\nq,compute,link,,z,\nb,barrier,,,,\ns,compute,gpu,y,,\n",
     EDGES "p,b,barrier\nq,b,barrier\nb,s,barrier\n", XYZ, NULL, "barrier-broad",
     "orders 1 pair of nodes that need no order: 'q' before 's'"},
    {"four pairs, three of them named", MACHINE,
     PLAIN
     "p,compute,gpu,,,\nq,compute,gpu,,,\nb,barrier,,,,\ns,compute,gpu,,,\nt,compute,gpu,,,\n",
     EDGES "p,b,barrier\nq,b,barrier\nb,s,barrier\nb,t,barrier\n", XYZ, NULL, "barrier-broad",
     "4 pairs of nodes that need no order: 'p' before 's', 'q' before 's', 'p' before 't' ..."},
    {"the load that it keeps apart: 3 + 4 us of gpu, 5 us of link", MACHINE,
     "node,kind,resource,duration,evidence\np,compute,gpu,3us,assumed: test\n"
     "q,compute,gpu,4us,assumed: test\nb,barrier,,,\ns,compute,link,5us,assumed: test\n",
     EDGES "p,b,barrier\nq,b,barrier\nb,s,barrier\n", XYZ, NULL, "barrier-broad",
     "it keeps 7.00 us of 'gpu' and 5.00 us of 'link' apart"},
    {"an order through another node", MACHINE,
     PLAIN "p,compute,gpu,,y,\nm,compute,gpu,y,z,\nb,barrier,,,,\ns,compute,gpu,z,,\n",
     EDGES "p,b,barrier\nb,s,barrier\n", XYZ, NULL, "barrier-redundant", NULL},
    {"a barrier inside a lane", MACHINE,
     "node,kind,resource,lane\np,compute,gpu,a\nb,barrier,,a\ns,compute,gpu,a\n", EDGES, XYZ, NULL,
     "barrier-redundant", NULL},
    {"two barriers that stand for each other: one goes", MACHINE,
     PLAIN "p,compute,gpu,x,,\nb,barrier,,,,\nc,barrier,,,,\nr,reclamation,,,,x\n",
     EDGES "p,b,barrier\np,c,barrier\nb,r,barrier\nc,r,barrier\n", XYZ, NULL, "barrier-redundant",
     "'b' orders nothing"},
    {"the last of a chain of barriers is judged for all", MACHINE,
     PLAIN "p,compute,gpu,,,\nb,barrier,,,,\nc,barrier,,,,\ns,compute,gpu,,,\n",
     EDGES "p,b,barrier\nb,c,barrier\nc,s,barrier\n", XYZ, NULL, "barrier-broad", "'c' orders 1"},
};

static const struct example quiet_barriers[] = {
    {"the only order of a reader and a later writer rests on it", MACHINE,
     PLAIN "p,compute,gpu,x,,\nb,barrier,,,,\ns,compute,gpu,,x,\n",
     EDGES "p,b,barrier\nb,s,barrier\n", XYZ, NULL, "", NULL},
    {"two writers in turn", MACHINE, PLAIN "p,compute,gpu,,y,\nb,barrier,,,,\ns,compute,gpu,,y,\n",
     EDGES "p,b,barrier\nb,s,barrier\n", XYZ, NULL, "", NULL},
    {"a reclamation behind it", MACHINE,
     PLAIN "p,compute,gpu,x,,\nq,compute,link,,,\nb,barrier,,,,\nr,reclamation,,,,x\n",
     EDGES "p,b,barrier\nq,b,barrier\nb,r,barrier\n", XYZ, NULL, "", NULL},
    {"room behind a reclamation before it", MACHINE,
     PLAIN "p,compute,gpu,x,,\nr,reclamation,,,,x\nb,barrier,,,,\ns,compute,gpu,,y,\n",
     EDGES "p,r,lifetime-hold\nr,b,barrier\nb,s,barrier\n", XYZ, NULL, "", NULL},
    {"one that names what it protects", MACHINE,
     PLAIN "p,compute,gpu,,y,\nb,barrier,,,,y\ns,compute,gpu,y,,\n",
     EDGES "p,b,barrier\nb,s,barrier\n", XYZ, NULL, "", NULL},
    {"an edge that names it", MACHINE, PLAIN "p,compute,gpu,,,\nb,barrier,,,,\ns,compute,gpu,,,\n",
     "from,to,type,object\np,b,barrier,x\nb,s,barrier,\n", XYZ, NULL, "", NULL},
    {"a lag is an order of its own", MACHINE,
     PLAIN "p,compute,gpu,,y,\nb,barrier,,,,\ns,compute,gpu,y,,\n",
     "from,to,type,lag\np,b,barrier,3us\nb,s,barrier,\n", XYZ, NULL, "", NULL},
    {"a milestone with a deadline", MACHINE,
     "node,kind,resource,deadline\np,compute,gpu,\nb,barrier,,5us\ns,compute,gpu,\n",
     EDGES "p,b,barrier\nb,s,barrier\n", XYZ, NULL, "", NULL},
    {"an end that nothing waits for", MACHINE, PLAIN "p,compute,gpu,,,\nb,barrier,,,,\n",
     EDGES "p,b,barrier\n", XYZ, NULL, "", NULL},
    {"a rendezvous with the next iteration", MACHINE,
     PLAIN "p,compute,gpu,,,\nb,barrier,,,,\ns,compute,gpu,,,\n",
     "from,to,scope\np,b,same\nb,s,next\n", XYZ, NULL, "", NULL},
    {"a guarded barrier", MACHINE,
     "node,kind,resource,guard\np,compute,gpu,\nb,barrier,,g\ns,compute,gpu,\n",
     EDGES "p,b,barrier\nb,s,barrier\n", XYZ, NULL, "", NULL},
    {"the order goes through a node that may be cancelled: it is no order, but a need", MACHINE,
     "node,kind,resource,deadline,fallback,duration,evidence\np,compute,gpu,,,1us,assumed: test\n"
     "m,compute,gpu,90us,f,1us,assumed: test\nf,compute,gpu,,,1us,assumed: test\nb,barrier,,,,,\n"
     "s,compute,gpu,,,1us,assumed: test\n",
     EDGES "p,m,ordering\nm,s,ordering\nf,s,ordering\np,b,barrier\nb,s,barrier\n", XYZ, NULL, "",
     NULL},
};

#define LANES "node,kind,resource,lane\n"
static const struct example lanes[] = {
    {"copies and kernels in one lane", MACHINE PLANNED, LANES "k,compute,gpu,s\nc,compute,link,s\n",
     EDGES, OBJECTS, NULL, "mechanism-in-policy",
     "lane 's' carries 'k' on 'gpu' and 'c' on 'link', and policy 'keep' plans over it"},
    {"two lanes over one resource", MACHINE PLANNED, LANES "k,compute,gpu,s\nl,compute,gpu,t\n",
     EDGES, OBJECTS, NULL, "mechanism-in-policy", "lanes 's' and 't' share 'gpu'"},
    {"said once for a lane, and once for a resource", MACHINE PLANNED,
     LANES
     "k,compute,gpu,s\nc,compute,link,s\nd,compute,link,s\nl,compute,gpu,t\nm,compute,gpu,u\n",
     EDGES, OBJECTS, NULL, "mechanism-in-policy;mechanism-in-policy", NULL},
    {"a rule that offloads",
     MACHINE "policies: [{name: p, action: as-given, rules: [{objects: x, action: offload}]}]\n",
     LANES "k,compute,gpu,s\nc,compute,link,s\n", EDGES, XYZ, NULL, "mechanism-in-policy", NULL},
};

static const struct example quiet_lanes[] = {
    {"the order of a program", MACHINE PLANNED, LANES "k,compute,gpu,s\nl,compute,gpu,s\n", EDGES,
     OBJECTS, NULL, "", NULL},
    {"one lane for each resource", MACHINE PLANNED, LANES "k,compute,gpu,s\nc,compute,link,t\n",
     EDGES, OBJECTS, NULL, "", NULL},
    {"nodes without a resource in between", MACHINE PLANNED,
     LANES "k,compute,gpu,s\ni,compute,,s\nl,compute,gpu,s\n", EDGES, OBJECTS, NULL, "", NULL},
    {"a recorded run", MACHINE AS_GIVEN,
     LANES "k,compute,gpu,s\nc,compute,link,s\nl,compute,gpu,t\n", EDGES, OBJECTS, NULL, "", NULL},
    {"no policy at all", MACHINE, LANES "k,compute,gpu,s\nc,compute,link,s\n", EDGES, OBJECTS, NULL,
     "", NULL},
};

static const struct example windows[] = {
    {"the mean passes the deadline, the least does not", MACHINE,
     TIMED TIMES("a", "", "gpu", "exponential(mean=3us)", ",4us,,"), EDGES, OBJECTS, NULL, "",
     NULL},
    {"by one microsecond", MACHINE, TIMED TIMES("a", "", "gpu", "exponential(mean=5us)", ",4us,,"),
     EDGES, OBJECTS, NULL, "negative-window", "slack -1.00 us; 1 node up to it is too late"},
    {"through data flow that no edge states", MACHINE,
     TIMED "a,compute,,gpu,exponential(mean=3us),,y,,,,,assumed: test\n"
           "b,compute,,gpu,exponential(mean=3us),y,,,5us,,,assumed: test\n",
     EDGES, XYZ, NULL, "negative-window", "ready at 3.00 us and takes 3.00 us"},
    {"hopeless is said once", MACHINE, TIMED TIMES("a", "", "gpu", "5us", ",4us,,"), EDGES, OBJECTS,
     NULL, "deadline-too-early", NULL},
    {"with a fallback of its own", MACHINE,
     TIMED TIMES("a", "", "gpu", "exponential(mean=5us)", ",4us,f,")
         TIMES("f", "", "gpu", "1us", ",,,"),
     EDGES, OBJECTS, NULL, "", NULL},
    {"under a guard", MACHINE, TIMED TIMES("a", "", "gpu", "exponential(mean=5us)", ",4us,,g"),
     EDGES, OBJECTS, NULL, "", NULL},
    {"behind a node that is cancelled whatever it waits for: late on average, not for certain",
     MACHINE,
     TIMED TIMES("a", "", "gpu", "100us", ",,,") TIMES("m", "", "gpu", "1us", ",20us,f,")
         TIMES("f", "", "link", "1us", ",,,") TIMES("b", "", "link", "1us", ",50us,,"),
     EDGES "a,m,ordering\nm,b,ordering\nf,b,ordering\n", OBJECTS, NULL, "negative-window", NULL},
};

#define PAIR(first, second)                                                                        \
    TIMED TIMES("a", "k", "gpu", "6us", first) TIMES("b", "c", "link", "5us", second)
static const struct example overlaps[] = {
    {"no turn: 6 + 5 > 10", MACHINE, PAIR(",10us,,", ",10us,,"), EDGES, OBJECTS,
     OVERLAP "k,c,false,,\n", "overlap-forced", "in every run neither can wait"},
    {"room for one turn: 6 + 5 = 11", MACHINE, PAIR(",10us,,", ",11us,,"), EDGES, OBJECTS,
     OVERLAP "k,c,false,,\n", "", NULL},
    {"a deadline behind: 6 + 5 + 2 > 12", MACHINE,
     PAIR(",,,", ",10us,,") TIMES("e", "", "gpu", "2us", ",12us,,"), EDGES "a,e,ordering\n",
     OBJECTS, OVERLAP "a,b,false,,\n", "overlap-forced", NULL},
    {"releases: 6 from 0 and 5 from 6 are no overlap", MACHINE, PAIR(",6us,,", "6us,11us,,"), EDGES,
     OBJECTS, OVERLAP "b,a,no,,\n", "", NULL},
    {"ordered by an edge", MACHINE, PAIR(",6us,,", ",11us,,"), EDGES "a,b,ordering\n", OBJECTS,
     OVERLAP "k,c,no,,\n", "", NULL},
    {"at means only", MACHINE,
     TIMED TIMES("a", "k", "gpu", "exponential(mean=6us)", ",10us,,")
         TIMES("b", "c", "link", "exponential(mean=5us)", ",10us,,"),
     EDGES, OBJECTS, OVERLAP "k,c,no,,\n", "overlap-forced", "at mean durations"},
    {"one of them may be left out", MACHINE, PAIR(",10us,,g", ",10us,,"), EDGES, OBJECTS,
     OVERLAP "k,c,no,,\n", "", NULL},
    {"one has a fallback", MACHINE,
     PAIR(",10us,f,", ",10us,,") TIMES("f", "", "link", "1us", ",,,"), EDGES, OBJECTS,
     OVERLAP "k,c,no,,\n", "", NULL},
    {"no deadline", MACHINE, PAIR(",,,", ",10us,,"), EDGES, OBJECTS, OVERLAP "k,c,no,,\n", "",
     NULL},
    {"of several pairs the first is named", MACHINE,
     PAIR(",10us,,", ",10us,,") TIMES("d", "c", "link", "5us", ",10us,,"), EDGES, OBJECTS,
     OVERLAP "k,c,false,,\n", "overlap-forced", "(and 1 more pairs)"},
    {"allowed and forbidden", MACHINE, PAIR(",,,", ",,,"), EDGES, OBJECTS,
     OVERLAP "k,c,yes,why not,\nc,k,no,,\n", "overlap-forced",
     "forbidden together here and allowed "},
    {"the same twice", MACHINE, PAIR(",,,", ",,,"), EDGES, OBJECTS, OVERLAP "k,c,no,,\nc,k,no,,\n",
     "", NULL},
    {"a permission without a proof", MACHINE, PAIR(",,,", ",,,"), EDGES, OBJECTS,
     OVERLAP "k,c,yes,,\n", "overlap-unproven", "without a proof that they are independent"},
    {"a proof where nothing contends", MACHINE, PAIR(",,,", ",,,"), EDGES, OBJECTS,
     OVERLAP "k,c,yes,no common object,\n", "", NULL},
    {"a proof where they contend", GROUPED, PAIR(",,,", ",,,"), EDGES, OBJECTS,
     OVERLAP "a,b,yes,no common object,\n", "overlap-unproven", "without a kappa"},
    {"an estimate", GROUPED, PAIR(",,,", ",,,"), EDGES, OBJECTS,
     OVERLAP "k,c,yes,no common object,1.2\n", "", NULL},
    {"a stated number for what is unknown", GROUPED "kappa: {unknown_kappa: 1.3}\n",
     PAIR(",,,", ",,,"), EDGES, OBJECTS, OVERLAP "k,c,yes,no common object,\n", "", NULL},
};

/* 8 MiB are usable. */
#define ROOM "node,kind,inputs,outputs,object,workspace,guard\n"
#define BIG  OBJECTS "a,4MiB,hbm,\nc,4MiB,hbm,\n"
static const struct example peaks[] = {
    {"two written-out lives around a third node: 4 + 4 + 1", MACHINE,
     ROOM "ta,allocation,,,a,,\ntc,allocation,,,c,,\nm,compute,,,,hbm:1MiB,\nra,reclamation,,,a,,\n"
          "rc,reclamation,,,c,,\n",
     EDGES "ta,m,ordering\ntc,m,ordering\nm,ra,ordering\nm,rc,ordering\n", BIG, NULL,
     "peak-unavoidable", "needs 1.00 MiB of 'hbm' while 8.00 MiB are held"},
    {"they fit exactly", MACHINE,
     ROOM "ta,allocation,,,a,,\ntc,allocation,,,c,,\nm,compute,,,,,\nra,reclamation,,,a,,\n"
          "rc,reclamation,,,c,,\n",
     EDGES "ta,m,ordering\ntc,m,ordering\nm,ra,ordering\nm,rc,ordering\n", BIG, NULL, "", NULL},
    {"one may be reclaimed before", MACHINE,
     ROOM "ta,allocation,,,a,,\ntc,allocation,,,c,,\nm,compute,,,,hbm:1MiB,\nra,reclamation,,,a,,\n"
          "rc,reclamation,,,c,,\n",
     EDGES "ta,ra,ordering\nta,m,ordering\ntc,m,ordering\nm,rc,ordering\n", BIG, NULL, "", NULL},
    {"one may not be taken at all", MACHINE,
     ROOM "ta,allocation,,,a,,g\ntc,allocation,,,c,,\nm,compute,,,,hbm:1MiB,\n"
          "ra,reclamation,,,a,,g\nrc,reclamation,,,c,,\n",
     EDGES "ta,m,ordering\ntc,m,ordering\nm,ra,ordering\nm,rc,ordering\n", BIG, NULL, "", NULL},
    {"two lives of one object bound nothing together", MACHINE,
     ROOM
     "ta,allocation,,,a,,\nra,reclamation,,,a,,\nta2,allocation,,,a,,\nm,compute,,,,hbm:5MiB,\n"
     "ra2,reclamation,,,a,,\n",
     EDGES "ta,ra,ordering\nra,ta2,ordering\nra,m,ordering\nta2,ra2,ordering\n", BIG, NULL, "",
     NULL},
    {"what persists and what is used: 5 + 4", MACHINE, ROOM "m,compute,a,,,,\n", EDGES,
     "object,size,home,initial,persist\na,4MiB,hbm,hbm,\nw,5MiB,hbm,hbm,true\n", NULL,
     "peak-unavoidable", "by 'w'"},
    {"what is only there at the start may leave", MACHINE,
     ROOM "m,compute,a,,,,\nn,compute,w,,,,\n", EDGES,
     "object,size,home,initial\na,4MiB,hbm,hbm\nw,5MiB,hbm,hbm\n", NULL, "", NULL},
    {"an alias takes no bytes", MACHINE, ROOM "m,compute,v,,,hbm:2MiB,\n", EDGES,
     "object,size,home,initial,persist,alias_of\nw,5MiB,hbm,hbm,true,\nv,5MiB,,,,w\n", NULL, "",
     NULL},
};

#define SOURCED "node,kind,resource,duration,object,from,to,priority,evidence\n"
static const struct example evidence[] = {
    {"three of four nodes are named", MACHINE,
     SOURCED "a,compute,gpu,1us,,,,,\nb,compute,gpu,1us,,,,,\nc,compute,gpu,1us,,,,,\n"
             "d,compute,gpu,1us,,,,,\ne,compute,gpu,1us,,,,,unknown: nobody looked\n",
     EDGES, OBJECTS, NULL, "no-evidence",
     "4 of 5 durations have no evidence (column evidence): 'a', 'b', 'c' and 1 more"},
    {"a cost", MACHINE "costs: [{what: allocation, duration: 1us}]\n",
     SOURCED "a,compute,gpu,,,,,,\n", EDGES, OBJECTS, NULL, "no-evidence",
     "1 of 1 costs has no evidence (key evidence)"},
    {"a cost with it",
     MACHINE "costs: [{what: allocation, duration: 1us, evidence: \"assumed: a driver call\"}]\n",
     SOURCED "a,compute,gpu,,,,,,\n", EDGES, OBJECTS, NULL, "", NULL},
    {"a route is said once, not for each move",
     MACHINE "routes: [{from: host, to: hbm, resource: link, bandwidth: 25GB/s}]\n",
     SOURCED "m,transfer,,,x,host,hbm,,\n", EDGES, OBJECTS "x,1MiB,hbm,host\n", NULL,
     "assumed-bandwidth", "from 'host' to 'hbm' states 25 GB/s"},
    {"an assumption that is stated",
     MACHINE
     "routes: [{from: host, to: hbm, resource: link, bandwidth: 25GB/s, evidence: \"assumed: "
     "datasheet\"}]\n",
     SOURCED "m,transfer,,,x,host,hbm,,\n", EDGES, OBJECTS "x,1MiB,hbm,host\n", NULL, "", NULL},
    {"service by priorities that nobody states",
     "resources: {gpu: {servers: 1, order: priority}}\n", SOURCED "a,compute,gpu,,,,,,\n", EDGES,
     OBJECTS, NULL, "assumed-priority", "'gpu' serves by priority"},
    {"one states it", "resources: {gpu: {servers: 1, order: priority}}\n",
     SOURCED "a,compute,gpu,,,,,,\nb,compute,gpu,,,,,2,\n", EDGES, OBJECTS, NULL, "", NULL},
    {"waiting raises it", "resources: {gpu: {servers: 1, order: priority, aging: 1ms}}\n",
     SOURCED "a,compute,gpu,,,,,,\n", EDGES, OBJECTS, NULL, "", NULL},
};

static void check_example(const struct example *example)
{
    struct tempdir dir;
    char yaml[1200];
    tempdir_make(&dir);
    snprintf(yaml, sizeof yaml, "%s%s", HEAD, example->yaml);
    tempdir_write(&dir, "scenario.yaml", yaml);
    tempdir_write(&dir, "nodes.csv", example->nodes);
    tempdir_write(&dir, "edges.csv", example->edges);
    tempdir_write(&dir, "objects.csv", example->objects);
    if (example->overlap)
        tempdir_write(&dir, "overlap.csv", example->overlap);
    expect_codes(&dir, example->what, example->codes, example->message, NULL);
    tempdir_remove(&dir);
}

static const struct {
    const char *name;
    const struct example *examples;
    int count;
} tables[] = {
#define TABLE(name)                                                                                \
    {                                                                                              \
#name, name, (int)(sizeof name / sizeof *name)                                             \
    }
    TABLE(barriers), TABLE(quiet_barriers), TABLE(lanes), TABLE(quiet_lanes),
    TABLE(windows),  TABLE(overlaps),       TABLE(peaks), TABLE(evidence),
};

START_TEST(examples_say_what_they_should)
{
    for (int k = 0; k < tables[_i].count; k++)
        check_example(&tables[_i].examples[k]);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("legality_remarks");
    TCase *c = tcase_create("rules");
    tcase_add_loop_test(c, examples_say_what_they_should, 0, sizeof tables / sizeof *tables);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}

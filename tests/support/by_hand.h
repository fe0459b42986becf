/* A scenario's tables planned as given and run for one trial, to be held against a timeline that
 * was computed by hand.  For one test program: `lab`, `run`, `graph` and `t` are its own. */
#ifndef BY_HAND_H
#define BY_HAND_H
#include "planlab.h"

#define US INT64_C(1000000) /* ps */

static struct planlab lab;
static struct planlab_run run;
static const struct sl_graph *graph;
static const struct sl_trial *t;

/* Loads, plans and runs trial 0.  `overlap` may be NULL. */
static void timeline_run(const char *yaml, const char *nodes, const char *objects,
                         const char *edges, const char *overlap)
{
    planlab_open_tables(&lab, yaml, nodes, objects, edges, overlap);
    graph = planlab_plan(&lab, "as-given");
    run = (struct planlab_run){0};
    t = planlab_trial(&lab, &run);
}

static void timeline_close(void)
{
    planlab_end(&run);
    planlab_close(&lab);
}

static uint32_t node(const char *name)
{
    uint32_t i = planlab_node(graph, name);
    ck_assert_msg(i != SL_NONE, "no node %s", name);
    return i;
}

static void starts(const char *name, int64_t us)
{
    ck_assert_msg(t->start_ps[node(name)] == us * US, "%s starts at %lld ps, not %lld us", name,
                  (long long)t->start_ps[node(name)], (long long)us);
}

static void cause(const char *name, enum sl_cause wanted, const char *behind)
{
    uint32_t i = node(name);
    ck_assert_msg(t->cause[i] == wanted, "%s: cause %s", name,
                  sl_cause_name((enum sl_cause)t->cause[i]));
    ck_assert_msg(t->behind[i] == (behind ? node(behind) : SL_NONE), "%s: another node behind",
                  name);
}
#endif

/* Plans of small scenarios, and what every plan must keep.
 *
 *     struct planlab lab;
 *     planlab_open(&lab, yaml, nodes, objects);
 *     planlab_plan(&lab, "name of a policy");   (also checks the plan's bookkeeping)
 *     planlab_close(&lab);
 */
#ifndef SL_TEST_PLANLAB_H
#define SL_TEST_PLANLAB_H
#include "evictor.h"
#include "harness.h"
#include "policy.h"
#include "tempdir.h"
#include <string.h>

struct planlab {
    struct tempdir dir;
    struct sl_scenario scenario;
    struct sl_diags diags;
    struct sl_error err;
    struct sl_plan plan;
};

/* Tables that are NULL are left out.  SL_NO: the scenario is not legal; the laboratory must be closed
 * in every case. */
static inline enum sl_status planlab_try_open(struct planlab *lab, const char *yaml,
                                              const char *nodes, const char *objects,
                                              const char *edges, const char *overlap)
{
    const char *const files[][2] = {{"scenario.yaml", yaml},
                                    {"nodes.csv", nodes},
                                    {"objects.csv", objects},
                                    {"edges.csv", edges},
                                    {"overlap.csv", overlap}};
    memset(lab, 0, sizeof *lab);
    tempdir_make(&lab->dir);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i][1])
            tempdir_write(&lab->dir, files[i][0], files[i][1]);
    enum sl_status status =
        sl_scenario_load(&lab->scenario, lab->dir.path, NULL, 0, &lab->diags, &lab->err);
    if (status != SL_OK && status != SL_NO)
        sl_diags_print(&lab->diags, stderr);
    sl_diags_free(&lab->diags);
    memset(&lab->diags, 0, sizeof lab->diags);
    return status;
}

static inline void planlab_open_tables(struct planlab *lab, const char *yaml, const char *nodes,
                                       const char *objects, const char *edges, const char *overlap)
{
    enum sl_status status = planlab_try_open(lab, yaml, nodes, objects, edges, overlap);
    ck_assert_msg(status == SL_OK, "%s", lab->err.message);
}

static inline void planlab_open(struct planlab *lab, const char *yaml, const char *nodes,
                                const char *objects)
{
    planlab_open_tables(lab, yaml, nodes, objects, NULL, NULL);
}

static inline void planlab_close(struct planlab *lab)
{
    sl_plan_free(&lab->plan);
    sl_scenario_free(&lab->scenario);
    sl_diags_free(&lab->diags);
    tempdir_remove(&lab->dir);
}

static inline bool planlab_holds(const struct sl_graph *graph, const bool *held, uint32_t object,
                                 uint32_t domain)
{
    for (uint32_t h = 0; h < graph->holding_count; h++)
        if (held[h] && graph->holdings[h].object.i == object && graph->holdings[h].domain == domain)
            return true;
    return false;
}

/* A copy of every object that the node reads is held where it reads it. */
static inline void planlab_check_reads(const struct sl_graph *graph, const struct sl_node *node,
                                       const bool *held)
{
    for (uint32_t k = 0; k < node->inputs.count; k++) {
        uint32_t o = sl_object_root(graph, graph->objects_pool[node->inputs.first + k]).i;
        ck_assert_msg(planlab_holds(graph, held, o, graph->objects[o].home), "%s reads %s",
                      node->name, graph->objects[o].name);
    }
    if (sl_node_moves(node->kind))
        ck_assert_msg(planlab_holds(graph, held, node->object.i, node->from), "%s moves %s",
                      node->name, graph->objects[node->object.i].name);
}

/* Walks the plan in topological order: each copy is taken once, given back at most once and after
 * that, every read finds its copy, and at the end only copies of persistent or untouched objects
 * are left, or those with which a further iteration would begin.  Only for graphs without guards and fallbacks, and of objects with a stated home. */
static inline void planlab_check(const struct sl_plan *plan)
{
    const struct sl_graph *graph = plan->graph;
    ck_assert(graph->finished);
    bool *held = calloc(graph->holding_count + 1u, sizeof *held);
    bool *was = calloc(graph->holding_count + 1u, sizeof *was);
    ck_assert(held && was);
    for (uint32_t h = 0; h < graph->holding_count; h++)
        held[h] = was[h] = graph->holdings[h].initial;
    for (uint32_t t = 0; t < graph->node_count; t++) {
        const struct sl_node *node = &graph->nodes[graph->topo[t]];
        for (uint32_t k = 0; k < node->takes.count; k++) {
            uint32_t h = graph->holdings_pool[node->takes.first + k];
            if (sl_node_is_latent(graph, graph->topo[t])) { /* as often as it is called */
                was[h] = true;
                continue;
            }
            /* What is carried from one iteration to the next is there already. */
            ck_assert_msg(!was[h] || (held[h] && node->iteration > 0), "%s takes twice",
                          node->name);
            held[h] = was[h] = true;
        }
        if (!sl_node_is_latent(graph, graph->topo[t]))
            planlab_check_reads(graph, node, held);
        for (uint32_t k = 0; k < node->gives.count; k++) {
            uint32_t h = graph->holdings_pool[node->gives.first + k];
            ck_assert_msg(held[h], "%s gives what is not there", node->name);
            held[h] = false;
        }
    }
    bool iterates = graph->node_count > 0 && graph->nodes[graph->node_count - 1].iteration > 0;
    for (uint32_t h = 0; h < graph->holding_count; h++) {
        ck_assert_msg(was[h], "a holding is never taken");
        if (!held[h])
            continue;
        ck_assert_int_eq(graph->holdings[h].kind, SL_HOLD_OBJECT);
        const struct sl_object *object = &graph->objects[graph->holdings[h].object.i];
        ck_assert(object->persist || graph->holdings[h].initial ||
                  (iterates && object->initial != SL_NONE));
    }
    free(held);
    free(was);
}

/* Plans a policy, which must succeed. */
static inline const struct sl_graph *planlab_plan(struct planlab *lab, const char *policy)
{
    const struct sl_policy_spec *spec = sl_scenario_policy(&lab->scenario, policy);
    ck_assert_msg(spec != NULL, "no policy %s", policy);
    sl_plan_free(&lab->plan);
    enum sl_status status =
        sl_policy_plan(&lab->plan, &lab->scenario, spec, &lab->diags, &lab->err);
    ck_assert_msg(status == SL_OK, "%s: %s", policy, lab->err.message);
    planlab_check(&lab->plan);
    return lab->plan.graph;
}

static inline uint32_t planlab_node(const struct sl_graph *graph, const char *name)
{
    return sl_names_find(&graph->node_names, name);
}

static inline bool planlab_has(const struct sl_graph *graph, const char *name)
{
    return planlab_node(graph, name) != SL_NONE;
}

/* The edge from one node to another; NULL: there is none. */
static inline const struct sl_edge *planlab_edge(const struct sl_graph *graph, const char *from,
                                                 const char *to)
{
    for (uint32_t e = 0; e < graph->edge_count; e++)
        if (graph->edges[e].from.i == planlab_node(graph, from) &&
            graph->edges[e].to.i == planlab_node(graph, to))
            return &graph->edges[e];
    return NULL;
}

/* Simulates a planned policy once.  The record lasts until planlab_end. */
struct planlab_run {
    struct sl_program *program;
    struct sl_worker *worker;
    const struct sl_trial *trial;
};

static inline const struct sl_trial *planlab_trial(struct planlab *lab, struct planlab_run *run)
{
    enum sl_status status =
        sl_program_create(&run->program, lab->plan.graph, &lab->plan.engine, &lab->err);
    if (status == SL_OK)
        status = sl_worker_create(&run->worker, run->program, &lab->err);
    if (status == SL_OK)
        status = sl_worker_run(run->worker, 1, 0, 0, &run->trial, &lab->err);
    ck_assert_msg(status == SL_OK, "%s", lab->err.message);
    return run->trial;
}

static inline void planlab_end(struct planlab_run *run)
{
    sl_worker_free(run->worker);
    sl_program_free(run->program);
}

/* Number of nodes whose names begin so. */
static inline uint32_t planlab_count(const struct sl_graph *graph, const char *prefix)
{
    uint32_t count = 0;
    for (uint32_t n = 0; n < graph->node_count; n++)
        count += strncmp(graph->nodes[n].name, prefix, strlen(prefix)) == 0;
    return count;
}

/* The single ordering edge into a node, as "FROM" or "FROM+LAG ms"; "" when there is none. */
static inline const char *planlab_trigger(const struct sl_graph *graph, const char *name,
                                          char text[128])
{
    uint32_t found = 0;
    text[0] = '\0';
    for (uint32_t e = 0; e < graph->edge_count; e++) {
        const struct sl_edge *edge = &graph->edges[e];
        if (edge->to.i != planlab_node(graph, name) || edge->type != SL_EDGE_ORDERING)
            continue;
        found++;
        if (edge->lag_ps)
            snprintf(text, 128, "%s+%g", graph->nodes[edge->from.i].name,
                     (double)edge->lag_ps / 1e9);
        else
            snprintf(text, 128, "%s", graph->nodes[edge->from.i].name);
    }
    ck_assert_msg(found <= 1, "%s waits for %u nodes", name, found);
    return text;
}

static inline bool planlab_warned(const struct planlab *lab, const char *code)
{
    for (size_t i = 0; i < lab->diags.count; i++)
        if (strcmp(lab->diags.items[i].code, code) == 0)
            return true;
    return false;
}
#endif

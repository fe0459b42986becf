/* See stream_draft.h. */
#include <config.h>

#include "stream_draft.h"
#include <math.h>

#define MS INT64_C(1000000000)

static int roll(struct dice *dice, int below)
{
    return (int)dice_below(dice, (unsigned)below);
}

static int add_node(struct sm_problem *p, struct dice *dice, int longest)
{
    int n = p->node_count++;
    p->nodes[n] = (struct sm_node){.ms = 1 + roll(dice, longest), .writes = -1};
    if (roll(dice, 3) == 0)
        p->nodes[n].workspace = 1 + roll(dice, 3);
    return n;
}

static int add_object(struct sm_problem *p, struct dice *dice, int writer)
{
    int o = p->object_count++;
    p->objects[o] =
        (struct sm_object){.size = 1 + roll(dice, 6), .writer = writer, .before = -1, .after = -1};
    p->objects[o].remakes = roll(dice, 8) > 0;
    p->nodes[writer].writes = o;
    return o;
}

static void read_object(struct sm_problem *p, int node, int object)
{
    struct sm_node *n = &p->nodes[node];
    n->reads[n->read_count++] = object;
}

/* Gaps, times of copies and the capacity: between the largest step and all that is there at a time.
 */
static void complete(struct sm_problem *p, struct dice *dice)
{
    static const int slow[] = {1, 1, 2, 4};
    int out = slow[roll(dice, 4)], back = slow[roll(dice, 4)], alone = 0, all = 0;
    for (int o = 0; o < p->object_count; o++) {
        struct sm_object *x = &p->objects[o];
        int last = x->writer;
        for (int n = 0; n < p->node_count; n++)
            for (int k = 0; k < p->nodes[n].read_count; k++)
                if (p->nodes[n].reads[k] == o) {
                    if (n > last + 1) {
                        x->before = last;
                        x->after = n;
                    }
                    last = n;
                }
        x->out_ms = x->size * out;
        x->back_ms = x->size * back;
        all += x->size;
    }
    for (int n = 0; n < p->node_count; n++) {
        const struct sm_node *node = &p->nodes[n];
        int need = node->workspace + (node->writes >= 0 ? p->objects[node->writes].size : 0);
        for (int k = 0; k < node->read_count; k++)
            need += p->objects[node->reads[k]].size;
        alone = need > alone ? need : alone;
    }
    p->capacity = alone + roll(dice, all > alone ? all - alone + 1 : 1);
}

void draft_chain(struct sm_problem *p, struct dice *dice, int most)
{
    int stages = 2 + roll(dice, most - 1);
    memset(p, 0, sizeof *p);
    for (int t = 0; t < stages; t++) {
        add_object(p, dice, add_node(p, dice, 9));
        if (t > 0)
            read_object(p, t, t - 1);
    }
    for (int t = stages - 1; t >= 0; t--)
        read_object(p, add_node(p, dice, 18), t);
    complete(p, dice);
}

void draft_dag(struct sm_problem *p, struct dice *dice, int objects)
{
    int far[SM_OBJECTS], left = 0;
    memset(p, 0, sizeof *p);
    while (p->object_count < objects || left > 0) {
        bool writes = p->object_count < objects && (left == 0 || roll(dice, 3) > 0);
        int n = add_node(p, dice, 12), before = n > 0 ? p->nodes[n - 1].writes : -1;
        if (before >= 0 && roll(dice, 2))
            read_object(p, n, before);
        for (int k = 0; k < 2 && left > 0; k++) {
            int pick = roll(dice, left), o = far[pick];
            if (writes && roll(dice, 2))
                continue;
            if (p->nodes[n].read_count > 0 && p->nodes[n].reads[0] == o)
                continue;
            read_object(p, n, o);
            far[pick] = far[--left];
        }
        if (writes)
            far[left++] = add_object(p, dice, n);
    }
    complete(p, dice);
}

/* ---- as a scenario ---- */

static void put_nodes(const struct sm_problem *p, char *text, size_t size)
{
    snprintf(text, size, "node,kind,resource,lane,duration,inputs,outputs,workspace\n");
    for (int n = 0; n < p->node_count; n++) {
        const struct sm_node *node = &p->nodes[n];
        char inputs[100] = "", output[20] = "", space[40] = "";
        for (int k = 0; k < node->read_count; k++)
            snprintf(inputs + strlen(inputs), sizeof inputs - strlen(inputs), "%sx%d",
                     k > 0 ? ";" : "", node->reads[k]);
        if (node->writes >= 0)
            snprintf(output, sizeof output, "x%d", node->writes);
        if (node->workspace > 0)
            snprintf(space, sizeof space, "hbm:%dMiB", node->workspace);
        snprintf(text + strlen(text), size - strlen(text), "n%d,compute,compute,s,%dms,%s,%s,%s\n",
                 n, node->ms, inputs, output, space);
    }
}

static void put_objects(const struct sm_problem *p, char *text, size_t size)
{
    snprintf(text, size, "object,size,home,placements,reconstruct,equivalence\n");
    for (int o = 0; o < p->object_count; o++) {
        const struct sm_object *x = &p->objects[o];
        char maker[40] = ",";
        if (x->remakes)
            snprintf(maker, sizeof maker, "n%d,bitwise", x->writer);
        snprintf(text + strlen(text), size - strlen(text), "x%d,%dMiB,hbm,hbm;pinned,%s\n", o,
                 x->size, maker);
    }
}

enum sl_status draft_open(struct planlab *lab, const struct sm_problem *p, const char *policies)
{
    static char nodes[4000], objects[2000], yaml[3000];
    const struct sm_object *x = &p->objects[0];
    put_nodes(p, nodes, sizeof nodes);
    put_objects(p, objects, sizeof objects);
    snprintf(
        yaml, sizeof yaml,
        "name: stream\nnodes: nodes.csv\nobjects: objects.csv\n"
        "resources: {compute: {servers: 1}, h2d: {servers: 1}, d2h: {servers: 1}}\n"
        "domains: {hbm: {capacity: %dMiB, reserve: 0B}, pinned: {capacity: 1GiB, reserve: 0B}}\n"
        "routes:\n"
        "  - {from: hbm, to: pinned, resource: d2h, bandwidth: %dMiB/s}\n"
        "  - {from: pinned, to: hbm, resource: h2d, bandwidth: %dMiB/s}\n"
        "objective: {metric: makespan, tail: 0.99, order: [tail]}\n"
        "trials: 1\nseed: 1\npolicies:\n%s",
        p->capacity, 1000 * x->size / x->out_ms, 1000 * x->size / x->back_ms, policies);
    return planlab_try_open(lab, yaml, nodes, objects, NULL, NULL);
}

/* ---- choices as the planner takes them ---- */

struct table {
    struct sl_tuning tuning;
    struct sl_gap_choice gaps[SM_OBJECTS];
    struct sl_node_choice nodes[SM_OBJECTS];
    char names[SM_OBJECTS][2][32];
};

static void fill_table(struct table *t, const struct sm_problem *p, const struct sm_choice *choices)
{
    static const char *const words[] = {"retain", "remat", "offload"};
    struct sm_run run;
    sm_sequence(p, choices, &run);
    t->tuning = (struct sl_tuning){.gaps = t->gaps, .nodes = t->nodes};
    for (int o = 0; o < p->object_count; o++) {
        bool moves = choices[o].what == SM_MOVES;
        if (p->objects[o].after < 0)
            continue;
        t->gaps[t->tuning.gap_count++] = (struct sl_gap_choice){.object = (uint32_t)o,
                                                                .gap = 1,
                                                                .action = words[choices[o].what],
                                                                .prefetch = moves ? "asap" : NULL};
        if (!moves || choices[o].trigger == SM_ASAP)
            continue;
        const struct sm_step *step = &run.steps[choices[o].trigger];
        snprintf(t->names[o][0], sizeof t->names[o][0], "prefetch:x%d", o);
        if (step->again)
            snprintf(t->names[o][1], sizeof t->names[o][1], "remat:n%d#%d", step->node,
                     step->again);
        else
            snprintf(t->names[o][1], sizeof t->names[o][1], "n%d", step->node);
        t->nodes[t->tuning.node_count++] = (struct sl_node_choice){
            .node = t->names[o][0], .priority = NAN, .after = t->names[o][1], .release_ps = -1};
    }
}

int draft_run(struct planlab *lab, const struct sl_planner *planner, const char *name,
              const struct sm_problem *p, const struct sm_choice *choices)
{
    struct table table;
    struct planlab_run run;
    struct sl_policy_spec policy = *sl_scenario_policy(&lab->scenario, name);
    fill_table(&table, p, choices);
    policy.tuning = &table.tuning;
    sl_plan_free(&lab->plan);
    enum sl_status status = sl_planner_plan(planner, &lab->plan, &policy, &lab->diags, &lab->err);
    if (status == SL_NO)
        return -1;
    ck_assert_msg(status == SL_OK, "%s", lab->err.message);
    const struct sl_trial *trial = planlab_trial(lab, &run);
    int ms = trial->outcome == SL_DONE ? (int)(trial->makespan_ps / MS) : -1;
    planlab_end(&run);
    return ms;
}

/* Checkpointing of chains by bytes: action chain-optimal against published values and an
 * independent search.
 *
 * Accounting.  x_0 is there from start to end.  f_t reads x_(t-1) and writes x_t and, where step t
 * saves, s_t; `loss` reads x_n and writes d_n; b_t reads d_t, s_t, x_t, x_(t-1) and writes d_(t-1),
 * which is not d_t's place.  So b_t, with everything else gone, holds x_0, x_(t-1), x_t, s_t, d_t
 * and d_(t-1) at a time. */
#include <config.h>

#include "planlab.h"
#include <limits.h>

#define MS   INT64_C(1000000000)
#define MOST 10

/* Times in ms, sizes in GiB; [0] of x and d is used. */
struct chain {
    int steps;
    int forward[MOST + 1], backward[MOST + 1];
    int x[MOST + 1], saved[MOST + 1], d[MOST + 1];
    int work[MOST + 1], work_back[MOST + 1]; /* workspace */
    bool reads_x[MOST + 1], reads_input[MOST + 1];
};

static void put_node(char *text, size_t size, const char *name, int ms, int workspace,
                     const char *inputs, const char *outputs)
{
    size_t at = strlen(text);
    char space[32] = "";
    if (workspace > 0)
        snprintf(space, sizeof space, "hbm:%dGiB", workspace);
    snprintf(text + at, size - at, "%s,compute,compute,s,%dms,%s,%s,%s\n", name, ms, inputs,
             outputs, space);
}

static void put_object(char *text, size_t size, char kind, int t, int gib, const char *more)
{
    size_t at = strlen(text);
    snprintf(text + at, size - at, "%c%d,%dGiB,hbm,%s\n", kind, t, gib, more);
}

static void put_backward(const struct chain *c, int t, char *nodes, size_t size)
{
    char name[20], inputs[100], output[20];
    snprintf(name, sizeof name, "b%d", t);
    snprintf(inputs, sizeof inputs, "d%d", t);
    if (c->saved[t] > 0)
        snprintf(inputs + strlen(inputs), sizeof inputs - strlen(inputs), ";s%d", t);
    if (c->reads_x[t])
        snprintf(inputs + strlen(inputs), sizeof inputs - strlen(inputs), ";x%d", t);
    if (c->reads_input[t])
        snprintf(inputs + strlen(inputs), sizeof inputs - strlen(inputs), ";x%d", t - 1);
    snprintf(output, sizeof output, "d%d", t - 1);
    put_node(nodes, size, name, c->backward[t], c->work_back[t], inputs, output);
}

static enum sl_status open_chain(struct planlab *lab, const struct chain *c, int capacity,
                                 const char *policies)
{
    static char nodes[4000], objects[4000], yaml[2000];
    char name[20], input[20], outputs[40], maker[40], room[40] = "";
    snprintf(nodes, sizeof nodes, "node,kind,resource,lane,duration,inputs,outputs,workspace\n");
    snprintf(objects, sizeof objects, "object,size,home,initial,persist,reconstruct,equivalence\n");
    put_object(objects, sizeof objects, 'x', 0, c->x[0], "hbm,yes,,");
    put_object(objects, sizeof objects, 'd', 0, c->d[0], ",,,");
    for (int t = 1; t <= c->steps; t++) {
        snprintf(name, sizeof name, "f%d", t);
        snprintf(input, sizeof input, "x%d", t - 1);
        snprintf(maker, sizeof maker, ",,f%d,bitwise", t);
        snprintf(outputs, sizeof outputs, c->saved[t] > 0 ? "x%d;s%d" : "x%d", t, t);
        put_node(nodes, sizeof nodes, name, c->forward[t], c->work[t], input, outputs);
        put_object(objects, sizeof objects, 'x', t, c->x[t], maker);
        if (c->saved[t] > 0)
            put_object(objects, sizeof objects, 's', t, c->saved[t], maker);
        put_object(objects, sizeof objects, 'd', t, c->d[t], ",,,");
    }
    snprintf(input, sizeof input, "x%d", c->steps);
    snprintf(outputs, sizeof outputs, "d%d", c->steps);
    put_node(nodes, sizeof nodes, "loss", 0, 0, input, outputs);
    for (int t = c->steps; t >= 1; t--)
        put_backward(c, t, nodes, sizeof nodes);
    if (capacity > 0)
        snprintf(room, sizeof room, "capacity: %dGiB, ", capacity);
    snprintf(yaml, sizeof yaml,
             "name: chain\nnodes: nodes.csv\nobjects: objects.csv\n"
             "resources: {compute: {servers: 1}}\ndomains: {hbm: {%sreserve: 0B}}\n"
             "objective: {metric: makespan, tail: 0.99}\ntrials: 1\nseed: 1\npolicies:\n%s",
             room, policies);
    return planlab_try_open(lab, yaml, nodes, objects, NULL, NULL);
}

/* Simulated makespan, ms; capacity is enforced. */
static int makespan(struct planlab *lab)
{
    struct planlab_run run;
    const struct sl_trial *trial = planlab_trial(lab, &run);
    ck_assert_msg(trial->outcome == SL_DONE, "%s", trial->deadlock);
    ck_assert_int_eq(trial->makespan_ps % MS, 0);
    int ms = (int)(trial->makespan_ps / MS);
    planlab_end(&run);
    return ms;
}

/* ---- published values -------------------------------------------------------------------------
 *
 * Ten steps, forward 1, backward 2, x and d of 1, saved 3 (x_t among it: s_t of 2).  Operations are
 * forward steps, ten backward steps and the loss (rotor's test of its persistent algorithm). */

static const struct {
    int memory, operations, makespan;
} published[] = {{7, 66, 75}, {8, 41, 50}, {9, 36, 45}, {15, 28, 37}};

static struct chain homogeneous(void)
{
    struct chain c = {.steps = 10, .x = {1}, .d = {1}};
    for (int t = 1; t <= 10; t++) {
        c.forward[t] = c.x[t] = c.d[t] = 1;
        c.backward[t] = c.saved[t] = 2;
        c.reads_x[t] = c.reads_input[t] = true;
    }
    return c;
}

START_TEST(test_published_values)
{
    struct chain c = homogeneous();
    struct planlab lab;
    char policies[200];
    ck_assert_int_eq(
        open_chain(&lab, &c, published[_i].memory, "  - {name: fit, action: chain-optimal}\n"),
        SL_OK);
    planlab_plan(&lab, "fit");
    ck_assert(!planlab_warned(&lab, "does-not-fit"));
    ck_assert_int_eq((int)planlab_count(lab.plan.graph, "remat:") + 21, published[_i].operations);
    ck_assert_int_eq(makespan(&lab), published[_i].makespan);
    planlab_close(&lab);
    /* The same where the policy states the memory. */
    snprintf(policies, sizeof policies,
             "  - {name: stated, action: {how: chain-optimal, memory: %dGiB}}\n",
             published[_i].memory);
    ck_assert_int_eq(open_chain(&lab, &c, 0, policies), SL_OK);
    planlab_plan(&lab, "stated");
    ck_assert_int_eq(makespan(&lab), published[_i].makespan);
    planlab_close(&lab);
}
END_TEST

/* With 6 there is no plan: what is planned is that of 7, and said to be too much. */
START_TEST(test_published_infeasible)
{
    struct chain c = homogeneous();
    struct planlab lab;
    ck_assert_int_eq(
        open_chain(&lab, &c, 0, "  - {name: fit, action: {how: chain-optimal, memory: 6GiB}}\n"),
        SL_OK);
    planlab_plan(&lab, "fit");
    ck_assert(planlab_warned(&lab, "does-not-fit"));
    ck_assert_int_eq((int)planlab_count(lab.plan.graph, "remat:") + 21, published[0].operations);
    planlab_close(&lab);
}
END_TEST

/* ---- chains of any sizes, against a search over what is there ----------------------------------
 *
 * Any forward step whose input is there may run, save or not, and drop its input or keep it; what
 * is kept stays until the backward step that it is kept for: a state kept behind step t until b_t,
 * what t saved until b_t, its state and what else b_t reads with it. */

#define SMALL 6

struct search {
    const struct chain *chain;
    int capacity;
    int (*least)[1 << SMALL][1 << SMALL][1 << SMALL]; /* by next backward step, x, s, kept x */
    int best;
};

struct state {
    int next;            /* backward step; steps + 1: the loss */
    unsigned x, s, kept; /* bit t - 1; kept: x_t stays until b_(t+1) */
};

static unsigned bit(int t)
{
    return t > 0 ? 1u << (t - 1) : 0;
}

static int bytes_there(const struct search *q, const struct state *at)
{
    const struct chain *c = q->chain;
    int sum = c->x[0] + (at->next <= c->steps ? c->d[at->next] : 0);
    for (int t = 1; t <= c->steps; t++)
        sum += (at->x & bit(t) ? c->x[t] : 0) + (at->s & bit(t) ? c->saved[t] : 0);
    return sum;
}

/* True when x_t is there and nothing keeps it. */
static bool may_go(const struct search *q, const struct state *at, int t)
{
    bool serves = (at->s & bit(t)) && q->chain->reads_x[t];
    return (at->x & bit(t)) && !(at->kept & bit(t)) && !serves;
}

static void visit(struct search *q, struct state at, int cost);

static void run_forward(struct search *q, struct state at, int cost, int t, bool saves, bool keeps)
{
    const struct chain *c = q->chain;
    if ((t > 1 && !(at.x & bit(t - 1))) || (at.x & bit(t)))
        return;
    if (!keeps && !may_go(q, &at, t - 1))
        return;
    if (saves && c->reads_input[t] && !keeps)
        return;
    at.x |= bit(t);
    at.s |= saves ? bit(t) : 0;
    if (bytes_there(q, &at) + c->work[t] > q->capacity)
        return;
    if (keeps)
        at.kept |= bit(t - 1);
    else
        at.x &= ~bit(t - 1);
    visit(q, at, cost + c->forward[t]);
}

static void run_backward(struct search *q, struct state at, int cost)
{
    const struct chain *c = q->chain;
    int t = at.next;
    if (t > c->steps) {
        if (!(at.x & bit(c->steps)) || bytes_there(q, &at) + c->d[c->steps] > q->capacity)
            return;
    } else {
        bool there = (at.s & bit(t)) && (!c->reads_x[t] || (at.x & bit(t))) &&
                     (!c->reads_input[t] || t == 1 || (at.x & bit(t - 1)));
        if (!there || bytes_there(q, &at) + c->d[t - 1] + c->work_back[t] > q->capacity)
            return;
        at.x &= ~bit(t);
        at.s &= ~bit(t);
        at.kept &= ~(bit(t) | bit(t - 1));
    }
    at.next--;
    visit(q, at, cost);
}

static void visit(struct search *q, struct state at, int cost)
{
    int *least = &q->least[at.next][at.x][at.s][at.kept];
    if (cost >= *least || cost >= q->best)
        return;
    *least = cost;
    if (at.next == 0) {
        q->best = cost;
        return;
    }
    run_backward(q, at, cost);
    int last = at.next > q->chain->steps ? q->chain->steps : at.next;
    for (int t = 1; t <= last; t++)
        for (int way = 0; way < 4; way++)
            run_forward(q, at, cost, t, way & 1, way & 2);
    for (int t = 1; t <= last; t++)
        if (may_go(q, &at, t))
            visit(q, (struct state){at.next, at.x & ~bit(t), at.s, at.kept}, cost);
}

/* Least time of forward steps, INT_MAX: none fits. */
static int search(const struct chain *c, int capacity)
{
    struct search q = {.chain = c, .capacity = capacity, .best = INT_MAX};
    size_t count = (size_t)(c->steps + 2) << (3 * SMALL);
    int *all = malloc(count * sizeof *all);
    ck_assert_ptr_nonnull(all);
    for (size_t i = 0; i < count; i++)
        all[i] = INT_MAX;
    q.least = (int(*)[1 << SMALL][1 << SMALL][1 << SMALL]) all;
    visit(&q, (struct state){.next = c->steps + 1}, 0);
    free(all);
    return q.best;
}

static int draw(uint64_t *state, int below)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (int)((*state >> 33) % (uint64_t)below);
}

/* Every backward step reads something of its own step: what it saved, or its state. */
static struct chain random_chain(uint64_t *state, int most)
{
    struct chain c = {.steps = 2 + draw(state, most - 1), .x = {1 + draw(state, 3)}};
    bool all_inputs = draw(state, 2);
    c.d[0] = 1 + draw(state, 2);
    for (int t = 1; t <= c.steps; t++) {
        c.forward[t] = 1 + draw(state, 9);
        c.backward[t] = 1 + draw(state, 9);
        c.x[t] = 1 + draw(state, 4);
        c.saved[t] = draw(state, 3) > 0 ? 1 + draw(state, 4) : 0;
        c.d[t] = 1 + draw(state, 3);
        c.work[t] = draw(state, 3) == 0 ? 1 + draw(state, 3) : 0;
        c.work_back[t] = draw(state, 3) == 0 ? 1 + draw(state, 3) : 0;
        c.reads_x[t] = c.saved[t] == 0 || draw(state, 2);
        c.reads_input[t] = all_inputs || draw(state, 2);
    }
    return c;
}

static int sum(const int *values, int count)
{
    int total = 0;
    for (int t = 1; t <= count; t++)
        total += values[t];
    return total;
}

static void check_chain(const struct chain *c, int capacity)
{
    struct planlab lab;
    int least = search(c, capacity);
    /* A node alone may be too large: such a scenario is not legal. */
    if (open_chain(&lab, c, capacity, "  - {name: fit, action: chain-optimal}\n") == SL_OK) {
        planlab_plan(&lab, "fit");
        ck_assert_int_eq(planlab_warned(&lab, "does-not-fit"), least == INT_MAX);
        if (least != INT_MAX)
            ck_assert_int_eq(makespan(&lab), least + sum(c->backward, c->steps));
    } else
        ck_assert_int_eq(least, INT_MAX);
    planlab_close(&lab);
}

START_TEST(test_random_chains)
{
    uint64_t state = (uint64_t)_i + 1;
    int chains = sl_test_long() ? 100 : 12;
    for (int i = 0; i < chains; i++) {
        struct chain c = random_chain(&state, sl_test_long() ? SMALL : SMALL - 1);
        for (int capacity = 8 + draw(&state, 3); capacity < 30; capacity += 4)
            check_chain(&c, capacity);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("rotor");
    TCase *tc = tcase_create("oracle");
    tcase_set_timeout(tc, 0);
    tcase_add_loop_test(tc, test_published_values, 0, 4);
    tcase_add_test(tc, test_published_infeasible);
    tcase_add_loop_test(tc, test_random_chains, 0, 4);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}

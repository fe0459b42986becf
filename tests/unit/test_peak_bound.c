/* The least peak against all orders of a small graph, tried one by one, and by hand. */
#include "lab.h"
#include "peak_bound.h"
#include <stdlib.h>

/* ---- all orders ------------------------------------------------------------------------------ */

enum { NODES = 7, HOLDINGS = 5 };

struct orders {
    const struct sl_graph *graph;
    bool after[NODES][NODES]; /* an edge from the second to the first */
    bool done[NODES], held[HOLDINGS];
    int64_t least; /* over orders, of the peak of running the nodes one after the other */
};

/* The level while `node` runs alone. */
static int64_t level_with(struct orders *o, uint32_t node)
{
    const struct sl_graph *g = o->graph;
    const struct sl_node *n = &g->nodes[node];
    int64_t level = 0;
    for (uint32_t k = 0; k < n->takes.count; k++)
        o->held[g->holdings_pool[n->takes.first + k]] = true;
    for (uint32_t h = 0; h < g->holding_count; h++)
        level += o->held[h] ? g->holdings[h].bytes : 0;
    for (uint32_t k = 0; k < n->workspace.count; k++)
        level += g->amounts[n->workspace.first + k].bytes;
    for (uint32_t k = 0; k < n->gives.count; k++)
        o->held[g->holdings_pool[n->gives.first + k]] = false;
    return level;
}

static void try_orders(struct orders *o, uint32_t placed, int64_t peak)
{
    uint32_t n = o->graph->node_count;
    if (placed == n && (o->least < 0 || peak < o->least))
        o->least = peak;
    for (uint32_t i = 0; i < n; i++) {
        bool ready = !o->done[i], held[HOLDINGS];
        for (uint32_t k = 0; k < n && ready; k++)
            ready = !o->after[i][k] || o->done[k];
        if (!ready)
            continue;
        memcpy(held, o->held, sizeof held);
        int64_t level = level_with(o, i);
        o->done[i] = true;
        try_orders(o, placed + 1, level > peak ? level : peak);
        o->done[i] = false;
        memcpy(o->held, held, sizeof held);
    }
}

/* The bound of domain 0 whatever its limit: SL_NO with the text when it exceeds `capacity`. */
static bool exceeds(struct lab *lab, int64_t capacity)
{
    struct sl_error err = {0};
    bool complete;
    lab->domains[0].capacity = capacity;
    enum sl_status status = sl_plan_peaks(lab->graph, &complete, &err);
    ck_assert(complete && (status == SL_OK || status == SL_NO));
    return status == SL_NO;
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static void random_graph(struct lab *lab, struct orders *o, uint32_t seed)
{
    uint32_t state = seed;
    char name[8];
    for (uint32_t i = 0; i < NODES; i++) {
        snprintf(name, sizeof name, "n%u", (unsigned)i);
        lab_node(lab, name, "1us", SL_NONE);
        if (next_random(&state) % 3 == 0)
            lab_workspace(lab, i, 0, 1 + next_random(&state) % 40);
        for (uint32_t k = 0; k < i; k++)
            if (next_random(&state) % 4 == 0) {
                lab_edge(lab, k, i);
                o->after[i][k] = true;
            }
    }
    for (uint32_t h = 0; h < HOLDINGS; h++) {
        uint32_t taker = next_random(&state) % NODES, giver = next_random(&state) % NODES;
        bool initial = next_random(&state) % 4 == 0;
        uint32_t holding =
            lab_holding(lab, SL_HOLD_OBJECT, 0, 1 + next_random(&state) % 60, initial);
        o->held[h] = initial;
        if (taker > giver) {
            uint32_t swap = taker;
            taker = giver;
            giver = swap;
        }
        if (!initial)
            lab_takes(lab, taker, holding);
        /* A giver that may run before its taker would leave the bytes held for good. */
        if (!initial && taker != giver && !o->after[giver][taker]) {
            lab_edge(lab, taker, giver);
            o->after[giver][taker] = true;
        }
        if (next_random(&state) % 5)
            lab_gives(lab, giver, holding);
    }
    LAB_OK(lab, sl_graph_finish(lab->graph, &lab->err));
}

/* bound <= min over orders of the peak, and often equal to it. */
START_TEST(no_order_stays_below_the_bound)
{
    uint32_t tight = 0, graphs = 200;
    for (uint32_t seed = 1; seed <= graphs; seed++) {
        struct lab lab;
        struct orders o = {.least = -1};
        lab_open(&lab);
        lab_domain(&lab, "hbm", -1);
        lab_graph(&lab);
        random_graph(&lab, &o, seed);
        o.graph = lab.graph;
        try_orders(&o, 0, 0);
        ck_assert_msg(!exceeds(&lab, o.least), "seed %u: an order needs only %lld", (unsigned)seed,
                      (long long)o.least);
        tight += exceeds(&lab, o.least - 1);
        lab_close(&lab);
    }
    ck_assert_uint_gt(tight, graphs / 4);
}
END_TEST

/* ---- by hand --------------------------------------------------------------------------------- */

/* a takes 6, b (after a) takes 5, c after b gives both: 11 at b and c. */
static void chain(struct lab *lab, uint32_t node[3])
{
    lab_open(lab);
    lab_domain(lab, "hbm", -1);
    lab_graph(lab);
    const char *names[] = {"a", "b", "c"};
    for (uint32_t i = 0; i < 3; i++)
        node[i] = lab_node(lab, names[i], "1us", SL_NONE);
    lab_edge(lab, node[0], node[1]);
    lab_edge(lab, node[1], node[2]);
    uint32_t first = lab_holding(lab, SL_HOLD_OBJECT, 0, 6, false);
    uint32_t second = lab_holding(lab, SL_HOLD_OBJECT, 0, 5, false);
    lab_takes(lab, node[0], first);
    lab_takes(lab, node[1], second);
    lab_gives(lab, node[2], first);
    lab_gives(lab, node[2], second);
}

static bool chain_exceeds(struct lab *lab, int64_t capacity)
{
    if (!lab->graph->finished)
        LAB_OK(lab, sl_graph_finish(lab->graph, &lab->err));
    return exceeds(lab, capacity);
}

START_TEST(a_chain_holds_both)
{
    struct lab lab;
    uint32_t node[3];
    chain(&lab, node);
    ck_assert(chain_exceeds(&lab, 10));
    ck_assert(!chain_exceeds(&lab, 11));
    lab_close(&lab);
}
END_TEST

START_TEST(objects_are_rounded_and_the_reserve_counts)
{
    struct lab lab;
    uint32_t node[3];
    chain(&lab, node);
    lab.domains[0].rounding = 4; /* 8 + 8 */
    lab.domains[0].reserve = 3;
    ck_assert(chain_exceeds(&lab, 18));
    ck_assert(!chain_exceeds(&lab, 19));
    lab_close(&lab);
}
END_TEST

/* c may give the first back before b starts. */
START_TEST(what_is_not_ordered_may_be_apart)
{
    struct lab lab;
    lab_open(&lab);
    lab_domain(&lab, "hbm", -1);
    lab_graph(&lab);
    uint32_t a = lab_node(&lab, "a", "1us", SL_NONE), b = lab_node(&lab, "b", "1us", SL_NONE);
    uint32_t first = lab_holding(&lab, SL_HOLD_OBJECT, 0, 6, false);
    uint32_t second = lab_holding(&lab, SL_HOLD_OBJECT, 0, 5, false);
    lab_takes(&lab, a, first);
    lab_gives(&lab, a, first);
    lab_takes(&lab, b, second);
    lab_gives(&lab, b, second);
    ck_assert(chain_exceeds(&lab, 5));
    ck_assert(!chain_exceeds(&lab, 6));
    lab_close(&lab);
}
END_TEST

/* A guarded taker may be skipped; a guarded giver may only leave the bytes longer. */
START_TEST(guards_take_nothing_for_granted)
{
    for (uint32_t guarded = 0; guarded < 3; guarded += 2) {
        struct lab lab;
        uint32_t node[3];
        chain(&lab, node);
        struct sl_guard guard = {.name = "hit", .probability = 0.5, .scope = SL_SCOPE_JOB};
        lab.graph->guards = &guard;
        lab.graph->guard_count = 1;
        lab_guard(&lab, node[guarded], 0, false);
        ck_assert_msg(chain_exceeds(&lab, 10) == (guarded == 2), "guarded %u", (unsigned)guarded);
        lab.graph->guard_count = 0;
        lab.graph->guards = NULL;
        lab_close(&lab);
    }
}
END_TEST

/* a -> b -> c, b cancelled at its latest start: c may run although a still waits. */
START_TEST(order_does_not_pass_a_node_with_a_fallback)
{
    struct lab lab;
    uint32_t node[3];
    chain(&lab, node);
    uint32_t other = lab_node(&lab, "other", "1us", SL_NONE);
    LAB_NODE(&lab, node[1]).fallback = (sl_node_id){other};
    LAB_NODE(&lab, node[1]).deadline_ps = US;
    lab_workspace(&lab, node[2], 0, 5);
    ck_assert(!chain_exceeds(&lab, 10));
    ck_assert(chain_exceeds(&lab, 5)); /* a takes 6 for itself */
    lab_close(&lab);
}
END_TEST

START_TEST(lanes_are_order)
{
    struct lab lab;
    uint32_t node[3];
    chain(&lab, node);
    uint32_t d = lab_node(&lab, "d", "1us", SL_NONE);
    lab_workspace(&lab, d, 0, 7);
    ck_assert(!chain_exceeds(&lab, 11)); /* d runs before a */
    sl_names_add(&lab.graph->lane_names, "lane");
    lab_close(&lab);
    /* The same with c behind d, and d behind a, in one lane: 6 + 7. */
    chain(&lab, node);
    sl_names_add(&lab.graph->lane_names, "lane");
    d = lab_node(&lab, "d", "1us", SL_NONE);
    uint32_t e = lab_node(&lab, "e", "1us", SL_NONE);
    lab_workspace(&lab, d, 0, 7);
    LAB_NODE(&lab, node[0]).lane = LAB_NODE(&lab, d).lane = LAB_NODE(&lab, e).lane = 0;
    lab_edge(&lab, e, node[2]);
    ck_assert(chain_exceeds(&lab, 12));
    ck_assert(!chain_exceeds(&lab, 13));
    lab_close(&lab);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("peak_bound");
    TCase *c = tcase_create("bound");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, no_order_stays_below_the_bound);
    tcase_add_test(c, a_chain_holds_both);
    tcase_add_test(c, objects_are_rounded_and_the_reserve_counts);
    tcase_add_test(c, what_is_not_ordered_may_be_apart);
    tcase_add_test(c, guards_take_nothing_for_granted);
    tcase_add_test(c, order_does_not_pass_a_node_with_a_fallback);
    tcase_add_test(c, lanes_are_order);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}

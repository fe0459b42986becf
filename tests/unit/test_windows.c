/* Windows and critical paths: a published network, hand-computed ones, and all paths enumerated. */
#include <config.h>

#include "harness.h"
#include "windows.h"
#include <string.h>

static struct sl_platform platform; /* empty: nothing here looks at it */

struct net {
    struct sl_graph *graph;
    struct sl_windows *windows;
    int64_t duration[32];
    uint8_t roles[32];
};

static void net_open(struct net *net)
{
    memset(net, 0, sizeof *net);
    net->graph = sl_graph_create(&platform);
    ck_assert_ptr_nonnull(net->graph);
}

static uint32_t add(struct net *net, const char *name, int64_t duration)
{
    struct sl_node node = sl_node_default();
    struct sl_error err = {0};
    sl_node_id id;
    node.name = name;
    ck_assert_int_eq(sl_graph_add_node(net->graph, &node, &id, &err), SL_OK);
    net->duration[id.i] = duration;
    return id.i;
}

static void join(struct net *net, uint32_t from, uint32_t to, int64_t lag, uint32_t next)
{
    struct sl_edge edge = {.from = {from}, .to = {to}, .lag_ps = lag, .next = next};
    struct sl_error err = {0};
    edge.object.i = SL_NONE;
    ck_assert_int_eq(sl_graph_add_edge(net->graph, &edge, &err), SL_OK);
}

static void net_close(struct net *net)
{
    sl_windows_free(net->windows);
    sl_graph_free(net->graph);
}

/* Finishes the graph; end < 0: the latest readiness + duration. */
static int64_t solve(struct net *net, int64_t end)
{
    struct sl_error err = {0};
    if (!net->windows) {
        ck_assert_int_eq(sl_graph_finish(net->graph, &err), SL_OK);
        ck_assert_int_eq(sl_windows_create(&net->windows, net->graph, &err), SL_OK);
    }
    int64_t last = sl_windows_ready(net->windows, net->duration, net->roles);
    sl_windows_latest(net->windows, net->duration, net->roles, end < 0 ? last : end);
    return last;
}

static int64_t slack(const struct net *net, uint32_t node)
{
    return net->windows->latest_start_ps[node] - net->windows->ready_ps[node];
}

/* The Reliable Construction Co. project of Hillier and Lieberman, Introduction to Operations
 * Research (7th edition, chapter 10): durations in weeks, earliest starts, and the slack of its
 * table; the critical path A B C E F J L N takes 44 weeks. */
START_TEST(published_project)
{
    static const struct {
        const char *name, *after;
        int64_t weeks, earliest, slack;
    } project[] = {
        {"A", "", 2, 0, 0},   {"B", "A", 4, 2, 0},   {"C", "B", 10, 6, 0}, {"D", "C", 6, 16, 4},
        {"E", "C", 4, 16, 0}, {"F", "E", 5, 20, 0},  {"G", "D", 7, 22, 4}, {"H", "EG", 9, 29, 4},
        {"I", "C", 7, 16, 2}, {"J", "FI", 8, 25, 0}, {"K", "J", 4, 33, 1}, {"L", "J", 5, 33, 0},
        {"M", "H", 2, 38, 4}, {"N", "KL", 6, 38, 0},
    };
    size_t n = sizeof project / sizeof *project;
    struct net net;
    net_open(&net);
    for (size_t i = 0; i < n; i++)
        add(&net, project[i].name, project[i].weeks);
    for (uint32_t i = 0; i < n; i++)
        for (const char *p = project[i].after; *p; p++)
            join(&net, (uint32_t)(*p - 'A'), i, 0, 0);
    ck_assert_int_eq(solve(&net, -1), 44);
    for (uint32_t i = 0; i < n; i++) {
        ck_assert_int_eq(net.windows->ready_ps[i], project[i].earliest);
        ck_assert_int_eq(slack(&net, i), project[i].slack);
        ck_assert_uint_eq(net.windows->limit[i], SL_NONE);
    }
    sl_node_id path[32];
    uint32_t count;
    ck_assert_int_eq(sl_windows_critical_path(net.windows, net.duration, net.roles, path, &count),
                     44);
    char names[32] = "";
    for (uint32_t k = 0; k < count; k++)
        strcat(names, net.graph->nodes[path[k].i].name);
    ck_assert_str_eq(names, "ABCEFJLN");
    net_close(&net);
}
END_TEST

/* a(10) -lag 5-> b(20), deadline of b at 40, c(7) behind b, end 60:
 *     r = 0, 15, 35;   LF_b = min(40, LS_c = 60 - 7 = 53) = 40, LS_b = 20, LF_a = 20 - 5, LS_a = 5
 * a `next` edge from c to a changes nothing.  A release of 30 moves b: r_b = 30, slack -10. */
START_TEST(lags_deadlines_releases)
{
    struct net net;
    net_open(&net);
    uint32_t a = add(&net, "a", 10), b = add(&net, "b", 20), c = add(&net, "c", 7);
    join(&net, a, b, 5, 0);
    join(&net, b, c, 0, 0);
    join(&net, c, a, 3, 1);
    net.graph->own_nodes[b].deadline_ps = 40;
    ck_assert_int_eq(solve(&net, 60), 42);
    ck_assert_int_eq(net.windows->ready_ps[b], 15);
    ck_assert_int_eq(net.windows->latest_start_ps[b], 20);
    ck_assert_int_eq(net.windows->latest_start_ps[a], 5);
    ck_assert_int_eq(slack(&net, a), 5);
    ck_assert_int_eq(slack(&net, c), 53 - 35);
    ck_assert_uint_eq(net.windows->limit[a], b);
    ck_assert_uint_eq(net.windows->limit[c], SL_NONE);
    net.graph->own_nodes[b].release_ps = 30;
    ck_assert_int_eq(solve(&net, 60), 57);
    ck_assert_int_eq(slack(&net, b), -10);
    /* The dependency path knows no releases. */
    ck_assert_int_eq(sl_windows_critical_path(net.windows, net.duration, net.roles, NULL, NULL),
                     42);
    net_close(&net);
}
END_TEST

/* Two nodes of one lane and no edge: x(3) then y(4) makes 7, and x has no slack. */
START_TEST(lanes_are_precedence)
{
    struct net net;
    net_open(&net);
    uint32_t x = add(&net, "x", 3), y = add(&net, "y", 4);
    net.graph->own_nodes[x].lane = net.graph->own_nodes[y].lane = 0;
    ck_assert_int_eq(solve(&net, -1), 7);
    ck_assert_int_eq(net.windows->ready_ps[y], 3);
    ck_assert_int_eq(slack(&net, x), 0);
    net_close(&net);
}
END_TEST

/* before(5) -> p(10, deadline 30, fallback f) -> after(4);  f(2).  end 100.
 * p runs: r_after = 15; LS_p = 20, LS_before = 15 because of p's deadline; f takes no time.
 * p is replaced: after waits for f alone: r_after = 2; f inherits the deadline: LS_f = 28;
 * nothing binds `before`: LS = 95. */
START_TEST(a_fallback_takes_over)
{
    struct net net;
    net_open(&net);
    uint32_t before = add(&net, "before", 5), p = add(&net, "p", 10);
    uint32_t f = add(&net, "f", 2), after = add(&net, "after", 4);
    join(&net, before, p, 0, 0);
    join(&net, p, after, 0, 0);
    net.graph->own_nodes[p].deadline_ps = 30;
    net.graph->own_nodes[p].fallback.i = f;
    net.roles[f] = SL_WINDOW_PASSES;
    ck_assert_int_eq(solve(&net, 100), 19);
    ck_assert_int_eq(net.windows->ready_ps[after], 15);
    ck_assert_int_eq(net.windows->latest_start_ps[p], 20);
    ck_assert_int_eq(net.windows->latest_start_ps[before], 15);
    ck_assert_uint_eq(net.windows->limit[before], p);
    net.roles[p] = SL_WINDOW_REPLACED;
    net.roles[f] = SL_WINDOW_RUNS;
    ck_assert_int_eq(solve(&net, 100), 6);
    ck_assert_int_eq(net.windows->ready_ps[after], 2);
    ck_assert_int_eq(net.windows->latest_start_ps[f], 28);
    ck_assert_uint_eq(net.windows->limit[f], p);
    ck_assert_int_eq(net.windows->latest_start_ps[before], 95);
    net_close(&net);
}
END_TEST

/* p(10) -> s(4) -> f(2), the fallback of p: once p is cancelled nothing goes on, so that takeover
 * is left out.  Another one beside it stays: q(3, deadline 20, fallback g) -> t(1), g(5), and t
 * waits for s: with q replaced, t waits for g, LS_g = 20 - 5. */
START_TEST(an_impossible_takeover_is_left_out)
{
    struct net net;
    net_open(&net);
    uint32_t p = add(&net, "p", 10), s = add(&net, "s", 4), f = add(&net, "f", 2);
    uint32_t q = add(&net, "q", 3), t = add(&net, "t", 1), g = add(&net, "g", 5);
    join(&net, p, s, 0, 0);
    join(&net, s, f, 0, 0);
    join(&net, q, t, 0, 0);
    join(&net, s, t, 0, 0);
    net.graph->own_nodes[p].fallback.i = f;
    net.graph->own_nodes[q].fallback.i = g;
    net.graph->own_nodes[q].deadline_ps = 20;
    net.roles[f] = SL_WINDOW_PASSES;
    net.roles[q] = SL_WINDOW_REPLACED;
    ck_assert_int_eq(solve(&net, -1), 15);
    ck_assert_int_eq(slack(&net, p), 0);
    ck_assert_int_eq(net.windows->ready_ps[t], 14);
    ck_assert_int_eq(net.windows->latest_start_ps[g], 15 - 1 - 5);
    ck_assert_int_eq(solve(&net, 100), 15);
    ck_assert_int_eq(net.windows->latest_start_ps[g], 20 - 5);
    ck_assert_uint_eq(net.windows->limit[g], q);
    net_close(&net);
}
END_TEST

/* A takeover on the way from one impossible takeover to another is on no cycle itself and stays:
 * p(1) -> s(1) -> f, the fallback of p;  s -> g(5), the fallback of q(3, deadline 20);
 * q -> u(1) -> v(1) -> w, the fallback of u.  With q replaced LS_g = 20 - 5. */
START_TEST(a_takeover_between_impossible_ones_stays)
{
    struct net net;
    net_open(&net);
    uint32_t p = add(&net, "p", 1), s = add(&net, "s", 1), f = add(&net, "f", 1);
    uint32_t q = add(&net, "q", 3), g = add(&net, "g", 5);
    uint32_t u = add(&net, "u", 1), v = add(&net, "v", 1), w = add(&net, "w", 1);
    join(&net, p, s, 0, 0);
    join(&net, s, f, 0, 0);
    join(&net, s, g, 0, 0);
    join(&net, q, u, 0, 0);
    join(&net, u, v, 0, 0);
    join(&net, v, w, 0, 0);
    net.graph->own_nodes[p].fallback.i = f;
    net.graph->own_nodes[q].fallback.i = g;
    net.graph->own_nodes[q].deadline_ps = 20;
    net.graph->own_nodes[u].fallback.i = w;
    net.roles[f] = net.roles[w] = SL_WINDOW_PASSES;
    net.roles[q] = SL_WINDOW_REPLACED;
    ck_assert_int_eq(solve(&net, 100), 1 + 1 + 5 + 1 + 1);
    ck_assert_int_eq(net.windows->latest_start_ps[g], 20 - 5);
    ck_assert_uint_eq(net.windows->limit[g], q);
    net_close(&net);
}
END_TEST

/* Durations and lags near the ends of 64 bits stop there. */
START_TEST(sums_saturate)
{
    struct net net;
    net_open(&net);
    uint32_t a = add(&net, "a", INT64_MAX / 2), b = add(&net, "b", INT64_MAX / 2);
    join(&net, a, b, INT64_MAX / 2, 0);
    ck_assert_int_eq(solve(&net, 0), INT64_MAX);
    ck_assert_int_eq(net.windows->ready_ps[b], INT64_MAX - 1);
    ck_assert_int_eq(net.windows->latest_start_ps[a], INT64_MIN);
    net_close(&net);
}
END_TEST

/* Random graphs against an enumeration of paths.  `taker` follows fallbacks from a replaced node to
 * the one that runs or passes; its followers are then those of everyone that it stands for. */
static uint32_t taker(const struct net *net, uint32_t node)
{
    while (net->roles[node] == SL_WINDOW_REPLACED)
        node = net->graph->nodes[node].fallback.i;
    return node;
}

static uint32_t lane_next(const struct net *net, uint32_t node)
{
    uint32_t lane = net->graph->nodes[node].lane;
    for (uint32_t i = node + 1; lane != SL_NONE && i < net->graph->node_count; i++)
        if (net->graph->own_nodes[i].lane == lane)
            return i;
    return SL_NONE;
}

struct walk {
    struct net *net;
    int64_t *latest_done; /* by node: when the last way reaches it */
    bool releases;
    int64_t end;
};

static int64_t time_of(const struct net *net, uint32_t node)
{
    return net->roles[node] == SL_WINDOW_RUNS ? net->duration[node] : 0;
}

/* Visits each follower of `node`: through edges of everyone whose duty it has, and its own lane. */
static uint32_t followers(const struct net *net, uint32_t node, uint32_t *to, int64_t *lag)
{
    const struct sl_graph *graph = net->graph;
    uint32_t count = 0, lane = lane_next(net, node);
    for (uint32_t e = 0; e < graph->edge_count; e++) {
        const struct sl_edge *edge = &graph->edges[e];
        uint32_t from = edge->from.i;
        bool own_way = graph->own_nodes[from].fallback.i == edge->to.i;
        bool mine = own_way ? from == node : taker(net, from) == node;
        if (edge->next == 0 && mine && net->roles[edge->to.i] != SL_WINDOW_REPLACED) {
            to[count] = edge->to.i;
            lag[count++] = edge->lag_ps;
        }
    }
    if (lane != SL_NONE && net->roles[lane] != SL_WINDOW_REPLACED) {
        to[count] = lane;
        lag[count++] = 0;
    }
    return count;
}

/* The smallest latest start over all ways that begin at `node`; the end where no deadline is met.
 */
static int64_t required(struct walk *walk, uint32_t node)
{
    struct net *net = walk->net;
    const struct sl_graph *graph = net->graph;
    uint32_t to[256];
    int64_t lag[256], least = INT64_MAX;
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (taker(net, i) == node && (i != node || net->roles[i] == SL_WINDOW_RUNS) &&
            graph->nodes[i].deadline_ps < least)
            least = graph->nodes[i].deadline_ps;
    uint32_t count = followers(net, node, to, lag);
    for (uint32_t k = 0; k < count; k++) {
        int64_t start = required(walk, to[k]);
        if (start != INT64_MAX && start - lag[k] < least)
            least = start - lag[k];
    }
    if (net->roles[node] != SL_WINDOW_RUNS)
        return least;
    return (least == INT64_MAX ? walk->end : least) - time_of(net, node);
}

/* Pushes one way on: `at` is when it reaches `node`. */
static void reach(struct walk *walk, uint32_t node, int64_t at)
{
    struct net *net = walk->net;
    uint32_t to[256];
    int64_t lag[256];
    if (walk->releases && net->roles[node] == SL_WINDOW_RUNS &&
        net->graph->nodes[node].release_ps > at)
        at = net->graph->nodes[node].release_ps;
    if (at > walk->latest_done[node])
        walk->latest_done[node] = at;
    uint32_t count = followers(net, node, to, lag);
    for (uint32_t k = 0; k < count; k++)
        reach(walk, to[k], at + time_of(net, node) + lag[k]);
}

static uint64_t state;
static uint32_t below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % n);
}

/* Nodes 0 .. n-1; edges and fallbacks go up, so that nothing can be circular.  `after` a primary
 * with a fallback f come only nodes above f. */
static void random_net(struct net *net, uint32_t n)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    for (uint32_t i = 0; i < n; i++) {
        add(net, names[i], below(20));
        struct sl_node *node = &net->graph->own_nodes[i];
        node->release_ps = below(4) ? 0 : below(40);
        node->deadline_ps = below(3) ? INT64_MAX : 20 + below(60);
        node->lane = below(3) ? SL_NONE : 0;
        net->roles[i] = below(6) ? SL_WINDOW_RUNS : SL_WINDOW_PASSES;
        if (i + 1 < n && below(4) == 0) {
            node->fallback.i = i + 1;
            net->roles[i] = below(2) ? SL_WINDOW_REPLACED : SL_WINDOW_RUNS;
        }
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            if (below(3) == 0)
                join(net, i, j, below(3) ? 0 : below(10), below(8) == 0);
    /* Successors of a primary must come after its whole chain of fallbacks. */
    for (uint32_t e = 0; e < net->graph->edge_count; e++) {
        struct sl_edge *edge = &net->graph->own_edges[e];
        uint32_t last = edge->from.i;
        while (net->graph->nodes[last].fallback.i != SL_NONE)
            last = net->graph->nodes[last].fallback.i;
        if (edge->to.i <= last && edge->to.i != net->graph->nodes[edge->from.i].fallback.i)
            edge->next = 1;
    }
}

/* Readiness over all ways; returns the latest end. */
static int64_t reach_all(struct walk *walk)
{
    int64_t longest = 0;
    uint32_t n = walk->net->graph->node_count;
    for (uint32_t i = 0; i < n; i++)
        walk->latest_done[i] = 0;
    for (uint32_t i = 0; i < n; i++)
        reach(walk, i, 0);
    for (uint32_t i = 0; i < n; i++)
        if (walk->latest_done[i] + time_of(walk->net, i) > longest)
            longest = walk->latest_done[i] + time_of(walk->net, i);
    return longest;
}

START_TEST(every_path_enumerated)
{
    for (uint32_t round = 0; round < 3000; round++) {
        struct net net;
        int64_t done[32];
        state = 77 + round;
        net_open(&net);
        uint32_t n = 2 + below(7);
        random_net(&net, n);
        int64_t end = 50 + below(50);
        int64_t last = solve(&net, end);
        struct walk walk = {.net = &net, .latest_done = done, .releases = true, .end = end};
        ck_assert_int_eq(last, reach_all(&walk));
        for (uint32_t i = 0; i < n; i++) {
            if (net.roles[i] != SL_WINDOW_RUNS)
                continue;
            ck_assert_msg(net.windows->ready_ps[i] == done[i],
                          "round %u, node %u: r %lld, not %lld", round, i,
                          (long long)net.windows->ready_ps[i], (long long)done[i]);
            int64_t latest = required(&walk, i);
            ck_assert_msg(net.windows->latest_start_ps[i] == latest,
                          "round %u, node %u: LS %lld, not %lld", round, i,
                          (long long)net.windows->latest_start_ps[i], (long long)latest);
        }
        walk.releases = false;
        ck_assert_int_eq(sl_windows_critical_path(net.windows, net.duration, net.roles, NULL, NULL),
                         reach_all(&walk));
        net_close(&net);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("windows");
    TCase *tests = tcase_create("windows");
    tcase_add_test(tests, published_project);
    tcase_add_test(tests, lags_deadlines_releases);
    tcase_add_test(tests, lanes_are_precedence);
    tcase_add_test(tests, a_fallback_takes_over);
    tcase_add_test(tests, an_impossible_takeover_is_left_out);
    tcase_add_test(tests, a_takeover_between_impossible_ones_stays);
    tcase_add_test(tests, sums_saturate);
    tcase_add_test(tests, every_path_enumerated);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    return sl_test_run(suite());
}

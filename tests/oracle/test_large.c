/* Graphs of 10^5 nodes, of 10^6 with SL_LONG: loading, planning and one trial against a list
 * simulation of its own here.
 *
 *     start(i) = the first time at which i is ready and its server, one per resource, is free;
 *     of those that wait for a server the one of the highest priority goes, then who was ready
 *     first, then the lower index.
 *
 * Durations are constant whole nanoseconds.  Shapes: layers with two predecessors each, a chain, a
 * star (all wait for the first), and nothing but a crowd on one server, in the last three of random
 * priorities: all at once, one by one faster than they are served, and all with workspace, which
 * wait in a list of their own.  Each runs a second time by the general loop.  The process may use
 * 1 GB for a million nodes; the time that a quadratic step would take is beyond the test's limit.
 */
#include <config.h>

#include "engine.h"
#include "harness.h"
#include "policy.h"
#include "tempdir.h"
#include "text.h"
#include <sys/resource.h>

#define RESOURCES 4u
#define REACH     2000u /* of an edge between layers */
#define NS        INT64_C(1000)
#define LEVELS    256u /* priorities: 0 to 255 */

enum shape { LAYERS, CHAIN, STAR, CROWD, RANKED, ARRIVALS, WORKSPACES, SHAPES };

struct model {
    enum shape shape;
    uint32_t nodes;
    uint64_t edges;
    int64_t *start_ns;
};

static uint32_t node_count(void)
{
    return sl_test_long() ? 1000000 : 100000;
}

static uint32_t resource_of(const struct model *m, uint32_t i)
{
    return m->shape >= CROWD ? 0 : i % RESOURCES;
}

static uint32_t priority_of(const struct model *m, uint32_t i)
{
    return m->shape > CROWD ? (uint32_t)(sl_hash_index(i) >> 32) % LEVELS : 0;
}

/* Twenty times as fast as the server on average. */
static int64_t release_ns(const struct model *m, uint32_t i)
{
    return m->shape == ARRIVALS ? (int64_t)i * 500 : 0;
}

static int64_t duration_ns(uint32_t i)
{
    return 1 + (int64_t)(sl_hash_index(i) % 20000);
}

/* The predecessors of node i; at most two. */
static uint32_t predecessors(const struct model *m, uint32_t i, uint32_t out[2])
{
    if (i == 0 || m->shape >= CROWD)
        return 0;
    out[0] = m->shape == STAR ? 0 : i - 1;
    if (m->shape != LAYERS)
        return 1;
    uint64_t hash = sl_hash_index(i + UINT64_C(0x100000000));
    uint32_t reach = i < REACH ? i : REACH;
    out[0] = i - 1 - (uint32_t)(hash % reach);
    out[1] = i - 1 - (uint32_t)((hash >> 32) % reach);
    return out[0] == out[1] ? 1 : 2;
}

/* ---- the list simulation --------------------------------------------------------------------- */

/* A binary heap of (levels below the highest priority) x 2^56 + (ready time in ns) x 2^20 + node:
 * smallest first. */
struct queue {
    uint64_t *keys;
    uint32_t count;
};

static void enqueue(struct queue *queues, const struct model *m, int64_t ready_ns, uint32_t node)
{
    struct queue *q = &queues[resource_of(m, node)];
    uint64_t below = LEVELS - 1 - priority_of(m, node);
    uint64_t key = below << 56 | (uint64_t)ready_ns << 20 | node;
    uint32_t at = q->count++;
    for (; at > 0 && q->keys[(at - 1) / 2] > key; at = (at - 1) / 2)
        q->keys[at] = q->keys[(at - 1) / 2];
    q->keys[at] = key;
}

static uint32_t dequeue(struct queue *q)
{
    uint64_t first = q->keys[0], last = q->keys[--q->count];
    uint32_t at = 0;
    for (uint32_t child = 1; child < q->count; child = 2 * at + 1) {
        child += child + 1 < q->count && q->keys[child + 1] < q->keys[child];
        if (q->keys[child] >= last)
            break;
        q->keys[at] = q->keys[child];
        at = child;
    }
    q->keys[at] = last;
    return (uint32_t)(first & 0xfffff);
}

/* successors[first[i] .. first[i + 1]) */
static void list_successors(const struct model *m, uint32_t *first, uint32_t *successors,
                            uint32_t *waits_for)
{
    uint32_t out[2];
    for (uint32_t i = 0; i < m->nodes; i++) {
        waits_for[i] = predecessors(m, i, out);
        for (uint32_t k = 0; k < waits_for[i]; k++)
            first[out[k] + 2]++;
    }
    for (uint32_t i = 2; i < m->nodes + 2; i++)
        first[i] += first[i - 1];
    for (uint32_t i = 0; i < m->nodes; i++)
        for (uint32_t k = 0; k < waits_for[i]; k++) {
            predecessors(m, i, out);
            successors[first[out[k] + 1]++] = i;
        }
}

static void simulate(struct model *m)
{
    size_t n = (size_t)m->nodes + 2;
    uint32_t *first = calloc(n, sizeof *first), *successors = calloc(2 * n, sizeof *successors);
    uint32_t *waits_for = calloc(n, sizeof *waits_for), runs[RESOURCES] = {0};
    int64_t finish[RESOURCES];
    struct queue queues[RESOURCES];
    for (uint32_t r = 0; r < RESOURCES; r++) {
        queues[r] = (struct queue){calloc(n, sizeof(uint64_t)), 0};
        finish[r] = INT64_MAX;
    }
    list_successors(m, first, successors, waits_for);
    uint32_t arriving = 0; /* those without predecessors, by index */
    for (int64_t now = 0; now < INT64_MAX;) {
        for (uint32_t r = 0; r < RESOURCES; r++)
            for (uint32_t k = first[runs[r]]; finish[r] == now && k < first[runs[r] + 1]; k++)
                if (--waits_for[successors[k]] == 0)
                    enqueue(queues, m, now, successors[k]);
        for (; arriving < m->nodes && release_ns(m, arriving) <= now; arriving++)
            if (arriving == 0 || m->shape >= CROWD)
                enqueue(queues, m, now, arriving);
        int64_t next = arriving < m->nodes ? release_ns(m, arriving) : INT64_MAX;
        for (uint32_t r = 0; r < RESOURCES; r++) {
            if (finish[r] == now)
                finish[r] = INT64_MAX;
            if (finish[r] == INT64_MAX && queues[r].count > 0) {
                runs[r] = dequeue(&queues[r]);
                m->start_ns[runs[r]] = now;
                finish[r] = now + duration_ns(runs[r]);
            }
            next = finish[r] < next ? finish[r] : next;
        }
        now = next;
    }
    for (uint32_t r = 0; r < RESOURCES; r++)
        free(queues[r].keys);
    free(first);
    free(successors);
    free(waits_for);
}

/* ---- the scenario ---------------------------------------------------------------------------- */

/* The tables are written as they are made: in memory they would count against the bound. */
static FILE *open_table(struct tempdir *dir, const char *name, const char *header)
{
    tempdir_write(dir, name, header);
    FILE *out = fopen(dir->files[dir->count - 1], "a");
    ck_assert_ptr_nonnull(out);
    return out;
}

static void write_scenario(struct tempdir *dir, struct model *m)
{
    tempdir_write(dir, "scenario.yaml",
                  "name: large\nresources:\n  r0: {servers: 1, order: priority}\n"
                  "  r1: {servers: 1}\n  r2: {servers: 1}\n  r3: {servers: 1}\n"
                  "domains: {hbm: {capacity: 1GiB}}\n"
                  "policies:\n  - {name: p, action: as-given}\ntrials: 1\nseed: 1\n");
    const char *workspace = m->shape == WORKSPACES ? "hbm:1KiB" : "";
    FILE *nodes =
        open_table(dir, "nodes.csv", "node,kind,resource,duration,priority,release,workspace\n");
    FILE *edges = open_table(dir, "edges.csv", "from,to\n");
    for (uint32_t i = 0; i < m->nodes; i++) {
        uint32_t out[2], count = predecessors(m, i, out);
        fprintf(nodes, "n%u,compute,r%u,%lldns,%u,%lldns,%s\n", i, resource_of(m, i),
                (long long)duration_ns(i), priority_of(m, i), (long long)release_ns(m, i),
                workspace);
        for (uint32_t k = 0; k < count; k++)
            fprintf(edges, "n%u,n%u\n", out[k], i);
        m->edges += count;
    }
    ck_assert_int_eq(fclose(nodes), 0);
    ck_assert_int_eq(fclose(edges), 0);
}

/* Under AddressSanitizer memory says nothing. */
static void assert_memory(void)
{
#ifndef __SANITIZE_ADDRESS__
    struct rusage usage;
    ck_assert_int_eq(getrusage(RUSAGE_SELF, &usage), 0);
    ck_assert_int_lt(usage.ru_maxrss, 1000000000 / 1024);
#endif
}

static void assert_starts(const struct model *m, struct sl_worker *worker, unsigned flags)
{
    const struct sl_trial *trial;
    struct sl_error err = {0};
    ck_assert_int_eq(sl_worker_run(worker, 1, 0, flags, &trial, &err), SL_OK);
    for (uint32_t i = 0; i < m->nodes; i++)
        ck_assert_msg(trial->start_ps[i] == m->start_ns[i] * NS, "n%u starts at %lld ps, not %lld",
                      i, (long long)trial->start_ps[i], (long long)(m->start_ns[i] * NS));
}

START_TEST(large_graphs)
{
    struct model m = {.shape = (enum shape)_i, .nodes = node_count()};
    struct tempdir dir;
    struct sl_scenario scenario;
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    struct sl_plan plan = {0};
    struct sl_program *program = NULL;
    struct sl_worker *worker = NULL;
    const struct sl_trial *trial;
    tempdir_make(&dir);
    write_scenario(&dir, &m);
    ck_assert_int_eq(sl_scenario_load(&scenario, dir.path, NULL, 0, &diags, &err), SL_OK);
    ck_assert_int_eq(sl_policy_plan(&plan, &scenario, &scenario.policies[0], &diags, &err), SL_OK);
    ck_assert_uint_eq(plan.graph->node_count, m.nodes);
    ck_assert_uint_eq(plan.graph->edge_count, m.edges);
    ck_assert_int_eq(sl_program_create(&program, plan.graph, &plan.engine, &err), SL_OK);
    ck_assert_int_eq(sl_worker_create(&worker, program, &err), SL_OK);
    ck_assert_int_eq(sl_worker_run(worker, 1, 0, 0, &trial, &err), SL_OK);
    assert_memory(); /* before the simulation below takes its own */
    m.start_ns = calloc(m.nodes, sizeof *m.start_ns);
    simulate(&m);
    assert_starts(&m, worker, 0);
    assert_starts(&m, worker, SL_GENERAL_LOOP);
    free(m.start_ns);
    sl_worker_free(worker);
    sl_program_free(program);
    sl_plan_free(&plan);
    sl_scenario_free(&scenario);
    sl_diags_free(&diags);
    tempdir_remove(&dir);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("large graphs");
    TCase *tcase = tcase_create("large graphs");
    tcase_set_timeout(tcase, sl_test_long() ? 600 : 60);
    tcase_add_loop_test(tcase, large_graphs, 0, SHAPES);
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    return sl_test_run(suite());
}

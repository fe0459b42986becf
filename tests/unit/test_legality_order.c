/* Order around reclamations on random graphs, against the transitive closure of all pairs.
 *
 * Objects are there from the start; nodes read, reclaim and allocate them.  Data flow orders the
 * nodes of one copy: an allocation follows the readers and the allocation before it, readers follow
 * the last allocation.  A read is at fault when the reclamation leads to it and no allocation lies
 * on a path between, and the reclamation is when no path joins the two. */
#include <config.h>

#include "harness.h"
#include "legality.h"
#include "tempdir.h"

enum { OBJECTS = 70, NODES = 4 * OBJECTS, READ = 0, ALLOCATE, RECLAIM, NOTHING };

struct random_graph {
    unsigned kind[NODES], object[NODES];
    bool before[NODES][NODES]; /* as stated, then closed */
};

static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Two reads, a reclamation and perhaps an allocation of each object, in random rows. */
static void draw_graph(struct random_graph *g, uint32_t state)
{
    memset(g, 0, sizeof *g);
    for (unsigned i = 0; i < NODES; i++) {
        g->object[i] = i / 4;
        g->kind[i] = i % 4 == 0 ? RECLAIM : i % 4 == 1 && next(&state) % 2 ? ALLOCATE : READ;
        if (i % 4 == 1 && g->kind[i] == READ)
            g->kind[i] = NOTHING;
    }
    /* Most objects live in a short stretch of rows, some all over the graph. */
    for (unsigned i = 0; i < NODES; i++) {
        unsigned far = next(&state) % 8 == 0 ? NODES : 12, k = i + next(&state) % far;
        k = k < NODES ? k : NODES - 1;
        unsigned kind = g->kind[i], object = g->object[i];
        g->kind[i] = g->kind[k], g->object[i] = g->object[k];
        g->kind[k] = kind, g->object[k] = object;
    }
    for (unsigned i = 0; i < NODES; i++)
        for (unsigned k = i + 1; k < i + 9 && k < NODES; k++)
            g->before[i][k] = next(&state) % 3 == 0;
}

static void write_graph(const struct random_graph *g, struct tempdir *dir)
{
    static const char *const kinds[] = {"compute", "allocation", "reclamation", "compute"};
    static char nodes[NODES * 64], edges[NODES * 9 * 16], objects[OBJECTS * 32];
    size_t n = (size_t)sprintf(nodes, "node,kind,inputs,object\n");
    size_t e = (size_t)sprintf(edges, "from,to,type\n");
    size_t o = (size_t)sprintf(objects, "object,size,home,initial,persist\n");
    for (unsigned i = 0; i < NODES; i++) {
        char name[16];
        snprintf(name, sizeof name, "x%u", g->object[i]);
        n += (size_t)sprintf(nodes + n, "n%u,%s,%s,%s\n", i, kinds[g->kind[i]],
                             g->kind[i] == READ ? name : "",
                             g->kind[i] == ALLOCATE || g->kind[i] == RECLAIM ? name : "");
        for (unsigned k = 0; k < NODES; k++)
            if (g->before[i][k])
                e += (size_t)sprintf(edges + e, "n%u,n%u,ordering\n", i, k);
    }
    for (unsigned k = 0; k < OBJECTS; k++)
        o += (size_t)sprintf(objects + o, "x%u,1MiB,hbm,hbm,true\n", k);
    tempdir_write(dir, "scenario.yaml",
                  "name: random\ndomains: {hbm: {capacity: 1GiB, reserve: 0B}}\n"
                  "objective: {tail: 0.99}\n");
    tempdir_write(dir, "nodes.csv", nodes);
    tempdir_write(dir, "edges.csv", edges);
    tempdir_write(dir, "objects.csv", objects);
}

/* Rows go up along every edge, so row order is the topological order with the smallest first. */
static void add_data_flow(struct random_graph *g)
{
    for (unsigned i = 0; i < NODES; i++)
        for (unsigned k = i + 1; k < NODES; k++)
            if (g->object[i] == g->object[k] && g->kind[i] <= ALLOCATE && g->kind[k] <= ALLOCATE &&
                (g->kind[i] == ALLOCATE || g->kind[k] == ALLOCATE))
                g->before[i][k] = true;
}

static void close_order(struct random_graph *g)
{
    for (unsigned m = 0; m < NODES; m++)
        for (unsigned i = 0; i < m; i++)
            for (unsigned k = m + 1; g->before[i][m] && k < NODES; k++)
                g->before[i][k] |= g->before[m][k];
}

static bool is_remade(const struct random_graph *g, unsigned reclamation, unsigned read)
{
    for (unsigned a = reclamation + 1; a < read; a++)
        if (g->kind[a] == ALLOCATE && g->object[a] == g->object[read] &&
            g->before[reclamation][a] && g->before[a][read])
            return true;
    return false;
}

static void count_faults(const struct random_graph *g, unsigned *late, unsigned *unordered)
{
    *late = *unordered = 0;
    for (unsigned r = 0; r < NODES; r++)
        for (unsigned u = 0; g->kind[r] == RECLAIM && u < NODES; u++) {
            if (g->kind[u] != READ || g->object[u] != g->object[r])
                continue;
            *late += g->before[r][u] && !is_remade(g, r, u);
            *unordered += !g->before[r][u] && !g->before[u][r];
        }
}

START_TEST(reclamations_agree_with_the_closure)
{
    static struct random_graph g;
    struct tempdir dir;
    struct sl_scenario scenario;
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    unsigned late, unordered, found_late = 0, found_unordered = 0;
    draw_graph(&g, 7919u * (uint32_t)_i + 1u);
    tempdir_make(&dir);
    write_graph(&g, &dir);
    ck_assert_int_eq(sl_scenario_load(&scenario, dir.path, NULL, 0, &diags, &err), SL_NO);
    for (size_t i = 0; i < diags.count; i++) {
        found_late += strcmp(diags.items[i].code, "use-after-reclaim") == 0;
        found_unordered += strcmp(diags.items[i].code, "reclaim-not-ordered") == 0;
    }
    ck_assert_uint_lt(diags.errors, 200); /* all of them are kept */
    add_data_flow(&g);
    close_order(&g);
    count_faults(&g, &late, &unordered);
    ck_assert_uint_gt(late, 0);
    ck_assert_uint_gt(unordered, 0);
    ck_assert_uint_eq(found_late, late);
    ck_assert_uint_eq(found_unordered, unordered);
    sl_scenario_free(&scenario);
    sl_diags_free(&diags);
    tempdir_remove(&dir);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("legality_order");
    TCase *c = tcase_create("order");
    tcase_add_loop_test(c, reclamations_agree_with_the_closure, 0, 40);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}

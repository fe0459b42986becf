/* Replacement at planning time: pages begin in pinned memory, each access reads one, and hbm holds
 * three.  A fault is a copy into hbm.
 *
 * For the reference string 7 0 1 2 0 3 0 4 2 3 0 3 2 1 2 0 1 7 0 1 the textbooks have 12 faults
 * under LRU and 9 under Belady's optimum.  A plan gives a page back after its last use, which a
 * cache cannot know; so every page is read once more behind the string, and faults count up to
 * there.  What follows on random strings is a cache simulated access by access.
 *
 * Accesses take 1 ms, are 2 ms apart and fetch on demand in 1 ms, so that nothing ever has to come
 * while something else runs:   makespan = accesses + 2 (accesses - 1) + faults, in ms. */
#include <config.h>

#include "planlab.h"

#define MOST   40
#define PAGES  8
#define FRAMES 3
#define MS     INT64_C(1000000000)

struct string {
    int pages[MOST + PAGES];
    int counted, length; /* accesses of the string; and with each page once more */
};

static void add_tail(struct string *s)
{
    s->length = s->counted;
    for (int page = PAGES - 1; page >= 0; page--)
        for (int i = 0; i < s->counted; i++)
            if (s->pages[i] == page) {
                s->pages[s->length++] = page;
                break;
            }
}

/* ---- a cache ----------------------------------------------------------------------------------
 */

/* When the page was used last before access `at` (LRU) or is used next (the larger the better to
 * evict): one measure for both. */
static int age(const struct string *s, int page, int at, bool optimal)
{
    if (optimal) {
        for (int i = at + 1; i < s->length; i++)
            if (s->pages[i] == page)
                return i;
        return s->length;
    }
    for (int i = at - 1; i >= 0; i--)
        if (s->pages[i] == page)
            return -i;
    return 1;
}

static int count_faults(const struct string *s, bool optimal, int accesses)
{
    int frames[FRAMES], used = 0, faults = 0;
    for (int at = 0; at < accesses; at++) {
        int hit = 0, victim = 0;
        for (int f = 0; f < used; f++)
            hit |= frames[f] == s->pages[at];
        if (hit)
            continue;
        faults++;
        for (int f = 1; f < used; f++)
            if (age(s, frames[f], at, optimal) > age(s, frames[victim], at, optimal))
                victim = f;
        frames[used < FRAMES ? used++ : victim] = s->pages[at];
    }
    return faults;
}

/* ---- a plan -----------------------------------------------------------------------------------
 */

static void open_string(struct planlab *lab, const struct string *s)
{
    char nodes[4000] = "node,kind,resource,lane,duration,inputs\n", edges[4000] = "from,to,lag\n",
         objects[1000] = "object,size,home,initial,placements\n";
    bool listed[PAGES] = {false};
    for (int i = 0; i < s->length; i++) {
        int page = s->pages[i];
        snprintf(nodes + strlen(nodes), sizeof nodes - strlen(nodes),
                 "r%02d,compute,compute,s,1ms,p%d\n", i, page);
        if (i > 0)
            snprintf(edges + strlen(edges), sizeof edges - strlen(edges), "r%02d,r%02d,2ms\n",
                     i - 1, i);
        if (!listed[page])
            snprintf(objects + strlen(objects), sizeof objects - strlen(objects),
                     "p%d,1GiB,hbm,pinned,hbm;pinned\n", page);
        listed[page] = true;
    }
    planlab_open_tables(
        lab,
        "name: paging\nnodes: nodes.csv\nobjects: objects.csv\nedges: edges.csv\n"
        "resources: {compute: {servers: 1}, h2d: {servers: 1}, d2h: {servers: 1}}\n"
        "domains: {hbm: {capacity: 3GiB, reserve: 0B}, pinned: {capacity: 16GiB, reserve: 0B}}\n"
        "routes:\n  - {from: pinned, to: hbm, resource: h2d, bandwidth: 1000GiB/s}\n"
        "  - {from: hbm, to: pinned, resource: d2h, bandwidth: 1000GiB/s}\n"
        "objective: {metric: makespan, tail: 0.99}\ntrials: 1\nseed: 1\n"
        "policies:\n  - {name: lru, action: offload, select: lru}\n"
        "  - {name: belady, action: offload, select: belady}\n",
        nodes, objects, edges, NULL);
}

/* Copies into hbm that one of the first `accesses` nodes reads. */
static int count_fetches(const struct sl_graph *g, int accesses)
{
    int fetches = 0;
    for (uint32_t n = 0; n < g->node_count; n++) {
        bool counts = false;
        for (uint32_t e = 0; e < g->edge_count && g->nodes[n].kind == SL_PREFETCH; e++)
            counts |= g->edges[e].from.i == n && g->edges[e].type == SL_EDGE_DATA &&
                      atoi(g->nodes[g->edges[e].to.i].name + 1) < accesses;
        fetches += counts;
    }
    return fetches;
}

static int plan_and_run(struct planlab *lab, const char *policy, const struct string *s)
{
    const struct sl_graph *g = planlab_plan(lab, policy);
    ck_assert(!planlab_warned(lab, "does-not-fit"));
    ck_assert_uint_eq(planlab_count(g, "offload:"), 0); /* nothing was written: nothing goes out */
    struct planlab_run run;
    const struct sl_trial *trial = planlab_trial(lab, &run);
    ck_assert_int_eq(trial->outcome, SL_DONE);
    ck_assert_int_eq(trial->makespan_ps, (3 * s->length - 2 + count_fetches(g, s->length)) * MS);
    ck_assert_int_le(trial->peak_bytes[0], INT64_C(3) << 30);
    planlab_end(&run);
    return count_fetches(g, s->counted);
}

START_TEST(test_textbook)
{
    struct string s = {{7, 0, 1, 2, 0, 3, 0, 4, 2, 3, 0, 3, 2, 1, 2, 0, 1, 7, 0, 1}, 20, 0};
    struct planlab lab;
    add_tail(&s);
    open_string(&lab, &s);
    ck_assert_int_eq(plan_and_run(&lab, "lru", &s), 12);
    ck_assert_int_eq(plan_and_run(&lab, "belady", &s), 9);
    planlab_close(&lab);
}
END_TEST

START_TEST(test_random_strings)
{
    uint64_t state = 11;
    for (int round = 0; round < (sl_test_long() ? 400 : 40); round++) {
        struct string s = {.counted = MOST};
        struct planlab lab;
        for (int i = 0; i < s.counted; i++) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            s.pages[i] = (int)((state >> 33) % PAGES);
        }
        add_tail(&s);
        open_string(&lab, &s);
        ck_assert_int_eq(plan_and_run(&lab, "lru", &s), count_faults(&s, false, s.counted));
        ck_assert_int_eq(plan_and_run(&lab, "belady", &s), count_faults(&s, true, s.counted));
        planlab_close(&lab);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("paging");
    TCase *tc = tcase_create("oracle");
    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, test_textbook);
    tcase_add_test(tc, test_random_strings);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}

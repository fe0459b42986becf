/* Paging: strings of page accesses, caches simulated access by access as the reference, and a
 * scenario whose nodes are the accesses.
 *
 * Pages begin in pinned memory, each access reads one, and hbm holds three.  A fault is a copy into
 * hbm.  Accesses take 1 ms, are 2 ms apart and fetch on demand in 1 ms, so that nothing ever has to
 * come while something else runs:   makespan = accesses + 2 (accesses - 1) + faults, in ms. */
#ifndef SL_TEST_PAGING_H
#define SL_TEST_PAGING_H
#include "planlab.h"

#define PAGING_MOST   40
#define PAGING_PAGES  8
#define PAGING_FRAMES 3

enum paging_rule { PAGING_FIFO, PAGING_LRU, PAGING_BELADY };

struct paging {
    int pages[PAGING_MOST + PAGING_PAGES];
    int counted, length; /* accesses of the string; and with each page once more */
};

/* A plan gives a page back after its last use, which a cache cannot know: each is read once more
 * behind the string, and faults count up to there. */
static inline void paging_add_tail(struct paging *s)
{
    s->length = s->counted;
    for (int page = PAGING_PAGES - 1; page >= 0; page--)
        for (int i = 0; i < s->counted; i++)
            if (s->pages[i] == page) {
                s->pages[s->length++] = page;
                break;
            }
}

/* The string of the textbooks (Silberschatz, Galvin and Gagne): 15 faults under FIFO, 12 under LRU
 * and 9 under Belady's optimum. */
static inline struct paging paging_textbook(void)
{
    struct paging s = {{7, 0, 1, 2, 0, 3, 0, 4, 2, 3, 0, 3, 2, 1, 2, 0, 1, 7, 0, 1}, 20, 0};
    paging_add_tail(&s);
    return s;
}

static inline struct paging paging_random(uint64_t *state)
{
    struct paging s = {.counted = PAGING_MOST};
    for (int i = 0; i < s.counted; i++) {
        *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
        s.pages[i] = (int)((*state >> 33) % PAGING_PAGES);
    }
    paging_add_tail(&s);
    return s;
}

/* The larger the better to evict at access `at`; `loaded`: the access that brought it. */
static inline int paging_age(const struct paging *s, int page, int loaded, int at,
                             enum paging_rule rule)
{
    if (rule == PAGING_FIFO)
        return -loaded;
    if (rule == PAGING_BELADY) {
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

/* Faults of a cache in the string itself. */
static inline int paging_faults(const struct paging *s, enum paging_rule rule)
{
    int frames[PAGING_FRAMES], loaded[PAGING_FRAMES], used = 0, faults = 0;
    for (int at = 0; at < s->counted; at++) {
        int hit = 0, victim = 0;
        for (int f = 0; f < used; f++)
            hit |= frames[f] == s->pages[at];
        if (hit)
            continue;
        faults++;
        for (int f = 1; f < used; f++)
            if (paging_age(s, frames[f], loaded[f], at, rule) >
                paging_age(s, frames[victim], loaded[victim], at, rule))
                victim = f;
        int frame = used < PAGING_FRAMES ? used++ : victim;
        frames[frame] = s->pages[at];
        loaded[frame] = at;
    }
    return faults;
}

/* Node rNN is access NN.  `policies`: the items of the scenario's section. */
static inline void paging_open(struct planlab *lab, const struct paging *s, const char *policies)
{
    char yaml[2000], nodes[4000] = "node,kind,resource,lane,duration,inputs\n",
                     edges[4000] = "from,to,lag\n",
                     objects[1000] = "object,size,home,initial,placements\n";
    bool listed[PAGING_PAGES] = {false};
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
    snprintf(
        yaml, sizeof yaml,
        "name: paging\nnodes: nodes.csv\nobjects: objects.csv\nedges: edges.csv\n"
        "resources: {compute: {servers: 1}, h2d: {servers: 1}, d2h: {servers: 1}}\n"
        "domains: {hbm: {capacity: %dGiB, reserve: 0B}, pinned: {capacity: 16GiB, reserve: 0B}}\n"
        "routes:\n  - {from: pinned, to: hbm, resource: h2d, bandwidth: 1000GiB/s}\n"
        "  - {from: hbm, to: pinned, resource: d2h, bandwidth: 1000GiB/s}\n"
        "objective: {metric: makespan, tail: 0.99}\ntrials: 1\nseed: 1\npolicies:\n%s",
        PAGING_FRAMES, policies);
    planlab_open_tables(lab, yaml, nodes, objects, edges, NULL);
}
#endif

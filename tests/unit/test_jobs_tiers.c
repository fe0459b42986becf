/* Objects that jobs share by blocks, over chains of tiers: hits, moves of each hop, drops and times
 * against lists that know neither engine nor clock; times by hand; and that no block is lost. */
#include <config.h>

#include "dice.h"
#include "jobs_parts.h"
#include "lab_blocks.h"

enum { MOST = 1500, BLOCK = 100, MOST_BLOCKS = 8, TIERS = 4, ROUTES = 16 };

struct ask {
    int64_t t_us;
    uint32_t count;
    uint64_t blocks[MOST_BLOCKS];
};

/* A chain of tiers: places of each, and whether what lies below the second one comes home at once,
 * or by the tier above. */
struct chain {
    uint32_t tiers;
    int64_t places[TIERS];
    bool direct, through;
    enum sl_cache_order order;
    bool in_turn;
};

/* Time of a block out of a tier, down to the next and up. */
static const int64_t down_us[TIERS] = {10, 20, 40, 0}, up_us[TIERS] = {0, 10, 30, 50};

static struct lab lab;
static struct sl_jobs_options options;
static struct sl_jobs_program *program;
static struct sl_jobs_worker *worker;
static const struct sl_jobs_totals *totals;
static struct sl_route routes[ROUTES];
static uint32_t domains[TIERS], kv, prefill;
static struct ask asks[MOST];
static uint32_t ask_count, next_ask;
static struct sl_job_record seen[MOST];
static double counts[MOST][TIERS + 2];

static enum sl_status next(void *user, struct sl_job_arrival *arrival, bool *more,
                           struct sl_error *err)
{
    (void)user, (void)err;
    *more = next_ask < ask_count;
    if (!*more)
        return SL_OK;
    const struct ask *ask = &asks[next_ask++];
    arrival->t_ps = ask->t_us * US;
    arrival->blocks = ask->blocks;
    arrival->block_count = ask->count;
    return SL_OK;
}

static enum sl_status see(void *user, const struct sl_job_record *record, struct sl_error *err)
{
    (void)user, (void)err;
    seen[record->job] = *record;
    memcpy(counts[record->job], record->parameters, program->value_count * sizeof(double));
    return SL_OK;
}

static void setup(void)
{
    lab_open(&lab);
    memset(&options, 0, sizeof options);
    memset(routes, 0, sizeof routes);
    ask_count = 0;
}

static void teardown(void)
{
    sl_jobs_worker_free(worker);
    sl_jobs_program_free(program);
    program = NULL;
    worker = NULL;
    lab.platform.routes = NULL; /* not the platform's own */
    lab_close(&lab);
}

/* ---- a plan ---------------------------------------------------------------------------------- */

static uint32_t tier_above(const struct chain *chain, uint32_t tier)
{
    return chain->direct ? 0 : tier - 1;
}

static void add_routes(const struct chain *chain)
{
    static const char *const names[TIERS] = {"hbm", "host", "nvme", "net"};
    static const char *const down[TIERS] = {"d2h", "h2n", "n2r", NULL};
    static const char *const up[TIERS] = {NULL, "h2d", "n2h", "r2n"};
    for (uint32_t t = 0; t < chain->tiers; t++)
        domains[t] = lab_domain(&lab, names[t], chain->places[t] * BLOCK);
    for (uint32_t t = 0; t + 1 < chain->tiers; t++)
        (void)lab_route(&lab, routes, domains[t], domains[t + 1], down[t],
                        1e8 / (double)down_us[t]);
    for (uint32_t t = 1; t < chain->tiers; t++)
        (void)lab_route(&lab, routes, domains[t], domains[tier_above(chain, t)], up[t],
                        1e8 / (double)up_us[t]);
}

/* What is found in a tier comes home behind what is found in those above it, where `serial`. */
static void add_moves(const struct chain *chain, bool serial)
{
    char name[40];
    uint32_t last = SL_NONE;
    for (uint32_t t = 1; t < chain->tiers; t++) {
        snprintf(name, sizeof name, "spill%u", t);
        (void)lab_shared_move(&lab, kv, name, SL_OFFLOAD, &routes[t - 1]);
        uint32_t before = serial ? last : SL_NONE;
        for (uint32_t at = t; at; at = tier_above(chain, at)) {
            snprintf(name, sizeof name, "fetch%u.%u", t, at);
            uint32_t hop =
                lab_shared_move(&lab, kv, name, SL_PREFETCH, &routes[chain->tiers - 1 + at - 1]);
            LAB_NODE(&lab, hop).ahead = at == t && chain->in_turn ? 0 : SL_NONE;
            if (before != SL_NONE)
                lab_edge(&lab, before, hop);
            last = before = hop;
        }
        lab_edge(&lab, last, prefill);
    }
}

/* prefill: 1us, and 4us for each missing block. */
static void serving(const struct chain *chain, bool serial)
{
    static const char *const values[] = {"blocks", "hbm", "host", "nvme", "net"};
    uint32_t gpu = lab_resource(&lab, "gpu", 1);
    add_routes(chain);
    lab_graph(&lab);
    lab.graph->one = lab_dist(&lab, "const(1)", SL_DIST_NUMBER);
    kv = lab_shared(&lab, "kv", BLOCK, domains, chain->tiers);
    prefill = lab_node(&lab, "prefill", "1ps", gpu);
    lab_mention(&lab, prefill, kv, true);
    add_moves(chain, serial);
    struct sl_names names = {0};
    for (uint32_t v = 0; v <= chain->tiers; v++)
        (void)sl_names_add(&names, values[v]);
    (void)sl_names_add(&names, "missing");
    LAB_OK(&lab, sl_expr_parse(&LAB_NODE(&lab, prefill).times, "4us * missing + 1us", SL_EXPR_TIME,
                               &names, (struct sl_place){0}, &lab.arena, &lab.err));
    sl_names_free(&names);
    options.engine.cache_order = chain->order;
    options.engine.cache_through = chain->through;
}

/* What came to a tier has left it or is there. */
static void check_balance(const struct sl_cache_totals *cache, const struct chain *chain)
{
    for (uint32_t t = 0; t < chain->tiers; t++) {
        uint64_t in =
            t ? cache->spilled[t - 1] + cache->written[t - 1] : cache->made - cache->made_twice;
        for (uint32_t from = t + 1; from < chain->tiers; from++)
            if (tier_above(chain, from) == t)
                in += cache->raised[from] - cache->raised_twice[from];
        ck_assert_uint_eq(in, cache->evicted[t] - cache->kept[t] + cache->left_over[t]);
        ck_assert_uint_le(cache->left_over[t], (uint64_t)chain->places[t]);
        ck_assert_int_le(totals->peak_bytes[domains[t]], chain->places[t] * BLOCK);
    }
}

static const struct sl_cache_totals *run_jobs(const struct chain *chain)
{
    const struct sl_job_source source = {next, NULL};
    next_ask = 0;
    if (!worker) {
        LAB_OK(&lab, sl_graph_finish(lab.graph, &lab.err));
        LAB_OK(&lab, sl_jobs_program_create(&program, lab.graph, &options, &lab.err));
        LAB_OK(&lab, sl_jobs_worker_create(&worker, program, &lab.err));
    }
    LAB_OK(&lab, sl_jobs_run(worker, 1, 0, &source, see, NULL, &totals, &lab.err));
    ck_assert_int_eq(totals->outcome, SL_DONE);
    check_balance(&totals->caches[0], chain);
    return &totals->caches[0];
}

/* ---- by lists -------------------------------------------------------------------------------- */

/* Of each tier the blocks that are there, and how old: the one with the least age leaves first.
 * Requests come one after the other, and everything that one of them brings about is over before
 * the next. */
enum { NAMES = 512, ABSENT = 0 };
struct lists {
    const struct chain *chain;
    uint64_t age[TIERS][NAMES], clock;
    int64_t count[TIERS], free[TIERS], coming[TIERS];
    unsigned pins[NAMES];
    uint64_t leavers[TIERS][64];
    bool stays[TIERS][64]; /* of these: they are only written */
    uint32_t leaving[TIERS];
    bool owed[TIERS]; /* some of what goes there waits for what leaves */
    uint64_t arrived[TIERS][128];
    uint32_t arrivals[TIERS];
    int64_t us;
    struct sl_cache_totals sum;
};

static bool has(const struct lists *l, uint32_t tier, uint64_t block)
{
    return l->age[tier][block] != ABSENT;
}

static void take_out(struct lists *l, uint32_t tier, uint64_t block)
{
    l->age[tier][block] = ABSENT;
    l->count[tier]--;
}

static void put_last(struct lists *l, uint32_t tier, uint64_t block)
{
    l->age[tier][block] = ++l->clock;
    l->count[tier]++;
}

static void unpin(struct lists *l, uint64_t block)
{
    uint64_t now = ++l->clock;
    l->pins[block]--;
    for (uint32_t t = 0; t < l->chain->tiers && l->chain->order == SL_CACHE_LRU; t++)
        if (has(l, t, block))
            l->age[t][block] = now;
}

static bool drop(struct lists *l, uint32_t tier, uint64_t block)
{
    bool anywhere = false;
    take_out(l, tier, block);
    l->free[tier]++;
    for (uint32_t t = 0; t < l->chain->tiers; t++)
        anywhere |= has(l, t, block);
    l->sum.lost[tier] += !anywhere;
    return true;
}

static bool evict_one(struct lists *l, uint32_t tier);

/* A place for one block in that tier; *owed: once another one has left it. */
static bool find_place(struct lists *l, uint32_t tier, bool *owed)
{
    if (!l->chain->places[tier])
        return false;
    for (;;) {
        *owed = !l->free[tier] && l->coming[tier];
        if (l->free[tier]) {
            l->free[tier]--;
            return true;
        }
        if (l->coming[tier]) {
            l->coming[tier]--;
            return true;
        }
        if (!evict_one(l, tier))
            return false;
    }
}

static void send(struct lists *l, uint32_t tier, uint64_t block, bool stays, bool owed)
{
    l->owed[tier + 1] |= owed;
    l->stays[tier][l->leaving[tier]] = stays;
    l->leavers[tier][l->leaving[tier]++] = block;
    l->coming[tier] += !stays;
}

/* The oldest that is not in use leaves; false: all are. */
static bool evict_one(struct lists *l, uint32_t tier)
{
    uint64_t block = NAMES;
    bool owed;
    for (uint64_t b = 0; b < NAMES; b++)
        if (has(l, tier, b) && !l->pins[b] &&
            (block == NAMES || l->age[tier][b] < l->age[tier][block]))
            block = b;
    if (block == NAMES)
        return false;
    l->sum.evicted[tier]++;
    bool drops = tier + 1 == l->chain->tiers || has(l, tier + 1, block);
    for (uint32_t t = 0; t < tier; t++)
        drops |= has(l, t, block);
    if (drops)
        return drop(l, tier, block);
    l->pins[block]++;
    if (!find_place(l, tier + 1, &owed)) {
        l->pins[block]--;
        return drop(l, tier, block);
    }
    send(l, tier, block, false, owed);
    return true;
}

static void arrive(struct lists *l, uint32_t tier, uint64_t block)
{
    if (l->chain->through && tier + 1 < l->chain->tiers)
        l->arrived[tier][l->arrivals[tier]++] = block;
}

static void go_down(struct lists *l, uint32_t tier, uint64_t block, bool stays)
{
    put_last(l, tier + 1, block);
    if (!stays) {
        unpin(l, block);
        take_out(l, tier, block);
        l->sum.spilled[tier]++;
        return;
    }
    arrive(l, tier + 1, block);
    l->pins[block]--;
    l->sum.written[tier]++;
    if (l->chain->order == SL_CACHE_LRU)
        l->age[tier + 1][block] = l->age[tier][block];
}

/* The deepest first: who is owed a place waits.  Others go at once, while the rest goes on. */
static int64_t spill_all(struct lists *l)
{
    int64_t us = 0;
    for (uint32_t t = TIERS; t-- > 0;) {
        if (!l->leaving[t])
            continue;
        us = (l->owed[t + 1] ? us : 0) + l->leaving[t] * down_us[t];
        for (uint32_t k = 0; k < l->leaving[t]; k++)
            go_down(l, t, l->leavers[t][k], l->stays[t][k]);
        l->leaving[t] = 0;
        l->owed[t + 1] = false;
    }
    return us;
}

/* So many places of the tier are taken. */
static void take_places(struct lists *l, uint32_t tier, int64_t wanted)
{
    memset(l->coming, 0, sizeof l->coming);
    while (l->free[tier] + l->coming[tier] < wanted)
        ck_assert(evict_one(l, tier));
    l->free[tier] += l->coming[tier] - wanted;
    l->us += spill_all(l);
}

static void bring(struct lists *l, const struct ask *ask, const uint32_t *where, uint32_t found,
                  uint32_t tier, uint32_t from)
{
    uint32_t to = tier_above(l->chain, from), count = 0;
    for (uint32_t k = 0; k < found; k++)
        count += where[k] == tier;
    if (!count)
        return;
    take_places(l, to, count);
    for (uint32_t k = 0; k < found; k++)
        if (where[k] == tier)
            put_last(l, to, ask->blocks[k]);
    l->sum.raised[from] += count;
    l->us += count * up_us[from];
}

static void make(struct lists *l, const struct ask *ask, uint32_t found)
{
    take_places(l, 0, ask->count - found);
    for (uint32_t k = found; k < ask->count; k++) {
        l->sum.made++;
        l->pins[ask->blocks[k]]++;
        if (has(l, 0, ask->blocks[k])) {
            l->sum.made_twice++;
            l->free[0]++;
        } else {
            put_last(l, 0, ask->blocks[k]);
            arrive(l, 0, ask->blocks[k]);
        }
    }
    l->us += 1 + 4 * (int64_t)(ask->count - found);
}

/* What was made is written to the second tier, and from there to the next one, when the request has
 * been served. */
static void write_through(struct lists *l)
{
    for (uint32_t t = 0; t + 1 < l->chain->tiers; t++) {
        memset(l->coming, 0, sizeof l->coming);
        for (uint32_t k = 0; k < l->arrivals[t]; k++) {
            uint64_t block = l->arrived[t][k];
            bool owed;
            if (has(l, t + 1, block))
                continue;
            l->pins[block]++;
            if (find_place(l, t + 1, &owed))
                send(l, t, block, true, owed);
            else
                l->pins[block]--;
        }
        l->arrivals[t] = 0;
        (void)spill_all(l);
    }
}

static void list_job(struct lists *l, const struct ask *ask, uint32_t found_in[TIERS + 1])
{
    uint32_t where[MOST_BLOCKS], found = 0;
    memset(found_in, 0, (TIERS + 1) * sizeof *found_in);
    for (; found < ask->count; found++) {
        uint32_t t = 0;
        while (t < l->chain->tiers && !has(l, t, ask->blocks[found]))
            t++;
        if (t == l->chain->tiers)
            break;
        where[found] = t;
        found_in[t]++;
        l->pins[ask->blocks[found]]++;
    }
    for (uint32_t t = 1; t < l->chain->tiers; t++)
        for (uint32_t at = t; at; at = tier_above(l->chain, at))
            bring(l, ask, where, found, t, at);
    make(l, ask, found);
    for (uint32_t k = ask->count; k-- > 0;)
        unpin(l, ask->blocks[k]);
    write_through(l);
}

/* A random path in a tree of prefixes: the name of a block is that of its path. */
static void draw_path(struct dice *dice, struct ask *ask)
{
    uint64_t name = 0;
    ask->count = 1 + dice_below(dice, MOST_BLOCKS);
    for (uint32_t k = 0; k < ask->count; k++)
        ask->blocks[k] = name = 2 * name + 1 + dice_below(dice, 2); /* < NAMES */
}

static struct chain draw_chain(struct dice *dice)
{
    struct chain chain = {.tiers = 2 + dice_below(dice, TIERS - 1)};
    for (uint32_t t = 0; t < chain.tiers; t++)
        chain.places[t] = MOST_BLOCKS + dice_below(dice, 8 + 8 * t);
    if (dice_chance(dice, 20)) /* the last one may be small, or none */
        chain.places[chain.tiers - 1] = dice_below(dice, 4) + (chain.tiers == 2 ? 0 : 4);
    chain.direct = dice_chance(dice, 40);
    if (dice_chance(dice, 30) && chain.direct)
        chain.places[chain.tiers - 1] = 0;
    chain.through = dice_chance(dice, 40);
    chain.order = dice_chance(dice, 60) ? SL_CACHE_LRU : SL_CACHE_FIFO;
    return chain;
}

static void same(const char *what, unsigned instance, uint32_t tier, uint64_t engine,
                 uint64_t lists)
{
    if (engine != lists)
        ck_abort_msg("instance %u, tier %u: %s: %llu, by lists %llu", instance, tier, what,
                     (unsigned long long)engine, (unsigned long long)lists);
}

/* One instance: hits and latency of each job, and the sums of each tier. */
static void check_instance(unsigned instance, struct sl_cache_totals *all)
{
    struct dice dice = {.state = instance};
    setup();
    const struct chain chain = draw_chain(&dice);
    static struct lists l;
    memset(&l, 0, sizeof l);
    l.chain = &chain;
    memcpy(l.free, chain.places, sizeof l.free);
    serving(&chain, true);
    for (ask_count = 0; ask_count < 60; ask_count++) {
        draw_path(&dice, &asks[ask_count]);
        asks[ask_count].t_us = 100000 * (int64_t)ask_count;
    }
    const struct sl_cache_totals *cache = run_jobs(&chain);
    for (uint32_t k = 0; k < ask_count; k++) {
        uint32_t found_in[TIERS + 1];
        int64_t begin_us = l.us;
        list_job(&l, &asks[k], found_in);
        for (uint32_t t = 0; t < chain.tiers; t++)
            same("found by a job", instance, t, (uint64_t)counts[k][1 + t], found_in[t]);
        same("latency, us", instance, k, (uint64_t)(seen[k].finish_ps - seen[k].arrival_ps) / US,
             (uint64_t)(l.us - begin_us));
    }
    for (uint32_t t = 0; t < chain.tiers; t++) {
        same("evicted", instance, t, cache->evicted[t], l.sum.evicted[t]);
        same("spilled", instance, t, cache->spilled[t], l.sum.spilled[t]);
        same("written", instance, t, cache->written[t], l.sum.written[t]);
        same("lost", instance, t, cache->lost[t], l.sum.lost[t]);
        same("fetched", instance, t, cache->raised[t], l.sum.raised[t]);
        same("left", instance, t, cache->left_over[t], (uint64_t)l.count[t]);
        all->evicted[t] += cache->evicted[t];
        all->spilled[t] += cache->spilled[t];
        all->written[t] += cache->written[t];
        all->lost[t] += cache->lost[t];
        all->raised[t] += cache->raised[t];
    }
    teardown();
}

START_TEST(hits_moves_and_times_are_those_of_lists)
{
    struct sl_cache_totals all = {0};
    teardown();
    for (unsigned instance = 1; instance <= 1000; instance++)
        check_instance(instance, &all);
    setup();
    for (uint32_t t = 0; t < TIERS; t++) { /* all of it happens */
        ck_assert_uint_gt(all.evicted[t], 1000);
        ck_assert_uint_gt(all.lost[t], 100);
        ck_assert(t + 1 == TIERS || all.spilled[t] > 1000);
        ck_assert(t + 1 == TIERS || all.written[t] > 1000);
        ck_assert(!t || all.raised[t] > 1000);
    }
}
END_TEST

/* ---- by hand --------------------------------------------------------------------------------- */

static void ask(int64_t t_us, uint32_t count, const uint64_t *blocks)
{
    asks[ask_count] = (struct ask){.t_us = t_us, .count = count};
    memcpy(asks[ask_count++].blocks, blocks, count * sizeof *blocks);
}

static int64_t latency_us(uint32_t job)
{
    return (seen[job].finish_ps - seen[job].arrival_ps) / US;
}

static void ask_four(void)
{
    ask(0, 2, (const uint64_t[]){1, 2});
    ask(1000, 2, (const uint64_t[]){3, 4});
    ask(2000, 2, (const uint64_t[]){5, 6});
    ask(3000, 2, (const uint64_t[]){1, 2});
}

START_TEST(a_request_through_two_hops)
{
    const struct chain chain = {.tiers = 3, .places = {2, 2, 10}};
    serving(&chain, false);
    ask_four();
    const struct sl_cache_totals *cache = run_jobs(&chain);
    /* Two are made, in 9us.  1 and 2 go to the host, 20us, for 3 and 4.  For 5 and 6 first 1 and 2
     * leave the host, 40us, so that 3 and 4 can go there, 20us. */
    ck_assert_int_eq(latency_us(0), 9);
    ck_assert_int_eq(latency_us(1), 29);
    ck_assert_int_eq(latency_us(2), 69);
    /* 1 and 2 lie in the third tier: 3 and 4 leave the host, 40us, and they come there, 60us, where
     * they are in use, so that 5 and 6 have no room and are lost; they come home, 20us, and 1us. */
    ck_assert_int_eq(latency_us(3), 121);
    ck_assert_double_eq(counts[3][3], 2);
    ck_assert_uint_eq(cache->raised[2], 2);
    ck_assert_uint_eq(cache->raised[1], 2);
    ck_assert_uint_eq(cache->fetched, 2);
    ck_assert_uint_eq(cache->lost[0], 2);
    ck_assert_uint_eq(cache->spilled[1], 4);
    ck_assert_uint_eq(cache->left_over[1], 2); /* copies of what was fetched */
    ck_assert_uint_eq(cache->left_over[2], 4);
}
END_TEST

START_TEST(a_request_over_a_direct_route)
{
    const struct chain chain = {.tiers = 3, .places = {2, 2, 10}, .direct = true};
    serving(&chain, false);
    ask_four();
    const struct sl_cache_totals *cache = run_jobs(&chain);
    /* 5 and 6 leave the home, for which 3 and 4 leave the host, 40us, and 20us; 60us, and 1us. */
    ck_assert_int_eq(latency_us(3), 121);
    ck_assert_uint_eq(cache->raised[1], 0);
    ck_assert_uint_eq(cache->fetched, 2);
    ck_assert_uint_eq(cache->lost[0] + cache->lost[1] + cache->lost[2], 0);
    ck_assert_uint_eq(cache->spilled[0], 6);
    ck_assert_uint_eq(cache->left_over[2], 4);
}
END_TEST

/* What is found in two tiers is called and fetched at once, in turn as without. */
static void check_two_tiers(bool in_turn)
{
    const struct chain chain = {
        .tiers = 3, .places = {2, 2, 10}, .direct = true, .in_turn = in_turn};
    serving(&chain, false);
    ask(0, 2, (const uint64_t[]){1, 2});
    ask(1000, 2, (const uint64_t[]){3, 4});
    ask(2000, 1, (const uint64_t[]){5});
    ask(3000, 2, (const uint64_t[]){1, 2});
    (void)run_jobs(&chain);
    /* 2 and 1 went to the host in this order.  4 leaves the home for 5, and for that 2 the host. */
    ck_assert_int_eq(latency_us(2), 35);
    ck_assert_double_eq(counts[3][2], 1);
    ck_assert_double_eq(counts[3][3], 1);
    /* 3 leaves the home for either, and for that 4 the host: 30us.  The fetch of 1 begins; for that
     * of 2 5 leaves, and for that 3: 30us.  That takes 30us, and the rest 1us. */
    ck_assert_int_eq(latency_us(3), 91);
}

START_TEST(found_in_two_tiers)
{
    check_two_tiers(false);
    teardown();
    setup();
    check_two_tiers(true);
}
END_TEST

/* ---- jobs that overlap ----------------------------------------------------------------------- */

static void draw_jobs(uint64_t seed, uint32_t count, unsigned gap_us)
{
    struct dice dice = {.state = seed};
    int64_t t_us = 0;
    for (ask_count = 0; ask_count < count; ask_count++) {
        draw_path(&dice, &asks[ask_count]);
        asks[ask_count].t_us = t_us += dice_below(&dice, gap_us);
    }
}

/* Levels are compared at the end by the engine, and the sums by run_jobs.  Twice, since places are
 * used again. */
START_TEST(nothing_is_lost_among_jobs_that_overlap)
{
    static int64_t finish[MOST];
    for (unsigned k = 0; k < 16; k++) {
        const struct chain chain = {.tiers = 3 + k % 2,
                                    .places = {24, 26, 25, 70},
                                    .direct = k & 2,
                                    .through = k & 8,
                                    .order = k & 4 ? SL_CACHE_FIFO : SL_CACHE_LRU};
        teardown();
        setup();
        options.admitted_most = 3; /* of 8 blocks each: all have room beside each other */
        serving(&chain, false);
        draw_jobs(11 + k, MOST, 150);
        for (unsigned run = 0; run < 2; run++) {
            const struct sl_cache_totals *cache = run_jobs(&chain);
            for (uint32_t t = 0; t < chain.tiers; t++) {
                ck_assert_uint_gt(cache->evicted[t], 100);
                ck_assert(t + 1 == chain.tiers || cache->spilled[t] > (chain.through ? 0 : 100));
                ck_assert(t + 1 == chain.tiers || (cache->written[t] > 100) == chain.through);
                ck_assert(!t || cache->raised[t] > 100);
            }
            ck_assert(chain.through || cache->kept[0] + cache->kept[1] + cache->kept[2] > 0);
            for (uint32_t j = 0; j < MOST; j++) {
                ck_assert(!run || seen[j].finish_ps == finish[j]);
                finish[j] = seen[j].finish_ps;
            }
        }
    }
}
END_TEST

/* A tier on the way that is no smaller than the home has room for all that jobs admitted by the
 * home's memory have there. */
START_TEST(jobs_admitted_by_memory_do_not_deadlock_on_tiers)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        const struct chain chain = {.tiers = 3 + seed % 2,
                                    .places = {17, 17, 20, 40},
                                    .direct = seed & 2,
                                    .through = seed & 8,
                                    .in_turn = seed & 4};
        teardown();
        setup();
        options.by_memory = true;
        options.memory = 0;
        serving(&chain, false);
        draw_jobs(seed, 300, 40);
        (void)run_jobs(&chain);
        ck_assert_uint_eq(totals->completed, 300);
    }
}
END_TEST

/* ---- what is refused ------------------------------------------------------------------------- */

static void refused(const char *words)
{
    struct sl_error err = {0};
    LAB_OK(&lab, sl_graph_finish(lab.graph, &lab.err));
    ck_assert_int_eq(sl_jobs_program_create(&program, lab.graph, &options, &err), SL_NO);
    ck_assert_msg(strstr(err.message, words) != NULL, "%s", err.message);
    teardown();
    setup();
}

START_TEST(moves_that_lead_nowhere_are_refused)
{
    const struct chain chain = {.tiers = 3, .places = {2, 2, 10}};
    serving(&chain, false);
    (void)lab_shared_move(&lab, kv, "again", SL_OFFLOAD, &routes[1]);
    refused("two nodes spill it from the same domain");
    serving(&chain, false);
    (void)lab_shared_move(&lab, kv, "again", SL_PREFETCH, &routes[3]);
    refused("two nodes fetch the same blocks from the same domain");
    serving(&chain, false);
    (void)lab_shared_move(&lab, kv, "up", SL_OFFLOAD, &routes[3]);
    refused("a prefetch moves it along a route to a placement that is before");
    serving(&chain, false);
    (void)lab_shared_move(&lab, kv, "skip", SL_PREFETCH,
                          lab_route(&lab, routes, domains[2], domains[0], "n2d", 1e7));
    refused("two nodes fetch the same blocks from the same domain");
    serving(&chain, false);
    for (uint32_t i = 0; i < lab.graph->node_count; i++)
        if (strcmp(lab.graph->nodes[i].name, "fetch2.2") == 0)
            LAB_NODE(&lab, i).ahead = 1;
    refused("its fetches from different tiers are not called together");
}
END_TEST

START_TEST(a_tier_without_a_way_home_is_refused)
{
    const struct chain two = {.tiers = 2, .places = {2, 2}};
    serving(&two, false);
    domains[2] = lab_domain(&lab, "nvme", BLOCK);
    struct sl_span span = lab.graph->objects[kv].placements;
    LAB_OK(&lab, sl_graph_push_domain(lab.graph, &span, domains[2], &lab.err));
    lab.graph->objects[kv].placements = span;
    (void)lab_shared_move(&lab, kv, "spill2", SL_OFFLOAD,
                          lab_route(&lab, routes, domains[1], domains[2], "h2n", 1e7));
    refused("what is spilled must be brought back by prefetches");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("jobs_tiers");
    TCase *tcase = tcase_create("jobs_tiers");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, hits_moves_and_times_are_those_of_lists);
    tcase_add_test(tcase, a_request_through_two_hops);
    tcase_add_test(tcase, a_request_over_a_direct_route);
    tcase_add_test(tcase, found_in_two_tiers);
    tcase_add_test(tcase, nothing_is_lost_among_jobs_that_overlap);
    tcase_add_test(tcase, jobs_admitted_by_memory_do_not_deadlock_on_tiers);
    tcase_add_test(tcase, moves_that_lead_nowhere_are_refused);
    tcase_add_test(tcase, a_tier_without_a_way_home_is_refused);
    suite_add_tcase(suite, tcase);
    return sl_test_run(suite);
}

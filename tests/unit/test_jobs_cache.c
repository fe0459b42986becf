/* Objects that jobs share by blocks: hits against an independent simulator and textbook strings,
 * times by hand, pins, and that no block and no byte is lost. */
#include <config.h>

#include "arrivals.h"
#include "block_store.h"
#include "dice.h"
#include "jobs_parts.h"
#include "lab_blocks.h"
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
enum { MOST = 4096, BLOCK = 100, MOST_BLOCKS = 8 };

struct ask {
    int64_t t_us;
    uint32_t count;
    uint64_t blocks[MOST_BLOCKS];
};

static struct lab lab;
static struct sl_jobs_options options;
static struct sl_batching prefill_batch, decode_batch; /* most 0: they start one by one */
static struct sl_jobs_program *program;
static struct sl_jobs_worker *worker;
static const struct sl_jobs_totals *totals;
static struct sl_route routes[2];
static uint32_t gpu, cpu, hbm, host, kv;
static uint32_t pre, fetch, prefill, decode, spill;
static struct sl_job_record seen[MOST];
static double counts[MOST][4]; /* blocks, found in each tier, missing */

struct script {
    const struct ask *asks;
    uint64_t count, next;
};

static enum sl_status next_of_script(void *user, struct sl_job_arrival *arrival, bool *more,
                                     struct sl_error *err)
{
    struct script *script = user;
    (void)err;
    *more = script->next < script->count;
    if (!*more)
        return SL_OK;
    const struct ask *ask = &script->asks[script->next++];
    arrival->t_ps = ask->t_us * US;
    arrival->blocks = ask->blocks;
    arrival->block_count = ask->count;
    return SL_OK;
}

static enum sl_status see(void *user, const struct sl_job_record *record, struct sl_error *err)
{
    (void)user;
    (void)err;
    ck_assert_uint_lt(record->job, MOST);
    seen[record->job] = *record;
    memcpy(counts[record->job], record->parameters, program->value_count * sizeof(double));
    return SL_OK;
}

static void setup(void)
{
    lab_open(&lab);
    memset(&options, 0, sizeof options);
    memset(routes, 0, sizeof routes);
    prefill_batch = decode_batch = (struct sl_batching){0};
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

/* pre (5us) before prefill (1us, and 4us for each missing block) before decode (10us), with room
 * for so many blocks; lower: with a tier below, from which blocks are brought behind `pre` or at
 * once. */
enum lower { ALONE, DEMAND, ASAP };
static void serving(int64_t home_blocks, int64_t host_blocks, enum lower lower)
{
    gpu = lab_resource(&lab, "gpu", 1);
    cpu = lab_resource(&lab, "cpu", SL_UNLIMITED);
    lab.resources[gpu].batch = prefill_batch;
    uint32_t decoder = decode_batch.most ? lab_resource(&lab, "decoder", 1) : cpu;
    lab.resources[decoder].batch = decode_batch;
    hbm = lab_domain(&lab, "hbm", home_blocks * BLOCK);
    host = lab_domain(&lab, "host", host_blocks * BLOCK);
    (void)lab_route(&lab, routes, host, hbm, "h2d", 1e7); /* 10us for a block */
    (void)lab_route(&lab, routes, hbm, host, "d2h", 1e7);
    lab_graph(&lab);
    lab.graph->one = lab_dist(&lab, "const(1)", SL_DIST_NUMBER);
    kv = lab_shared(&lab, "kv", BLOCK, (const uint32_t[]){hbm, host}, lower ? 2 : 1);
    spill = lower ? lab_shared_move(&lab, kv, "spill:kv:host", SL_OFFLOAD, &routes[1]) : SL_NONE;
    pre = lab_node(&lab, "pre", "5us", cpu);
    fetch = lower ? lab_shared_move(&lab, kv, "fetch:kv:host", SL_PREFETCH, &routes[0]) : SL_NONE;
    prefill = lab_node(&lab, "prefill", "1ps", gpu);
    decode = lab_node(&lab, "decode", "10us", decoder);
    LAB_NODE(&lab, decode).steps_mean = decode_batch.continuous ? 2 : 1;
    lab_mention(&lab, prefill, kv, true);
    lab_mention(&lab, decode, kv, false);
    struct sl_names names = {0};
    (void)sl_names_add(&names, "kv_blocks");
    (void)sl_names_add(&names, "kv_hbm");
    if (lower)
        (void)sl_names_add(&names, "kv_host");
    (void)sl_names_add(&names, "kv_missing");
    LAB_OK(&lab, sl_expr_parse(&LAB_NODE(&lab, prefill).times, "4us * kv_missing + 1us",
                               SL_EXPR_TIME, &names, (struct sl_place){0}, &lab.arena, &lab.err));
    sl_names_free(&names);
    lab_edge(&lab, pre, prefill);
    lab_edge(&lab, prefill, decode);
    if (lower)
        lab_edge(&lab, fetch, prefill);
    if (lower == DEMAND)
        lab_edge(&lab, pre, fetch);
}

static void create(void)
{
    LAB_OK(&lab, sl_graph_finish(lab.graph, &lab.err));
    LAB_OK(&lab, sl_jobs_program_create(&program, lab.graph, &options, &lab.err));
    LAB_OK(&lab, sl_jobs_worker_create(&worker, program, &lab.err));
}

static const struct sl_cache_totals *run_jobs(const struct ask *asks, uint64_t count)
{
    struct script script = {asks, count, 0};
    const struct sl_job_source source = {next_of_script, &script};
    if (!worker)
        create();
    LAB_OK(&lab, sl_jobs_run(worker, 1, 0, &source, see, NULL, &totals, &lab.err));
    ck_assert_uint_eq(totals->cache_count, 1);
    const struct sl_cache_totals *cache = &totals->caches[0];
    uint64_t found = 0;
    for (uint32_t t = 0; t < cache->tiers; t++)
        found += cache->found[t];
    ck_assert_uint_eq(found + cache->missing, cache->looked_up);
    if (totals->outcome == SL_DONE)
        ck_assert_uint_eq(cache->made - cache->made_twice + cache->fetched - cache->fetched_twice,
                          cache->evicted[0] - cache->kept[0] + cache->left_over[0]);
    return cache;
}

/* ---- who leaves ------------------------------------------------------------------------------ */

static const uint64_t string[] = {7, 0, 1, 2, 0, 3, 0, 4, 2, 3, 0, 3, 2, 1, 2, 0, 1, 7, 0, 1};

/* The faults of the textbook string with three places, of jobs that come one after the other. */
static void check_string(enum sl_cache_order order, uint64_t faults)
{
    struct ask asks[COUNT(string)];
    setup();
    serving(3, 0, ALONE);
    options.engine.cache_order = order;
    for (uint32_t k = 0; k < COUNT(string); k++)
        asks[k] = (struct ask){100 * k, 1, {string[k]}};
    const struct sl_cache_totals *cache = run_jobs(asks, COUNT(string));
    ck_assert_uint_eq(cache->missing, faults);
    ck_assert_uint_eq(cache->found[0], COUNT(string) - faults);
    ck_assert_uint_eq(cache->evicted[0], faults - 3);
    ck_assert_uint_eq(cache->lost[0], faults - 3);
    ck_assert_int_eq(totals->peak_bytes[hbm], 3 * BLOCK);
    teardown();
}

START_TEST(textbook_strings)
{
    teardown();
    check_string(SL_CACHE_LRU, 12);
    check_string(SL_CACHE_FIFO, 15);
    setup();
}
END_TEST

/* A cache of jobs that come one after the other, by lists: place 0 was used last. */
struct list_cache {
    uint64_t blocks[64];
    uint32_t count, places;
};

static uint32_t place_in(const struct list_cache *cache, uint64_t block)
{
    uint32_t at = 0;
    while (at < cache->count && cache->blocks[at] != block)
        at++;
    return at;
}

static void use_block(struct list_cache *cache, uint64_t block)
{
    uint32_t at = place_in(cache, block);
    if (at == cache->count)
        cache->count++;
    memmove(cache->blocks + 1, cache->blocks, at * sizeof *cache->blocks);
    cache->blocks[0] = block;
}

/* How many of the job's blocks are found. */
static uint32_t list_job(struct list_cache *cache, const struct ask *ask)
{
    uint32_t found = 0;
    while (found < ask->count && place_in(cache, ask->blocks[found]) < cache->count)
        found++;
    for (uint32_t k = 0; k < found; k++) /* in use: they do not leave */
        use_block(cache, ask->blocks[k]);
    while (cache->places - cache->count < ask->count - found)
        cache->count--;
    for (uint32_t k = ask->count; k-- > 0;) /* its first block was used last */
        use_block(cache, ask->blocks[k]);
    return found;
}

/* A random path in a tree of prefixes: the name of a block is that of its path. */
static void draw_path(struct dice *dice, struct ask *ask)
{
    uint64_t name = 0;
    ask->count = 1 + dice_below(dice, MOST_BLOCKS);
    for (uint32_t k = 0; k < ask->count; k++)
        ask->blocks[k] = name = 3 * name + 1 + dice_below(dice, 3) % (k < 2 ? 3 : 2);
}

START_TEST(hits_are_those_of_a_cache_by_lists)
{
    static struct ask asks[2000];
    struct dice dice = {.state = 7};
    struct list_cache model = {.places = 20};
    serving(model.places, 0, ALONE);
    for (uint32_t k = 0; k < COUNT(asks); k++) {
        draw_path(&dice, &asks[k]);
        asks[k].t_us = 100 * k;
    }
    const struct sl_cache_totals *cache = run_jobs(asks, COUNT(asks));
    uint64_t found = 0;
    for (uint32_t k = 0; k < COUNT(asks); k++) {
        uint32_t hits = list_job(&model, &asks[k]);
        if (counts[k][1] != hits)
            ck_abort_msg("job %u: %g found, %u by lists", k, counts[k][1], hits);
        ck_assert_int_eq(seen[k].finish_ps - seen[k].arrival_ps,
                         (16 + 4 * (int64_t)(asks[k].count - hits)) * US);
        found += hits;
    }
    ck_assert_uint_eq(cache->found[0], found);
    ck_assert_uint_gt(cache->evicted[0], 1000);
}
END_TEST

/* ---- batches --------------------------------------------------------------------------------- */

/* Two steps of 10us each, half as long again with two members.  Blocks are in use until a member's
 * last step. */
START_TEST(members_of_a_batch_keep_their_blocks)
{
    decode_batch = (struct sl_batching){.most = 2, .per_member = 0.5, .continuous = true};
    serving(4, 0, ALONE);
    static const struct ask asks[] = {{0, 2, {1, 2}}, {0, 2, {1, 3}}, {30, 3, {4, 5, 6}}};
    const struct sl_cache_totals *cache = run_jobs(asks, 3);
    /* Both look up at 5us and find nothing: prefill to 14us and to 23us, where 1 is made twice. */
    ck_assert_uint_eq(cache->made_twice, 1);
    /* decode of 0 alone from 14us to 24us, both to 39us, 1 alone to 49us. */
    ck_assert_int_eq(seen[0].finish_ps, 39 * US);
    ck_assert_int_eq(seen[1].finish_ps, 49 * US);
    ck_assert_uint_eq(totals->batches[decode].sizes[1], 1);
    /* Ready at 35us for three blocks where one is free: from 39us on 2 may leave, as 1 is still in
     * use, and from 49us on 3 and 1, of which 3 is worth less.  Prefill of 13us, two steps. */
    ck_assert_int_eq(seen[2].finish_ps, 82 * US);
    ck_assert_int_eq(seen[2].wait_ps[SL_CAUSE_CAPACITY], 14 * US);
    ck_assert_uint_eq(cache->evicted[0], 2);
    ck_assert_uint_eq(cache->left_over[0], 4);
    ck_assert_int_eq(totals->peak_bytes[hbm], 4 * BLOCK);
    ck_assert_uint_eq(totals->batches[decode].batches, 5);
}
END_TEST

START_TEST(whose_blocks_do_not_fit_is_no_member)
{
    prefill_batch = (struct sl_batching){.most = 3, .per_member = 0.5};
    serving(4, 0, ALONE);
    static const struct ask asks[] = {
        {0, 2, {1, 2}}, {0, 2, {3, 4}}, {0, 1, {5}}, {100, 1, {1}}, {100, 2, {5, 6}}};
    const struct sl_cache_totals *cache = run_jobs(asks, 5);
    /* At 5us two of 9us each start, for 9 x 1.5us; the third has room when they have ended. */
    ck_assert_int_eq(seen[0].finish_ps, 28 * US + US / 2);
    ck_assert_int_eq(seen[1].finish_ps, 28 * US + US / 2);
    ck_assert_int_eq(seen[2].finish_ps, 43 * US + US / 2);
    ck_assert_int_eq(seen[2].wait_ps[SL_CAUSE_CAPACITY], 23 * US + US / 2);
    /* 2 has left for 5.  At 105us one block is found by either, 1us and 5us: 5 x 1.5us; 4 leaves.
     */
    ck_assert_double_eq(counts[3][1], 1);
    ck_assert_double_eq(counts[4][1], 1);
    ck_assert_int_eq(seen[3].finish_ps, 122 * US + US / 2);
    ck_assert_int_eq(seen[4].finish_ps, 122 * US + US / 2);
    ck_assert_uint_eq(cache->evicted[0], 2);
    ck_assert_uint_eq(totals->batches[prefill].batches, 3);
    ck_assert_uint_eq(totals->batches[prefill].most, 2);
}
END_TEST

START_TEST(a_batch_waits_for_spills)
{
    prefill_batch = (struct sl_batching){.most = 2};
    serving(2, 10, DEMAND);
    static const struct ask asks[] = {{0, 2, {1, 2}}, {100, 1, {3}}, {100, 1, {4}}};
    const struct sl_cache_totals *cache = run_jobs(asks, 3);
    /* At 105us 2 is spilled for job 1, to 115us, and then 1 for job 2, to 125us. */
    ck_assert_int_eq(seen[1].finish_ps, 130 * US);
    ck_assert_int_eq(seen[2].finish_ps, 140 * US);
    ck_assert_uint_eq(cache->spilled[0], 2);
    ck_assert_uint_eq(totals->batches[prefill].batches, 3);
    ck_assert_uint_eq(totals->batches[prefill].most, 1);
}
END_TEST

/* ---- admission by memory --------------------------------------------------------------------- */

static void serving_by_memory(int64_t home_blocks, int64_t host_blocks, enum lower lower)
{
    options.by_memory = true;
    serving(home_blocks, host_blocks, lower);
    options.memory = hbm;
}

START_TEST(admission_counts_all_blocks_of_a_job)
{
    static const struct ask asks[] = {
        {0, 2, {1, 2}}, {0, 2, {3, 4}}, {0, 1, {5}}, {1, 5, {6, 7, 8, 9, 10}}};
    serving_by_memory(4, 0, ALONE);
    (void)run_jobs(asks, 4);
    /* pre to 5us, prefill of job 0 to 14us and of 1 to 23us; the decode of 0 ends at 24us. */
    ck_assert_int_eq(seen[1].finish_ps, 33 * US);
    ck_assert_int_eq(seen[2].admitted_ps, 24 * US);
    ck_assert_int_eq(seen[2].finish_ps, 44 * US);
    ck_assert_int_eq(seen[2].wait_ps[SL_CAUSE_CAPACITY], 0);
    ck_assert_int_eq(seen[3].rejection, SL_REJECTED_TOO_LARGE);
}
END_TEST

/* Where a tier lies below, as many blocks again until the fetch has passed: another job may bring
 * the same. */
START_TEST(admission_counts_what_is_fetched_twice)
{
    static const struct ask asks[] = {{0, 2, {1, 2}}, {0, 2, {1, 2}}, {100, 2, {1, 2}}};
    serving_by_memory(7, 10, DEMAND);
    (void)run_jobs(asks, 3);
    /* At 5us the fetch of job 0, which has nothing to bring, has passed: 2 of 7 are promised. */
    ck_assert_int_eq(seen[1].admitted_ps, 5 * US);
    teardown();
    setup();
    serving_by_memory(3, 10, DEMAND);
    (void)run_jobs(asks, 3);
    /* 4 of 3 blocks: only alone, where nobody else can bring them. */
    ck_assert_int_eq(seen[0].finish_ps, 24 * US);
    ck_assert_int_eq(seen[1].admitted_ps, 24 * US);
    ck_assert_double_eq(counts[1][1], 2);
    ck_assert_uint_eq(totals->rejected, 0);
    teardown();
    setup();
    serving_by_memory(3, 10, DEMAND);
    options.engine.cache_order = SL_CACHE_NONE;
    LAB_OK(&lab, sl_graph_finish(lab.graph, &lab.err));
    ck_assert_int_eq(sl_jobs_program_create(&program, lab.graph, &options, &lab.err), SL_NO);
    ck_assert_ptr_nonnull(strstr(lab.err.message, "blocks of 'kv' never leave 'hbm'"));
}
END_TEST

/* ---- times ----------------------------------------------------------------------------------- */

static const struct ask three[] = {{0, 2, {1, 2}}, {100, 2, {3, 4}}, {200, 2, {1, 2}}};

START_TEST(brought_on_demand)
{
    serving(2, 10, DEMAND);
    const struct sl_cache_totals *cache = run_jobs(three, 3);
    /* pre to 5us, prefill to 14us, decode to 24us; nothing to bring. */
    ck_assert_int_eq(seen[0].finish_ps, 24 * US);
    /* At 105us both blocks of job 0 are spilled until 125us; prefill to 134us. */
    ck_assert_int_eq(seen[1].finish_ps, 144 * US);
    ck_assert_int_eq(seen[1].wait_ps[SL_CAUSE_CAPACITY], 20 * US);
    /* At 205us those of job 1 are, until 225us; then 1 and 2 come until 245us, prefill to 246us. */
    ck_assert_int_eq(seen[2].finish_ps, 256 * US);
    ck_assert_int_eq(seen[2].wait_ps[SL_CAUSE_CAPACITY], 20 * US);
    ck_assert_double_eq(counts[2][0], 2);
    ck_assert_double_eq(counts[2][1], 0);
    ck_assert_double_eq(counts[2][2], 2);
    ck_assert_double_eq(counts[2][3], 0);
    ck_assert_uint_eq(cache->fetched, 2);
    ck_assert_uint_eq(cache->evicted[0], 4);
    ck_assert_uint_eq(cache->spilled[0], 4);
    ck_assert_uint_eq(cache->lost[0] + cache->lost[1], 0);
    ck_assert_uint_eq(cache->left_over[0], 2);
    ck_assert_uint_eq(cache->left_over[1], 4);
    ck_assert_uint_eq(totals->node_runs[spill], 2);
    ck_assert_uint_eq(totals->node_skips[fetch], 2);
    ck_assert_int_eq(totals->peak_bytes[host], 4 * BLOCK);
}
END_TEST

START_TEST(brought_as_soon_as_possible)
{
    serving(2, 10, ASAP);
    (void)run_jobs(three, 3);
    ck_assert_int_eq(seen[1].finish_ps, 144 * US);
    /* Looked up at 200us: spilled to 220us, brought to 240us, prefill to 241us. */
    ck_assert_int_eq(seen[2].finish_ps, 251 * US);
}
END_TEST

START_TEST(what_is_not_spilled_is_made_again)
{
    serving(2, 0, ALONE);
    const struct sl_cache_totals *cache = run_jobs(three, 3);
    ck_assert_int_eq(seen[1].finish_ps, 124 * US); /* dropped at once */
    ck_assert_int_eq(seen[2].finish_ps, 224 * US);
    ck_assert_uint_eq(cache->lost[0], 4);
    ck_assert_uint_eq(cache->missing, 6);
}
END_TEST

START_TEST(a_full_lower_tier_gives_up_its_oldest)
{
    serving(2, 3, DEMAND);
    const struct sl_cache_totals *cache = run_jobs(three, 3);
    /* At 205us 3 and 4 want to the host, where 1 and 2 are in use and one place is free: the block
     * that leaves first, 4, goes there, in 10us, and 3 is lost at once. */
    ck_assert_int_eq(seen[2].finish_ps, 246 * US);
    ck_assert_uint_eq(cache->spilled[0], 3);
    ck_assert_uint_eq(cache->lost[0], 1);
    ck_assert_uint_eq(cache->left_over[1], 3);
}
END_TEST

/* ---- several jobs at once -------------------------------------------------------------------- */

START_TEST(a_block_in_use_never_leaves)
{
    serving(2, 0, ALONE);
    /* Job 0 uses both places until 24us; job 1 is ready at 6us. */
    const struct ask asks[] = {{0, 2, {1, 2}}, {1, 1, {3}}};
    (void)run_jobs(asks, 2);
    ck_assert_int_eq(seen[0].finish_ps, 24 * US);
    ck_assert_int_eq(seen[1].finish_ps, 39 * US);
    ck_assert_int_eq(seen[1].wait_ps[SL_CAUSE_CAPACITY], 18 * US);
}
END_TEST

START_TEST(two_that_miss_the_same_block_both_make_it)
{
    serving(3, 0, ALONE);
    const struct ask asks[] = {{0, 1, {1}}, {1, 1, {1}}, {50, 1, {1}}};
    const struct sl_cache_totals *cache = run_jobs(asks, 3);
    ck_assert_uint_eq(cache->missing, 2);
    ck_assert_uint_eq(cache->made, 2);
    ck_assert_uint_eq(cache->made_twice, 1);
    ck_assert_uint_eq(cache->found[0], 1);
    ck_assert_uint_eq(cache->left_over[0], 1);
}
END_TEST

START_TEST(what_is_used_on_its_way_out_stays)
{
    serving(2, 10, ASAP);
    /* 1 and 2 leave from 105 to 125us.  Job 2 finds 1 at 110us and uses it until 126us, so that
     * job 1 has one place at 125us, and takes the other one when 1 is dropped: it is spilled. */
    const struct ask asks[] = {{0, 2, {1, 2}}, {100, 2, {3, 4}}, {110, 1, {1}}};
    const struct sl_cache_totals *cache = run_jobs(asks, 3);
    ck_assert_int_eq(seen[2].finish_ps, 126 * US);
    ck_assert_int_eq(seen[1].finish_ps, 145 * US);
    ck_assert_uint_eq(cache->kept[0], 1);
    ck_assert_uint_eq(cache->spilled[0], 2);
    ck_assert_uint_eq(cache->evicted[0], 3);
}
END_TEST

/* Job 1 lacks one block from 105us on, and is tried again when job 2 is ready at 107us and when its
 * prefill ends: what is on its way out is enough. */
START_TEST(no_more_leaves_than_is_wanted)
{
    serving(4, 10, DEMAND);
    const struct ask asks[] = {{0, 4, {1, 2, 3, 4}}, {100, 1, {5}}, {102, 1, {1}}};
    const struct sl_cache_totals *cache = run_jobs(asks, 3);
    ck_assert_uint_eq(cache->evicted[0], 1);
    ck_assert_uint_eq(cache->spilled[0], 1);
    ck_assert_int_eq(seen[1].finish_ps, 130 * US);
    ck_assert_int_eq(seen[2].finish_ps, 118 * US);
}
END_TEST

START_TEST(too_many_blocks_for_the_home_are_a_deadlock_by_name)
{
    serving(2, 0, ALONE);
    const struct ask asks[] = {{0, 3, {1, 2, 3}}};
    (void)run_jobs(asks, 1);
    ck_assert_int_eq(totals->outcome, SL_DEADLOCK);
    ck_assert_str_eq(totals->deadlock, "prefill of job 0 demands 300 B of hbm, of which 200 B are "
                                       "usable: this can never be met");
}
END_TEST

/* Random jobs that overlap, in little room: levels are compared at the end by the engine, and the
 * sums by run_jobs.  Twice, since places are used again. */
START_TEST(nothing_is_lost_among_jobs_that_overlap)
{
    static struct ask asks[1500];
    static int64_t finish[COUNT(asks)];
    struct dice dice = {.state = 11};
    serving(24, 30, ASAP);
    options.admitted_most = 3; /* of 8 blocks each: all have room beside each other */
    int64_t t_us = 0;
    for (uint32_t k = 0; k < COUNT(asks); k++) {
        draw_path(&dice, &asks[k]);
        asks[k].t_us = t_us += dice_below(&dice, 60);
    }
    for (unsigned run = 0; run < 2; run++) {
        const struct sl_cache_totals *cache = run_jobs(asks, COUNT(asks));
        ck_assert_int_eq(totals->outcome, SL_DONE);
        ck_assert_uint_gt(cache->spilled[0], 100);
        ck_assert_uint_gt(cache->fetched, 100);
        ck_assert_uint_gt(cache->lost[1], 100);
        ck_assert_int_le(totals->peak_bytes[hbm], 24 * BLOCK);
        ck_assert_int_le(totals->peak_bytes[host], 30 * BLOCK);
        for (uint32_t k = 0; k < COUNT(asks); k++) {
            if (run)
                ck_assert_int_eq(seen[k].finish_ps, finish[k]);
            finish[k] = seen[k].finish_ps;
        }
    }
}
END_TEST

/* As many as come, in a home with room for little more than one of them: without admission by
 * memory they pin blocks and wait for each other's. */
static bool ends(bool by_memory, uint64_t seed)
{
    static struct ask asks[300];
    struct dice dice = {.state = seed};
    int64_t t_us = 0;
    setup();
    serving_by_memory(9, 12, seed % 2 ? ASAP : DEMAND);
    options.by_memory = by_memory;
    for (uint32_t k = 0; k < COUNT(asks); k++) {
        draw_path(&dice, &asks[k]);
        asks[k].t_us = t_us += dice_below(&dice, 40);
    }
    (void)run_jobs(asks, COUNT(asks));
    bool done = totals->outcome == SL_DONE;
    ck_assert(!done || totals->completed == COUNT(asks));
    teardown();
    return done;
}

START_TEST(jobs_admitted_by_memory_do_not_deadlock_on_blocks)
{
    unsigned deadlocks = 0;
    teardown();
    for (uint64_t seed = 1; seed <= 40; seed++) {
        deadlocks += !ends(false, seed);
        ck_assert_msg(ends(true, seed), "case %u", (unsigned)seed);
    }
    setup();
    ck_assert_uint_gt(deadlocks, 10);
}
END_TEST

/* ---- a trace --------------------------------------------------------------------------------- */

static enum sl_status next_of_trace(void *user, struct sl_job_arrival *arrival, bool *more,
                                    struct sl_error *err)
{
    static int64_t t_ps;
    struct sl_arrival got;
    enum sl_status status = sl_arrival_stream_next(user, &got, more, err);
    arrival->t_ps = t_ps += INT64_C(100000) * US; /* one after the other */
    arrival->blocks = got.blocks;
    arrival->block_count = got.block_count;
    return status;
}

/* Names seen so far: open addressing, 0 is free. */
static bool add_name(uint64_t *slots, uint64_t mask, uint64_t name)
{
    uint64_t at = (name + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 20 & mask;
    while (slots[at] && slots[at] != name + 1)
        at = (at + 1) & mask;
    bool fresh = !slots[at];
    slots[at] = name + 1;
    return fresh;
}

#define TRACE "%s/data/arrivals/mooncake_synthetic.jsonl"

static FILE *open_file(const char *shared)
{
    char path[1024];
    snprintf(path, sizeof path, TRACE, shared);
    return fopen(path, "r");
}

static struct sl_arrival_stream *open_trace(const char *shared)
{
    char text[1024];
    const struct sl_arrivals *arrivals;
    struct sl_arrival_stream *stream;
    snprintf(text, sizeof text, "trace(file=\"" TRACE "\", format=mooncake)", shared);
    LAB_OK(&lab,
           sl_arrivals_parse(&arrivals, text, ".", (struct sl_place){0}, &lab.arena, &lab.err));
    LAB_OK(&lab, sl_arrival_stream_open(&stream, arrivals, 1, 0, &lab.err));
    return stream;
}

/* Blocks of the trace, and those that a cache without limits has. */
static uint64_t count_by_set(const char *shared, uint64_t *found)
{
    const uint64_t mask = (1 << 20) - 1;
    uint64_t *slots = calloc(mask + 1, sizeof *slots), total = 0;
    struct sl_arrival_stream *stream = open_trace(shared);
    struct sl_arrival got;
    bool more;
    *found = 0;
    for (;;) {
        LAB_OK(&lab, sl_arrival_stream_next(stream, &got, &more, &lab.err));
        if (!more)
            break;
        bool prefix = true;
        total += got.block_count;
        for (uint32_t k = 0; k < got.block_count; k++) {
            prefix &= !add_name(slots, mask, got.blocks[k]);
            *found += prefix;
        }
    }
    sl_arrival_stream_close(stream);
    free(slots);
    return total;
}

START_TEST(a_perfect_cache_has_what_came_before)
{
    const char *shared = getenv("SL_SHARED");
    FILE *in = shared ? open_file(shared) : NULL;
    if (!in) {
        printf("# skipped: no public trace, ../shared/data/arrivals is absent\n");
        return;
    }
    fclose(in);
    serving(INT64_C(1) << 40, 0, ALONE);
    uint64_t found, total = count_by_set(shared, &found);
    struct sl_arrival_stream *stream = open_trace(shared);
    const struct sl_job_source source = {next_of_trace, stream};
    create();
    LAB_OK(&lab, sl_jobs_run(worker, 1, 0, &source, NULL, NULL, &totals, &lab.err));
    sl_arrival_stream_close(stream);
    ck_assert_uint_eq(totals->caches[0].looked_up, total);
    ck_assert_uint_eq(totals->caches[0].found[0], found);
    ck_assert_uint_gt(found, total / 10);
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

START_TEST(what_cannot_be_shared_is_refused_by_name)
{
    serving(2, 0, ALONE);
    lab_mention(&lab, decode, kv, true);
    refused("'kv' is shared by blocks: two nodes make it");
    serving(2, 0, ALONE);
    LAB_NODE(&lab, prefill).outputs.count = 0;
    refused("no node makes it");
    serving(2, 10, DEMAND);
    lab_edge(&lab, pre, spill);
    refused("the node that spills its blocks belongs to no job");
    serving(2, 10, DEMAND);
    LAB_NODE(&lab, pre).times = LAB_NODE(&lab, prefill).times;
    refused("the duration of 'pre' depends on counts of 'kv'");
}
END_TEST

START_TEST(blocks_that_are_too_large_are_named)
{
    serving(2, 0, ALONE);
    lab.graph->objects[kv].bytes = INT64_C(1) << 60;
    create();
    struct script script = {&(struct ask){0, 2, {1, 2}}, 1, 0};
    const struct sl_job_source source = {next_of_script, &script};
    struct sl_error err = {0};
    ck_assert_int_eq(sl_jobs_run(worker, 1, 0, &source, see, NULL, &totals, &err), SL_INVALID);
    ck_assert_msg(strstr(err.message, "job 0: its 2 blocks of 'kv' exceed 2^61 bytes") != NULL,
                  "%s", err.message);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("jobs_cache");
    TCase *tcase = tcase_create("jobs_cache");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, textbook_strings);
    tcase_add_test(tcase, hits_are_those_of_a_cache_by_lists);
    tcase_add_test(tcase, members_of_a_batch_keep_their_blocks);
    tcase_add_test(tcase, whose_blocks_do_not_fit_is_no_member);
    tcase_add_test(tcase, a_batch_waits_for_spills);
    tcase_add_test(tcase, admission_counts_all_blocks_of_a_job);
    tcase_add_test(tcase, admission_counts_what_is_fetched_twice);
    tcase_add_test(tcase, brought_on_demand);
    tcase_add_test(tcase, brought_as_soon_as_possible);
    tcase_add_test(tcase, what_is_not_spilled_is_made_again);
    tcase_add_test(tcase, a_full_lower_tier_gives_up_its_oldest);
    tcase_add_test(tcase, a_block_in_use_never_leaves);
    tcase_add_test(tcase, two_that_miss_the_same_block_both_make_it);
    tcase_add_test(tcase, what_is_used_on_its_way_out_stays);
    tcase_add_test(tcase, no_more_leaves_than_is_wanted);
    tcase_add_test(tcase, too_many_blocks_for_the_home_are_a_deadlock_by_name);
    tcase_add_test(tcase, nothing_is_lost_among_jobs_that_overlap);
    tcase_add_test(tcase, jobs_admitted_by_memory_do_not_deadlock_on_blocks);
    tcase_add_test(tcase, a_perfect_cache_has_what_came_before);
    tcase_add_test(tcase, what_cannot_be_shared_is_refused_by_name);
    tcase_add_test(tcase, blocks_that_are_too_large_are_named);
    suite_add_tcase(suite, tcase);
    return sl_test_run(suite);
}

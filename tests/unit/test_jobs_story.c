/* One job in full: chains and holders by hand; and over random plans, that telling changes nothing,
 * that the links of a chain meet and sum to the record, and that whoever waits for a single server
 * waits for exactly as long as others hold it. */
#include <config.h>

#include "dice.h"
#include "jobs_parts.h"
#include "lab.h"

enum { JOBS = 24, HOLDERS = 256, LINKS = 8 };
#define CASES (sl_test_long() ? 3000 : 60)

static struct lab lab;
static struct sl_jobs_options options;
static struct sl_jobs_program *program;
static struct sl_jobs_worker *worker;
static struct sl_job_record seen[2][JOBS]; /* without a story, and with one */
static struct sl_job_story story;          /* the last one that was told */
static struct sl_job_link links[LINKS];
static struct sl_job_holder holders[HOLDERS];
static struct sl_job_admitted admitted[JOBS];
static uint32_t stories;

struct script {
    const int64_t *t_us;
    uint64_t count, next;
};

static enum sl_status next_of_script(void *user, struct sl_job_arrival *arrival, bool *more,
                                     struct sl_error *err)
{
    struct script *script = user;
    (void)err;
    *more = script->next < script->count;
    if (*more)
        arrival->t_ps = script->t_us[script->next++] * US;
    return SL_OK;
}

static enum sl_status see(void *user, const struct sl_job_record *record, struct sl_error *err)
{
    struct sl_job_record *records = user;
    (void)err;
    ck_assert_uint_lt(record->job, JOBS);
    records[record->job] = *record;
    records[record->job].story = NULL;
    records[record->job].mark_ps = NULL;
    records[record->job].parameters = NULL;
    if (!record->story)
        return SL_OK;
    stories++;
    story = *record->story;
    ck_assert(story.link_count <= LINKS && story.holder_count <= HOLDERS);
    memcpy(links, story.links, story.link_count * sizeof *links);
    ck_assert_uint_le(story.admitted_count, JOBS);
    if (story.admitted_count)
        memcpy(admitted, story.admitted, story.admitted_count * sizeof *admitted);
    if (story.holder_count)
        memcpy(holders, story.holders, story.holder_count * sizeof *holders);
    return SL_OK;
}

static void setup(void)
{
    lab_open(&lab);
    memset(&options, 0, sizeof options);
}

static void teardown(void)
{
    sl_jobs_worker_free(worker);
    sl_jobs_program_free(program);
    program = NULL;
    worker = NULL;
    lab_close(&lab);
}

/* Runs all jobs, and tells of this one. */
static void tell(const int64_t *t_us, uint64_t count, uint64_t job)
{
    const struct sl_jobs_totals *totals;
    if (!worker) {
        LAB_OK(&lab, sl_graph_finish(lab.graph, &lab.err));
        LAB_OK(&lab, sl_jobs_program_create(&program, lab.graph, &options, &lab.err));
        LAB_OK(&lab, sl_jobs_worker_create(&worker, program, &lab.err));
    }
    stories = 0;
    for (unsigned told = 0; told < 2; told++) {
        struct script script = {t_us, count, 0};
        const struct sl_job_source source = {next_of_script, &script};
        memset(seen[told], 0, sizeof seen[told]);
        sl_jobs_worker_tell(worker, job, told);
        LAB_OK(&lab, sl_jobs_run(worker, 1, 0, &source, see, seen[told], &totals, &lab.err));
        ck_assert_uint_eq(totals->completed, count);
        ck_assert_uint_eq(stories, told);
    }
    ck_assert_mem_eq(seen[0], seen[1], sizeof seen[0]);
}

#define TIMES(...) (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / 8

static void link_is(uint32_t k, uint32_t node, int64_t ready_us, int64_t start_us,
                    int64_t finish_us, enum sl_cause cause)
{
    ck_assert_uint_lt(k, story.link_count);
    ck_assert_uint_eq(links[k].node, node);
    ck_assert_int_eq(links[k].ready_ps, ready_us * US);
    ck_assert_int_eq(links[k].start_ps, start_us * US);
    ck_assert_int_eq(links[k].finish_ps, finish_us * US);
    ck_assert_int_eq(links[k].cause, cause);
}

static void held(uint32_t k, uint64_t job, uint32_t node, int64_t from_us, int64_t to_us,
                 bool later)
{
    ck_assert_uint_lt(k, story.holder_count);
    ck_assert_uint_eq(holders[k].job, job);
    ck_assert_uint_eq(holders[k].node, node);
    ck_assert_uint_eq(holders[k].resource, 0);
    ck_assert_uint_eq(holders[k].domain, SL_NONE);
    ck_assert_int_eq(holders[k].from_ps, from_us * US);
    ck_assert_int_eq(holders[k].to_ps, to_us * US);
    ck_assert_int_eq(holders[k].later, later);
}

static void admitted_is(uint32_t k, uint64_t job, int64_t from_us, int64_t to_us, int64_t need,
                        int64_t left)
{
    ck_assert_uint_lt(k, story.admitted_count);
    ck_assert_uint_eq(admitted[k].job, job);
    ck_assert_int_eq(admitted[k].from_ps, from_us * US);
    ck_assert_int_eq(admitted[k].to_ps, to_us * US);
    ck_assert_int_eq(admitted[k].need, need);
    ck_assert_int_eq(admitted[k].need_left, left);
}

/* One server of 10 us; the third of the jobs at 0, 2 and 4 us waits for the first two. */
START_TEST(a_line_by_hand)
{
    uint32_t gpu = lab_resource(&lab, "gpu", 1);
    lab_graph(&lab);
    (void)lab_node(&lab, "a", "10us", gpu);
    tell(TIMES(0, 2, 4), 2);
    ck_assert_uint_eq(story.link_count, 1);
    link_is(0, 0, 4, 20, 30, SL_CAUSE_QUEUE);
    ck_assert_int_eq(links[0].origin_ps, 4 * US);
    ck_assert_int_eq(links[0].condition, SL_CAUSE_ARRIVAL);
    ck_assert_int_eq(links[0].isolated_ps, 10 * US);
    ck_assert_uint_eq(story.holder_count, 2);
    held(0, 0, 0, 4, 10, false);
    held(1, 1, 0, 10, 20, false);
    tell(TIMES(0, 2, 4), 0);
    ck_assert_uint_eq(story.holder_count, 0);
    link_is(0, 0, 0, 0, 10, SL_CAUSE_NONE);
}
END_TEST

/* By priority b of job 0, ready at 10 us, overtakes a of job 1, which is there since 2 us. */
START_TEST(an_overtaker_by_hand)
{
    uint32_t gpu = lab_resource(&lab, "gpu", 1);
    lab.resources[gpu].order = SL_ORDER_PRIORITY;
    lab_graph(&lab);
    uint32_t a = lab_node(&lab, "a", "10us", gpu), b = lab_node(&lab, "b", "5us", gpu);
    lab_edge(&lab, a, b);
    LAB_NODE(&lab, b).priority = 1;
    tell(TIMES(0, 2), 1);
    ck_assert_uint_eq(story.link_count, 2);
    link_is(0, a, 2, 15, 25, SL_CAUSE_QUEUE);
    link_is(1, b, 25, 25, 30, SL_CAUSE_NONE);
    ck_assert_uint_eq(links[1].behind, a);
    ck_assert_int_eq(links[1].condition, SL_CAUSE_DATA);
    ck_assert_uint_eq(story.holder_count, 2);
    held(0, 0, a, 2, 10, false);
    held(1, 0, b, 10, 15, true);
}
END_TEST

/* Of 100 B a takes 60 for its job and b 40 more as workspace: job 1 starts when job 0 ends, at 15
 * us, and job 2 when job 1 does, at 30 us. */
START_TEST(bytes_by_hand)
{
    uint32_t gpu = lab_resource(&lab, "gpu", SL_UNLIMITED), hbm = lab_domain(&lab, "hbm", 100);
    lab_graph(&lab);
    uint32_t a = lab_node(&lab, "a", "10us", gpu), b = lab_node(&lab, "b", "5us", gpu);
    lab_edge(&lab, a, b);
    lab_takes(&lab, a, lab_holding(&lab, SL_HOLD_STAGING, hbm, 60, false));
    lab_workspace(&lab, b, hbm, 40);
    tell(TIMES(0, 1, 4), 2);
    ck_assert_uint_eq(story.link_count, 2);
    link_is(0, a, 4, 30, 40, SL_CAUSE_CAPACITY);
    link_is(1, b, 40, 40, 45, SL_CAUSE_NONE);
    ck_assert_uint_eq(story.holder_count,
                      4); /* of each job the workspace, then what it still held */
    for (uint32_t k = 0; k < 4; k++) {
        ck_assert_uint_eq(holders[k].waiting, a);
        ck_assert_uint_eq(holders[k].job, k / 2);
        ck_assert_uint_eq(holders[k].node, k % 2 ? SL_NONE : b);
        ck_assert_uint_eq(holders[k].domain, hbm);
        ck_assert_uint_eq(holders[k].resource, SL_NONE);
        ck_assert_int_eq(holders[k].bytes, k % 2 ? 60 : 40);
        ck_assert_int_eq(holders[k].to_ps, (k < 2 ? 15 : 30) * US);
    }
}
END_TEST

/* Two servers: job 1 waits until the short node of job 0 ends, while its long one holds on. */
START_TEST(two_servers_by_hand)
{
    uint32_t gpu = lab_resource(&lab, "gpu", 2);
    lab_graph(&lab);
    uint32_t lengthy = lab_node(&lab, "long", "100us", gpu);
    uint32_t brief = lab_node(&lab, "short", "10us", gpu);
    tell(TIMES(0, 1), 1);
    ck_assert_uint_eq(story.link_count, 1);
    link_is(0, lengthy, 1, 10, 110, SL_CAUSE_QUEUE);
    ck_assert_uint_eq(story.holder_count, 2);
    held(0, 0, brief, 1, 10, false);
    held(1, 0, lengthy, 1, 10, false);
}
END_TEST

/* Batches of at most 2 that last 10 us: at 0 {0}, at 10 us {1, 2}, at 20 us {3}. */
START_TEST(a_batch_by_hand)
{
    uint32_t gpu = lab_resource(&lab, "gpu", 1);
    lab.resources[gpu].batch.most = 2;
    lab_graph(&lab);
    (void)lab_node(&lab, "a", "10us", gpu);
    tell(TIMES(0, 1, 2, 3), 3);
    link_is(0, 0, 3, 20, 30, SL_CAUSE_QUEUE);
    ck_assert_uint_eq(story.holder_count, 3);
    held(0, 0, 0, 3, 10, false);
    held(1, 1, 0, 10, 20, false);
    held(2, 2, 0, 10, 20, false);
}
END_TEST

/* The second one waits for admission, and then for nothing. */
START_TEST(admission_is_before_the_chain)
{
    uint32_t gpu = lab_resource(&lab, "gpu", 1);
    lab_graph(&lab);
    (void)lab_node(&lab, "a", "10us", gpu);
    options.admitted_most = 1;
    tell(TIMES(0, 2), 1);
    ck_assert_int_eq(seen[1][1].admitted_ps, 10 * US);
    link_is(0, 0, 10, 10, 20, SL_CAUSE_NONE);
    ck_assert_int_eq(links[0].origin_ps, 10 * US);
    ck_assert_uint_eq(story.holder_count, 0);
    ck_assert_uint_eq(story.before, 0);
    ck_assert_uint_eq(story.admitted_count, 1);
    admitted_is(0, 0, 2, 10, 0, 0);
}
END_TEST

/* The third one waits behind the second for the place of the first. */
START_TEST(a_line_for_admission)
{
    uint32_t gpu = lab_resource(&lab, "gpu", 1);
    lab_graph(&lab);
    (void)lab_node(&lab, "a", "10us", gpu);
    options.admitted_most = 1;
    tell(TIMES(0, 2, 3), 2);
    ck_assert_uint_eq(story.before, 1);
    ck_assert_uint_eq(story.admitted_count, 2);
    admitted_is(0, 0, 3, 10, 0, 0);
    admitted_is(1, 1, 10, 20, 0, 0);
    tell(TIMES(0, 2, 30), 2); /* there is room when it comes */
    ck_assert_uint_eq(story.before, 0);
    ck_assert_uint_eq(story.admitted_count, 0);
}
END_TEST

/* 60 bytes of 100, then 20: the second job is admitted when the first one may need just 20. */
START_TEST(memory_before_admission)
{
    uint32_t gpu = lab_resource(&lab, "gpu", 1), hbm = lab_domain(&lab, "hbm", 100);
    lab_graph(&lab);
    lab_workspace(&lab, lab_node(&lab, "a", "10us", gpu), hbm, 60);
    lab_workspace(&lab, lab_node(&lab, "b", "10us", gpu), hbm, 20);
    lab_edge(&lab, 0, 1);
    options.by_memory = true;
    options.memory = hbm;
    tell(TIMES(0, 2), 1);
    ck_assert_int_eq(seen[1][1].admitted_ps, 10 * US);
    ck_assert_uint_eq(story.admitted_count, 1);
    admitted_is(0, 0, 2, 10, 60, 20);
}
END_TEST

/* ---- random plans ---------------------------------------------------------------------------- */

/* Four nodes on two single servers and one of two, in random orders, with random edges; with memory
 * that does not always fit, or with steps in batches on the last one. */
static void random_plan(struct dice *dice, bool memory, bool batches)
{
    static const char *const names[] = {"n0", "n1", "n2", "n3"};
    static const char *const servers[] = {"r0", "r1", "r2"};
    uint32_t r[3], hbm = memory ? lab_domain(&lab, "hbm", 100) : SL_NONE;
    for (uint32_t k = 0; k < 3; k++) {
        r[k] = lab_resource(&lab, servers[k], k < 2 ? 1 : 2);
        lab.resources[r[k]].order = dice_chance(dice, 50) ? SL_ORDER_FIFO : SL_ORDER_PRIORITY;
    }
    lab.resources[r[2]].batch = (struct sl_batching){.most = batches ? 3 : 0, .continuous = true};
    lab_graph(&lab);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t on = r[dice_below(dice, 3)];
        uint32_t node = lab_node(&lab, names[i], "exponential(mean=10us)", on);
        if (batches && on == r[2])
            LAB_NODE(&lab, node).steps_mean = 1 + dice_below(dice, 4);
        LAB_NODE(&lab, node).priority = dice_below(dice, 3);
        if (memory)
            lab_workspace(&lab, node, hbm, dice_below(dice, 60));
        for (uint32_t from = 0; from < i; from++)
            if (dice_chance(dice, 40))
                lab_edge(&lab, from, i);
    }
}

static void sums_are_the_record(const struct sl_job_record *record)
{
    int64_t wait_ps[SL_CAUSES] = {0}, run_ps = 0, isolated_ps = 0, at = record->admitted_ps;
    for (uint32_t k = 0; k < story.link_count; k++) {
        const struct sl_job_link *link = &links[k];
        ck_assert_int_eq(link->origin_ps, at);
        ck_assert(link->origin_ps <= link->ready_ps && link->ready_ps <= link->start_ps &&
                  link->start_ps <= link->finish_ps);
        wait_ps[k ? SL_CAUSE_LAG : link->condition] += link->ready_ps - at;
        wait_ps[link->cause] += link->start_ps - link->ready_ps;
        wait_ps[SL_CAUSE_QUEUE] += link->paused_ps;
        run_ps += link->finish_ps - link->start_ps - link->paused_ps;
        isolated_ps += link->isolated_ps;
        at = link->finish_ps;
    }
    ck_assert_int_eq(at, record->finish_ps);
    ck_assert_int_eq(run_ps, record->run_ps);
    ck_assert_int_eq(isolated_ps, record->isolated_ps);
    ck_assert_mem_eq(wait_ps, record->wait_ps, sizeof wait_ps);
}

/* Without memory whoever waits for a resource waits while all its units are held. */
static void waits_are_held(void)
{
    for (uint32_t k = 0; k < story.link_count; k++) {
        int64_t held_ps = 0, waited_ps = links[k].start_ps - links[k].ready_ps;
        uint32_t node = links[k].node, resource = lab.graph->demands[node].resource;
        for (uint32_t h = 0; h < story.holder_count; h++) {
            if (holders[h].waiting != node)
                continue;
            ck_assert_uint_eq(holders[h].resource, resource);
            ck_assert_int_ge(holders[h].from_ps, links[k].ready_ps);
            ck_assert_int_le(holders[h].to_ps, links[k].start_ps);
            held_ps += holders[h].to_ps - holders[h].from_ps;
        }
        ck_assert_int_eq(held_ps, waited_ps * lab.resources[resource].servers);
    }
}

/* As long as a job waits for one of so many places, all of them are taken. */
static void places_are_taken(const struct sl_job_record *record)
{
    int64_t held_ps = 0, waited_ps = record->admitted_ps - record->arrival_ps;
    for (uint32_t k = 0; k < story.admitted_count; k++) {
        ck_assert_int_ge(admitted[k].from_ps, record->arrival_ps);
        ck_assert_int_le(admitted[k].to_ps, record->admitted_ps);
        held_ps += admitted[k].to_ps - admitted[k].from_ps;
    }
    ck_assert_int_eq(held_ps, waited_ps * options.admitted_most);
}

START_TEST(chains_and_holders_of_random_plans)
{
    for (unsigned c = 0; c < (unsigned)CASES; c++) {
        struct dice dice = {.state = c};
        int64_t t_us[JOBS], t = 0;
        setup();
        random_plan(&dice, c % 3 == 1, c % 3 == 2);
        options.admitted_most = c % 5 ? c % 5 - 1 : 0; /* 0: any number */
        for (uint32_t k = 0; k < JOBS; k++)
            t_us[k] = t += dice_below(&dice, 30);
        for (uint64_t job = 0; job < JOBS; job += 1 + dice_below(&dice, 4)) {
            tell(t_us, JOBS, job);
            sums_are_the_record(&seen[1][job]);
            places_are_taken(&seen[1][job]);
            if (c % 3 == 0)
                waits_are_held();
        }
        teardown();
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("jobs_story");
    TCase *hand = tcase_create("by hand"), *random = tcase_create("random");
    tcase_add_checked_fixture(hand, setup, teardown);
    tcase_add_test(hand, a_line_by_hand);
    tcase_add_test(hand, an_overtaker_by_hand);
    tcase_add_test(hand, bytes_by_hand);
    tcase_add_test(hand, two_servers_by_hand);
    tcase_add_test(hand, a_batch_by_hand);
    tcase_add_test(hand, admission_is_before_the_chain);
    tcase_add_test(hand, a_line_for_admission);
    tcase_add_test(hand, memory_before_admission);
    tcase_add_test(random, chains_and_holders_of_random_plans);
    suite_add_tcase(suite, hand);
    suite_add_tcase(suite, random);
    return sl_test_run(suite);
}

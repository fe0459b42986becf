/* A session of the protocol on machines that are written down: blocks, retakes, cover, order. */
#include <config.h>

#include "harness.h"
#include "protocol.h"
#include "tempdir.h"
#include <math.h>

#define MACHINE                                                                                    \
    "actors: 3\n"                                                                                  \
    "identity: {driver: '1'}\n"                                                                    \
    "classes:\n"                                                                                   \
    "  a: {sizes: [1MB, 4MB], victim: 1MB, unit: 200kB, bandwidth: 1GB/s, overhead: 10us}\n"       \
    "  b: {sizes: [1MB], victim: 1MB, unit: 200kB, bandwidth: 2GB/s}\n"                            \
    "kappa:\n"                                                                                     \
    "  - {victim: a, set: b, kappa: 1.5}\n"                                                        \
    "  - {victim: a, set: a, kappa: 6}\n"

static struct tempdir dir;
static const struct sl_backend *backend;
static struct sl_bench *bench;
static struct sl_case_list cases;
static struct sl_measurements measured;
static struct sl_error err;
static struct sl_session_state last_state;
static uint64_t stop_after; /* shots; 0: never */
static const struct sl_depth depth = {"test", 1, 5, 12, 1000000000, 0};

static bool watch(void *user, const struct sl_session_state *state)
{
    (void)user;
    ck_assert_uint_ge(state->shots_done, last_state.shots_done);
    last_state = *state;
    return stop_after == 0 || state->shots_done < stop_after;
}

static void open_machine(const char *text, const char *globs)
{
    static char path[600];
    tempdir_make(&dir);
    tempdir_write(&dir, "machine.yaml", text);
    snprintf(path, sizeof path, "%s/machine.yaml", dir.path);
    err = (struct sl_error){0};
    measured = (struct sl_measurements){0};
    last_state = (struct sl_session_state){0};
    stop_after = 0;
    backend = sl_backend_find("script");
    struct sl_bench_options options = {.seed = 1, .script = path};
    enum sl_status status = backend->open(&bench, &options, &err);
    ck_assert_msg(status == SL_OK, "%s", err.message);
    struct sl_case_request request = {
        .actors_max = backend->layout(bench)->actors_max, .seed = 1, .globs = globs};
    request.classes = backend->classes(bench, &request.class_count);
    ck_assert_int_eq(sl_case_list_make(&cases, &request, &err), SL_OK);
}

static void close_machine(void)
{
    sl_case_list_free(&cases);
    backend->close(bench);
    free(measured.items);
    tempdir_remove(&dir);
}

static enum sl_status run(uint32_t session)
{
    struct sl_session_request request = {backend, bench, &cases, &depth, 1, session, watch, NULL};
    return sl_session_measure(&request, &measured, &err);
}

static uint32_t count(const char *key, int role, enum sl_reject reject)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < measured.count; i++) {
        const struct sl_measurement *m = &measured.items[i];
        found += strcmp(cases.cases[m->case_index].key, key) == 0 && (int)m->role == role &&
                 m->sample.reject == reject;
    }
    return found;
}

START_TEST(every_case_gets_its_shots)
{
    open_machine(MACHINE, NULL);
    ck_assert_int_eq(run(1), SL_OK);
    ck_assert_uint_eq(count("alone:a:1000000", SL_ROLE_ALONE, SL_REJECT_NONE), 12);
    for (uint32_t i = 0; i < cases.count; i++) {
        const char *key = cases.cases[i].key;
        if (cases.cases[i].kind == SL_CASE_ALONE || cases.cases[i].kind == SL_CASE_PARTIAL)
            continue;
        ck_assert_uint_eq(count(key, SL_ROLE_ALONE, SL_REJECT_NONE), 10);
        ck_assert_uint_eq(count(key, SL_ROLE_BESIDE, SL_REJECT_NONE), 10);
    }
    ck_assert_uint_eq(last_state.shots_done, last_state.shots);
    ck_assert_uint_eq(last_state.cases, cases.count);
    ck_assert_double_eq(last_state.share, 1);
    close_machine();
}
END_TEST

/* a alone takes 10 us + 1 MB / (1 GB/s) = 1010 us, b 500 us; slowed as planted. */
START_TEST(times_are_those_of_the_machine)
{
    open_machine(MACHINE, "pair:*");
    ck_assert_int_eq(run(1), SL_OK);
    for (uint32_t i = 0; i < measured.count; i++) {
        const struct sl_measurement *m = &measured.items[i];
        const char *key = cases.cases[m->case_index].key;
        double alone_ns = key[5] == 'a' ? 1010000 : 500000, kappa = 1;
        if (m->role == SL_ROLE_BESIDE && key[5] == 'a')
            kappa = key[7] == 'b' ? 1.5 : 6;
        ck_assert_double_eq_tol(m->sample.dur_ns, alone_ns * kappa, 2);
        ck_assert_double_eq(m->sample.coverage, 1);
        ck_assert_str_eq(m->sample.timer, "event");
    }
    close_machine();
}
END_TEST

/* Of each case the shots of a block are alone, beside, beside, alone, and stand together. */
START_TEST(blocks_are_abba)
{
    open_machine(MACHINE, "pair:*; control:*; set:*");
    ck_assert_int_eq(run(1), SL_OK);
    ck_assert_uint_eq(measured.count % 4, 0);
    bool mixed = false;
    for (uint32_t i = 0; i < measured.count; i += 4) {
        const struct sl_measurement *m = &measured.items[i];
        const int roles[] = {SL_ROLE_ALONE, SL_ROLE_BESIDE, SL_ROLE_BESIDE, SL_ROLE_ALONE};
        for (uint32_t k = 0; k < 4; k++) {
            ck_assert_uint_eq(m[k].seq, i + k);
            ck_assert_uint_eq(m[k].case_index, m->case_index);
            ck_assert_uint_eq(m[k].block, m->block);
            ck_assert_uint_eq(m[k].pair, k / 2);
            ck_assert_int_eq(m[k].role, roles[k]);
            ck_assert_uint_eq(m[k].session, 1);
        }
        mixed |= i > 0 && m->case_index < m[-1].case_index;
    }
    ck_assert(mixed); /* not case by case */
    close_machine();
}
END_TEST

START_TEST(the_order_is_the_seeds)
{
    uint32_t first[3][8];
    const uint32_t sessions[] = {1, 1, 2};
    for (int i = 0; i < 3; i++) {
        open_machine(MACHINE, "pair:*; control:*; set:*");
        ck_assert_int_eq(run(sessions[i]), SL_OK);
        for (uint32_t k = 0; k < 8; k++)
            first[i][k] = measured.items[4 * k].case_index;
        close_machine();
    }
    ck_assert_mem_eq(first[0], first[1], sizeof first[0]);
    ck_assert_mem_ne(first[0], first[2], sizeof first[0]);
}
END_TEST

START_TEST(rejected_shots_are_taken_again_in_their_place)
{
    open_machine(MACHINE "troubles: [{kind: preempted, every: 10}]\n", "pair:a|b");
    ck_assert_int_eq(run(1), SL_OK);
    ck_assert_uint_eq(count("pair:a|b", SL_ROLE_ALONE, SL_REJECT_NONE), 10);
    ck_assert_uint_eq(count("pair:a|b", SL_ROLE_BESIDE, SL_REJECT_NONE), 10);
    uint32_t rejected = 0;
    for (uint32_t i = 0; i < measured.count; i++) {
        const struct sl_measurement *m = &measured.items[i];
        if (m->sample.reject == SL_REJECT_NONE)
            continue;
        rejected++;
        ck_assert_int_eq(m->sample.reject, SL_REJECT_PREEMPTED);
        ck_assert_uint_eq(m[1].block, m->block);
        ck_assert_uint_eq(m[1].pair, m->pair);
        ck_assert_int_eq(m[1].role, m->role);
    }
    ck_assert_uint_ge(rejected, 2);
    ck_assert_uint_eq(measured.count, 20 + rejected);
    close_machine();
}
END_TEST

/* Nothing is ever usable: 5 blocks of 4 shots, and as many again as the case has pairs. */
START_TEST(retakes_have_an_end)
{
    open_machine(MACHINE "troubles: [{kind: gate-timeout, every: 1}]\n", "pair:a|b");
    ck_assert_int_eq(run(1), SL_OK);
    ck_assert_uint_eq(measured.count, 20 + 10);
    ck_assert_uint_eq(count("pair:a|b", SL_ROLE_ALONE, SL_REJECT_GATE_TIMEOUT) +
                          count("pair:a|b", SL_ROLE_BESIDE, SL_REJECT_GATE_TIMEOUT),
                      30);
    close_machine();
}
END_TEST

START_TEST(partial_overlap_is_steered_to_what_is_asked)
{
    open_machine("actors: 2\n"
                 "identity: {driver: '1'}\n"
                 "classes:\n"
                 "  a: {sizes: [1MB], victim: 1MB, unit: 50kB, bandwidth: 1GB/s, overhead: 10us}\n"
                 "kappa: [{victim: a, set: a, kappa: 2}]\n",
                 "partial:*");
    ck_assert_int_eq(run(1), SL_OK);
    uint32_t usable = 0;
    for (uint32_t i = 0; i < measured.count; i++) {
        const struct sl_measurement *m = &measured.items[i];
        if (m->role == SL_ROLE_ALONE || m->sample.reject != SL_REJECT_NONE)
            continue;
        usable++;
        double overlap = cases.cases[m->case_index].shot.overlap, c = m->sample.coverage;
        ck_assert_double_eq_tol(c, overlap, 0.125);
        /* c T / 2 + (1 - c) T = 1010 us */
        ck_assert_double_eq_tol(m->sample.dur_ns, 1010000 / (c / 2 + 1 - c), 2);
    }
    ck_assert_uint_eq(usable, 3 * 10);
    close_machine();
}
END_TEST

/* Shots queue behind their aggressors: more units would make them wait longer. */
START_TEST(what_queues_gets_no_more_units)
{
    open_machine("actors: 2\n"
                 "identity: {driver: '1'}\n"
                 "classes: {a: {sizes: [1MB], victim: 1MB, unit: 200kB, bandwidth: 1GB/s}}\n"
                 "kappa: [{victim: a, set: a, kappa: 1, queues: true}]\n",
                 "pair:*");
    ck_assert_int_eq(run(1), SL_OK);
    uint32_t queued = 0;
    for (uint32_t i = 0; i < measured.count; i++) {
        const struct sl_sample *sample = &measured.items[i].sample;
        if (measured.items[i].role == SL_ROLE_ALONE)
            continue;
        queued++;
        ck_assert_int_eq(sample->reject, SL_REJECT_COVERAGE);
        ck_assert_double_eq(sample->coverage, 0);
        /* 1.5 x 2 x 1 ms of units, from 400 us + 2 us on */
        ck_assert_double_le(sample->start_delay_ns, 3000000 + 2000 + 200000);
    }
    ck_assert_uint_eq(queued, 10 + 10);
    close_machine();
}
END_TEST

START_TEST(cover_by_hand)
{
    ck_assert_int_eq(sl_cover_ns(1000, 2, 1, 1), 3000);
    ck_assert_int_eq(sl_cover_ns(1000, 2, 1, 2), 6000);
    /* T = 1000 / (0.5 / 2 + 0.5) = 1333.3, half of it */
    ck_assert_int_eq(sl_cover_ns(1000, 2, 0.5, 1), 666);
    ck_assert_int_eq(sl_cover_ns(INFINITY, 2, 1, 1), 10000000000);
}
END_TEST

START_TEST(a_watcher_stops_it)
{
    open_machine(MACHINE, NULL);
    stop_after = 7;
    ck_assert_int_eq(run(1), SL_INTERRUPTED);
    ck_assert_uint_eq(measured.count, 7);
    close_machine();
}
END_TEST

START_TEST(a_lost_device_ends_it_with_the_case)
{
    open_machine(MACHINE "troubles: [{kind: lost, at: [15]}]\n", "pair:a|b");
    ck_assert_int_eq(run(1), SL_SYSTEM);
    ck_assert_str_eq(err.message,
                     "case pair:a|b: shot 15: the script says that the device is lost");
    close_machine();
}
END_TEST

START_TEST(long_works_get_fewer_shots)
{
    open_machine("identity: {driver: '1'}\n"
                 "classes: {a: {sizes: [1MB, 90MB, 1GB], bandwidth: 1GB/s}}\n",
                 NULL);
    ck_assert_int_eq(run(1), SL_OK); /* 1 s together: 1 ms, 90 ms and 1 s each */
    ck_assert_uint_eq(count("alone:a:1000000", SL_ROLE_ALONE, SL_REJECT_NONE), 12);
    ck_assert_uint_eq(count("alone:a:90000000", SL_ROLE_ALONE, SL_REJECT_NONE), 11);
    ck_assert_uint_eq(count("alone:a:1000000000", SL_ROLE_ALONE, SL_REJECT_NONE), 10);
    close_machine();
}
END_TEST

START_TEST(regimes_are_named_by_the_sentinel)
{
    open_machine("identity: {driver: '1'}\n"
                 "regimes: {near: 50ns, far: 310ns}\n"
                 "classes: {a: {sizes: [1MB], bandwidth: 1GB/s}}\n"
                 "troubles: [{kind: regime, at: [7]}]\n",
                 NULL);
    ck_assert_int_eq(run(1), SL_OK);
    ck_assert_str_eq(measured.items[0].regime, "near");
    ck_assert_double_eq(measured.items[0].sample.sentinel_ns, 50);
    ck_assert_str_eq(measured.items[11].regime, "far");
    close_machine();
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("protocol");
    TCase *t = tcase_create("session");
    tcase_add_test(t, every_case_gets_its_shots);
    tcase_add_test(t, times_are_those_of_the_machine);
    tcase_add_test(t, blocks_are_abba);
    tcase_add_test(t, the_order_is_the_seeds);
    tcase_add_test(t, rejected_shots_are_taken_again_in_their_place);
    tcase_add_test(t, retakes_have_an_end);
    tcase_add_test(t, partial_overlap_is_steered_to_what_is_asked);
    tcase_add_test(t, what_queues_gets_no_more_units);
    tcase_add_test(t, cover_by_hand);
    tcase_add_test(t, a_watcher_stops_it);
    tcase_add_test(t, a_lost_device_ends_it_with_the_case);
    tcase_add_test(t, long_works_get_fewer_shots);
    tcase_add_test(t, regimes_are_named_by_the_sentinel);
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}

/* Sums by node over random records, against sums taken the plain way, on every vector target. */
#include <config.h>

#include "dice.h"
#include "harness.h"
#include "isa.h"
#include "node_sums.h"
#include <string.h>

enum { NODES = 53, TRIALS = 30, BOUND = 80 };

struct record {
    int64_t ready[NODES], start[NODES], free[NODES], finish[NODES], duration[NODES], lag[NODES];
    uint32_t behind[NODES], bypassed[NODES];
    uint8_t state[NODES], cause[NODES];
    struct sl_trial trial;
};

/* Every third trial leaves some nodes out, every fifth lets some be passed by. */
static void draw_record(struct record *r, struct dice *dice, uint32_t trial)
{
    r->trial = (struct sl_trial){.trial = trial, .run_count = NODES, .all_ran = trial % 3 != 0};
    for (uint32_t i = 0; i < NODES; i++) {
        r->state[i] = trial % 3 == 0 && dice_chance(dice, 30) ? SL_SKIPPED : SL_RAN;
        r->ready[i] = dice_below(dice, 1000);
        r->start[i] = r->ready[i] + (dice_chance(dice, 60) ? dice_below(dice, 90) : 0);
        r->duration[i] = dice_below(dice, 50);
        r->free[i] = r->start[i] + dice_below(dice, 70);
        r->finish[i] = r->free[i] + dice_below(dice, 5);
        r->cause[i] = (uint8_t)dice_below(dice, trial < 20 ? SL_CAUSE_CAPACITY : SL_CAUSES);
        r->behind[i] = dice_below(dice, NODES);
        r->bypassed[i] = trial % 5 == 0 ? dice_below(dice, 3) : 0;
        r->trial.bypasses += r->bypassed[i];
    }
    r->trial.ready_ps = r->ready;
    r->trial.start_ps = r->start;
    r->trial.free_ps = r->free;
    r->trial.finish_ps = r->finish;
    r->trial.duration_ps = r->duration;
    r->trial.lag_ps = r->lag;
    r->trial.behind = r->behind;
    r->trial.bypassed = r->bypassed;
    r->trial.state = r->state;
    r->trial.cause = r->cause;
}

struct plain {
    int64_t wait, run, hold, isolated, longest;
    uint32_t runs, bypassed, starved, longest_trial;
    bool short_of_capacity;
};

static void add_plainly(struct plain *sums, const struct record *r, int64_t *longest,
                        uint32_t *starved)
{
    *longest = *starved = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        struct plain *sum = &sums[i];
        int64_t wait = r->start[i] - r->ready[i];
        if (r->state[i] != SL_RAN)
            continue;
        sum->runs++;
        sum->wait += wait;
        sum->run += r->finish[i] - r->start[i];
        sum->hold += r->free[i] - r->start[i];
        sum->isolated += r->duration[i];
        sum->bypassed += r->bypassed[i];
        sum->starved += wait > BOUND;
        sum->short_of_capacity |= r->cause[i] == SL_CAUSE_CAPACITY;
        if (wait > sum->longest) {
            sum->longest = wait;
            sum->longest_trial = r->trial.trial;
        }
        *longest = wait > *longest ? wait : *longest;
        *starved += wait > BOUND;
    }
}

static void compare(const struct sl_node_totals *totals, uint64_t merged, const uint8_t *is_short,
                    const struct plain *plain)
{
    uint64_t runs = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        ck_assert_uint_eq(totals->runs[i], plain[i].runs);
        ck_assert_uint_eq(totals->ran[i], plain[i].runs); /* no latent nodes: once per trial */
        ck_assert_int_eq(totals->wait_ps[i], plain[i].wait);
        ck_assert_int_eq(totals->run_ps[i], plain[i].run);
        ck_assert_int_eq(totals->hold_ps[i], plain[i].hold);
        ck_assert_int_eq(totals->isolated_ps[i], plain[i].isolated);
        ck_assert_uint_eq(totals->bypassed[i], plain[i].bypassed);
        ck_assert_uint_eq(totals->starved[i], plain[i].starved);
        ck_assert_int_eq(totals->longest_wait[i].wait_ps, plain[i].longest);
        ck_assert_uint_eq(totals->longest_wait[i].trial, plain[i].longest_trial);
        ck_assert(!is_short[i] == !plain[i].short_of_capacity);
        runs += plain[i].runs;
    }
    ck_assert_uint_eq(merged, runs);
}

START_TEST(sums_are_the_plain_ones)
{
    enum sl_isa isa = (enum sl_isa)_i;
    if (!sl_isa_available(isa)) {
        printf("# skipped: this machine has no %s\n", sl_isa_name(isa));
        return;
    }
    sl_isa_force(isa);
    struct sl_arena arena = {0};
    struct sl_node_sums sums;
    struct sl_node_totals totals;
    struct plain plain[NODES] = {0};
    static struct record record;
    struct dice dice = {.state = 5};
    ck_assert(sl_node_sums_init(&sums, NODES, NULL, &arena));
    for (uint32_t t = 0; t < TRIALS; t++) {
        int64_t longest, expected_longest;
        uint32_t starved, expected_starved;
        draw_record(&record, &dice, t);
        sl_node_sums_add(&sums, &record.trial, BOUND, &longest, &starved);
        add_plainly(plain, &record, &expected_longest, &expected_starved);
        ck_assert_int_eq(longest, expected_longest);
        ck_assert_uint_eq(starved, expected_starved);
    }
    ck_assert_uint_gt(sums.whole_trials, 0);
    ck_assert_uint_lt(sums.whole_trials, TRIALS);
    ck_assert(sl_node_totals_init(&totals, NODES, &arena));
    compare(&totals, sl_node_sums_merge(&totals, &sums), sums.short_of_capacity, plain);
    sl_arena_free(&arena);
}
END_TEST

/* Two lots of two threads, whose first one adds to the totals themselves, or both to their own. */
START_TEST(lent_totals_are_the_plain_ones)
{
    struct sl_arena arena = {0};
    struct sl_node_totals totals;
    struct plain plain[NODES] = {0};
    static struct record record;
    struct dice dice = {.state = 7};
    uint64_t merged = 0;
    uint8_t is_short[NODES] = {0};
    ck_assert(sl_node_totals_init(&totals, NODES, &arena));
    for (uint32_t t = 0, lot = 0; lot < 2; lot++) {
        struct sl_node_sums sums[2];
        for (int k = 0; k < 2; k++)
            ck_assert(sl_node_sums_init(&sums[k], NODES, _i && k == 0 ? &totals : NULL, &arena));
        for (; t < (lot + 1) * TRIALS / 2; t++) {
            int64_t longest;
            uint32_t starved;
            draw_record(&record, &dice, t);
            sl_node_sums_add(&sums[t % 3 == 0], &record.trial, BOUND, &longest, &starved);
            add_plainly(plain, &record, &longest, &starved);
        }
        for (int k = 0; k < 2; k++) {
            merged += sl_node_sums_merge(&totals, &sums[k]);
            for (uint32_t i = 0; i < NODES; i++)
                is_short[i] |= sums[k].short_of_capacity[i];
        }
    }
    compare(&totals, merged, is_short, plain);
    sl_arena_free(&arena);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("node_sums");
    TCase *sums = tcase_create("sums");
    tcase_add_loop_test(sums, sums_are_the_plain_ones, 0, SL_ISAS);
    tcase_add_loop_test(sums, lent_totals_are_the_plain_ones, 0, 2);
    suite_add_tcase(s, sums);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}

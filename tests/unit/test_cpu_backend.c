/* The cpu backend on this machine, whatever it is and does beside: what shots look like.  How long
 * they take is asserted only where the machine is quiet. */
#include <config.h>

#include "backend.h"
#include "cpu_crew.h"
#include "cpu_works.h"
#include "harness.h"
#include "judge.h"
#include "quantile.h"
#include <sched.h>
#include <string.h>

enum { TRIES = 50 };

static const struct sl_backend *cpu;
static struct sl_bench *bench;
static const struct sl_work_class *classes;
static uint32_t class_count;
static struct sl_shot_log log_;

static void open_bench(void)
{
    struct sl_error err = {0};
    cpu = sl_backend_find("cpu");
    ck_assert_int_eq(cpu->open(&bench, &(struct sl_bench_options){0}, &err), SL_OK);
    classes = cpu->classes(bench, &class_count);
    log_.records = malloc(SL_SHOT_RECORDS_MAX * sizeof *log_.records);
    ck_assert_ptr_nonnull(log_.records);
}

static void close_bench(void)
{
    cpu->close(bench);
    free(log_.records);
}

static struct sl_work small_work(uint32_t klass, uint32_t form)
{
    struct sl_work work = {klass, form, classes[klass].sizes[0]};
    struct sl_error err = {0};
    ck_assert_int_eq(cpu->prepare(bench, &work, &err), SL_OK);
    return work;
}

static bool can_contend(void)
{
    if (cpu->layout(bench)->actors_max > 1)
        return true;
    printf("# skipped: this process may use one core only\n");
    return false;
}

/* Shoots until the judge accepts; what it rejects is the machine's doing. */
static struct sl_sample take(const struct sl_shot *shot)
{
    struct sl_sample sample;
    for (int i = 0; i < TRIES; i++) {
        struct sl_error err = {0};
        ck_assert_int_eq(cpu->shoot(bench, shot, &log_, &err), SL_OK);
        sample = sl_judge(shot, &log_);
        if (sample.reject == SL_REJECT_NONE)
            break;
    }
    return sample;
}

/* A sample that is accepted, or a printed reason for going without. */
static bool taken(const struct sl_shot *shot, struct sl_sample *sample)
{
    *sample = take(shot);
    if (sample->reject == SL_REJECT_NONE)
        return true;
    printf("# skipped: of %d shots the machine let none pass (the last: %s)\n", TRIES,
           sl_reject_name(sample->reject));
    return false;
}

START_TEST(the_machine_is_told)
{
    const struct sl_bench_layout *layout = cpu->layout(bench);
    const struct sl_fingerprint *fingerprint = cpu->fingerprint(bench);
    ck_assert_uint_ge(layout->actors_max, 1);
    ck_assert_str_eq(layout->resources[0].name, "compute");
    for (uint32_t i = 0; i < layout->route_count; i++) {
        bool found = false;
        for (uint32_t r = 0; r < layout->resource_count; r++)
            found |= strcmp(layout->routes[i].resource, layout->resources[r].name) == 0;
        ck_assert(found);
        ck_assert_str_eq(layout->routes[i].klass, "memcpy");
    }
    for (uint32_t i = 0; i < layout->domain_count; i++)
        ck_assert_int_gt(layout->domains[i].capacity_bytes, 0);
    ck_assert_uint_gt(fingerprint->identity_count, 0);
    ck_assert_uint_le(fingerprint->identity_count, fingerprint->count);
    for (uint32_t i = 0; i < fingerprint->count; i++)
        ck_assert_str_ne(fingerprint->facts[i].value, "");
    const char *near = layout->actors_max > 1 ? "near" : "";
    const char *far = layout->actors_max > 1 ? "far" : "";
    ck_assert_str_eq(cpu->regime(bench, 33), layout->actors_max > 1 ? "smt" : "");
    ck_assert_str_eq(cpu->regime(bench, 60), near);
    ck_assert_str_eq(cpu->regime(bench, 350), far);
    ck_assert_str_eq(cpu->regime(bench, (double)NAN), "");
}
END_TEST

START_TEST(alone_there_is_one_record)
{
    for (uint32_t c = 0; c < class_count; c++)
        for (uint32_t f = 0; f < classes[c].form_count && !classes[c].waived; f++) {
            struct sl_shot shot = {.victim = small_work(c, f)};
            struct sl_sample sample;
            if (!taken(&shot, &sample))
                continue;
            ck_assert_uint_eq(log_.count, 1);
            ck_assert_str_eq(log_.timer, "host");
            ck_assert_int_le(log_.begin_ns, sample.submitted_ns);
            ck_assert_double_gt(sample.dur_ns, 0);
        }
}
END_TEST

/* Each aggressor has done two units when the victim starts, and ends after it; its units follow
 * each other. */
START_TEST(aggressors_cover_the_victim)
{
    if (!can_contend())
        return;
    struct sl_sample sample;
    struct sl_shot shot = {.victim = small_work(SL_CPU_CHASE, 0),
                           .aggressors = {small_work(SL_CPU_STREAM, 0)},
                           .aggressor_count = 1,
                           .overlap = 1};
    if (!taken(&shot, &sample))
        return;
    ck_assert_double_ge(sample.coverage, SL_COVERAGE_LEAST);
    int64_t last_ns = 0;
    uint32_t before = 0;
    for (uint32_t unit = 0; unit + 1 < log_.count; unit++) {
        const struct sl_shot_record *record = &log_.records[unit + 1]; /* the judge sorts them */
        ck_assert_uint_eq(record->actor, 1);
        ck_assert_int_ge(record->start_ns, last_ns);
        last_ns = record->end_ns;
        before += record->end_ns <= sample.start_ns;
    }
    ck_assert_uint_ge(before, 2);
    ck_assert_int_ge(last_ns, sample.end_ns);
}
END_TEST

START_TEST(a_part_is_covered)
{
    if (!can_contend())
        return;
    struct sl_sample sample;
    struct sl_shot shot = {.victim = small_work(SL_CPU_COMPUTE, 0)};
    shot.victim.bytes = classes[SL_CPU_COMPUTE].victim_bytes;
    if (!taken(&shot, &sample))
        return;
    shot.aggressors[0] = small_work(SL_CPU_READ, 0);
    shot.aggressor_count = 1;
    shot.overlap = 0.5;
    shot.cover_ns = (int64_t)(sample.dur_ns / 2); /* nothing slows multiply-adds in L1 */
    if (!taken(&shot, &sample))
        return;
    ck_assert_double_le(fabs(sample.coverage - 0.5), SL_COVERAGE_SLACK);
}
END_TEST

/* The median ratio of shots beside to shots alone, all of them in one regime, *sentinel_ns being the
 * last time of its sentinel; false where they were not. */
static bool measure_kappa(uint32_t victim, uint32_t other, double *kappa, double *sentinel_ns)
{
    enum { PAIRS = 15 };
    double ratios[PAIRS];
    const char *regime = NULL;
    struct sl_shot shot = {.victim = {victim, 0, classes[victim].victim_bytes}, .overlap = 1};
    struct sl_error err = {0};
    shot.aggressors[0] = (struct sl_work){other, 0, classes[other].unit_bytes};
    ck_assert_int_eq(cpu->prepare(bench, &shot.victim, &err), SL_OK);
    ck_assert_int_eq(cpu->prepare(bench, &shot.aggressors[0], &err), SL_OK);
    for (int i = 0; i < PAIRS; i++) {
        struct sl_sample alone, beside;
        shot.aggressor_count = 0;
        if (!taken(&shot, &alone))
            return false;
        shot.aggressor_count = 1;
        if (!taken(&shot, &beside))
            return false;
        ratios[i] = beside.dur_ns / alone.dur_ns;
        *sentinel_ns = beside.sentinel_ns;
        const char *now = cpu->regime(bench, beside.sentinel_ns);
        if (now != cpu->regime(bench, alone.sentinel_ns) || (regime && now != regime))
            return false;
        regime = now;
    }
    sl_sort_doubles(ratios, PAIRS);
    *kappa = ratios[PAIRS / 2];
    return true;
}

/* Known of every machine with two cores; but a machine that others use, too, shows anything. */
START_TEST(contention_on_a_quiet_machine)
{
    double load, kappa, sentinel_ns;
    if (!can_contend())
        return;
    if (getloadavg(&load, 1) != 1 || load > 0.5) {
        printf("# skipped: the machine is not quiet\n");
        return;
    }
    if (measure_kappa(SL_CPU_COMPUTE, SL_CPU_STREAM, &kappa, &sentinel_ns) && sentinel_ns >= 45) {
        ck_assert_double_ge(kappa, 0.95);
        ck_assert_double_le(kappa, 1.05);
    }
    if (measure_kappa(SL_CPU_READ, SL_CPU_READ, &kappa, &sentinel_ns)) {
        if (sentinel_ns < 100)
            ck_assert_double_gt(kappa, 1.2);
        else
            printf("# skipped: the cores share no cache (%.0f ns), so that read|read is %.2f\n",
                   sentinel_ns, kappa);
    }
}
END_TEST

struct muster {
    uint32_t cpus[2];
    uint32_t seats;
    struct sl_cpu_gate gate;
    bool passed[2][3];
    bool at_home[2];
    uint32_t absent; /* does not come to the last gate */
};

static void appear(void *user, uint32_t seat)
{
    struct muster *muster = user;
    muster->at_home[seat] = sched_getcpu() == (int)muster->cpus[seat];
    for (int i = 0; i < 2; i++)
        muster->passed[seat][i] = sl_cpu_gate_pass(&muster->gate, 10000000000);
    if (seat != muster->absent)
        muster->passed[seat][2] = sl_cpu_gate_pass(&muster->gate, 1000000);
}

START_TEST(a_crew_meets_at_its_gate_and_waits_for_nobody_for_ever)
{
    cpu_set_t set;
    struct sl_cpu_crew *crew;
    struct sl_error err = {0};
    struct muster muster = {.absent = 1};
    ck_assert_int_eq(sched_getaffinity(0, sizeof set, &set), 0);
    for (uint32_t i = 0; i < CPU_SETSIZE && muster.seats < 2; i++)
        if (CPU_ISSET(i, &set))
            muster.cpus[muster.seats++] = i;
    if (muster.seats < 2) {
        printf("# skipped: this process may use one core only\n");
        return;
    }
    muster.gate.count = 2;
    ck_assert_int_eq(sl_cpu_crew_create(&crew, muster.cpus, 2, &err), SL_OK);
    sl_cpu_crew_run(crew, appear, &muster);
    sl_cpu_crew_free(crew);
    for (int seat = 0; seat < 2; seat++)
        ck_assert(muster.at_home[seat] && muster.passed[seat][0] && muster.passed[seat][1]);
    ck_assert(!muster.passed[0][2] && muster.gate.broken);
    ck_assert_int_eq(sl_cpu_crew_create(&crew, (const uint32_t[]){CPU_SETSIZE - 1}, 1, &err),
                     SL_SYSTEM);
    ck_assert_ptr_null(crew);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cpu_backend");
    TCase *shots = tcase_create("shots"), *crews = tcase_create("crews");
    tcase_add_checked_fixture(shots, open_bench, close_bench);
    tcase_set_timeout(shots, 600); /* a busy machine takes shots again and again */
    tcase_add_test(shots, the_machine_is_told);
    tcase_add_test(shots, alone_there_is_one_record);
    tcase_add_test(shots, aggressors_cover_the_victim);
    tcase_add_test(shots, a_part_is_covered);
    tcase_add_test(shots, contention_on_a_quiet_machine);
    tcase_add_test(crews, a_crew_meets_at_its_gate_and_waits_for_nobody_for_ever);
    suite_add_tcase(s, shots);
    suite_add_tcase(s, crews);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}

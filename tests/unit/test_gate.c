/* The gate by mutation: a record that meets all ten conditions, from which one piece of evidence
 * after the other is taken, or made false; each turns its own condition and no other.  What a piece
 * means is reasoned from the ten conditions, not from what the code says. */
#include <config.h>

#include "gate.h"
#include "harness.h"
#include "record_shape.h"
#include <math.h>
#include <string.h>

static struct sl_record record;
static struct sl_error err;

static void teardown(void)
{
    sl_record_free(&record);
    err = (struct sl_error){0};
}

#define ADD(list, shape) sl_record_add(&record, &record.list, &sl_shape_##shape)

static void make_result(struct sl_record_result *result, const char *kind, const char *hash,
                        double shift)
{
    sl_record_clear(result, &sl_shape_result);
    result->present = true;
    result->source.kind = kind;
    result->source.sha256 = hash;
    result->source.plan_digest = "plan";
    result->metric = "makespan";
    result->unit = "us";
    result->counted = "trials";
    result->count = 1000;
    result->tail_quantile = 0.99;
    result->median = (struct sl_estimate){100 + shift, 99 + shift, 101 + shift};
    result->tail = (struct sl_estimate){120 + shift, 118 + shift, 122 + shift};
    result->baseline_count = 1000;
    result->baseline_median = (struct sl_estimate){130 + shift, 129 + shift, 131 + shift};
    result->baseline_tail = (struct sl_estimate){125 + shift, 122 + shift, 126 + shift};
    result->median_difference = (struct sl_estimate){-30, -31, -29};
    result->tail_difference = (struct sl_estimate){-5, -9, -1};
    result->max_wait_us = 8;
    result->target = "median";
    result->target_unit = "us";
    result->target_baseline = result->baseline_median;
    result->target_difference = result->median_difference;
    struct sl_record_peak *peak = sl_record_add(&record, &result->peaks, &sl_shape_peak);
    *peak = (struct sl_record_peak){"hbm", 60};
}

static void make_proofs(void)
{
    struct sl_record_proofs *proofs = &record.proofs;
    proofs->present = true;
    proofs->lifetime = (struct sl_record_lifetime){1000, 5000, 0, NAN, SL_TRUTH_YES};
    struct sl_record_reconstruction *again = ADD(proofs.reconstructions, reconstruction);
    *again = (struct sl_record_reconstruction){"x", "f", "bitwise"};
    struct sl_record_capacity *domain = ADD(proofs.capacity, capacity);
    *domain = (struct sl_record_capacity){"hbm", 80, 10, 70, true, 65, true};
    proofs->progress.trials = 1000;
    proofs->progress.acyclic = SL_TRUTH_YES;
    proofs->starvation = (struct sl_record_starvation){10, 9, "n", 0};
    struct sl_record_outcome *outcome = ADD(proofs.constraints, outcome);
    *outcome = (struct sl_record_outcome){"tail <= 130us", {120, 118, 122}, 130, false, "holds"};
    outcome = ADD(proofs.constraints, outcome);
    *outcome = (struct sl_record_outcome){"peak.hbm <= 68B", {65, NAN, NAN}, 68, false, "holds"};
}

static void make_mechanism(void)
{
    record.mechanism.present = true;
    record.mechanism.by = "a runtime";
    record.mechanism.sha256 = "h2";
    record.mechanism.feasible = SL_TRUTH_YES;
    record.mechanism.recomputed = true;
    struct sl_record_mapping *mapping = ADD(mechanism.mappings, mapping);
    *mapping = (struct sl_record_mapping){
        "copy beside compute", "a stream", SL_TRUTH_YES, NULL, NULL, NULL, 3};
    struct sl_record_constraint *constraint = ADD(mechanism.constraints, constraint);
    constraint->type = "ordering";
    constraint->reason = "one copy engine";
    constraint->applied = true;
    struct sl_record_assumption *assumption = ADD(mechanism.assumptions, assumption);
    *assumption = (struct sl_record_assumption){"copies are asynchronous", NULL, SL_TRUTH_YES};
}

static void make_measurement(void)
{
    record.measurement.present = true;
    record.measurement.representative = SL_TRUTH_YES;
    record.measurement.planned = record.measurement.matched = 30;
    record.measurement.order_agrees = SL_TRUTH_YES;
    struct sl_record_contention *pair = ADD(measurement.contention, contention);
    pair->pair = "copy beside gemm";
    pair->model = 1.1;
    pair->measured = (struct sl_estimate){1.12, 1.08, 1.15};
    pair->agrees = SL_TRUTH_YES;
}

static void make_good(void)
{
    sl_record_init(&record);
    record.objective.tail = 0.99;
    record.objective.tail_stated = true;
    record.objective.min_gain = 0.01;
    record.graph.nodes = 30;
    record.graph.plan_digest = "plan";
    struct sl_record_cost *cost = ADD(costs, cost);
    cost->what = "duration";
    cost->name = "gemm";
    cost->uses = 10;
    cost->evidence = "measured";
    cost->source = "measured: x";
    cost->chain_share = 0.9;
    cost = ADD(costs, cost);
    cost->what = "kappa";
    cost->name = "copy beside gemm";
    cost->uses = 2;
    cost->evidence = "unknown";
    struct sl_record_finding *remark = ADD(findings, finding);
    *remark = (struct sl_record_finding){"barrier-broad", "warning", 1, "a remark"};
    make_result(&record.projected, "simulation", "h1", 0);
    make_result(&record.runtime_feasible, "simulation-with-constraints", "h2", 1);
    make_result(&record.measured, "replay", "h3", 2);
    make_proofs();
    make_mechanism();
    make_measurement();
    struct sl_record_outcome *outcome = ADD(runtime_feasible.constraints, outcome);
    *outcome = (struct sl_record_outcome){"tail <= 130us", {121, 119, 123}, 130, false, "holds"};
    outcome = ADD(runtime_feasible.constraints, outcome);
    *outcome = (struct sl_record_outcome){"peak.hbm <= 68B", {60, NAN, NAN}, 68, false, "holds"};
}

static void add_finding(const char *code, const char *severity)
{
    struct sl_record_finding *finding = ADD(findings, finding);
    *finding = (struct sl_record_finding){code, severity, 1, "text"};
}

static void add_text(struct sl_record_texts *texts)
{
    ck_assert(sl_record_add_text(&record, texts, "something"));
}

static void deviate(const char *expected, const char *from)
{
    struct sl_record_deviation *deviation = ADD(mechanism.deviations, deviation);
    *deviation = (struct sl_record_deviation){from, expected, "fixed order"};
}

/* The runtime does not know its overheads, and the measurement is of less than all of the plan. */
static void open_overhead(uint64_t planned)
{
    record.mechanism.assumptions.items[0].assumption = SL_GATE_FREE_CALLS;
    record.mechanism.assumptions.items[0].holds = SL_TRUTH_UNKNOWN;
    record.measurement.planned = planned;
}

/* Each mutation: what it does, the condition that turns, and to what.  FAIL: the evidence speaks
 * against the condition; UNKNOWN: it is missing, or not settled. */
#define MUTATIONS                                                                                  \
    M(actions, FAIL, add_finding("use-before-valid", "error"))                                     \
    M(actions, FAIL, add_finding("use-before-allocation", "error"))                                \
    M(actions, FAIL, add_finding("use-before-mapping", "error"))                                   \
    M(actions, FAIL, add_finding("guard-without-input", "error"))                                  \
    M(actions, FAIL, add_text(&record.measurement.missing))                                        \
    M(actions, FAIL, add_text(&record.measurement.unexpected))                                     \
    M(actions, FAIL, record.measured.source.plan_digest = "another")                               \
    M(actions, UNKNOWN, record.measurement.matched = 0)                                            \
    M(costs, FAIL, record.costs.items[0].evidence = NULL)                                          \
    M(costs, FAIL, record.costs.items[1].evidence = NULL)                                          \
    M(costs, UNKNOWN, record.costs.count = 0)                                                      \
    M(correctness, FAIL, add_finding("use-after-reclaim", "error"))                                \
    M(correctness, FAIL, add_finding("alias-conflict", "error"))                                   \
    M(correctness, FAIL, add_finding("remat-not-equivalent", "error"))                             \
    M(correctness, FAIL, add_finding("barrier-demands", "error"))                                  \
    M(correctness, FAIL, record.proofs.lifetime.violations = 1)                                    \
    M(correctness, UNKNOWN, record.proofs.lifetime.proven = SL_TRUTH_UNKNOWN)                      \
    M(correctness, UNKNOWN, record.proofs.reconstructions.items[0].equivalence = "unknown")        \
    M(correctness, UNKNOWN, record.proofs.reconstructions.items[0].equivalence = "unstated")       \
    M(capacity, FAIL, record.proofs.capacity.items[0].projected_peak_bytes = 71)                   \
    M(capacity, FAIL, record.proofs.capacity.items[0].limit_bytes = 64)                            \
    M(capacity, FAIL, record.proofs.capacity.items[0].reserve_stated = false)                      \
    M(capacity, FAIL, record.runtime_feasible.peaks.items[0].bytes = 71)                           \
    M(capacity, FAIL, record.measured.peaks.items[0].bytes = 71)                                   \
    M(capacity, FAIL, record.proofs.constraints.items[1].state = "broken")                         \
    M(capacity, FAIL, add_finding("peak-unavoidable", "error"))                                    \
    M(capacity, UNKNOWN, record.proofs.capacity.items[0].projected_peak_bytes = NAN)               \
    M(capacity, UNKNOWN, record.proofs.capacity.count = 0)                                         \
    M(capacity, UNKNOWN, record.measured.peaks.count = 0)                                          \
    M(mechanism, FAIL, record.mechanism.feasible = SL_TRUTH_NO)                                    \
    M(mechanism, FAIL, record.mechanism.mappings.items[0].realizable = SL_TRUTH_NO)                \
    M(mechanism, FAIL, record.mechanism.assumptions.items[0].holds = SL_TRUTH_NO)                  \
    M(mechanism, UNKNOWN, record.mechanism.present = false)                                        \
    M(mechanism, UNKNOWN, record.mechanism.feasible = SL_TRUTH_UNKNOWN)                            \
    M(mechanism, UNKNOWN, record.mechanism.mappings.count = 0)                                     \
    M(mechanism, UNKNOWN, record.mechanism.mappings.items[0].realizable = SL_TRUTH_UNKNOWN)        \
    M(mechanism, UNKNOWN, record.mechanism.assumptions.items[0].holds = SL_TRUTH_UNKNOWN)          \
    M(mechanism, UNKNOWN, record.mechanism.recomputed = false)                                     \
    M(mechanism, UNKNOWN, record.mechanism.constraints.items[0].applied = false)                   \
    M(mechanism, UNKNOWN, record.runtime_feasible.present = false)                                 \
    M(mechanism, UNKNOWN, deviate(SL_GATE_AS_DECIDED, "aging"))                                    \
    M(mechanism, UNKNOWN, open_overhead(record.measurement.planned = 0))                           \
    M(progress, FAIL, record.proofs.progress.deadlocked = 1)                                       \
    M(progress, FAIL, record.proofs.progress.livelocked = 1)                                       \
    M(progress, FAIL, record.proofs.progress.cyclic_trials = 1)                                    \
    M(progress, FAIL, record.runtime_feasible.failed = 1)                                          \
    M(progress, FAIL, add_finding("precedence-cycle", "error"))                                    \
    M(progress, UNKNOWN, record.proofs.progress.acyclic = SL_TRUTH_UNKNOWN)                        \
    M(progress, UNKNOWN, record.proofs.progress.possible = "a waits for b")                        \
    M(progress, UNKNOWN, record.proofs.progress.trials = 0)                                        \
    M(bounds, UNKNOWN, record.runtime_feasible.max_wait_us = NAN)                                  \
    M(bounds, FAIL, record.runtime_feasible.starved = 1)                                           \
    M(bounds, FAIL, record.runtime_feasible.max_wait_us = 11)                                      \
    M(bounds, FAIL, record.runtime_feasible.constraints.items[0].state = "broken")                 \
    M(bounds, FAIL, record.measured.tail = ((struct sl_estimate){131, 129, 133}))                  \
    M(bounds, UNKNOWN, record.measured.tail.hi = 131)                                              \
    M(bounds, UNKNOWN, record.proofs.constraints.items[0].constraint = "mean <= 130us")            \
    M(capacity, FAIL, record.runtime_feasible.constraints.items[1].state = "broken")               \
    M(capacity, FAIL, record.measured.peaks.items[0].bytes = 69)                                   \
    M(bounds, FAIL, record.proofs.starvation.beyond = 1)                                           \
    M(bounds, FAIL, record.measured.max_wait_us = 11)                                              \
    M(bounds, FAIL, record.proofs.constraints.items[0].state = "broken")                           \
    M(bounds, FAIL, record.objective.tail_stated = false)                                          \
    M(bounds, FAIL, record.projected.tail_difference = ((struct sl_estimate){3, 1, 5}))            \
    M(bounds, FAIL, record.runtime_feasible.tail_difference = ((struct sl_estimate){3, 1, 5}))     \
    M(bounds, FAIL, record.measured.tail_difference = ((struct sl_estimate){3, 1, 5}))             \
    M(bounds, FAIL, add_finding("assumed-priority", "warning"))                                    \
    M(bounds, FAIL, add_finding("deadline-too-early", "error"))                                    \
    M(bounds, UNKNOWN, record.proofs.constraints.items[0].figure.hi = 131)                         \
    M(bounds, UNKNOWN, record.proofs.constraints.items[0].state = "holds-open")                    \
    M(bounds, UNKNOWN, record.proofs.constraints.items[0].state = "not-judged")                    \
    M(bounds, UNKNOWN, record.projected.tail = SL_NO_ESTIMATE)                                     \
    M(bounds, UNKNOWN, record.measured.tail_difference = SL_NO_ESTIMATE)                           \
    M(contention, FAIL, record.measurement.contention.items[0].agrees = SL_TRUTH_NO)               \
    M(contention, FAIL, record.measurement.order_agrees = SL_TRUTH_NO)                             \
    M(contention, UNKNOWN, record.measurement.contention.items[0].agrees = SL_TRUTH_UNKNOWN)       \
    M(contention, UNKNOWN, record.measurement.order_agrees = SL_TRUTH_UNKNOWN)                     \
    M(target, FAIL, record.projected.target_difference = ((struct sl_estimate){30, 29, 31}))       \
    M(target, FAIL, record.projected.target_difference = ((struct sl_estimate){-1, -1.2, -0.8}))   \
    M(target, FAIL, record.runtime_feasible.target_difference = ((struct sl_estimate){9, 8, 10}))  \
    M(target, FAIL, record.measured.target_difference = ((struct sl_estimate){0, -1, 1}))          \
    M(target, FAIL, record.measurement.representative = SL_TRUTH_NO)                               \
    M(target, UNKNOWN, record.measurement.representative = SL_TRUTH_UNKNOWN)                       \
    M(target, UNKNOWN, record.measured.target_difference = ((struct sl_estimate){-3, -9, 3}))      \
    M(target, UNKNOWN, record.measured.target_difference = SL_NO_ESTIMATE)                         \
    M(target, UNKNOWN, record.projected.target = NULL)                                             \
    M(separation, FAIL, add_text(&record.policy.mechanisms))                                       \
    M(separation, FAIL, add_finding("mechanism-in-policy", "error"))                               \
    M(separation, FAIL, record.measured.source.kind = "simulation")                                \
    M(separation, FAIL, record.projected.source.kind = "replay")                                   \
    M(separation, FAIL, record.runtime_feasible.source.kind = "simulation")                        \
    M(separation, FAIL, record.measured.source.sha256 = "h1")                                      \
    M(separation, FAIL, record.measured.source.sha256 = "h2")                                      \
    M(separation, FAIL,                                                                            \
      (record.measured.median = record.projected.median,                                           \
       record.measured.tail = record.projected.tail))                                              \
    M(separation, UNKNOWN, record.projected.source.sha256 = NULL)

enum { MOST_MUTATIONS = 128 };
struct expectation {
    const char *condition, *text;
    enum sl_gate_outcome_kind kind;
};

/* Applies mutation `index` and says what is expected of it; false: there is none. */
static bool mutate(int index, struct expectation *expected)
{
    int at = 0;
#define M(name, outcome, change)                                                                   \
    if (at++ == index) {                                                                           \
        *expected = (struct expectation){#name, #change, SL_GATE_##outcome};                       \
        change;                                                                                    \
        return true;                                                                               \
    }
    MUTATIONS
#undef M
    return false;
}

static void judge(struct sl_gate_outcome out[SL_GATE_CONDITIONS])
{
    ck_assert_int_eq(sl_gate_judge(&record, &record.arena, out, &err), SL_OK);
}

START_TEST(a_good_record_passes)
{
    struct sl_gate_outcome out[SL_GATE_CONDITIONS];
    make_good();
    judge(out);
    for (int i = 0; i < SL_GATE_CONDITIONS; i++) {
        ck_assert_msg(out[i].outcome == SL_GATE_PASS, "%s: %s", out[i].condition, out[i].evidence);
        ck_assert_uint_gt(out[i].keys.count, 0);
    }
}
END_TEST

START_TEST(one_mutation_turns_one_condition)
{
    struct sl_gate_outcome out[SL_GATE_CONDITIONS];
    struct expectation expected;
    make_good();
    if (!mutate(_i, &expected)) {
        ck_assert_int_gt(_i, 80); /* the list did not shrink */
        return;
    }
    judge(out);
    for (int i = 0; i < SL_GATE_CONDITIONS; i++) {
        bool mine = strcmp(out[i].condition, expected.condition) == 0;
        ck_assert_msg(out[i].outcome == (mine ? expected.kind : SL_GATE_PASS), "%s: %s is %s: %s",
                      expected.text, out[i].condition, sl_gate_outcome_name(out[i].outcome),
                      out[i].evidence);
    }
}
END_TEST

/* A hypothetical overlap is unknown as long as nothing was measured, and named. */
START_TEST(unknown_kappa_is_named)
{
    struct sl_gate_outcome out[SL_GATE_CONDITIONS];
    make_good();
    struct sl_record_unknown *unknown = ADD(unknowns, unknown);
    *unknown = (struct sl_record_unknown){"kappa", "gemm beside nic", "run at both corners"};
    record.measurement.present = record.measured.present = false;
    judge(out);
    ck_assert_int_eq(out[7].outcome, SL_GATE_UNKNOWN);
    ck_assert_ptr_nonnull(strstr(out[7].evidence, "gemm beside nic"));
}
END_TEST

/* ... and then, unless it is what was measured, whichever way round. */
START_TEST(unknown_kappa_that_was_not_measured)
{
    static const struct {
        const char *name;
        enum sl_gate_outcome_kind outcome;
    } cases[] = {{"gemm beside nic", SL_GATE_UNKNOWN},
                 {"gemm beside copy", SL_GATE_PASS},
                 {"copy beside gemm", SL_GATE_PASS},
                 {"gemm beside cop", SL_GATE_UNKNOWN},
                 {"gem beside mcopy", SL_GATE_UNKNOWN}};
    struct sl_gate_outcome out[SL_GATE_CONDITIONS];
    make_good();
    struct sl_record_unknown *unknown = ADD(unknowns, unknown);
    *unknown = (struct sl_record_unknown){"kappa", cases[_i].name, "run at both corners"};
    judge(out);
    ck_assert_int_eq(out[7].outcome, cases[_i].outcome);
}
END_TEST

/* Without a declared bound nothing fails, and the outcome says that none is established. */
START_TEST(no_wait_bound)
{
    struct sl_gate_outcome out[SL_GATE_CONDITIONS];
    make_good();
    record.proofs.starvation.bound_us = NAN;
    judge(out);
    ck_assert_int_eq(out[6].outcome, SL_GATE_PASS);
    ck_assert_ptr_nonnull(strstr(out[6].evidence, "no bound on waits is established"));
}
END_TEST

/* ---- keeping the baseline ---------------------------------------------------------------------
 */

static void add_alternative(const char *policy, const char *standing, double tail_us)
{
    struct sl_record_alternative *item = ADD(alternatives, alternative);
    item->policy = policy;
    item->standing = standing;
    item->evidence = "e";
    item->tail_us = (struct sl_estimate){tail_us, tail_us - 1, tail_us + 1};
}

/* The good record, of which the baseline itself is selected: a runtime's answer and a measurement
 * have no other baseline to compare with.  Its tails are 120, 121 and 122 us. */
static void make_kept(void)
{
    make_good();
    record.baseline.present = true;
    record.baseline.policy = record.selection.policy = "keep";
    record.selection.how = SL_SELECTION_GIVEN;
    record.graph.baseline_digest = "plan";
    struct sl_record_result *results[] = {&record.projected, &record.runtime_feasible,
                                          &record.measured};
    for (int i = 0; i < 3; i++) {
        const struct sl_estimate none = i == 0 ? (struct sl_estimate){0, 0, 0} : SL_NO_ESTIMATE;
        results[i]->target = i == 0 ? "tail" : NULL;
        results[i]->tail_difference = results[i]->median_difference = none;
        results[i]->target_difference = none;
    }
    add_alternative("keep", "selected", 120);
    add_alternative("early", "slower", 140);
    add_alternative("late", "tie", 123);
    add_alternative("never", "deadlock", INFINITY);
}

#define KEPT                                                                                       \
    K(PASS, (void)0)                                                                               \
    K(FAIL, record.alternatives.items[1].standing = "faster")                                      \
    K(UNKNOWN, record.alternatives.items[1].standing = "open")                                     \
    K(UNKNOWN, record.alternatives.items[1].standing = "not-run")                                  \
    K(UNKNOWN, record.alternatives.count = 1)                                                      \
    K(UNKNOWN, record.measured.tail = ((struct sl_estimate){125, 124, 126}))                       \
    K(UNKNOWN, record.runtime_feasible.tail = ((struct sl_estimate){125, 124, 126}))               \
    K(UNKNOWN, record.measured.present = false)                                                    \
    K(FAIL, record.measurement.representative = SL_TRUTH_NO)                                       \
    K(UNKNOWN, record.projected.target = "median")                                                 \
    K(PASS, (record.projected.target = "median", record.selection.how = SL_SELECTION_WINNER))      \
    K(FAIL, (record.graph.baseline_digest = "another",                                             \
             record.projected.target_baseline = (struct sl_estimate){120, 118, 122}))

START_TEST(the_baseline_may_be_kept)
{
    struct sl_gate_outcome out[SL_GATE_CONDITIONS];
    enum sl_gate_outcome_kind expected = SL_GATE_PASS;
    const char *text = "";
    int at = 0;
    make_kept();
#define K(outcome, change)                                                                         \
    if (at++ == _i) {                                                                              \
        expected = SL_GATE_##outcome;                                                              \
        text = #change;                                                                            \
        change;                                                                                    \
    }
    KEPT
#undef K
        judge(out);
    ck_assert_msg(out[8].outcome == expected, "%s: %s: %s", text,
                  sl_gate_outcome_name(out[8].outcome), out[8].evidence);
    for (int i = 0; i < SL_GATE_CONDITIONS && expected == SL_GATE_PASS; i++)
        ck_assert_msg(out[i].outcome == SL_GATE_PASS, "%s: %s: %s", text, out[i].condition,
                      out[i].evidence);
}
END_TEST

/* An overhead that the runtime does not know is settled by a measurement of the whole plan, as it
 * runs in practice, and by no other. */
START_TEST(what_settles_the_overhead)
{
    struct sl_gate_outcome out[SL_GATE_CONDITIONS];
    const struct sl_record_assumption *assumption;
    make_good();
    open_overhead(record.measurement.planned);
    assumption = &record.mechanism.assumptions.items[0];
    judge(out);
    ck_assert_int_eq(out[4].outcome, SL_GATE_PASS);
    ck_assert(!sl_gate_is_open(&record, assumption));
    record.measurement.representative = SL_TRUTH_UNKNOWN;
    ck_assert(sl_gate_is_open(&record, assumption));
    record.measurement.representative = SL_TRUTH_YES;
    record.measurement.matched--;
    ck_assert(sl_gate_is_open(&record, assumption));
    record.measurement.matched++;
    add_text(&record.measurement.unexpected);
    ck_assert(sl_gate_is_open(&record, assumption));
    record.measurement.unexpected.count = 0;
    record.measured.present = false;
    ck_assert(sl_gate_is_open(&record, assumption));
}
END_TEST

/* Where nothing is given back the outcome says so, and what was looked at. */
START_TEST(nothing_to_reclaim)
{
    struct sl_gate_outcome out[SL_GATE_CONDITIONS];
    make_good();
    record.proofs.lifetime.reclamations = 0;
    judge(out);
    ck_assert_int_eq(out[2].outcome, SL_GATE_PASS);
    ck_assert_ptr_nonnull(strstr(out[2].evidence, "nothing is given back in any of 1000 trials"));
    ck_assert_ptr_nonnull(strstr(out[2].evidence, "'check' finds no fault"));
}
END_TEST

/* What starves behind something inserted is named with it. */
START_TEST(who_starved_behind_what)
{
    struct sl_gate_outcome out[SL_GATE_CONDITIONS];
    make_good();
    record.runtime_feasible.starved = 7;
    record.runtime_feasible.max_wait_us = 17;
    record.runtime_feasible.longest_wait = "b";
    record.runtime_feasible.wait_behind = "the inserted ordering edge from a";
    judge(out);
    ck_assert_int_eq(out[6].outcome, SL_GATE_FAIL);
    ck_assert_ptr_nonnull(strstr(
        out[6].evidence, "7 waits exceed the declared 10.00 us; the longest is 17.00 us, of b, "
                         "behind the inserted ordering edge from a"));
}
END_TEST

/* A record of a graph that is not legal has no run: what was found fails, the rest is unknown. */
START_TEST(illegal)
{
    struct sl_gate_outcome out[SL_GATE_CONDITIONS];
    sl_record_init(&record);
    record.objective.tail_stated = true;
    add_finding("use-after-reclaim", "error");
    judge(out);
    for (int i = 0; i < SL_GATE_CONDITIONS; i++)
        ck_assert_int_eq(out[i].outcome, i == 2 ? SL_GATE_FAIL : SL_GATE_UNKNOWN);
}
END_TEST

/* Thousands of findings: the text stays readable, and says how many were left out. */
START_TEST(many_claims)
{
    struct sl_gate_outcome out[SL_GATE_CONDITIONS];
    make_good();
    for (int i = 0; i < 3000; i++)
        add_finding("use-after-reclaim", "error");
    judge(out);
    ck_assert_int_eq(out[2].outcome, SL_GATE_FAIL);
    ck_assert_ptr_nonnull(strstr(out[2].evidence, "more"));
    ck_assert_uint_lt(strlen(out[2].evidence), 10000);
}
END_TEST

/* What is open of a pair names what would settle it.  Of 100 repetitions with 1.2 [1.0, 1.5]
 * against a model of 1.2 and a tolerance of 10% the upper end must come down from 0.3 above to
 * 0.252 (1.2 x 1.21), so that it takes 100 (0.3 / 0.252)^2 = 141.7 of them. */
START_TEST(open_contention)
{
    static const struct {
        double model;
        struct sl_estimate measured;
        const char *says;
    } cases[] = {
        {1.2, {1.2, 1.0, 1.5}, "'slackline-calibrate replay -p "},
        {1.2, {1.2, 1.0, 1.5}, " -n 142' would settle it"},
        {1.2, {1.4, 1.1, 1.5}, "with a larger -n may settle it"},
        {1.2, {NAN, NAN, NAN}, "unknown measured (never alone); 'slackline-calibrate replay -p "},
        {NAN,
         {1.2, 1.1, 1.3},
         "kappa unknown by the model, 1.2 [1.1, 1.3] measured; 'slackline-calibrate --from "},
    };
    struct sl_gate_outcome out[SL_GATE_CONDITIONS];
    make_good();
    record.measured.count = 100;
    record.measurement.contention_tolerance = 0.1;
    struct sl_record_contention *pair = &record.measurement.contention.items[0];
    pair->agrees = SL_TRUTH_UNKNOWN;
    pair->note = "never alone";
    pair->model = cases[_i].model;
    pair->measured = cases[_i].measured;
    judge(out);
    ck_assert_int_eq(out[7].outcome, SL_GATE_UNKNOWN);
    ck_assert_msg(strstr(out[7].evidence, cases[_i].says) != NULL, "%s", out[7].evidence);
}
END_TEST

/* Slowdowns that agree, of an overlap that does not: the evidence has the overlap. */
START_TEST(failed_overlap)
{
    struct sl_gate_outcome out[SL_GATE_CONDITIONS];
    make_good();
    struct sl_record_contention *pair = &record.measurement.contention.items[0];
    pair->agrees = SL_TRUTH_NO;
    pair->note = "overlap 2% [1%, 3%] of the run, 20% by the model";
    judge(out);
    ck_assert_int_eq(out[7].outcome, SL_GATE_FAIL);
    ck_assert_msg(strstr(out[7].evidence, "(overlap 2% [1%, 3%] of the run, 20% by the model)") !=
                      NULL,
                  "%s", out[7].evidence);
}
END_TEST

START_TEST(update)
{
    make_good();
    for (int again = 0; again < 2; again++) {
        ck_assert_int_eq(sl_gate_update(&record, &err), SL_OK);
        ck_assert_uint_eq(record.gate.count, SL_GATE_CONDITIONS);
        ck_assert_uint_eq(sl_gate_count(&record, SL_GATE_PASS), SL_GATE_CONDITIONS);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("gate");
    TCase *tc = tcase_create("gate");
    tcase_add_checked_fixture(tc, NULL, teardown);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_good_record_passes);
    tcase_add_loop_test(tc, one_mutation_turns_one_condition, 0, MOST_MUTATIONS);
    tcase_add_test(tc, unknown_kappa_is_named);
    tcase_add_loop_test(tc, unknown_kappa_that_was_not_measured, 0, 5);
    tcase_add_test(tc, no_wait_bound);
    tcase_add_loop_test(tc, the_baseline_may_be_kept, 0, 12);
    tcase_add_test(tc, what_settles_the_overhead);
    tcase_add_test(tc, nothing_to_reclaim);
    tcase_add_test(tc, who_starved_behind_what);
    tcase_add_test(tc, illegal);
    tcase_add_test(tc, many_claims);
    tcase_add_loop_test(tc, open_contention, 0, 5);
    tcase_add_test(tc, failed_overlap);
    tcase_add_test(tc, update);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}

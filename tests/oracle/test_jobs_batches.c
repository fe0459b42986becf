/* Batches, against a second simulator that is written from doc/semantics.md, "Batches": it keeps a
 * plain array of all runs and looks at each of them at every instant.
 *
 * Random plans: a chain of three nodes on two resources, of which either may batch, statically
 * (with a wait or without) or continuously, with drawn or constant durations, drawn numbers of
 * steps and workspace that does not always fit.  Compared are all finishes of all jobs, and the
 * sums of waits, pauses, batches and passings. */
#include <config.h>

#include "dice.h"
#include "jobs_parts.h"
#include "lab.h"
#include <math.h>

enum { NODES = 3, JOBS = 40, RESOURCES = 2 };
#define CASES (sl_test_long() ? 20000 : 150)

static struct lab lab;

struct setting {
    struct sl_resource resources[RESOURCES];
    uint32_t resource[NODES];
    int64_t bytes[NODES];
    int64_t capacity;
    int64_t arrival[JOBS];
    double steps[JOBS];
};

/* ---- the second simulator -------------------------------------------------------------------- */

enum state { ABSENT, WAITING, BETWEEN_STEPS, RUNNING, DONE };
struct run {
    enum state state;
    int64_t alone, ready, start, finish;
    int64_t since, end; /* of its place in the list, or its step; end of that step */
    uint32_t steps, group;
};

static struct {
    const struct setting *s;
    struct run runs[NODES][JOBS];
    int64_t level, now, wait[NODES], pause[NODES];
    uint32_t busy[RESOURCES], begun[NODES], groups;
    uint64_t batches[NODES], members[NODES], bypasses;
} sim;

static const struct sl_resource *resource_of(uint32_t node)
{
    return &sim.s->resources[sim.s->resource[node]];
}

static bool waits(const struct run *run)
{
    return run->state == WAITING || run->state == BETWEEN_STEPS;
}

/* Lists by order: fifo before priority; then priority (that of the node is its number), then time.
 */
static bool precedes(uint32_t i, uint32_t j, uint32_t k, uint32_t l)
{
    enum sl_order a = resource_of(i)->order, b = resource_of(k)->order;
    if (a != b)
        return a < b;
    if (a == SL_ORDER_PRIORITY && i != k)
        return i > k;
    if (sim.runs[i][j].since != sim.runs[k][l].since)
        return sim.runs[i][j].since < sim.runs[k][l].since;
    return i != k ? i < k : j < l;
}

static bool in_common(uint32_t i, uint32_t k)
{
    return sim.s->resource[i] == sim.s->resource[k] || (sim.s->bytes[i] && sim.s->bytes[k]);
}

static void add_member(uint32_t i, uint32_t j)
{
    struct run *run = &sim.runs[i][j];
    for (uint32_t k = 0; k < NODES; k++)
        for (uint32_t l = 0; l < JOBS; l++)
            sim.bypasses += waits(&sim.runs[k][l]) &&
                            resource_of(i)->order == resource_of(k)->order && in_common(i, k) &&
                            precedes(k, l, i, j);
    if (run->state == WAITING) {
        run->start = sim.now;
        sim.wait[i] += sim.now - run->ready;
        sim.level += sim.s->bytes[i];
        sim.begun[i]++;
    } else
        sim.pause[i] += sim.now - run->since;
    run->state = RUNNING;
    run->group = sim.groups;
}

/* The next of the node's runs in that state, in the order of the list; JOBS: there is none. */
static uint32_t first_of(uint32_t i, enum state state)
{
    uint32_t best = JOBS;
    for (uint32_t j = 0; j < JOBS; j++)
        if (sim.runs[i][j].state == state && (best == JOBS || precedes(i, j, i, best)))
            best = j;
    return best;
}

static bool may_begin(uint32_t i)
{
    const struct sl_resource *r = resource_of(i);
    bool place = !r->batch.continuous || sim.begun[i] < r->batch.most * r->servers;
    return place && sim.level + sim.s->bytes[i] <= sim.s->capacity;
}

static void start_batch(uint32_t i)
{
    const struct sl_batching *batch = &resource_of(i)->batch;
    uint32_t most = batch->most ? batch->most : 1, count = 0, j;
    int64_t longest = 0;
    sim.groups++;
    for (; count < most && (j = first_of(i, BETWEEN_STEPS)) < JOBS; count++)
        add_member(i, j);
    for (; count < most && may_begin(i) && (j = first_of(i, WAITING)) < JOBS; count++)
        add_member(i, j);
    for (j = 0; j < JOBS; j++)
        if (sim.runs[i][j].state == RUNNING && sim.runs[i][j].group == sim.groups &&
            sim.runs[i][j].alone > longest)
            longest = sim.runs[i][j].alone;
    for (j = 0; j < JOBS; j++)
        if (sim.runs[i][j].state == RUNNING && sim.runs[i][j].group == sim.groups)
            sim.runs[i][j].end =
                sim.now + llround((double)longest * (1 + batch->per_member * (count - 1)));
    sim.busy[sim.s->resource[i]]++;
    sim.batches[i]++;
    sim.members[i] += count;
}

static int64_t opening(uint32_t i)
{
    uint32_t first = first_of(i, WAITING), count = 0;
    for (uint32_t j = 0; j < JOBS; j++)
        count += sim.runs[i][j].state == WAITING;
    if (!count)
        return INT64_MAX;
    const struct sl_batching *batch = &resource_of(i)->batch;
    return count >= batch->most ? sim.now : sim.runs[i][first].ready + batch->wait_ps;
}

static bool may_start(uint32_t i, uint32_t j)
{
    if (sim.busy[sim.s->resource[i]] == resource_of(i)->servers)
        return false;
    return sim.runs[i][j].state == BETWEEN_STEPS || (may_begin(i) && opening(i) <= sim.now);
}

static void scan_runs(void)
{
    bool tried[NODES][JOBS] = {0};
    for (;;) {
        uint32_t node = NODES, job = 0;
        for (uint32_t i = 0; i < NODES; i++)
            for (uint32_t j = 0; j < JOBS; j++)
                if (waits(&sim.runs[i][j]) && !tried[i][j] &&
                    (node == NODES || precedes(i, j, node, job))) {
                    node = i;
                    job = j;
                }
        if (node == NODES)
            return;
        tried[node][job] = true;
        if (may_start(node, job))
            start_batch(node);
    }
}

static void become_ready(uint32_t i, uint32_t j)
{
    if (i == NODES)
        return;
    sim.runs[i][j].state = WAITING;
    sim.runs[i][j].ready = sim.runs[i][j].since = sim.now;
}

static void end_step(uint32_t i, uint32_t j, uint32_t *counted)
{
    struct run *run = &sim.runs[i][j];
    if (*counted != run->group)
        sim.busy[sim.s->resource[i]]--;
    *counted = run->group;
    run->since = sim.now;
    run->state = --run->steps ? BETWEEN_STEPS : DONE;
    if (run->state == BETWEEN_STEPS)
        return;
    run->finish = sim.now;
    sim.level -= sim.s->bytes[i];
    sim.begun[i]--;
    become_ready(i + 1, j);
}

/* Groups end whole; of one node each group once. */
static bool end_steps(void)
{
    bool any = false;
    for (uint32_t g = 1; g <= sim.groups; g++) {
        uint32_t counted = 0;
        for (uint32_t i = 0; i < NODES; i++)
            for (uint32_t j = 0; j < JOBS; j++)
                if (sim.runs[i][j].state == RUNNING && sim.runs[i][j].group == g &&
                    sim.runs[i][j].end == sim.now) {
                    end_step(i, j, &counted);
                    any = true;
                }
    }
    return any;
}

static int64_t next_instant(void)
{
    int64_t next = INT64_MAX;
    for (uint32_t i = 0; i < NODES; i++) {
        int64_t at = opening(i);
        next = at > sim.now && at < next ? at : next;
        for (uint32_t j = 0; j < JOBS; j++)
            if (sim.runs[i][j].state == RUNNING && sim.runs[i][j].end < next)
                next = sim.runs[i][j].end;
    }
    for (uint32_t j = 0; j < JOBS; j++)
        if (sim.runs[0][j].state == ABSENT && sim.s->arrival[j] < next)
            next = sim.s->arrival[j];
    return next;
}

static void simulate(void)
{
    for (int64_t t = next_instant(); t != INT64_MAX; t = next_instant()) {
        bool more = true;
        sim.now = t;
        for (bool first = true; more || first; first = false) {
            more = end_steps();
            for (uint32_t j = 0; j < JOBS; j++)
                if (sim.runs[0][j].state == ABSENT && sim.s->arrival[j] == t)
                    become_ready(0, j);
            scan_runs();
            for (uint32_t i = 0; i < NODES; i++)
                for (uint32_t j = 0; j < JOBS; j++)
                    more |= sim.runs[i][j].state == RUNNING && sim.runs[i][j].end == t;
        }
    }
}

/* ---- random cases ---------------------------------------------------------------------------- */

static const char *const laws[] = {"4us", "2us", "uniform(low=1us, high=9us)",
                                   "exponential(mean=3us)", "uniform(low=0us, high=2us)"};

static void draw_resource(struct dice *dice, struct sl_resource *r)
{
    *r = (struct sl_resource){.servers = 1 + dice_below(dice, 2), .groups = 0, .order_given = true};
    r->order = dice_below(dice, 2) ? SL_ORDER_FIFO : SL_ORDER_PRIORITY;
    if (dice_below(dice, 4) == 0)
        return;
    r->batch.most = 1 + dice_below(dice, 6);
    r->batch.per_member = 0.04 * dice_below(dice, 4);
    r->batch.continuous = dice_below(dice, 2);
    if (!r->batch.continuous)
        r->batch.wait_ps = dice_below(dice, 3) * 3 * US;
}

static void draw_setting(struct dice *dice, struct setting *s)
{
    int64_t t = 0;
    for (uint32_t r = 0; r < RESOURCES; r++)
        draw_resource(dice, &s->resources[r]);
    for (uint32_t i = 0; i < NODES; i++) {
        s->resource[i] = dice_below(dice, RESOURCES);
        s->bytes[i] = dice_below(dice, 3) * 10;
    }
    s->capacity = 20 + 10 * dice_below(dice, 8);
    for (uint32_t j = 0; j < JOBS; j++) {
        s->arrival[j] = t += dice_below(dice, 8) * US;
        s->steps[j] = 1 + dice_below(dice, 6);
    }
}

static const struct sl_expr *steps_of_job(void)
{
    static struct sl_names names;
    const struct sl_expr *expr;
    if (!names.count)
        (void)sl_names_add(&names, "tokens");
    LAB_OK(&lab, sl_expr_parse(&expr, "tokens", SL_EXPR_NUMBER, &names, (struct sl_place){0},
                               &lab.arena, &lab.err));
    return expr;
}

static void build(struct dice *dice, const struct setting *s)
{
    static const char *const names[] = {"first", "second", "third"};
    lab_open(&lab);
    for (uint32_t r = 0; r < RESOURCES; r++)
        lab.resources[lab_resource(&lab, r ? "b" : "a", 1)] = s->resources[r];
    uint32_t hbm = lab_domain(&lab, "hbm", s->capacity);
    lab_graph(&lab);
    for (uint32_t i = 0; i < NODES; i++) {
        (void)lab_node(&lab, names[i], laws[dice_below(dice, 5)], s->resource[i]);
        LAB_NODE(&lab, i).priority = i;
        if (s->resources[s->resource[i]].batch.continuous)
            LAB_NODE(&lab, i).steps = steps_of_job();
        if (s->bytes[i])
            lab_workspace(&lab, i, hbm, s->bytes[i]);
        if (i)
            lab_edge(&lab, i - 1, i);
    }
    LAB_OK(&lab, sl_graph_finish(lab.graph, &lab.err));
}

/* What the simulator starts from: the draws, one at a time. */
static void prepare(const struct setting *s, uint32_t trial)
{
    memset(&sim, 0, sizeof sim);
    sim.s = s;
    for (uint32_t i = 0; i < NODES; i++)
        for (uint32_t j = 0; j < JOBS; j++) {
            double u, u2;
            sl_draws_uniforms(1, trial, lab.graph->nodes[i].key_hash, j, &u, &u2);
            struct run *run = &sim.runs[i][j];
            run->alone = sl_round_ps(sl_dist_value(lab.graph->nodes[i].dist, u, u2));
            run->steps = s->resources[s->resource[i]].batch.continuous ? (uint32_t)s->steps[j] : 1;
        }
}

struct feed {
    const struct setting *s;
    uint32_t next;
    int64_t finish[JOBS][NODES];
};

static enum sl_status next_job(void *user, struct sl_job_arrival *arrival, bool *more,
                               struct sl_error *err)
{
    struct feed *feed = user;
    (void)err;
    *more = feed->next < JOBS;
    if (*more) {
        arrival->t_ps = feed->s->arrival[feed->next];
        arrival->parameters = &feed->s->steps[feed->next++];
    }
    return SL_OK;
}

static enum sl_status note_finishes(void *user, const struct sl_job_record *record,
                                    struct sl_error *err)
{
    struct feed *feed = user;
    (void)err;
    memcpy(feed->finish[record->job], record->mark_ps, sizeof feed->finish[0]);
    return SL_OK;
}

static void compare(uint32_t number, const struct feed *feed, const struct sl_jobs_totals *totals)
{
    bool same = totals->bypasses == sim.bypasses && totals->end_ps == sim.now;
    for (uint32_t i = 0; i < NODES; i++) {
        same &= totals->node_wait_ps[i] == sim.wait[i];
        for (uint32_t j = 0; j < JOBS; j++)
            if (feed->finish[j][i] != sim.runs[i][j].finish)
                ck_abort_msg("case %u: node %u of job %u ends at %lld, expected %lld", number, i, j,
                             (long long)feed->finish[j][i], (long long)sim.runs[i][j].finish);
        if (sim.s->resources[sim.s->resource[i]].batch.most)
            same &= totals->batches[i].batches == sim.batches[i] &&
                    totals->batches[i].steps == sim.members[i] &&
                    totals->batches[i].pause_ps == sim.pause[i];
    }
    ck_assert_msg(same,
                  "case %u: counts differ (passed %llu, expected %llu; end %lld, expected %lld)",
                  number, (unsigned long long)totals->bypasses, (unsigned long long)sim.bypasses,
                  (long long)totals->end_ps, (long long)sim.now);
}

static void run_case(uint32_t number)
{
    struct dice dice = {.state = number};
    struct sl_jobs_options options = {
        .marks = (const uint32_t[]){0, 1, 2}, .mark_count = NODES, .parameter_count = 1};
    struct sl_jobs_program *program;
    struct sl_jobs_worker *worker;
    const struct sl_jobs_totals *totals;
    struct setting s;
    draw_setting(&dice, &s);
    build(&dice, &s);
    LAB_OK(&lab, sl_jobs_program_create(&program, lab.graph, &options, &lab.err));
    LAB_OK(&lab, sl_jobs_worker_create(&worker, program, &lab.err));
    for (uint32_t trial = 0; trial < 2; trial++) {
        struct feed feed = {.s = &s};
        const struct sl_job_source source = {next_job, &feed};
        prepare(&s, trial);
        simulate();
        LAB_OK(&lab,
               sl_jobs_run(worker, 1, trial, &source, note_finishes, &feed, &totals, &lab.err));
        ck_assert_uint_eq(totals->completed, JOBS);
        compare(number, &feed, totals);
    }
    sl_jobs_worker_free(worker);
    sl_jobs_program_free(program);
    lab_close(&lab);
}

START_TEST(a_second_simulator_agrees)
{
    for (uint32_t number = 0; number < (uint32_t)CASES; number++)
        run_case(number);
}
END_TEST

/* ---- a bulk queue ---------------------------------------------------------------------------- */

/* Poisson arrivals, rate l; whoever waits is served together, for D whatever their number.  A batch
 * takes those who came during the last one, or the next to come where nobody did.  So batches are
 * independent, of max(1, N) members, N Poisson of mean a = l D, and each of the N waits D / 2 on
 * average:
 *
 *     members of a batch    a + exp(-a)             singles among them    exp(-a) (1 + a)
 *     wait of a job         (a / (a + exp(-a))) D / 2
 *
 * Bounds of 4 standard errors: one false alarm in 5,000 for the three, if the seed were not fixed.
 */
enum { BULK = 40000 };
static const double bulk_load = 1.5;

static enum sl_status next_poisson(void *user, struct sl_job_arrival *arrival, bool *more,
                                   struct sl_error *err)
{
    struct feed *feed = user;
    static int64_t t;
    double u, u2;
    (void)err;
    if (!feed->next)
        t = 0;
    *more = feed->next < BULK;
    sl_draws_uniforms(7, 0, sl_hash_text("bulk"), feed->next++, &u, &u2);
    t += llround(-log(u) * 10e6 / bulk_load);
    arrival->t_ps = t;
    return SL_OK;
}

START_TEST(a_bulk_queue_is_as_its_closed_form)
{
    struct sl_jobs_options options = {0};
    struct sl_jobs_program *program;
    struct sl_jobs_worker *worker;
    const struct sl_jobs_totals *totals;
    struct feed feed = {.next = 0};
    const struct sl_job_source source = {next_poisson, &feed};
    lab_open(&lab);
    uint32_t gpu = lab_resource(&lab, "gpu", 1);
    lab.resources[gpu].batch.most = SL_MOST_MEMBERS;
    lab_graph(&lab);
    (void)lab_node(&lab, "serve", "10us", gpu);
    LAB_OK(&lab, sl_graph_finish(lab.graph, &lab.err));
    LAB_OK(&lab, sl_jobs_program_create(&program, lab.graph, &options, &lab.err));
    LAB_OK(&lab, sl_jobs_worker_create(&worker, program, &lab.err));
    LAB_OK(&lab, sl_jobs_run(worker, 1, 0, &source, NULL, NULL, &totals, &lab.err));
    double a = bulk_load, none = exp(-a), mean = a + none, single = none * (1 + a);
    double batches = (double)totals->batches[0].batches;
    double spread = sqrt((a + a * a + none - mean * mean) / batches);
    ck_assert_double_eq_tol(BULK / batches, mean, 4 * spread);
    ck_assert_double_eq_tol((double)totals->batches[0].sizes[0] / batches, single,
                            4 * sqrt(single * (1 - single) / batches));
    /* Of the wait of one batch's members: E = a D / 2, E[W^2] = (a / 3 + a^2 / 4) D^2. */
    double wait = a / mean / 2;
    double square =
        a / 3 + a * a / 4 - 2 * wait * (a + a * a) / 2 + wait * wait * (a + a * a + none);
    ck_assert_double_eq_tol((double)totals->node_wait_ps[0] / 10e6 / BULK, wait,
                            4 * sqrt(square / batches) / mean);
    sl_jobs_worker_free(worker);
    sl_jobs_program_free(program);
    lab_close(&lab);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("jobs, batches");
    TCase *tcase = tcase_create("event by event");
    tcase_set_timeout(tcase, 600);
    tcase_add_test(tcase, a_second_simulator_agrees);
    tcase_add_test(tcase, a_bulk_queue_is_as_its_closed_form);
    suite_add_tcase(suite, tcase);
    if (!sl_test_long())
        printf("# SL_LONG is not set: 150 cases instead of 20000\n");
    return sl_test_run(suite);
}

/* Admission by memory: cases by hand, and random plans against a small implementation of the rule
 * (doc/semantics.md, "Admission by memory") that looks at every state a job can be in.
 *
 * Held in a state, of nodes that have not begun, run, or have passed, all that come before one that
 * has begun having passed:  held(state) <= need of the job in that state, whatever is skipped. */
#include <config.h>

#include "dice.h"
#include "jobs_parts.h"
#include "lab.h"

#define CASES (sl_test_long() ? 20000u : 1000u)

enum { MOST = 64 };

static struct lab lab;
static struct sl_jobs_options options;
static struct sl_jobs_program *program;
static struct sl_jobs_worker *worker;
static const struct sl_jobs_totals *totals;
static struct sl_job_record seen[MOST]; /* by job */

struct script {
    const int64_t *t_ps;
    const double *tokens; /* NULL: 0, 1, 2 ... */
    uint64_t count, next;
};
static double tokens;

static enum sl_status next_of_script(void *user, struct sl_job_arrival *arrival, bool *more,
                                     struct sl_error *err)
{
    struct script *script = user;
    (void)err;
    *more = script->next < script->count;
    if (!*more)
        return SL_OK;
    tokens = script->tokens ? script->tokens[script->next] : (double)script->next;
    arrival->parameters = &tokens;
    arrival->t_ps = script->t_ps[script->next++];
    return SL_OK;
}

static enum sl_status see(void *user, const struct sl_job_record *record, struct sl_error *err)
{
    (void)user;
    (void)err;
    seen[record->job] = *record;
    return SL_OK;
}

static void setup(void)
{
    lab_open(&lab);
    options = (struct sl_jobs_options){.by_memory = true};
}

static void teardown(void)
{
    sl_jobs_worker_free(worker);
    sl_jobs_program_free(program);
    program = NULL;
    worker = NULL;
    lab_close(&lab);
}

static void prepare(void)
{
    LAB_OK(&lab, sl_graph_finish(lab.graph, &lab.err));
    LAB_OK(&lab, sl_jobs_program_create(&program, lab.graph, &options, &lab.err));
    LAB_OK(&lab, sl_jobs_worker_create(&worker, program, &lab.err));
}

static void run_jobs(const int64_t *t_us, uint64_t count)
{
    int64_t t_ps[MOST];
    struct script script = {t_ps, NULL, count, 0};
    const struct sl_job_source source = {next_of_script, &script};
    for (uint64_t k = 0; k < count; k++)
        t_ps[k] = t_us[k] * US;
    if (!worker)
        prepare();
    LAB_OK(&lab, sl_jobs_run(worker, 1, 0, &source, see, NULL, &totals, &lab.err));
}

#define TIMES(...) (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / 8

static uint64_t rejected_for(enum sl_rejection rejection)
{
    return totals->rejected_for[rejection];
}

/* ---- by hand --------------------------------------------------------------------------------- */

/* Takes 60 for 10us, and 40 more for another 1us, when it gives all back. */
static void grower(int64_t capacity)
{
    uint32_t gpu = lab_resource(&lab, "gpu", SL_UNLIMITED), hbm = lab_domain(&lab, "hbm", capacity);
    lab_graph(&lab);
    uint32_t a = lab_node(&lab, "first", "10us", gpu), b = lab_node(&lab, "second", "1us", gpu);
    lab_edge(&lab, a, b);
    lab_takes(&lab, a, lab_holding(&lab, SL_HOLD_STAGING, hbm, 60, false));
    lab_workspace(&lab, b, hbm, 40);
}

START_TEST(two_that_would_deadlock_take_turns)
{
    options.by_memory = false;
    grower(120);
    run_jobs(TIMES(0, 1));
    ck_assert_int_eq(totals->outcome, SL_DEADLOCK);
    teardown();
    setup();
    grower(120);
    run_jobs(TIMES(0, 1, 2));
    ck_assert_int_eq(totals->outcome, SL_DONE);
    for (uint32_t k = 0; k < 3; k++) {
        ck_assert_int_eq(seen[k].admitted_ps, 11 * k * US);
        ck_assert_int_eq(seen[k].finish_ps, 11 * (k + 1) * US);
        ck_assert_int_eq(seen[k].wait_ps[SL_CAUSE_CAPACITY], 0);
    }
    ck_assert_int_eq(totals->peak_bytes[0], 100);
    teardown();
    setup();
    grower(200);
    run_jobs(TIMES(0, 1, 2));
    ck_assert_int_eq(seen[1].admitted_ps, 1 * US);
    ck_assert_int_eq(seen[2].admitted_ps, 11 * US);
}
END_TEST

/* 50 for 10us, and 30 from the start to the end 10us later: from 10us on it needs no more than 30.
 */
START_TEST(what_a_job_may_still_need_falls)
{
    uint32_t gpu = lab_resource(&lab, "gpu", SL_UNLIMITED), hbm = lab_domain(&lab, "hbm", 110);
    lab_graph(&lab);
    uint32_t a = lab_node(&lab, "a", "10us", gpu), b = lab_node(&lab, "b", "10us", gpu);
    uint32_t h = lab_holding(&lab, SL_HOLD_OBJECT, hbm, 30, false);
    lab_edge(&lab, a, b);
    lab_workspace(&lab, a, hbm, 50);
    lab_takes(&lab, a, h);
    lab_gives(&lab, b, h);
    run_jobs(TIMES(0, 1, 2));
    ck_assert_int_eq(seen[1].admitted_ps, 10 * US);
    ck_assert_int_eq(seen[2].admitted_ps, 20 * US);
    ck_assert_int_eq(seen[2].finish_ps, 40 * US);
}
END_TEST

/* 40 and then 60 beside 50 and then 10: together 110 at most, and not 160. */
static void two_lanes(int64_t capacity)
{
    static const int64_t bytes[] = {40, 60, 50, 10};
    static const char *const names[] = {"a", "b", "c", "d"};
    uint32_t gpu = lab_resource(&lab, "gpu", SL_UNLIMITED), hbm = lab_domain(&lab, "hbm", capacity);
    lab_graph(&lab);
    for (int i = 0; i < 4; i++)
        lab_workspace(&lab, lab_node(&lab, names[i], "1us", gpu), hbm, bytes[i]);
    lab_edge(&lab, 0, 1);
    lab_edge(&lab, 2, 3);
}

START_TEST(what_takes_turns_counts_once)
{
    two_lanes(219);
    run_jobs(TIMES(0, 0));
    /* While b has not passed, it and the larger of c and d count. */
    ck_assert_int_eq(seen[1].admitted_ps, 2 * US);
    teardown();
    setup();
    two_lanes(220);
    run_jobs(TIMES(0, 0));
    ck_assert_int_eq(seen[1].admitted_ps, 0);
    teardown();
    setup();
    two_lanes(109);
    LAB_OK(&lab, sl_graph_finish(lab.graph, &lab.err));
    ck_assert_int_eq(sl_jobs_program_create(&program, lab.graph, &options, &lab.err), SL_NO);
    ck_assert_str_eq(lab.err.message, "admission by memory: a job may need 110 B of 'hbm' at once, "
                                      "and 109 B are usable, so that none could be admitted");
}
END_TEST

/* What is there at the start is nobody's, and is not free. */
START_TEST(what_is_there_at_the_start_is_not_free)
{
    uint32_t gpu = lab_resource(&lab, "gpu", SL_UNLIMITED), hbm = lab_domain(&lab, "hbm", 100);
    lab_graph(&lab);
    uint32_t a = lab_node(&lab, "a", "10us", gpu);
    (void)lab_holding(&lab, SL_HOLD_OBJECT, hbm, 50, true);
    lab_workspace(&lab, a, hbm, 30);
    run_jobs(TIMES(0, 1));
    ck_assert_int_eq(seen[1].admitted_ps, 10 * US);
}
END_TEST

/* ---- sizes by job, and reasons --------------------------------------------------------------- */

/* Job k takes 20 k bytes of 100 for 10us. */
static void sized(void)
{
    uint32_t gpu = lab_resource(&lab, "gpu", SL_UNLIMITED), hbm = lab_domain(&lab, "hbm", 100);
    struct sl_object object = sl_object_default();
    struct sl_names names = {0};
    sl_object_id id;
    uint32_t h;
    lab_graph(&lab);
    uint32_t a = lab_node(&lab, "a", "10us", gpu);
    (void)sl_names_add(&names, "tokens");
    object.name = "kv";
    LAB_OK(&lab, sl_expr_parse(&object.size, "20B * tokens", SL_EXPR_BYTES, &names,
                               (struct sl_place){0}, &lab.arena, &lab.err));
    sl_names_free(&names);
    LAB_OK(&lab, sl_graph_add_object(lab.graph, &object, &id, &lab.err));
    struct sl_holding holding = {SL_HOLD_OBJECT, hbm, 30, id, false};
    LAB_OK(&lab, sl_graph_add_holding(lab.graph, &holding, &h, &lab.err));
    lab_takes(&lab, a, h);
    options.parameter_count = 1;
}

START_TEST(jobs_wait_in_order_of_arrival)
{
    sized();
    run_jobs(TIMES(0, 1, 2, 3, 4, 5, 6));
    /* 60 of job 3 fit when those of 0 to 2 do not matter: 0 + 20 + 40 + 60 > 100, so at 11us. */
    ck_assert_int_eq(seen[2].admitted_ps, 2 * US);
    ck_assert_int_eq(seen[3].admitted_ps, 11 * US);
    /* 40 are free from 21us on when 3 has gone: 80 of job 4, and then 100 of job 5. */
    ck_assert_int_eq(seen[4].admitted_ps, 21 * US);
    ck_assert_int_eq(seen[5].admitted_ps, 31 * US);
    ck_assert_int_eq(seen[6].rejection, SL_REJECTED_TOO_LARGE);
    ck_assert(seen[6].rejected);
    ck_assert_uint_eq(rejected_for(SL_REJECTED_TOO_LARGE), 1);
    ck_assert_uint_eq(totals->rejected, 1);
    ck_assert_uint_eq(totals->arrived, totals->completed + totals->rejected);
}
END_TEST

START_TEST(who_is_turned_away_is_told_why)
{
    sized();
    options.admitted_most = 3;
    options.when_full = options.when_short = SL_WHEN_FULL_REJECT;
    run_jobs(TIMES(0, 1, 2, 3, 11, 12, 13));
    static const enum sl_rejection expected[] = {
        SL_NOT_REJECTED,    SL_NOT_REJECTED, SL_NOT_REJECTED,       SL_REJECTED_FULL,
        SL_REJECTED_MEMORY, SL_NOT_REJECTED, SL_REJECTED_TOO_LARGE,
    };
    /* At 11us job 1 has just left, and 40 are held: 80 do not fit; at 12us nothing is held. */
    for (uint32_t k = 0; k < 7; k++)
        ck_assert_msg(seen[k].rejection == expected[k], "job %u: '%s'", k,
                      sl_rejection_name(seen[k].rejection));
    ck_assert_uint_eq(rejected_for(SL_REJECTED_FULL), 1);
    ck_assert_uint_eq(rejected_for(SL_REJECTED_MEMORY), 1);
    ck_assert_uint_eq(rejected_for(SL_REJECTED_TOO_LARGE), 1);
    ck_assert_uint_eq(totals->rejected, 3);
    ck_assert_uint_eq(totals->completed, 4);
}
END_TEST

/* ---- the rule, by looking at all states ------------------------------------------------------ */

enum { MOST_NODES = 6, MOST_HOLDINGS = 4, MOST_CLAIMS = MOST_NODES + MOST_HOLDINGS, JOBS = 10 };

struct shape {
    unsigned nodes, holdings, servers;
    unsigned duration_us[MOST_NODES], workspace[MOST_NODES];
    bool edge[MOST_NODES][MOST_NODES], guarded[MOST_NODES];
    unsigned taker[MOST_HOLDINGS], second[MOST_HOLDINGS], giver[MOST_HOLDINGS]; /* SL_NONE */
    unsigned bytes[MOST_HOLDINGS];
    bool sized[MOST_HOLDINGS], staging[MOST_HOLDINGS];
    unsigned capacity;
    int64_t t_ps[JOBS];
    double tokens[JOBS];
    bool rejects;
};

static uint64_t seed;
static bool before[MOST_NODES][MOST_NODES]; /* of a shape, transitive */

static void draw_holding(struct dice *dice, struct shape *s, unsigned h)
{
    s->taker[h] = dice_below(dice, s->nodes);
    s->second[h] = dice_chance(dice, 20) ? dice_below(dice, s->nodes) : SL_NONE;
    s->giver[h] = dice_chance(dice, 75) ? dice_below(dice, s->nodes) : SL_NONE;
    s->bytes[h] = 1 + dice_below(dice, 30);
    s->sized[h] = dice_chance(dice, 50);
    s->staging[h] = !s->sized[h] && dice_chance(dice, 40);
}

static struct shape draw_shape(uint64_t case_seed)
{
    struct dice dice = {.state = case_seed};
    struct shape s = {0};
    for (int k = 0; k < 4; k++)
        (void)dice_below(&dice, 2);
    s.nodes = 1 + dice_below(&dice, MOST_NODES);
    s.holdings = dice_below(&dice, MOST_HOLDINGS + 1);
    s.servers = 1 + dice_below(&dice, 3);
    unsigned dense = 10 + dice_below(&dice, 60);
    for (unsigned i = 0; i < s.nodes; i++) {
        s.duration_us[i] = 1 + dice_below(&dice, 6);
        s.workspace[i] = dice_chance(&dice, 60) ? 1 + dice_below(&dice, 40) : 0;
        for (unsigned j = 0; j < i; j++)
            s.edge[j][i] = dice_chance(&dice, dense);
        s.guarded[i] = dice_chance(&dice, 20);
    }
    for (unsigned h = 0; h < s.holdings; h++)
        draw_holding(&dice, &s, h);
    s.rejects = dice_chance(&dice, 30);
    s.capacity = 50 + dice_below(&dice, 300);
    int64_t t = 0;
    for (unsigned k = 0; k < JOBS; k++) { /* a tick apart, so that arrivals fall on nothing else */
        t += (int64_t)dice_below(&dice, 8) * US + 1;
        s.t_ps[k] = t;
        s.tokens[k] = dice_below(&dice, 4);
    }
    return s;
}

static void close_order(const struct shape *s)
{
    memcpy(before, s->edge, sizeof before);
    for (unsigned j = 0; j < s->nodes; j++)
        for (unsigned i = 0; i < s->nodes; i++)
            for (unsigned k = 0; k < s->nodes; k++)
                before[i][k] |= before[i][j] && before[j][k];
}

/* The rule, claim by claim: workspaces, then holdings; the closer of a holding is its giver, if
 * each taker is it or comes before it, and it gives whatever happens. */
struct claim {
    unsigned taker[2], takers, closer; /* SL_NONE */
    unsigned bytes;
};

static unsigned size_of(const struct shape *s, unsigned h, double job_tokens)
{
    return s->sized[h] ? s->bytes[h] * (unsigned)job_tokens : s->bytes[h];
}

static struct claim holding_claim(const struct shape *s, unsigned h, double job_tokens)
{
    struct claim c = {{s->taker[h], s->second[h]}, 1, s->giver[h], size_of(s, h, job_tokens)};
    c.takers += s->second[h] != SL_NONE && s->second[h] != s->taker[h];
    for (unsigned t = 0; t < c.takers && c.closer != SL_NONE; t++) {
        bool itself = c.taker[t] == s->giver[h];
        bool sure = itself || s->staging[h] || !s->guarded[s->giver[h]];
        if (!sure || !(itself || before[c.taker[t]][s->giver[h]]))
            c.closer = SL_NONE;
    }
    return c;
}

static bool over(const struct claim *c, unsigned node)
{
    return c->closer != SL_NONE && before[c->closer][node];
}

static unsigned first_taker(const struct claim *c)
{
    return c->takers == 2 && c->taker[1] < c->taker[0] ? c->taker[1] : c->taker[0];
}

static bool all_over(const struct claim *a, const struct claim *b)
{
    return over(a, b->taker[0]) && (b->takers == 1 || over(a, b->taker[1]));
}

static unsigned list_claims(const struct shape *s, double job_tokens, struct claim *claims)
{
    unsigned count = 0;
    for (unsigned i = 0; i < s->nodes; i++)
        if (s->workspace[i])
            claims[count++] = (struct claim){{i, SL_NONE}, 1, i, s->workspace[i]};
    for (unsigned h = 0; h < s->holdings; h++)
        claims[count++] = holding_claim(s, h, job_tokens);
    for (unsigned c = 1; c < count; c++) /* by the first taker; nodes are in topological order */
        for (unsigned d = c; d && first_taker(&claims[d]) < first_taker(&claims[d - 1]); d--) {
            struct claim other = claims[d];
            claims[d] = claims[d - 1];
            claims[d - 1] = other;
        }
    return count;
}

static void rule(const struct shape *s, double job_tokens, unsigned need[MOST_NODES])
{
    struct claim claims[MOST_CLAIMS], *last[MOST_CLAIMS];
    unsigned chain[MOST_CLAIMS], chains = 0, count = list_claims(s, job_tokens, claims);
    for (unsigned c = 0; c < count; c++) {
        for (chain[c] = 0; chain[c] < chains; chain[c]++)
            if (all_over(last[chain[c]], &claims[c]))
                break;
        last[chain[c]] = &claims[c];
        chains += chain[c] == chains;
    }
    for (unsigned i = 0; i < s->nodes; i++) {
        unsigned most[MOST_CLAIMS] = {0};
        need[i] = 0;
        for (unsigned c = 0; c < count; c++) {
            const struct claim *claim = &claims[c];
            bool later =
                before[i][claim->taker[0]] && (claim->takers == 1 || before[i][claim->taker[1]]);
            if (!later && !over(claim, i) && claim->bytes > most[chain[c]])
                most[chain[c]] = claim->bytes;
        }
        for (unsigned c = 0; c < chains; c++)
            need[i] += most[c];
    }
}

/* What may be held in a state, when those of `skipped` do not run: 0 not begun, 1 running, 2
 * passed. A holding that two nodes take is left out where it may have come back and been taken
 * again: then it counts as held. */
static unsigned held_in(const struct shape *s, const unsigned *state, unsigned skipped,
                        double job_tokens)
{
    unsigned held = 0;
    for (unsigned i = 0; i < s->nodes; i++)
        held += state[i] == 1 ? s->workspace[i] : 0;
    for (unsigned h = 0; h < s->holdings; h++) {
        unsigned g = s->giver[h], nodes[] = {s->taker[h], s->second[h]};
        bool taken = false, again = false, given;
        given = g != SL_NONE && state[g] == 2 && (s->staging[h] || !(skipped >> g & 1));
        for (int t = 0; t < 2; t++) {
            if (nodes[t] == SL_NONE || !state[nodes[t]] || skipped >> nodes[t] & 1)
                continue;
            taken = true;
            again |= given && nodes[t] != g && !before[nodes[t]][g]; /* perhaps behind the giver */
        }
        held += taken && (!given || again) ? size_of(s, h, job_tokens) : 0;
    }
    return held;
}

static bool possible(const struct shape *s, const unsigned *state, unsigned skipped)
{
    for (unsigned i = 0; i < s->nodes; i++) {
        if (skipped >> i & 1 && (!s->guarded[i] || state[i] == 1))
            return false;
        for (unsigned j = 0; j < i; j++)
            if (s->edge[j][i] && state[i] && state[j] != 2)
                return false;
    }
    return true;
}

static unsigned need_in(const struct shape *s, const unsigned *state, const unsigned *need)
{
    unsigned most = 0;
    for (unsigned i = 0; i < s->nodes; i++)
        most = state[i] != 2 && need[i] > most ? need[i] : most;
    return most;
}

static void look_at_all_states(const struct shape *s, double job_tokens)
{
    unsigned states = 1, need[MOST_NODES];
    rule(s, job_tokens, need);
    for (unsigned i = 0; i < s->nodes; i++)
        states *= 3;
    for (unsigned skipped = 0; skipped < 1u << s->nodes; skipped++)
        for (unsigned at = 0; at + 1 < states; at++) { /* in the last one all have passed */
            unsigned state[MOST_NODES], rest = at;
            for (unsigned i = 0; i < s->nodes; i++, rest /= 3)
                state[i] = rest % 3;
            if (!possible(s, state, skipped))
                continue;
            unsigned held = held_in(s, state, skipped, job_tokens);
            if (held > need_in(s, state, need))
                ck_abort_msg("case %llu: state %u holds %u and may need %u",
                             (unsigned long long)seed, at, held, need_in(s, state, need));
        }
}

/* ---- the engine ------------------------------------------------------------------------------ */

static struct job_run ran[JOBS][MOST_NODES];

static enum sl_status note_job(void *user, const struct sl_job_record *record, struct sl_error *err)
{
    const struct shape *s = user;
    (void)err;
    seen[record->job] = *record;
    if (!record->rejected)
        memcpy(ran[record->job],
               job_runs(worker, &worker->jobs[record->parameters - worker->parameters]),
               s->nodes * sizeof **ran);
    return SL_OK;
}

static void build_holding(const struct shape *s, unsigned h, const struct sl_names *names)
{
    struct sl_object object = sl_object_default();
    sl_object_id id;
    uint32_t holding;
    char text[32], name[16];
    snprintf(text, sizeof text, "%uB * tokens", s->bytes[h]);
    snprintf(name, sizeof name, "o%u", h);
    if (s->sized[h]) {
        object.name = name;
        LAB_OK(&lab, sl_expr_parse(&object.size, text, SL_EXPR_BYTES, names, (struct sl_place){0},
                                   &lab.arena, &lab.err));
        LAB_OK(&lab, sl_graph_add_object(lab.graph, &object, &id, &lab.err));
        struct sl_holding of_object = {SL_HOLD_OBJECT, 0, 1, id, false};
        LAB_OK(&lab, sl_graph_add_holding(lab.graph, &of_object, &holding, &lab.err));
    } else {
        holding = lab_holding(&lab, s->staging[h] ? SL_HOLD_STAGING : SL_HOLD_OBJECT, 0,
                              s->bytes[h], false);
    }
    lab_takes(&lab, s->taker[h], holding);
    if (s->second[h] != SL_NONE && s->second[h] != s->taker[h])
        lab_takes(&lab, s->second[h], holding);
    if (s->giver[h] != SL_NONE)
        lab_gives(&lab, s->giver[h], holding);
}

static void build(const struct shape *s)
{
    struct sl_names names = {0};
    char name[16], text[16];
    uint32_t gpu = lab_resource(&lab, "gpu", s->servers);
    (void)lab_domain(&lab, "hbm", s->capacity);
    (void)sl_names_add(&names, "tokens");
    lab_graph(&lab);
    lab.graph->guards = calloc(1, sizeof *lab.graph->guards);
    ck_assert_ptr_nonnull(lab.graph->guards);
    lab.graph->guards[0] =
        (struct sl_guard){.name = "maybe", .probability = 0.6, .scope = SL_SCOPE_NODE};
    lab.graph->guard_count = 1;
    for (unsigned i = 0; i < s->nodes; i++) {
        snprintf(name, sizeof name, "n%u", i);
        snprintf(text, sizeof text, "%uus", s->duration_us[i]);
        uint32_t node = lab_node(&lab, name, text, gpu);
        if (s->workspace[i])
            lab_workspace(&lab, node, 0, s->workspace[i]);
        if (s->guarded[i])
            lab_guard(&lab, node, 0, false);
        for (unsigned j = 0; j < i; j++)
            if (s->edge[j][i])
                lab_edge(&lab, j, node);
    }
    for (unsigned h = 0; h < s->holdings; h++)
        build_holding(s, h, &names);
    sl_names_free(&names);
    options.parameter_count = 1;
    options.when_short = s->rejects ? SL_WHEN_FULL_REJECT : SL_WHEN_FULL_QUEUE;
}

/* By the rule, at time t, when what happens then has happened. */
static unsigned need_at(const struct shape *s, unsigned k, int64_t t)
{
    unsigned need[MOST_NODES], state[MOST_NODES];
    rule(s, s->tokens[k], need);
    if (seen[k].rejected || seen[k].admitted_ps > t || seen[k].finish_ps <= t)
        return 0;
    for (unsigned i = 0; i < s->nodes; i++)
        state[i] = ran[k][i].finish <= t ? 2 : 0;
    return need_in(s, state, need);
}

static bool room_for(const struct shape *s, unsigned k, int64_t t)
{
    static const unsigned begun[MOST_NODES];
    unsigned need[MOST_NODES], promised = 0;
    for (unsigned j = 0; j < k; j++)
        promised += need_at(s, j, t);
    rule(s, s->tokens[k], need);
    return promised + need_in(s, begun, need) <= s->capacity;
}

/* It is admitted at the first time at which there is room, of its arrival, the admission of the one
 * before it, and ends of nodes. */
static int64_t expected_admission(const struct shape *s, unsigned k)
{
    int64_t best = INT64_MAX, earliest = s->t_ps[k];
    for (unsigned j = 0; j < k; j++)
        if (!seen[j].rejected && seen[j].admitted_ps > earliest)
            earliest = seen[j].admitted_ps;
    if (room_for(s, k, earliest))
        return earliest;
    for (unsigned j = 0; j < k; j++)
        for (unsigned i = 0; i < s->nodes && !seen[j].rejected; i++) {
            int64_t t = ran[j][i].finish;
            if (t > earliest && t < best && room_for(s, k, t))
                best = t;
        }
    return best;
}

static void check_job(const struct shape *s, unsigned k)
{
    static const unsigned begun[MOST_NODES];
    unsigned need[MOST_NODES];
    rule(s, s->tokens[k], need);
    if (need_in(s, begun, need) > s->capacity) {
        ck_assert_int_eq(seen[k].rejection, SL_REJECTED_TOO_LARGE);
        return;
    }
    if (s->rejects && !room_for(s, k, s->t_ps[k])) {
        ck_assert_int_eq(seen[k].rejection, SL_REJECTED_MEMORY);
        return;
    }
    if (seen[k].rejected || seen[k].admitted_ps != expected_admission(s, k))
        ck_abort_msg("case %llu: job %u is admitted at %lld, not %lld", (unsigned long long)seed, k,
                     (long long)seen[k].admitted_ps, (long long)expected_admission(s, k));
    for (unsigned i = 0; i < s->nodes; i++)
        if (!ran[k][i].skip && ran[k][i].start > ran[k][i].ready &&
            ran[k][i].fail == SL_CAUSE_CAPACITY)
            ck_abort_msg("case %llu: node %u of job %u waits for bytes", (unsigned long long)seed,
                         i, k);
}

struct tally {
    unsigned waits, too_large, short_of, none;
};

static void run_case(const struct shape *s, struct tally *tally)
{
    struct script script = {s->t_ps, s->tokens, JOBS, 0};
    const struct sl_job_source source = {next_of_script, &script};
    struct sl_error err = {0};
    LAB_OK(&lab, sl_graph_finish(lab.graph, &lab.err));
    enum sl_status status = sl_jobs_program_create(&program, lab.graph, &options, &err);
    if (status == SL_NO) { /* no job fits: the same for all of them */
        static const unsigned begun[MOST_NODES];
        unsigned need[MOST_NODES];
        rule(s, 0, need);
        ck_assert_uint_gt(need_in(s, begun, need), s->capacity);
        tally->none++;
        return;
    }
    LAB_OK(&lab, status);
    LAB_OK(&lab, sl_jobs_worker_create(&worker, program, &lab.err));
    LAB_OK(&lab, sl_jobs_run(worker, seed, 0, &source, note_job, (void *)s, &totals, &lab.err));
    ck_assert_int_eq(totals->outcome, SL_DONE);
    for (unsigned k = 0; k < JOBS; k++) {
        check_job(s, k);
        tally->waits += !seen[k].rejected && seen[k].admitted_ps > seen[k].arrival_ps;
    }
    tally->too_large += totals->rejected_for[SL_REJECTED_TOO_LARGE] > 0;
    tally->short_of += totals->rejected_for[SL_REJECTED_MEMORY] > 0;
}

START_TEST(the_rule_holds_in_every_state)
{
    struct tally tally = {0};
    for (seed = 1; seed <= CASES; seed++) {
        const struct shape s = draw_shape(seed);
        close_order(&s);
        if (seed % 2)
            look_at_all_states(&s, 2);
        build(&s);
        run_case(&s, &tally);
        teardown();
        setup();
    }
    ck_assert_msg(tally.waits > CASES && tally.too_large > CASES / 20 &&
                      tally.short_of > CASES / 10 && tally.none > CASES / 100,
                  "%u waits, %u too large, %u short, %u refused", tally.waits, tally.too_large,
                  tally.short_of, tally.none);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("jobs_admission");
    TCase *tcase = tcase_create("memory");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, two_that_would_deadlock_take_turns);
    tcase_add_test(tcase, what_a_job_may_still_need_falls);
    tcase_add_test(tcase, what_takes_turns_counts_once);
    tcase_add_test(tcase, what_is_there_at_the_start_is_not_free);
    tcase_add_test(tcase, jobs_wait_in_order_of_arrival);
    tcase_add_test(tcase, who_is_turned_away_is_told_why);
    tcase_add_test(tcase, the_rule_holds_in_every_state);
    suite_add_tcase(suite, tcase);
    return sl_test_run(suite);
}

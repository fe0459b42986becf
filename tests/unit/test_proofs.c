/* Proofs of reclamation and progress, against times computed by hand and against records and plans
 * that are wrong on purpose: the proof code must be able to say no. */
#include "lab.h"
#include "proof_progress.h"
#include "proof_reclaim.h"
#include <math.h>

static struct lab lab;

/* ---- reclamation --------------------------------------------------------------------------- */

static uint32_t add_object(const char *name, uint32_t home, uint32_t alias_of)
{
    struct sl_object object = sl_object_default();
    object.name = name;
    object.bytes = GIB;
    object.home = home;
    object.alias_of.i = alias_of;
    sl_object_id id;
    LAB_OK(&lab, sl_graph_add_object(lab.graph, &object, &id, &lab.err));
    return id.i;
}

static uint32_t copy_of(uint32_t object, uint32_t domain)
{
    uint32_t h = lab_holding(&lab, SL_HOLD_OBJECT, domain, GIB, false);
    lab.graph->holdings[h].object.i = object;
    return h;
}

static void reads(uint32_t node, uint32_t object)
{
    LAB_OK(&lab, sl_graph_push_object(lab.graph, &LAB_NODE(&lab, node).inputs,
                                      (sl_object_id){object}, &lab.err));
}

static void writes(uint32_t node, uint32_t object)
{
    LAB_OK(&lab, sl_graph_push_object(lab.graph, &LAB_NODE(&lab, node).outputs,
                                      (sl_object_id){object}, &lab.err));
}

static void moves(uint32_t node, enum sl_node_kind kind, uint32_t object, uint32_t from,
                  uint32_t to)
{
    struct sl_node *n = &LAB_NODE(&lab, node);
    n->kind = kind;
    n->object.i = object;
    n->from = from;
    n->to = to;
}

/* Five users of one copy, all after the writer (10us), and a reclamation after all of them:
 *
 *     writer 10us -> reader, alias user, offload, barrier (after `before` ...) -> reclamation
 *
 * A reclamation is 7us after the last of them, by a lag. */
struct users {
    uint32_t writer, reader, other, alias, offload, before, barrier, reclamation, copy;
};

static struct users build(const char *reader, const char *alias, const char *offload,
                          const char *before)
{
    lab_open(&lab);
    uint32_t hbm = lab_domain(&lab, "hbm", 8 * GIB), host = lab_domain(&lab, "host", 8 * GIB);
    lab_graph(&lab);
    uint32_t b = add_object("b", hbm, SL_NONE), v = add_object("v", SL_NONE, b);
    struct users u = {.writer = lab_node(&lab, "writer", "10us", SL_NONE),
                      .reader = lab_node(&lab, "reader", reader, SL_NONE),
                      .other = lab_node(&lab, "other", "1us", SL_NONE),
                      .alias = lab_node(&lab, "alias", alias, SL_NONE),
                      .offload = lab_node(&lab, "offload", offload, SL_NONE),
                      .before = lab_node(&lab, "before", before, SL_NONE),
                      .barrier = lab_node(&lab, "barrier", NULL, SL_NONE),
                      .reclamation = lab_node(&lab, "reclamation", NULL, SL_NONE)};
    u.copy = copy_of(b, hbm);
    uint32_t away = copy_of(b, host);
    lab_takes(&lab, u.writer, u.copy);
    lab_takes(&lab, u.offload, away);
    lab_gives(&lab, u.reclamation, u.copy);
    writes(u.writer, b);
    reads(u.reader, b);
    reads(u.other, b);
    reads(u.alias, v);
    moves(u.offload, SL_OFFLOAD, b, hbm, host);
    LAB_NODE(&lab, u.barrier).kind = SL_BARRIER;
    LAB_NODE(&lab, u.barrier).object.i = b;
    LAB_NODE(&lab, u.reclamation).kind = SL_RECLAMATION;
    LAB_NODE(&lab, u.reclamation).object.i = b;
    const uint32_t users[] = {u.reader, u.other, u.alias, u.offload, u.barrier};
    for (int k = 0; k < 5; k++) {
        lab_edge(&lab, k == 4 ? u.before : u.writer, users[k]);
        lab_edge_typed(&lab, users[k], u.reclamation, SL_EDGE_LIFETIME, 7 * US);
    }
    return u;
}

static const struct sl_reclaim_proof *prove(struct sl_reclaim_prover **prover,
                                            const struct sl_trial *trial, uint32_t wanted)
{
    uint32_t count;
    if (!*prover)
        LAB_OK(&lab, sl_reclaim_prover_create(prover, lab.graph, &lab.err));
    const struct sl_reclaim_proof *proofs = sl_reclaim_prove(*prover, trial, &count);
    for (uint32_t k = 0; k < count; k++)
        if (proofs[k].holding == wanted)
            return &proofs[k];
    ck_abort_msg("no proof of holding %u", wanted);
}

/* The writer ends at 10us.  Finishes: reader 10 + r, alias 10 + a, offload 10 + o, barrier at
 * `before`; reclaim_ready is their maximum, the reclamation 7us later. */
START_TEST(each_term_binds)
{
    static const struct {
        const char *reader, *alias, *offload, *before;
        enum sl_reclaim_term binding;
        int64_t ready_us;
    } cases[] = {{"20us", "12us", "15us", "3us", SL_TERM_READER, 30},
                 {"20us", "25us", "15us", "3us", SL_TERM_ALIAS, 35},
                 {"20us", "25us", "31us", "3us", SL_TERM_TRANSFER, 41},
                 {"20us", "25us", "31us", "52us", SL_TERM_BARRIER, 52},
                 {"20us", "20us", "20us", "30us", SL_TERM_READER, 30}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct users u = build(cases[k].reader, cases[k].alias, cases[k].offload, cases[k].before);
        struct sl_reclaim_prover *prover = NULL;
        const struct sl_reclaim_proof *proof = prove(&prover, lab_run(&lab, 1, 0), u.copy);
        ck_assert_int_eq(proof->verdict, SL_RECLAIM_PROVEN);
        ck_assert_int_eq(proof->binding, cases[k].binding);
        ck_assert_int_eq(proof->ready_ps, cases[k].ready_us * US);
        ck_assert_int_eq(proof->given_ps, (cases[k].ready_us + 7) * US);
        ck_assert_int_eq(sl_reclaim_retained(proof), 7 * US);
        ck_assert_int_eq(proof->taken_ps, 0);
        ck_assert_uint_eq(proof->taker, u.writer);
        ck_assert_uint_eq(proof->reclaimer, u.reclamation);
        ck_assert_uint_eq(proof->user[SL_TERM_READER], u.reader);
        ck_assert_uint_eq(proof->user[SL_TERM_ALIAS], u.alias);
        ck_assert_uint_eq(proof->user[SL_TERM_TRANSFER], u.offload);
        ck_assert_uint_eq(proof->user[SL_TERM_BARRIER], u.barrier);
        sl_reclaim_prover_free(prover);
        lab_close(&lab);
    }
}
END_TEST

/* Records in which one user ends 1 ps after the reclamation, or has not ended. */
START_TEST(wrong_records_are_violations)
{
    struct users u = build("20us", "12us", "15us", "3us");
    struct sl_reclaim_prover *prover = NULL;
    struct sl_trial wrong = *lab_run(&lab, 1, 0);
    int64_t finish[16];
    uint8_t state[16];
    const uint32_t users[] = {u.reader, u.alias, u.offload, u.barrier, u.writer};
    wrong.finish_ps = finish;
    wrong.state = state;
    for (int k = 0; k < 5; k++)
        for (int late = 0; late < 3; late++) {
            memcpy(finish, lab_run(&lab, 1, 0)->finish_ps, sizeof(int64_t) * 8);
            memcpy(state, lab_run(&lab, 1, 0)->state, 8);
            finish[users[k]] = 37 * US + (late > 0);
            if (late == 2)
                state[users[k]] = SL_UNFINISHED;
            const struct sl_reclaim_proof *proof = prove(&prover, &wrong, u.copy);
            ck_assert_int_eq(proof->verdict, late ? SL_RECLAIM_VIOLATED : SL_RECLAIM_PROVEN);
            ck_assert_int_eq(proof->ready_ps, late == 2 ? INT64_MAX : finish[users[k]]);
        }
    memcpy(state, lab_run(&lab, 1, 0)->state, 8);
    memcpy(finish, lab_run(&lab, 1, 0)->finish_ps, sizeof(int64_t) * 8);
    state[u.reader] = SL_SKIPPED; /* its guard failed: nothing was read */
    finish[u.reader] = 99 * US;
    ck_assert_int_eq(prove(&prover, &wrong, u.copy)->ready_ps, 25 * US);
    state[u.reclamation] = SL_UNFINISHED;
    ck_assert_int_eq(prove(&prover, &wrong, u.copy)->verdict, SL_RECLAIM_OPEN);
    sl_reclaim_prover_free(prover);
    lab_close(&lab);
}
END_TEST

/* A wrong plan: the first of two readers gives the copy back at its own finish.  Alone that is
 * right and retains nothing; with a second reader that ends later (the edges do not say so) it is
 * not. */
START_TEST(wrong_plan_is_a_violation)
{
    for (int second = 0; second < 2; second++) {
        lab_open(&lab);
        uint32_t hbm = lab_domain(&lab, "hbm", 8 * GIB);
        lab_graph(&lab);
        uint32_t b = add_object("b", SL_NONE, SL_NONE); /* its home: the only domain */
        uint32_t w = lab_node(&lab, "w", "1us", SL_NONE), r = lab_node(&lab, "r", "5us", SL_NONE);
        uint32_t h = copy_of(b, hbm), s = lab_node(&lab, "s", "6us", SL_NONE);
        writes(w, b);
        reads(r, b);
        if (second)
            reads(s, b);
        lab_takes(&lab, w, h);
        lab_gives(&lab, r, h);
        lab_edge(&lab, w, r);
        lab_edge(&lab, w, s);
        struct sl_reclaim_prover *prover = NULL;
        const struct sl_reclaim_proof *proof = prove(&prover, lab_run(&lab, 1, 0), h);
        ck_assert_int_eq(proof->verdict, second ? SL_RECLAIM_VIOLATED : SL_RECLAIM_PROVEN);
        ck_assert_int_eq(proof->ready_ps, (second ? 7 : 6) * US);
        ck_assert_int_eq(proof->given_ps, 6 * US);
        ck_assert_int_eq(sl_reclaim_retained(proof), 0);
        sl_reclaim_prover_free(prover);
        lab_close(&lab);
    }
}
END_TEST

/* Away and back: w 10us writes copy 1; r1 5us reads it; the offload (4us, from 10us) brings copy 2
 * to the host; r1 gives copy 1 back at 15us.  The fetch (3us, from 15us) makes copy 3, which r2
 * (2us, from 18us) reads and gives back at 20us; it gives copy 2 back, too. */
START_TEST(copies_are_told_apart)
{
    lab_open(&lab);
    uint32_t hbm = lab_domain(&lab, "hbm", 8 * GIB), host = lab_domain(&lab, "host", 8 * GIB);
    lab_graph(&lab);
    uint32_t b = add_object("b", hbm, SL_NONE);
    uint32_t w = lab_node(&lab, "w", "10us", SL_NONE), r1 = lab_node(&lab, "r1", "5us", SL_NONE);
    uint32_t out = lab_node(&lab, "out", "4us", SL_NONE), in = lab_node(&lab, "in", "3us", SL_NONE);
    uint32_t r2 = lab_node(&lab, "r2", "2us", SL_NONE);
    /* Copy 3 gets the smallest number, so that no order but that of time can be right. */
    uint32_t third = copy_of(b, hbm), first = copy_of(b, hbm), away = copy_of(b, host);
    writes(w, b);
    reads(r1, b);
    reads(r2, b);
    moves(out, SL_OFFLOAD, b, hbm, host);
    moves(in, SL_PREFETCH, b, host, hbm);
    lab_takes(&lab, w, first);
    lab_takes(&lab, out, away);
    lab_takes(&lab, in, third);
    lab_gives(&lab, r1, first);
    lab_gives(&lab, r2, third);
    lab_gives(&lab, in, away);
    lab_edge(&lab, w, r1);
    lab_edge(&lab, w, out);
    lab_edge(&lab, out, in);
    lab_edge(&lab, r1, in);
    lab_edge(&lab, in, r2);
    struct sl_reclaim_prover *prover = NULL;
    struct sl_trial record = *lab_run(&lab, 1, 0);
    const struct sl_reclaim_proof *proof = prove(&prover, &record, first);
    ck_assert_uint_eq(proof->user[SL_TERM_READER], r1);
    ck_assert_uint_eq(proof->user[SL_TERM_TRANSFER], out);
    ck_assert_int_eq(proof->ready_ps, 15 * US);
    ck_assert_int_eq(proof->verdict, SL_RECLAIM_PROVEN);
    proof = prove(&prover, &record, away);
    ck_assert_uint_eq(proof->user[SL_TERM_READER], SL_NONE);
    ck_assert_uint_eq(proof->user[SL_TERM_TRANSFER], in);
    ck_assert_int_eq(proof->ready_ps, 18 * US);
    proof = prove(&prover, &record, third);
    ck_assert_uint_eq(proof->user[SL_TERM_READER], r2);
    ck_assert_uint_eq(proof->user[SL_TERM_TRANSFER], in);
    ck_assert_int_eq(proof->taken_ps, 15 * US);
    ck_assert_int_eq(proof->given_ps, 20 * US);
    /* The reader of the first copy starts at 15us, when that copy goes and nothing is there yet, or
     * at 14us but ends at 16: both mean the first copy.  From 16us on it would read the third. */
    int64_t start[8], finish[8];
    memcpy(start, record.start_ps, 5 * sizeof *start);
    memcpy(finish, record.finish_ps, 5 * sizeof *finish);
    finish[r1] = 15 * US;
    start[in] = 17 * US;
    finish[w] = 16 * US;
    record.start_ps = start;
    record.finish_ps = finish;
    ck_assert_int_eq(prove(&prover, &record, first)->verdict, SL_RECLAIM_VIOLATED);
    ck_assert_int_eq(prove(&prover, &record, third)->verdict, SL_RECLAIM_PROVEN);
    sl_reclaim_prover_free(prover);
    lab_close(&lab);
}
END_TEST

/* y does not use b, but a lifetime-hold edge from the reader r (5us) keeps b until y's end at 9us:
 * right when y gives it back, wrong when r does.  Where b went before r ended, there is nothing
 * left to hold. */
START_TEST(holds_until_the_consumer)
{
    enum { RIGHT, WRONG, GONE };
    for (int how = RIGHT; how <= GONE; how++) {
        lab_open(&lab);
        uint32_t hbm = lab_domain(&lab, "hbm", 8 * GIB);
        lab_graph(&lab);
        uint32_t b = add_object("b", hbm, SL_NONE);
        uint32_t w = lab_node(&lab, "w", "1us", SL_NONE), r = lab_node(&lab, "r", "4us", SL_NONE);
        uint32_t y = lab_node(&lab, "y", "4us", SL_NONE), h = copy_of(b, hbm);
        writes(w, b);
        if (how != GONE)
            reads(r, b);
        lab_takes(&lab, w, h);
        lab_gives(&lab, how == RIGHT ? y : how == WRONG ? r : w, h);
        lab_edge(&lab, w, r);
        struct sl_edge hold = {.from = {r}, .to = {y}, .type = SL_EDGE_LIFETIME, .object = {b}};
        LAB_OK(&lab, sl_graph_add_edge(lab.graph, &hold, &lab.err));
        struct sl_reclaim_prover *prover = NULL;
        const struct sl_reclaim_proof *proof = prove(&prover, lab_run(&lab, 1, 0), h);
        ck_assert_int_eq(proof->verdict, how == WRONG ? SL_RECLAIM_VIOLATED : SL_RECLAIM_PROVEN);
        ck_assert_int_eq(proof->binding, how == GONE ? SL_TERM_READER : SL_TERM_BARRIER);
        ck_assert_int_eq(proof->ready_ps, (how == GONE ? 1 : 9) * US);
        sl_reclaim_prover_free(prover);
        lab_close(&lab);
    }
}
END_TEST

/* The producer of a lifetime-hold edge is skipped in the second iteration, whose consumer y starts
 * at 9us: the first iteration's copy, which r gave back at 5us, was not its to hold; one that stays
 * until y is; and within one iteration y should have come first.  By its edge into q it holds what
 * q gives back, though that is made only when y has ended. */
START_TEST(skipped_holds)
{
    enum { GONE, CARRIED, SAME_ITERATION };
    for (int how = GONE; how <= SAME_ITERATION; how++) {
        lab_open(&lab);
        uint32_t hbm = lab_domain(&lab, "hbm", 8 * GIB);
        lab_graph(&lab);
        uint32_t b = add_object("b", hbm, SL_NONE);
        uint32_t w = lab_node(&lab, "w", "1us", SL_NONE), r = lab_node(&lab, "r", "4us", SL_NONE);
        uint32_t s = lab_node(&lab, "s", "4us", SL_NONE), y = lab_node(&lab, "y", "2us", SL_NONE);
        uint32_t w2 = lab_node(&lab, "w2", "1us", SL_NONE), q = lab_node(&lab, "q", NULL, SL_NONE);
        uint32_t h = copy_of(b, hbm), next = copy_of(b, hbm);
        writes(w, b);
        reads(r, b);
        writes(s, b);
        writes(w2, b);
        for (uint32_t n = s; how != SAME_ITERATION && n <= q; n++)
            LAB_NODE(&lab, n).iteration = 1;
        lab_takes(&lab, w, h);
        lab_takes(&lab, w2, next);
        lab_gives(&lab, how == CARRIED ? y : r, h);
        lab_edge(&lab, w, r);
        lab_edge(&lab, r, s);
        lab_edge(&lab, y, w2);
        lab_gives(&lab, q, next);
        LAB_NODE(&lab, q).kind = SL_RECLAMATION;
        LAB_NODE(&lab, q).object.i = b;
        LAB_NODE(&lab, q).from = hbm;
        lab_edge_typed(&lab, y, q, SL_EDGE_LIFETIME, 0);
        lab_edge_typed(&lab, w2, q, SL_EDGE_LIFETIME, 0);
        struct sl_edge hold = {.from = {s}, .to = {y}, .type = SL_EDGE_LIFETIME, .object = {b}};
        LAB_OK(&lab, sl_graph_add_edge(lab.graph, &hold, &lab.err));
        struct sl_reclaim_prover *prover = NULL;
        struct sl_trial record = *lab_run(&lab, 1, 0);
        uint8_t state[6] = {SL_RAN, SL_RAN, SL_SKIPPED, SL_RAN, SL_RAN, SL_RAN};
        record.state = state;
        const struct sl_reclaim_proof *proof = prove(&prover, &record, h);
        ck_assert_int_eq(proof->verdict,
                         how == SAME_ITERATION ? SL_RECLAIM_VIOLATED : SL_RECLAIM_PROVEN);
        ck_assert_int_eq(proof->ready_ps, (how == GONE ? 5 : 11) * US);
        proof = prove(&prover, &record, next);
        ck_assert_int_eq(proof->verdict, SL_RECLAIM_PROVEN);
        ck_assert_uint_eq(proof->user[SL_TERM_BARRIER], y);
        ck_assert_int_eq(proof->ready_ps, 12 * US);
        sl_reclaim_prover_free(prover);
        lab_close(&lab);
    }
}
END_TEST

/* Kept (nobody gives it back), not made (its only taker was skipped), and a lifetime-hold edge of a
 * node that does not use the object. */
START_TEST(other_verdicts)
{
    lab_open(&lab);
    uint32_t hbm = lab_domain(&lab, "hbm", 8 * GIB);
    lab_graph(&lab);
    uint32_t b = add_object("b", hbm, SL_NONE), c = add_object("c", hbm, SL_NONE);
    uint32_t w = lab_node(&lab, "w", "10us", SL_NONE), x = lab_node(&lab, "x", NULL, SL_NONE);
    uint32_t guard = lab_node(&lab, "guard", "90us", SL_NONE);
    uint32_t kept = copy_of(b, hbm), made = copy_of(c, hbm);
    writes(w, b);
    writes(w, c);
    lab_takes(&lab, w, kept);
    lab_takes(&lab, w, made);
    lab_gives(&lab, x, made);
    LAB_NODE(&lab, x).kind = SL_RECLAMATION;
    LAB_NODE(&lab, x).object.i = c;
    lab_edge_typed(&lab, guard, x, SL_EDGE_LIFETIME, 0);
    lab_edge(&lab, w, x);
    struct sl_reclaim_prover *prover = NULL;
    struct sl_trial record = *lab_run(&lab, 1, 0);
    ck_assert_int_eq(prove(&prover, &record, kept)->verdict, SL_RECLAIM_KEPT);
    const struct sl_reclaim_proof *proof = prove(&prover, &record, made);
    ck_assert_int_eq(proof->verdict, SL_RECLAIM_PROVEN);
    ck_assert_int_eq(proof->binding, SL_TERM_BARRIER);
    ck_assert_uint_eq(proof->user[SL_TERM_BARRIER], guard);
    ck_assert_int_eq(proof->ready_ps, 90 * US);
    uint8_t state[3] = {SL_SKIPPED, SL_RAN, SL_RAN};
    record.state = state;
    ck_assert_int_eq(prove(&prover, &record, made)->verdict, SL_RECLAIM_ABSENT);
    sl_reclaim_prover_free(prover);
    lab_close(&lab);
}
END_TEST

/* ---- progress ------------------------------------------------------------------------------ */

/* A record made by hand: who waited behind whom for what; everybody ran. */
struct fake {
    int64_t ready[8], start[8], finish[8];
    uint8_t state[8], cause[8];
    uint32_t behind[8];
    struct sl_trial trial;
};

static struct fake *fake_make(struct fake *fake, uint32_t number)
{
    memset(fake, 0, sizeof *fake);
    memset(fake->behind, 0xff, sizeof fake->behind);
    for (int i = 0; i < 8; i++) {
        fake->state[i] = SL_RAN;
        fake->cause[i] = SL_CAUSE_NONE;
    }
    fake->trial = (struct sl_trial){.trial = number,
                                    .ready_ps = fake->ready,
                                    .start_ps = fake->start,
                                    .finish_ps = fake->finish,
                                    .state = fake->state,
                                    .cause = fake->cause,
                                    .behind = fake->behind};
    return fake;
}

static struct fake *fake_wait(struct fake *fake, uint32_t from, uint32_t to, enum sl_cause cause)
{
    fake->behind[to] = from;
    fake->cause[to] = (uint8_t)cause;
    fake->start[to] = fake->ready[to] + 1;
    return fake;
}

/* a -> c and b -> d, without resources: what waits for what is up to the records. */
enum { A, B, C, D };
static void open_squares(void)
{
    lab_open(&lab);
    lab_graph(&lab);
    static const char *const names[] = {"a", "b", "c", "d"};
    for (int i = 0; i < 4; i++)
        lab_node(&lab, names[i], "1us", SL_NONE);
    lab_edge(&lab, A, C);
    lab_edge(&lab, B, D);
    LAB_OK(&lab, sl_graph_finish(lab.graph, &lab.err));
}

static struct sl_waits *start_progress(uint32_t most)
{
    struct sl_waits *progress;
    LAB_OK(&lab, sl_waits_create(&progress, lab.graph, most, &lab.err));
    return progress;
}

static struct sl_waits_facts facts_of(struct sl_waits *progress)
{
    struct sl_waits_facts facts;
    LAB_OK(&lab, sl_waits_facts(progress, &facts, &lab.err));
    return facts;
}

static bool is_acyclic(struct sl_waits *progress, struct sl_wait_edge **steps, uint32_t *count)
{
    bool acyclic, cut_short;
    LAB_OK(&lab, sl_waits_union(progress, &acyclic, steps, count, &cut_short, &lab.err));
    ck_assert(!cut_short);
    return acyclic;
}

/* Three trials: b behind c (twice), a behind d (once).  Each alone is acyclic; together
 * a -> c => b -> d => a is the only cycle, through two waits. */
START_TEST(union_cycle_by_hand)
{
    open_squares();
    struct fake fake;
    struct sl_waits *progress = start_progress(100);
    struct sl_wait_edge *steps;
    uint32_t count;
    for (uint32_t t = 0; t < 2; t++)
        LAB_OK(&lab,
               sl_waits_add(progress, &fake_wait(fake_make(&fake, t), C, B, SL_CAUSE_QUEUE)->trial,
                            &lab.err));
    ck_assert(is_acyclic(progress, &steps, &count));
    ck_assert_ptr_null(steps);
    LAB_OK(&lab,
           sl_waits_add(progress, &fake_wait(fake_make(&fake, 2), D, A, SL_CAUSE_CAPACITY)->trial,
                        &lab.err));
    ck_assert(!is_acyclic(progress, &steps, &count));
    ck_assert_uint_eq(count, 4);
    uint32_t waits = 0;
    for (uint32_t k = 0; k < count; k++) {
        ck_assert_uint_eq(steps[k].to, steps[(k + 1) % count].from);
        waits += steps[k].trials > 0;
        if (steps[k].trials > 0)
            ck_assert_uint_eq(steps[k].trials, steps[k].from == C ? 2 : 1);
    }
    ck_assert_uint_eq(waits, 2);
    struct sl_waits_facts facts = facts_of(progress);
    ck_assert_uint_eq(facts.trials, 3);
    ck_assert_uint_eq(facts.cyclic_trials, 0);
    ck_assert_uint_eq(facts.edge_count, 2);
    ck_assert_int_eq(facts.edges[0].kind, SL_WAIT_QUEUE);
    ck_assert_int_eq(facts.edges[1].kind, SL_WAIT_CAPACITY);
    free(steps);
    sl_waits_free(progress);
    lab_close(&lab);
}
END_TEST

/* A record in which a waits for its own successor is wrong whatever its times say; so is a mutual
 * wait. */
START_TEST(cyclic_records_are_found)
{
    open_squares();
    struct fake fake;
    struct sl_waits *progress = start_progress(100);
    LAB_OK(&lab,
           sl_waits_add(progress, &fake_wait(fake_make(&fake, 0), A, B, SL_CAUSE_QUEUE)->trial,
                        &lab.err));
    LAB_OK(&lab,
           sl_waits_add(progress, &fake_wait(fake_make(&fake, 5), C, A, SL_CAUSE_QUEUE)->trial,
                        &lab.err));
    fake_wait(fake_make(&fake, 3), A, B, SL_CAUSE_OVERLAP);
    LAB_OK(&lab, sl_waits_add(progress, &fake_wait(&fake, B, A, SL_CAUSE_QUEUE)->trial, &lab.err));
    struct sl_waits_facts facts = facts_of(progress);
    ck_assert_uint_eq(facts.cyclic_trials, 2);
    ck_assert_uint_eq(facts.first_cyclic, 3);
    sl_waits_free(progress);
    lab_close(&lab);
}
END_TEST

/* Split over two gatherers and merged, the result is the same; past the cap it is given up, whoever
 * gathered what. */
START_TEST(merging_and_the_cap)
{
    open_squares();
    struct fake fake;
    for (uint32_t most = 1; most <= 2; most++) {
        struct sl_waits *one = start_progress(most), *two = start_progress(most);
        for (uint32_t t = 0; t < 6; t++) {
            fake_make(&fake, t);
            fake_wait(&fake, t % 2 ? A : C, B, SL_CAUSE_QUEUE);
            LAB_OK(&lab, sl_waits_add(t % 2 ? one : two, &fake.trial, &lab.err));
        }
        LAB_OK(&lab, sl_waits_merge(one, two, &lab.err));
        struct sl_waits_facts facts = facts_of(one);
        ck_assert_uint_eq(facts.trials, 6);
        ck_assert(facts.overflow == (most < 2));
        if (most == 2) {
            ck_assert_uint_eq(facts.edge_count, 2);
            ck_assert_uint_eq(facts.edges[0].trials, 3);
            ck_assert_uint_eq(facts.edges[1].trials, 3);
        }
        sl_waits_free(one);
        sl_waits_free(two);
    }
    lab_close(&lab);
}
END_TEST

/* Two nodes of 20us on one server, ready after independent exponentials of mean 10us.  The first
 * waits for the second when it is ready less than 20us after it: with probability (1 - exp(-2)) / 2
 * each way, so that over many trials both edges arise and no order explains all. */
START_TEST(nodes_that_swap)
{
    const uint32_t trials = 4000;
    lab_open(&lab);
    uint32_t gpu = lab_resource(&lab, "gpu", 1);
    lab_graph(&lab);
    uint32_t pa = lab_node(&lab, "pa", "exponential(mean=10us)", SL_NONE);
    uint32_t pb = lab_node(&lab, "pb", "exponential(mean=10us)", SL_NONE);
    uint32_t a = lab_node(&lab, "a", "20us", gpu), b = lab_node(&lab, "b", "20us", gpu);
    lab_edge(&lab, pa, a);
    lab_edge(&lab, pb, b);
    (void)lab_run(&lab, 7, 0);
    struct sl_waits *progress = start_progress(100);
    for (uint32_t t = 0; t < trials; t++)
        LAB_OK(&lab, sl_waits_add(progress, lab_run(&lab, 7, t), &lab.err));
    struct sl_waits_facts facts = facts_of(progress);
    ck_assert_uint_eq(facts.cyclic_trials, 0);
    ck_assert_uint_eq(facts.edge_count, 2);
    double share = (1 - exp(-2)) / 2, sd = sqrt(share * (1 - share) / trials);
    for (int k = 0; k < 2; k++) /* five standard errors: wrongly alarming in one of 800,000 */
        ck_assert_double_eq_tol((double)facts.edges[k].trials / trials, share, 5 * sd);
    struct sl_wait_edge *steps;
    uint32_t count;
    ck_assert(!is_acyclic(progress, &steps, &count));
    ck_assert_uint_eq(count, 2);
    ck_assert(steps[0].from == a && steps[0].to == b && steps[1].from == b && steps[1].to == a);
    free(steps);
    sl_waits_free(progress);
    lab_close(&lab);
}
END_TEST

/* The primary is busy-waiting for its server until its latest start, deadline 30us - mean 10us =
 * 20us; the fallback then runs, and the primary's successor waits for it. */
START_TEST(fallbacks_hand_over)
{
    lab_open(&lab);
    uint32_t gpu = lab_resource(&lab, "gpu", 1);
    lab_graph(&lab);
    lab_node(&lab, "busy", "50us", gpu);
    uint32_t primary = lab_node(&lab, "primary", "10us", gpu);
    uint32_t fallback = lab_node(&lab, "fallback", "1us", SL_NONE);
    uint32_t next = lab_node(&lab, "next", "1us", SL_NONE);
    LAB_NODE(&lab, primary).deadline_ps = 30 * US;
    LAB_NODE(&lab, primary).fallback.i = fallback;
    lab_edge(&lab, primary, next);
    ck_assert_int_eq(lab_run(&lab, 1, 0)->finish_ps[next], 22 * US);
    struct sl_waits *progress = start_progress(100);
    LAB_OK(&lab, sl_waits_add(progress, lab_run(&lab, 1, 0), &lab.err));
    struct sl_waits_facts facts = facts_of(progress);
    ck_assert_uint_eq(facts.edge_count, 2);
    ck_assert(facts.edges[0].from == primary && facts.edges[0].to == fallback);
    ck_assert(facts.edges[1].from == fallback && facts.edges[1].to == next);
    ck_assert_int_eq(facts.edges[0].kind, SL_WAIT_FALLBACK);
    ck_assert_uint_eq(facts.cyclic_trials, 0);
    sl_waits_free(progress);
    lab_close(&lab);
}
END_TEST

/* A node cancelled at its latest start, 20us, waits for nobody: `slow`, which it would have
 * followed, itself waits until 41us for `next`, which follows the cancelled node's fallback.  In
 * that trial there is no cycle; an order of all nodes does not exist, because precedence counts
 * there. */
START_TEST(late_nodes_wait_for_nobody)
{
    lab_open(&lab);
    uint32_t gpu = lab_resource(&lab, "gpu", 1);
    lab_graph(&lab);
    uint32_t slow = lab_node(&lab, "slow", "50us", gpu);
    uint32_t primary = lab_node(&lab, "primary", "10us", SL_NONE);
    uint32_t fallback = lab_node(&lab, "fallback", "1us", SL_NONE);
    uint32_t next = lab_node(&lab, "next", "20us", gpu);
    LAB_NODE(&lab, slow).release_ps = 30 * US;
    LAB_NODE(&lab, primary).deadline_ps = 30 * US;
    LAB_NODE(&lab, primary).fallback.i = fallback;
    lab_edge(&lab, slow, primary);
    lab_edge(&lab, primary, next);
    ck_assert_int_eq(lab_run(&lab, 1, 0)->start_ps[slow], 41 * US);
    struct sl_waits *progress = start_progress(100);
    LAB_OK(&lab, sl_waits_add(progress, lab_run(&lab, 1, 0), &lab.err));
    ck_assert_uint_eq(facts_of(progress).cyclic_trials, 0);
    struct sl_wait_edge *steps;
    uint32_t count;
    ck_assert(!is_acyclic(progress, &steps, &count));
    ck_assert_uint_eq(count, 3); /* next => slow -> primary -> next */
    free(steps);
    sl_waits_free(progress);
    lab_close(&lab);
}
END_TEST

/* hbm: holdings of 1 and 2 GiB; workspace: 1 and 3 in one lane (3), 2, 2 and 2 on two servers
 * (4), 1 GiB without either: 3 + 8 = 11 GiB.  A limit of exactly that leaves nothing to wait for,
 * one byte less is not proven. */
START_TEST(needs_by_hand)
{
    for (int64_t less = 0; less < 2; less++) {
        lab_open(&lab);
        uint32_t hbm = lab_domain(&lab, "hbm", 12 * GIB - less),
                 host = lab_domain(&lab, "host", -1);
        lab.domains[hbm].reserve = GIB;
        uint32_t gpu = lab_resource(&lab, "gpu", 2);
        lab_graph(&lab);
        uint32_t lane = sl_names_add(&lab.graph->lane_names, "lane");
        static const int64_t sizes[] = {1, 3, 2, 2, 2, 1};
        for (uint32_t k = 0; k < 6; k++) {
            char name[] = {'n', (char)('0' + k), '\0'};
            uint32_t node = lab_node(&lab, name, "1us", k > 1 && k < 5 ? gpu : SL_NONE);
            lab_workspace(&lab, node, hbm, sizes[k] * GIB);
            LAB_NODE(&lab, node).lane = k < 2 ? lane : SL_NONE;
        }
        lab_holding(&lab, SL_HOLD_OBJECT, hbm, 2 * GIB, true);
        lab_holding(&lab, SL_HOLD_STAGING, hbm, GIB, true);
        lab_holding(&lab, SL_HOLD_OBJECT, host, GIB, true);
        struct sl_capacity_need needs[2];
        LAB_OK(&lab, sl_capacity_needs(lab.graph, needs, &lab.err));
        ck_assert_double_eq(needs[hbm].held_bytes, 3.0 * (double)GIB);
        ck_assert_double_eq(needs[hbm].workspace_bytes, 8.0 * (double)GIB);
        ck_assert(needs[hbm].can_wait == (less > 0));
        ck_assert(isinf(needs[host].limit_bytes) && !needs[host].can_wait);
        lab_close(&lab);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("proofs");
    TCase *tc = tcase_create("proofs");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, each_term_binds);
    tcase_add_test(tc, wrong_records_are_violations);
    tcase_add_test(tc, wrong_plan_is_a_violation);
    tcase_add_test(tc, copies_are_told_apart);
    tcase_add_test(tc, holds_until_the_consumer);
    tcase_add_test(tc, skipped_holds);
    tcase_add_test(tc, other_verdicts);
    tcase_add_test(tc, union_cycle_by_hand);
    tcase_add_test(tc, cyclic_records_are_found);
    tcase_add_test(tc, merging_and_the_cap);
    tcase_add_test(tc, nodes_that_swap);
    tcase_add_test(tc, fallbacks_hand_over);
    tcase_add_test(tc, late_nodes_wait_for_nobody);
    tcase_add_test(tc, needs_by_hand);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}

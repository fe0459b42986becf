/* Reclamation proofs: users of each copy by role, and what the record says of them.
 *
 *     place    an object's root in one domain; its copies are the holdings there
 *     use      a node that mentions a place, and in which role
 *
 * A use belongs to the last copy of its place that was taken before it started, in its iteration
 * or, where that has none yet, in an earlier one; what happens at one instant is told apart by
 * topological position.  An edge into a reclamation holds what that gives back. */
#include "proof_reclaim.h"
#include "proof_uses.h"
#include <stdlib.h>

static const char *const term_names[SL_TERMS + 1] = {"reader", "alias", "transfer", "barrier",
                                                     "none"};
static const char *const verdict_names[] = {"proven", "violated", "kept", "not reclaimed",
                                            "not made"};

const char *sl_reclaim_term_name(enum sl_reclaim_term term)
{
    return term_names[term];
}

const char *sl_reclaim_verdict_name(enum sl_reclaim_verdict verdict)
{
    return verdict_names[verdict];
}

/* When something happens in the life of a place, in this order. */
struct moment {
    uint32_t iteration;
    int64_t time; /* -1: initially; INT64_MAX: not in this trial */
    uint32_t position;
};

/* A copy, from the moment at which it was taken. */
struct copy {
    struct moment taken;
    uint32_t holding, taker;
};

struct sl_reclaim_prover {
    const struct sl_graph *graph;
    struct proof_uses uses;
    struct copy *copies;             /* grouped by place */
    uint32_t *copy_of;               /* of a holding: its copy, in this trial */
    struct sl_reclaim_proof *proofs; /* beside the copies */
};

enum sl_status sl_reclaim_prover_create(struct sl_reclaim_prover **prover,
                                        const struct sl_graph *graph, struct sl_error *err)
{
    struct sl_reclaim_prover *p = *prover = calloc(1, sizeof *p);
    if (!p)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for proofs");
    p->graph = graph;
    if (sl_proof_uses_gather(&p->uses, graph)) {
        size_t copies = (size_t)p->uses.place_first[p->uses.place_count] + 1;
        p->copies = sl_arena_array(&p->uses.arena, copies, sizeof *p->copies);
        p->proofs = sl_arena_array(&p->uses.arena, copies, sizeof *p->proofs);
        p->copy_of =
            sl_arena_array(&p->uses.arena, (size_t)graph->holding_count + 1, sizeof *p->copy_of);
    }
    if (p->copies && p->proofs && p->copy_of) {
        for (uint32_t h = 0; h < graph->holding_count; h++)
            p->copy_of[h] = SL_NONE;
        return SL_OK;
    }
    sl_reclaim_prover_free(p);
    *prover = NULL;
    return SL_FAIL(err, SL_SYSTEM, "out of memory for proofs");
}

void sl_reclaim_prover_free(struct sl_reclaim_prover *prover)
{
    if (!prover)
        return;
    sl_proof_uses_free(&prover->uses);
    free(prover);
}

/* The start of a node that has begun, INT64_MAX of one that has not. */
static int64_t started_at(const struct sl_trial *trial, uint32_t node)
{
    uint8_t state = trial->state[node];
    bool out = state == SL_SKIPPED || state == SL_CANCELLED || trial->start_ps[node] < 0;
    return out ? INT64_MAX : trial->start_ps[node];
}

static bool before(struct moment a, struct moment b)
{
    if (a.iteration != b.iteration)
        return a.iteration < b.iteration;
    return a.time != b.time ? a.time < b.time : a.position < b.position;
}

static struct moment start_of(const struct sl_reclaim_prover *p, const struct sl_trial *trial,
                              uint32_t node)
{
    return (struct moment){p->graph->nodes[node].iteration, started_at(trial, node),
                           p->uses.position[node]};
}

/* When and by whom a holding was taken: of several that might, by the first to start. */
static struct copy find_copy(const struct sl_reclaim_prover *p, const struct sl_trial *trial,
                             uint32_t holding)
{
    const struct proof_uses *uses = &p->uses;
    struct copy copy = {{UINT32_MAX, INT64_MAX, UINT32_MAX}, holding, SL_NONE};
    if (p->graph->holdings[holding].initial)
        return (struct copy){{0, -1, 0}, holding, SL_NONE};
    for (uint32_t k = uses->taker_first[holding]; k < uses->taker_first[holding + 1]; k++) {
        struct moment start = start_of(p, trial, uses->takers[k]);
        if (start.time > copy.taken.time ||
            (start.time == copy.taken.time && !before(start, copy.taken)))
            continue;
        copy.taken = start;
        copy.taker = start.time == INT64_MAX ? SL_NONE : uses->takers[k];
    }
    return copy;
}

static int compare_copies(const void *a, const void *b)
{
    const struct copy *x = a, *y = b;
    if (before(x->taken, y->taken))
        return -1;
    return before(y->taken, x->taken) ? 1 : (x->holding > y->holding) - (x->holding < y->holding);
}

/* The copy that is meant at a moment: the last one taken up to then, else the first. */
static uint32_t copy_at(const struct sl_reclaim_prover *p, uint32_t place, struct moment moment)
{
    uint32_t first = p->uses.place_first[place], low = first, high = p->uses.place_first[place + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (before(moment, p->copies[middle].taken))
            high = middle;
        else
            low = middle + 1;
    }
    return low > first ? low - 1 : first;
}

/* The copy of the place that the reclamation gives back; SL_NONE: none. */
static uint32_t given_by(const struct sl_reclaim_prover *p, uint32_t reclamation, uint32_t place)
{
    struct sl_span gives = p->graph->nodes[reclamation].gives;
    for (uint32_t k = 0; k < gives.count; k++) {
        uint32_t copy = p->copy_of[p->graph->holdings_pool[gives.first + k]];
        if (copy >= p->uses.place_first[place] && copy < p->uses.place_first[place + 1])
            return copy;
    }
    return SL_NONE;
}

/* The copy that a use means, SL_NONE where it is a hold of what is not there any more. */
static uint32_t copy_used(const struct sl_reclaim_prover *p, const struct sl_trial *trial,
                          const struct proof_use *use)
{
    uint32_t given = use->until != SL_NONE ? given_by(p, use->until, use->place) : SL_NONE;
    if (given != SL_NONE)
        return given;
    bool held = use->since != SL_NONE && started_at(trial, use->since) != INT64_MAX;
    struct moment moment = start_of(p, trial, held ? use->since : use->node);
    moment.iteration = use->iteration;
    if (held)
        moment.time = trial->finish_ps[use->since];
    uint32_t copy = copy_at(p, use->place, moment);
    /* Where the edge's producer was skipped, what went in its iteration went before a consumer that
     * plans see behind it: that is no excuse. */
    bool may_be_gone =
        held || (use->since != SL_NONE && p->copies[copy].taken.iteration < use->iteration);
    const struct sl_reclaim_proof *proof = &p->proofs[copy];
    bool gone = proof->given_ps >= 0 && proof->given_ps < moment.time;
    return may_be_gone && gone ? SL_NONE : copy;
}

static void judge_use(struct sl_reclaim_prover *p, const struct sl_trial *trial,
                      const struct proof_use *use)
{
    uint8_t state = trial->state[use->node];
    if (state == SL_SKIPPED || state == SL_CANCELLED)
        return;
    int64_t finish = state == SL_RAN ? trial->finish_ps[use->node] : INT64_MAX;
    uint32_t copy = copy_used(p, trial, use);
    if (copy != SL_NONE && finish > p->proofs[copy].finish_ps[use->term]) {
        p->proofs[copy].finish_ps[use->term] = finish;
        p->proofs[copy].user[use->term] = use->node;
    }
}

/* The giver that ended the copy: the first to finish after the copy was taken, and where the record
 * has none (it is wrong then), the last one before. */
static void find_reclaimer(const struct sl_reclaim_prover *p, const struct sl_trial *trial,
                           struct sl_reclaim_proof *proof)
{
    const struct proof_uses *uses = &p->uses;
    uint32_t h = proof->holding;
    for (uint32_t k = uses->giver_first[h]; k < uses->giver_first[h + 1]; k++) {
        uint32_t node = uses->givers[k];
        if (trial->state[node] != SL_RAN)
            continue;
        int64_t finish = trial->finish_ps[node];
        bool late = finish >= proof->taken_ps, had_late = proof->given_ps >= proof->taken_ps;
        if (proof->reclaimer == SL_NONE || (late && (!had_late || finish < proof->given_ps)) ||
            (!late && !had_late && finish > proof->given_ps)) {
            proof->reclaimer = node;
            proof->given_ps = finish;
        }
    }
}

/* A user that gives the bytes back itself does so at its finish; a reclamation acts from its start.
 */
static int64_t acted_at(const struct sl_reclaim_prover *p, const struct sl_trial *trial,
                        const struct sl_reclaim_proof *proof, uint32_t place)
{
    uint32_t node = proof->reclaimer;
    for (uint32_t k = p->uses.use_first[node]; k < p->uses.use_first[node + 1]; k++)
        if (p->uses.uses[k].place == place)
            return proof->given_ps;
    return trial->start_ps[node];
}

static void judge_copy(const struct sl_reclaim_prover *p, const struct sl_trial *trial,
                       struct sl_reclaim_proof *proof, uint32_t place)
{
    uint32_t h = proof->holding;
    proof->binding = SL_TERMS;
    proof->ready_ps = proof->taken_ps;
    for (unsigned t = 0; t < SL_TERMS; t++)
        if (proof->user[t] != SL_NONE &&
            (proof->binding == SL_TERMS || proof->finish_ps[t] > proof->ready_ps)) {
            proof->binding = (enum sl_reclaim_term)t;
            proof->ready_ps = proof->finish_ps[t];
        }
    if (p->uses.giver_first[h] == p->uses.giver_first[h + 1])
        proof->verdict = SL_RECLAIM_KEPT;
    else if (proof->taken_ps < 0)
        proof->verdict = SL_RECLAIM_ABSENT;
    else if (proof->reclaimer == SL_NONE)
        proof->verdict = SL_RECLAIM_OPEN;
    else
        proof->verdict = acted_at(p, trial, proof, place) < proof->ready_ps ? SL_RECLAIM_VIOLATED
                                                                            : SL_RECLAIM_PROVEN;
    if (proof->verdict == SL_RECLAIM_ABSENT) { /* giving what was never taken is a no-op */
        proof->reclaimer = SL_NONE;
        proof->given_ps = -1;
    }
}

static struct sl_reclaim_proof fresh_proof(const struct copy *copy, uint32_t number)
{
    struct sl_reclaim_proof proof = {
        .holding = copy->holding,
        .number = number,
        .taker = copy->taker,
        .reclaimer = SL_NONE,
        .taken_ps = copy->taken.time < 0            ? 0
                    : copy->taken.time == INT64_MAX ? -1
                                                    : copy->taken.time,
        .given_ps = -1,
    };
    for (unsigned t = 0; t < SL_TERMS; t++) {
        proof.user[t] = SL_NONE;
        proof.finish_ps[t] = -1;
    }
    return proof;
}

const struct sl_reclaim_proof *sl_reclaim_prove(struct sl_reclaim_prover *p,
                                                const struct sl_trial *trial, uint32_t *count)
{
    const struct proof_uses *uses = &p->uses;
    *count = uses->place_first[uses->place_count];
    for (uint32_t place = 0; place < uses->place_count; place++) {
        uint32_t first = uses->place_first[place], end = uses->place_first[place + 1];
        for (uint32_t c = first; c < end; c++)
            p->copies[c] = find_copy(p, trial, uses->holdings[c]);
        if (end - first > 1)
            qsort(&p->copies[first], end - first, sizeof *p->copies, compare_copies);
    }
    for (uint32_t place = 0; place < uses->place_count; place++)
        for (uint32_t c = uses->place_first[place]; c < uses->place_first[place + 1]; c++) {
            p->proofs[c] = fresh_proof(&p->copies[c], c - uses->place_first[place] + 1);
            p->copy_of[p->copies[c].holding] = c;
        }
    for (uint32_t c = 0; c < *count; c++)
        find_reclaimer(p, trial, &p->proofs[c]);
    for (uint32_t k = 0; k < uses->use_count; k++)
        judge_use(p, trial, &uses->uses[k]);
    for (uint32_t place = 0; place < uses->place_count; place++)
        for (uint32_t c = uses->place_first[place]; c < uses->place_first[place + 1]; c++)
            judge_copy(p, trial, &p->proofs[c], place);
    return p->proofs;
}

int64_t sl_reclaim_retained(const struct sl_reclaim_proof *proof)
{
    return proof->verdict == SL_RECLAIM_PROVEN ? proof->given_ps - proof->ready_ps : 0;
}

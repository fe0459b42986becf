/* The search proper: from the plan that it stands on, a batch of changed drafts at a time.
 *
 *     drafts by moves that have helped so far more often than by others
 *     the best of them that is better becomes the plan to stand on
 *     nothing better for a while: a good plan, shaken, becomes it
 *
 * A batch has the same size whatever the threads, and all of it is judged against what was known
 * before it: the number of threads does not show. */
#include "searchparts.h"
#include <math.h>
#include <string.h>

#define TRIES     20  /* to find a draft that is new */
#define PATIENCE  48  /* drafts without success, and half as many again as there are gaps */
#define DRY_SPELL 200 /* batches in a row that found nothing new: there is nothing left */
#define GOOD      8   /* plans from which it goes on */

static enum sl_status no_memory(struct sl_search *s)
{
    return SL_FAIL(s->err, SL_SYSTEM, "out of memory for a search");
}

static enum sl_status note_step(struct sl_search *s, const struct sl_contestant *c, bool best)
{
    struct sl_search_result *result = s->result;
    if (!sl_grow((void **)&result->log, &result->log_capacity, result->log_count + 1,
                 sizeof *result->log))
        return no_memory(s);
    result->log[result->log_count++] =
        (struct sl_search_step){.evaluation = result->evaluations,
                                .move = result->moves[c->move].name,
                                .base = s->space.bases[c->draft.base]->name,
                                .figures = c->figures,
                                .repeated = c->repeated,
                                .dropped = c->dropped,
                                .best = best};
    return SL_OK;
}

/* Counts, remembers and logs a judged draft. */
static enum sl_status take_in(struct sl_search *s, struct sl_contestant *c)
{
    struct sl_search_result *result = s->result;
    struct sl_search_move *move = &result->moves[c->move];
    double before = s->archive.count > 0 ? s->archive.items[0].figures.values[0] : (double)NAN;
    bool best = false;
    result->evaluations++;
    result->repeated += c->repeated;
    result->plan_s += c->plan_s;
    result->run_s += c->run_s;
    move->tried++;
    if (!c->repeated && c->digest != 0) {
        result->trials += c->samples.count;
        best = sl_archive_add(&s->archive, c) && s->archive.items[0].digest == c->digest;
        if (!sl_seen_add(&s->plans, c->digest))
            return no_memory(s);
    }
    if (best) {
        double gain = before - c->figures.values[0];
        move->best++;
        move->gain += isfinite(gain) && gain > 0 ? gain : 0;
    }
    return note_step(s, c, best);
}

enum sl_status sl_search_batch(struct sl_search *s, uint32_t count,
                               const struct sl_samples *against)
{
    enum sl_status status = sl_judge_all(&s->judge, s->batch, count, against, s->err);
    if (status == SL_INTERRUPTED) {
        s->stopped =
            true; /* what was judged of the batch depends on the threads: none of it counts */
        return SL_OK;
    }
    for (uint32_t i = 0; i < count && status == SL_OK; i++)
        status = take_in(s, &s->batch[i]);
    return status;
}

void sl_search_stand_on(struct sl_search *s, struct sl_contestant *c)
{
    struct sl_samples samples = s->current.samples;
    sl_draft_copy(&s->space, &s->current.draft, &c->draft);
    s->current.samples = c->samples;
    c->samples = samples;
    s->current.figures = c->figures;
    s->current.digest = c->digest;
}

/* Goes to the i-th of the batch, and looks where that plan loses time. */
static enum sl_status go_to(struct sl_search *s, uint32_t i, uint32_t count)
{
    struct sl_contestant *c = &s->batch[i];
    s->result->moves[c->move].accepted++;
    s->result->log[s->result->log_count - count + i].accepted = true;
    sl_search_stand_on(s, c);
    return sl_guide_make(&s->guide, &s->judge, &s->current.draft, &s->current.samples, s->err);
}

static struct sl_move_input input_of(struct sl_search *s)
{
    uint32_t good = s->archive.count < GOOD ? s->archive.count : GOOD;
    return (struct sl_move_input){
        .space = &s->space,
        .guide = &s->guide,
        .mate = &s->archive.items[sl_dice_below(&s->dice, good)].draft,
        .dice = &s->dice,
    };
}

/* A move: those that led to better plans are drawn more often, none never. */
static uint32_t draw_move(struct sl_search *s)
{
    const struct sl_search_move *moves = s->result->moves + SL_OF_MOVES;
    uint32_t kinds = sl_move_kinds();
    double sum = 0, at;
    for (uint32_t k = 0; k < kinds; k++)
        sum += 0.02 + (moves[k].accepted + 1.0) / (moves[k].tried + 10.0);
    at = sl_dice_share(&s->dice) * sum;
    for (uint32_t k = 0; k + 1 < kinds; k++) {
        at -= 0.02 + (moves[k].accepted + 1.0) / (moves[k].tried + 10.0);
        if (at < 0)
            return k;
    }
    return kinds - 1;
}

/* Choices about nodes are those of the rules' own table: others are about nodes that other choices
 * in gaps may not leave there. */
static void forget_order(const struct sl_search *s, struct sl_draft *draft)
{
    draft->nodes = s->space.starts[draft->base].nodes;
    draft->node_count = s->space.starts[draft->base].node_count;
}

/* Makes the contestant's draft one that was not made before; false: none was found. */
static bool propose(struct sl_search *s, struct sl_contestant *c)
{
    for (int i = 0; i < TRIES; i++) {
        struct sl_move_input input = input_of(s);
        uint32_t kind = draw_move(s);
        sl_draft_copy(&s->space, &c->draft, &s->current.draft);
        if (sl_dice_below(&s->dice, 2) == 0)
            forget_order(s, &c->draft);
        if (!sl_move_kind_at(kind)->apply(&input, &c->draft) ||
            sl_seen_has(&s->drafts, sl_draft_hash(&s->space, &c->draft)))
            continue;
        c->move = SL_OF_MOVES + kind;
        c->full = false;
        return true;
    }
    return false;
}

/* One of the good plans, shaken. */
static bool shake(struct sl_search *s, struct sl_contestant *c)
{
    uint32_t good = s->archive.count < GOOD ? s->archive.count : GOOD;
    for (int i = 0; i < TRIES; i++) {
        struct sl_move_input input = input_of(s);
        const struct sl_elite *from = &s->archive.items[sl_dice_below(&s->dice, good)];
        sl_draft_copy(&s->space, &c->draft, &from->draft);
        forget_order(s, &c->draft);
        sl_draft_shake(&input, &c->draft, 2 + sl_dice_below(&s->dice, 6));
        if (sl_seen_has(&s->drafts, sl_draft_hash(&s->space, &c->draft)))
            continue;
        c->move = SL_OF_SHAKE;
        c->full = true;
        return true;
    }
    return false;
}

/* Whether a contestant should be gone on from: better than the plan to stand on, or where several
 * measures count side by side, one that no known plan covers. */
static bool is_step_up(const struct sl_search *s, const struct sl_contestant *c)
{
    if (c->repeated || c->dropped)
        return false;
    if (!s->goal.pareto)
        return sl_search_compare(&c->figures, &s->current.figures, s->goal.levels) < 0;
    for (uint32_t k = 0; k < s->archive.count; k++)
        if (s->archive.items[k].digest == c->digest)
            return true;
    return false;
}

static uint32_t best_of_batch(const struct sl_search *s, uint32_t count)
{
    uint32_t best = SL_NONE;
    for (uint32_t i = 0; i < count; i++)
        if (is_step_up(s, &s->batch[i]) &&
            (best == SL_NONE ||
             sl_search_compare(&s->batch[i].figures, &s->batch[best].figures, s->goal.levels) < 0))
            best = i;
    return best;
}

/* Fills the batch with new drafts, `left` at the most: those that a batch of full size begins with,
 * whatever is left. */
static enum sl_status fill(struct sl_search *s, bool shaken, uint32_t left, uint32_t *count)
{
    uint32_t size = shaken ? 1 : SL_SEARCH_BATCH;
    *count = 0;
    for (uint32_t i = 0; i < size && *count < left; i++) {
        struct sl_contestant *c = &s->batch[*count];
        if (!(shaken ? shake(s, c) : propose(s, c)))
            continue;
        if (!sl_seen_add(&s->drafts, sl_draft_hash(&s->space, &c->draft)))
            return no_memory(s);
        ++*count;
    }
    return SL_OK;
}

enum sl_status sl_search_climb(struct sl_search *s, uint32_t most)
{
    uint32_t idle = 0, dry = 0, patience = PATIENCE + s->space.gap_count / 2;
    enum sl_status status =
        sl_guide_make(&s->guide, &s->judge, &s->current.draft, &s->current.samples, s->err);
    while (status == SL_OK && !s->stopped && s->result->evaluations < most && dry < DRY_SPELL) {
        bool shaken = idle >= patience;
        uint32_t count;
        status = fill(s, shaken, most - s->result->evaluations, &count);
        dry = count == 0 ? dry + 1 : 0;
        idle = count == 0 ? patience : idle + count;
        if (status == SL_OK && count > 0)
            status = sl_search_batch(s, count, shaken ? NULL : &s->current.samples);
        if (status != SL_OK || s->stopped || count == 0)
            continue;
        uint32_t best = best_of_batch(s, count);
        if (shaken && s->batch[0].digest != 0 && !s->batch[0].repeated)
            best = 0;
        if (best == SL_NONE)
            continue;
        status = go_to(s, best, count);
        idle = 0;
    }
    return status;
}

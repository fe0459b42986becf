/* The steps of the search: each changes a draft in one way, led by the guide or by chance.
 *
 * Where a gap is chosen "by" something, its chance is proportional to that, with a little for all.
 */
#include "searchparts.h"
#include <Random123/philox.h>
#include <string.h>

uint32_t sl_dice_below(struct sl_dice *dice, uint32_t n)
{
    philox4x32_key_t key = {{(uint32_t)dice->key, (uint32_t)(dice->key >> 32)}};
    philox4x32_ctr_t counter = {
        {(uint32_t)dice->counter, (uint32_t)(dice->counter >> 32), 0x5ea4c4, 0}};
    dice->counter++;
    return (uint32_t)((uint64_t)philox4x32(counter, key).v[0] * n >> 32);
}

double sl_dice_share(struct sl_dice *dice)
{
    return sl_dice_below(dice, UINT32_MAX) / 4294967296.0;
}

/* What a gap that is chosen must be. */
enum want { STAYS, LEAVES, MOVES, REPEATS, ANY };

static bool is_open(const struct sl_move_input *in, const struct sl_draft *draft, uint32_t gap)
{
    return draft->steps[gap].action != SL_STEP_RULES || in->space->gaps[gap].gap == 0;
}

static bool matches(const struct sl_move_input *in, const struct sl_draft *draft, uint32_t gap,
                    enum want want)
{
    uint8_t action = draft->steps[gap].action;
    bool arrives = in->space->gaps[gap].gap == 0;
    switch (want) {
    case STAYS:
        return action == SL_STEP_RETAIN &&
               (in->space->gaps[gap].may_offload || in->space->gaps[gap].may_remat);
    case LEAVES:
        return action == SL_STEP_OFFLOAD || action == SL_STEP_REMAT;
    case MOVES:
        return action == SL_STEP_OFFLOAD || arrives;
    case REPEATS:
        return action == SL_STEP_REMAT;
    case ANY:
        return is_open(in, draft, gap);
    }
    return false;
}

static double weight_of(const struct sl_move_input *in, const struct sl_draft *draft, uint32_t gap,
                        enum want want)
{
    const struct sl_guide *guide = in->guide;
    switch (want) {
    case STAYS:
        return guide->at_peak[gap] ? 1.0 : 0.0;
    case LEAVES:
        return guide->move_ps[gap] + guide->remat_ps[gap];
    case MOVES:
        return guide->move_ps[gap];
    case REPEATS:
        return guide->remat_ps[gap];
    case ANY:
        return draft->steps[gap].action == SL_STEP_RETAIN ? 0.0 : 1.0;
    }
    return 0.0;
}

/* A gap of the kind, four times in five by its weight; SL_NONE: there is none. */
static uint32_t pick(const struct sl_move_input *in, const struct sl_draft *draft, enum want want)
{
    uint32_t count = 0, last = SL_NONE;
    double sum = 0;
    for (uint32_t g = 0; g < in->space->gap_count; g++)
        if (matches(in, draft, g, want)) {
            sum += weight_of(in, draft, g, want);
            count++;
        }
    if (count == 0)
        return SL_NONE;
    bool weighted = sum > 0 && sl_dice_below(in->dice, 5) > 0;
    double at = sl_dice_share(in->dice) * (weighted ? sum : count);
    for (uint32_t g = 0; g < in->space->gap_count; g++) {
        if (!matches(in, draft, g, want))
            continue;
        double weight = weighted ? weight_of(in, draft, g, want) : 1.0;
        if (weight > 0)
            last = g;
        at -= weight;
        if (at < 0 && weight > 0)
            return g;
    }
    return last;
}

/* Half of the time as the rules say, else any of the usual ones. */
static uint8_t random_timing(const struct sl_move_input *in)
{
    if (sl_dice_below(in->dice, 2) == 0)
        return 0;
    return (uint8_t)(1 + sl_dice_below(in->dice, in->space->usual_timings - 1));
}

/* The timing that most moves of the draft have; of several the earliest. */
static uint8_t common_timing(const struct sl_move_input *in, const struct sl_draft *draft)
{
    uint32_t counts[SL_TIMINGS] = {0}, best = 0;
    for (uint32_t g = 0; g < in->space->gap_count; g++)
        if (draft->steps[g].action == SL_STEP_OFFLOAD)
            counts[draft->steps[g].timing]++;
    for (uint32_t t = 1; t < in->space->timing_count; t++)
        if (counts[t] > counts[best])
            best = t;
    return (uint8_t)best;
}

static bool set(const struct sl_move_input *in, struct sl_draft *draft, uint32_t gap,
                uint8_t action, uint8_t timing)
{
    struct sl_step step = {action, action == SL_STEP_OFFLOAD ? timing : 0};
    if (!sl_step_allowed(in->space, draft->base, gap, step))
        return false;
    bool changed = memcmp(&draft->steps[gap], &step, sizeof step) != 0;
    draft->steps[gap] = step;
    return changed;
}

/* Lets it leave by one of the ways that are open to it. */
static bool leave(const struct sl_move_input *in, struct sl_draft *draft, uint32_t gap)
{
    const struct sl_open_gap *open = &in->space->gaps[gap];
    bool offload = open->may_offload && (!open->may_remat || sl_dice_below(in->dice, 2) == 0);
    uint8_t timing = sl_dice_below(in->dice, 2) ? common_timing(in, draft) : random_timing(in);
    return set(in, draft, gap, offload ? SL_STEP_OFFLOAD : SL_STEP_REMAT, timing);
}

static bool stay(const struct sl_move_input *in, struct sl_draft *draft)
{
    uint32_t gap = pick(in, draft, LEAVES);
    return gap != SL_NONE && set(in, draft, gap, SL_STEP_RETAIN, 0);
}

static bool leave_one(const struct sl_move_input *in, struct sl_draft *draft)
{
    uint32_t gap = pick(in, draft, STAYS);
    return gap != SL_NONE && leave(in, draft, gap);
}

static bool repeat_one(const struct sl_move_input *in, struct sl_draft *draft)
{
    uint32_t gap = pick(in, draft, MOVES);
    return gap != SL_NONE && set(in, draft, gap, SL_STEP_REMAT, 0);
}

static bool move_one(const struct sl_move_input *in, struct sl_draft *draft)
{
    uint32_t gap = pick(in, draft, REPEATS);
    uint8_t timing = sl_dice_below(in->dice, 2) ? common_timing(in, draft) : random_timing(in);
    return gap != SL_NONE && set(in, draft, gap, SL_STEP_OFFLOAD, timing);
}

/* One comes to stay and another one leaves in its place. */
static bool swap(const struct sl_move_input *in, struct sl_draft *draft)
{
    uint32_t out = pick(in, draft, STAYS);
    bool changed = stay(in, draft);
    return out != SL_NONE && leave(in, draft, out) && changed;
}

/* One of the nearest timings, or any. */
static uint8_t near_timing(const struct sl_move_input *in, uint8_t timing)
{
    if (timing == 0 || timing >= in->space->usual_timings || sl_dice_below(in->dice, 3) == 0)
        return (uint8_t)sl_dice_below(in->dice, in->space->usual_timings);
    bool later = sl_dice_below(in->dice, 2) == 0;
    if (later)
        return (uint8_t)(timing - 1);
    return timing + 1u < in->space->usual_timings ? (uint8_t)(timing + 1) : timing;
}

static bool retime(const struct sl_move_input *in, struct sl_draft *draft)
{
    uint32_t gap = pick(in, draft, MOVES);
    if (gap == SL_NONE)
        return false;
    struct sl_step *step = &draft->steps[gap];
    uint8_t timing = near_timing(in, step->timing);
    bool changed = timing != step->timing;
    step->timing = timing;
    return changed;
}

/* All moves, or those of alike objects, get one timing. */
static bool retime_many(const struct sl_move_input *in, struct sl_draft *draft)
{
    uint32_t gap = pick(in, draft, MOVES);
    if (gap == SL_NONE)
        return false;
    bool all = sl_dice_below(in->dice, 2) == 0, changed = false;
    uint8_t timing = near_timing(in, draft->steps[gap].timing);
    for (uint32_t g = 0; g < in->space->gap_count; g++) {
        if (!matches(in, draft, g, MOVES) ||
            (!all && in->space->family[g] != in->space->family[gap]))
            continue;
        changed |= draft->steps[g].timing != timing;
        draft->steps[g].timing = timing;
    }
    return changed;
}

/* The next few alike objects do what one of them does. */
static bool spread(const struct sl_move_input *in, struct sl_draft *draft)
{
    uint32_t gap = pick(in, draft, ANY), left = 1u << sl_dice_below(in->dice, 6);
    if (gap == SL_NONE)
        return false;
    bool up = sl_dice_below(in->dice, 2) == 0, changed = false;
    uint32_t family = in->space->family[gap];
    struct sl_step step = draft->steps[gap];
    for (uint32_t g = gap; g < in->space->gap_count && left > 0; g = up ? g + 1 : g - 1) {
        if (g == gap || in->space->family[g] != family || !is_open(in, draft, g))
            continue;
        if (memcmp(&draft->steps[g], &step, sizeof step) == 0)
            continue;
        if (sl_step_allowed(in->space, draft->base, g, step)) {
            draft->steps[g] = step;
            changed = true;
        }
        left--;
    }
    return changed;
}

/* Several alike objects change from what one of them does to something else. */
static bool change_many(const struct sl_move_input *in, struct sl_draft *draft)
{
    static const uint8_t actions[] = {SL_STEP_RETAIN, SL_STEP_REMAT, SL_STEP_OFFLOAD};
    uint32_t gap = pick(in, draft, sl_dice_below(in->dice, 2) ? LEAVES : STAYS);
    uint32_t left = 2u << sl_dice_below(in->dice, 5);
    if (gap == SL_NONE || in->space->gaps[gap].gap == 0)
        return false;
    uint8_t from = draft->steps[gap].action, to = actions[sl_dice_below(in->dice, 3)];
    uint8_t timing = common_timing(in, draft);
    bool changed = false;
    for (uint32_t g = gap; g < in->space->gap_count && left > 0; g++)
        if (in->space->family[g] == in->space->family[gap] && draft->steps[g].action == from &&
            from != to) {
            changed |= set(in, draft, g, to, timing);
            left--;
        }
    return changed;
}

/* Some families do what they do in another good plan. */
static bool cross(const struct sl_move_input *in, struct sl_draft *draft)
{
    bool changed = false, whole = sl_dice_below(in->dice, 2) == 0;
    uint32_t salt = sl_dice_below(in->dice, UINT32_MAX);
    for (uint32_t g = 0; g < in->space->gap_count; g++) {
        struct sl_dice coin = {salt, whole ? in->space->family[g] : in->space->families + g};
        if (sl_dice_below(&coin, 2) == 0 ||
            !sl_step_allowed(in->space, draft->base, g, in->mate->steps[g]))
            continue;
        changed |= memcmp(&draft->steps[g], &in->mate->steps[g], sizeof *draft->steps) != 0;
        draft->steps[g] = in->mate->steps[g];
    }
    return changed;
}

/* The same choices over the rules of another policy. */
static bool rebase(const struct sl_move_input *in, struct sl_draft *draft)
{
    uint32_t base = sl_dice_below(in->dice, in->space->base_count);
    if (base == draft->base || !in->space->starts[base].steps)
        return false;
    draft->base = base;
    for (uint32_t g = 0; g < in->space->gap_count; g++)
        if (!sl_step_allowed(in->space, base, g, draft->steps[g]))
            draft->steps[g] = in->space->starts[base].steps[g];
    return true;
}

static const struct sl_move_kind kinds[] = {
    {"stay", stay},
    {"leave", leave_one},
    {"recompute", repeat_one},
    {"offload", move_one},
    {"swap", swap},
    {"retime", retime},
    {"retime many", retime_many},
    {"spread", spread},
    {"change many", change_many},
    {"cross", cross},
    {"rules", rebase},
};

uint32_t sl_move_kinds(void)
{
    return sizeof kinds / sizeof *kinds;
}

const struct sl_move_kind *sl_move_kind_at(uint32_t index)
{
    return &kinds[index];
}

void sl_draft_shake(const struct sl_move_input *input, struct sl_draft *draft, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++)
        kinds[sl_dice_below(input->dice, 8)].apply(input, draft);
}

/* What there is to search: gaps, steps in them, and the policies whose rules fill the rest. */
#include "searchparts.h"
#include "text.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* From late to early; 0 stands for the rules' own. */
static const char *const usual[] = {
    NULL,          "demand",       "jit:0.5",      "jit:0.95",    "jit:0.99",    "jit:0.999",
    "lookahead:0", "lookahead:1",  "lookahead:2",  "lookahead:3", "lookahead:4", "lookahead:6",
    "lookahead:8", "lookahead:12", "lookahead:16", "window",      "asap"};
#define USUAL (sizeof usual / sizeof *usual)

/* The index of a text, added when it is none of the usual ones; 0 where there is no room. */
static uint8_t timing_of(struct sl_space *space, const char *text)
{
    if (!text)
        return 0;
    for (uint32_t t = 1; t < space->timing_count; t++)
        if (strcmp(space->timings[t], text) == 0)
            return (uint8_t)t;
    if (space->timing_count == SL_TIMINGS)
        return 0;
    space->timings[space->timing_count] = text;
    return (uint8_t)space->timing_count++;
}

static uint8_t action_of(const char *word)
{
    if (!word)
        return SL_STEP_RULES;
    return strcmp(word, "offload") == 0 ? SL_STEP_OFFLOAD
           : strcmp(word, "remat") == 0 ? SL_STEP_REMAT
                                        : SL_STEP_RETAIN;
}

bool sl_draft_new(const struct sl_space *space, struct sl_draft *draft, struct sl_arena *arena)
{
    *draft = (struct sl_draft){
        .steps = sl_arena_array(arena, (size_t)space->gap_count + 1, sizeof *draft->steps)};
    return draft->steps != NULL;
}

void sl_draft_copy(const struct sl_space *space, struct sl_draft *to, const struct sl_draft *from)
{
    struct sl_step *steps = to->steps;
    memcpy(steps, from->steps, space->gap_count * sizeof *steps);
    *to = *from;
    to->steps = steps;
}

uint64_t sl_draft_hash(const struct sl_space *space, const struct sl_draft *draft)
{
    uint64_t hash = sl_hash_index(draft->base + 1);
    for (uint32_t g = 0; g < space->gap_count; g++)
        hash =
            sl_hash_index(hash ^ ((uint64_t)draft->steps[g].action << 8 | draft->steps[g].timing));
    for (uint32_t i = 0; i < draft->node_count; i++) {
        const struct sl_node_choice *choice = &draft->nodes[i];
        uint64_t bits;
        memcpy(&bits, &choice->priority, sizeof bits);
        hash = sl_hash_index(hash ^ sl_hash_text(choice->node)) ^ sl_hash_index(bits);
        hash = sl_hash_index(hash ^ (uint64_t)choice->release_ps);
        if (choice->after)
            hash = sl_hash_index(hash ^ sl_hash_text(choice->after));
    }
    return hash ? hash : 1;
}

bool sl_step_allowed(const struct sl_space *space, uint32_t base, uint32_t gap, struct sl_step step)
{
    const struct sl_open_gap *open = &space->gaps[gap];
    struct sl_step own = space->starts[base].steps[gap];
    if (own.action == SL_STEP_RULES && open->gap > 0)
        return step.action == SL_STEP_RULES;
    if (open->gap == 0)
        return step.action == SL_STEP_RULES;
    if (step.action != SL_STEP_OFFLOAD && step.timing != 0)
        return false;
    return (step.action == SL_STEP_OFFLOAD && open->may_offload) ||
           (step.action == SL_STEP_REMAT && open->may_remat) || step.action == SL_STEP_RETAIN;
}

/* Whether the draft says anything about the gap; else the rules do. */
static bool is_listed(const struct sl_space *space, const struct sl_draft *draft, uint32_t gap)
{
    const struct sl_step *step = &draft->steps[gap];
    return step->action != SL_STEP_RULES || (space->gaps[gap].gap == 0 && step->timing != 0);
}

enum sl_status sl_draft_policy(const struct sl_space *space, const struct sl_draft *draft,
                               struct sl_policy_spec *policy, struct sl_arena *arena,
                               struct sl_error *err)
{
    static const char *const words[] = {NULL, "retain", "remat", "offload"};
    struct sl_tuning *tuning = sl_arena_alloc(arena, sizeof *tuning);
    struct sl_gap_choice *rows = sl_arena_array(arena, (size_t)space->gap_count + 1, sizeof *rows);
    struct sl_node_choice *nodes =
        sl_arena_array(arena, (size_t)draft->node_count + 1, sizeof *nodes);
    if (!tuning || !rows || !nodes)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a plan's choices");
    *policy = *space->bases[draft->base];
    for (uint32_t g = 0; g < space->gap_count; g++)
        if (is_listed(space, draft, g))
            rows[tuning->gap_count++] =
                (struct sl_gap_choice){.object = space->gaps[g].object,
                                       .gap = space->gaps[g].gap,
                                       .action = words[draft->steps[g].action],
                                       .prefetch = space->timings[draft->steps[g].timing],
                                       .place = policy->place};
    if (draft->node_count > 0)
        memcpy(nodes, draft->nodes, draft->node_count * sizeof *nodes);
    tuning->gaps = rows;
    tuning->nodes = nodes;
    tuning->node_count = draft->node_count;
    policy->tuning = tuning;
    return SL_OK;
}

/* The draft of a policy's own plan. */
static enum sl_status read_base(struct sl_space *space, uint32_t base, struct sl_diags *diags,
                                struct sl_error *err)
{
    const struct sl_policy_spec *policy = space->bases[base];
    struct sl_draft *start = &space->starts[base];
    struct sl_gap_choice *rows = calloc((size_t)space->gap_count + 1, sizeof *rows);
    struct sl_error why = {0};
    if (!rows || !sl_draft_new(space, start, &space->arena)) {
        free(rows);
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a search");
    }
    enum sl_status status = sl_planner_choices(space->planner, policy, rows, diags, &why);
    for (uint32_t g = 0; g < space->gap_count && status == SL_OK; g++)
        start->steps[g] =
            (struct sl_step){action_of(rows[g].action), timing_of(space, rows[g].prefetch)};
    free(rows);
    start->base = base;
    if (policy->tuning) {
        start->nodes = policy->tuning->nodes;
        start->node_count = policy->tuning->node_count;
    }
    if (status == SL_NO) {
        start->steps = NULL; /* others may still have plans */
        space->refusals[base] = sl_arena_strdup(&space->arena, why.message);
    } else if (status != SL_OK && err && err->status == SL_OK) {
        *err = why;
    }
    return status == SL_NO ? SL_OK : status;
}

/* Objects whose names differ in numbers alone, with the same place among an object's gaps, are
 * alike: "attn.03" and "attn.17". */
static enum sl_status find_families(struct sl_space *space, struct sl_error *err)
{
    struct sl_names stems = {0};
    enum sl_status status = SL_OK;
    space->family = sl_arena_array(&space->arena, (size_t)space->gap_count + 1, sizeof(uint32_t));
    if (!space->family)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a search");
    for (uint32_t g = 0; g < space->gap_count && status == SL_OK; g++) {
        char stem[300];
        size_t length = 0;
        const char *name = space->scenario->graph->objects[space->gaps[g].object].name;
        for (const char *at = name; *at && length < sizeof stem - 16; at++)
            if (!isdigit((unsigned char)*at))
                stem[length++] = *at;
        snprintf(stem + length, sizeof stem - length, "#%u", space->gaps[g].gap);
        space->family[g] = sl_names_add(&stems, stem);
        if (space->family[g] == SL_NONE)
            status = SL_FAIL(err, SL_SYSTEM, "out of memory for a search");
    }
    space->families = stems.count;
    sl_names_free(&stems);
    return status;
}

enum sl_status sl_space_open(struct sl_space *space, const struct sl_scenario *scenario,
                             const struct sl_policy_spec *start, struct sl_diags *diags,
                             struct sl_error *err)
{
    uint32_t count = scenario->policy_count;
    *space = (struct sl_space){.scenario = scenario,
                               .timing_count = USUAL,
                               .usual_timings = USUAL,
                               .base_count = count + (start != NULL)};
    memcpy(space->timings, usual, sizeof usual);
    space->bases = sl_arena_array(&space->arena, (size_t)count + 1, sizeof *space->bases);
    space->starts = sl_arena_array(&space->arena, (size_t)count + 1, sizeof *space->starts);
    space->refusals = sl_arena_array(&space->arena, (size_t)count + 1, sizeof *space->refusals);
    if (!space->bases || !space->starts || !space->refusals)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a search");
    for (uint32_t i = 0; i < count; i++)
        space->bases[i] = &scenario->policies[i];
    if (start)
        space->bases[count] = start;
    enum sl_status status = sl_planner_create(&space->planner, scenario, err);
    if (status == SL_OK)
        space->gaps = sl_planner_gaps(space->planner, &space->gap_count);
    for (uint32_t i = 0; i < space->base_count && status == SL_OK; i++)
        status = read_base(space, i, diags, err);
    return status == SL_OK ? find_families(space, err) : status;
}

void sl_space_close(struct sl_space *space)
{
    sl_planner_free(space->planner);
    sl_arena_free(&space->arena);
    *space = (struct sl_space){0};
}

static double steps_in(const struct sl_space *space, uint32_t base, uint32_t gap)
{
    const struct sl_open_gap *open = &space->gaps[gap];
    if (open->gap == 0)
        return space->usual_timings;
    if (space->starts[base].steps[gap].action == SL_STEP_RULES)
        return 1;
    return 1.0 + open->may_remat + (open->may_offload ? space->usual_timings : 0.0);
}

double sl_space_size(const struct sl_space *space)
{
    double size = 0;
    for (uint32_t b = 0; b < space->base_count; b++) {
        double one = space->starts[b].steps ? 1 : 0;
        for (uint32_t g = 0; g < space->gap_count && one > 0 && one < 1e300; g++)
            one *= steps_in(space, b, g);
        size += one;
    }
    return size < 1e300 ? size : (double)INFINITY;
}

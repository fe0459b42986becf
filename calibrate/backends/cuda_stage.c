/* Setting a plan up: nodes become pieces of their class, servers become streams with memory of
 * their own, and what doesn't fit is refused before anything runs.
 *
 * Bytes in domains are counted by the rules, as in the simulator, and not allocated node by node:
 * the driver takes from microseconds to milliseconds for a call that the plan doesn't have, and a
 * free waits for the GPU.  What works touch is real: buffers of their seat, of the size that they
 * were measured with.  That all objects of the GPU's domain would have had room is checked. */
#include <config.h>

#include "cuda_class_list.h"
#include "cuda_stage.h"
#include "units.h"
#include <stdlib.h>
#include <string.h>

/* Records of a repetition that are kept with certainty: a launch has one, and its tag. */
#define LAUNCHES_TIMED SL_SHOT_RECORDS_MAX

/* ---- nodes ----------------------------------------------------------------------------------- */

static enum sl_status make_deed(struct sl_cuda_stage *stage, uint32_t index, struct sl_error *err)
{
    struct sl_bench *bench = stage->bench;
    const struct sl_replay_node *node = &stage->plan->nodes[index];
    struct sl_cuda_deed *deed = &stage->deeds[index];
    if (node->act != SL_REPLAY_WORK)
        return SL_OK;
    deed->kind = SL_CUDA_PASTIME;
    deed->work = node->work;
    if (node->work.klass == SL_NONE)
        return SL_OK;
    deed->kind = SL_CUDA_CALLED;
    if (sl_cuda_form_of(&node->work)->manner == SL_CUDA_CALLS)
        return SL_OK;
    deed->kind = SL_CUDA_LAUNCHED;
    deed->pieces = node->pieces;
    deed->unit.bytes = node->work.bytes;
    deed->unit.blocks = sl_cuda_grid(bench, &node->work, SL_SHAPE_FILL);
    enum sl_status status =
        SL_CUDA(&bench->driver, err, cuEventCreate, &deed->begun, CU_EVENT_DEFAULT);
    if (status == SL_OK)
        status = SL_CUDA(&bench->driver, err, cuEventCreate, &deed->done, CU_EVENT_DEFAULT);
    return status;
}

/* Who comes before whom: the plan has it the other way round. */
static bool list_before(struct sl_cuda_stage *stage)
{
    const struct sl_replay_plan *plan = stage->plan;
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->node_count; i++)
        for (uint32_t k = 0; k < plan->nodes[i].followers.count; k++, count++)
            stage->deeds[plan->edges[plan->nodes[i].followers.first + k].to].before.count++;
    stage->before = sl_arena_array(&stage->arena, (size_t)count + 1, sizeof *stage->before);
    if (!stage->before)
        return false;
    uint32_t first = 0;
    for (uint32_t i = 0; i < plan->node_count; i++) {
        stage->deeds[i].before.first = first;
        first += stage->deeds[i].before.count;
        stage->deeds[i].before.count = 0;
    }
    for (uint32_t i = 0; i < plan->node_count; i++)
        for (uint32_t k = 0; k < plan->nodes[i].followers.count; k++) {
            struct sl_span *before =
                &stage->deeds[plan->edges[plan->nodes[i].followers.first + k].to].before;
            stage->before[before->first + before->count++] = i;
        }
    return true;
}

/* ---- seats ----------------------------------------------------------------------------------- */

static enum sl_status place_seats(struct sl_cuda_stage *stage, struct sl_error *err)
{
    const struct sl_replay_plan *plan = stage->plan;
    if (plan->seat_count > SL_CUDA_ACTORS)
        return SL_FAIL(err, SL_USAGE, "the plan wants %u seats of %d", plan->seat_count,
                       SL_CUDA_ACTORS);
    for (uint32_t r = 0; r < plan->resource_count; r++)
        for (uint32_t k = 0; k < plan->resources[r].seats; k++)
            stage->seats[stage->seat_count++] = (struct sl_cuda_seat){r, SL_NONE, 0};
    return SL_OK;
}

static uint32_t resource_of(const struct sl_replay_plan *plan, uint32_t node)
{
    return plan->demands[plan->nodes[node].demands.first].resource;
}

/* The rules start no more nodes of a resource than it has servers. */
void sl_cuda_stage_take_seat(void *user, uint32_t node)
{
    struct sl_cuda_stage *stage = user;
    uint32_t resource = resource_of(stage->plan, node), s = 0;
    while (stage->seats[s].node != SL_NONE || stage->seats[s].resource != resource)
        s++;
    stage->seats[s].node = node;
    stage->deeds[node].seat = s;
    stage->fresh[stage->fresh_count++] = s;
}

enum sl_status sl_cuda_stage_reserve(struct sl_cuda_stage *stage, struct sl_error *err)
{
    const struct sl_replay_plan *plan = stage->plan;
    enum sl_status status = SL_OK;
    for (uint32_t s = 0; s < stage->seat_count; s++)
        for (uint32_t i = 0; i < plan->node_count && status == SL_OK; i++) {
            const struct sl_cuda_deed *deed = &stage->deeds[i];
            if (deed->kind >= SL_CUDA_LAUNCHED && resource_of(plan, i) == stage->seats[s].resource)
                status = sl_cuda_actor_reserve(stage->bench, &stage->bench->actors[s], &deed->work,
                                               0, 0, err);
        }
    return status;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static int64_t add(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* What a seat's works touch of the GPU's memory at once. */
static int64_t seat_bytes(const struct sl_cuda_stage *stage, uint32_t s)
{
    struct sl_cuda_need all = {0};
    for (uint32_t i = 0; i < stage->plan->node_count; i++) {
        const struct sl_cuda_deed *deed = &stage->deeds[i];
        if (deed->kind < SL_CUDA_LAUNCHED ||
            resource_of(stage->plan, i) != stage->seats[s].resource)
            continue;
        struct sl_cuda_need need =
            sl_cuda_form_of(&deed->work)->need(stage->bench, deed->work.bytes);
        all.work = most(all.work, need.work);
        all.chain = most(all.chain, 2 * need.chain);
    }
    return (int64_t)(all.work + all.chain);
}

/* Buffers of all seats, and what calls have until the end of a repetition. */
static int64_t work_bytes(const struct sl_cuda_stage *stage)
{
    int64_t bytes = 0;
    for (uint32_t s = 0; s < stage->seat_count; s++)
        bytes = add(bytes, seat_bytes(stage, s));
    for (uint32_t i = 0; i < stage->plan->node_count; i++)
        if (stage->deeds[i].kind == SL_CUDA_CALLED)
            bytes = add(bytes, stage->deeds[i].work.bytes);
    return bytes;
}

/* The most that a plan can hold in a domain at once, whatever the order. */
static int64_t domain_bytes(const struct sl_replay_plan *plan, uint32_t domain)
{
    int64_t bytes = 0;
    for (uint32_t h = 0; h < plan->holding_count; h++)
        if (plan->holdings[h].domain == domain)
            bytes = add(bytes, plan->holdings[h].bytes);
    for (uint32_t i = 0; i < plan->node_count; i++)
        for (uint32_t k = 0; k < plan->nodes[i].amounts.count; k++) {
            const struct sl_replay_amount *amount =
                &plan->amounts[plan->nodes[i].amounts.first + k];
            if (amount->domain == domain && amount->holding == SL_NONE)
                bytes = add(bytes, amount->bytes);
        }
    return bytes < plan->limits[domain] ? bytes : plan->limits[domain];
}

static int64_t held_by_actors(const struct sl_bench *bench)
{
    size_t bytes = 0;
    for (uint32_t a = 0; a < SL_CUDA_ACTORS; a++)
        bytes += bench->actors[a].work.bytes + bench->actors[a].chain.bytes;
    return (int64_t)bytes;
}

static enum sl_status check_memory(const struct sl_cuda_stage *stage, struct sl_error *err)
{
    struct sl_bench *bench = stage->bench;
    const struct sl_replay_plan *plan = stage->plan;
    const char *own = bench->layout.domains[0].name; /* the GPU's */
    size_t free_bytes = 0, all_bytes = 0;
    char wanted[32], there[32];
    enum sl_status status = SL_CUDA(&bench->driver, err, cuMemGetInfo, &free_bytes, &all_bytes);
    if (status != SL_OK)
        return status;
    int64_t room = add((int64_t)free_bytes, held_by_actors(bench));
    sl_format_bytes(there, sizeof there, (double)room);
    for (uint32_t d = 0; d < plan->domain_count; d++) {
        int64_t bytes = domain_bytes(plan, d);
        if (strcmp(plan->domains[d], own) != 0 || bytes <= room)
            continue;
        return SL_FAIL(err, SL_SYSTEM,
                       "domain '%s' may hold %s at once, and the GPU has %s free: lower its "
                       "capacity (--set domains.%s.capacity=...)",
                       own, sl_format_bytes(wanted, sizeof wanted, (double)bytes), there, own);
    }
    int64_t bytes = work_bytes(stage);
    if (bytes > room)
        return SL_FAIL(err, SL_SYSTEM,
                       "the plan's works touch %s of the GPU's memory at once, and it has %s free",
                       sl_format_bytes(wanted, sizeof wanted, (double)bytes), there);
    return SL_OK;
}

/* ---- life ------------------------------------------------------------------------------------ */

/* Whether CUPTI keeps a record of every launch. */
static void choose_timer(struct sl_cuda_stage *stage)
{
    uint64_t launches = 0;
    for (uint32_t i = 0; i < stage->plan->node_count; i++)
        launches += stage->deeds[i].pieces;
    stage->launches = launches > 0;
    stage->cupti = !stage->bench->cupti_missing && launches <= LAUNCHES_TIMED;
}

static enum sl_status set_up(struct sl_cuda_stage *stage, struct sl_error *err)
{
    const struct sl_replay_plan *plan = stage->plan;
    size_t nodes = (size_t)plan->node_count + 1;
    stage->deeds = sl_arena_array(&stage->arena, nodes, sizeof *stage->deeds);
    stage->spans = sl_arena_array(&stage->arena, nodes, sizeof *stage->spans);
    if (!stage->deeds || !stage->spans || !list_before(stage))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    enum sl_status status = place_seats(stage, err);
    for (uint32_t i = 0; i < plan->node_count && status == SL_OK; i++)
        status = make_deed(stage, i, err);
    if (status == SL_OK)
        status = check_memory(stage, err);
    if (status == SL_OK)
        status = sl_cuda_stage_reserve(stage, err);
    if (status == SL_OK)
        status = sl_replay_rules_create(&stage->rules, plan, sl_cuda_stage_take_seat, stage, err);
    if (status == SL_OK)
        choose_timer(stage);
    return status;
}

enum sl_status sl_cuda_stage_plan(struct sl_bench *bench, const struct sl_replay_plan *plan,
                                  struct sl_error *err)
{
    sl_cuda_stage_clear(bench);
    bench->stage = calloc(1, sizeof *bench->stage);
    if (!bench->stage)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    bench->stage->bench = bench;
    bench->stage->plan = plan;
    bench->stage->node_count = plan->node_count;
    enum sl_status status = set_up(bench->stage, err);
    if (status != SL_OK)
        sl_cuda_stage_clear(bench);
    return status;
}

void sl_cuda_stage_clear(struct sl_bench *bench)
{
    struct sl_cuda_stage *stage = bench->stage;
    if (!stage)
        return;
    for (uint32_t i = 0; stage->deeds && i < stage->node_count; i++) {
        if (stage->deeds[i].begun)
            SL_CUDA_RELEASE(&bench->driver, cuEventDestroy, stage->deeds[i].begun);
        if (stage->deeds[i].done)
            SL_CUDA_RELEASE(&bench->driver, cuEventDestroy, stage->deeds[i].done);
    }
    sl_replay_rules_free(stage->rules);
    sl_arena_free(&stage->arena);
    free(stage);
    bench->stage = NULL;
}

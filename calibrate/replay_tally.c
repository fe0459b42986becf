/* Orders and durations of the repetitions; what ran beside what is told by sim/stats/beside. */
#include "config.h"

#include "replay_tally.h"
#include <stdlib.h>
#include <string.h>

struct start {
    int64_t t;
    uint32_t node;
};

struct sl_replay_tally {
    const struct sl_replay_plan *plan;
    const uint32_t *order; /* in the arena */
    struct sl_arena arena;
    uint32_t count;
    double *makespans_us;
    uint32_t makespan_capacity;
    double *hold_ns;      /* by node, summed */
    uint32_t *klass;      /* by node: index into `classes`; SL_NONE */
    uint64_t *groups;     /* by node */
    uint32_t *in_order;   /* by resource */
    uint64_t *misplaced;  /* by resource */
    uint32_t *place;      /* by resource: scratch */
    bool *disturbed;      /* the same */
    struct start *starts; /* scratch, like the next */
    struct sl_beside_work *works;
    uint32_t classes[SL_BESIDE_CLASSES];
    uint32_t class_count;
    bool too_many;
    struct sl_beside *beside;
};

/* ---- life ------------------------------------------------------------------------------------ */

static void find_class(struct sl_replay_tally *tally, uint32_t node)
{
    uint32_t klass = tally->plan->nodes[node].klass, at = 0;
    tally->klass[node] = SL_NONE;
    if (tally->plan->nodes[node].act != SL_REPLAY_WORK || klass == SL_NONE)
        return;
    while (at < tally->class_count && tally->classes[at] != klass)
        at++;
    if (at == SL_BESIDE_CLASSES) {
        tally->too_many = true;
        return;
    }
    if (at == tally->class_count)
        tally->classes[tally->class_count++] = klass;
    tally->klass[node] = at;
}

static bool take_memory(struct sl_replay_tally *tally, const uint32_t *order)
{
    size_t nodes = (size_t)tally->plan->node_count + 1;
    size_t resources = (size_t)tally->plan->resource_count + 1;
    struct sl_arena *arena = &tally->arena;
    uint32_t *kept = sl_arena_array(arena, nodes, sizeof *kept);
    tally->order = kept;
    tally->hold_ns = sl_arena_array(arena, nodes, sizeof *tally->hold_ns);
    tally->klass = sl_arena_array(arena, nodes, sizeof *tally->klass);
    tally->groups = sl_arena_array(arena, nodes, sizeof *tally->groups);
    tally->starts = sl_arena_array(arena, nodes, sizeof *tally->starts);
    tally->works = sl_arena_array(arena, nodes, sizeof *tally->works);
    tally->in_order = sl_arena_array(arena, resources, sizeof *tally->in_order);
    tally->misplaced = sl_arena_array(arena, resources, sizeof *tally->misplaced);
    tally->place = sl_arena_array(arena, resources, sizeof *tally->place);
    tally->disturbed = sl_arena_array(arena, resources, sizeof *tally->disturbed);
    if (!kept || !tally->hold_ns || !tally->klass || !tally->groups || !tally->starts ||
        !tally->works || !tally->in_order || !tally->misplaced || !tally->place ||
        !tally->disturbed)
        return false;
    memcpy(kept, order, (nodes - 1) * sizeof *kept);
    return true;
}

enum sl_status sl_replay_tally_create(struct sl_replay_tally **made,
                                      const struct sl_replay_plan *plan,
                                      const struct sl_graph *graph, const uint32_t *order,
                                      struct sl_error *err)
{
    struct sl_replay_tally *tally = calloc(1, sizeof *tally);
    *made = tally;
    if (tally)
        tally->plan = plan;
    if (!tally || !take_memory(tally, order)) {
        sl_replay_tally_free(tally);
        *made = NULL;
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    }
    for (uint32_t i = 0; i < plan->node_count; i++) {
        find_class(tally, i);
        tally->groups[i] = sl_node_groups(graph, &graph->nodes[i]);
    }
    if (tally->too_many)
        tally->class_count = 0;
    enum sl_status status = sl_beside_create(&tally->beside, tally->class_count, 1, err);
    if (status != SL_OK) {
        sl_replay_tally_free(tally);
        *made = NULL;
    }
    return status;
}

void sl_replay_tally_free(struct sl_replay_tally *tally)
{
    if (!tally)
        return;
    free(tally->makespans_us);
    sl_beside_free(tally->beside);
    sl_arena_free(&tally->arena);
    free(tally);
}

/* ---- repetitions ----------------------------------------------------------------------------- */

static int by_time(const void *left, const void *right)
{
    const struct start *a = left, *b = right;
    if (a->t != b->t)
        return a->t < b->t ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

/* The works of a repetition, and their starts in order; returns how many. */
static uint32_t list_works(struct sl_replay_tally *tally, const struct sl_replay_log *log)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < tally->plan->node_count; i++) {
        if (tally->plan->nodes[i].act != SL_REPLAY_WORK)
            continue;
        tally->starts[count] = (struct start){log->times[i].start_ns, i};
        tally->works[count++] =
            (struct sl_beside_work){.from_ns = log->times[i].start_ns,
                                    .to_ns = log->times[i].end_ns,
                                    .isolated_ns = (double)tally->plan->nodes[i].hold_ns,
                                    .groups = tally->groups[i],
                                    .klass = tally->too_many ? SL_NONE : tally->klass[i]};
    }
    qsort(tally->starts, count, sizeof *tally->starts, by_time);
    return count;
}

static uint32_t first_resource(const struct sl_replay_plan *plan, uint32_t node)
{
    return plan->demands[plan->nodes[node].demands.first].resource;
}

static void compare_order(struct sl_replay_tally *tally, uint32_t starts)
{
    const struct sl_replay_plan *plan = tally->plan;
    memset(tally->place, 0, plan->resource_count * sizeof *tally->place);
    memset(tally->disturbed, 0, plan->resource_count * sizeof *tally->disturbed);
    for (uint32_t k = 0; k < starts; k++) {
        uint32_t node = tally->starts[k].node;
        uint32_t r = first_resource(plan, node);
        bool misplaced = tally->order[node] != tally->place[r]++;
        tally->misplaced[r] += misplaced;
        tally->disturbed[r] |= misplaced;
    }
    for (uint32_t r = 0; r < plan->resource_count; r++)
        tally->in_order[r] += !tally->disturbed[r];
}

enum sl_status sl_replay_tally_add(struct sl_replay_tally *tally, const struct sl_replay_log *log,
                                   struct sl_error *err)
{
    if (!sl_grow((void **)&tally->makespans_us, &tally->makespan_capacity, tally->count + 1,
                 sizeof *tally->makespans_us))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    tally->makespans_us[tally->count++] = (double)log->makespan_ns / 1e3;
    for (uint32_t i = 0; i < tally->plan->node_count; i++)
        tally->hold_ns[i] += (double)(log->times[i].end_ns - log->times[i].start_ns);
    uint32_t works = list_works(tally, log);
    compare_order(tally, works);
    return sl_beside_add(tally->beside, 0, tally->works, works, err);
}

/* ---- what it comes to ------------------------------------------------------------------------ */

uint32_t sl_replay_tally_count(const struct sl_replay_tally *tally)
{
    return tally->count;
}

const double *sl_replay_tally_makespans_us(const struct sl_replay_tally *tally)
{
    return tally->makespans_us;
}

void sl_replay_tally_sort(struct sl_replay_tally *tally)
{
    sl_sort_doubles(tally->makespans_us, tally->count);
}

double sl_replay_tally_hold_ns(const struct sl_replay_tally *tally, uint32_t node)
{
    return tally->hold_ns[node] / tally->count;
}

double sl_replay_tally_in_order(const struct sl_replay_tally *tally, uint32_t resource)
{
    return (double)tally->in_order[resource] / tally->count;
}

double sl_replay_tally_misplaced(const struct sl_replay_tally *tally, uint32_t resource)
{
    return (double)tally->misplaced[resource] / tally->count;
}

const uint32_t *sl_replay_tally_classes(const struct sl_replay_tally *tally, uint32_t *count)
{
    *count = tally->class_count;
    return tally->class_count ? tally->classes : NULL;
}

double sl_replay_tally_overlap_ns(const struct sl_replay_tally *tally, uint32_t a, uint32_t b)
{
    return sl_beside_overlap_ns(tally->beside, a, b).value;
}

struct sl_slowdown *sl_replay_tally_kappas(const struct sl_replay_tally *tally,
                                           struct sl_arena *arena, uint32_t *count)
{
    struct sl_slowdown *slowdowns = sl_beside_slowdowns(tally->beside, arena, count);
    for (uint32_t i = 0; slowdowns && i < *count; i++)
        slowdowns[i].klass = tally->classes[slowdowns[i].klass];
    return slowdowns;
}

/* Traits of a cell: batches by node, then shared objects by tier. */
#include "job_traits.h"
#include "cell.h"

struct list {
    struct sl_arena *arena;
    struct sl_job_trait *items;
    uint32_t count;
    bool failed;
};

static void add(struct list *list, const char *name, bool share, struct sl_estimate estimate)
{
    list->failed |= !name;
    list->items[list->count++] = (struct sl_job_trait){name, share, estimate};
}

static void add_cache(struct list *list, const struct sl_cell *cell, uint32_t k)
{
    const struct sl_job_shared *shared = &cell->jobs->shape.shared[k];
    const struct sl_job_cache_use *use = &cell->jobs->caches[k];
    const char *object = cell->plan.graph->objects[shared->object].name;
    add(list, sl_arena_printf(list->arena, "found of %s", object), true, use->found.estimate);
    for (uint32_t t = 0; t < shared->tiers && shared->tiers > 1; t++) {
        const char *tier = cell->scenario->platform.domain_names.names[shared->domains[t]];
        add(list, sl_arena_printf(list->arena, "found of %s in %s", object, tier), true,
            use->found_in[t].estimate);
    }
}

enum sl_status sl_job_traits(const struct sl_job_trait **traits, uint32_t *count,
                             const struct sl_cell *cell, struct sl_arena *arena,
                             struct sl_error *err)
{
    const struct sl_job_cell *jobs = cell->jobs;
    struct list list = {.arena = arena};
    *traits = NULL;
    *count = 0;
    if (!jobs || !jobs->estimated)
        return SL_OK;
    size_t most = jobs->shape.batch_count + (size_t)jobs->shape.shared_count * (1 + SL_CACHE_TIERS);
    list.items = sl_arena_array(arena, most + 1, sizeof *list.items);
    if (!list.items)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the traits of a policy");
    for (uint32_t k = 0; k < jobs->shape.batch_count; k++) {
        const char *node = cell->plan.graph->nodes[jobs->batches[k].node].name;
        add(&list, sl_arena_printf(arena, "batch of %s", node), false, jobs->batches[k].size);
    }
    for (uint32_t k = 0; k < jobs->shape.shared_count; k++)
        add_cache(&list, cell, k);
    *traits = list.items;
    *count = list.count;
    return list.failed ? SL_FAIL(err, SL_SYSTEM, "out of memory for the traits of a policy")
                       : SL_OK;
}

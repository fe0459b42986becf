/* Capacities that bound nothing are named, so that nobody reads meaning into sweeping them. */
#include "capacity_limits.h"
#include "units.h"
#include <stdlib.h>
#include <string.h>

static bool declared_by_device(const struct sl_platform *platform, const struct sl_domain *domain)
{
    const char *file = domain->capacity_place.file;
    return platform->device_dir && file &&
           strncmp(file, platform->device_dir, strlen(platform->device_dir)) == 0;
}

static bool note_limit(struct sl_limits *limits, struct sl_limit *limit,
                       const struct sl_platform *platform, const struct sl_domain *domain)
{
    const char *file = domain->capacity_place.file;
    limit->least_limit = domain->capacity - domain->reserve;
    limit->place = domain->capacity_place;
    limit->place.file = file ? sl_arena_strdup(&limits->arena, file) : NULL;
    limit->from_device = declared_by_device(platform, domain);
    return !file || limit->place.file;
}

static bool note_domain(struct sl_limits *limits, struct sl_limit *limit,
                        const struct sl_cell *cell, uint32_t d)
{
    const struct sl_platform *platform = &cell->scenario->platform;
    const struct sl_domain *domain = &platform->domains[d];
    size_t domains = platform->domain_names.count;
    if (domain->capacity >= 0 && domain->capacity - domain->reserve < limit->least_limit &&
        !note_limit(limits, limit, platform, domain))
        return false;
    limit->mattered |= cell->limit_mattered && cell->limit_mattered[d];
    for (uint32_t t = 0; t < cell->trials; t++) {
        int64_t peak = cell->peak_bytes[(size_t)t * domains + d];
        limit->peak = peak > limit->peak ? peak : limit->peak;
    }
    return true;
}

/* The domain of this name, added where there is none yet; NULL: out of memory. */
static struct sl_limit *limit_of(struct sl_limits *limits, const char *name)
{
    uint32_t known = limits->names.count;
    uint32_t i = sl_names_add(&limits->names, name);
    if (i == SL_NONE ||
        !sl_grow((void **)&limits->items, &limits->capacity, i + 1, sizeof *limits->items))
        return NULL;
    if (i >= known)
        limits->items[i] = (struct sl_limit){.least_limit = INT64_MAX};
    return &limits->items[i];
}

bool sl_limits_note(struct sl_limits *limits, const struct sl_cell *cell)
{
    const struct sl_names *domains = &cell->scenario->platform.domain_names;
    for (uint32_t d = 0; d < domains->count; d++) {
        struct sl_limit *limit = limit_of(limits, domains->names[d]);
        if (!limit || !note_domain(limits, limit, cell, d))
            return false;
    }
    return true;
}

static bool exchange_limit(struct sl_limits *limits, uint32_t i, struct sl_wire *wire)
{
    const char *name = sl_wire_text(wire, wire->reading ? NULL : limits->names.names[i]);
    struct sl_limit other = wire->reading ? (struct sl_limit){0} : limits->items[i];
    const char *file = sl_wire_text(wire, other.place.file);
    sl_wire_copy(wire, &other, sizeof other);
    if (!wire->reading || wire->broken)
        return true;
    struct sl_limit *limit = limit_of(limits, name);
    if (!limit)
        return false;
    limit->mattered |= other.mattered;
    limit->peak = other.peak > limit->peak ? other.peak : limit->peak;
    if (other.least_limit >= limit->least_limit)
        return true;
    limit->least_limit = other.least_limit;
    limit->from_device = other.from_device;
    limit->place = other.place;
    limit->place.file = *file ? sl_arena_strdup(&limits->arena, file) : NULL;
    return !*file || limit->place.file;
}

bool sl_limits_exchange(struct sl_limits *limits, struct sl_wire *wire)
{
    uint32_t count = limits->names.count;
    bool ok = true;
    sl_wire_copy(wire, &count, sizeof count);
    for (uint32_t i = 0; i < count && ok && !wire->broken; i++)
        ok = exchange_limit(limits, i, wire);
    return ok;
}

void sl_limits_report(const struct sl_limits *limits, struct sl_diags *diags)
{
    for (uint32_t i = 0; i < limits->names.count; i++) {
        const struct sl_limit *limit = &limits->items[i];
        /* A device lists all that its machine has; what a scenario leaves unused is no surprise. */
        bool idle_by_device = limit->from_device && limit->peak == 0;
        if (limit->mattered || limit->least_limit == INT64_MAX || idle_by_device)
            continue;
        char peak[64], bound[64];
        double share =
            limit->least_limit > 0 ? 100 * (double)limit->peak / (double)limit->least_limit : 0;
        sl_diags_add(
            diags, SL_WARNING, "limit-never-reached", limit->place,
            "no node waits for bytes of domain '%s': the largest peak, %s, is %.3g%% of the "
            "limit of %s (capacity less reserve)",
            limits->names.names[i], sl_format_bytes(peak, sizeof peak, (double)limit->peak), share,
            sl_format_bytes(bound, sizeof bound, (double)limit->least_limit));
    }
}

void sl_limits_free(struct sl_limits *limits)
{
    sl_names_free(&limits->names);
    sl_arena_free(&limits->arena);
    free(limits->items);
    *limits = (struct sl_limits){0};
}
